// Reads the head of a GGUF file from front to back; every length is compared with what remains.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/gguf.h"
#include "io/source.h"

namespace heed::detail {

/// The limits of the reference reader: no honest file comes near them.
inline constexpr std::uint64_t longestGgufText = std::uint64_t{1} << 30;
inline constexpr std::uint64_t longestGgufList = std::uint64_t{1} << 30;

class GgufCursor {
public:
    /// @param begin  of @p bytes in the file, for errors.
    GgufCursor(std::span<const std::byte> bytes, const std::string& where, std::size_t begin = 0)
        : m_bytes(bytes)
        , m_where(where)
        , m_begin(begin)
    {
    }

    [[nodiscard]] std::size_t offset() const { return m_begin + m_position; } ///< in the file
    [[nodiscard]] std::size_t remaining() const { return m_bytes.size() - m_position; }
    [[nodiscard]] std::span<const std::byte> rest() const { return m_bytes.subspan(m_position); }

    /// Code::BadFormat at byte @p offset of the file.
    [[nodiscard]] tl::unexpected<Error> refuse(std::size_t offset, std::string message) const
    {
        return badFormat(m_where, offset, std::move(message));
    }

    /// @p what is named when the bytes do not suffice.
    [[nodiscard]] Expected<std::span<const std::byte>> take(std::uint64_t size, const char* what)
    {
        if (size > remaining()) {
            return refuse(offset(), "The file is cut short: " + std::string(what) + " takes " +
                                        std::to_string(size) + " bytes, " +
                                        std::to_string(remaining()) + " follow.");
        }
        const auto bytes = m_bytes.subspan(m_position, size);
        m_position += size;
        return bytes;
    }

    template <typename T>
    [[nodiscard]] Expected<T> number(const char* what)
    {
        return take(sizeof(T), what).map([](std::span<const std::byte> bytes) {
            return readLittleEndian<T>(bytes, 0);
        });
    }

    /// A length of 8 bytes and as many bytes.
    [[nodiscard]] Expected<std::string_view> text(const char* what)
    {
        const std::size_t begin = offset();
        const auto length = number<std::uint64_t>(what);
        if (!length) {
            return tl::unexpected(length.error());
        }
        if (*length > longestGgufText || *length > remaining()) {
            return refuse(begin, std::string(what) + " claims " + std::to_string(*length) +
                                     " bytes, but " + std::to_string(remaining()) +
                                     " follow and 2^30 are allowed.");
        }
        return take(*length, what).map(asText);
    }

private:
    std::span<const std::byte> m_bytes;
    const std::string& m_where;
    std::size_t m_begin;
    std::size_t m_position = 0;
};

/// The @p count names and values at @p cursor.
[[nodiscard]] Expected<std::vector<GgufValue>>
readGgufValues(GgufCursor& cursor, std::uint64_t count, const std::string& file);

} // namespace heed::detail
