// A file that appears whole or not at all.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace heed::detail {

/// Bytes go to a temporary file beside the wanted one; commit() renames it. Without commit() the
/// temporary is removed and the old file stays as it was. A pipe or a device (/dev/stdout) is
/// written directly: it cannot be replaced.
class AtomicFile {
public:
    /// A symbolic link is followed, so that the link stays. Call open() before anything else.
    explicit AtomicFile(std::filesystem::path path)
        : m_path(std::move(path))
    {
    }
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile();

    /// @return Code::Io with the system's reason, here and below.
    [[nodiscard]] Expected<void> open();
    [[nodiscard]] Expected<void> write(std::span<const std::byte> bytes);
    [[nodiscard]] Expected<void> commit();

private:
    [[nodiscard]] tl::unexpected<Error> systemError(int number) const;

    std::filesystem::path m_path;
    std::string m_temporary; ///< empty when the file is written directly
    int m_descriptor = -1;
};

} // namespace heed::detail
