// The directory of a zip archive, and its members stored or deflated.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"
#include "io/source.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heed::detail {

/// A file inside an archive. Its bytes are part of the archive, so a stored member needs no copy.
struct ZipMember {
    std::string name;
    std::uint16_t method = 0; ///< stored and deflated are read
    bool encrypted = false;
    std::uint32_t crc = 0;
    std::uint64_t size = 0;           ///< unpacked, as the directory claims
    std::span<const std::byte> bytes; ///< packed
};

inline constexpr std::uint16_t zipStored = 0;
inline constexpr std::uint16_t zipDeflated = 8;

/// The members in the order of the directory, zip64 included. Every member lies inside the archive,
/// no two overlap, no two have the same name, and what a member claims to unpack to is at most what
/// deflate can make of its bytes.
/// @return Code::BadFormat; Code::Unsupported for an archive in several volumes.
[[nodiscard]] Expected<std::vector<ZipMember>> readZipDirectory(std::span<const std::byte> archive,
                                                                const std::string& where);

/// The first @p most bytes of a member, fewer when it is shorter. The checksum is not looked at.
[[nodiscard]] Expected<std::vector<std::byte>>
unpackStart(const ZipMember& member, std::size_t most, const std::string& where);

/// All bytes of a member: exactly ZipMember::size, and the checksum is right.
[[nodiscard]] Expected<std::vector<std::byte>> unpack(const ZipMember& member,
                                                      const std::string& where);

/// Compares the checksum of a stored member.
[[nodiscard]] Expected<void> checkStored(const ZipMember& member, const std::string& where,
                                         Forget forget = nullptr);

} // namespace heed::detail
