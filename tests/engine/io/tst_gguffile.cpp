// Reading .gguf: the numbers of every type, rows alone, and the values with their types.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ggufbytes.h"

#include <bit>

using namespace heed;

namespace {

std::filesystem::path ggufGolden(const std::string& name)
{
    return golden("../gguf/" + name);
}

/// The bits, since 0 and -0 are two numbers here.
std::vector<std::uint32_t> bitsOf(std::span<const float> values)
{
    std::vector<std::uint32_t> bits;
    for (const float value : values) {
        bits.push_back(std::bit_cast<std::uint32_t>(value));
    }
    return bits;
}

const std::string fourNumbers(16, '\1');

} // namespace

TEST(GgufFile, givesTheNumbersThatTheReferenceGives)
{
    const auto opened = openArrays(ggufGolden("blocks.gguf"));
    ASSERT_TRUE(opened) << describe(opened.error());
    const ArrayFilePtr& file = *opened;
    EXPECT_EQ(file->format(), "gguf");
    const auto expected = openArrays(ggufGolden("blocks.npz")).value();
    ASSERT_EQ(file->arrays().size(), expected->arrays().size());
    for (const ArrayInfo& info : file->arrays()) {
        SCOPED_TRACE(info.name);
        EXPECT_EQ(info.shape, expected->find(info.name)->shape);
        const auto tensor = file->read(info.name);
        ASSERT_TRUE(tensor) << describe(tensor.error());
        EXPECT_EQ(bitsOf(tensor->values()), bitsOf(floatsOf(expected, info.name)));
        const Bytes raw = file->readRaw(info.name).value();
        EXPECT_EQ(static_cast<std::int64_t>(raw.size()), tensor->size() * elementSize(info.type));
        if (info.type == ElementType::Float32) {
            EXPECT_EQ(raw, bytesOf(floatsOf(expected, info.name)));
        }
    }
    const auto typesOf = [&](const char* name) {
        const ArrayInfo& info = *file->find(name);
        return std::string(info.blockType) + " " + std::string(elementTypeName(info.type)) + " " +
               std::to_string(info.blockBytes);
    };
    EXPECT_EQ(typesOf("Q4_K"), "Q4_K float32 864"); // 3 rows of 2 blocks of 144 bytes
    EXPECT_EQ(typesOf("BF16"), " bfloat16 0");
    EXPECT_EQ(typesOf("I16"), " int16 0");
    EXPECT_EQ(file->mapped("F32").size(), 3U * 512);
    EXPECT_EQ(bitsOf(file->mapped("F32")), bitsOf(floatsOf(expected, "F32")));
    EXPECT_TRUE(file->mapped("Q8_0").empty());
    EXPECT_TRUE(file->mapped("F16").empty());
}

TEST(GgufFile, readsSomeRowsAlone)
{
    const auto file = openArrays(ggufGolden("blocks.gguf")).value();
    for (const ArrayInfo& info : file->arrays()) {
        SCOPED_TRACE(info.name);
        const std::vector<float> all = floatsOf(file, info.name);
        const std::int64_t columns = info.shape[1];
        std::vector<float> rows(static_cast<std::size_t>(2 * (columns + 3)), -7);
        // Two rows, close together and with room between them.
        for (const std::int64_t stride : {columns, columns + 3}) {
            const MatrixView<float> out{rows.data(), 2, columns, stride};
            const auto read = file->readRows(info.name, 1, out);
            ASSERT_TRUE(read) << describe(read.error());
            for (std::int64_t row = 0; row < 2; ++row) {
                const auto* begin = all.data() + (1 + row) * columns;
                EXPECT_EQ(bitsOf(out.row(row)), bitsOf({begin, static_cast<std::size_t>(columns)}));
            }
        }
        EXPECT_EQ(rows.back(), -7);
        EXPECT_TRUE(file->readRows(info.name, 3, {rows.data(), 0, columns, columns}));
        for (const auto& [first, count, width] :
             {std::tuple<std::int64_t, std::int64_t, std::int64_t>{2, 2, columns},
              {-1, 1, columns},
              {4, 0, columns},
              {0, 1, columns - 1}}) {
            EXPECT_EQ(
                file->readRows(info.name, first, {rows.data(), count, width, width}).error().code,
                Code::InvalidShape);
        }
    }
    float number = 0;
    EXPECT_EQ(file->readRows("none", 0, {&number, 1, 1, 1}).error().code, Code::NotFound);
}

TEST(GgufFile, readsShapesAsPyTorchSaysThem)
{
    const auto file = openArrays(ggufGolden("values.gguf")).value();
    EXPECT_EQ(file->find("three")->shape, (Shape{2, 3, 4}));
    EXPECT_EQ(floatsOf(file, "three"), goldenValues(ElementType::Float32, 24));
    std::vector<float> rows(8);
    ASSERT_TRUE(file->readRows("three", 2, {rows.data(), 2, 4, 4})); // across the first axis
    const std::vector<float> all = goldenValues(ElementType::Float32, 24);
    EXPECT_EQ(rows, std::vector<float>(all.begin() + 8, all.begin() + 16));
    EXPECT_EQ(floatsOf(file, "one"), std::vector<float>{2.5F});
}

TEST(GgufFile, givesValuesWithTheirTypes)
{
    const auto file = openArrays(ggufGolden("values.gguf")).value();
    const GgufMetadata* metadata = ggufMetadata(*file);
    ASSERT_NE(metadata, nullptr);
    const auto value = [&](const char* name) { return metadata->value(name).value(); };
    const auto integer = [&](const char* name) { return value(name).integer().value(); };
    EXPECT_EQ(value("general.architecture").text().value(), "llama");
    EXPECT_EQ(integer("a.uint8"), 255);
    EXPECT_EQ(integer("a.int8"), -128);
    EXPECT_EQ(integer("a.uint16"), 65535);
    EXPECT_EQ(integer("a.int16"), -32768);
    EXPECT_EQ(integer("a.uint32"), 4294967295);
    EXPECT_EQ(integer("a.int32"), -2147483648LL);
    EXPECT_EQ(integer("a.int64"), -9007199254740993);
    EXPECT_EQ(value("a.float32").number().value(), static_cast<double>(0.1F));
    EXPECT_EQ(value("a.float64").number().value(), 0.1);
    EXPECT_EQ(value("a.uint64").number().value(), 9223372036854775808.0);
    EXPECT_EQ(value("a.uint8").number().value(), 255);
    EXPECT_TRUE(value("a.bool").boolean().value());
    EXPECT_EQ(value("a.text").text().value(), "Ġé 苹果\n");
    EXPECT_EQ(value("a.empty").text().value(), "");
    EXPECT_EQ(value("list.int32").integers().value(), (std::vector<std::int64_t>{3, -1, 4}));
    EXPECT_EQ(value("list.int32").numbers().value(), (std::vector<double>{3, -1, 4}));
    EXPECT_EQ(value("list.float32").numbers().value(), (std::vector<double>{0.5, -1.25}));
    EXPECT_EQ(value("list.bool").booleans().value(), (std::vector<bool>{true, false, true}));
    EXPECT_EQ(value("list.uint64").integers().value(),
              (std::vector<std::int64_t>{9223372036854775807, 0}));
    EXPECT_EQ(value("list.text").texts().value(),
              (std::vector<std::string_view>{"<s>", "", "▁the", std::string_view("a\0b", 3)}));
    EXPECT_EQ(value("list.text").type(), GgufType::List);
    EXPECT_EQ(value("list.text").elementType(), GgufType::Text);
    EXPECT_EQ(value("list.text").size(), 4U);
    EXPECT_EQ(value("a.bool").elementType(), GgufType::Bool);
    EXPECT_EQ(metadata->values().size(), 21U);
    EXPECT_EQ(ggufMetadata(*openArrays(golden("c.npy")).value()), nullptr);
}

TEST(GgufFile, doesNotTakeOneKindOfValueForAnother)
{
    const auto file = openArrays(ggufGolden("values.gguf")).value();
    const GgufMetadata& metadata = *ggufMetadata(*file);
    const auto refused = [&](const char* name, auto conversion, const char* says) {
        SCOPED_TRACE(name);
        const auto result = (metadata.find(name)->*conversion)();
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().code, Code::BadFormat);
        EXPECT_NE(result.error().message.find(name), std::string::npos);
        EXPECT_NE(result.error().message.find(says), std::string::npos) << describe(result.error());
        EXPECT_NE(result.error().context.find("values.gguf, byte "), std::string::npos);
    };
    refused("a.uint64", &GgufValue::integer, "is a uint64; it should be a whole number");
    refused("a.float32", &GgufValue::integer, "float32");
    refused("a.bool", &GgufValue::integer, "bool");
    refused("a.text", &GgufValue::number, "text");
    refused("a.bool", &GgufValue::number, "bool");
    refused("a.uint8", &GgufValue::boolean, "uint8");
    refused("a.uint8", &GgufValue::text, "uint8");
    refused("list.text", &GgufValue::text, "list of text");
    refused("list.int32", &GgufValue::integer, "list of int32");
    refused("a.uint8", &GgufValue::integers, "should be a list");
    refused("list.float32", &GgufValue::integers, "list of float32");
    refused("list.text", &GgufValue::numbers, "list of text");
    refused("list.bool", &GgufValue::numbers, "list of bool");
    refused("list.int32", &GgufValue::booleans, "list of int32");
    refused("list.int32", &GgufValue::texts, "should be a list of text");
    EXPECT_EQ(metadata.find("a.none"), nullptr);
    const auto missing = metadata.value("a.none").and_then(&GgufValue::integer);
    EXPECT_EQ(missing.error().code, Code::NotFound);
    EXPECT_NE(missing.error().message.find("a.none"), std::string::npos);
}

TEST(GgufFile, saysItsValuesAsText)
{
    const auto file = openArrays(ggufGolden("values.gguf")).value();
    const auto metadata = file->metadata();
    const auto says = [&](const std::string& name) {
        for (const auto& [key, value] : metadata) {
            if (key == name) {
                return value;
            }
        }
        return std::string("(missing)");
    };
    EXPECT_EQ(says("general.alignment"), "64");
    EXPECT_EQ(says("a.float32"), "0.1");
    EXPECT_EQ(says("a.uint64"), "9223372036854775808");
    EXPECT_EQ(says("a.int8"), "-128");
    EXPECT_EQ(says("a.bool"), "true");
    EXPECT_EQ(says("a.text"), "Ġé 苹果\n");
    EXPECT_EQ(says("list.bool"), "[true, false, true]");
    EXPECT_EQ(says("list.text"), R"(["<s>", "", "▁the", "a?b"])");
    EXPECT_EQ(says("list.long"), "[0, 1, 2, 3, 4, 5, 6, 7, …], 10 in all");
}

TEST(GgufFile, readsTheArraysBesideTypesItDoesNotRead)
{
    const auto file = openArrays(gguf({.tensors = {ggufTensor("a", {256}, 16, 0), // IQ2_XXS
                                                   ggufTensor("b", {2}, 0, 96)},  // F32
                                       .data = std::string(96, 'x') + fourNumbers}),
                                 "");
    ASSERT_TRUE(file) << describe(file.error());
    ASSERT_EQ((*file)->arrays().size(), 1U);
    EXPECT_TRUE((*file)->read("b"));
    const auto refused = (*file)->read("a");
    EXPECT_EQ(refused.error().code, Code::Unsupported);
    EXPECT_NE(refused.error().message.find("IQ2_XXS"), std::string::npos);
}

// Blocks of an older layout would give wrong numbers.
TEST(GgufFile, readsBlocksOfTheirCurrentLayoutOnly)
{
    for (const unsigned version : {1U, 2U}) {
        const auto file = openArrays(
            gguf({.values = {ggufValue("general.quantization_version", 4, ggufNumber(version, 4))},
                  .tensors = {ggufTensor("a", {32}, 2, 0), ggufTensor("b", {1}, 0, 32)},
                  .data = std::string(36, 'x')}),
            "gguf");
        ASSERT_TRUE(file) << describe(file.error());
        EXPECT_EQ((*file)->read("a").has_value(), version == 2);
        EXPECT_TRUE((*file)->read("b"));
    }
}
