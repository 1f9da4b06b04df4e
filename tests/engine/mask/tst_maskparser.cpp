// The grammar of mask expressions: normal forms, and what every mistake is told.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/mask.h"

#include <gtest/gtest.h>

using namespace heed;

TEST(MaskParser, writesTheNormalForm)
{
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"", "none"},
        {"  \t\n", "none"},
        {"true", "none"},
        {"none()", "none"},
        {"padding&causal", "padding & causal"},
        {" padding &  causal ", "padding & causal"},
        {"a", ""},
        {"causal()", "causal"},
        {"causal(3)", "causal(offset=3)"},
        {"causal( offset = -2 )", "causal(offset=-2)"},
        {"causal(offset=+2)", "causal(offset=2)"},
        {"causal | padding & window(4)", "causal | padding & window(4)"},
        {"(causal | padding) & window(4)", "(causal | padding) & window(4)"},
        {"(causal & padding) | window(4)", "causal & padding | window(4)"},
        {"causal & (padding & none)", "causal & padding & none"},
        {"((causal))", "causal"},
        {"~causal", "~causal"},
        {"~ ~ causal", "causal"},
        {"~~~causal", "~causal"},
        {"~(~causal)", "causal"},
        {"~(causal & padding)", "~(causal & padding)"},
        {"~causal & padding", "~causal & padding"},
        {"padding(left)", "padding(side=left)"},
        {"padding(lengths=[5,3],side=\"right\")", "padding(side=right, lengths=[5, 3])"},
        {"window(width=4)", "window(4)"},
        {"window(right=1,left=2)", "window(left=2, right=1)"},
        {"documents([ 3 , 2,3 ])", "documents([3, 2, 3])"},
        {"prefix(length=3)", "prefix(3)"},
        {"dilated(2,dilation=3)", "dilated(2, 3)"},
        {"fixed(4,1)", "fixed(4, 1)"},
        {"longformer(width=4,global=[3,0])", "longformer(4, global=[3, 0])"},
        {"bigbird(2)", "bigbird(block=2)"},
        {"bigbird(2,[0,3],[ [1 , 2],[],[3],[] ])",
         "bigbird(block=2, global=[0, 3], random=[[1, 2], [], [3], []])"},
        {"groups(ids=[-1,0])", "groups([-1, 0])"},
        {"blocks([0,1])", "blocks([0, 1])"},
        {"tree([-1,0],2)", "tree([-1, 0], prefix=2)"},
        {"swin(4,8,2,1)", "swin(height=4, width=8, window=2, shift=1)"},
        {"rule(i==j)", "rule(i == j)"},
        {"rule(expression=j<=i)", "rule(j <= i)"},
        {"rule( 0<=i-j<4 and not j//2==h or false )", "rule(0 <= i - j < 4 && !(j / 2 == h) || 0)"},
        {"rule((i-(j-1))*2%(3*b))", "rule((i - (j - 1)) * 2 % (3 * b))"},
        {"rule(((i-j)-1))", "rule(i - j - 1)"},
        {"rule(-(-i)*-2+!j)", "rule(--i * -2 + !j)"},
        {"rule((i<j)==(j<i))", "rule((i < j) == (j < i))"},
        {"rule((i||j)&&L!=S)", "rule((i || j) && L != S)"},
        {"rule(max(i,j,3)>abs(i-j) || min(i,j))", "rule(max(i, j, 3) > abs(i - j) || min(i, j))"},
        {"rule([1,-2][j%2]+[3][0])", "rule([1, -2][j % 2] + [3][0])"},
        {"causal&rule(true)|~rule(1)", "causal & rule(1) | ~rule(1)"},
        {"file('m.npy',reads=keep)", "file(\"m.npy\", reads=\"keep\")"},
        {"file(\"a \\\"b\\\" \\\\ c.npz\", \"additive\", array='m')",
         "file(\"a \\\"b\\\" \\\\ c.npz\", reads=\"additive\", array=\"m\")"},
        {"file(\"面具.npy\", reads=\"blocked\")", "file(\"面具.npy\", reads=\"blocked\")"},
    };
    for (const auto& [expression, normal] : rows) {
        const auto result = normaliseMask(expression);
        if (normal.empty()) {
            EXPECT_FALSE(result) << expression;
            continue;
        }
        ASSERT_TRUE(result) << expression << ": " << describe(result.error());
        EXPECT_EQ(*result, normal);
        EXPECT_EQ(normaliseMask(*result).value(), normal) << "not stable";
    }
}

TEST(MaskParser, saysWhatIsWrongAndWhere)
{
    struct Row {
        std::string expression;
        int column;
        std::string part;
        Code code = Code::InvalidArgument;
    };
    const std::vector<Row> rows = {
        {"casual", 1, "Did you mean 'causal'?"},
        {"causal & pading", 10, "Did you mean 'padding'?"},
        {"Causal", 1, "Did you mean 'causal'?"},
        {"widnow(3)", 1, "Did you mean 'window'?"},
        {"document([3])", 1, "Did you mean 'documents'?"},
        {"xyzzy", 1, "Known masks: none, causal, padding"},
        {"causal &", 9, "Expected a mask such as causal, ~ or (, found the end"},
        {"& causal", 1, "found '&'"},
        {"causal && padding", 9, "Write & once"},
        {"causal || padding", 9, "Write | once"},
        {"!causal", 1, "Write ~ for \"not\""},
        {"causal - padding", 8, "Masks are combined with ~, & and |"},
        {"causal padding", 8, "Expected &, | or the end, found 'padding'"},
        {"(causal", 8, "Expected ), & or |, found the end"},
        {"causal)", 7, "found ')'"},
        {"()", 2, "found ')'"},
        {"掩 & causal", 1, "found '掩'"},
        {"file(\"面具\", reads=\"keep\") + none", 26, "found '+'"},
        {"causal(offset=)", 15, "'offset' of 'causal' must be a whole number, found ')'"},
        {"causal(offset=2.5)", 15, "only whole numbers"},
        {"causal(offset=3k)", 15, "only whole numbers"},
        {"causal(offset=-)", 16, "Expected a digit"},
        {"causal(offset=[2])", 15, "must be a whole number"},
        {"causal(ofset=2)", 8, "Did you mean 'offset'?"},
        {"causal(2, 3)", 11, "takes no further value"},
        {"none(1)", 6, "takes no value"},
        {"causal(offset=1, offset=2)", 18, "given twice"},
        {"causal(offset=2147483648)", 15, "the largest is 2147483647"},
        {"causal(offset=99999999999999999999999)", 15, "the largest is 2147483647"},
        {"causal(offset=1 2)", 17, "Expected , or ) after a value of 'causal'"},
        {"window", 1, "'window' needs either a width"},
        {"window(left=2)", 1, "or both left= and right="},
        {"window(4, left=2, right=1)", 1, "either a width"},
        {"window(0)", 8, "the smallest is 1"},
        {"window(left=-1, right=0)", 13, "no limit"},
        {"window(left=1, 2)", 16, "must come before the named ones"},
        {"padding(side=middle)", 14, "Known values: right, left"},
        {"padding(side=letf)", 14, "Did you mean 'left'?"},
        {"padding(lengths=3)", 17, "must be a list"},
        {"padding(lengths=[])", 17, "empty list"},
        {"padding(lengths=[-1])", 17, "the smallest is 0"},
        {"documents", 1, "needs 'lengths'"},
        {"documents([3, 0])", 11, "the smallest is 1"},
        {"documents([3,,2])", 14, "Expected a whole number in the list, found ','"},
        {"documents([3 2])", 14, "Expected , or ] in the list, found '2'"},
        {"documents([3", 13, "found the end"},
        {"documents([3]", 14, "found the end"},
        {"prefix(-1)", 8, "the smallest is 0"},
        {"fixed(4, 5)", 10, "a block has only 4 positions"},
        {"dilated(2)", 1, "needs 'dilation'"},
        {"dilated(2, 0)", 12, "the smallest is 1"},
        {"longformer(3)", 12, "must be even"},
        {"longformer(4, global=[-1])", 22, "the smallest is 0"},
        {"longformer(4, global=[[1]])", 22, "must be a list such as"},
        {"bigbird(global=[0])", 1, "needs 'block'"},
        {"bigbird(block=1, random=[1])", 25, "must be a list of lists"},
        {"bigbird(block=1, random=[[1], 2])", 31, "Expected a list such as [3, 2] in the list"},
        {"bigbird(block=1, random=[[1]", 29, "Expected , or ] in the list, found the end"},
        {"groups([-2])", 8, "the smallest is -1"},
        {"blocks([0, 2])", 8, "the largest is 1"},
        {"tree([0])", 6, "gives node 0 the parent 0"},
        {"tree([-1, 2, 0])", 6, "gives node 1 the parent 2"},
        {"swin(height=4, width=6, window=4, shift=1)", 22, "not a multiple of the window's 4"},
        {"swin(height=4, width=4, window=2, shift=2)", 41, "smaller than the window's 2"},
        {"rule", 1, "needs 'expression'; write rule(j <= i"},
        {"rule()", 1, "needs 'expression'"},
        {"rule(i <)", 9, "Expected a number, one of b, h, i, j, L, S, or (, found ')'"},
        {"rule(i & j)", 8, "Write && in a rule"},
        {"rule(i = j)", 8, "Write == for \"equal\""},
        {"rule(i > j", 11, "found the end"},
        {"rule(i > k)", 10, "A rule knows no 'k'"},
        {"rule(mx(i, j))", 6, "Did you mean 'max'?"},
        {"rule(max(i))", 11, "takes two numbers or more"},
        {"rule(abs(i, j))", 11, "Expected an operator or )"},
        {"rule(min i)", 10, "Expected ( after 'min'"},
        {"rule([1, 2])", 12, "which number of the list"},
        {"rule([][0])", 8, "A list in a rule needs a number"},
        {"rule(i, j)", 9, "takes no further value"},
        {"rule(2147483648)", 6, "the largest is 2147483647"},
        {"rule(i < 1.5)", 10, "only whole numbers"},
        {"file(\"m.npy\")", 1, "whether a 1 keeps a cell (keep)"},
        {"file(m.npy, reads=keep)", 6, "must be a text in quotation marks"},
        {"file(\"m.npy, reads=keep)", 6, "The text is not closed"},
        {"file(\"m.npy\", reads=\"keeps\")", 21, "Did you mean 'keep'?"},
        {"alibi", 1, "comes with the mask workshop", Code::InvalidArgument},
    };
    for (const Row& row : rows) {
        const auto result = normaliseMask(row.expression);
        ASSERT_FALSE(result) << row.expression << " → " << *result;
        EXPECT_EQ(result.error().code, row.code) << row.expression;
        EXPECT_EQ(result.error().context, "mask, column " + std::to_string(row.column))
            << row.expression << ": " << result.error().message;
        EXPECT_NE(result.error().message.find(row.part), std::string::npos)
            << row.expression << ": " << result.error().message;
    }
}

TEST(MaskParser, refusesWhatIsTooMuch)
{
    const auto nested = [](int depth) {
        return std::string(static_cast<std::size_t>(depth), '(') + "causal" +
               std::string(static_cast<std::size_t>(depth), ')');
    };
    EXPECT_EQ(normaliseMask(nested(64)).value(), "causal");
    EXPECT_EQ(normaliseMask(nested(65)).error().code, Code::InvalidArgument);
    EXPECT_EQ(normaliseMask(nested(100'000)).error().code, Code::InvalidArgument);
    EXPECT_EQ(normaliseMask(std::string(65, '~') + "causal").error().code, Code::InvalidArgument);
    EXPECT_EQ(normaliseMask(std::string(64, '~') + "causal").value(), "causal");

    std::string many = "causal";
    for (int i = 0; i < 999; ++i) {
        many += "|causal";
    }
    EXPECT_TRUE(normaliseMask(many));
    EXPECT_EQ(normaliseMask(many + "|causal").error().code, Code::InvalidArgument);

    EXPECT_EQ(normaliseMask(std::string(2'000'000, ' ')).error().code, Code::InvalidArgument);
    EXPECT_EQ(normaliseMask("causal \xFF").error().code, Code::InvalidArgument);
    EXPECT_EQ(normaliseMask(std::string("causal\0", 7)).error().code, Code::InvalidArgument);
    EXPECT_EQ(normaliseMask(std::string("file(\"a\0b\", reads=keep)", 23)).error().message,
              "A text cannot hold a NUL character.");
    // A long word fills neither the message nor the time.
    const auto longName = normaliseMask(std::string(500'000, 'x'));
    ASSERT_FALSE(longName);
    EXPECT_LT(longName.error().message.size(), 300U);
}

TEST(MaskParser, refusesRulesThatAreTooMuch)
{
    const auto repeated = [](const std::string& text, int times) {
        std::string all;
        for (int i = 0; i < times; ++i) {
            all += text;
        }
        return all;
    };
    EXPECT_TRUE(normaliseMask("rule(" + repeated("(", 63) + "i" + repeated(")", 63) + ")"));
    EXPECT_EQ(
        normaliseMask("rule(" + repeated("(", 64) + "i" + repeated(")", 64) + ")").error().message,
        "The rule is nested deeper than 64. Write it with fewer parentheses.");
    EXPECT_FALSE(normaliseMask("rule(" + repeated("-", 100'000) + "i)"));
    EXPECT_FALSE(normaliseMask("rule(" + repeated("not ", 100'000) + "i)"));
    EXPECT_FALSE(normaliseMask("rule(" + repeated("[1][", 100'000) + "i)"));
    EXPECT_TRUE(normaliseMask("rule(i" + repeated("+i", 499) + ")"));
    EXPECT_NE(normaliseMask("rule(i" + repeated("+i", 500) + ")").error().message.find("1000"),
              std::string::npos);
    // The middle of a chain counts once, however deep the chains are nested.
    EXPECT_TRUE(normaliseMask("rule(" + repeated("(i<", 60) + "j" + repeated("<i)", 60) + ")"));
}

TEST(MaskParser, readsALongListInLinearTime)
{
    std::string list = "documents([1";
    for (int i = 0; i < 400'000; ++i) {
        list += ",1";
    }
    EXPECT_TRUE(normaliseMask(list + "])"));
    EXPECT_FALSE(normaliseMask(list + ",x])"));
}
