// The characters of a mask expression: names, numbers, lists and texts, with errors at columns.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/maskscanner.h"

#include "text/nearestname.h"
#include "text/unicode.h"

#include <utility>

namespace heed::detail {
namespace {

bool isSpace(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

} // namespace

void MaskScanner::skipSpace()
{
    while (!atEnd() && isSpace(m_text[m_position])) {
        ++m_position;
    }
}

bool MaskScanner::accept(char c)
{
    return accept(std::string_view(&c, 1));
}

bool MaskScanner::accept(std::string_view sign)
{
    if (!isNext(sign)) {
        return false;
    }
    m_position += sign.size();
    skipSpace();
    return true;
}

std::string_view MaskScanner::readName()
{
    const std::size_t begin = m_position;
    while (!atEnd() && (isNameStart(peek()) || isDigit(peek()))) {
        ++m_position;
    }
    const std::string_view name = m_text.substr(begin, m_position - begin);
    skipSpace();
    return name;
}

Expected<std::int64_t> MaskScanner::parseInteger()
{
    const std::size_t begin = m_position;
    const bool isNegative = peek() == '-';
    m_position += peek() == '-' || peek() == '+' ? 1 : 0;
    if (!isDigit(peek())) {
        return unexpectedHere("a digit");
    }
    std::int64_t number = 0;
    while (isDigit(peek())) {
        number = number * 10 + (peek() - '0');
        ++m_position;
        if (number > largestMaskNumber) {
            return failAtColumn(Code::InvalidArgument, column(begin),
                                "The number is too large; the largest is " +
                                    std::to_string(largestMaskNumber) + ".");
        }
    }
    if (peek() == '.' || isNameStart(peek())) {
        return failAtColumn(Code::InvalidArgument, column(begin),
                            "Masks count tokens: only whole numbers such as 3 are understood.");
    }
    skipSpace();
    return isNegative ? -number : number;
}

Expected<RawMaskValue> MaskScanner::parseValue(const std::string& expectation)
{
    RawMaskValue raw;
    const char c = peek();
    if (isDigit(c) || c == '-' || c == '+') {
        auto number = parseInteger();
        if (!number) {
            return tl::unexpected<Error>(std::move(number).error());
        }
        raw.value.integer = *number;
        return raw;
    }
    if (c == '[') {
        const std::size_t begin = m_position;
        accept('[');
        const bool isNested = peek() == '[';
        m_position = begin;
        if (isNested) {
            raw.kind = MaskValueKind::Lists;
            auto lists = parseLists(raw.value);
            if (!lists) {
                return tl::unexpected<Error>(std::move(lists).error());
            }
            return raw;
        }
        raw.kind = MaskValueKind::Integers;
        auto list = parseIntegers();
        if (!list) {
            return tl::unexpected<Error>(std::move(list).error());
        }
        raw.value.integers = std::move(*list);
        return raw;
    }
    if (c == '"' || c == '\'') {
        raw.kind = MaskValueKind::Text;
        auto text = parseText();
        if (!text) {
            return tl::unexpected<Error>(std::move(text).error());
        }
        raw.value.text = std::move(*text);
        return raw;
    }
    if (isNameStart(c)) {
        raw.kind = MaskValueKind::Word;
        raw.value.text = std::string(readName());
        return raw;
    }
    return failHere(Code::InvalidArgument, expectation + ", found " + found() + ".");
}

Expected<std::vector<std::int64_t>> MaskScanner::parseIntegers()
{
    std::vector<std::int64_t> list;
    accept('[');
    if (accept(']')) {
        return list;
    }
    do {
        if (!isDigit(peek()) && peek() != '-' && peek() != '+') {
            return unexpectedHere("a whole number in the list");
        }
        auto number = parseInteger();
        if (!number) {
            return tl::unexpected<Error>(std::move(number).error());
        }
        list.push_back(*number);
    } while (accept(','));
    if (!accept(']')) {
        return unexpectedHere(", or ] in the list");
    }
    return list;
}

Expected<void> MaskScanner::parseLists(MaskValue& value)
{
    accept('[');
    do {
        if (peek() != '[') {
            return unexpectedHere("a list such as [3, 2] in the list");
        }
        auto list = parseIntegers();
        if (!list) {
            return tl::unexpected<Error>(std::move(list).error());
        }
        value.integers.insert(value.integers.end(), list->begin(), list->end());
        value.listEnds.push_back(value.integers.size());
    } while (accept(','));
    if (!accept(']')) {
        return unexpectedHere(", or ] in the list");
    }
    return {};
}

Expected<std::string> MaskScanner::parseText()
{
    const std::size_t begin = m_position;
    const char mark = m_text[m_position++];
    std::string text;
    while (!atEnd() && peek() != mark) {
        const bool isEscape = peek() == '\\' && (peek(1) == mark || peek(1) == '\\');
        m_position += isEscape ? 1 : 0;
        if (peek() == '\0') {
            return failHere(Code::InvalidArgument, "A text cannot hold a NUL character.");
        }
        text += m_text[m_position++];
    }
    if (atEnd()) {
        return failAtColumn(Code::InvalidArgument, column(begin),
                            std::string("The text is not closed; add ") + mark + " at its end.");
    }
    ++m_position;
    skipSpace();
    return text;
}

std::size_t MaskScanner::column(std::size_t position)
{
    if (position < m_columnPosition) {
        m_columnPosition = 0;
        m_column = 1;
    }
    for (; m_columnPosition < position; ++m_columnPosition) {
        const auto byte = static_cast<unsigned char>(m_text[m_columnPosition]);
        m_column += (byte & 0xC0U) == 0x80U ? 0 : 1;
    }
    // A position within a character never occurs: every token starts at an ASCII byte or error.
    return m_column;
}

std::string MaskScanner::found() const
{
    if (atEnd()) {
        return "the end of the expression";
    }
    std::size_t end = m_position;
    if (isNameStart(peek()) || isDigit(peek())) {
        while (end < m_text.size() && (isNameStart(m_text[end]) || isDigit(m_text[end]))) {
            ++end;
        }
    } else {
        nextCodePoint(m_text, end);
    }
    return inQuotes(m_text.substr(m_position, end - m_position));
}

tl::unexpected<Error> MaskScanner::failHere(Code code, std::string message)
{
    return failAtColumn(code, column(), std::move(message));
}

tl::unexpected<Error> MaskScanner::unexpectedHere(const std::string& expected,
                                                  const std::string& hint)
{
    return failHere(Code::InvalidArgument,
                    "Expected " + expected + ", found " + found() + "." + hint);
}

} // namespace heed::detail
