// The numbers of a layer: checked, with the nearest choices that work.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/layer.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr std::int64_t LargestModelWidth = 65536;
constexpr int OfferedChoices = 2;

std::string number(std::int64_t value)
{
    return std::to_string(value);
}

std::string list(const std::vector<std::int64_t>& values)
{
    std::string text;
    for (const std::int64_t value : values) {
        text += (text.empty() ? "" : ", ") + number(value);
    }
    return text;
}

/// "1600 ÷ 48 = 33 remainder 16"
std::string division(std::int64_t whole, std::int64_t part)
{
    return number(whole) + " ÷ " + number(part) + " = " + number(whole / part) + " remainder " +
           number(whole % part);
}

Expected<void> validateModelWidth(const LayerConfig& config)
{
    if (config.modelWidth < 1 || config.modelWidth > LargestModelWidth) {
        return fail(Code::InvalidArgument, "d_model " + number(config.modelWidth) +
                                               " is out of range. It can be 1 to " +
                                               number(LargestModelWidth) + ".");
    }
    return {};
}

Expected<void> validateHeads(const LayerConfig& config)
{
    const std::int64_t width = config.modelWidth;
    const std::int64_t heads = config.heads;
    if (heads < 1) {
        return fail(Code::InvalidArgument,
                    number(heads) + " heads are too few. A layer has at least 1 head.");
    }
    if (config.headSize != 0) {
        return {}; // the weights fixed D; it need not be d_model ÷ H
    }
    if (width % heads != 0) {
        std::string message =
            "d_model " + number(width) + " cannot be split into " + number(heads) + " heads (" +
            division(width, heads) + "). Every head needs the same width. Heads that fit near " +
            number(heads) + ": " + list(nearestDivisors(width, heads, OfferedChoices)) + ".";
        if (heads < width) {
            const std::int64_t below = width - width % heads;
            message += " d_model that fits near " + number(width) + ": " + number(below);
            message += below + heads <= LargestModelWidth ? ", " + number(below + heads) : "";
            message += ".";
        }
        if (heads > width && heads % width == 0) {
            message +=
                " Did you swap d_model (" + number(width) + ") and heads (" + number(heads) + ")?";
        }
        return fail(Code::InvalidArgument, std::move(message));
    }
    return {};
}

Expected<void> validateKeyValueHeads(const LayerConfig& config)
{
    const std::int64_t heads = config.heads;
    const std::int64_t groups = config.keyValueHeads();
    if (groups < 0) {
        return fail(Code::InvalidArgument,
                    number(groups) + " key/value heads are too few. Give 1 to " + number(heads) +
                        ", or 0 for as many as query heads.");
    }
    if (heads % groups != 0) {
        std::string message = number(heads) + " query heads cannot share " + number(groups) +
                              " key/value heads (" + division(heads, groups) +
                              "). Every key/value head needs the same number of query heads. "
                              "Key/value heads that fit near " +
                              number(groups) + ": " +
                              list(nearestDivisors(heads, groups, OfferedChoices)) + ".";
        if (groups > heads && groups % heads == 0) {
            message += " Did you swap heads (" + number(heads) + ") and key/value heads (" +
                       number(groups) + ")?";
        }
        return fail(Code::InvalidArgument, std::move(message));
    }
    return {};
}

Expected<void> validateRotary(const LayerConfig& config)
{
    const std::int64_t width = config.headWidth();
    if (config.positions != Positions::Rotary || width % 2 == 0) {
        return {};
    }
    std::string message = "Rotary positions turn pairs of numbers, so the head width must be "
                          "even; d_model " +
                          number(config.modelWidth) + " with " + number(config.heads) +
                          " heads gives " + number(width) + ". ";
    if (config.headSize == 0 && config.modelWidth % 2 == 0) {
        // h divides d_model ÷ 2 exactly when d_model ÷ h is even.
        message += "Heads that fit near " + number(config.heads) + ": " +
                   list(nearestDivisors(config.modelWidth / 2, config.heads, OfferedChoices)) + ".";
    } else {
        message += "Choose an even width, or other positions.";
    }
    return fail(Code::InvalidArgument, std::move(message));
}

} // namespace

float LayerConfig::scale() const
{
    return scaled ? static_cast<float>(1.0 / std::sqrt(static_cast<double>(headWidth()))) : 1.0F;
}

Expected<void> validate(const LayerConfig& config)
{
    for (const auto check :
         {validateModelWidth, validateHeads, validateKeyValueHeads, validateRotary}) {
        if (auto result = check(config); !result) {
            return result;
        }
    }
    return {};
}

std::vector<std::int64_t> nearestDivisors(std::int64_t whole, std::int64_t wanted, int count)
{
    std::vector<std::int64_t> divisors;
    for (std::int64_t small = 1; small <= whole / small; ++small) {
        if (whole % small == 0) {
            divisors.push_back(small);
            if (small != whole / small) {
                divisors.push_back(whole / small);
            }
        }
    }
    std::sort(divisors.begin(), divisors.end());
    // A window of the sorted divisors, as far below as above as there are any.
    const auto all = static_cast<std::ptrdiff_t>(divisors.size());
    const auto above =
        std::upper_bound(divisors.begin(), divisors.end(), wanted) - divisors.begin();
    const std::ptrdiff_t size = std::clamp<std::ptrdiff_t>(count, 0, all);
    const auto begin =
        divisors.begin() + std::clamp<std::ptrdiff_t>(above - (size + 1) / 2, 0, all - size);
    return {begin, begin + size};
}

} // namespace heed
