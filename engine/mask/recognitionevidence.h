// What the rows of a mask say about the numbers of the families that may have made it.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mask/recognitionsubject.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace heed::detail {

/// How many rows speak for each value of a number.
class Votes {
public:
    void add(std::int64_t value);
    /// The value with the most votes, the smallest of them.
    [[nodiscard]] std::optional<std::int64_t> mode() const;
    /// The largest value with so many votes.
    [[nodiscard]] std::optional<std::int64_t> largest(std::int64_t atLeast) const;
    /// The greatest common divisor of the values with so many votes.
    [[nodiscard]] std::optional<std::int64_t> divisor(std::int64_t atLeast) const;

private:
    std::unordered_map<std::int64_t, std::int64_t> m_counts;
};

/// The hull of the keys that are kept in items of a class; empty when none is.
struct KeptKeys {
    KeyRange any;   ///< by some row
    KeyRange often; ///< by two rows at least: a single wrong cell does not move it
};

/// Query i keeps keys from first to last in its ranges; rows that keep none say nothing. "Largest"
/// fits a family exactly that says no more than its number; votes bear some wrong cells.
struct Evidence {
    std::vector<KeptKeys> keys; ///< of each item class
    bool keepsAll = true;
    bool keepsNone = true;
    std::int64_t mostLeft = 0;  ///< largest i - first
    std::int64_t mostRight = 0; ///< largest last - i
    Votes left;                 ///< i - first, where the hull of the kept keys does not cut
    Votes right;                ///< last - i, likewise
    Votes prefixEnd;            ///< last + 1 of rows that see the future
    Votes starts;               ///< first, where the hull does not cut
    Votes sinkEnd;              ///< end of a first range that is not the query's own
    // Of rows with several ranges:
    Votes firstLength; ///< its length
    Votes ownLength;   ///< i + 1 - begin of the last range
    Votes spacing;     ///< between the beginnings of two neighbouring ranges
    // Down the first and the last key of the hull, which say more where there are few keys:
    Votes runSpacing; ///< between the beginnings of two neighbouring runs of rows, first key
    Votes firstRun;   ///< rows of the first run, when it ends, first key
    Votes lastKeyRun; ///< the same of the last key
    /// The first row with each of the keys in starts.
    std::unordered_map<std::int64_t, std::int64_t> firstRowOf;
};

[[nodiscard]] Expected<Evidence> gatherEvidence(const Subject& subject, const Execution& execution);

/// -right <= i - j <= left; a bound that is not there does not bind.
struct Band {
    std::optional<std::int64_t> left;
    std::optional<std::int64_t> right;
};

/// The coarsest documents that, with @p keys of each item class and @p band, give the subject, if
/// any do.
/// @param isTolerant takes the borders for which more rows speak than against.
/// @return their lengths, together max(L, S).
[[nodiscard]] Expected<std::vector<std::int64_t>> documentsWithin(const Subject& subject,
                                                                  const std::vector<KeyRange>& keys,
                                                                  const Band& band, bool isTolerant,
                                                                  const Execution& execution);

} // namespace heed::detail
