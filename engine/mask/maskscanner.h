// The characters of a mask expression: names, numbers, lists and texts, with errors at columns.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mask/maskexpression.h"

namespace heed::detail {

/// What an argument's value looks like before the family says what it should be.
struct RawMaskValue {
    MaskValueKind kind = MaskValueKind::Integer;
    MaskValue value;
};

/// Reads valid UTF-8 from the left. White space behind everything that was read is skipped.
class MaskScanner {
public:
    explicit MaskScanner(std::string_view text)
        : m_text(text)
    {
    }

    [[nodiscard]] static bool isDigit(char c) { return c >= '0' && c <= '9'; }
    [[nodiscard]] static bool isNameStart(char c)
    {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }

    [[nodiscard]] bool atEnd() const { return m_position >= m_text.size(); }
    /// The byte @p ahead of the next one; NUL past the end.
    [[nodiscard]] char peek(std::size_t ahead = 0) const
    {
        return m_text.size() - m_position > ahead ? m_text[m_position + ahead] : '\0';
    }
    /// The byte before the next one; NUL at the beginning.
    [[nodiscard]] char before() const { return m_position > 0 ? m_text[m_position - 1] : '\0'; }
    [[nodiscard]] bool isNext(std::string_view sign) const
    {
        return m_text.substr(m_position).starts_with(sign);
    }
    [[nodiscard]] std::size_t position() const { return m_position; }
    void goBackTo(std::size_t position) { m_position = position; }

    void skipSpace();
    bool accept(char c);
    bool accept(std::string_view sign);
    /// Letters, digits and underlines.
    std::string_view readName();

    [[nodiscard]] Expected<std::int64_t> parseInteger();
    /// @p expectation begins the error when nothing like a value follows.
    [[nodiscard]] Expected<RawMaskValue> parseValue(const std::string& expectation);
    /// [1, 2], at the bracket. @return also Code::InvalidArgument.
    [[nodiscard]] Expected<std::vector<std::int64_t>> parseIntegers();

    /// In characters from 1. Counted from the last place asked for: columns only grow, and a long
    /// list stays linear.
    std::size_t column(std::size_t position);
    std::size_t column() { return column(m_position); }
    /// The next word or character, for an error.
    [[nodiscard]] std::string found() const;
    tl::unexpected<Error> failHere(Code code, std::string message);
    tl::unexpected<Error> unexpectedHere(const std::string& expected, const std::string& hint = "");

private:
    [[nodiscard]] Expected<void> parseLists(MaskValue& value);
    [[nodiscard]] Expected<std::string> parseText();

    std::string_view m_text;
    std::size_t m_position = 0;
    std::size_t m_columnPosition = 0;
    std::size_t m_column = 1;
};

} // namespace heed::detail
