// Reads .csv: one matrix, with or without a row of names before it, or a table of cells.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/celltable.h"
#include "io/numberlist.h"
#include "io/readers.h"

#include <algorithm>

namespace heed::detail {

namespace {

struct Field {
    std::string text;
    bool quoted = false;
};

class CsvReader {
public:
    CsvReader(std::string_view text, const std::string& name)
        : m_text(text)
        , m_name(name)
    {
        if (m_text.starts_with("\xEF\xBB\xBF")) {
            m_text.remove_prefix(3); // the mark that spreadsheets write before UTF-8
        }
    }

    Expected<ArrayFilePtr> read()
    {
        std::vector<std::pair<std::string, std::string>> metadata;
        while (m_at < m_text.size()) {
            ++m_line;
            if (takeEmptyLine()) {
                continue;
            }
            if (m_emptyLine != 0) {
                return bad(m_emptyLine, 1, "an empty line between the rows.");
            }
            auto fields = takeLine();
            if (!fields) {
                return tl::unexpected(fields.error());
            }
            if (m_rows == 0 && metadata.empty() && isHeader(*fields)) {
                m_columns = fields->size();
                metadata.emplace_back("columns", joined(*fields));
                m_cells = CellTable::make(textsOf(*fields));
                m_headerLine = m_line;
            } else if (auto added = addRow(*fields); !added) {
                return tl::unexpected(added.error());
            }
        }
        if (m_rows == 0) {
            return bad(std::max<std::size_t>(m_line, 1), 1, "no row of numbers.");
        }
        auto file = std::make_shared<ParsedArrayFile>("csv", m_name);
        if (m_cells) {
            if (const auto problem = m_cells->check()) {
                return wrong(m_headerLine + 1 + problem->first, problem->second);
            }
            m_cells->moveInto(*file, metadata);
            file->setMetadata(std::move(metadata));
            return file;
        }
        file->add("", {static_cast<std::int64_t>(m_rows), static_cast<std::int64_t>(m_columns)},
                  m_numbers);
        file->setMetadata(std::move(metadata));
        return file;
    }

private:
    /// Empty lines may end the file but not stand between rows, where a row may be missing.
    bool takeEmptyLine()
    {
        const std::size_t first = m_text.find_first_not_of(" \t\r", m_at);
        if (first != m_text.npos && m_text[first] != '\n') {
            return false;
        }
        m_at = first == m_text.npos ? m_text.size() : first + 1;
        m_emptyLine = m_emptyLine == 0 ? m_line : m_emptyLine;
        return true;
    }

    Expected<std::vector<Field>> takeLine()
    {
        std::vector<Field> fields;
        for (;;) {
            auto field = takeField(fields.size() + 1);
            if (!field) {
                return tl::unexpected(field.error());
            }
            fields.push_back(std::move(*field));
            if (m_at == m_text.size()) {
                return fields;
            }
            if (m_text[m_at++] == '\n') {
                return fields;
            }
        }
    }

    /// Leaves the position at the comma, the line's end or the end of the text.
    Expected<Field> takeField(std::size_t column)
    {
        Field field;
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t')) {
            ++m_at;
        }
        if (m_at < m_text.size() && m_text[m_at] == '"') {
            field.quoted = true;
            if (!takeQuoted(field.text)) {
                return bad(m_line, column, "a quotation mark that is not closed on its line.");
            }
        }
        const std::size_t end = std::min(m_text.find_first_of(",\n", m_at), m_text.size());
        std::string_view rest = m_text.substr(m_at, end - m_at);
        while (!rest.empty() && std::string_view(" \t\r").find(rest.back()) != rest.npos) {
            rest.remove_suffix(1);
        }
        m_at = end;
        if (field.quoted && !rest.empty()) {
            return bad(m_line, column, "text behind a closing quotation mark.");
        }
        field.text += rest;
        return field;
    }

    bool takeQuoted(std::string& text)
    {
        for (++m_at; m_at < m_text.size() && m_text[m_at] != '\n'; ++m_at) {
            if (m_text[m_at] != '"') {
                text += m_text[m_at];
                continue;
            }
            if (!m_text.substr(m_at + 1).starts_with('"')) {
                ++m_at;
                return true;
            }
            text += m_text[++m_at]; // two marks stand for one
        }
        return false;
    }

    /// Names, of which some may be missing. A first row with a cell that is a number or was meant
    /// as one is data, so that a slip in it is an error and not a lost row.
    static bool isHeader(const std::vector<Field>& fields)
    {
        const auto isEmpty = [](const Field& field) { return field.text.empty(); };
        return std::none_of(fields.begin(), fields.end(),
                            [](const Field& field) { return looksLikeNumber(field.text); }) &&
               !std::all_of(fields.begin(), fields.end(), isEmpty);
    }

    static bool looksLikeNumber(std::string_view text)
    {
        const std::size_t first = text.find_first_not_of("+-.");
        return parseNumber(text).has_value() ||
               (first != text.npos && text[first] >= '0' && text[first] <= '9');
    }

    static std::vector<std::string> textsOf(const std::vector<Field>& fields)
    {
        std::vector<std::string> texts;
        texts.reserve(fields.size());
        for (const Field& field : fields) {
            texts.push_back(field.text);
        }
        return texts;
    }

    static std::string joined(const std::vector<Field>& fields)
    {
        std::string text;
        for (const Field& field : fields) {
            text += (&field == &fields.front() ? "" : ",") + field.text;
        }
        return text;
    }

    Expected<void> addRow(const std::vector<Field>& fields)
    {
        if (m_columns == 0) {
            m_columns = fields.size();
        }
        if (fields.size() != m_columns) {
            return bad(m_line, std::min(fields.size(), m_columns) + 1,
                       "a row of " + std::to_string(fields.size()) + " numbers where the rows " +
                           "before have " + std::to_string(m_columns) + ".");
        }
        ++m_rows;
        if (m_cells) {
            const auto problem = m_cells->addRow(textsOf(fields));
            return problem ? wrong(m_line, *problem) : Expected<void>{};
        }
        for (std::size_t i = 0; i < fields.size(); ++i) {
            const auto number = parseNumber(fields[i].text);
            if (!number) {
                return wrong(m_line, {i, inQuotes(fields[i].text) + " is not a number."});
            }
            if (number->integer) {
                m_numbers.addInteger(*number->integer);
            } else {
                m_numbers.addDecimal(number->value, number->nearest);
            }
        }
        return {};
    }

    [[nodiscard]] tl::unexpected<Error> bad(std::size_t line, std::size_t column,
                                            const std::string& what) const
    {
        return wrong(line, {column - 1, "The table has " + what});
    }

    [[nodiscard]] tl::unexpected<Error> wrong(std::size_t line, const RowProblem& problem) const
    {
        return fail(Code::BadFormat, problem.message,
                    m_name + ", line " + std::to_string(line) + ", column " +
                        std::to_string(problem.column + 1));
    }

    std::string_view m_text;
    const std::string& m_name;
    std::size_t m_at = 0;
    std::size_t m_line = 0;
    std::size_t m_emptyLine = 0;
    std::size_t m_rows = 0;
    std::size_t m_columns = 0;
    NumberList m_numbers;
    std::optional<CellTable> m_cells; ///< instead of m_numbers, when the names are those of one
    std::size_t m_headerLine = 0;
};

} // namespace

Expected<ArrayFilePtr> openCsv(const Source& source)
{
    return CsvReader(asText(source.bytes), source.name).read();
}

} // namespace heed::detail
