// Reading and writing arrays as JSON.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "iofiles.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace heed;

namespace {

Expected<ArrayFilePtr> json(const std::string& text)
{
    return openArrays(toBytes(text), "json");
}

std::string asText(const Bytes& bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace

TEST(JsonFile, readsNestedArraysAndIgnoresTheRest)
{
    const auto file = json(R"({"schema": "heedmap.arrays/1", "tokens": [["I", "nan"], ["Hi"]],
        "weights": [[[0.25, 0.75]], [[1, 0]]], "mask": [[true, false]], "ids": [101, -7],
        "seed": 3, "name": null, "flag": true, "metadata": {"made": "by hand", "n": 1, "deep":
        {"made": "not this"}}, "other": {"weights": [1]}, "objects": [{"a": [1, 2]}, {}], "none": []})");
    ASSERT_TRUE(file) << describe(file.error());
    ASSERT_EQ((*file)->arrays().size(), 4U);
    EXPECT_EQ((*file)->find("weights")->shape, (Shape{2, 1, 2}));
    EXPECT_EQ((*file)->find("weights")->type, ElementType::Float64);
    EXPECT_EQ(floatsOf(*file, "weights"), (std::vector<float>{0.25F, 0.75F, 1, 0}));
    EXPECT_EQ((*file)->find("mask")->type, ElementType::Bool);
    EXPECT_EQ(valuesOf<std::uint8_t>((*file)->readRaw("mask").value()),
              (std::vector<std::uint8_t>{1, 0}));
    EXPECT_EQ((*file)->find("ids")->type, ElementType::Int64);
    EXPECT_EQ(valuesOf<std::int64_t>((*file)->readRaw("ids").value()),
              (std::vector<std::int64_t>{101, -7}));
    EXPECT_EQ((*file)->find("none")->shape, Shape{0});
    EXPECT_EQ((*file)->read("tokens").error().code, Code::NotFound);
    ASSERT_EQ((*file)->metadata().size(), 1U);
    EXPECT_EQ((*file)->metadata()[0].second, "by hand");
    EXPECT_TRUE((*file)->mapped("weights").empty());
}

TEST(JsonFile, readsABareArrayAndItsShapes)
{
    struct Row {
        const char* text;
        Shape shape;
    };
    const std::vector<Row> rows = {{"[]", {0}},
                                   {"[[]]", {1, 0}},
                                   {"[[],[]]", {2, 0}},
                                   {"[[[]],[[]]]", {2, 1, 0}},
                                   {"[1]", {1}},
                                   {" [[1,2,3],\n[4,5,6]] ", {2, 3}},
                                   {"\xEF\xBB\xBF[1]", {1}}};
    for (const Row& row : rows) {
        SCOPED_TRACE(row.text);
        const auto file = json(row.text);
        ASSERT_TRUE(file) << describe(file.error());
        ASSERT_EQ((*file)->arrays().size(), 1U);
        EXPECT_EQ((*file)->find("")->shape, row.shape);
        EXPECT_TRUE((*file)->read(""));
    }
}

TEST(JsonFile, readsSpecialNumbersAndMinusZero)
{
    const auto file = json(R"(["inf", "-inf", "nan", -0, -0.0, 1e-400, "Infinity"])");
    ASSERT_TRUE(file) << describe(file.error());
    const auto values = floatsOf(*file, "");
    constexpr float infinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(values[0], infinity);
    EXPECT_EQ(values[1], -infinity);
    EXPECT_TRUE(std::isnan(values[2]));
    EXPECT_TRUE(std::signbit(values[3]) && values[3] == 0);
    EXPECT_TRUE(std::signbit(values[4]) && values[4] == 0);
    EXPECT_EQ(values[5], 0.0F);
    EXPECT_EQ(values[6], infinity);
    const auto masked = json(R"({"masked": [["-inf", "-inf"]]})").value();
    EXPECT_EQ(floatsOf(masked, "masked"), (std::vector<float>{-infinity, -infinity}));
}

// Text to float64 to float32 rounds twice; half way between two float32 that goes wrong.
TEST(JsonFile, roundsTextToFloatOnce)
{
    // 1 + 2^-24 is half way between 1 and the next float32; a little more must round up.
    const std::string more = "1.000000059604644775390626";
    EXPECT_EQ(static_cast<float>(std::stod(more)), 1.0F);
    EXPECT_EQ(std::stof(more), 1.0F + 0x1p-23F);
    const auto file = json("[1, " + more + "]").value();
    EXPECT_EQ(floatsOf(file, ""), (std::vector<float>{1.0F, 1.0F + 0x1p-23F}));
    // An integer that becomes a float64 when a fraction follows it.
    const auto large = json("[9007199791611905, 0.5]").value();
    EXPECT_EQ(floatsOf(large, "")[0], static_cast<float>(std::int64_t{9007199791611905}));
}

TEST(JsonFile, keepsIntegersOf64Bits)
{
    const auto file = json("[9223372036854775807, -9223372036854775808, 9007199254740993]").value();
    EXPECT_EQ(
        valuesOf<std::int64_t>(file->readRaw("").value()),
        (std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max(),
                                   std::numeric_limits<std::int64_t>::min(), 9007199254740993}));
    EXPECT_EQ(json("[18446744073709551615]").value()->find("")->type, ElementType::Float64);
}

TEST(JsonFile, refusesWhatIsNoArray)
{
    struct Row {
        std::string text;
        const char* says;
    };
    const std::string deep = std::string(33, '[') + std::string(33, ']');
    const std::vector<Row> rows = {
        {"[1,2", "not JSON"},
        {"{\"a\":[1,]}", "not JSON"},
        {"[1] x", "not JSON"},
        {"[01]", "not JSON"},
        {"[NaN]", "not JSON"},
        {"[1e999]", "not JSON"},
        {"[\"\xFF\"]", "not JSON"},
        {std::string("[1]\0[2]", 7), "zero byte"},
        {"3", "Expected an object or an array"},
        {"\"inf\"", "Expected an object or an array"},
        {"null", "Expected an object or an array"},
        {"true", "Expected an object or an array"},
        {"-1", "Expected an object or an array"},
        {"1.5", "Expected an object or an array"},
        {"[[1,2],[3]]", "not rectangular"},
        {"[[1],[2,3]]", "not rectangular"},
        {"[1,[2]]", "not rectangular"},
        {"[[1],2]", "not rectangular"},
        {"[[],[1]]", "not rectangular"},
        {"[[],1]", "not rectangular"},
        {"[\"nan\",[1]]", "not rectangular"},
        {"[[[1]],[]]", "not rectangular"},
        {"[1,\"a\"]", "mixes"},
        {"[1,null]", "mixes"},
        {"[[1],{\"a\":2}]", "mixes"},
        {"{\"a\":[1],\"a\":[2]}", "twice"},
        {deep, "deeper than 32"},
        {"{\"a\":" + deep + "}", "deeper than 32"},
        {std::string(100000, '['), "deeper than 32"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.text.substr(0, 60));
        const auto file = json(row.text);
        ASSERT_FALSE(file);
        EXPECT_EQ(file.error().code, Code::BadFormat);
        EXPECT_NE(file.error().message.find(row.says), std::string::npos) << describe(file.error());
        EXPECT_NE(file.error().context.find("byte "), std::string::npos);
    }
    EXPECT_TRUE(json(std::string(32, '[') + std::string(32, ']')));
}

TEST(JsonFile, repeatsOnlyTheStartOfALongNumber)
{
    const auto file = json("[" + std::string(5'000'000, '9') + "e99999]");
    ASSERT_FALSE(file);
    EXPECT_NE(file.error().message.find("99999999"), std::string::npos);
    EXPECT_LT(file.error().message.size(), 150U);
}

TEST(JsonFile, saysWhereARowIsTooShort)
{
    const auto file = json("{\"w\": [[1, 2],\n [3]]}");
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().context, "input, byte 19");
    EXPECT_NE(file.error().message.find("\"w\""), std::string::npos);
}

TEST(JsonFile, writesShortestNumbersAndNotes)
{
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> floats{0.1F,          1,     -0.0F,    infinity, -infinity,
                                    std::nanf(""), 1e20F, 0x1p-149F};
    const std::vector<double> doubles{0.1, 1e-300};
    const std::vector<std::uint8_t> flags{1, 0};
    const std::vector<std::int64_t> ids{-5};
    const std::vector<std::uint16_t> half{0x3C01};
    const std::vector<float> none;
    const auto bytes = written(
        ArrayFormat::Json,
        {toWrite("f", ElementType::Float32, {2, 4}, floats),
         toWrite("d", ElementType::Float64, {2}, doubles),
         toWrite("b", ElementType::Bool, {2}, flags), toWrite("i", ElementType::Int64, {1}, ids),
         toWrite("h\n", ElementType::Float16, {1}, half), toWrite("s", ElementType::Int64, {}, ids),
         toWrite("e", ElementType::Float32, {2, 0}, none)},
        {{{"I", "\"like\""}}, {{"seed", "0"}}});
    ASSERT_TRUE(bytes) << describe(bytes.error());
    EXPECT_EQ(asText(*bytes), R"({
"schema": "heedmap.arrays/1",
"tokens": [["I","\"like\""]],
"metadata": {"seed":"0"},
"f": [[0.1,1,-0.0,"inf"],["-inf","nan",1e+20,1e-45]],
"d": [0.1,1e-300],
"b": [true,false],
"i": [-5],
"h\n": [1.0009766],
"s": -5,
"e": [[],[]]
}
)");
}

TEST(JsonFile, readsBackEveryBitOfWhatItWrites)
{
    std::vector<float> floats;
    std::uint32_t bits = 1;
    while (floats.size() < 20000) {
        bits = bits * 1664525U + 1013904223U;
        const auto value = std::bit_cast<float>(bits);
        if (std::isfinite(value)) {
            floats.push_back(value);
        }
    }
    const auto size = static_cast<std::int64_t>(floats.size());
    const auto bytes =
        written(ArrayFormat::Json, {toWrite("x", ElementType::Float32, {size / 8, 8}, floats)});
    ASSERT_TRUE(bytes);
    EXPECT_EQ(floatsOf(openArrays(*bytes, "json").value(), "x"), floats);
}

TEST(JsonFile, refusesReservedNames)
{
    const std::vector<float> one{1};
    for (const char* name : {"schema", "metadata"}) {
        EXPECT_EQ(written(ArrayFormat::Json, {toWrite(name, ElementType::Float32, {1}, one)})
                      .error()
                      .code,
                  Code::InvalidArgument);
    }
    const auto tokens = toWrite("tokens", ElementType::Float32, {1}, one);
    EXPECT_TRUE(written(ArrayFormat::Json, {tokens}));
    EXPECT_EQ(written(ArrayFormat::Json, {tokens}, {{{"I"}}, {}}).error().code,
              Code::InvalidArgument);
    const Shape deep(32, 1);
    EXPECT_EQ(
        written(ArrayFormat::Json, {toWrite("x", ElementType::Float32, deep, one)}).error().code,
        Code::InvalidArgument);
}
