// The normalizers of a tokenizer.json: what is done to text before it is cut.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/subword/normalizers.h"

#include "text/subword/charsmap.h"
#include "text/subword/pattern.h"
#include "text/subword/unicodeforms.h"
#include "text/unicode.h"

#include <algorithm>
#include <array>

namespace heed::detail {
namespace {

constexpr std::array<std::string_view, 14> Names = {
    "Sequence",    "BertNormalizer", "NFC",   "NFD",          "NFKC",    "NFKD",
    "Nmt",         "Lowercase",      "Strip", "StripAccents", "Replace", "Prepend",
    "Precompiled", "ByteLevel"};

/// Keeps the characters for which keep(c).
template <typename Keep>
void filter(AlignedText& text, const Keep& keep)
{
    std::vector<Change> changes;
    std::size_t removedAtStart = 0;
    for (std::size_t position = 0; position < text.text().size();) {
        const char32_t c = nextCodePoint(text.text(), position);
        if (keep(c)) {
            changes.push_back({c, 0});
        } else if (changes.empty()) {
            ++removedAtStart;
        } else {
            --changes.back().change;
        }
    }
    text.transform(changes, removedAtStart);
}

template <typename Map>
void mapCharacters(AlignedText& text, const Map& map)
{
    std::vector<Change> changes;
    for (std::size_t position = 0; position < text.text().size();) {
        changes.push_back({map(nextCodePoint(text.text(), position)), 0});
    }
    text.transform(changes);
}

/// The blocks that BERT surrounds with spaces. One begins at 0x2B920 and not at 0x2B820: models
/// were trained with that slip.
bool isBertChinese(char32_t c)
{
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
           (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
           (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

class Bert final : public Normalizer {
public:
    Bert(bool cleanText, bool handleChinese, bool stripAccents, bool lowerCase)
        : m_cleanText(cleanText)
        , m_handleChinese(handleChinese)
        , m_stripAccents(stripAccents)
        , m_lowerCase(lowerCase)
    {
    }

    void apply(AlignedText& text) const override
    {
        if (m_cleanText) {
            clean(text);
        }
        if (m_handleChinese) {
            spaceChinese(text);
        }
        if (m_stripAccents) {
            text.transform(normalForm(text.text(), NormalForm::Nfd));
            filter(text, [](char32_t c) { return !isNonspacingMark(c); });
        }
        if (m_lowerCase) {
            text.transform(detail::lowerCase(text.text()));
        }
    }

private:
    static void clean(AlignedText& text)
    {
        const auto isSpace = [](char32_t c) { return c == U'\t' || c == U'\n' || c == U'\r'; };
        filter(text,
               [&](char32_t c) { return c != 0 && c != U'\uFFFD' && (isSpace(c) || !isOther(c)); });
        mapCharacters(text, [](char32_t c) { return isWhiteSpace(c) ? U' ' : c; });
    }
    static void spaceChinese(AlignedText& text)
    {
        std::vector<Change> changes;
        for (std::size_t position = 0; position < text.text().size();) {
            const char32_t c = nextCodePoint(text.text(), position);
            if (isBertChinese(c)) {
                changes.insert(changes.end(), {{U' ', 0}, {c, 1}, {U' ', 1}});
            } else {
                changes.push_back({c, 0});
            }
        }
        text.transform(changes);
    }

    bool m_cleanText;
    bool m_handleChinese;
    bool m_stripAccents;
    bool m_lowerCase;
};

/// A normalizer that is one function.
template <typename Function>
class Simple final : public Normalizer {
public:
    explicit Simple(Function function)
        : m_function(std::move(function))
    {
    }
    void apply(AlignedText& text) const override { m_function(text); }

private:
    Function m_function;
};

template <typename Function>
NormalizerPtr simple(Function function)
{
    return std::make_unique<const Simple<Function>>(std::move(function));
}

class Sequence final : public Normalizer {
public:
    explicit Sequence(std::vector<NormalizerPtr> parts)
        : m_parts(std::move(parts))
    {
    }
    void apply(AlignedText& text) const override
    {
        for (const NormalizerPtr& part : m_parts) {
            part->apply(text);
        }
    }

private:
    std::vector<NormalizerPtr> m_parts;
};

void strip(AlignedText& text, bool left, bool right)
{
    std::vector<char32_t> characters;
    for (std::size_t position = 0; position < text.text().size();) {
        characters.push_back(nextCodePoint(text.text(), position));
    }
    auto begin = characters.begin();
    auto end = characters.end();
    while (left && begin != end && isWhiteSpace(*begin)) {
        ++begin;
    }
    while (right && begin != end && isWhiteSpace(end[-1])) {
        --end;
    }
    std::vector<Change> changes;
    std::transform(begin, end, std::back_inserter(changes), [](char32_t c) {
        return Change{c, 0};
    });
    text.transform(changes, static_cast<std::size_t>(begin - characters.begin()));
}

/// SentencePiece's own clean-up of control characters and kinds of space.
void nmt(AlignedText& text)
{
    filter(text, [](char32_t c) {
        return !((c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F ||
                 c == 0x8F || c == 0x9F);
    });
    mapCharacters(text, [](char32_t c) {
        const bool isSpace = c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 ||
                             (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 ||
                             c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
        return isSpace ? U' ' : c;
    });
}

class Precompiled final : public Normalizer {
public:
    explicit Precompiled(CharsMap map)
        : m_map(std::move(map))
    {
    }

    void apply(AlignedText& text) const override
    {
        std::vector<Change> changes;
        bool changed = false;
        const std::string_view all = text.text();
        const auto split =
            splitAt(Boundary::Grapheme, all, [&](std::size_t begin, std::size_t end) {
                const std::string_view cluster = all.substr(begin, end - begin);
                // Longer ones are not in any table; the limit is the library's.
                constexpr std::size_t longest = 6;
                if (cluster.size() < longest && put(changes, cluster)) {
                    changed = true;
                    return;
                }
                for (std::size_t position = 0; position < cluster.size();) {
                    const std::size_t start = position;
                    const char32_t c = nextCodePoint(cluster, position);
                    if (put(changes, cluster.substr(start, position - start))) {
                        changed = true;
                    } else {
                        changes.push_back({c, 0});
                    }
                }
            });
        if (!split) {
            throw Refusal{split.error()};
        }
        if (changed) {
            text.transform(changes);
        }
    }

private:
    /// Adds what the table has for @p part, if anything.
    bool put(std::vector<Change>& changes, std::string_view part) const
    {
        const auto replacement = m_map.find(part);
        if (!replacement) {
            return false;
        }
        const auto count = [](std::string_view characters) {
            std::int32_t n = 0;
            for (std::size_t position = 0; position < characters.size(); ++n) {
                position += characterBytes(characters, position);
            }
            return n;
        };
        const std::int32_t more = count(*replacement) - count(part);
        for (std::size_t position = 0; position < replacement->size();) {
            changes.push_back({nextCodePoint(*replacement, position), 0});
        }
        const auto last = changes.rbegin();
        for (std::int32_t i = 0; i < more; ++i) {
            last[i].change = 1;
        }
        if (more < 0 && !changes.empty()) {
            last->change += more;
        }
        return true;
    }

    CharsMap m_map;
};

NormalizerPtr readReplace(const Settings& settings)
{
    return simple([pattern = readPattern(settings.at("pattern")),
                   content = settings.at("content").text()](AlignedText& text) {
        text.replace(pattern.matches(text.text()), content);
    });
}

NormalizerPtr readPrecompiled(const Settings& settings)
{
    const Settings map = settings.at("precompiled_charsmap");
    try {
        return std::make_unique<const Precompiled>(CharsMap(fromBase64(map.text())));
    } catch (const Refusal& refusal) {
        map.refuse("cannot be used: " + refusal.error.message);
    }
}

NormalizerPtr form(NormalForm which)
{
    return simple([which](AlignedText& text) { text.transform(normalForm(text.text(), which)); });
}

} // namespace

NormalizerPtr bertNormalizer(bool cleanText, bool handleChinese, std::optional<bool> stripAccents,
                             bool lowerCase)
{
    return std::make_unique<const Bert>(cleanText, handleChinese, stripAccents.value_or(lowerCase),
                                        lowerCase);
}

NormalizerPtr composingNormalizer()
{
    return form(NormalForm::Nfc);
}

char32_t characterOfByte(unsigned char byte)
{
    static const auto table = [] {
        std::array<char32_t, 256> characters{};
        char32_t next = 0x100;
        for (char32_t b = 0; b < characters.size(); ++b) {
            const bool visible = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
            characters[b] = visible ? b : next++;
        }
        return characters;
    }();
    return table[byte];
}

std::optional<unsigned char> byteOfCharacter(char32_t c)
{
    for (unsigned byte = 0; byte < 256 && c < 0x200; ++byte) {
        if (characterOfByte(static_cast<unsigned char>(byte)) == c) {
            return static_cast<unsigned char>(byte);
        }
    }
    return std::nullopt;
}

void toByteCharacters(AlignedText& text)
{
    std::vector<Change> changes;
    changes.reserve(text.text().size());
    for (std::size_t position = 0; position < text.text().size();) {
        const std::size_t end = position + characterBytes(text.text(), position);
        for (std::int32_t change = 0; position < end; ++position, change = 1) {
            changes.push_back(
                {characterOfByte(static_cast<unsigned char>(text.text()[position])), change});
        }
    }
    text.transform(changes);
}

Pattern readPattern(const Settings& settings)
{
    try {
        if (std::holds_alternative<std::string>(settings.json().value)) {
            return Pattern::literal(settings.text());
        }
        if (const auto text = settings.find("String")) {
            return Pattern::literal(text->text());
        }
        return Pattern::regex(settings.at("Regex").text());
    } catch (const Refusal& refusal) {
        if (refusal.error.context.empty()) {
            settings.refuse("cannot be used: " + refusal.error.message, refusal.error.code);
        }
        throw;
    }
}

NormalizerPtr readNormalizer(const Settings& settings)
{
    const std::string type = settings.at("type").text();
    if (type == "Sequence") {
        std::vector<NormalizerPtr> parts;
        for (const Settings& part : settings.at("normalizers").items()) {
            parts.push_back(readNormalizer(part));
        }
        return std::make_unique<const Sequence>(std::move(parts));
    }
    if (type == "BertNormalizer") {
        const auto accents = settings.find("strip_accents");
        return bertNormalizer(settings.flag("clean_text", true),
                              settings.flag("handle_chinese_chars", true),
                              accents ? std::optional(accents->boolean()) : std::nullopt,
                              settings.flag("lowercase", true));
    }
    if (type == "NFC" || type == "NFD") {
        return form(type == "NFC" ? NormalForm::Nfc : NormalForm::Nfd);
    }
    if (type == "NFKC" || type == "NFKD") {
        return form(type == "NFKC" ? NormalForm::Nfkc : NormalForm::Nfkd);
    }
    if (type == "Nmt") {
        return simple(nmt);
    }
    if (type == "Lowercase") {
        return simple([](AlignedText& text) { text.transform(lowerCase(text.text())); });
    }
    if (type == "Strip") {
        return simple([left = settings.flag("strip_left", true),
                       right = settings.flag("strip_right", true)](AlignedText& text) {
            strip(text, left, right);
        });
    }
    if (type == "StripAccents") {
        return simple([](AlignedText& text) {
            filter(text, [](char32_t c) { return !isCombiningMark(c); });
        });
    }
    if (type == "Replace") {
        return readReplace(settings);
    }
    if (type == "Prepend") {
        return simple([prefix = settings.at("prepend").text()](AlignedText& text) {
            if (!text.empty()) {
                text.prepend(prefix);
            }
        });
    }
    if (type == "Precompiled") {
        return readPrecompiled(settings);
    }
    if (type == "ByteLevel") {
        return simple(toByteCharacters);
    }
    settings.refuseUnknown("normalizer", type, Names);
}

} // namespace heed::detail
