// Padding, its errors, and the readable form of tokens.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/text.h"

#include <gtest/gtest.h>

using namespace heed;

namespace {

Expected<Batch> wordsOf(const std::vector<std::string>& lines, PadSide side = PadSide::Right,
                        std::int64_t padTo = 0)
{
    return makeBatch(lines, *makeTokenizer("words").value(), side, padTo);
}

std::string joined(const std::vector<Token>& tokens)
{
    std::string text;
    for (const Token& token : tokens) {
        text += (text.empty() ? "" : " ") + token.text;
    }
    return text;
}

std::string shown(std::string text)
{
    Token token;
    token.text = std::move(text);
    return displayText(token);
}

} // namespace

TEST(DisplayText, cutsWhatNobodyReads)
{
    const std::string most(200, 'x');
    EXPECT_EQ(shown(most), most);
    EXPECT_EQ(shown(most + "y"), most + "…");
    EXPECT_EQ(shown(std::string(3000, '\xFF')).size(), 200 * std::string("‹FF›").size() + 3);
}

TEST(Batch, padsToTheLongestLine)
{
    const auto batch = wordsOf({"I like eating apple", "Hi"}).value();
    EXPECT_EQ(batch.size(), 2);
    EXPECT_EQ(batch.length, 4);
    EXPECT_EQ(batch.lengths, (std::vector<std::int64_t>{4, 1}));
    EXPECT_EQ(joined(batch.items[0]), "I like eating apple");
    EXPECT_EQ(joined(batch.items[1]), "Hi <pad> <pad> <pad>");
    const Token& padding = batch.items[1][3];
    EXPECT_TRUE(padding.isPadding);
    EXPECT_TRUE(padding.isSpecial);
    EXPECT_EQ(padding.begin, 2);
    EXPECT_EQ(padding.end, 2);
    EXPECT_EQ(padding.id, batch.items[1][1].id);
    EXPECT_NE(padding.id, batch.items[1][0].id);
}

TEST(Batch, padsOnTheLeftAndFurtherThanTheLongestLine)
{
    const auto batch = wordsOf({"a b", "c"}, PadSide::Left, 3).value();
    EXPECT_EQ(batch.length, 3);
    EXPECT_EQ(batch.padSide, PadSide::Left);
    EXPECT_EQ(batch.lengths, (std::vector<std::int64_t>{2, 1}));
    EXPECT_EQ(joined(batch.items[0]), "<pad> a b");
    EXPECT_EQ(joined(batch.items[1]), "<pad> <pad> c");
    EXPECT_EQ(batch.items[1][0].begin, 0);
    EXPECT_EQ(wordsOf({"one"}).value().length, 1);
    EXPECT_EQ(wordsOf({"one two"}, PadSide::Right, 2).value().length, 2);
}

TEST(Batch, saysWhichLineAndWhichNumberIsWrong)
{
    struct Row {
        std::vector<std::string> lines;
        std::int64_t padTo;
        Code code;
        std::string part;
    };
    const std::vector<Row> rows = {
        {{}, 0, Code::InvalidArgument, "no text"},
        {{"a", ""}, 0, Code::InvalidArgument, "Line 2 of 2 holds no token: it is empty"},
        {{" \t", "a"}, 0, Code::InvalidArgument, "Line 1 of 2 holds no token: it is white space"},
        {{"a", "a b c d e"},
         3,
         Code::InvalidArgument,
         "Padding to 3 tokens would cut line 2, which has 5 tokens. Pad to at least 5"},
        {{"a"}, -1, Code::InvalidArgument, "Padding to -1"},
        {{"a", "b"}, 99'999'999, Code::OutOfMemory, "Pad to at most 8388608"},
        {{"a"}, INT64_MAX, Code::OutOfMemory, "9223372036854775807"},
        {{"a", "b \xFF"}, 0, Code::BadFormat, "line 2, byte 2: "},
    };
    for (const Row& row : rows) {
        const auto batch = wordsOf(row.lines, PadSide::Right, row.padTo);
        ASSERT_FALSE(batch) << row.part;
        EXPECT_EQ(batch.error().code, row.code) << row.part;
        EXPECT_NE(describe(batch.error()).find(row.part), std::string::npos)
            << describe(batch.error());
    }
}

TEST(DisplayText, showsWhatCannotBeSeen)
{
    EXPECT_EQ(shown("apple"), "apple");
    EXPECT_EQ(shown(" "), "␣");
    EXPECT_EQ(shown("\n"), "⏎");
    EXPECT_EQ(shown("\r\n"), "‹0D›⏎");
    EXPECT_EQ(shown("\t"), "⇥");
    EXPECT_EQ(shown("\x1B"), "‹1B›");
    EXPECT_EQ(shown(std::string("\0", 1)), "‹00›");
    EXPECT_EQ(shown("\u00A0"), "‹A0›");
    EXPECT_EQ(shown("\u200B"), "‹200B›");
    EXPECT_EQ(shown("a\u202Eb"), "a‹202E›b");
    EXPECT_EQ(shown("👨‍👩‍👧"), "👨‍👩‍👧");
    EXPECT_EQ(shown("1️⃣"), "1️⃣");
    EXPECT_EQ(shown(" \xFFz\n"), "␣‹FF›z‹0A›");
    EXPECT_EQ(shown(""), "");
}
