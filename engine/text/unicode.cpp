// UTF-8 text cut at Unicode boundaries; this and unicodeforms are the only places that see ICU.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/unicode.h"

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utext.h>
#include <unicode/utf8.h>

#include <limits>
#include <memory>
#include <string>

namespace heed::detail {
namespace {

struct CloseBreaks {
    void operator()(UBreakIterator* breaks) const { ubrk_close(breaks); }
};
struct CloseText {
    void operator()(UText* text) const { utext_close(text); }
};

tl::unexpected<Error> icuFailure(UErrorCode status)
{
    return fail(Code::Internal,
                std::string("The Unicode library cannot find text boundaries (") +
                    u_errorName(status) + "). Reinstall its data package.",
                "ICU");
}

constexpr UChar32 icu(char32_t c)
{
    return static_cast<UChar32>(c);
}

} // namespace

Expected<void> checkUtf8(std::string_view text)
{
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    const auto length = static_cast<std::int64_t>(text.size());
    std::int64_t position = 0;
    while (position < length) {
        const std::int64_t start = position;
        UChar32 c = 0;
        U8_NEXT(bytes, position, length, c);
        if (c < 0) {
            static constexpr char digits[] = "0123456789ABCDEF";
            const std::uint8_t wrong = bytes[start];
            return fail(Code::BadFormat,
                        std::string("The text is not UTF-8: byte 0x") + digits[wrong >> 4U] +
                            digits[wrong & 15U] + " at offset " + std::to_string(start) +
                            " starts no character. Save the text as UTF-8.",
                        "byte " + std::to_string(start));
        }
    }
    return {};
}

Expected<void> splitAt(Boundary boundary, std::string_view text,
                       const std::function<void(std::size_t begin, std::size_t end)>& piece)
{
    if (text.empty()) {
        return {};
    }
    if (text.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
        return fail(Code::InvalidArgument, "A line of " + std::to_string(text.size()) +
                                               " bytes is too long; at most 2147483647 bytes can "
                                               "be split. Break it into several lines.");
    }
    UErrorCode status = U_ZERO_ERROR;
    const std::unique_ptr<UText, CloseText> view(
        utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status));
    if (U_FAILURE(status)) {
        return icuFailure(status);
    }
    // The root locale: the same tokens whatever language the machine speaks.
    const std::unique_ptr<UBreakIterator, CloseBreaks> breaks(ubrk_open(
        boundary == Boundary::Word ? UBRK_WORD : UBRK_CHARACTER, "", nullptr, 0, &status));
    if (U_SUCCESS(status)) {
        ubrk_setUText(breaks.get(), view.get(), &status);
    }
    if (U_FAILURE(status)) {
        return icuFailure(status);
    }
    std::int32_t begin = ubrk_first(breaks.get());
    for (std::int32_t end = ubrk_next(breaks.get()); end != UBRK_DONE;
         end = ubrk_next(breaks.get())) {
        piece(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
        begin = end;
    }
    return {};
}

char32_t nextCodePoint(std::string_view text, std::size_t& position)
{
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    UChar32 c = 0;
    U8_NEXT(bytes, position, text.size(), c);
    return c < 0 ? U'\uFFFD' : static_cast<char32_t>(c);
}

void appendCodePoint(std::string& text, char32_t c)
{
    char bytes[U8_MAX_LENGTH];
    std::int32_t length = 0;
    U8_APPEND_UNSAFE(bytes, length, icu(c));
    text.append(bytes, static_cast<std::size_t>(length));
}

bool isWhiteSpace(char32_t c)
{
    return u_isUWhiteSpace(icu(c)) != 0;
}

bool isPunctuation(char32_t c)
{
    return u_ispunct(icu(c)) != 0;
}

bool isCjk(char32_t c)
{
    UErrorCode status = U_ZERO_ERROR;
    const UScriptCode script = uscript_getScript(icu(c), &status);
    if (script == USCRIPT_HAN || script == USCRIPT_HIRAGANA || script == USCRIPT_KATAKANA) {
        return true;
    }
    // The long-vowel marks and their like belong to no single script but are written within kana.
    return script == USCRIPT_COMMON && u_isalpha(icu(c)) != 0 &&
           (uscript_hasScript(icu(c), USCRIPT_KATAKANA) != 0 ||
            uscript_hasScript(icu(c), USCRIPT_HAN) != 0);
}

bool extendsCharacter(char32_t c)
{
    return u_getIntPropertyValue(icu(c), UCHAR_GRAPHEME_CLUSTER_BREAK) == U_GCB_EXTEND ||
           u_getIntPropertyValue(icu(c), UCHAR_GRAPHEME_CLUSTER_BREAK) == U_GCB_SPACING_MARK ||
           c == U'\u200D';
}

bool isControl(char32_t c)
{
    return u_charType(icu(c)) == U_CONTROL_CHAR || c == U'\u2028' || c == U'\u2029' ||
           u_hasBinaryProperty(icu(c), UCHAR_BIDI_CONTROL) != 0;
}

bool isIgnorable(char32_t c)
{
    return u_hasBinaryProperty(icu(c), UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0 ||
           u_charType(icu(c)) == U_FORMAT_CHAR;
}

} // namespace heed::detail
