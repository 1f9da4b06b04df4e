// Angles in the rounding of the reference, and the turning of pairs.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/rotary.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace heed::detail {

namespace {

/// Llama 3.1 stretches long waves, leaves short ones, and blends between.
float llama3(float frequency, const RotarySettings& settings)
{
    const double wave = 2 * std::numbers::pi / static_cast<double>(frequency);
    if (wave < settings.originalLength / settings.highFactor) {
        return frequency;
    }
    const auto stretched = static_cast<float>(frequency / settings.factor);
    if (wave > settings.originalLength / settings.lowFactor) {
        return stretched;
    }
    const double share = (settings.originalLength / wave - settings.lowFactor) /
                         (settings.highFactor - settings.lowFactor);
    return static_cast<float>((1 - share) * static_cast<double>(stretched) + share * frequency);
}

/// The base that leaves the longest wave as many turns in @p length tokens as it had in the
/// original length.
double dynamicBase(const RotarySettings& settings, std::int64_t pairs, std::int64_t length)
{
    const double longer = std::max(static_cast<double>(length), settings.originalLength);
    const double stretch =
        settings.factor * longer / settings.originalLength - (settings.factor - 1);
    // A single pair has an angle of 1 whatever the base.
    const auto numbers = static_cast<double>(2 * pairs);
    return pairs < 2 ? settings.base : settings.base * std::pow(stretch, numbers / (numbers - 2));
}

/// How much of each pair's angle YaRN leaves as it is.
class YarnRamp {
public:
    YarnRamp(const RotarySettings& settings, std::int64_t pairs)
    {
        const auto numbers = static_cast<double>(2 * pairs);
        const auto pairWith = [&](double turns) {
            return numbers * std::log(settings.originalLength / (turns * 2 * std::numbers::pi)) /
                   (2 * std::log(settings.base));
        };
        const double fast = pairWith(settings.fastTurns);
        const double slow = pairWith(settings.slowTurns);
        m_first = std::max(0.0, settings.roundsPairs ? std::floor(fast) : fast);
        m_last = std::min(numbers - 1, settings.roundsPairs ? std::ceil(slow) : slow);
        if (m_first == m_last) {
            m_last += 0.001; // no division by zero
        }
    }

    [[nodiscard]] float kept(std::int64_t pair) const
    {
        const auto at = static_cast<float>(static_cast<double>(pair) - m_first) /
                        static_cast<float>(m_last - m_first);
        return 1 - std::clamp(at, 0.0F, 1.0F);
    }

private:
    double m_first = 0; ///< pair that begins to be stretched
    double m_last = 0;  ///< and the one that is stretched whole
};

std::vector<float> frequencies(const RotarySettings& settings, std::int64_t pairs,
                               std::int64_t length)
{
    const double base = settings.scaling == RotaryScaling::Dynamic
                            ? dynamicBase(settings, pairs, length)
                            : settings.base;
    const bool isShort = settings.scaling == RotaryScaling::LongRope &&
                         static_cast<double>(length) <= settings.originalLength;
    const std::vector<float>& divisors = isShort ? settings.shortDivisors : settings.divisors;
    std::optional<YarnRamp> yarn;
    if (settings.scaling == RotaryScaling::Yarn) {
        yarn.emplace(settings, pairs);
    }
    std::vector<float> result;
    for (std::int64_t pair = 0; pair < pairs; ++pair) {
        const auto exponent = static_cast<float>(2 * pair) / static_cast<float>(2 * pairs);
        float power = std::pow(static_cast<float>(base), exponent);
        if (!divisors.empty()) {
            power *= divisors[static_cast<std::size_t>(pair)];
        }
        float frequency = 1 / power;
        if (settings.scaling == RotaryScaling::Linear) {
            frequency = static_cast<float>(frequency / settings.factor);
        } else if (settings.scaling == RotaryScaling::Llama3) {
            frequency = llama3(frequency, settings);
        } else if (yarn) {
            const float stretched = 1 / (static_cast<float>(settings.factor) * power);
            const float kept = yarn->kept(pair);
            frequency = stretched * (1 - kept) + frequency * kept;
        }
        result.push_back(frequency);
    }
    return result;
}

} // namespace

std::int64_t RotaryTable::pairCount(const RotarySettings& settings, std::int64_t headSize)
{
    return static_cast<std::int64_t>(static_cast<double>(headSize) * settings.share) / 2;
}

RotaryTable::RotaryTable(const RotarySettings& settings, std::int64_t headSize, std::int64_t length)
    : m_pairs(pairCount(settings, headSize))
    , m_adjacent(settings.adjacent)
{
    const std::vector<float> frequency = frequencies(settings, m_pairs, length);
    const auto factor = static_cast<float>(settings.attentionFactor);
    m_cosines.reserve(static_cast<std::size_t>(length * m_pairs));
    m_sines.reserve(static_cast<std::size_t>(length * m_pairs));
    for (std::int64_t position = 0; position < length; ++position) {
        for (const float f : frequency) {
            const double angle = static_cast<float>(position) * f;
            m_cosines.push_back(static_cast<float>(std::cos(angle)) * factor);
            m_sines.push_back(static_cast<float>(std::sin(angle)) * factor);
        }
    }
}

void RotaryTable::rotate(Tensor& heads) const
{
    const std::int64_t size = heads.extent(heads.rank() - 1);
    const std::int64_t length = heads.extent(heads.rank() - 2);
    const std::int64_t rows = heads.size() / size;
    const std::int64_t step = m_adjacent ? 2 : 1;
    for (std::int64_t row = 0; row < rows; ++row) {
        float* first = heads.data() + row * size;
        float* second = first + (m_adjacent ? 1 : m_pairs);
        const float* cosine = m_cosines.data() + row % length * m_pairs;
        const float* sine = m_sines.data() + row % length * m_pairs;
        for (std::int64_t c = 0; c < m_pairs; ++c) {
            const float a = first[c * step];
            const float b = second[c * step];
            first[c * step] = a * cosine[c] - b * sine[c];
            second[c * step] = b * cosine[c] + a * sine[c];
        }
    }
}

} // namespace heed::detail
