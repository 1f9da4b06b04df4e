// Text that remembers, through every change, which bytes of the line each of its bytes came from.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed::detail {

/// Bytes [begin, end).
struct ByteRange {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool operator==(const ByteRange&) const = default;
};

/// A character of a changed text, and how it came about: 0, it stands for one character of the old
/// text; -N, for one and the N after it, which are gone; above 0, it is new and belongs to the
/// character before it.
struct Change {
    char32_t character = 0;
    std::int32_t change = 0;
};

/// A piece of a line, possibly changed. Valid UTF-8 of less than 2^32 bytes, always. Where the
/// changed bytes are said to come from follows the `tokenizers` package in every detail, because
/// offsets are compared with it.
class AlignedText {
public:
    explicit AlignedText(std::string_view line);

    [[nodiscard]] std::string_view text() const { return m_text; }
    [[nodiscard]] bool empty() const { return m_text.empty(); }
    /// Where in the line this piece was cut out.
    [[nodiscard]] std::uint32_t cutAt() const { return m_cutAt; }

    /// The bytes of the line that bytes [@p begin, @p end) of the text stand for.
    [[nodiscard]] ByteRange origin(std::size_t begin, std::size_t end) const;

    /// Bytes [@p begin, @p end) as a piece of its own. Both lie between characters, begin < end.
    [[nodiscard]] AlignedText slice(std::size_t begin, std::size_t end) const;

    /// Replaces the whole text. @p removedAtStart characters of the old text come before the first
    /// that @p changes account for.
    void transform(std::span<const Change> changes, std::size_t removedAtStart = 0);

    /// Replaces the whole text; byte i of @p text stands for the bytes @p origins[i] of the old
    /// one, which lie between characters.
    void rewrite(std::string text, std::span<const ByteRange> origins);

    /// Puts @p prefix before the text, which has at least one character.
    void prepend(std::string_view prefix);

    /// Puts @p content in the place of each of @p ranges, which are in order and do not overlap.
    void replace(std::span<const ByteRange> ranges, std::string_view content);

private:
    AlignedText() = default;

    std::string m_text;
    std::vector<ByteRange> m_origins; ///< one for each byte of m_text
    std::uint32_t m_cutAt = 0;
};

/// Length in bytes of the character at @p position of valid UTF-8.
[[nodiscard]] std::size_t characterBytes(std::string_view text, std::size_t position);

} // namespace heed::detail
