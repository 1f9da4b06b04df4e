// Writes a zip archive of stored members of any length while they are made, to a file or a pipe.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/arrayfile.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heed::detail {

/// Replaces bytes at an offset from the beginning, all of which were written before.
using BytePatch = std::function<Expected<void>(std::uint64_t, std::span<const std::byte>)>;

/// Sizes from which zip says them in 64 bits.
inline constexpr std::uint64_t zip64Size = 0xFFFFFFFF;

/// The same members give the same bytes: the time is fixed (1980-01-01). The checksum of a member
/// is known behind it. It is put into the record in front of it where @p patch can go back, which
/// every reader understands, and else follows in a data descriptor, as a pipe needs it; readers
/// that go by the directory, such as NumPy, take both.
class ZipWriter {
public:
    /// @param sink and @param patch must outlive the writer; @p patch may be empty.
    /// @param from64  members of this many bytes and more are written as zip64.
    ZipWriter(const ByteSink& sink, const BytePatch& patch, std::uint64_t from64 = zip64Size)
        : m_sink(sink)
        , m_patch(patch)
        , m_from64(from64)
    {
    }

    /// A member made of @p head and the @p dataSize bytes of @p data, stored. Its bytes begin at a
    /// multiple of 64 in the archive, so that a mapped array is aligned.
    /// @return Code::InvalidArgument for a name that is too long; the error of sink and source.
    [[nodiscard]] Expected<void> add(const std::string& name, std::span<const std::byte> head,
                                     std::uint64_t dataSize, const ByteSource& data);
    /// The same from memory.
    [[nodiscard]] Expected<void> add(const std::string& name, std::span<const std::byte> bytes);

    /// The directory. Nothing may follow.
    [[nodiscard]] Expected<void> finish();

private:
    struct Entry {
        std::string name;
        std::uint32_t crc;
        std::uint64_t size;
        std::uint64_t offset;
    };

    [[nodiscard]] std::uint16_t flagsOf(const std::string& name) const;
    Expected<void> putLocal(const Entry& entry);
    Expected<void> putChecksum(const Entry& entry);
    Expected<void> put(std::span<const std::byte> bytes);

    const ByteSink& m_sink;
    const BytePatch& m_patch;
    std::uint64_t m_from64;
    std::uint64_t m_offset = 0;
    std::vector<Entry> m_entries;
};

} // namespace heed::detail
