// Plain sums over a row of stored weights.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/storedmasses.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace heed {

namespace {

constexpr std::size_t MostTop = 10;

std::array<std::vector<float>*, 9> listsOf(RowMasses& masses)
{
    return {&masses.previous,  &masses.next,      &masses.self, &masses.first, &masses.duplicate,
            &masses.induction, &masses.delimiter, &masses.top5, &masses.top10};
}

/// The largest of the numbers offered, largest first.
class Largest {
public:
    void offer(float value)
    {
        if (!(value > m_values.back())) {
            return;
        }
        std::size_t place = m_values.size() - 1;
        for (; place > 0 && value > m_values[place - 1]; --place) {
            m_values[place] = m_values[place - 1];
        }
        m_values[place] = value;
    }
    [[nodiscard]] double sum(std::size_t count) const
    {
        double total = 0;
        for (std::size_t n = 0; n < count; ++n) {
            total += double{m_values[n]};
        }
        return total;
    }

private:
    std::array<float, MostTop> m_values{};
};

} // namespace

Expected<void> checkTokens(const TokenRoles& tokens, std::int64_t queries, std::int64_t keys)
{
    const auto fits = [](const auto& list, std::int64_t length) {
        return list.empty() || static_cast<std::int64_t>(list.size()) == length;
    };
    if (!fits(tokens.queries, queries) || !fits(tokens.keys, keys) ||
        !fits(tokens.delimiters, keys)) {
        return fail(Code::InvalidShape,
                    "Tokens of " + std::to_string(tokens.queries.size()) + " queries and " +
                        std::to_string(tokens.keys.size()) + " keys, with " +
                        std::to_string(tokens.delimiters.size()) +
                        " flags of delimiters, do not fit maps of " + std::to_string(queries) +
                        " × " + std::to_string(keys) + ".");
    }
    return {};
}

void resizeMasses(RowMasses& masses, std::size_t rows)
{
    for (std::vector<float>* list : listsOf(masses)) {
        list->resize(rows);
    }
}

void fillMasses(std::span<const float> weights, const TokenRoles& tokens, std::int64_t query,
                RowMasses& masses)
{
    const auto row = static_cast<std::size_t>(query);
    const bool hasTokens = !tokens.queries.empty() && !tokens.keys.empty();
    double duplicate = 0;
    double induction = 0;
    double delimiter = 0;
    Largest largest;
    for (std::size_t j = 0; j < weights.size(); ++j) {
        const double weight = weights[j];
        if (!(weight >= 0) || std::isinf(weight)) { // no weights at all: as the row statistics say
            for (std::vector<float>* list : listsOf(masses)) {
                (*list)[row] = std::numeric_limits<float>::quiet_NaN();
            }
            return;
        }
        largest.offer(weights[j]);
        if (hasTokens && j < row && tokens.keys[j] == tokens.queries[row]) {
            duplicate += weight;
        }
        if (hasTokens && j >= 1 && j <= row && tokens.keys[j - 1] == tokens.queries[row]) {
            induction += weight;
        }
        if (!tokens.delimiters.empty() && tokens.delimiters[j] != 0) {
            delimiter += weight;
        }
    }
    const auto at = [&](std::int64_t key) {
        return key >= 0 && key < static_cast<std::int64_t>(weights.size())
                   ? weights[static_cast<std::size_t>(key)]
                   : 0.0F;
    };
    masses.previous[row] = at(query - 1);
    masses.next[row] = at(query + 1);
    masses.self[row] = at(query);
    masses.first[row] = at(0);
    masses.duplicate[row] = static_cast<float>(duplicate);
    masses.induction[row] = static_cast<float>(induction);
    masses.delimiter[row] = static_cast<float>(delimiter);
    masses.top5[row] = static_cast<float>(largest.sum(5));
    masses.top10[row] = static_cast<float>(largest.sum(10));
}

} // namespace heed
