// Zip as PKWARE's APPNOTE describes it; the central directory decides, as in Python's zipfile.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/ziparchive.h"

#include "io/source.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <zlib.h>

namespace heed::detail {

namespace {

constexpr std::uint32_t endSignature = 0x06054B50;
constexpr std::uint32_t end64Signature = 0x06064B50;
constexpr std::uint32_t locatorSignature = 0x07064B50;
constexpr std::uint32_t entrySignature = 0x02014B50;
constexpr std::uint32_t localSignature = 0x04034B50;
constexpr std::size_t endSize = 22;
constexpr std::size_t end64Size = 56;
constexpr std::size_t locatorSize = 20;
constexpr std::size_t entrySize = 46;
constexpr std::size_t localSize = 30;
constexpr std::uint16_t zip64Extra = 0x0001;
constexpr std::uint16_t flagEncrypted = 0x0001;
constexpr auto in64 = std::numeric_limits<std::uint32_t>::max();

// Deflate turns a byte into at most 1032; the addition covers the shortest streams.
constexpr std::uint64_t deflateRatio = 1032;

struct Directory {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t count = 0;
    std::uint64_t end = 0; ///< where the records behind the directory begin
};

/// A member and the bytes that it occupies with its local header.
struct Placed {
    ZipMember member;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

class DirectoryReader {
public:
    DirectoryReader(std::span<const std::byte> archive, const std::string& where)
        : m_archive(archive)
        , m_where(where)
    {
    }

    Expected<std::vector<ZipMember>> read()
    {
        const auto directory = locate();
        if (!directory) {
            return tl::unexpected(directory.error());
        }
        std::vector<Placed> placed;
        std::unordered_set<std::string> names;
        std::size_t at = directory->offset;
        for (std::uint64_t i = 0; i < directory->count; ++i) {
            auto entry = readEntry(at, *directory);
            if (!entry) {
                return tl::unexpected(entry.error());
            }
            if (!names.insert(entry->member.name).second) {
                return bad(at, "Two members of the archive have the name " +
                                   inQuotes(entry->member.name) + ".");
            }
            placed.push_back(std::move(*entry));
        }
        if (at != directory->end) {
            return bad(at, "The directory of the archive does not end where it claims.");
        }
        return separate(std::move(placed));
    }

private:
    Expected<Directory> locate() const
    {
        // The end record is the last thing but for a comment of at most 65535 bytes.
        const std::size_t size = m_archive.size();
        constexpr std::size_t longestComment = 0xFFFF;
        for (std::size_t comment = 0; comment <= longestComment && comment + endSize <= size;
             ++comment) {
            const std::size_t at = size - endSize - comment;
            if (get<std::uint32_t>(at) == endSignature && get<std::uint16_t>(at + 20) == comment) {
                return locate64(at);
            }
        }
        return bad(size, "The archive is cut short: its directory is missing.");
    }

    Expected<Directory> locate64(std::size_t end) const
    {
        Directory directory;
        directory.count = get<std::uint16_t>(end + 10);
        directory.size = get<std::uint32_t>(end + 12);
        directory.offset = get<std::uint32_t>(end + 16);
        directory.end = end;
        std::uint32_t disks = get<std::uint16_t>(end + 4) | get<std::uint16_t>(end + 6);
        if (end >= locatorSize && get<std::uint32_t>(end - locatorSize) == locatorSignature) {
            const std::size_t locator = end - locatorSize;
            const auto at = get<std::uint64_t>(locator + 8);
            if (locator < end64Size || at > locator - end64Size ||
                get<std::uint32_t>(at) != end64Signature ||
                get<std::uint64_t>(at + 4) != locator - at - 12) {
                return bad(locator, "The zip64 record of the archive is not where it should be.");
            }
            directory.count = get<std::uint64_t>(at + 32);
            directory.size = get<std::uint64_t>(at + 40);
            directory.offset = get<std::uint64_t>(at + 48);
            directory.end = at;
            disks = get<std::uint32_t>(at + 16) | get<std::uint32_t>(at + 20) |
                    get<std::uint32_t>(locator + 4);
        }
        if (disks != 0) {
            return fail(Code::Unsupported, "The archive is one of several volumes.", m_where);
        }
        if (directory.offset > directory.end ||
            directory.size != directory.end - directory.offset ||
            directory.count > directory.size / entrySize) {
            return bad(end, "The directory of the archive claims a place or a number of members "
                            "that the file does not have.");
        }
        return directory;
    }

    /// Moves @p at behind the entry.
    Expected<Placed> readEntry(std::size_t& at, const Directory& directory) const
    {
        if (directory.end - at < entrySize || get<std::uint32_t>(at) != entrySignature) {
            return bad(at, "The directory of the archive is damaged: expected an entry.");
        }
        const std::size_t nameSize = get<std::uint16_t>(at + 28);
        const std::size_t extraSize = get<std::uint16_t>(at + 30);
        const std::size_t commentSize = get<std::uint16_t>(at + 32);
        if (directory.end - at - entrySize < nameSize + extraSize + commentSize) {
            return bad(at, "An entry of the archive's directory is longer than the directory.");
        }
        Placed placed;
        ZipMember& member = placed.member;
        member.name = asText(m_archive.subspan(at + entrySize, nameSize));
        if (member.name.find('\0') != std::string::npos) {
            return bad(at, "The name of a member contains a zero byte.");
        }
        member.encrypted = (get<std::uint16_t>(at + 8) & flagEncrypted) != 0;
        member.method = get<std::uint16_t>(at + 10);
        member.crc = get<std::uint32_t>(at + 16);
        std::uint64_t packed = get<std::uint32_t>(at + 20);
        member.size = get<std::uint32_t>(at + 24);
        placed.begin = get<std::uint32_t>(at + 42);
        const auto extra = m_archive.subspan(at + entrySize + nameSize, extraSize);
        if (!readZip64(extra, member.size, packed, placed.begin)) {
            return bad(at, "The zip64 sizes of " + inQuotes(member.name) + " are missing.");
        }
        if (auto found = findBytes(placed, packed, directory); !found) {
            return tl::unexpected(found.error());
        }
        at += entrySize + nameSize + extraSize + commentSize;
        return placed;
    }

    /// Replaces the numbers that do not fit in 32 bits; the field holds only those, in this order.
    static bool readZip64(std::span<const std::byte> extra, std::uint64_t& size,
                          std::uint64_t& packed, std::uint64_t& offset)
    {
        std::span<const std::byte> field;
        for (std::size_t at = 0; at + 4 <= extra.size();) {
            const std::size_t length = readLittleEndian<std::uint16_t>(extra, at + 2);
            if (length > extra.size() - at - 4) {
                break;
            }
            if (readLittleEndian<std::uint16_t>(extra, at) == zip64Extra) {
                field = extra.subspan(at + 4, length);
                break;
            }
            at += 4 + length;
        }
        for (std::uint64_t* number : {&size, &packed, &offset}) {
            if (*number == in64) {
                if (field.size() < 8) {
                    return false;
                }
                *number = readLittleEndian<std::uint64_t>(field, 0);
                field = field.subspan(8);
            }
        }
        return true;
    }

    Expected<void> findBytes(Placed& placed, std::uint64_t packed, const Directory& directory) const
    {
        ZipMember& member = placed.member;
        const std::uint64_t room = directory.offset; // members lie before the directory
        if (placed.begin > room || room - placed.begin < localSize ||
            get<std::uint32_t>(placed.begin) != localSignature) {
            return bad(placed.begin,
                       "The member " + inQuotes(member.name) + " is not where the directory says.");
        }
        const std::size_t nameSize = get<std::uint16_t>(placed.begin + 26);
        const std::size_t extraSize = get<std::uint16_t>(placed.begin + 28);
        const std::uint64_t data = placed.begin + localSize + nameSize + extraSize;
        if (data > room || packed > room - data) {
            return bad(placed.begin, "The member " + inQuotes(member.name) + " claims " +
                                         std::to_string(packed) +
                                         " bytes, more than the archive has behind it.");
        }
        if (asText(m_archive.subspan(placed.begin + localSize, nameSize)) != member.name ||
            get<std::uint16_t>(placed.begin + 8) != member.method) {
            return bad(placed.begin, "The member " + inQuotes(member.name) +
                                         " has another name or method in the directory.");
        }
        member.bytes = m_archive.subspan(data, packed);
        placed.end = data + packed;
        const bool stored = member.method == zipStored;
        if (stored ? member.size != packed
                   : member.method == zipDeflated && member.size / deflateRatio > packed) {
            return bad(placed.begin, "The member " + inQuotes(member.name) + " claims to hold " +
                                         std::to_string(member.size) + " bytes in " +
                                         std::to_string(packed) + ", which is impossible.");
        }
        return {};
    }

    /// Refuses members that share bytes: a small archive of those unpacks to a huge amount.
    Expected<std::vector<ZipMember>> separate(std::vector<Placed> placed) const
    {
        std::vector<const Placed*> order;
        order.reserve(placed.size());
        for (const Placed& one : placed) {
            order.push_back(&one);
        }
        std::sort(order.begin(), order.end(),
                  [](const Placed* a, const Placed* b) { return a->begin < b->begin; });
        for (std::size_t i = 1; i < order.size(); ++i) {
            if (order[i]->begin < order[i - 1]->end) {
                return bad(order[i]->begin, "The members " + inQuotes(order[i - 1]->member.name) +
                                                " and " + inQuotes(order[i]->member.name) +
                                                " overlap.");
            }
        }
        std::vector<ZipMember> members;
        members.reserve(placed.size());
        for (Placed& one : placed) {
            members.push_back(std::move(one.member));
        }
        return members;
    }

    template <typename T>
    [[nodiscard]] T get(std::size_t offset) const
    {
        return readLittleEndian<T>(m_archive, offset);
    }

    [[nodiscard]] tl::unexpected<Error> bad(std::size_t offset, std::string message) const
    {
        return badFormat(m_where, offset, std::move(message));
    }

    std::span<const std::byte> m_archive;
    const std::string& m_where;
};

/// Releases the state of a decompression.
struct Inflater {
    Inflater() { ready = ::inflateInit2(&stream, -MAX_WBITS) == Z_OK; }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    ~Inflater()
    {
        if (ready) {
            ::inflateEnd(&stream);
        }
    }
    z_stream stream = {};
    bool ready = false;
};

struct Inflated {
    std::size_t size = 0;
    bool ended = false; ///< the stream said that it is complete
    bool allRead = false;
};

/// Fills @p out as far as the stream goes.
Expected<Inflated> inflateInto(std::span<const std::byte> packed, std::span<std::byte> out,
                               const std::string& where)
{
    Inflater inflater;
    if (!inflater.ready) {
        return fail(Code::OutOfMemory, "There is no memory to decompress.", where);
    }
    z_stream& stream = inflater.stream;
    constexpr std::size_t most = 1U << 30; // zlib counts in 32 bits
    std::size_t taken = 0;
    std::size_t made = 0;
    int status = Z_OK;
    // One byte of room beyond the end lets a stream that is too long show itself.
    unsigned char beyond = 0;
    bool tooLong = false;
    while (status == Z_OK) {
        const std::size_t input = std::min(packed.size() - taken, most);
        const std::size_t room = std::min(out.size() - made, most);
        const std::size_t output = room == 0 ? 1 : room;
        stream.next_in =
            reinterpret_cast<unsigned char*>(const_cast<std::byte*>(packed.data() + taken));
        stream.avail_in = static_cast<uInt>(input);
        stream.next_out = room == 0 ? &beyond : reinterpret_cast<unsigned char*>(out.data() + made);
        stream.avail_out = static_cast<uInt>(output);
        status = ::inflate(&stream, Z_NO_FLUSH);
        taken += input - stream.avail_in;
        const std::size_t wrote = output - stream.avail_out;
        if (room == 0 && wrote != 0) {
            tooLong = true;
            break;
        }
        made += room == 0 ? 0 : wrote;
    }
    if (status == Z_MEM_ERROR) {
        return fail(Code::OutOfMemory, "There is no memory to decompress.", where);
    }
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
        return badFormat(where, made, "The compressed data are damaged.");
    }
    return Inflated{made, status == Z_STREAM_END && !tooLong, taken == packed.size()};
}

tl::unexpected<Error> wrongChecksum(const std::string& where)
{
    return fail(Code::BadFormat,
                "The checksum of the member is wrong: the file was damaged after it was written.",
                where);
}

} // namespace

Expected<std::vector<ZipMember>> readZipDirectory(std::span<const std::byte> archive,
                                                  const std::string& where)
{
    return DirectoryReader(archive, where).read();
}

Expected<std::vector<std::byte>> unpackStart(const ZipMember& member, std::size_t most,
                                             const std::string& where)
{
    const std::size_t size = std::min<std::uint64_t>(member.size, most);
    if (member.method == zipStored) {
        const auto start = member.bytes.first(size);
        return std::vector<std::byte>(start.begin(), start.end());
    }
    std::vector<std::byte> start(size);
    const auto inflated = inflateInto(member.bytes, start, where);
    if (!inflated) {
        return tl::unexpected(inflated.error());
    }
    start.resize(inflated->size);
    return start;
}

Expected<std::vector<std::byte>> unpack(const ZipMember& member, const std::string& where)
{
    if (member.method == zipStored) {
        if (auto intact = checkStored(member, where); !intact) {
            return tl::unexpected(intact.error());
        }
        return std::vector<std::byte>(member.bytes.begin(), member.bytes.end());
    }
    std::vector<std::byte> bytes(member.size);
    const auto inflated = inflateInto(member.bytes, bytes, where);
    if (!inflated) {
        return tl::unexpected(inflated.error());
    }
    if (inflated->size != bytes.size() || !inflated->ended || !inflated->allRead) {
        return badFormat(where, inflated->size,
                         "The member does not unpack to the " + std::to_string(member.size) +
                             " bytes that the directory claims.");
    }
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    if (::crc32_z(0, data, bytes.size()) != member.crc) {
        return wrongChecksum(where);
    }
    return bytes;
}

Expected<void> checkStored(const ZipMember& member, const std::string& where, Forget forget)
{
    auto sum = ::crc32_z(0, nullptr, 0); // of no bytes
    readInPieces(member.bytes, forget, [&sum](std::span<const std::byte> piece) {
        sum = ::crc32_z(sum, reinterpret_cast<const unsigned char*>(piece.data()), piece.size());
    });
    if (sum != member.crc) {
        return wrongChecksum(where);
    }
    return {};
}

} // namespace heed::detail
