// The records of a zip archive, written.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/zipwriter.h"

#include "io/source.h"

#include <algorithm>
#include <limits>
#include <zlib.h>

namespace heed::detail {

namespace {

constexpr std::uint64_t in64 = std::numeric_limits<std::uint32_t>::max(); // "look in 64 bits"
constexpr std::uint64_t alignment = 64;
constexpr std::uint16_t version64 = 45;
constexpr std::uint16_t versionPlain = 20;
constexpr std::uint16_t flagUtf8 = 0x0800;
constexpr std::uint16_t flagDescriptor = 0x0008;
constexpr std::uint64_t checksumAt = 14;     // in the local record
constexpr std::uint16_t madeOnUnix = 3 << 8; // so that tools take names as bytes
constexpr std::uint32_t filePermissions = 0100644U << 16;
constexpr std::uint16_t firstDay = 0x0021; // 1980-01-01
constexpr std::uint16_t zip64Extra = 0x0001;
constexpr std::uint16_t paddingExtra = 0xD935; // known as "alignment" to other tools
constexpr std::size_t localSize = 30;
constexpr std::size_t paddingHead = 6; // id, length, alignment

/// Little-endian numbers, one after another.
class Record {
public:
    template <typename T>
    Record& put(std::uint64_t value)
    {
        for (std::size_t byte = 0; byte < sizeof(T); ++byte) {
            m_text += static_cast<char>((value >> (8 * byte)) & 0xFF);
        }
        return *this;
    }
    Record& u16(std::uint64_t value) { return put<std::uint16_t>(value); }
    Record& u32(std::uint64_t value) { return put<std::uint32_t>(value); }
    Record& u64(std::uint64_t value) { return put<std::uint64_t>(value); }
    Record& text(const std::string& text)
    {
        m_text += text;
        return *this;
    }
    Record& zeros(std::size_t count)
    {
        m_text.append(count, '\0');
        return *this;
    }
    [[nodiscard]] std::span<const std::byte> bytes() const { return asBytes(m_text); }
    [[nodiscard]] const std::string& str() const { return m_text; }

private:
    std::string m_text;
};

std::uint64_t clipped(std::uint64_t value)
{
    return std::min(value, in64);
}

std::uint32_t addToChecksum(std::uint32_t crc, std::span<const std::byte> bytes)
{
    // A null pointer would ask for the initial value.
    return bytes.empty()
               ? crc
               : static_cast<std::uint32_t>(::crc32_z(
                     crc, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

} // namespace

std::uint16_t ZipWriter::flagsOf(const std::string& name) const
{
    const bool ascii =
        std::all_of(name.begin(), name.end(), [](char c) { return (c & 0x80) == 0; });
    return static_cast<std::uint16_t>((ascii ? 0 : flagUtf8) | (m_patch ? 0 : flagDescriptor));
}

Expected<void> ZipWriter::add(const std::string& name, std::span<const std::byte> bytes)
{
    return add(name, bytes, 0, [] { return std::span<const std::byte>(); });
}

Expected<void> ZipWriter::add(const std::string& name, std::span<const std::byte> head,
                              std::uint64_t dataSize, const ByteSource& data)
{
    constexpr std::size_t longestName = 0xFFFF;
    if (name.empty() || name.size() > longestName || name.find('\0') != std::string::npos) {
        return fail(Code::InvalidArgument, "The name of an array in a zip archive has 1 to 65535 "
                                           "bytes and no zero byte.");
    }
    m_entries.push_back({name, 0, head.size() + dataSize, m_offset});
    Entry& entry = m_entries.back();
    if (auto written = putLocal(entry); !written) {
        return written;
    }
    Expected<std::span<const std::byte>> piece = head;
    do {
        entry.crc = addToChecksum(entry.crc, *piece);
        if (auto written = put(*piece); !written) {
            return written;
        }
        piece = data();
    } while (piece && !piece->empty());
    return piece ? putChecksum(entry) : tl::unexpected(piece.error());
}

Expected<void> ZipWriter::putLocal(const Entry& entry)
{
    const bool large = entry.size >= m_from64;
    const std::uint64_t size = m_patch ? entry.size : 0; // a descriptor says it again
    Record extra;
    if (large) {
        extra.u16(zip64Extra).u16(16).u64(size).u64(size);
    }
    const std::uint64_t unpadded =
        m_offset + localSize + entry.name.size() + extra.str().size() + paddingHead;
    const std::size_t padding = (alignment - unpadded % alignment) % alignment;
    extra.u16(paddingExtra).u16(2 + padding).u16(alignment).zeros(padding);

    Record local;
    local.u32(0x04034B50).u16(large ? version64 : versionPlain).u16(flagsOf(entry.name)).u16(0);
    local.u16(0).u16(firstDay).u32(0).u32(large ? in64 : size).u32(large ? in64 : size);
    local.u16(entry.name.size()).u16(extra.str().size()).text(entry.name).text(extra.str());
    return put(local.bytes());
}

Expected<void> ZipWriter::putChecksum(const Entry& entry)
{
    Record record;
    if (m_patch) {
        return m_patch(entry.offset + checksumAt, record.u32(entry.crc).bytes());
    }
    record.u32(0x08074B50).u32(entry.crc);
    if (entry.size >= m_from64) {
        record.u64(entry.size).u64(entry.size);
    } else {
        record.u32(entry.size).u32(entry.size);
    }
    return put(record.bytes());
}

Expected<void> ZipWriter::finish()
{
    const std::uint64_t begin = m_offset;
    for (const Entry& entry : m_entries) {
        const bool largeSize = entry.size >= m_from64;
        const bool largeOffset = entry.offset >= in64;
        Record extra;
        if (largeSize || largeOffset) {
            extra.u16(zip64Extra).u16((largeSize ? 16 : 0) + (largeOffset ? 8 : 0));
            if (largeSize) {
                extra.u64(entry.size).u64(entry.size);
            }
            if (largeOffset) {
                extra.u64(entry.offset);
            }
        }
        const std::uint16_t version = largeSize || largeOffset ? version64 : versionPlain;
        Record record;
        record.u32(0x02014B50)
            .u16(madeOnUnix | version)
            .u16(version)
            .u16(flagsOf(entry.name))
            .u16(0);
        record.u16(0).u16(firstDay).u32(entry.crc);
        record.u32(largeSize ? in64 : entry.size).u32(largeSize ? in64 : entry.size);
        record.u16(entry.name.size()).u16(extra.str().size()).u16(0).u16(0).u16(0);
        record.u32(filePermissions);
        record.u32(clipped(entry.offset)).text(entry.name).text(extra.str());
        if (auto written = put(record.bytes()); !written) {
            return written;
        }
    }
    const std::uint64_t end = m_offset;
    const std::uint64_t count = m_entries.size();
    constexpr std::uint64_t most16 = 0xFFFF;
    Record tail;
    if (count >= most16 || begin >= in64 || end - begin >= in64) {
        tail.u32(0x06064B50).u64(44).u16(version64).u16(version64).u32(0).u32(0);
        tail.u64(count).u64(count).u64(end - begin).u64(begin);
        tail.u32(0x07064B50).u32(0).u64(end).u32(1);
    }
    tail.u32(0x06054B50).u16(0).u16(0).u16(std::min(count, most16)).u16(std::min(count, most16));
    tail.u32(clipped(end - begin)).u32(clipped(begin)).u16(0);
    return put(tail.bytes());
}

Expected<void> ZipWriter::put(std::span<const std::byte> bytes)
{
    m_offset += bytes.size();
    return bytes.empty() ? Expected<void>{} : m_sink(bytes);
}

} // namespace heed::detail
