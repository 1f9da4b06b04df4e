// Reading and writing tables of numbers.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "iofiles.h"

#include <cmath>
#include <limits>

using namespace heed;

namespace {

Expected<ArrayFilePtr> csv(const std::string& text)
{
    return openArrays(toBytes(text), "csv");
}

std::string asText(const Bytes& bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace

TEST(CsvFile, readsTablesWithAndWithoutNames)
{
    struct Row {
        const char* text;
        Shape shape;
        std::vector<float> values;
    };
    const std::vector<Row> rows = {
        {"1,2\n3,4\n", {2, 2}, {1, 2, 3, 4}},
        {"1,2\r\n3,4", {2, 2}, {1, 2, 3, 4}},
        {"a,b\n1,2\n", {1, 2}, {1, 2}},
        {"\"a,\"\"x\"\"\",\n0.5,-1e-3\n", {1, 2}, {0.5F, -1e-3F}},
        {"\xEF\xBB\xBF"
         "1,2\n",
         {1, 2},
         {1, 2}},
        {" 1 ,\t+2 \n\n \r\n", {1, 2}, {1, 2}},
        {"\"1\",\"2\"", {1, 2}, {1, 2}},
        {"7", {1, 1}, {7}},
        {".5,-.5,5.\n", {1, 3}, {0.5F, -0.5F, 5}},
        {"\n\n", {}, {}},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.text);
        const auto file = csv(row.text);
        if (row.values.empty()) {
            EXPECT_FALSE(file);
            continue;
        }
        ASSERT_TRUE(file) << describe(file.error());
        EXPECT_EQ((*file)->find("")->shape, row.shape);
        EXPECT_EQ(floatsOf(*file, ""), row.values);
    }
    EXPECT_EQ(csv("q,k\n1,2\n").value()->metadata(),
              (std::vector<std::pair<std::string, std::string>>{{"columns", "q,k"}}));
}

TEST(CsvFile, readsTablesOfCells)
{
    const auto file = csv("item,head,query,key,query_token,key_token,mask,weights\n"
                          "0,2,0,0,a,\"x,\",1,0.25\n"
                          "0,2,0,1,a,y,0,0\n"
                          "0,5,0,0,a,\"x,\",1,1\n"
                          "0,5,0,1,a,y,1,0.5\n");
    ASSERT_TRUE(file) << describe(file.error());
    EXPECT_EQ((*file)->find("weights")->shape, (Shape{1, 2, 1, 2}));
    EXPECT_EQ(floatsOf(*file, "weights"), (std::vector{0.25F, 0.0F, 1.0F, 0.5F}));
    EXPECT_EQ(floatsOf(*file, "mask"), (std::vector{1.0F, 0.0F, 1.0F, 1.0F}));
    using Lists = std::vector<std::vector<std::string>>;
    EXPECT_EQ((*file)->tokens().queries, (Lists{{"a"}}));
    EXPECT_EQ((*file)->tokens().keys, (Lists{{"x,", "y"}}));

    const std::string names = "query,key,query_token,key_token,w\n";
    for (const auto& [rows, where, says] : std::vector<std::array<std::string, 3>>{
             {"0,0,a,b,x\n", "line 2, column 5", "\"x\" is not a number."},
             {"0,-1,a,b,1\n", "line 2, column 2", "no index of a key"},
             {"0,0,a,a,1\n1,0,b,a,1\n1,1,b,b,1\n", "line 3, column 2", "out of order"},
             {"0,0,a,a,1\n0,1,a,b,1\n1,0,b,a,1\n", "line 4, column 1", "missing"},
             {"0,0,a,a,1\n0,0,a,a,1\n", "line 3, column 1", "twice"}}) {
        SCOPED_TRACE(rows);
        const auto broken = csv(names + rows);
        ASSERT_FALSE(broken);
        EXPECT_NE(broken.error().context.find(where), std::string::npos)
            << describe(broken.error());
        EXPECT_NE(broken.error().message.find(says), std::string::npos) << describe(broken.error());
    }
    // Other tables with such names stay tables.
    EXPECT_EQ(csv("query,key,w\n0,0,1\n").value()->find("")->shape, (Shape{1, 3}));
}

TEST(CsvFile, readsTypesAndSpecialNumbers)
{
    EXPECT_EQ(csv("1,2\n").value()->find("")->type, ElementType::Int64);
    EXPECT_EQ(csv("1,2.5\n").value()->find("")->type, ElementType::Float64);
    const auto values = floatsOf(csv("x,y,z,w\ninf,-Inf,NaN,-0\n").value(), "");
    constexpr float infinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(values[0], infinity);
    EXPECT_EQ(values[1], -infinity);
    EXPECT_TRUE(std::isnan(values[2]));
    EXPECT_TRUE(std::signbit(values[3]));
}

TEST(CsvFile, readsNumbersTooSmallAsZero)
{
    const auto values = floatsOf(
        csv("1e-400,-0.1e-999,10000e-500,.00001e-400,1e-99999999999999999999\n").value(), "");
    EXPECT_EQ(values, std::vector<float>(5, 0.0F));
    EXPECT_TRUE(std::signbit(values[1]));
}

TEST(CsvFile, saysLineAndColumnOfAnError)
{
    struct Row {
        std::string text;
        const char* where;
        const char* says;
    };
    const std::vector<Row> rows = {
        {"1,2\n3,x\n", "input, line 2, column 2", "\"x\" is not a number"},
        {"1,2\n3,\n", "input, line 2, column 2", "\"\" is not a number"},
        {"1,x\n3,4\n", "input, line 1, column 2", "\"x\" is not a number"},
        {"a,b\n1,2\nc,d\n", "input, line 3, column 1", "\"c\" is not a number"},
        {"1,2\n3,4,5\n", "input, line 2, column 3", "3 numbers"},
        {"1,2\n3\n", "input, line 2, column 2", "1 numbers"},
        {"a,b\n1\n", "input, line 2, column 2", "1 numbers"},
        {"1,2\n\n3,4\n", "input, line 2, column 1", "empty line"},
        {"a,b\n", "input, line 1, column 1", "no row"},
        {"\n", "input, line 1, column 1", "no row"},
        {"1,\"2\n3\"\n", "input, line 1, column 2", "quotation mark"},
        {"\"1\" 2\n", "input, line 1, column 1", "behind a closing"},
        {"1,0x10\n", "input, line 1, column 2", "not a number"},
        {"1,1e\n", "input, line 1, column 2", "not a number"},
        {"1,nan(1)\n", "input, line 1, column 2", "not a number"},
        {"1,1e999\n", "input, line 1, column 2", "not a number"},
        {"1,0.1e999\n", "input, line 1, column 2", "not a number"},
        {"1,-00.001e1000\n", "input, line 1, column 2", "not a number"},
        {"1,1e99999999999999999999\n", "input, line 1, column 2", "not a number"},
        {"1,--2\n", "input, line 1, column 2", "not a number"},
        {"1,+-2\n", "input, line 1, column 2", "not a number"},
        {"1,2 3\n", "input, line 1, column 2", "not a number"},
        {"1;2\n", "input, line 1, column 1", "not a number"},
        {"1e400\n1\n", "input, line 1, column 1", "not a number"},
        {"0x1,-0x2\n1,2\n", "input, line 1, column 1", "not a number"},
        {"-.5.,a\n1,2\n", "input, line 1, column 1", "not a number"},
        {",\n1,2\n", "input, line 1, column 1", "\"\" is not a number"},
        {std::string("1,2\0\n", 5), "input, line 1, column 2", "not a number"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.text);
        const auto file = csv(row.text);
        ASSERT_FALSE(file);
        EXPECT_EQ(file.error().code, Code::BadFormat);
        EXPECT_EQ(file.error().context, row.where) << describe(file.error());
        EXPECT_NE(file.error().message.find(row.says), std::string::npos) << describe(file.error());
        EXPECT_EQ(file.error().message.find("The table has \""), std::string::npos);
    }
}

TEST(CsvFile, writesMatricesAndIndexColumns)
{
    const std::vector<float> six{0.1F, 2, -3, 4, 5, std::numeric_limits<float>::infinity()};
    const auto text = [&](const Shape& shape) {
        const auto bytes =
            written(ArrayFormat::Csv, {toWrite("x", ElementType::Float32, shape, six)});
        EXPECT_TRUE(bytes) << describe(bytes.error());
        return bytes ? asText(*bytes) : std::string();
    };
    EXPECT_EQ(text({2, 3}), "0.1,2,-3\n4,5,inf\n");
    EXPECT_EQ(text({6}), "0.1\n2\n-3\n4\n5\ninf\n");
    EXPECT_EQ(text({1, 2, 3}), "axis0,c0,c1,c2\n0,0.1,2,-3\n0,4,5,inf\n");
    EXPECT_EQ(text({3, 1, 2, 1}),
              "axis0,axis1,c0\n0,0,0.1\n0,0,2\n1,0,-3\n1,0,4\n2,0,5\n2,0,inf\n");
    EXPECT_EQ(floatsOf(csv(text({2, 3})).value(), ""), six);
    EXPECT_EQ(csv(text({1, 2, 3})).value()->find("")->shape, (Shape{2, 4}));
    const std::vector<std::uint8_t> flags{1, 0};
    EXPECT_EQ(
        asText(written(ArrayFormat::Csv, {toWrite("m", ElementType::Bool, {1, 2}, flags)}).value()),
        "1,0\n");
    const std::vector<float> one{5};
    EXPECT_EQ(
        asText(written(ArrayFormat::Csv, {toWrite("m", ElementType::Float32, {}, one)}).value()),
        "5\n");
    const std::vector<float> none;
    EXPECT_EQ(
        asText(
            written(ArrayFormat::Csv, {toWrite("m", ElementType::Float32, {3, 0}, none)}).value()),
        "");
}
