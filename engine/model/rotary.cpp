// Angles in the rounding of the reference, and the turning of pairs.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/rotary.h"

#include <cmath>
#include <numbers>

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

std::vector<float> frequencies(const RotarySettings& settings, std::int64_t pairs)
{
    std::vector<float> result;
    for (std::int64_t pair = 0; pair < pairs; ++pair) {
        const auto exponent = static_cast<float>(2 * pair) / static_cast<float>(2 * pairs);
        const float power = std::pow(static_cast<float>(settings.base), exponent);
        float frequency = 1 / power;
        if (settings.scaling == RotaryScaling::Linear) {
            frequency = static_cast<float>(frequency / settings.factor);
        } else if (settings.scaling == RotaryScaling::Llama3) {
            frequency = llama3(frequency, settings);
        }
        if (!settings.divisors.empty()) {
            frequency /= settings.divisors[static_cast<std::size_t>(pair)];
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
    const std::vector<float> frequency = frequencies(settings, m_pairs);
    m_cosines.reserve(static_cast<std::size_t>(length * m_pairs));
    m_sines.reserve(static_cast<std::size_t>(length * m_pairs));
    for (std::int64_t position = 0; position < length; ++position) {
        for (const float f : frequency) {
            const double angle = static_cast<float>(position) * f;
            m_cosines.push_back(static_cast<float>(std::cos(angle)));
            m_sines.push_back(static_cast<float>(std::sin(angle)));
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
