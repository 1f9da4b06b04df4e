// Reading and writing .safetensors: every rule of the reference reader, and files it wrote.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "iofiles.h"

using namespace heed;

namespace {

/// A file with this header and data; the length of the header is right.
Bytes safetensors(const std::string& header, const std::string& data = {})
{
    std::string text;
    for (int byte = 0; byte < 8; ++byte) {
        text += static_cast<char>(header.size() >> (8 * byte) & 0xFF);
    }
    return toBytes(text + header + data);
}

std::string entry(const std::string& name, const std::string& type, const std::string& shape,
                  const std::string& offsets)
{
    return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":" + shape +
           ",\"data_offsets\":" + offsets + "}";
}

const std::string sixteen(16, '\0');

} // namespace

TEST(SafetensorsFile, readsEveryTypeThatTheReferenceWrote)
{
    const auto opened = openArrays(golden("all.safetensors"));
    ASSERT_TRUE(opened) << describe(opened.error());
    const ArrayFilePtr& file = *opened;
    EXPECT_EQ(file->format(), "safetensors");
    EXPECT_EQ(file->arrays().size(), 13U);
    for (const ArrayInfo& info : file->arrays()) {
        SCOPED_TRACE(info.name);
        EXPECT_EQ(info.name, elementTypeName(info.type));
        EXPECT_EQ(info.shape, (Shape{2, 3, 4}));
        EXPECT_EQ(floatsOf(file, info.name), goldenValues(info.type, 24));
    }
    ASSERT_EQ(file->metadata().size(), 1U);
    EXPECT_EQ(file->metadata()[0], (std::pair<std::string, std::string>("made", "by the oracle")));
    const auto mapped = file->mapped("float32");
    EXPECT_EQ(std::vector<float>(mapped.begin(), mapped.end()),
              goldenValues(ElementType::Float32, 24));
    EXPECT_TRUE(file->mapped("float16").empty());

    const auto shapes = openArrays(golden("shapes.safetensors")).value();
    EXPECT_EQ(shapes->find("empty")->shape, (Shape{2, 0}));
    EXPECT_EQ(floatsOf(shapes, "scalar"), std::vector<float>{2.5F});
}

TEST(SafetensorsFile, writesTheBytesThatTheReferenceWrites)
{
    const auto read = openArrays(golden("all.safetensors")).value();
    std::vector<Bytes> kept;
    std::vector<ArrayToWrite> arrays;
    kept.reserve(read->arrays().size());
    // From the last to the first: the writer has its own order.
    for (auto info = read->arrays().rbegin(); info != read->arrays().rend(); ++info) {
        kept.push_back(read->readRaw(info->name).value());
        arrays.push_back({info->name, info->type, info->shape, kept.back()});
    }
    EXPECT_EQ(written(ArrayFormat::Safetensors, arrays, {{}, {{"made", "by the oracle"}}}).value(),
              readBytes(golden("all.safetensors")));
}

TEST(SafetensorsFile, keepsMetadataAndTokens)
{
    const std::vector<float> one{1};
    const std::vector<ArrayToWrite> arrays{toWrite("é\"\\", ElementType::Float32, {1}, one)};
    const auto bytes = written(ArrayFormat::Safetensors, arrays,
                               {{{"I", "苹果"}, {}}, {{"command", "a \"b\"\n"}}});
    ASSERT_TRUE(bytes) << describe(bytes.error());
    const auto file = openArrays(*bytes, "safetensors");
    ASSERT_TRUE(file) << describe(file.error());
    EXPECT_EQ(floatsOf(*file, "é\"\\"), one);
    const std::vector<std::pair<std::string, std::string>> expected{
        {"command", "a \"b\"\n"}, {"tokens", "[[\"I\",\"苹果\"],[]]"}};
    EXPECT_EQ((*file)->metadata(), expected);
    EXPECT_EQ(written(ArrayFormat::Safetensors, arrays, {{}, {{"a", ""}, {"a", ""}}}).error().code,
              Code::InvalidArgument);
    const std::vector<ArrayToWrite> reserved{
        toWrite("__metadata__", ElementType::Float32, {1}, one)};
    EXPECT_EQ(written(ArrayFormat::Safetensors, reserved).error().code, Code::InvalidArgument);
}

TEST(SafetensorsFile, acceptsWhatTheReferenceAccepts)
{
    struct Row {
        const char* what;
        Bytes bytes;
        std::size_t arrays;
    };
    const std::vector<Row> rows = {
        {"no arrays", safetensors("{}"), 0},
        {"white space behind", safetensors("{}\r\n\t  "), 0},
        {"white space before", safetensors(" \t\r\n{}"), 0},
        {"metadata only", safetensors("{\"__metadata__\":{\"a\":\"b\"}}"), 0},
        {"metadata null", safetensors("{\"__metadata__\":null}"), 0},
        {"zero extent", safetensors("{" + entry("a", "F32", "[2,0]", "[0,0]") + "}"), 1},
        {"rank 0", safetensors("{" + entry("a", "F32", "[]", "[0,4]") + "}", "\1\1\1\1"), 1},
        {"unpadded and out of order",
         safetensors("{" + entry("b", "F32", "[3]", "[4,16]") + "," +
                         entry("a", "F32", "[1]", "[0,4]") + "}",
                     sixteen),
         2},
        {"empty arrays between",
         safetensors("{" + entry("a", "F32", "[4]", "[0,16]") + "," +
                         entry("b", "F32", "[0]", "[16,16]") + "," +
                         entry("c", "F32", "[0]", "[0,0]") + "}",
                     sixteen),
         3},
        {"unknown fields",
         safetensors("{\"a\":{\"x\":[{\"y\":[1.5]}],\"dtype\":\"F32\",\"z\":null,\"shape\":[4],"
                     "\"w\":{\"dtype\":[]},\"data_offsets\":[0,16],\"v\":-1.5}}",
                     sixteen),
         1},
        {"the name is empty", safetensors("{" + entry("", "F32", "[4]", "[0,16]") + "}", sixteen),
         1},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.what);
        const auto file = openArrays(row.bytes, "safetensors");
        ASSERT_TRUE(file) << describe(file.error());
        EXPECT_EQ((*file)->arrays().size(), row.arrays);
        for (const ArrayInfo& info : (*file)->arrays()) {
            EXPECT_TRUE((*file)->read(info.name));
        }
    }
}

TEST(SafetensorsFile, refusesWhatTheReferenceRefuses)
{
    const auto one = [](const char* type, const char* shape, const char* offsets,
                        const std::string& data = sixteen) {
        return safetensors("{" + entry("a", type, shape, offsets) + "}", data);
    };
    const auto raw = [](const std::string& text) { return toBytes(text); };
    std::string overlap;
    for (int i = 0; i < 10; ++i) {
        overlap += (i == 0 ? "" : ",") + entry("t" + std::to_string(i), "F32", "[2,2]", "[0,16]");
    }
    std::string sixtyFive = "[1";
    for (int axis = 1; axis < 65; ++axis) {
        sixtyFive += ",1";
    }
    struct Row {
        const char* what;
        Bytes bytes;
    };
    const std::vector<Row> rows = {
        // 1 HeaderTooSmall
        {"7 bytes", raw(std::string(7, '\0'))},
        // 2 HeaderTooLarge
        {"top bytes of the length", raw(std::string(8, '\xFF') + "{}")},
        {"length 100000001", raw(std::string("\x01\xE1\xF5\x05\0\0\0\0{}", 10))},
        // 3 InvalidHeaderLength
        {"length past the end", raw(std::string("\x3C\0\0\0\0\0\0\0", 8))},
        {"length 1 past the end", raw(std::string("\3\0\0\0\0\0\0\0{}", 10))},
        {"length 0", raw(std::string(8, '\0'))},
        // 4 InvalidHeader
        {"no UTF-8", raw(std::string("\1\0\0\0\0\0\0\0\xFF", 9))},
        {"no UTF-8 in a name",
         safetensors("{" + entry("\xC3", "F32", "[4]", "[0,16]") + "}", sixteen)},
        {"a UTF-16 half in a name",
         safetensors("{" + entry("\xED\xA0\x80", "F32", "[4]", "[0,16]") + "}", sixteen)},
        {"byte order mark", safetensors("\xEF\xBB\xBF{}")},
        // 5 InvalidHeaderDeserialization
        {"brace only", safetensors("{")},
        {"an array", safetensors("[]")},
        {"text behind", safetensors("{} x")},
        {"a second object", safetensors("{}{}")},
        {"zero byte behind", safetensors(std::string("{}\0", 3))},
        {"unknown type", one("F33", "[4]", "[0,16]")},
        {"lower case type", one("f32", "[4]", "[0,16]")},
        {"negative extent", one("F32", "[-4]", "[0,16]")},
        {"minus zero", one("F32", "[4,-0]", "[0,16]")},
        {"fraction", one("F32", "[4.0]", "[0,16]")},
        {"extent as text", one("F32", "[\"4\"]", "[0,16]")},
        {"extent null", one("F32", "[null]", "[0,16]")},
        {"extent true", one("F32", "[true]", "[0,16]")},
        {"shape a number", one("F32", "4", "[0,16]")},
        {"shape nested", one("F32", "[[4]]", "[0,16]")},
        {"shape an object", one("F32", "{}", "[0,16]")},
        {"offsets of one", one("F32", "[4]", "[0]")},
        {"offsets of three", one("F32", "[4]", "[0,16,16]")},
        {"offsets null", one("F32", "[4]", "null")},
        {"too many axes", one("F32", (sixtyFive + "]").c_str(), "[0,4]", "1234")},
        {"array a number", safetensors("{\"a\":1}")},
        {"array a list", safetensors("{\"a\":[1]}")},
        {"array null", safetensors("{\"a\":null}")},
        {"no dtype", safetensors("{\"a\":{\"shape\":[4],\"data_offsets\":[0,16]}}", sixteen)},
        {"no shape", safetensors("{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,16]}}", sixteen)},
        {"no offsets", safetensors("{\"a\":{\"dtype\":\"F32\",\"shape\":[4]}}", sixteen)},
        {"metadata number", safetensors("{\"__metadata__\":{\"a\":1}}")},
        {"metadata object", safetensors("{\"__metadata__\":{\"a\":{}}}")},
        {"metadata list", safetensors("{\"__metadata__\":[\"a\"]}")},
        {"metadata text", safetensors("{\"__metadata__\":\"a\"}")},
        {"deep",
         safetensors("{\"a\":{\"x\":" + std::string(40, '[') + std::string(40, ']') + "}}")},
        // duplicates, which the reference lets the last one win
        {"a name twice", safetensors("{" + entry("a", "F32", "[4]", "[0,16]") + "," +
                                         entry("a", "F32", "[0]", "[16,16]") + "}",
                                     sixteen)},
        {"metadata twice", safetensors("{\"__metadata__\":{},\"__metadata__\":{}}")},
        {"a field twice", safetensors("{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"shape\":[4],"
                                      "\"data_offsets\":[0,16]}}",
                                      sixteen)},
        {"a metadata name twice", safetensors("{\"__metadata__\":{\"a\":\"\",\"a\":\"\"}}")},
        // 6 InvalidOffset
        {"ten arrays in one place", safetensors("{" + overlap + "}", sixteen)},
        {"hole before", one("F32", "[3]", "[4,16]")},
        {"hole between", safetensors("{" + entry("a", "F32", "[1]", "[0,4]") + "," +
                                         entry("b", "F32", "[2]", "[8,16]") + "}",
                                     sixteen)},
        {"overlap by one", safetensors("{" + entry("a", "U8", "[9]", "[0,9]") + "," +
                                           entry("b", "U8", "[8]", "[8,16]") + "}",
                                       sixteen)},
        {"reversed", one("F32", "[4]", "[16,0]")},
        // 7 ValidationOverflow
        {"product wraps", one("F32", "[2,18446744073709551614]", "[0,16]")},
        {"product past 2^63", one("F32", "[2,9223372036854775807]", "[0,16]")},
        {"bits wrap", one("F32", "[4611686018427387904]", "[0,16]")},
        {"zero hides an overflow", one("F32", "[4294967296,4294967296,0]", "[0,0]", "")},
        {"extent past 64 bits", one("F32", "[18446744073709551616]", "[0,16]")},
        // 8 MisalignedSlice
        {"three halves of bytes", one("F4", "[3]", "[0,2]", "ab")},
        // 9 TensorInvalidInfo
        {"shape larger than its place", one("F32", "[2,2]", "[0,4]", "abcd")},
        {"shape smaller than its place", one("F32", "[3]", "[0,16]")},
        // 10 MetadataIncompleteBuffer
        {"bytes behind", one("F32", "[4]", "[0,16]", sixteen + "extra_bogus_data")},
        {"bytes missing", one("F32", "[4]", "[0,16]", sixteen.substr(2))},
        {"bytes without arrays", safetensors("{}", "x")},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.what);
        const auto file = openArrays(row.bytes, "safetensors");
        ASSERT_FALSE(file);
        EXPECT_EQ(file.error().code, Code::BadFormat) << describe(file.error());
        EXPECT_EQ(file.error().context.substr(0, 5), "input");
    }
}

TEST(SafetensorsFile, readsTheArraysBesideTypesItDoesNotKnow)
{
    const auto file = openArrays(safetensors("{" + entry("a", "F8_E4M3", "[4]", "[0,4]") + "," +
                                                 entry("b", "F4", "[8]", "[4,8]") + "," +
                                                 entry("c", "U8", "[8]", "[8,16]") + "}",
                                             sixteen),
                                 "safetensors");
    ASSERT_TRUE(file) << describe(file.error());
    ASSERT_EQ((*file)->arrays().size(), 1U);
    EXPECT_EQ(floatsOf(*file, "c"), std::vector<float>(8, 0.0F));
    const auto refused = (*file)->read("a");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::Unsupported);
    EXPECT_NE(refused.error().message.find("F8_E4M3"), std::string::npos);
}

TEST(SafetensorsFile, readsDataAtAnyAddress)
{
    const std::string header = "{" + entry("a", "F32", "[1]", "[0,4]") + "}";
    const std::string value("\0\0\x80\x3F", 4);
    for (int pad = 0; pad < 4; ++pad) {
        const auto file =
            openArrays(safetensors(header + std::string(static_cast<std::size_t>(pad), ' '), value),
                       "safetensors");
        ASSERT_TRUE(file);
        EXPECT_EQ(floatsOf(*file, "a"), std::vector<float>{1.0F});
    }
}
