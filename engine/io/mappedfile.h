// A whole file as read-only bytes, mapped and not read.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace heed::detail {

/// Read-only view of a regular file. The mapping lives as long as the object. A file that another
/// program shortens meanwhile ends the program (SIGBUS): the system offers no check that holds.
/// Files written by writeFile() are replaced and never shortened.
class MappedFile {
public:
    /// @return Code::NotFound, Code::Io (directory, device, no permission, …) with the system's
    ///         reason. An empty file is a success with no bytes.
    [[nodiscard]] static Expected<std::shared_ptr<const MappedFile>>
    open(const std::filesystem::path& path);

    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    [[nodiscard]] std::span<const std::byte> bytes() const { return m_bytes; }

    /// Gives back the memory of the whole pages of @p bytes, a part of some mapping; they are read
    /// from the file again when they are looked at.
    static void forget(std::span<const std::byte> bytes);

private:
    explicit MappedFile(std::span<const std::byte> bytes)
        : m_bytes(bytes)
    {
    }

    std::span<const std::byte> m_bytes;
};

} // namespace heed::detail
