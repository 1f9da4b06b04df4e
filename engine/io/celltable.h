// Tables of cells, as the command line writes arrays to .csv: indices, tokens, then the numbers.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/numberlist.h"
#include "io/textpieces.h"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace heed::detail {

/// A mistake in a row; column from 0.
struct RowProblem {
    std::size_t column = 0;
    std::string message; ///< a sentence
};

/// Gathers the rows of a table with the columns layer, item, head, kv_head, query, key, dim (some
/// of them), query_token and key_token for the axes that are there, and one or more of numbers.
class CellTable {
public:
    /// Nothing when the names are those of another table.
    [[nodiscard]] static std::optional<CellTable> make(const std::vector<std::string>& names);

    /// @param fields as many as there are names.
    [[nodiscard]] std::optional<RowProblem> addRow(const std::vector<std::string>& fields);

    /// Where the rows do not fill the array in order: the number of the row, and its problem.
    [[nodiscard]] std::optional<std::pair<std::size_t, RowProblem>> check() const;

    /// An array for each column of numbers, and the tokens. @pre check() found nothing.
    void moveInto(ParsedArrayFile& file, TextMap& metadata);

private:
    struct Axis {
        std::string name;
        std::unordered_map<std::int64_t, std::int64_t> position; ///< of an index
        std::vector<std::int64_t> rows;                          ///< the position in each row
    };
    struct Labels {
        std::string axis;                                                   ///< "query" or "key"
        std::map<std::pair<std::int64_t, std::int64_t>, std::string> texts; ///< by item, position
    };

    [[nodiscard]] const Axis* axis(std::string_view name) const;
    [[nodiscard]] TextLists listsOf(const Labels& labels) const;

    std::vector<Axis> m_axes;
    std::vector<Labels> m_labels;
    std::vector<std::string> m_names; ///< of the numbers
    std::vector<NumberList> m_numbers;
};

} // namespace heed::detail
