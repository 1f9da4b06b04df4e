// Bugs that people reported, as cases (cases/*.json): the linter names each, and nothing else.
// B… are the reports of masks that went wrong, F… reports that were false alarms, N… correct masks
// close to what rule … looks for, R… cases of rules that no report names alone.
//
// Reports that no case can say: B72 (an axis inserted at a fixed place: a case has no axes but
// item, head, query and key), B74 (the mask is right for the padded image, and what the image holds
// is unknown), and the false alarms mosaicml/llm-foundry#1464 and
// bigscience-workshop/Megatron-DeepSpeed#303 (no input is told).
// SPDX-License-Identifier: GPL-3.0-or-later
#include "maskcaseexpectations.h"

#include "heed/mask.h"
#include "heed/maskcase.h"
#include "heed/masklint.h"
#include "heed/maskslot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed::test {

namespace {

std::filesystem::path caseFolder()
{
    const char* const root = std::getenv("HEED_SOURCE_DIR");
    return std::filesystem::path(root == nullptr ? "." : root) / "tests/engine/mask/cases";
}

std::vector<std::string_view> parts(std::string_view text, char between)
{
    std::vector<std::string_view> found;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(between), text.size());
        if (end > 0) {
            found.push_back(text.substr(0, end));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return found;
}

char letterOf(LintSeverity severity)
{
    switch (severity) {
    case LintSeverity::Error:
        return 'E';
    case LintSeverity::Warning:
        return 'W';
    case LintSeverity::Info:
        break;
    }
    return 'I';
}

/// All findings, for people who read a failure.
std::string told(const LintReport& report)
{
    std::string text;
    for (const LintFinding& finding : report.findings) {
        text += "\n  " + std::string(finding.rule) + "=" + letterOf(finding.severity) + ":" +
                std::to_string(finding.count) + " " + finding.text;
    }
    return text.empty() ? "\n  nothing" : text;
}

/// @param wanted "R15", "R15=E" or "R15=E:9".
bool fires(const LintReport& report, std::string_view wanted)
{
    const std::size_t colon = wanted.find(':');
    const std::string_view before = wanted.substr(0, colon);
    const std::size_t equals = before.find('=');
    return std::ranges::any_of(report.findings, [&](const LintFinding& finding) {
        return finding.rule == before.substr(0, equals) &&
               (equals == std::string_view::npos ||
                letterOf(finding.severity) == before[equals + 1]) &&
               (colon == std::string_view::npos ||
                std::to_string(finding.count) == wanted.substr(colon + 1));
    });
}

/// Whether a rule is named in a list like MaskCaseExpectation::fires.
bool names(std::string_view list, std::string_view rule)
{
    return list.find(rule) != std::string_view::npos;
}

void compare(const LintReport& report, const MaskCaseExpectation& expected)
{
    for (const std::string_view wanted : parts(expected.fires, ' ')) {
        const auto choices = parts(wanted, '|');
        EXPECT_TRUE(std::ranges::any_of(
            choices, [&](std::string_view choice) { return fires(report, choice); }))
            << wanted << " is missing; found:" << told(report);
    }
    for (const LintFinding& finding : report.findings) {
        const bool isExpected =
            names(expected.fires, finding.rule) || names(expected.mayFire, finding.rule);
        EXPECT_TRUE(finding.severity != LintSeverity::Error || isExpected)
            << finding.rule << " is no error here; found:" << told(report);
        EXPECT_FALSE(names(expected.quiet, finding.rule))
            << finding.rule << " has to be quiet; found:" << told(report);
        EXPECT_FALSE(finding.text.empty()) << finding.rule;
    }
}

} // namespace

class MaskCases : public testing::TestWithParam<MaskCaseExpectation> {};

TEST_P(MaskCases, areJudged)
{
    const std::filesystem::path file = caseFolder() / (std::string(GetParam().name) + ".json");
    std::ifstream stream(file);
    ASSERT_TRUE(stream) << file;
    const std::string json{std::istreambuf_iterator<char>(stream), {}};
    const auto given = readMaskCase(json, file.parent_path());
    ASSERT_TRUE(given) << given.error().message << " " << given.error().context;
    const auto report = lintMask(*given);
    ASSERT_TRUE(report) << report.error().message << " " << report.error().context;
    compare(*report, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Reported, MaskCases, testing::ValuesIn(MaskCaseExpectations),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(MaskCaseFiles, haveExpectations)
{
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(caseFolder())) {
        files.push_back(entry.path().stem().string());
    }
    std::vector<std::string> expected;
    for (const MaskCaseExpectation& one : MaskCaseExpectations) {
        expected.emplace_back(one.name);
    }
    std::ranges::sort(files);
    std::ranges::sort(expected);
    EXPECT_EQ(files, expected);
}

namespace {

constexpr std::int64_t Items = 2;
constexpr std::int64_t Heads = 3;
constexpr std::int64_t Tokens = 8;
const std::vector<std::int64_t> RealKeys = {8, 5};

/// A correct mask, and what is known about it.
struct Family {
    std::string intent;
    std::optional<PadSide> padding = std::nullopt;
    std::vector<std::int64_t> documents = {};
    std::vector<std::int64_t> groups = {};
    bool isWindow = false;
};

const Family Families[] = {
    {.intent = "none"},
    {.intent = "padding", .padding = PadSide::Right},
    {.intent = "padding", .padding = PadSide::Left},
    {.intent = "causal"},
    {.intent = "causal & padding", .padding = PadSide::Right},
    {.intent = "window(3)", .isWindow = true},
    {.intent = "window(left=3, right=0)", .isWindow = true},
    {.intent = "symmetric(2)", .isWindow = true},
    {.intent = "symmetric(2) & padding", .padding = PadSide::Right},
    {.intent = "documents([3, 2, 3])", .documents = {0, 0, 0, 1, 1, 2, 2, 2}},
    {.intent = "causal & documents([3, 2, 3])", .documents = {0, 0, 0, 1, 1, 2, 2, 2}},
    {.intent = "prefix(3)"},
    {.intent = "causal & (sink(2) | window(3))"},
    {.intent = "chunk(3)"},
    {.intent = "dilated(2, 2)"},
    {.intent = "strided(3)"},
    {.intent = "fixed(4, 1)"},
    {.intent = "longformer(2, global=[0])"},
    {.intent = "bigbird(block=1, global=[0, 7])"},
    {.intent = "causal | groups([-1, -1, 0, 0, -1, 1, 1, -1])",
     .groups = {-1, -1, 0, 0, -1, 1, 1, -1}},
    {.intent = "blocks([0, 0, 0, 1, 1, 1, 1, 1])"},
    {.intent = "tree([-1, 0, 0, 1, 1, 2], prefix=2)"},
};

MaskPtr compiled(const Family& family)
{
    MaskContext context{.items = Items, .heads = Heads, .queries = Tokens, .keys = Tokens};
    if (family.padding) {
        context.keyLengths = RealKeys;
        context.padSide = *family.padding;
    }
    auto mask = compileMask(family.intent, context);
    EXPECT_TRUE(mask) << family.intent << ": " << mask.error().message;
    return mask ? *mask : nullptr;
}

std::int64_t extentOf(char axis, std::int64_t queries)
{
    switch (axis) {
    case 'B':
        return Items;
    case 'H':
        return Heads;
    case 'N':
        return Items * Heads;
    case 'L':
        return queries;
    default:
        return Tokens;
    }
}

/// Whether arrays with these axes can say what the family says.
bool canHold(std::string_view axes, const Family& family)
{
    const bool hasItems = axes.find_first_of("BN") != std::string_view::npos;
    const bool hasQueries = axes.find_first_of("LN") != std::string_view::npos;
    const bool isPaddingAlone = family.intent == "padding" || family.intent == "none";
    return !axes.empty() && (hasItems || !family.padding) && (hasQueries || isPaddingAlone);
}

double numberOf(MaskMeaning meaning, bool isKept)
{
    switch (meaning) {
    case MaskMeaning::Blocked:
        return isKept ? 0 : 1;
    case MaskMeaning::Added:
        return isKept ? 0 : -std::numeric_limits<double>::infinity();
    case MaskMeaning::Keep:
    case MaskMeaning::Refused:
        break;
    }
    return isKept ? 1 : 0;
}

/// The last queries of the mask as an array with these axes, in C order.
MaskArray written(const CompiledMask& mask, std::int64_t queries, std::string_view axes,
                  ElementType type, MaskMeaning meaning)
{
    const std::int64_t past = Tokens - queries;
    MaskArray array;
    array.type = type;
    std::int64_t count = 1;
    for (const char axis : axes) {
        array.shape.push_back(extentOf(axis, queries));
        count *= array.shape.back();
    }
    for (std::int64_t cell = 0; cell < count; ++cell) {
        std::int64_t rest = cell;
        std::array<std::int64_t, 4> at{}; // item, head, query, key
        for (std::size_t axis = axes.size(); axis-- > 0;) {
            const std::int64_t extent = array.shape[axis];
            const std::int64_t index = rest % extent;
            rest /= extent;
            if (axes[axis] == 'N') {
                at[0] = index / Heads;
                at[1] = index % Heads;
            } else {
                at[std::string_view("BHLS").find(axes[axis])] = index;
            }
        }
        array.numbers.push_back(numberOf(meaning, mask.keeps(at[0], at[1], past + at[2], at[3])));
    }
    return array;
}

MaskCase caseOf(const Family& family, std::int64_t queries)
{
    MaskCase made;
    made.computeType = ElementType::Float32;
    made.intent = family.intent;
    made.batch = Items;
    made.heads = Heads;
    made.queries = queries;
    made.keys = Tokens;
    if (family.padding) {
        made.lengths = RealKeys;
        made.padSide = *family.padding;
    }
    if (family.isWindow) {
        made.window = family.intent;
    }
    if (!family.documents.empty()) {
        made.documents = {family.documents};
    }
    if (!family.groups.empty()) {
        made.groups = {family.groups};
    }
    return made;
}

void expectClean(const MaskSlot& slot, const Family& family, const CompiledMask& mask,
                 const MaskCase& facts)
{
    const std::pair<ElementType, MaskMeaning> types[] = {{ElementType::Bool, slot.ofBool},
                                                         {ElementType::Int32, slot.ofInteger},
                                                         {ElementType::Float32, slot.ofFloat}};
    for (const auto& [type, meaning] : types) {
        // An integer cannot be −∞: where it is added it is no mask.
        if (meaning == MaskMeaning::Refused ||
            (meaning == MaskMeaning::Added && type != ElementType::Float32)) {
            continue;
        }
        for (const std::string_view axes : slot.axes) {
            if (!canHold(axes, family)) {
                continue;
            }
            MaskCase given = facts;
            given.masks = {
                {written(mask, facts.queries, axes, type, meaning), std::string(slot.name)}};
            const auto report = lintMask(given);
            ASSERT_TRUE(report) << report.error().message;
            EXPECT_FALSE(report->hasErrors()) << family.intent << " as " << elementTypeName(type)
                                              << " " << axes << "; found:" << told(*report);
        }
    }
}

std::vector<std::string> slotNames()
{
    std::vector<std::string> names;
    for (const MaskSlot& slot : maskSlots()) {
        names.emplace_back(slot.name);
    }
    return names;
}

} // namespace

class MaskSlots : public testing::TestWithParam<std::string> {
protected:
    static const MaskSlot& slot() { return **findMaskSlot(GetParam()); }
};

TEST_P(MaskSlots, takeEveryFamily)
{
    for (const Family& family : Families) {
        const MaskPtr mask = compiled(family);
        ASSERT_NE(mask, nullptr);
        expectClean(slot(), family, *mask, caseOf(family, Tokens));
    }
}

TEST_P(MaskSlots, takeMasksBehindCachedKeys)
{
    const std::int64_t queries = 3;
    const Family families[] = {{.intent = "causal"},
                               {.intent = "causal & padding", .padding = PadSide::Left},
                               {.intent = "padding", .padding = PadSide::Left},
                               {.intent = "window(3)", .isWindow = true},
                               {.intent = "causal & symmetric(2)", .isWindow = true},
                               {.intent = "chunk(3)"}};
    for (const Family& family : families) {
        const MaskPtr mask = compiled(family);
        ASSERT_NE(mask, nullptr);
        MaskCase facts = caseOf(family, queries);
        facts.past = Tokens - queries;
        expectClean(slot(), family, *mask, facts);
    }
}

INSTANTIATE_TEST_SUITE_P(All, MaskSlots, testing::ValuesIn(slotNames()), [](const auto& row) {
    std::string name = row.param;
    std::ranges::replace(name, '.', '_');
    return name;
});

} // namespace heed::test
