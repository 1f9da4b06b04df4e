// The rules of .gguf: what the reference reader refuses and takes, and what broke other readers.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ggufbytes.h"

using namespace heed;

namespace {

const std::string fourNumbers(16, '\1');
constexpr std::uint64_t minusOne = ~std::uint64_t{0};
constexpr std::uint64_t half = std::uint64_t{1} << 63;

GgufParts withValue(const std::string& value)
{
    return {.values = {value}};
}

GgufParts withTensor(const std::vector<std::uint64_t>& extents, unsigned type,
                     std::uint64_t offset = 0, const std::string& data = fourNumbers)
{
    return {.tensors = {ggufTensor("t", extents, type, offset)}, .data = data};
}

std::string alignment(unsigned type, const std::string& value)
{
    return ggufValue("general.alignment", type, value);
}

} // namespace

TEST(GgufRules, acceptsWhatTheReferenceAccepts)
{
    struct Row {
        const char* what;
        GgufParts parts;
        Shape shape; ///< of the first tensor
    };
    const std::vector<Row> rows = {
        {"nothing in it", {}, {}},
        {"version 2",
         {.tensors = {ggufTensor("t", {4}, 0, 0)}, .data = fourNumbers, .version = 2},
         {4}},
        {"one number without axes", withTensor({}, 0), {}},
        {"four axes", withTensor({2, 1, 2, 1}, 0), {1, 2, 1, 2}},
        {"an extent of 0", withTensor({4, 0, 3}, 0), {3, 0, 4}},
        {"an extent of 0 without data", withTensor({0}, 0, 0, ""), {0}},
        {"blocks of 0 elements", withTensor({0, 3}, 12, 0, ""), {3, 0}},
        {"a name of 63 bytes",
         {.tensors = {ggufTensor(std::string(63, 'n'), {4}, 0, 0)}, .data = fourNumbers},
         {4}},
        {"alignment 8",
         {.values = {alignment(4, ggufNumber(8, 4))},
          .tensors = {ggufTensor("a", {1}, 0, 0), ggufTensor("b", {2}, 0, 8)},
          .data = fourNumbers,
          .alignment = 8},
         {1}},
        {"alignment 1",
         {.values = {alignment(4, ggufNumber(1, 4))},
          .tensors = {ggufTensor("a", {1}, 24, 0), ggufTensor("b", {1}, 0, 1)},
          .data = fourNumbers,
          .alignment = 1},
         {1}},
        {"empty tensors between",
         {.tensors = {ggufTensor("a", {1}, 0, 0), ggufTensor("b", {0}, 0, 32),
                      ggufTensor("c", {1}, 0, 32)},
          .data = std::string(64, '\0')},
         {1}},
        {"no padding behind the last tensor", withTensor({1}, 0, 0, "\1\1\1\1"), {1}},
        {"an empty list", withValue(ggufValue("l", 9, ggufList(8, 0, ""))), {}},
        // A file by its maker has two equal tokens: llama.cpp#25739.
        {"a token twice",
         withValue(
             ggufValue("tokenizer.ggml.tokens", 9, ggufList(8, 2, ggufText("a") + ggufText("a")))),
         {}},
        {"text that is not UTF-8", withValue(ggufValue("t", 8, ggufText("\xFF\xC3"))), {}},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.what);
        const auto file = openArrays(gguf(row.parts), "gguf");
        ASSERT_TRUE(file) << describe(file.error());
        ASSERT_EQ((*file)->arrays().size(), row.parts.tensors.size());
        for (const ArrayInfo& info : (*file)->arrays()) {
            EXPECT_TRUE((*file)->read(info.name));
            EXPECT_TRUE((*file)->readRaw(info.name));
        }
        if (!row.parts.tensors.empty()) {
            EXPECT_EQ((*file)->arrays()[0].shape, row.shape);
        }
        EXPECT_EQ((*file)->metadata().size(), row.parts.values.size());
    }
}

TEST(GgufRules, refusesWhatTheReferenceRefuses)
{
    struct Row {
        const char* what;
        GgufParts parts;
        const char* says;
        Code code = Code::BadFormat;
    };
    const auto text = [](std::uint64_t length, const std::string& bytes) {
        return ggufNumber(length, 8) + bytes;
    };
    const std::vector<Row> rows = {
        {"another magic", {.magic = "FUGG"}, "does not begin"},
        {"version 0", {.version = 0}, "version 0"},
        {"version 1", {.version = 1}, "version 1", Code::UnsupportedVersion},
        {"version 4", {.version = 4}, "version 4", Code::UnsupportedVersion},
        {"big-endian", {.version = 0x03000000}, "big-endian", Code::Unsupported},
        {"-1 tensors", {.tensorCount = minusOne}, "tensors"},
        {"2^62 tensors", {.tensorCount = half >> 1}, "tensors"},
        {"one tensor too many",
         {.tensors = {ggufTensor("t", {4}, 0, 0)}, .data = fourNumbers, .tensorCount = 2},
         ""},
        {"-1 values", {.valueCount = minusOne}, "values"},
        {"one value too many", {.valueCount = 1}, "values"},
        // names
        {"a name of length -1", withValue(text(minusOne, "name") + fourNumbers), "claims"},
        {"a name past the end", withValue(text(40, "name") + fourNumbers), "claims"},
        {"a value without a name", withValue(ggufValue("", 4, ggufNumber(1, 4))), "no name"},
        {"a name twice",
         {.values = {ggufValue("a", 4, ggufNumber(1, 4)), ggufValue("a", 0, "\1")}},
         "the name \"a\""},
        // values
        {"type 13", withValue(ggufValue("a", 13, fourNumbers)), "no type of values 13"},
        {"type 2^32-1", withValue(ggufValue("a", ~0U, fourNumbers)), "no type of values"},
        {"bool 2", withValue(ggufValue("a", 7, "\2")), "not 0 or 1"},
        {"bool 2 in a list", withValue(ggufValue("a", 9, ggufList(7, 3, "\1\2\1"))), "not 0 or 1"},
        {"a value cut short", withValue(ggufValue("a", 10, "1234")), "cut short"},
        {"a text of length 2^63", withValue(ggufValue("a", 8, text(half, fourNumbers))), "claims"},
        {"a text of length -1", withValue(ggufValue("a", 8, text(minusOne, fourNumbers))),
         "claims"},
        // lists; 2^63 elements kept the Python reader busy for ever: llama.cpp#27188
        {"a list of 2^63", withValue(ggufValue("a", 9, ggufList(0, half, fourNumbers))), "claims"},
        {"a list of 2^62 of 8 bytes", withValue(ggufValue("a", 9, ggufList(12, half >> 1, ""))),
         "claims"},
        {"a list of 2^61 + 1 of 8 bytes",
         withValue(ggufValue("a", 9, ggufList(12, (half >> 2) + 1, fourNumbers))), "claims"},
        {"a list longer than the file", withValue(ggufValue("a", 9, ggufList(4, 5, fourNumbers))),
         "claims"},
        {"a list of texts longer than the file",
         withValue(ggufValue("a", 9, ggufList(8, 3, ggufText("a") + ggufText("b")))), "claims"},
        {"a text of a list past the end",
         withValue(ggufValue("a", 9, ggufList(8, 1, text(2, "a")))), "claims"},
        {"a list of lists", withValue(ggufValue("a", 9, ggufList(9, 1, ggufList(0, 1, "\1")))),
         "holds lists"},
        {"a list of type 13", withValue(ggufValue("a", 9, ggufList(13, 0, ""))),
         "no type of values"},
        // alignment
        {"alignment 13", withValue(alignment(4, ggufNumber(13, 4))), "power of two"},
        {"alignment 0", withValue(alignment(4, ggufNumber(0, 4))), "power of two"},
        {"alignment as uint64", withValue(alignment(10, ggufNumber(32, 8))), "as uint32"},
        {"alignment as text", withValue(alignment(8, ggufText("32"))), "as uint32"},
        // tensors
        {"a name of 64 bytes",
         {.tensors = {ggufTensor(std::string(64, 'n'), {4}, 0, 0)}, .data = fourNumbers},
         "at most 63"},
        {"a tensor twice",
         {.tensors = {ggufTensor("t", {1}, 0, 0), ggufTensor("t", {1}, 0, 32)},
          .data = std::string(64, '\0')},
         "the name \"t\""},
        {"five axes", withTensor({1, 1, 1, 1, 1}, 0), "5 axes"},
        {"2^32-1 axes", {.tensors = {ggufText("t") + ggufNumber(~0U, 4) + fourNumbers}}, "axes"},
        {"a negative extent", withTensor({4, minusOne}, 0), "negative"},
        {"2^63 elements", withTensor({half >> 31, half >> 32}, 0), "more elements"},
        {"elements past 2^64", withTensor({half >> 1, 4}, 0), "more elements"},
        {"an extent of 0 that hides an overflow", withTensor({half >> 1, 4, 0}, 0),
         "more elements"},
        {"bytes past 2^64", withTensor({half >> 1}, 28), "more bytes"},
        {"type 42", withTensor({4}, 42), "type 42"},
        {"type 2^32-1", withTensor({4}, ~0U), "not known"},
        {"type Q4_2, taken out", withTensor({32}, 4), "Q4_2"},
        {"type Q4_3, taken out", withTensor({32}, 5), "Q4_3"},
        {"type Q4_0_4_4, taken out", withTensor({32}, 31), "Q4_0_4_4"},
        {"type IQ4_NL_8_8, taken out", withTensor({32}, 38), "IQ4_NL_8_8"},
        {"rows that fill no blocks", withTensor({48}, 2), "do not fill"},
        {"rows of half a block", withTensor({16, 2}, 2), "do not fill"},
        {"one number as a block", withTensor({}, 2), "do not fill"},
        // places
        {"a hole before", withTensor({1}, 0, 32, std::string(64, '\0')), "begin at 32"},
        {"an offset that is not aligned", withTensor({1}, 0, 4), "begin at 4"},
        {"an offset of -1", withTensor({1}, 0, minusOne), "begin at"},
        {"an overlap",
         {.tensors = {ggufTensor("a", {16}, 0, 0), ggufTensor("b", {1}, 0, 32)},
          .data = std::string(96, '\0')},
         "end at 64"},
        {"a hole between",
         {.tensors = {ggufTensor("a", {1}, 0, 0), ggufTensor("b", {1}, 0, 64)},
          .data = std::string(96, '\0')},
         "end at 32"},
        {"offsets of another alignment",
         {.values = {alignment(4, ggufNumber(64, 4))},
          .tensors = {ggufTensor("a", {1}, 0, 0), ggufTensor("b", {1}, 0, 32)},
          .data = std::string(256, '\0')},
         "end at 64"},
        {"data cut short", withTensor({5}, 0), "cut short"},
        {"no data at all", withTensor({1}, 0, 0, ""), "cut short"},
        {"data that never begins",
         {.values = {alignment(4, ggufNumber(1U << 31, 4))},
          .tensors = {ggufTensor("a", {1}, 0, 0)},
          .data = fourNumbers},
         "cut short"},
        // CVE-2026-33298: a size that wraps behind a small allocation.
        {"an extent of 2^42+1", withTensor({1 << 20, (std::uint64_t{1} << 42) + 1}, 0), ""},
        {"2^61 numbers", withTensor({half >> 2}, 0), "cut short"},
        {"two tensors whose sum wraps",
         {.tensors = {ggufTensor("a", {0x7FFFFFFFFFFFFFC0}, 24, 0),
                      ggufTensor("b", {0x7FFFFFFFFFFFFFC0}, 24, 0x7FFFFFFFFFFFFFC0)},
          .data = fourNumbers},
         ""},
        {"padding that wraps",
         {.values = {alignment(4, ggufNumber(1U << 31, 4))},
          .tensors = {ggufTensor("a", {half - 1}, 24, 0), ggufTensor("b", {half - 1}, 24, half)},
          .data = fourNumbers},
         ""},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.what);
        const auto file = openArrays(gguf(row.parts), "gguf");
        ASSERT_FALSE(file);
        EXPECT_EQ(file.error().code, row.code) << describe(file.error());
        EXPECT_NE(file.error().message.find(row.says), std::string::npos) << describe(file.error());
        EXPECT_EQ(file.error().context.substr(0, 5), "input");
        EXPECT_NE(file.error().context.find("byte "), std::string::npos) << describe(file.error());
    }
}
