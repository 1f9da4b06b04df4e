// A file that appears whole or not at all.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace heed::detail {

/// What is known of a file before it is written.
struct ExpectedSize {
    std::int64_t bytes = 0;
    bool isLeast = false; ///< it can become longer
    std::string wayOut;   ///< where there is no room, as an order
};

/// Bytes go to a temporary file beside the wanted one; commit() renames it. Without commit() the
/// temporary is removed and the old file stays as it was. Where the file system can, the temporary
/// has no name before commit(), so that not even a killed program leaves it. A pipe or a device
/// (/dev/stdout) is written directly: it cannot be replaced.
class AtomicFile {
public:
    /// A symbolic link is followed, so that the link stays, also to a file that is not there yet.
    /// Call open() before anything else.
    explicit AtomicFile(std::filesystem::path path)
        : m_path(std::move(path))
    {
    }
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile();

    /// @return Code::Io with the system's reason, here and below.
    [[nodiscard]] Expected<void> open();
    /// Refuses when the file system has no room for @p size, and names it when it fills up
    /// later.
    [[nodiscard]] Expected<void> expect(const ExpectedSize& size);
    [[nodiscard]] Expected<void> write(std::span<const std::byte> bytes);
    /// Whether patch() can be used: not for what is written directly.
    [[nodiscard]] bool canPatch() const { return !m_isDirect; }
    /// Replaces bytes that were written before.
    [[nodiscard]] Expected<void> patch(std::uint64_t offset, std::span<const std::byte> bytes);
    [[nodiscard]] Expected<void> commit();

private:
    [[nodiscard]] tl::unexpected<Error> systemError(int number) const;
    [[nodiscard]] std::string needText() const;

    std::filesystem::path m_path;
    std::string m_temporary; ///< empty while it has no name, and when the file is written directly
    bool m_isDirect = false;
    int m_descriptor = -1;
    ExpectedSize m_expected; ///< 0 bytes when that is not known
};

} // namespace heed::detail
