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
