// Unicode as the `tokenizers` package knows it: normal forms, case and categories.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/subword/unicodeforms.h"

#include "text/unicode.h"

#include <algorithm>
#include <optional>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>

namespace heed::detail {
namespace {

// The Unicode versions of the package's tables, found by asking it about every character.
constexpr std::uint8_t CategoriesVersion = 8;
constexpr std::uint8_t NormalFormsVersion = 9;

constexpr UChar32 icu(char32_t c)
{
    return static_cast<UChar32>(c);
}

/// Whether @p c was there in a version of Unicode.
bool isKnownTo(std::uint8_t version, char32_t c)
{
    UVersionInfo age;
    u_charAge(icu(c), age);
    return age[0] <= version;
}

bool hasCategory(char32_t c, std::uint32_t mask)
{
    return (U_GET_GC_MASK(icu(c)) & mask) != 0;
}

bool isAsciiPunctuation(char32_t c)
{
    return (c >= 0x21 && c <= 0x2F) || (c >= 0x3A && c <= 0x40) || (c >= 0x5B && c <= 0x60) ||
           (c >= 0x7B && c <= 0x7E);
}

std::uint8_t combiningClass(char32_t c)
{
    return c < 0x300 || !isKnownTo(NormalFormsVersion, c) ? 0 : u_getCombiningClass(icu(c));
}

/// The fully decomposed text with marks in their order, and the changes travelling along.
class Decomposition {
public:
    explicit Decomposition(const UNormalizer2* forms)
        : m_forms(forms)
    {
    }

    std::vector<Change> of(std::string_view text)
    {
        for (std::size_t position = 0; position < text.size();) {
            add(nextCodePoint(text, position));
        }
        sortMarks();
        std::vector<Change> changes;
        changes.reserve(m_characters.size());
        for (const Character& character : m_characters) {
            changes.push_back(character.change);
        }
        return changes;
    }

private:
    struct Character {
        Change change;
        std::uint8_t combiningClass = 0;
    };

    void add(char32_t c)
    {
        constexpr std::int32_t most = 32; // the longest decomposition has 18 units
        UChar units[most];
        UErrorCode status = U_ZERO_ERROR;
        const std::int32_t length =
            c < 0x80 || !isKnownTo(NormalFormsVersion, c)
                ? -1
                : unorm2_getDecomposition(m_forms, icu(c), units, most, &status);
        if (length < 0 || U_FAILURE(status)) {
            m_characters.push_back({{c, 0}, combiningClass(c)});
            return;
        }
        for (std::int32_t i = 0; i < length;) {
            const bool isFirst = i == 0;
            UChar32 part = 0;
            U16_NEXT(units, i, length, part);
            const auto character = static_cast<char32_t>(part);
            m_characters.push_back({{character, isFirst ? 0 : 1}, combiningClass(character)});
        }
    }

    void sortMarks()
    {
        auto begin = m_characters.begin();
        while (begin != m_characters.end()) {
            const auto isMark = [](const Character& c) { return c.combiningClass != 0; };
            begin = std::find_if(begin, m_characters.end(), isMark);
            const auto end = std::find_if_not(begin, m_characters.end(), isMark);
            std::stable_sort(begin, end, [](const Character& a, const Character& b) {
                return a.combiningClass < b.combiningClass;
            });
            begin = end;
        }
    }

    const UNormalizer2* m_forms;
    std::vector<Character> m_characters;
};

/// Puts characters and marks together again. A character that swallowed others says so in its
/// change.
std::vector<Change> composed(const std::vector<Change>& decomposed, const UNormalizer2* forms)
{
    std::vector<Change> out;
    std::vector<Change> marks; ///< after the base, not put together with it
    std::optional<Change> base;
    const auto flush = [&] {
        if (base) {
            out.push_back(*base);
        }
        out.insert(out.end(), marks.begin(), marks.end());
        marks.clear();
    };
    std::optional<std::uint8_t> lastClass;
    for (const Change& next : decomposed) {
        const std::uint8_t nextClass = combiningClass(next.character);
        if (!base && nextClass != 0) {
            out.push_back(next);
            continue;
        }
        const bool blocked = lastClass && *lastClass >= nextClass;
        if (base && !blocked) {
            const UChar32 pair =
                unorm2_composePair(forms, icu(base->character), icu(next.character));
            if (pair >= 0 && isKnownTo(NormalFormsVersion, static_cast<char32_t>(pair))) {
                base = Change{static_cast<char32_t>(pair), base->change + next.change - 1};
                continue;
            }
        }
        if (nextClass == 0) {
            flush();
            base = next;
            lastClass.reset();
        } else {
            marks.push_back(next);
            lastClass = nextClass;
        }
    }
    flush();
    return out;
}

} // namespace

std::vector<Change> normalForm(std::string_view text, NormalForm form)
{
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2* canonical = unorm2_getNFCInstance(&status);
    const UNormalizer2* compatible = unorm2_getNFKCInstance(&status);
    if (U_FAILURE(status)) {
        std::vector<Change> same;
        for (std::size_t position = 0; position < text.size();) {
            same.push_back({nextCodePoint(text, position), 0});
        }
        return same;
    }
    const bool isCanonical = form == NormalForm::Nfc || form == NormalForm::Nfd;
    auto decomposed = Decomposition(isCanonical ? canonical : compatible).of(text);
    const bool composes = form == NormalForm::Nfc || form == NormalForm::Nfkc;
    return composes ? composed(decomposed, canonical) : decomposed;
}

std::vector<Change> lowerCase(std::string_view text)
{
    std::vector<Change> changes;
    changes.reserve(text.size());
    for (std::size_t position = 0; position < text.size();) {
        const char32_t c = nextCodePoint(text, position);
        // The one letter whose lower case is longer.
        if (c == U'\u0130') {
            changes.push_back({U'i', 0});
            changes.push_back({U'\u0307', 1});
        } else {
            changes.push_back({static_cast<char32_t>(u_tolower(icu(c))), 0});
        }
    }
    return changes;
}

bool isOther(char32_t c)
{
    return hasCategory(c, U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK) &&
           isKnownTo(CategoriesVersion, c);
}

bool isNonspacingMark(char32_t c)
{
    // Some characters were something else in Unicode 8.
    switch (c) {
    case 0x1734: // Hanunoo sign pamudpod
        return true;
    case 0x1885: // Mongolian letters baluda
    case 0x1886:
    case 0xA9BD:  // Javanese consonant sign keret
    case 0x111C9: // Sharada sandhi mark
        return false;
    default:
        return hasCategory(c, U_GC_MN_MASK) && isKnownTo(CategoriesVersion, c);
    }
}

bool isCombiningMark(char32_t c)
{
    switch (c) {
    case 0x1CF2: // Vedic signs ardhavisarga
    case 0x1CF3:
        return true;
    case 0x111C9:
        return false;
    default:
        return hasCategory(c, U_GC_M_MASK) && isKnownTo(NormalFormsVersion, c);
    }
}

bool isPunctuationOrSymbol(char32_t c)
{
    constexpr char32_t chiSign = 0x166D; // Canadian syllabics
    constexpr char32_t sandhiMark = 0x111C9;
    return isAsciiPunctuation(c) || c == chiSign || c == sandhiMark ||
           (c >= 0x80 && hasCategory(c, U_GC_P_MASK) && isKnownTo(CategoriesVersion, c));
}

bool isNumeric(char32_t c)
{
    return hasCategory(c, U_GC_N_MASK);
}

bool isWordCharacter(char32_t c)
{
    return u_isUAlphabetic(icu(c)) != 0 ||
           hasCategory(c, U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK) || c == U'\u200C' ||
           c == U'\u200D';
}

} // namespace heed::detail
