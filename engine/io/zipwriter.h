// Writes a zip archive of stored members from left to right, so that it can go into a pipe.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/arrayfile.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heed::detail {

/// The same members give the same bytes: the time is fixed (1980-01-01). Sizes of 4 GiB and more
/// are written as zip64. The checksum comes first, from the bytes in memory, so no seeking and no
/// data descriptor is needed.
class ZipWriter {
public:
    explicit ZipWriter(const ByteSink& sink)
        : m_sink(sink)
    {
    }

    /// A member made of @p head and @p data, stored. Its bytes begin at a multiple of 64 in the
    /// archive, so that a mapped array is aligned.
    /// @return Code::InvalidArgument for a name that is too long; the sink's error.
    [[nodiscard]] Expected<void> add(const std::string& name, std::span<const std::byte> head,
                                     std::span<const std::byte> data);

    /// The directory. Nothing may follow.
    [[nodiscard]] Expected<void> finish();

private:
    struct Entry {
        std::string name;
        std::uint32_t crc;
        std::uint64_t size;
        std::uint64_t offset;
    };

    Expected<void> put(std::span<const std::byte> bytes);

    const ByteSink& m_sink;
    std::uint64_t m_offset = 0;
    std::vector<Entry> m_entries;
};

} // namespace heed::detail
