// Masks from array files: ranks, readings, and what is wrong with a file that does not fit.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/arrayfile.h"
#include "heed/mask.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <random>

using namespace heed;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

class MaskFile : public testing::Test {
protected:
    void SetUp() override
    {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        m_folder = std::filesystem::temp_directory_path() /
                   ("heedmap-maskfile-" + std::string(test->name()) + "-" +
                    std::to_string(std::random_device()()));
        std::filesystem::create_directories(m_folder);
    }
    void TearDown() override { std::filesystem::remove_all(m_folder); }

    template <typename T>
    void write(const std::string& file, ElementType type, const Shape& shape,
               const std::vector<T>& values, const std::string& name = "mask") const
    {
        const ArrayToWrite array{name, type, shape, std::as_bytes(std::span(values))};
        const auto done = writeArrays(m_folder / file, std::span(&array, 1));
        ASSERT_TRUE(done) << describe(done.error());
    }

    Expected<MaskPtr> compile(const std::string& expression, MaskContext context) const
    {
        context.baseFolder = m_folder.string();
        return compileMask(expression, context);
    }

    std::filesystem::path m_folder;
};

std::vector<std::uint8_t> cellsOf(const CompiledMask& mask, std::int64_t item, std::int64_t head)
{
    std::vector<std::uint8_t> cells;
    for (std::int64_t i = 0; i < mask.context().queries; ++i) {
        for (std::int64_t j = 0; j < mask.context().keys; ++j) {
            cells.push_back(mask.keeps(item, head, i, j) ? 1 : 0);
        }
    }
    return cells;
}

} // namespace

TEST_F(MaskFile, readsEveryReadingAndType)
{
    const std::vector<std::uint8_t> kept = {1, 0, 1, 0, 1, 1};
    const MaskContext context{.items = 2, .heads = 2, .queries = 2, .keys = 3};
    write<std::uint8_t>("bool.npy", ElementType::Bool, {2, 3}, kept);
    write<std::int32_t>("blocked.npy", ElementType::Int32, {2, 3}, {0, 1, 0, 1, 0, 0});
    write<double>("double.npy", ElementType::Float64, {2, 3}, {1, 0, 1, 0, 1, 1});
    write<float>("add.npy", ElementType::Float32, {2, 3}, {0, -infinity, 0, -65504.0F, -0.0F, 0});
    write<float>("lowest.npy", ElementType::Float32, {1, 2, 3},
                 {0, std::numeric_limits<float>::lowest(), 0, -1e9F, 0, 0});
    const std::vector<std::string> expressions = {
        "file(\"bool.npy\", reads=\"keep\")", "file(\"blocked.npy\", reads=\"blocked\")",
        "file(\"double.npy\", reads=\"keep\")", "file(\"add.npy\", reads=\"additive\")",
        "file(\"lowest.npy\", reads=\"additive\")"};
    for (const std::string& expression : expressions) {
        const auto mask = compile(expression, context);
        ASSERT_TRUE(mask) << expression << ": " << describe(mask.error());
        EXPECT_EQ(cellsOf(**mask, 1, 1), kept) << expression;
        EXPECT_TRUE((*mask)->sameForAllItems());
        EXPECT_TRUE((*mask)->sameForAllHeads());
        EXPECT_EQ((*mask)->reasons(0, 0, 0, 1), static_cast<MaskReasons>(MaskReason::File));
        std::vector<ReasonRun> runs;
        ASSERT_TRUE((*mask)->reasonsInRow(1, 1, 0, {0, 3}, runs));
        EXPECT_EQ(runs, (std::vector<ReasonRun>{{1, 2, (*mask)->reasons(0, 0, 0, 1)}}));
    }
    const auto both = compile("file(\"bool.npy\", reads=\"keep\") & causal", context).value();
    EXPECT_EQ(cellsOf(*both, 0, 0), (std::vector<std::uint8_t>{1, 0, 0, 0, 1, 0}));
}

TEST_F(MaskFile, givesEachItemAndHeadItsPlane)
{
    const MaskContext context{.items = 2, .heads = 2, .queries = 1, .keys = 2};
    write<std::uint8_t>("items.npy", ElementType::UInt8, {2, 1, 2}, {1, 0, 0, 1});
    const auto items = compile("file(\"items.npy\", reads=\"keep\")", context).value();
    EXPECT_EQ(cellsOf(*items, 0, 1), (std::vector<std::uint8_t>{1, 0}));
    EXPECT_EQ(cellsOf(*items, 1, 0), (std::vector<std::uint8_t>{0, 1}));
    EXPECT_FALSE(items->sameForAllItems());
    EXPECT_TRUE(items->sameForAllHeads());

    write<std::uint8_t>("heads.npy", ElementType::UInt8, {1, 2, 1, 2}, {1, 0, 0, 1});
    const auto heads = compile("file(\"heads.npy\", reads=\"keep\")", context).value();
    EXPECT_EQ(cellsOf(*heads, 1, 0), (std::vector<std::uint8_t>{1, 0}));
    EXPECT_EQ(cellsOf(*heads, 0, 1), (std::vector<std::uint8_t>{0, 1}));
    EXPECT_TRUE(heads->sameForAllItems());
    EXPECT_FALSE(heads->sameForAllHeads());

    write<std::uint8_t>("layer.npy", ElementType::UInt8, {1, 2, 1, 1, 2}, {1, 0, 0, 1});
    EXPECT_TRUE(compile("file(\"layer.npy\", reads=\"keep\")",
                        {.items = 2, .heads = 2, .queries = 1, .keys = 2}));
    write<std::uint8_t>("all.npy", ElementType::UInt8, {2, 2, 1, 2}, {1, 0, 0, 1, 1, 1, 1, 0});
    const auto all = compile("file(\"all.npy\", reads=\"keep\")", context).value();
    EXPECT_EQ(cellsOf(*all, 1, 0), (std::vector<std::uint8_t>{1, 1}));
    EXPECT_EQ(all->plane(0, 0).ranges.data(), all->plane(1, 1).ranges.data());
}

TEST_F(MaskFile, keepsNoiseAsBits)
{
    std::mt19937 random(7);
    std::vector<std::uint8_t> cells(2 * 130 * 200);
    for (std::uint8_t& cell : cells) {
        cell = static_cast<std::uint8_t>(random() & 1U);
    }
    const MaskContext context{.items = 2, .queries = 130, .keys = 200};
    write("noise.npy", ElementType::Bool, {2, 130, 200}, cells);
    const auto mask = compile("file(\"noise.npy\", reads=\"keep\")", context).value();
    EXPECT_TRUE(mask->plane(1, 0).isBits);
    const auto middle = cells.begin() + 130 * 200;
    EXPECT_EQ(cellsOf(*mask, 0, 0), std::vector<std::uint8_t>(cells.begin(), middle));
    EXPECT_EQ(cellsOf(*mask, 1, 0), std::vector<std::uint8_t>(middle, cells.end()));
    EXPECT_EQ(mask->classify(1, 0, 0, 0, 130, 200), BlockClass::Mixed);
}

TEST_F(MaskFile, choosesAmongSeveralArrays)
{
    const std::vector<std::uint8_t> one = {1};
    const std::vector<std::uint8_t> zero = {0};
    const std::vector<ArrayToWrite> arrays = {
        {"a", ElementType::Bool, {1, 1}, std::as_bytes(std::span(one))},
        {"b", ElementType::Bool, {1, 1}, std::as_bytes(std::span(zero))}};
    ASSERT_TRUE(writeArrays(m_folder / "two.npz", arrays));
    const auto chosen = compile("file(\"two.npz\", reads=\"keep\", array=\"b\")", {});
    ASSERT_TRUE(chosen) << describe(chosen.error());
    EXPECT_FALSE((*chosen)->keeps(0, 0, 0, 0));
    const auto open = compile("file(\"two.npz\", reads=\"keep\")", {});
    ASSERT_FALSE(open);
    EXPECT_NE(open.error().message.find("choose one with array=\"…\": 'a', 'b'"),
              std::string::npos);
    const auto wrong = compile("file(\"two.npz\", reads=\"keep\", array=\"c\")", {});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().code, Code::NotFound);
}

TEST_F(MaskFile, saysWhatIsWrongWithTheFile)
{
    const MaskContext context{.items = 2, .heads = 3, .queries = 4, .keys = 5};
    struct Row {
        Shape shape;
        std::string reads;
        float first;
        Code code;
        std::string part;
    };
    const std::vector<Row> rows = {
        {{5}, "keep", 1, Code::InvalidShape, "[5]; expected [L, S] = [4, 5]"},
        {{2, 1, 1, 4, 5}, "keep", 1, Code::InvalidShape, "Reshape"},
        {{2, 5}, "keep", 1, Code::InvalidShape, "padding(lengths=[…])"},
        {{5, 4}, "keep", 1, Code::InvalidShape, "look swapped"},
        {{4, 6}, "keep", 1, Code::InvalidShape, "queries and keys"},
        {{3, 4, 5}, "keep", 1, Code::InvalidShape, "reshape it to [1, 3, 4, 5]"},
        {{6, 4, 5}, "keep", 1, Code::InvalidShape, "reshape it to [2, 3, 4, 5]"},
        {{2, 2, 4, 5}, "keep", 1, Code::InvalidShape, "number of heads differs"},
        {{4, 3, 4, 5}, "keep", 1, Code::InvalidShape, "number of batch items differs"},
        {{4, 5},
         "keep",
         0.5F,
         Code::InvalidArgument,
         "Cell [0, 0] of 'm.npy' is 0.5; only 0 and 1"},
        {{4, 5}, "blocked", 2, Code::InvalidArgument, "is 2; only 0 and 1"},
        {{4, 5}, "keep", -infinity, Code::InvalidArgument, "use reads=\"additive\""},
        {{4, 5}, "additive", 1, Code::InvalidArgument, "For zeros and ones use"},
        {{4, 5}, "additive", -10000, Code::InvalidArgument, "is -10000; an additive mask"},
        {{4, 5}, "additive", infinity, Code::InvalidArgument, "is inf"},
        {{4, 5}, "additive", std::nanf(""), Code::InvalidArgument, "nan"},
        {{4, 5}, "keep", std::nanf(""), Code::InvalidArgument, "nan"},
    };
    for (const Row& row : rows) {
        std::vector<float> values(static_cast<std::size_t>(elementCount(row.shape).value()), 0);
        values[0] = row.first;
        write("m.npy", ElementType::Float32, row.shape, values);
        const auto mask = compile("causal & file(\"m.npy\", reads=\"" + row.reads + "\")", context);
        ASSERT_FALSE(mask) << row.part;
        EXPECT_EQ(mask.error().code, row.code) << describe(mask.error());
        EXPECT_EQ(mask.error().context, "mask, column 10");
        EXPECT_NE(mask.error().message.find(row.part), std::string::npos) << describe(mask.error());
    }
    std::vector<float> values(20, 0);
    values[13] = 3;
    write("m.npy", ElementType::Float32, {4, 5}, values);
    const auto cell = compile("file(\"m.npy\", reads=\"keep\")", context);
    ASSERT_FALSE(cell);
    EXPECT_NE(cell.error().message.find("Cell [2, 3]"), std::string::npos);

    const auto missing = compile("file(\"missing.npy\", reads=\"keep\")", context);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, Code::NotFound);
    EXPECT_FALSE(compile("file(\"\", reads=\"keep\")", context));
    EXPECT_FALSE(compile("file(\".\", reads=\"keep\")", context));
}

TEST_F(MaskFile, everyFileOfAnExpressionCountsAgainstTheBudget)
{
    write("m.npy", ElementType::UInt8, {512, 512}, std::vector<std::uint8_t>(512 * 512, 1));
    MaskContext context{.queries = 512, .keys = 512};
    context.baseFolder = m_folder.string();
    const std::string file = "file(\"m.npy\", reads=\"keep\")";
    const std::int64_t plane = 512 * 512 / 8;
    Execution execution;
    execution.memoryBudget = 512 * 512; // the bytes of the file, and its bits
    EXPECT_EQ(compileMask(file, context, execution).error().code, Code::OutOfMemory);
    execution.memoryBudget = 512 * 512 + plane;
    EXPECT_TRUE(compileMask(file, context, execution));
    EXPECT_EQ(compileMask(file + " | " + file, context, execution).error().code, Code::OutOfMemory);
    execution.memoryBudget = 512 * 512 + 2 * plane;
    EXPECT_TRUE(compileMask(file + " | " + file, context, execution));
}
