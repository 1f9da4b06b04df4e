// Choosing the format, opening what is no file of arrays, and replacing files whole.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "iofiles.h"

#include <bit>
#include <cmath>
#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace heed;
namespace fs = std::filesystem;

namespace {

const std::vector<float> four{1, 2, 3, 4};
const std::vector<ArrayToWrite> arrays{toWrite("w", ElementType::Float32, {2, 2}, four)};

std::string textOf(const fs::path& path)
{
    const Bytes bytes = readBytes(path);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace

TEST(ArrayFile, goesByContentFirstAndThenByName)
{
    const TemporaryFolder folder;
    for (const char* name : {"a.npy", "a.npz", "a.safetensors", "a.json", "a.CSV"}) {
        SCOPED_TRACE(name);
        const auto result = writeArrays(folder / name, arrays);
        ASSERT_TRUE(result) << describe(result.error());
        const auto file = openArrays(folder / name);
        ASSERT_TRUE(file) << describe(file.error());
        const std::string array = (*file)->arrays().front().name;
        EXPECT_EQ((*file)->find(array)->shape, (Shape{2, 2}));
        EXPECT_EQ(floatsOf(*file, array), four);
        // The same bytes under the wrong name, csv alone needs its name.
        fs::copy_file(folder / name, folder / (std::string(name) + ".csv"));
        const auto misnamed = openArrays(folder / (std::string(name) + ".csv"));
        ASSERT_TRUE(misnamed) << describe(misnamed.error());
        EXPECT_EQ((*misnamed)->format(), (*file)->format());
    }
    EXPECT_EQ(folder.entries(), 10U); // no temporary is left
}

TEST(ArrayFile, saysWhatIsWrongWithAPath)
{
    const TemporaryFolder folder;
    writeBytes(folder / "empty.npz", "");
    writeBytes(folder / "notes.txt", "hello");
    writeBytes(folder / "text.npy", "hello");
    writeBytes(folder / "model.gguf", "GGUF....");
    writeBytes(folder / "state.pt", "\x80\x02}q");
    writeBytes(folder / "x.npz.gz", "\x1F\x8B\x08");
    writeBytes(folder / "x.h5", "\x89HDF\r\n");
    ASSERT_EQ(::mkfifo((folder / "pipe.npy").c_str(), 0600), 0);
    fs::create_symlink("loop.npy", folder / "loop.npy");
    struct Row {
        const char* name;
        Code code;
        const char* says;
    };
    const std::vector<Row> rows = {
        {"missing.npy", Code::NotFound, "no such file"},
        {"notes.txt/x.npy", Code::NotFound, "no such file"},
        {"", Code::Io, "directory"},
        {"pipe.npy", Code::Io, "pipe"},
        {"loop.npy", Code::Io, "cannot be read"},
        {"empty.npz", Code::BadFormat, "empty"},
        {"notes.txt", Code::BadFormat, ".safetensors"},
        {"text.npy", Code::BadFormat, "NUMPY"},
        {"model.gguf", Code::BadFormat, "GGUF"},
        {"state.pt", Code::Unsupported, "pickle"},
        {"x.npz.gz", Code::Unsupported, "gzip"},
        {"x.h5", Code::Unsupported, "HDF5"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.name);
        const auto file = openArrays(folder / row.name);
        ASSERT_FALSE(file);
        EXPECT_EQ(file.error().code, row.code) << describe(file.error());
        EXPECT_NE(file.error().message.find(row.says), std::string::npos) << describe(file.error());
        EXPECT_NE(file.error().context.find(row.name), std::string::npos);
    }
    writeBytes(folder / "secret.npy", "x");
    fs::permissions(folder / "secret.npy", fs::perms::none);
    const bool readable = std::ifstream(folder / "secret.npy").good(); // for the superuser
    EXPECT_EQ(openArrays(folder / "secret.npy").error().code,
              readable ? Code::BadFormat : Code::Io);
}

TEST(ArrayFile, opensBytesByFormatOrByContent)
{
    const auto npz = written(ArrayFormat::Npz, arrays).value();
    EXPECT_EQ(openArrays(npz, "").value()->format(), "npz");
    EXPECT_EQ(openArrays(npz, "json").error().code, Code::BadFormat);
    EXPECT_EQ(openArrays(npz, "xlsx").error().code, Code::InvalidArgument);
    EXPECT_EQ(openArrays(Bytes{}, "csv").error().code, Code::BadFormat);
    EXPECT_EQ(openArrays(Bytes{}, "").error().code, Code::BadFormat);
}

TEST(ArrayFile, knowsTheFormatOfAName)
{
    EXPECT_EQ(arrayFormatOf("out.npy").value(), ArrayFormat::Npy);
    EXPECT_EQ(arrayFormatOf("a.b/out.NPZ").value(), ArrayFormat::Npz);
    EXPECT_EQ(arrayFormatOf("out.safetensors").value(), ArrayFormat::Safetensors);
    EXPECT_EQ(arrayFormatOf("out.json").value(), ArrayFormat::Json);
    EXPECT_EQ(arrayFormatOf("out.csv").value(), ArrayFormat::Csv);
    for (const char* name : {"out", "out.png", "npz", ".npz", "out.", "out.gguf"}) {
        const auto format = arrayFormatOf(name);
        ASSERT_FALSE(format) << name;
        EXPECT_EQ(format.error().code, Code::InvalidArgument);
        EXPECT_NE(format.error().message.find(".npy, .npz"), std::string::npos);
    }
}

TEST(ArrayFile, leavesTheOldFileWhenWritingFails)
{
    const TemporaryFolder folder;
    writeBytes(folder / "out.npy", "old");
    const std::vector<ArrayToWrite> two{arrays[0], arrays[0]};
    EXPECT_EQ(writeArrays(folder / "out.npy", two).error().code, Code::InvalidArgument);
    EXPECT_EQ(textOf(folder / "out.npy"), "old");
    EXPECT_EQ(folder.entries(), 1U);

    // A full disk, by a limit on the size of files.
    rlimit before = {};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = ::signal(SIGXFSZ, SIG_IGN);
    const rlimit small = {4096, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const Bytes large(100000);
    const auto result = writeFile(folder / "out.npy", large);
    ::setrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, handler);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Code::Io);
    EXPECT_NE(result.error().message.find("large"), std::string::npos) << result.error().message;
    EXPECT_NE(result.error().message.find("needs 97.7 KiB"), std::string::npos)
        << result.error().message;
    EXPECT_EQ(result.error().message.find("--what"), std::string::npos) << "advice for arrays";
    EXPECT_EQ(textOf(folder / "out.npy"), "old");
    EXPECT_EQ(folder.entries(), 1U);
}

TEST(ArrayFile, writesPiecesAsItWritesMemory)
{
    const TemporaryFolder folder;
    std::vector<float> values(1000);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i) / 8;
    }
    const auto bytes = std::as_bytes(std::span(values));
    const std::vector<ArrayToWrite> whole{toWrite("w", ElementType::Float32, {10, 100}, values)};
    for (const char* name : {"a.npy", "a.npz", "a.safetensors", "a.json", "a.csv"}) {
        const ArrayFormat format = arrayFormatOf(name).value();
        ASSERT_TRUE(writeArrays(folder / name, whole));
        const std::string file = textOf(folder / name);
        for (const std::size_t most : {4U, 52U, 4000U, 4096U}) {
            SCOPED_TRACE(std::string(name) + " in pieces of " + std::to_string(most));
            const std::vector<ArrayToWrite> pieces{
                inPieces("w", ElementType::Float32, {10, 100}, bytes, most)};
            EXPECT_EQ(written(format, pieces).value(), written(format, whole).value());
            ASSERT_TRUE(writeArrays(folder / name, pieces));
            EXPECT_TRUE(textOf(folder / name) == file);
        }
        // What was sent to a pipe holds the same.
        const auto sent = openArrays(written(format, whole).value(), name + 2).value();
        EXPECT_EQ(floatsOf(sent, sent->arrays().front().name), values);
    }
}

TEST(ArrayFile, refusesPiecesThatDoNotFitTheShape)
{
    const TemporaryFolder folder;
    const auto bytes = std::as_bytes(std::span(four));
    for (const char* name : {"a.npy", "a.npz", "a.safetensors", "a.json", "a.csv"}) {
        const ArrayFormat format = arrayFormatOf(name).value();
        // Too few numbers, too many, half a number.
        for (const auto& array : {inPieces("w", ElementType::Float32, {3, 2}, bytes, 8),
                                  inPieces("w", ElementType::Float32, {1, 2}, bytes, 16),
                                  inPieces("w", ElementType::Float32, {2, 2}, bytes, 6)}) {
            const auto result = writeArrays(folder / name, format, std::span(&array, 1));
            ASSERT_FALSE(result) << name;
            EXPECT_EQ(result.error().code, Code::Internal);
        }
    }
    EXPECT_EQ(folder.entries(), 0U);
}

TEST(ArrayFile, leavesTheOldFileWhenItIsStoppedMidway)
{
    const TemporaryFolder folder;
    const std::vector<float> values(1 << 16);
    int asked = 0;
    ArrayToWrite array{"w", ElementType::Float32, {1 << 18}, {}, {}};
    array.pieces = [&] {
        return [&]() -> Expected<std::span<const std::byte>> {
            return ++asked % 3 == 0
                       ? Expected<std::span<const std::byte>>(fail(Code::Cancelled, "Stopped."))
                       : std::as_bytes(std::span(values));
        };
    };
    for (const char* name : {"a.npy", "a.npz", "a.safetensors", "a.json", "a.csv"}) {
        writeBytes(folder / name, "old");
        const auto result = writeArrays(folder / name, std::span(&array, 1));
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().code, Code::Cancelled);
        EXPECT_EQ(textOf(folder / name), "old");
    }
    EXPECT_EQ(asked, 3 * 5);
    EXPECT_EQ(folder.entries(), 5U);
}

TEST(ArrayFile, refusesWhatTheDiskHasNoRoomForBeforeItBegins)
{
    const TemporaryFolder folder;
    ArrayToWrite array{"w", ElementType::UInt8, {std::int64_t{1} << 60}, {}, {}};
    array.pieces = []() -> ByteSource {
        ADD_FAILURE() << "began";
        return [] { return std::span<const std::byte>(); };
    };
    for (const char* name : {"a.npy", "a.npz", "a.safetensors", "a.json", "a.csv"}) {
        const auto result = writeArrays(folder / name, std::span(&array, 1));
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().code, Code::Io);
        const bool isText = std::string(name).ends_with("json") || std::string(name) == "a.csv";
        const std::string needs = isText ? "needs at least 2 EiB" : "needs at least 1 EiB";
        EXPECT_NE(result.error().message.find(needs), std::string::npos) << result.error().message;
        EXPECT_NE(result.error().message.find("free"), std::string::npos);
        EXPECT_NE(result.error().message.find("--what"), std::string::npos);
    }
    EXPECT_EQ(folder.entries(), 0U);
}

TEST(ArrayFile, saysWhyAPathCannotBeWritten)
{
    const TemporaryFolder folder;
    fs::create_directory(folder / "dir.npy");
    for (const char* name : {"none/out.npy", "dir.npy"}) {
        SCOPED_TRACE(name);
        const auto result = writeArrays(folder / name, arrays);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().code, Code::Io);
        EXPECT_NE(result.error().context.find(name), std::string::npos);
    }
    EXPECT_EQ(writeArrays(folder / "out.txt", arrays).error().code, Code::InvalidArgument);
    EXPECT_EQ(folder.entries(), 1U);
}

TEST(ArrayFile, keepsLinksAndPermissionsAndWritesDevices)
{
    const TemporaryFolder folder;
    writeBytes(folder / "real.npy", "old");
    fs::permissions(folder / "real.npy", fs::perms::owner_read | fs::perms::owner_write);
    fs::create_symlink("real.npy", folder / "link.npy");
    ASSERT_TRUE(writeArrays(folder / "link.npy", arrays));
    EXPECT_TRUE(fs::is_symlink(folder / "link.npy"));
    EXPECT_EQ(fs::status(folder / "real.npy").permissions(),
              fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(floatsOf(openArrays(folder / "real.npy").value(), ""), four);
    ASSERT_TRUE(writeFile("/dev/null", toBytes("x")));
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    const auto full = writeFile("/dev/full", toBytes("x"));
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().code, Code::Io);
}

TEST(ArrayFile, writesThroughALinkWhoseFileIsNotThereYet)
{
    const TemporaryFolder folder;
    fs::create_symlink("second.npy", folder / "first.npy");
    fs::create_symlink("real.npy", folder / "second.npy");
    ASSERT_TRUE(writeArrays(folder / "first.npy", arrays));
    EXPECT_TRUE(fs::is_symlink(folder / "first.npy"));
    EXPECT_TRUE(fs::is_symlink(folder / "second.npy"));
    EXPECT_EQ(floatsOf(openArrays(folder / "real.npy").value(), ""), four);

    fs::create_symlink("loop.npy", folder / "loop.npy");
    EXPECT_EQ(writeArrays(folder / "loop.npy", arrays).error().code, Code::Io);
    EXPECT_TRUE(fs::is_symlink(folder / "loop.npy"));
}

TEST(ArrayFile, leavesNothingBehindWhenTheProgramIsKilled)
{
    const TemporaryFolder folder;
    const std::string path = (folder / "").string();
    const int nameless = ::open(path.c_str(), O_WRONLY | O_TMPFILE, 0600);
    if (nameless < 0) {
        GTEST_SKIP() << "this file system has no files without a name";
    }
    ::close(nameless);
    const Bytes bytes(std::size_t{1} << 20);
    const pid_t child = ::fork();
    if (child == 0) {
        const rlimit little{4096, 4096};
        const rlimit none{0, 0};
        ::setrlimit(RLIMIT_FSIZE, &little);
        ::setrlimit(RLIMIT_CORE, &none);
        std::signal(SIGXFSZ, SIG_DFL);
        ::_exit(writeFile(folder / "x.npy", bytes) ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(folder.entries(), 0U);
}

// An open file goes on giving its numbers while the same path is written again.
TEST(ArrayFile, survivesItsOwnReplacement)
{
    const TemporaryFolder folder;
    ASSERT_TRUE(writeArrays(folder / "x.npz", arrays));
    const auto file = openArrays(folder / "x.npz").value();
    const std::vector<float> other{9};
    const std::vector<ArrayToWrite> next{toWrite("w", ElementType::Float32, {1}, other)};
    ASSERT_TRUE(writeArrays(folder / "x.npz", next));
    EXPECT_EQ(floatsOf(file, "w"), four);
    EXPECT_EQ(floatsOf(openArrays(folder / "x.npz").value(), "w"), other);
}

TEST(ElementType, hasTheNamesOfNumPyAndSizes)
{
    EXPECT_EQ(elementTypeName(ElementType::Bool), "bool");
    EXPECT_EQ(elementTypeName(ElementType::BFloat16), "bfloat16");
    EXPECT_EQ(elementTypeName(ElementType::Float64), "float64");
    EXPECT_EQ(elementSize(ElementType::Int16), 2);
    EXPECT_EQ(elementSize(ElementType::Float64), 8);
}

// Every float16 against its definition: sign * 2^(e-15) * 1.m, or 2^-14 * 0.m.
TEST(ElementType, widensEveryHalfExactly)
{
    std::vector<std::uint16_t> half(65536);
    for (std::size_t i = 0; i < half.size(); ++i) {
        half[i] = static_cast<std::uint16_t>(i);
    }
    const auto bytes =
        written(ArrayFormat::Npy, {toWrite("h", ElementType::Float16, {65536}, half)}).value();
    const auto values = floatsOf(openArrays(bytes, "npy").value(), "");
    std::vector<float> numbers;
    for (std::size_t i = 0; i < half.size(); ++i) {
        const int exponent = static_cast<int>(i >> 10 & 0x1F);
        const int mantissa = static_cast<int>(i & 0x3FF);
        const float sign = (i & 0x8000) != 0 ? -1.0F : 1.0F;
        if (exponent == 31 && mantissa != 0) {
            ASSERT_TRUE(std::isnan(values[i])) << i;
            continue;
        }
        const float expected =
            exponent == 31  ? sign * std::numeric_limits<float>::infinity()
            : exponent == 0 ? sign * std::ldexp(static_cast<float>(mantissa), -24)
                            : sign * std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
        ASSERT_EQ(std::bit_cast<std::uint32_t>(values[i]), std::bit_cast<std::uint32_t>(expected))
            << i;
    }
}

TEST(ElementType, widensBfloat16AsTheUpperHalf)
{
    const std::vector<std::uint16_t> values{0x3F80, 0xBF80, 0x7F80, 0xFF80, 0x0001, 0x8000, 0x7FC1};
    const std::vector<std::uint32_t> expected{0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000,
                                              0x00010000, 0x80000000, 0x7FC10000};
    const auto bytes =
        written(ArrayFormat::Safetensors, {toWrite("b", ElementType::BFloat16, {7}, values)})
            .value();
    const auto floats = floatsOf(openArrays(bytes, "safetensors").value(), "b");
    for (std::size_t i = 0; i < floats.size(); ++i) {
        EXPECT_EQ(std::bit_cast<std::uint32_t>(floats[i]), expected[i]);
    }
}

TEST(ElementType, rounds64BitNumbers)
{
    const std::vector<std::uint64_t> values{18446744073709551615U, (1U << 24) + 1, 0};
    const auto bytes =
        written(ArrayFormat::Npy, {toWrite("u", ElementType::UInt64, {3}, values)}).value();
    EXPECT_EQ(floatsOf(openArrays(bytes, "npy").value(), ""),
              (std::vector<float>{0x1p64F, 0x1p24F, 0}));
}
