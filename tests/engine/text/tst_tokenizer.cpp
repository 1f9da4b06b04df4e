// Words and characters of many languages, with the pieces stated by hand.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/text.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

using namespace heed;

namespace {

struct Row {
    const char* name;
    std::string line;
    std::vector<std::string> pieces;
};

std::vector<std::string> piecesOf(std::string_view tokenizer, std::string_view line)
{
    const auto tokens = makeTokenizer(tokenizer).value()->encode(line);
    EXPECT_TRUE(tokens) << describe(tokens.error());
    std::vector<std::string> pieces;
    std::int64_t end = 0;
    for (const Token& token : tokens.value_or(std::vector<Token>())) {
        EXPECT_EQ(token.text, line.substr(static_cast<std::size_t>(token.begin),
                                          static_cast<std::size_t>(token.end - token.begin)));
        EXPECT_GE(token.begin, end);
        EXPECT_FALSE(token.isPadding);
        EXPECT_FALSE(token.isSpecial);
        end = token.end;
        pieces.push_back(token.text);
    }
    return pieces;
}

} // namespace

TEST(WordTokenizer, splitsEveryLanguage)
{
    const std::vector<Row> rows = {
        {"English", "I like eating apple", {"I", "like", "eating", "apple"}},
        {"punctuation", "Hi, \"you\"!?", {"Hi", ",", "\"", "you", "\"", "!", "?"}},
        {"full stops", "Wait...", {"Wait", ".", ".", "."}},
        {"apostrophe", "I don't", {"I", "don't"}},
        {"curly apostrophe", "l’eau n’est", {"l’eau", "n’est"}},
        {"numbers", "3.14 1,000 -5 50%", {"3.14", "1,000", "-", "5", "50", "%"}},
        {"number at the end", "It is 3.", {"It", "is", "3", "."}},
        {"letters and digits", "GPT4 x_1 2nd", {"GPT4", "x_1", "2nd"}},
        {"hyphen", "well-known", {"well", "-", "known"}},
        {"address", "a@b.org", {"a", "@", "b.org"}},
        {"initials", "U.S.A. today", {"U.S.A", ".", "today"}},
        {"German", "Fußgängerübergänge über", {"Fußgängerübergänge", "über"}},
        {"combining accent", "cafe\u0301 noir", {"cafe\u0301", "noir"}},
        {"Russian", "Мы любим яблоки.", {"Мы", "любим", "яблоки", "."}},
        {"Greek", "Καλημέρα, κόσμε", {"Καλημέρα", ",", "κόσμε"}},
        {"Arabic", "أنا أحب التفاح", {"أنا", "أحب", "التفاح"}},
        {"Hebrew", "אני אוהב", {"אני", "אוהב"}},
        {"Hindi", "मुझे सेब पसंद है", {"मुझे", "सेब", "पसंद", "है"}},
        {"Chinese", "我喜欢吃苹果", {"我", "喜", "欢", "吃", "苹", "果"}},
        {"Chinese punctuation", "你好，世界！", {"你", "好", "，", "世", "界", "！"}},
        {"Chinese and English", "我用GPT4写。", {"我", "用", "GPT4", "写", "。"}},
        {"ideographic space", "我\u3000们", {"我", "们"}},
        {"outside the basic plane", "𠮷野家", {"𠮷", "野", "家"}},
        {"ideographic variation", "葛\U000E0100城", {"葛\U000E0100", "城"}},
        {"hiragana", "りんご", {"り", "ん", "ご"}},
        {"katakana", "コーヒー", {"コ", "ー", "ヒ", "ー"}},
        {"half-width katakana", "ｶﾞ", {"ｶﾞ"}},
        {"Japanese", "私はリンゴ", {"私", "は", "リ", "ン", "ゴ"}},
        {"voiced mark", "は\u3099か", {"は\u3099", "か"}},
        {"Korean", "나는 사과를 좋아한다", {"나는", "사과를", "좋아한다"}},
        {"emoji", "hi👍🏽you", {"hi", "👍🏽", "you"}},
        {"emoji family", "👨‍👩‍👧‍👦 ok", {"👨‍👩‍👧‍👦", "ok"}},
        {"flags", "🇩🇪🇨🇳", {"🇩🇪", "🇨🇳"}},
        {"keycap", "1️⃣ 2", {"1️⃣", "2"}},
        {"spaces of all kinds", "\ta \u00A0b\u2003\n c ", {"a", "b", "c"}},
        {"a mark on a space", "a \u0301b", {"a", "\u0301", "b"}},
        {"zero width space", "a\u200Bb", {"a", "\u200B", "b"}},
        {"NUL is a character", std::string("a\0b", 3), {"a", std::string("\0", 1), "b"}},
        {"empty", "", {}},
        {"only space", " \t ", {}},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(piecesOf("words", row.line), row.pieces) << row.name;
    }
}

TEST(CharacterTokenizer, keepsWhatAReaderCallsACharacter)
{
    const std::vector<Row> rows = {
        {"English", "I am", {"I", " ", "a", "m"}},
        {"two spaces", "a  b", {"a", " ", " ", "b"}},
        {"combining accent", "e\u0301e", {"e\u0301", "e"}},
        {"Chinese", "苹果", {"苹", "果"}},
        {"Hangul letters", "\u1112\u1161\u11AB\uAE00", {"\u1112\u1161\u11AB", "\uAE00"}},
        {"Hindi", "सेब", {"से", "ब"}},
        {"emoji family", "👨‍👩‍👧‍👦!", {"👨‍👩‍👧‍👦", "!"}},
        {"flags", "🇩🇪🇨🇳", {"🇩🇪", "🇨🇳"}},
        {"line ends", "a\r\nb", {"a", "\r\n", "b"}},
        {"empty", "", {}},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(piecesOf("chars", row.line), row.pieces) << row.name;
    }
}

TEST(Tokenizer, givesEqualTextTheSameNumberOnEveryMachine)
{
    const auto words = makeTokenizer("words").value();
    const auto tokens = words->encode("a foobar a").value();
    EXPECT_EQ(tokens[0].id, tokens[2].id);
    // Published check values of FNV-1a.
    EXPECT_EQ(tokens[0].id, 0xAF63DC4C8601EC8CU);
    EXPECT_EQ(tokens[1].id, 0x85944171F73967E8U);
    EXPECT_EQ(makeTokenizer("chars").value()->encode("a").value()[0].id, tokens[0].id);
}

TEST(Tokenizer, refusesBytesThatAreNoUtf8)
{
    const std::vector<std::pair<std::string, int>> rows = {
        {"caf\xE9 noir", 3},     // Latin-1
        {"\xFF", 0},             // never valid
        {"ab\xC3", 2},           // cut short
        {"\xC0\xAF", 0},         // overlong
        {"x\xED\xA0\x80", 1},    // a surrogate
        {"\xF4\x90\x80\x80", 0}, // past the last character
        {"ok \x80", 3},          // a continuation alone
    };
    for (const std::string_view name : {"words", "chars"}) {
        const auto tokenizer = makeTokenizer(name).value();
        for (const auto& [line, offset] : rows) {
            const auto tokens = tokenizer->encode(line);
            ASSERT_FALSE(tokens) << line;
            EXPECT_EQ(tokens.error().code, Code::BadFormat);
            EXPECT_EQ(tokens.error().context, "byte " + std::to_string(offset));
        }
    }
}

TEST(Tokenizer, knowsItsNamesAndGuessesSlips)
{
    EXPECT_EQ(makeTokenizer("words").value()->name(), "words");
    EXPECT_EQ(makeTokenizer("chars").value()->name(), "chars");
    const auto slip = makeTokenizer("word");
    ASSERT_FALSE(slip);
    EXPECT_EQ(slip.error().code, Code::InvalidArgument);
    EXPECT_NE(slip.error().message.find("Did you mean 'words'?"), std::string::npos);
    const auto other = makeTokenizer("morphemes");
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().message.find("Did you mean"), std::string::npos);
    EXPECT_NE(other.error().message.find("words, chars"), std::string::npos);
}

TEST(Tokenizer, isReentrant)
{
    const auto words = makeTokenizer("words").value();
    const std::string line = "我喜欢 eating ผลไม้สด apples";
    const auto expected = words->encode(line).value().size();
    std::vector<std::thread> threads;
    std::vector<std::size_t> counts(4);
    for (std::size_t t = 0; t < counts.size(); ++t) {
        threads.emplace_back([&, t] {
            for (int round = 0; round < 20; ++round) {
                counts[t] = words->encode(line).value().size();
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(std::set<std::size_t>(counts.begin(), counts.end()), std::set{expected});
}

TEST(TokenKind, delimitersArePunctuationAndSymbolsBetweenTexts)
{
    const auto tokenOf = [](const std::string& text) {
        Token token;
        token.text = text;
        return token;
    };
    for (const char* text : {".", ",", "…", "。", "「", "?!", " ,", "Ġ.", "▁;", "[SEP]", "</s>"}) {
        EXPECT_TRUE(isDelimiter(tokenOf(text))) << text;
    }
    for (const char* text : {"", " ", "Ġ", "a", "a.", "'s", "+", "$", "[CLS]", "<s>", "猫"}) {
        EXPECT_FALSE(isDelimiter(tokenOf(text))) << text;
    }
    Token padding = tokenOf(".");
    padding.isPadding = true;
    EXPECT_FALSE(isDelimiter(padding));
    for (const char* text : {"[CLS]", "[SEP]", "<s>", "</s>", "<|endoftext|>"}) {
        EXPECT_TRUE(isSpecialSymbol(tokenOf(text))) << text;
    }
    EXPECT_FALSE(isSpecialSymbol(tokenOf("[CLS")));
    EXPECT_FALSE(isSpecialSymbol(tokenOf(".")));
}
