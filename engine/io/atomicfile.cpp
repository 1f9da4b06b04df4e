// Nameless or temporary file, fsync, rename.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/atomicfile.h"

#include "heed/execution.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <system_error>
#include <unistd.h>

namespace heed::detail {

namespace {

constexpr mode_t permissionBits = 07777;
constexpr std::size_t mostAtOnce = 1U << 30; // the system takes no more

std::filesystem::path folderOf(const std::filesystem::path& path)
{
    return path.has_parent_path() ? path.parent_path() : ".";
}

std::string pathOfDescriptor(int descriptor)
{
    return "/proc/self/fd/" + std::to_string(descriptor);
}

/// Tries names beside @p path that nobody else has until @p take accepts one.
/// @param take  its system call's result; below 0 with EEXIST for a name that is taken.
template <typename Take>
int withNewName(const std::filesystem::path& path, std::string& name, Take take)
{
    static std::atomic<unsigned> counter = 0;
    constexpr int mostTries = 100; // leftovers of a program that was killed with our number
    for (int i = 0; i < mostTries; ++i) {
        name = path.string() + "." + std::to_string(::getpid()) + "-" + std::to_string(counter++) +
               ".tmp";
        const int result = take(name.c_str());
        if (result >= 0 || errno != EEXIST) {
            return result;
        }
    }
    return -1;
}

/// A file in the folder of @p path that has no name yet; below 0 where that cannot be done.
int createNameless(const std::filesystem::path& path)
{
    if (::access(pathOfDescriptor(STDERR_FILENO).c_str(), F_OK) != 0) {
        return -1; // without /proc it could not get a name later
    }
    return ::open(folderOf(path).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
}

/// Where a chain of links leads, whether a file is there or not; a link again when it has no end.
std::filesystem::path followed(std::filesystem::path path)
{
    constexpr int mostLinks = 40; // the system's own limit
    std::error_code error;
    for (int i = 0; i < mostLinks && std::filesystem::is_symlink(path, error); ++i) {
        path = path.parent_path() / std::filesystem::read_symlink(path, error);
    }
    return path;
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
    struct stat facts = {};
    const bool exists = ::stat(m_path.c_str(), &facts) == 0;
    if (exists && S_ISDIR(facts.st_mode)) {
        return systemError(EISDIR);
    }
    if (exists && !S_ISREG(facts.st_mode)) {
        m_isDirect = true;
        m_descriptor = ::open(m_path.c_str(), O_WRONLY | O_CLOEXEC);
        return m_descriptor >= 0 ? Expected<void>{} : systemError(errno);
    }
    if (std::error_code error; std::filesystem::is_symlink(m_path, error)) {
        auto target = exists ? std::filesystem::canonical(m_path, error) : followed(m_path);
        if (std::filesystem::is_symlink(target, error)) {
            return systemError(ELOOP);
        }
        m_path = target.empty() ? m_path : std::move(target);
    }
    m_descriptor = createNameless(m_path);
    if (m_descriptor < 0) {
        std::string temporary;
        m_descriptor = withNewName(m_path, temporary, [](const char* name) {
            return ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        });
        if (m_descriptor < 0) {
            return systemError(errno);
        }
        m_temporary = std::move(temporary);
    }
    if (exists && ::fchmod(m_descriptor, facts.st_mode & permissionBits) != 0) {
        return systemError(errno);
    }
    return {};
}

Expected<void> AtomicFile::expect(const ExpectedSize& size)
{
    m_expected = size;
    struct statvfs facts = {};
    if (m_isDirect || ::fstatvfs(m_descriptor, &facts) != 0) {
        return {};
    }
    const double room = static_cast<double>(facts.f_bavail) * static_cast<double>(facts.f_frsize);
    if (static_cast<double>(size.bytes) <= room) {
        return {};
    }
    return fail(Code::Io,
                "The file needs " + needText() + ", and its file system has " +
                    formatBytes(static_cast<std::int64_t>(room)) + " free. " + size.wayOut,
                m_path.string());
}

Expected<void> AtomicFile::patch(std::uint64_t offset, std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        const ssize_t count =
            ::pwrite(m_descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return systemError(errno);
        }
        offset += static_cast<std::uint64_t>(count);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return {};
}

Expected<void> AtomicFile::write(std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        const ssize_t count =
            ::write(m_descriptor, bytes.data(), std::min(bytes.size(), mostAtOnce));
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
    if (!m_isDirect && ::fsync(m_descriptor) != 0) {
        return systemError(errno);
    }
    if (!m_isDirect && m_temporary.empty()) {
        std::string temporary;
        const std::string nameless = pathOfDescriptor(m_descriptor);
        if (withNewName(m_path, temporary, [&nameless](const char* name) {
                return ::linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
            }) < 0) {
            return systemError(errno);
        }
        m_temporary = std::move(temporary);
    }
    const int closed = ::close(m_descriptor);
    m_descriptor = -1;
    if (closed != 0) {
        return systemError(errno);
    }
    if (m_isDirect) {
        return {};
    }
    if (::rename(m_temporary.c_str(), m_path.c_str()) != 0) {
        return systemError(errno);
    }
    m_temporary.clear();
    // Makes the new name last through a power cut. The file is complete whatever this says.
    const int directory = ::open(folderOf(m_path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
        ::fsync(directory);
        ::close(directory);
    }
    return {};
}

std::string AtomicFile::needText() const
{
    return (m_expected.isLeast ? "at least " : "") + formatBytes(m_expected.bytes);
}

tl::unexpected<Error> AtomicFile::systemError(int number) const
{
    std::string message =
        "The file cannot be written: " + std::generic_category().message(number) + ".";
    const bool isFull = number == ENOSPC || number == EDQUOT || number == EFBIG;
    if (isFull && m_expected.bytes > 0) {
        message += " It needs " + needText() + ". " + m_expected.wayOut;
    }
    return fail(Code::Io, std::move(message), m_path.string());
}

} // namespace heed::detail
