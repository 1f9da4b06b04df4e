// Reading and writing .npz, against files that NumPy wrote.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "iofiles.h"

using namespace heed;

namespace {

const std::vector<ElementType> numpyTypes = {
    ElementType::Bool,  ElementType::UInt8,   ElementType::Int8,    ElementType::UInt16,
    ElementType::Int16, ElementType::UInt32,  ElementType::Int32,   ElementType::UInt64,
    ElementType::Int64, ElementType::Float16, ElementType::Float32, ElementType::Float64};

std::string names(const ArrayFilePtr& file)
{
    std::string all;
    for (const ArrayInfo& info : file->arrays()) {
        all += info.name + " ";
    }
    return all;
}

} // namespace

TEST(NpzFile, readsEveryTypeStoredAndDeflated)
{
    for (const char* name : {"stored.npz", "deflated.npz"}) {
        const auto file = openArrays(golden(name));
        ASSERT_TRUE(file) << describe(file.error());
        EXPECT_EQ((*file)->format(), "npz");
        for (const ElementType type : numpyTypes) {
            const std::string array(elementTypeName(type));
            SCOPED_TRACE(std::string(name) + " " + array);
            const ArrayInfo* info = (*file)->find(array);
            ASSERT_NE(info, nullptr);
            EXPECT_EQ(info->type, type);
            EXPECT_EQ(info->shape, (Shape{2, 3, 4}));
            EXPECT_EQ(floatsOf(*file, array), goldenValues(type, 24));
            EXPECT_EQ((*file)->readRaw(array)->size(),
                      24U * static_cast<std::size_t>(elementSize(type)));
        }
    }
}

TEST(NpzFile, readsOrdersInsideDeflatedMembers)
{
    const auto file = openArrays(golden("deflated.npz")).value();
    EXPECT_EQ(floatsOf(file, "fortran"), goldenValues(ElementType::Float32, 24));
    EXPECT_EQ(floatsOf(file, "big"), goldenValues(ElementType::Float32, 24));
    EXPECT_TRUE(file->find("fortran")->fortranOrder);
    EXPECT_TRUE(file->mapped("float32").empty());
}

TEST(NpzFile, listsTheNamesWhenOneIsMissing)
{
    const auto file = openArrays(golden("mixed.npz")).value();
    EXPECT_EQ(names(file), "weights ");
    const auto missing = file->read("wieghts");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, Code::NotFound);
    EXPECT_EQ(missing.error().message, "There is no array \"wieghts\"; there are \"weights\".");
    EXPECT_EQ(file->find("wieghts"), nullptr);
}

TEST(NpzFile, readsTheNumbersBesideTextAndObjects)
{
    const auto file = openArrays(golden("mixed.npz")).value();
    EXPECT_EQ(floatsOf(file, "weights"), goldenValues(ElementType::Float32, 24));
    EXPECT_EQ(file->read("tokens").error().code, Code::Unsupported);
    EXPECT_EQ(file->readRaw("objects").error().code, Code::Unsupported);
    EXPECT_NE(file->read("objects").error().message.find("pickled"), std::string::npos);
    EXPECT_TRUE(file->mapped("objects").empty());
}

TEST(NpzFile, ignoresOtherMembersAndReadsAnEmptyArchive)
{
    const auto other = openArrays(golden("other_members.npz")).value();
    EXPECT_EQ(names(other), "weights ");
    EXPECT_EQ(floatsOf(other, "weights"), goldenValues(ElementType::Float32, 24));
    const auto nothing = openArrays(golden("nothing.npz"));
    ASSERT_TRUE(nothing) << describe(nothing.error());
    EXPECT_TRUE((*nothing)->arrays().empty());
    EXPECT_EQ((*nothing)->read("x").error().code, Code::NotFound);
}

TEST(NpzFile, readsWhatItWritesWithoutACopy)
{
    const std::vector<float> weights{0.25F, 0.75F, 1, 0};
    const std::vector<std::uint8_t> mask{1, 0, 1, 1};
    const std::vector<std::uint16_t> half{0x3C00, 0x0001};
    const auto bytes = written(ArrayFormat::Npz,
                               {toWrite("mask", ElementType::Bool, {2, 2}, mask),
                                toWrite("weights", ElementType::Float32, {2, 2}, weights),
                                toWrite("a/b ü", ElementType::Float16, {2}, half)},
                               {{}, {{"command", "heedmap compute \"x\""}}});
    ASSERT_TRUE(bytes) << describe(bytes.error());
    const auto file = openArrays(*bytes, "npz");
    ASSERT_TRUE(file) << describe(file.error());
    EXPECT_EQ(names(*file), "mask weights a/b ü ");
    EXPECT_EQ(floatsOf(*file, "weights"), weights);
    const auto mapped = (*file)->mapped("weights");
    EXPECT_EQ(std::vector<float>(mapped.begin(), mapped.end()), weights);
    EXPECT_EQ(valuesOf<std::uint8_t>((*file)->readRaw("mask").value()), mask);
    EXPECT_EQ(floatsOf(*file, "a/b ü"), (std::vector<float>{1.0F, 0x1p-24F}));
    ASSERT_EQ((*file)->metadata().size(), 1U);
    EXPECT_EQ((*file)->metadata()[0].first, "command");
    EXPECT_EQ((*file)->metadata()[0].second, "heedmap compute \"x\"");
    // The same arrays give the same bytes.
    const std::vector<ArrayToWrite> again{toWrite("w", ElementType::Float32, {4}, weights)};
    EXPECT_EQ(written(ArrayFormat::Npz, again).value(), written(ArrayFormat::Npz, again).value());
}

TEST(NpzFile, writesTokensAsTextThatNumPyReads)
{
    const std::vector<float> weights{1};
    const auto bytes =
        written(ArrayFormat::Npz, {toWrite("weights", ElementType::Float32, {1}, weights)},
                {{{"I", "like", "苹果"}, {"Hi"}}, {}});
    ASSERT_TRUE(bytes) << describe(bytes.error());
    const std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    EXPECT_NE(text.find("{'descr': '<U4', 'fortran_order': False, 'shape': (2, 3), }"),
              std::string::npos);
    EXPECT_NE(text.find(std::string("l\0\0\0i\0\0\0k\0\0\0e\0\0\0\xF9\x82\0\0\x9C\x67\0\0", 24)),
              std::string::npos);
    const auto file = openArrays(*bytes, "npz").value();
    EXPECT_EQ(names(file), "weights ");
    EXPECT_EQ(file->read("tokens").error().code, Code::Unsupported);
}

TEST(NpzFile, writesATokenOfZerosSoThatItIsNotTheFiller)
{
    const std::vector<float> weights{1};
    const auto bytes =
        written(ArrayFormat::Npz, {toWrite("weights", ElementType::Float32, {1}, weights)},
                {{{std::string(1, '\0')}}, {}});
    ASSERT_TRUE(bytes) << describe(bytes.error());
    const std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    EXPECT_NE(text.find(std::string("\x39\x20\0\0000\0\0\0000\0\0\0\x3A\x20\0\0", 16)),
              std::string::npos);
}

TEST(NpzFile, refusesBadNamesAndSizesWhenWriting)
{
    const std::vector<float> four{1, 2, 3, 4};
    const auto array = [&](const std::string& name, const Shape& shape) {
        return toWrite(name, ElementType::Float32, shape, four);
    };
    EXPECT_EQ(written(ArrayFormat::Npz, {array("a", {4}), array("a", {4})}).error().code,
              Code::InvalidArgument);
    EXPECT_EQ(written(ArrayFormat::Npz, {array("", {4})}).error().code, Code::InvalidArgument);
    EXPECT_EQ(written(ArrayFormat::Npz, {array("\xFF", {4})}).error().code, Code::InvalidArgument);
    EXPECT_EQ(written(ArrayFormat::Npz, {array("a", {5})}).error().code, Code::InvalidArgument);
    EXPECT_EQ(written(ArrayFormat::Npz, {array("a", {-4})}).error().code, Code::InvalidShape);
    EXPECT_EQ(written(ArrayFormat::Npz, {array(std::string(70000, 'n'), {4})}).error().code,
              Code::InvalidArgument);
    EXPECT_EQ(written(ArrayFormat::Npz, {array("tokens", {4})}, {{{"I"}}, {}}).error().code,
              Code::InvalidArgument);
}

TEST(NpzFile, stopsWithTheErrorOfTheSink)
{
    const std::vector<float> four{1, 2, 3, 4};
    const std::vector<ArrayToWrite> arrays{toWrite("a", ElementType::Float32, {4}, four)};
    int calls = 0;
    const auto result = writeArrays(
        [&](std::span<const std::byte>) -> Expected<void> {
            return ++calls < 2 ? Expected<void>{} : fail(Code::Io, "The pipe is closed.");
        },
        ArrayFormat::Npz, arrays);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "The pipe is closed.");
    EXPECT_EQ(calls, 2);
}

// An archive of more than 4 GiB in a file with a hole: sizes, offsets and directory are zip64.
TEST(NpzFile, writesAndReadsMoreThanFourGibibytes)
{
    constexpr std::size_t piece = std::size_t{1} << 26;
    constexpr std::size_t pieces = 65;
    const std::vector<std::byte> zeros(piece);
    const ArrayToWrite large{"large", ElementType::UInt8, {pieces * piece}, {}, [&] {
                                 return [&] { return std::span<const std::byte>(zeros); };
                             }};
    const std::vector<float> last{42};
    const std::vector<ArrayToWrite> arrays{large, toWrite("last", ElementType::Float32, {1}, last)};
    const TemporaryFolder folder;
    {
        std::ofstream file(folder / "large.npz", std::ios::binary);
        const auto result = writeArrays(
            [&](std::span<const std::byte> bytes) -> Expected<void> {
                if (bytes.size() == piece) {
                    file.seekp(static_cast<std::streamoff>(piece), std::ios::cur);
                } else {
                    file.write(reinterpret_cast<const char*>(bytes.data()),
                               static_cast<std::streamsize>(bytes.size()));
                }
                return {};
            },
            ArrayFormat::Npz, arrays);
        ASSERT_TRUE(result) << describe(result.error());
    }
    const auto file = openArrays(folder / "large.npz");
    ASSERT_TRUE(file) << describe(file.error());
    EXPECT_EQ((*file)->find("large")->shape, Shape{pieces * piece});
    EXPECT_EQ(floatsOf(*file, "last"), last);
    ASSERT_EQ((*file)->mapped("last").size(), 1U);
    EXPECT_EQ((*file)->mapped("last")[0], 42);
}
