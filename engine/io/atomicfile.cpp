// Temporary file, fsync, rename.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/atomicfile.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace heed::detail {

namespace {

constexpr mode_t permissionBits = 07777;

/// Creates a file beside @p path that nobody else has, with the permissions of any new file.
int createBeside(const std::filesystem::path& path, std::string& name)
{
    static std::atomic<unsigned> counter = 0;
    constexpr int mostTries = 100; // leftovers of a program that was killed with our number
    for (int i = 0; i < mostTries; ++i) {
        name = path.string() + "." + std::to_string(::getpid()) + "-" + std::to_string(counter++) +
               ".tmp";
        const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST) {
            return descriptor;
        }
    }
    return -1;
}

} // namespace

AtomicFile::~AtomicFile()
{
    if (m_descriptor >= 0) {
        ::close(m_descriptor);
    }
    if (!m_temporary.empty()) {
        ::unlink(m_temporary.c_str());
    }
}

Expected<void> AtomicFile::open()
{
    if (std::error_code error; std::filesystem::is_symlink(m_path, error)) {
        if (auto target = std::filesystem::canonical(m_path, error); !error) {
            m_path = std::move(target);
        }
    }
    struct stat facts = {};
    const bool exists = ::stat(m_path.c_str(), &facts) == 0;
    if (exists && S_ISDIR(facts.st_mode)) {
        return systemError(EISDIR);
    }
    if (exists && !S_ISREG(facts.st_mode)) {
        m_descriptor = ::open(m_path.c_str(), O_WRONLY | O_CLOEXEC);
        return m_descriptor >= 0 ? Expected<void>{} : systemError(errno);
    }
    std::string temporary;
    m_descriptor = createBeside(m_path, temporary);
    if (m_descriptor < 0) {
        return systemError(errno);
    }
    m_temporary = std::move(temporary);
    if (exists && ::fchmod(m_descriptor, facts.st_mode & permissionBits) != 0) {
        return systemError(errno);
    }
    return {};
}

Expected<void> AtomicFile::write(std::span<const std::byte> bytes)
{
    constexpr std::size_t most = 1U << 30; // the system takes no more at once
    while (!bytes.empty()) {
        const ssize_t count = ::write(m_descriptor, bytes.data(), std::min(bytes.size(), most));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return systemError(errno);
        }
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return {};
}

Expected<void> AtomicFile::commit()
{
    if (!m_temporary.empty() && ::fsync(m_descriptor) != 0) {
        return systemError(errno);
    }
    const int closed = ::close(m_descriptor);
    m_descriptor = -1;
    if (closed != 0) {
        return systemError(errno);
    }
    if (m_temporary.empty()) {
        return {};
    }
    if (::rename(m_temporary.c_str(), m_path.c_str()) != 0) {
        return systemError(errno);
    }
    m_temporary.clear();
    // Makes the new name last through a power cut. The file is complete whatever this says.
    const auto folder = m_path.has_parent_path() ? m_path.parent_path() : ".";
    const int directory = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
        ::fsync(directory);
        ::close(directory);
    }
    return {};
}

tl::unexpected<Error> AtomicFile::systemError(int number) const
{
    return fail(Code::Io,
                "The file cannot be written: " + std::generic_category().message(number) + ".",
                m_path.string());
}

} // namespace heed::detail
