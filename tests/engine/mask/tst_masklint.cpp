// Linting: reading cases from hostile text, facts that contradict each other, long masks.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/masklint.h"
#include "heed/maskslot.h"

#include <gtest/gtest.h>
#include <set>

using namespace heed;

namespace {

Code codeOf(const Expected<MaskCase>& read)
{
    return read ? Code::Internal : read.error().code;
}

Expected<LintReport> lintText(std::string_view json)
{
    const auto read = readMaskCase(json, "");
    if (!read) {
        return tl::unexpected(read.error());
    }
    return lintMask(*read);
}

const LintFinding* findingOf(const LintReport& report, std::string_view rule)
{
    for (const LintFinding& finding : report.findings) {
        if (finding.rule == rule) {
            return &finding;
        }
    }
    return nullptr;
}

} // namespace

TEST(MaskCase, refusesWhatIsNoCase)
{
    for (const char* json : {"", "[]", "7", "{", "{}", R"({"mask": 3})", R"({"mask": null})",
                             R"({"masks": []})", R"({"masks": [{"slot": "keep"}]})"}) {
        EXPECT_EQ(codeOf(readMaskCase(json, "")), Code::BadFormat) << json;
    }
}

TEST(MaskCase, namesTheMemberThatIsWrong)
{
    const std::pair<const char*, const char*> wrong[] = {
        {R"({"mask": [[1]], "lenghts": [1]})", "lenghts"},
        {R"({"mask": [["-infinity"]]})", "mask"},
        {R"({"mask": [[1]], "mask_dtype": "float8"})", "mask_dtype"},
        {R"({"mask": [[1]], "compute_dtype": "int64"})", "compute_dtype"},
        {R"({"mask": [[1]], "queries": 0})", "queries"},
        {R"({"mask": [[1]], "keys": 1e30})", "keys"},
        {R"({"mask": [[1]], "pad_side": "top"})", "pad_side"},
        {R"({"mask": [[1]], "causal_flag": 1})", "causal_flag"},
        {R"({"mask": [[1]], "documents": []})", "documents"},
        {R"({"mask": [[1]], "past": 0.5})", "past"},
    };
    for (const auto& [json, member] : wrong) {
        const auto read = readMaskCase(json, "");
        ASSERT_FALSE(read) << json;
        EXPECT_EQ(read.error().context, member) << json;
    }
    EXPECT_NE(readMaskCase(wrong[0].first, "").error().message.find("'lengths'"),
              std::string::npos);
}

TEST(MaskCase, refusesRaggedLists)
{
    for (const char* json :
         {R"({"mask": [[1, 0], [1]]})", R"({"mask": [[1, 0], 1]})", R"({"mask": [[]]})",
          R"({"mask": [[[[[[[[[1]]]]]]]]]})", R"({"mask": [[1]], "pad": [[1, 0], [1]]})"}) {
        EXPECT_EQ(codeOf(readMaskCase(json, "")), Code::InvalidShape) << json;
    }
}

TEST(MaskCase, readsEveryKindOfCell)
{
    const auto read = readMaskCase(
        R"({"mask": [[true, 0, 1.5], ["-inf", "inf", "min"]], "mask_dtype": "float16"})", "");
    ASSERT_TRUE(read) << describe(read.error());
    const MaskArray& array = read->masks.front().array;
    EXPECT_EQ(array.type, ElementType::Float16);
    EXPECT_EQ(array.shape, (Shape{2, 3}));
    EXPECT_EQ(array.numbers[0], 1);
    EXPECT_EQ(array.numbers[2], 1.5);
    EXPECT_EQ(array.numbers[3], -std::numeric_limits<double>::infinity());
    EXPECT_EQ(array.numbers[5], -65504);
}

TEST(MaskCase, findsTheTypeOfItsCells)
{
    const std::pair<const char*, ElementType> cases[] = {
        {R"({"mask": [[true, false]]})", ElementType::Bool},
        {R"({"mask": [[1, 0]]})", ElementType::Int64},
        {R"({"mask": [[0, "-inf"]]})", ElementType::Float32}};
    for (const auto& [json, type] : cases) {
        EXPECT_EQ(readMaskCase(json, "")->masks.front().array.type, type) << json;
    }
}

TEST(MaskCase, takesSlotAndTypeOfAllMasksFromTheCase)
{
    const auto read = readMaskCase(
        R"({"masks": [{"mask": [[1]]}, {"mask": [[0]], "slot": "blocked"}], "slot": "keep"})", "");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->masks[0].slot, "keep");
    EXPECT_EQ(read->masks[1].slot, "blocked");
}

TEST(MaskSlot, isFoundByItsNameOnly)
{
    std::set<std::string_view> names;
    for (const MaskSlot& slot : maskSlots()) {
        EXPECT_TRUE(names.insert(slot.name).second) << slot.name;
        EXPECT_EQ(findMaskSlot(slot.name).value(), &slot);
    }
    const auto unknown = findMaskSlot("torch.spda");
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code, Code::NotFound);
    EXPECT_NE(unknown.error().message.find("torch.sdpa"), std::string::npos);
}

TEST(MaskLint, refusesFactsThatDoNotFit)
{
    for (const char* json : {R"({"mask": [[1, 1]], "slot": "keep", "lengths": [3]})",
                             R"({"mask": [[1, 1]], "slot": "keep", "lengths": [-1]})",
                             R"({"mask": [[1, 1]], "slot": "keep", "keys": 2, "pad": [1, 1, 0]})",
                             R"({"mask": [[1, 1]], "slot": "keep", "batch": 2,
                                 "documents": [[0, 0], [0, 0], [0, 0]]})"}) {
        const auto report = lintText(json);
        ASSERT_FALSE(report) << json;
        EXPECT_EQ(report.error().code, Code::InvalidShape) << json;
    }
    const auto unknown = lintText(R"({"mask": [[1]], "slot": "torch"})");
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code, Code::NotFound);
    const auto intent = lintText(R"({"mask": [[1]], "slot": "keep", "intent": "causl"})");
    ASSERT_FALSE(intent);
    EXPECT_EQ(intent.error().code, Code::InvalidArgument);
}

TEST(MaskLint, listsAHundredCellsAndCountsAll)
{
    std::string rows;
    for (int row = 0; row < 20; ++row) {
        rows += std::string(row == 0 ? "" : ",") + "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]";
    }
    const auto report =
        lintText(R"({"slot": "torch.sdpa", "mask_dtype": "bool", "intent": "causal", "mask": [)" +
                 rows + "]}");
    ASSERT_TRUE(report) << describe(report.error());
    const LintFinding* leak = findingOf(*report, "R13");
    ASSERT_NE(leak, nullptr);
    EXPECT_EQ(leak->count, 190);
    EXPECT_EQ(leak->cells.size(), 100U);
    EXPECT_EQ(leak->cells.front(), (std::array<std::int64_t, 4>{0, 0, 0, 1}));
    EXPECT_TRUE(report->hasErrors());
}

TEST(MaskLint, listsAHundredRowsOfWeightsAtMost)
{
    std::string rows;
    for (int row = 0; row < 150; ++row) {
        rows += row == 0 ? "[0.5, 0]" : ", [0.5, 0]";
    }
    const auto report = lintText(R"({"slot": "keep", "mask": [[1, 1]], "queries": 150,
        "weights": [)" + rows + "]}");
    ASSERT_TRUE(report) << describe(report.error());
    const LintFinding* sums = findingOf(*report, "R29");
    ASSERT_NE(sums, nullptr);
    EXPECT_EQ(sums->count, 300);
    EXPECT_EQ(sums->cells.size(), 100U);
}

TEST(MaskLint, countsWhatBroadcastingRepeatsOnce)
{
    const auto report = lintText(R"({"slot": "torch.sdpa", "mask_dtype": "bool", "batch": 3,
        "heads": 4, "queries": 5, "lengths": [2, 3, 4], "mask": [[[[1, 1, 1, 1, 0]]]]})");
    ASSERT_TRUE(report) << describe(report.error());
    const LintFinding* seen = findingOf(*report, "R20");
    ASSERT_NE(seen, nullptr);
    EXPECT_EQ(seen->count, 2); // keys 2 and 3, whoever sees them
}

TEST(MaskLint, saysWhatItCouldNotLookAt)
{
    const auto report = lintText(R"({"slot": "keep", "mask": [[1, 0], [1, 1]]})");
    ASSERT_TRUE(report);
    std::set<std::string_view> rules;
    for (const LintOmission& omission : report->notChecked) {
        EXPECT_FALSE(omission.needs.empty());
        rules.insert(omission.rule);
    }
    for (const char* rule : {"R13", "R20", "R22", "R23", "R25", "R28"}) {
        EXPECT_TRUE(rules.contains(rule)) << rule;
    }
    EXPECT_EQ(lintRules().size(), 41U);
}

TEST(MaskLint, judgesALongExpressionInTheMemoryOfItsRows)
{
    constexpr std::int64_t side = 100'000;
    const auto mask = compileMask("causal & window(512)", {.queries = side, .keys = side});
    ASSERT_TRUE(mask);
    MaskCase facts;
    facts.intent = "causal & window(513)";
    const auto report = lintMask(*mask, facts, {.memoryBudget = 100 << 20});
    ASSERT_TRUE(report) << describe(report.error());
    const LintFinding* edge = findingOf(*report, "R23");
    ASSERT_NE(edge, nullptr);
    EXPECT_EQ(edge->count, side - 512);
}
