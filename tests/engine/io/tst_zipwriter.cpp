// Where an archive says its sizes and checksums, for a file and for a pipe.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/zipwriter.h"

#include "io/source.h"
#include "io/ziparchive.h"
#include "iofiles.h"

using namespace heed;
using namespace heed::detail;

namespace {

/// "head" and "abcdefgh" in two pieces as member "a", then "tail" as member "b".
Bytes archive(bool canPatch, std::uint64_t from64)
{
    Bytes all;
    const ByteSink sink = [&](std::span<const std::byte> bytes) -> Expected<void> {
        all.insert(all.end(), bytes.begin(), bytes.end());
        return {};
    };
    BytePatch patch;
    if (canPatch) {
        patch = [&](std::uint64_t offset, std::span<const std::byte> bytes) -> Expected<void> {
            EXPECT_LE(offset + bytes.size(), all.size());
            std::copy(bytes.begin(), bytes.end(),
                      all.begin() + static_cast<std::ptrdiff_t>(offset));
            return {};
        };
    }
    ZipWriter zip(sink, patch, from64);
    std::string_view rest = "abcdefgh";
    EXPECT_TRUE(zip.add("a", asBytes("head"), rest.size(), [&] {
        const std::string_view piece = rest.substr(0, 4);
        rest.remove_prefix(piece.size());
        return asBytes(piece);
    }));
    EXPECT_TRUE(zip.add("b", asBytes("tail")));
    EXPECT_TRUE(zip.finish());
    return all;
}

} // namespace

TEST(ZipWriter, givesWhatTheReaderFinds)
{
    for (const bool canPatch : {true, false}) {
        for (const std::uint64_t from64 : {zip64Size, std::uint64_t{12}, std::uint64_t{0}}) {
            SCOPED_TRACE(std::to_string(from64) + (canPatch ? " file" : " pipe"));
            const Bytes bytes = archive(canPatch, from64);
            const auto members = readZipDirectory(bytes, "test");
            ASSERT_TRUE(members) << describe(members.error());
            ASSERT_EQ(members->size(), 2U);
            EXPECT_EQ(unpack(members->at(0), "a").value(), toBytes("headabcdefgh"));
            EXPECT_EQ(unpack(members->at(1), "b").value(), toBytes("tail"));
            for (const ZipMember& member : *members) {
                EXPECT_EQ((member.bytes.data() - bytes.data()) % 64, 0);
            }
        }
    }
}

TEST(ZipWriter, saysTheChecksumInFrontWhereItCanGoBackAndBehindElsewhere)
{
    const auto flags = [](const Bytes& bytes) { return readLittleEndian<std::uint16_t>(bytes, 6); };
    const auto word = [](const Bytes& bytes, std::size_t at) {
        return readLittleEndian<std::uint32_t>(bytes, at);
    };
    const Bytes file = archive(true, zip64Size);
    const std::uint32_t crc = readZipDirectory(file, "test").value().at(0).crc;
    EXPECT_EQ(flags(file), 0);
    EXPECT_EQ(word(file, 14), crc);
    EXPECT_EQ(word(file, 18), 12U);
    EXPECT_EQ(word(file, 64 + 12), 0x04034B50U); // nothing between the members

    const Bytes pipe = archive(false, zip64Size);
    EXPECT_EQ(flags(pipe), 8);
    EXPECT_EQ(word(pipe, 14), 0U);
    EXPECT_EQ(word(pipe, 18), 0U);
    EXPECT_EQ(word(pipe, 64 + 12), 0x08074B50U);
    EXPECT_EQ(word(pipe, 64 + 16), crc);
    EXPECT_EQ(word(pipe, 64 + 20), 12U);
    EXPECT_EQ(word(pipe, 64 + 28), 0x04034B50U);
}

TEST(ZipWriter, saysSizesIn64BitsFromTheThreshold)
{
    const auto word = [](const Bytes& bytes, std::size_t at) {
        return readLittleEndian<std::uint64_t>(bytes, at);
    };
    constexpr std::size_t extra = 30 + 1 + 4; // behind the local record, the name and id and length
    const Bytes file = archive(true, 12);
    EXPECT_EQ(word(file, 18), 0xFFFFFFFFFFFFFFFFU);
    EXPECT_EQ(word(file, extra), 12U);
    EXPECT_EQ(word(file, extra + 8), 12U);
    const Bytes pipe = archive(false, 12);
    EXPECT_EQ(word(pipe, 64 + 12 + 8), 12U); // the descriptor
    EXPECT_EQ(word(pipe, 64 + 12 + 16), 12U);
}
