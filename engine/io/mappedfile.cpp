// Memory mapping with the POSIX calls.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/mappedfile.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace heed::detail {

namespace {

class Descriptor {
public:
    explicit Descriptor(int number)
        : m_number(number)
    {
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor()
    {
        if (m_number >= 0) {
            ::close(m_number);
        }
    }
    [[nodiscard]] int number() const { return m_number; }

private:
    int m_number;
};

tl::unexpected<Error> systemError(const std::filesystem::path& path, int number)
{
    const std::string reason = std::generic_category().message(number);
    if (number == ENOENT || number == ENOTDIR) {
        return fail(Code::NotFound, "There is no such file. Check the spelling of the path.",
                    path.string());
    }
    return fail(Code::Io, "The file cannot be read: " + reason + ".", path.string());
}

} // namespace

Expected<std::shared_ptr<const MappedFile>> MappedFile::open(const std::filesystem::path& path)
{
    // O_NONBLOCK: opening a pipe that nobody writes to must not wait for ever.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.number() < 0) {
        return systemError(path, errno);
    }
    struct stat facts = {};
    if (::fstat(file.number(), &facts) != 0) {
        return systemError(path, errno);
    }
    if (S_ISDIR(facts.st_mode)) {
        return fail(Code::Io, "This is a directory; name a file in it.", path.string());
    }
    if (!S_ISREG(facts.st_mode)) {
        return fail(Code::Io, "This is a pipe or a device. Give a regular file.", path.string());
    }
    const auto size = static_cast<std::size_t>(facts.st_size);
    if (size == 0) {
        return std::shared_ptr<const MappedFile>(new MappedFile({}));
    }
    void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (memory == MAP_FAILED) {
        return systemError(path, errno);
    }
    return std::shared_ptr<const MappedFile>(
        new MappedFile({static_cast<const std::byte*>(memory), size}));
}

void MappedFile::forget(std::span<const std::byte> bytes)
{
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
    const std::uintptr_t begin = (address + page - 1) / page * page;
    const std::uintptr_t end = (address + bytes.size()) / page * page;
    if (begin < end) {
        // Advice: nothing is lost when it is not taken.
        (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
    }
}

MappedFile::~MappedFile()
{
    if (!m_bytes.empty()) {
        ::munmap(const_cast<std::byte*>(m_bytes.data()), m_bytes.size());
    }
}

} // namespace heed::detail
