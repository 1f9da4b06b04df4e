// Text pieces: quoted, listed, decoded.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/textpieces.h"

#include "io/jsonreader.h"
#include "io/source.h"

namespace heed::detail {

namespace {

constexpr char32_t replacement = 0xFFFD;

/// The code point at the start of @p text, or replacement with a length of 1 when it is not UTF-8.
struct CodePoint {
    char32_t value;
    std::size_t length;
};

CodePoint firstCodePoint(std::string_view text)
{
    const auto unit = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const unsigned lead = unit(0);
    if (lead < 0x80) {
        return {lead, 1};
    }
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4) {
        return {replacement, 1};
    }
    char32_t value = lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((unit(i) & 0xC0U) != 0x80U) {
            return {replacement, 1};
        }
        value = (value << 6) | (unit(i) & 0x3FU);
    }
    constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (value < smallest[length] || surrogate || value > 0x10FFFF) {
        return {replacement, 1};
    }
    return {value, length};
}

class TextMapVisitor : public JsonVisitor {
public:
    bool startObject() override { return enter(true); }
    bool startArray() override { return enter(false); }
    bool endObject() override
    {
        --m_depth;
        return true;
    }
    bool endArray() override
    {
        --m_depth;
        return true;
    }
    bool key(std::string& name) override
    {
        if (m_depth == 1) {
            m_key = std::move(name);
        }
        return true;
    }
    bool text(std::string& value) override
    {
        if (m_depth == 1) {
            map.emplace_back(m_key, std::move(value));
        }
        return true;
    }
    TextMap map;

private:
    bool enter(bool object)
    {
        return ++m_depth > 1 || object || refuse("Expected an object of names and texts.");
    }
    std::size_t m_depth = 0;
    std::string m_key;
};

/// Lists of texts and nothing else; anything else stops.
class TextListsVisitor : public JsonVisitor {
public:
    bool startObject() override { return refuse(""); }
    bool null() override { return refuse(""); }
    bool boolean(bool /*value*/) override { return refuse(""); }
    bool negative(std::int64_t /*value*/) override { return refuse(""); }
    bool natural(std::uint64_t /*value*/) override { return refuse(""); }
    bool decimal(double /*value*/, std::string_view /*text*/) override { return refuse(""); }
    bool startArray() override
    {
        if (++m_depth == 2) {
            lists.emplace_back();
        }
        return m_depth <= 2 || refuse("");
    }
    bool endArray() override
    {
        --m_depth;
        return true;
    }
    bool text(std::string& value) override
    {
        if (m_depth != 2) {
            return refuse("");
        }
        lists.back().push_back(std::move(value));
        return true;
    }
    TextLists lists;

private:
    int m_depth = 0;
};

} // namespace

std::string textMapToJson(const TextMap& map)
{
    std::string text = "{";
    for (const auto& [name, value] : map) {
        text += (text.size() == 1 ? "" : ",") + jsonString(name) + ":" + jsonString(value);
    }
    return text + "}";
}

std::string textListsToJson(const std::vector<std::vector<std::string>>& lists)
{
    std::string text = "[";
    for (const auto& list : lists) {
        text += text.size() == 1 ? "[" : ",[";
        for (std::size_t i = 0; i < list.size(); ++i) {
            text += (i == 0 ? "" : ",") + jsonString(list[i]);
        }
        text += "]";
    }
    return text + "]";
}

Expected<TextMap> parseTextMap(std::string_view text, const std::string& where)
{
    TextMapVisitor visitor;
    if (auto parsed = parseJson(text, where, visitor); !parsed) {
        return tl::unexpected(parsed.error());
    }
    return std::move(visitor.map);
}

std::optional<TextLists> parseTextLists(std::string_view text)
{
    TextListsVisitor visitor;
    if (!parseJson(text, "", visitor)) {
        return std::nullopt;
    }
    return std::move(visitor.lists);
}

std::string encodeUtf8(std::u32string_view points)
{
    std::string text;
    const auto follow = [&text](char32_t bits) {
        text += static_cast<char>(0x80U | (bits & 0x3FU));
    };
    for (char32_t point : points) {
        if (point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) {
            point = replacement;
        }
        if (point < 0x80) {
            text += static_cast<char>(point);
        } else if (point < 0x800) {
            text += static_cast<char>(0xC0U | (point >> 6));
            follow(point);
        } else if (point < 0x10000) {
            text += static_cast<char>(0xE0U | (point >> 12));
            follow(point >> 6);
            follow(point);
        } else {
            text += static_cast<char>(0xF0U | (point >> 18));
            follow(point >> 12);
            follow(point >> 6);
            follow(point);
        }
    }
    return text;
}

std::u32string decodeUtf8(std::string_view text)
{
    std::u32string points;
    while (!text.empty()) {
        const CodePoint point = firstCodePoint(text);
        points += point.value;
        text.remove_prefix(point.length);
    }
    return points;
}

bool isUtf8(std::string_view text)
{
    while (!text.empty()) {
        const CodePoint point = firstCodePoint(text);
        if (point.value == replacement && point.length == 1) {
            return false;
        }
        text.remove_prefix(point.length);
    }
    return true;
}

std::string printable(std::string_view text)
{
    std::string shown;
    while (!text.empty()) {
        const CodePoint point = firstCodePoint(text);
        const bool control = point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0);
        if (control || (point.value == replacement && point.length == 1)) {
            shown += '?';
        } else {
            shown += text.substr(0, point.length);
        }
        text.remove_prefix(point.length);
    }
    return shown;
}

std::string inQuotes(std::string_view text)
{
    constexpr std::size_t longest = 60;
    const bool cut = text.size() > longest;
    std::size_t length = cut ? longest : text.size();
    while (cut && length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) {
        --length; // not in the middle of a character
    }
    return "\"" + printable(text.substr(0, length)) + (cut ? "…\"" : "\"");
}

} // namespace heed::detail
