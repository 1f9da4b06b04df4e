// Reading and writing .npy, against files that NumPy wrote.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "iofiles.h"

using namespace heed;

namespace {

/// A .npy array of version @p major with this header text and data, lengths right.
Bytes npy(const std::string& header, const std::string& data, char major = 1)
{
    std::string text("\x93NUMPY", 6);
    text += major;
    text += '\0';
    for (int byte = 0; byte < (major == 1 ? 2 : 4); ++byte) {
        text += static_cast<char>(header.size() >> (8 * byte) & 0xFF);
    }
    return toBytes(text + header + data);
}

std::string f4Header(const std::string& shape)
{
    return "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }\n";
}

const std::string fourBytes("\0\0\0\0", 4);

} // namespace

TEST(NpyFile, readsEveryOrderAndVersionThatNumPyWrites)
{
    const auto expected = goldenValues(ElementType::Float32, 24);
    for (const char* name : {"c.npy", "fortran.npy", "big.npy", "version2.npy", "version3.npy"}) {
        SCOPED_TRACE(name);
        const auto file = openArrays(golden(name));
        ASSERT_TRUE(file) << describe(file.error());
        EXPECT_EQ((*file)->format(), "npy");
        ASSERT_EQ((*file)->arrays().size(), 1U);
        const ArrayInfo& info = (*file)->arrays().front();
        EXPECT_EQ(info.name, "");
        EXPECT_EQ(info.type, ElementType::Float32);
        EXPECT_EQ(info.shape, (Shape{2, 3, 4}));
        EXPECT_EQ(info.fortranOrder, std::string(name) == "fortran.npy");
        EXPECT_EQ(floatsOf(*file, ""), expected);
        EXPECT_EQ(valuesOf<float>((*file)->readRaw("").value()), expected);
    }
}

TEST(NpyFile, givesBigEndianFortranIntegersInOrder)
{
    const auto file = openArrays(golden("big_fortran_int64.npy")).value();
    EXPECT_EQ(file->find("")->shape, (Shape{3, 5}));
    EXPECT_EQ(floatsOf(file, ""), goldenValues(ElementType::Int64, 15));
    const auto raw = valuesOf<std::int64_t>(file->readRaw("").value());
    ASSERT_EQ(raw.size(), 15U);
    EXPECT_EQ(raw[0], -3);
    EXPECT_EQ(raw[6], 3);
    EXPECT_EQ(raw[13], 3);
}

TEST(NpyFile, readsScalarEmptyAndVector)
{
    const auto scalar = openArrays(golden("scalar.npy")).value();
    EXPECT_EQ(scalar->find("")->shape, Shape{});
    EXPECT_EQ(floatsOf(scalar, ""), std::vector<float>{2.5F});
    const auto empty = openArrays(golden("empty.npy")).value();
    EXPECT_EQ(empty->find("")->shape, (Shape{2, 0, 3}));
    EXPECT_TRUE(empty->read("")->empty());
    EXPECT_TRUE(empty->readRaw("")->empty());
    const auto vector = openArrays(golden("vector.npy")).value();
    EXPECT_EQ(vector->find("")->type, ElementType::Float64);
    EXPECT_EQ(floatsOf(vector, ""), goldenValues(ElementType::Float64, 7));
}

TEST(NpyFile, mapsOnlyWhatLiesInTheFileAsFloats)
{
    const auto plain = openArrays(golden("c.npy")).value();
    const auto mapped = plain->mapped("");
    EXPECT_EQ(std::vector<float>(mapped.begin(), mapped.end()),
              goldenValues(ElementType::Float32, 24));
    EXPECT_TRUE(openArrays(golden("fortran.npy")).value()->mapped("").empty());
    EXPECT_TRUE(openArrays(golden("big.npy")).value()->mapped("").empty());
    EXPECT_TRUE(openArrays(golden("vector.npy")).value()->mapped("").empty());
    EXPECT_TRUE(plain->mapped("no such array").empty());
    // Data at an odd address.
    const auto odd =
        openArrays(npy("{'descr':'<f4','fortran_order':False,'shape':(1,)} ", fourBytes), "npy");
    ASSERT_TRUE(odd) << describe(odd.error());
    EXPECT_TRUE((*odd)->mapped("").empty());
    EXPECT_EQ(floatsOf(*odd, ""), std::vector<float>{0.0F});
}

TEST(NpyFile, writesTheBytesThatNumPyWrites)
{
    const auto floats = goldenValues(ElementType::Float32, 24);
    EXPECT_EQ(written(ArrayFormat::Npy, {toWrite("x", ElementType::Float32, {2, 3, 4}, floats)}),
              readBytes(golden("c.npy")));
    const std::vector<double> one{2.5};
    EXPECT_EQ(written(ArrayFormat::Npy, {toWrite("x", ElementType::Float64, {}, one)}),
              readBytes(golden("scalar.npy")));
    const std::vector<double> seven{-1.25, -1, -0.75, -0.5, -0.25, 0, 0.25};
    EXPECT_EQ(written(ArrayFormat::Npy, {toWrite("x", ElementType::Float64, {7}, seven)}),
              readBytes(golden("vector.npy")));
    const std::vector<float> none;
    EXPECT_EQ(written(ArrayFormat::Npy, {toWrite("x", ElementType::Float32, {2, 0, 3}, none)}),
              readBytes(golden("empty.npy")));
}

TEST(NpyFile, refusesTypesWithNoNumbers)
{
    for (const char* name : {"object.npy", "text.npy", "complex.npy", "record.npy"}) {
        SCOPED_TRACE(name);
        const auto file = openArrays(golden(name));
        ASSERT_FALSE(file);
        EXPECT_EQ(file.error().code, Code::Unsupported);
        EXPECT_NE(file.error().context.find(name), std::string::npos);
    }
    EXPECT_NE(openArrays(golden("object.npy")).error().message.find("pickled"), std::string::npos);
}

TEST(NpyFile, acceptsTheFreedomsOfTheHeader)
{
    const std::vector<std::string> headers = {
        "{\"shape\": (1L,), \"fortran_order\": True, \"descr\": \"<f4\"}",
        "  {'descr':'<f4','fortran_order':False,'shape':( 1 , 1 )}\n",
        "{'descr': '=f4', 'fortran_order': False, 'shape': (), }",
        "{'descr': 'f4', 'fortran_order': False, 'shape': (1,1,1), }",
    };
    for (const std::string& header : headers) {
        SCOPED_TRACE(header);
        const auto file = openArrays(npy(header, fourBytes), "npy");
        EXPECT_TRUE(file) << describe(file.error());
    }
}

TEST(NpyFile, refusesDamagedHeadersAndSizes)
{
    struct Row {
        const char* what;
        Bytes bytes;
        Code code = Code::BadFormat;
    };
    const std::string f4 = "{'descr': '<f4', 'fortran_order': False, ";
    std::string sixtyFive = "(";
    for (int axis = 0; axis < 65; ++axis) {
        sixtyFive += "1,";
    }
    const std::vector<Row> rows = {
        {"no magic", toBytes("\x93NUMPX\1\0\0\0")},
        {"nothing", {}},
        {"version 4", npy(f4Header("(1,)"), fourBytes, 4), Code::UnsupportedVersion},
        {"version 0", npy(f4Header("(1,)"), fourBytes, 0), Code::UnsupportedVersion},
        {"header past the end", toBytes(std::string("\x93NUMPY\1\0\xFF\xFF{", 11))},
        {"header of 4 GiB", toBytes(std::string("\x93NUMPY\2\0\xFF\xFF\xFF\xFF{", 13))},
        {"header empty", npy("", fourBytes)},
        {"header no dictionary", npy("[1]", fourBytes)},
        {"no end", npy(f4 + "'shape': (1,)", fourBytes)},
        {"text behind", npy(f4 + "'shape': (1,)} x", fourBytes)},
        {"key unknown", npy(f4 + "'shape': (1,), 'evil': 1}", fourBytes)},
        {"key twice", npy(f4 + "'shape': (1,), 'shape': (1,)}", fourBytes)},
        {"key missing", npy("{'descr': '<f4', 'shape': (1,)}", fourBytes)},
        {"comma missing", npy(f4 + "'shape': (1,) 'shape': (1,)}", fourBytes)},
        {"negative extent", npy(f4Header("(-1,)"), fourBytes)},
        {"extent no number", npy(f4Header("(x,)"), fourBytes)},
        {"extent of 2^63", npy(f4Header("(9223372036854775808,)"), fourBytes)},
        {"extents without comma", npy(f4Header("(1 1)"), fourBytes)},
        {"comma only", npy(f4Header("(,)"), fourBytes)},
        {"shape no tuple", npy(f4Header("(1)"), fourBytes)},
        {"shape a list", npy(f4Header("[1]"), fourBytes)},
        {"shape not closed", npy(f4 + "'shape': (1,", fourBytes)},
        {"too many axes", npy(f4Header(sixtyFive + ")"), fourBytes)},
        {"product overflows", npy(f4Header("(4294967296, 4294967296, 4)"), fourBytes)},
        {"bytes overflow", npy(f4Header("(9223372036854775807,)"), fourBytes)},
        {"product wraps to 4 bytes", npy(f4Header("(4611686018427387905,)"), fourBytes)},
        {"zero hides an overflow", npy(f4Header("(4294967296, 4294967296, 0)"), "")},
        {"data short", npy(f4Header("(2,)"), fourBytes)},
        {"data long", npy(f4Header("(1,)"), fourBytes + "x")},
        {"type unknown", npy("{'descr': '<q9', 'fortran_order': False, 'shape': ()}", fourBytes)},
        {"type empty", npy("{'descr': '', 'fortran_order': False, 'shape': ()}", fourBytes)},
        {"type no text", npy("{'descr': 4, 'fortran_order': False, 'shape': ()}", fourBytes)},
        {"order no bool", npy("{'descr': '<f4', 'fortran_order': 0, 'shape': ()}", fourBytes)},
        {"long double", npy("{'descr': '<f16', 'fortran_order': False, 'shape': ()}", fourBytes),
         Code::Unsupported},
        {"date", npy("{'descr': '<M8[s]', 'fortran_order': False, 'shape': ()}", fourBytes),
         Code::Unsupported},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.what);
        const auto file = openArrays(row.bytes, "npy");
        ASSERT_FALSE(file);
        EXPECT_EQ(file.error().code, row.code) << describe(file.error());
        EXPECT_FALSE(file.error().message.empty());
    }
}

TEST(NpyFile, saysWhatAndWhereWhenCutShort)
{
    const auto file = openArrays(npy(f4Header("(2, 3)"), fourBytes), "npy");
    ASSERT_FALSE(file);
    EXPECT_NE(file.error().message.find("[2, 3] float32 takes 24 bytes, 4 are there"),
              std::string::npos)
        << file.error().message;
    EXPECT_NE(file.error().context.find("byte "), std::string::npos);
}

TEST(NpyFile, boolBytesAreZeroOrOne)
{
    const auto file = openArrays(
        npy("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", std::string("\0\1\xFF", 3)),
        "npy");
    ASSERT_TRUE(file);
    EXPECT_EQ(floatsOf(*file, ""), (std::vector<float>{0, 1, 1}));
    EXPECT_EQ(valuesOf<std::uint8_t>((*file)->readRaw("").value()),
              (std::vector<std::uint8_t>{0, 1, 1}));
}

TEST(NpyFile, cannotHoldBfloat16OrTwoArrays)
{
    const std::vector<std::uint16_t> values{0x3F80};
    const auto array = toWrite("x", ElementType::BFloat16, {1}, values);
    EXPECT_EQ(written(ArrayFormat::Npy, {array}).error().code, Code::Unsupported);
    EXPECT_EQ(written(ArrayFormat::Npy, {array, array}).error().code, Code::InvalidArgument);
    EXPECT_EQ(written(ArrayFormat::Npy, {}).error().code, Code::InvalidArgument);
}
