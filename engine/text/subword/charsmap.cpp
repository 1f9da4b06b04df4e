// SentencePiece's table of normalized characters.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/subword/charsmap.h"

#include "text/subword/refusal.h"
#include "text/unicode.h"

#include <algorithm>
#include <cstring>

namespace heed::detail {
namespace {

// The bits of a unit of the tree, as Darts lays them out.
constexpr std::uint32_t labelOf(std::uint32_t unit)
{
    return unit & 0x800000FFU;
}
constexpr bool hasLeaf(std::uint32_t unit)
{
    return ((unit >> 8U) & 1U) != 0;
}
constexpr std::uint32_t valueOf(std::uint32_t unit)
{
    return unit & 0x7FFFFFFFU;
}
constexpr std::uint32_t offsetOf(std::uint32_t unit)
{
    return (unit >> 10U) << ((unit & 0x200U) >> 6U);
}

} // namespace

CharsMap::CharsMap(std::string_view blob)
{
    std::uint32_t bytes = 0;
    if (blob.size() < sizeof bytes) {
        refuse(Code::BadFormat, "The table of characters is shorter than its own size.");
    }
    for (std::size_t i = 0; i < sizeof bytes; ++i) {
        bytes |= static_cast<std::uint32_t>(static_cast<unsigned char>(blob[i])) << (8 * i);
    }
    blob.remove_prefix(sizeof bytes);
    if (bytes == 0 || bytes % 4 != 0 || bytes > blob.size()) {
        refuse(Code::BadFormat, "The table of characters says that its tree has " +
                                    std::to_string(bytes) + " bytes, but " +
                                    std::to_string(blob.size()) + " follow.");
    }
    m_units.resize(bytes / 4);
    for (std::size_t i = 0; i < bytes; ++i) {
        m_units[i / 4] |= static_cast<std::uint32_t>(static_cast<unsigned char>(blob[i]))
                          << (8 * (i % 4));
    }
    m_texts = blob.substr(bytes);
    if (auto valid = checkUtf8(m_texts); !valid) {
        refuse(Code::BadFormat, "The texts of the table of characters are not UTF-8.");
    }
    // A table that makes a page of a character would fill memory with a short text.
    constexpr std::size_t longest = 1000;
    for (std::size_t begin = 0; begin < m_texts.size();) {
        const std::size_t end = std::min(m_texts.find('\0', begin), m_texts.size());
        if (end - begin > longest) {
            refuse(Code::BadFormat, "The table of characters has a text of " +
                                        std::to_string(end - begin) + " bytes for one character.");
        }
        begin = end + 1;
    }
}

void CharsMap::forEachPrefix(std::string_view text, const std::function<bool(Entry)>& found) const
{
    std::size_t at = offsetOf(m_units[0]);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        at ^= byte;
        if (byte == 0 || at >= m_units.size() || labelOf(m_units[at]) != byte) {
            return;
        }
        const std::uint32_t unit = m_units[at];
        at ^= offsetOf(unit);
        if (!hasLeaf(unit)) {
            continue;
        }
        if (at >= m_units.size() || valueOf(m_units[at]) >= m_texts.size()) {
            return;
        }
        const auto rest = std::string_view(m_texts).substr(valueOf(m_units[at]));
        if (!found({i + 1, rest.substr(0, rest.find('\0'))})) {
            return;
        }
    }
}

std::optional<std::string_view> CharsMap::find(std::string_view text) const
{
    std::optional<std::string_view> first;
    forEachPrefix(text, [&](Entry entry) {
        first = entry.replacement;
        return false;
    });
    return first;
}

std::optional<CharsMap::Entry> CharsMap::findLongest(std::string_view text) const
{
    std::optional<Entry> longest;
    forEachPrefix(text, [&](Entry entry) {
        longest = entry;
        return true;
    });
    return longest;
}

std::string fromBase64(std::string_view text)
{
    static constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    while (!text.empty() && text.back() == '=') {
        text.remove_suffix(1);
    }
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3 + 2);
    std::uint32_t bits = 0;
    unsigned count = 0;
    for (const char c : text) {
        const std::size_t digit = digits.find(c);
        if (digit == digits.npos) {
            refuse(Code::BadFormat, "The table of characters is not written in base64.");
        }
        bits = (bits << 6U | static_cast<std::uint32_t>(digit)) & 0xFFFFFFU;
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes += static_cast<char>(static_cast<unsigned char>(bits >> count & 0xFFU));
        }
    }
    return bytes;
}

} // namespace heed::detail
