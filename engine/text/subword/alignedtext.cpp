// Text that remembers, through every change, which bytes of the line each of its bytes came from.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/subword/alignedtext.h"

#include "text/unicode.h"

#include <algorithm>

namespace heed::detail {

std::size_t characterBytes(std::string_view text, std::size_t position)
{
    const auto first = static_cast<unsigned char>(text[position]);
    const std::size_t bytes = first < 0x80U ? 1 : first < 0xE0U ? 2 : first < 0xF0U ? 3 : 4;
    return std::min(bytes, text.size() - position);
}

AlignedText::AlignedText(std::string_view line)
    : m_text(line)
{
    m_origins.reserve(line.size());
    for (std::size_t position = 0; position < line.size();) {
        const std::size_t bytes = characterBytes(line, position);
        const auto begin = static_cast<std::uint32_t>(position);
        position += bytes;
        m_origins.insert(m_origins.end(), bytes, {begin, static_cast<std::uint32_t>(position)});
    }
}

ByteRange AlignedText::origin(std::size_t begin, std::size_t end) const
{
    if (begin >= end || end > m_origins.size()) {
        return {m_cutAt, m_cutAt};
    }
    // Marks that changed places can point backwards.
    return {m_origins[begin].begin, std::max(m_origins[begin].begin, m_origins[end - 1].end)};
}

AlignedText AlignedText::slice(std::size_t begin, std::size_t end) const
{
    AlignedText piece;
    piece.m_text = m_text.substr(begin, end - begin);
    piece.m_origins.assign(m_origins.begin() + static_cast<std::ptrdiff_t>(begin),
                           m_origins.begin() + static_cast<std::ptrdiff_t>(end));
    piece.m_cutAt = piece.m_origins.empty() ? m_cutAt : piece.m_origins.front().begin;
    return piece;
}

void AlignedText::transform(std::span<const Change> changes, std::size_t removedAtStart)
{
    std::size_t at = 0;
    const auto skip = [&](std::size_t characters) {
        for (; characters > 0 && at < m_text.size(); --characters) {
            at += characterBytes(m_text, at);
        }
    };
    skip(removedAtStart);
    std::string text;
    std::vector<ByteRange> origins;
    text.reserve(m_text.size());
    origins.reserve(m_text.size());
    for (const Change& change : changes) {
        ByteRange origin{m_cutAt, m_cutAt};
        if (change.change <= 0 && at < m_text.size()) {
            origin = m_origins[at];
        } else if (at > 0) {
            origin = m_origins[at - 1];
        }
        if (change.change <= 0) {
            skip(static_cast<std::size_t>(1 - change.change));
        }
        appendCodePoint(text, change.character);
        origins.resize(text.size(), origin);
    }
    m_text = std::move(text);
    m_origins = std::move(origins);
}

void AlignedText::rewrite(std::string text, std::span<const ByteRange> origins)
{
    const auto inLine = [&](std::uint32_t at) {
        if (at < m_origins.size()) {
            return m_origins[at].begin;
        }
        return m_origins.empty() ? m_cutAt : m_origins.back().end;
    };
    std::vector<ByteRange> moved;
    moved.reserve(origins.size());
    for (const ByteRange& range : origins) {
        moved.push_back({inLine(range.begin), inLine(range.end)});
    }
    m_text = std::move(text);
    m_origins = std::move(moved);
}

void AlignedText::prepend(std::string_view prefix)
{
    m_text.insert(0, prefix);
    m_origins.insert(m_origins.begin(), prefix.size(), ByteRange(m_origins.front()));
}

void AlignedText::replace(std::span<const ByteRange> ranges, std::string_view content)
{
    if (ranges.empty()) {
        return;
    }
    std::string text;
    std::vector<ByteRange> origins;
    std::size_t kept = 0;
    const auto keepUntil = [&](std::size_t end) {
        text.append(m_text, kept, end - kept);
        origins.insert(origins.end(), m_origins.begin() + static_cast<std::ptrdiff_t>(kept),
                       m_origins.begin() + static_cast<std::ptrdiff_t>(end));
    };
    for (const ByteRange& range : ranges) {
        keepUntil(range.begin);
        kept = range.end;
        ByteRange origin{m_cutAt, m_cutAt};
        if (range.end > range.begin) {
            origin = m_origins[range.end - 1];
        } else if (!origins.empty()) {
            origin = origins.back();
        }
        text += content;
        origins.insert(origins.end(), content.size(), origin);
    }
    keepUntil(m_text.size());
    m_text = std::move(text);
    m_origins = std::move(origins);
}

} // namespace heed::detail
