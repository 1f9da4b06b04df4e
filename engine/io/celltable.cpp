// Indices to positions, rows to arrays.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/celltable.h"

#include "io/source.h"

#include <algorithm>
#include <array>

namespace heed::detail {

namespace {

constexpr std::array<std::string_view, 7> AxisNames = {"layer", "item", "head", "kv_head",
                                                       "query", "key",  "dim"};

} // namespace

std::optional<CellTable> CellTable::make(const std::vector<std::string>& names)
{
    CellTable table;
    std::size_t at = 0;
    for (; at < names.size() && std::ranges::find(AxisNames, names[at]) != AxisNames.end(); ++at) {
        if (table.axis(names[at]) != nullptr) {
            return std::nullopt;
        }
        table.m_axes.push_back({names[at], {}, {}});
    }
    for (const Axis& axis : table.m_axes) {
        if (axis.name == "query" || axis.name == "key") {
            if (at == names.size() || names[at++] != axis.name + "_token") {
                return std::nullopt;
            }
            table.m_labels.push_back({axis.name, {}});
        }
    }
    table.m_names.assign(names.begin() + static_cast<std::ptrdiff_t>(at), names.end());
    table.m_numbers.resize(table.m_names.size());
    const bool isNamed =
        std::ranges::none_of(table.m_names, [](const std::string& name) { return name.empty(); });
    const bool isTable = !table.m_labels.empty() && !table.m_names.empty() && isNamed;
    return isTable ? std::optional(std::move(table)) : std::nullopt;
}

std::optional<RowProblem> CellTable::addRow(const std::vector<std::string>& fields)
{
    std::size_t column = 0;
    for (Axis& axis : m_axes) {
        const auto number = parseNumber(fields[column]);
        if (!number || !number->integer || *number->integer < 0) {
            return RowProblem{column, inQuotes(fields[column]) + " is no index of a " + axis.name +
                                          "; those are whole numbers from 0."};
        }
        const auto next = static_cast<std::int64_t>(axis.position.size());
        axis.rows.push_back(axis.position.emplace(*number->integer, next).first->second);
        ++column;
    }
    const Axis* items = axis("item");
    for (Labels& labels : m_labels) {
        const std::int64_t item = items == nullptr ? 0 : items->rows.back();
        labels.texts.try_emplace({item, axis(labels.axis)->rows.back()}, fields[column]);
        ++column;
    }
    for (NumberList& numbers : m_numbers) {
        const auto number = parseNumber(fields[column]);
        if (!number) {
            return RowProblem{column, inQuotes(fields[column]) + " is not a number."};
        }
        if (number->integer) {
            numbers.addInteger(*number->integer);
        } else {
            numbers.addDecimal(number->value, number->nearest);
        }
        ++column;
    }
    return std::nullopt;
}

std::optional<std::pair<std::size_t, RowProblem>> CellTable::check() const
{
    const std::size_t rows = m_axes.front().rows.size();
    for (std::size_t row = 0; row < rows; ++row) {
        auto rest = static_cast<std::int64_t>(row);
        for (std::size_t i = m_axes.size(); i-- > 0;) { // the last axis runs fastest
            const auto extent = static_cast<std::int64_t>(m_axes[i].position.size());
            if (m_axes[i].rows[row] != rest % extent) {
                return std::pair{row, RowProblem{i, "The " + m_axes[i].name +
                                                        " is out of order: a row is missing, "
                                                        "occurs twice or has moved."}};
            }
            rest /= extent;
        }
        if (rest != 0) {
            return std::pair{row, RowProblem{0, "The row occurs twice."}};
        }
    }
    std::size_t cells = 1;
    for (const Axis& axis : m_axes) {
        cells *= axis.position.size(); // each row was in place, so at most about rows
        if (cells > rows) {
            return std::pair{rows - 1, RowProblem{0, "Rows are missing after this one."}};
        }
    }
    return std::nullopt;
}

void CellTable::moveInto(ParsedArrayFile& file, TextMap& metadata)
{
    Shape shape;
    for (const Axis& axis : m_axes) {
        shape.push_back(static_cast<std::int64_t>(axis.position.size()));
    }
    for (std::size_t i = 0; i < m_names.size(); ++i) {
        file.add(m_names[i], shape, m_numbers[i]);
    }
    TextLists queries;
    for (const Labels& labels : m_labels) {
        TextLists lists = listsOf(labels);
        if (labels.axis == "query") {
            queries = lists;
            file.setTokens(std::move(lists));
        } else if (lists != queries) {
            metadata.emplace_back("key_tokens", textListsToJson(lists));
        }
    }
}

const CellTable::Axis* CellTable::axis(std::string_view name) const
{
    const auto found =
        std::ranges::find_if(m_axes, [name](const Axis& axis) { return axis.name == name; });
    return found == m_axes.end() ? nullptr : &*found;
}

TextLists CellTable::listsOf(const Labels& labels) const
{
    const Axis* items = axis("item");
    TextLists lists(items == nullptr ? 1 : items->position.size());
    for (const auto& [place, text] : labels.texts) { // ordered by item, then by position
        lists[static_cast<std::size_t>(place.first)].push_back(text);
    }
    return lists;
}

} // namespace heed::detail
