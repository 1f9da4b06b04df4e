// What every reader starts from: bytes, who keeps them alive, and what to call them in errors.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace heed::detail {

/// Tells that bytes were read and need not stay in memory; they can be read again.
using Forget = void (*)(std::span<const std::byte>);

/// Bytes of a file, mapped or in memory. Copying copies the reference.
struct Source {
    std::shared_ptr<const void> owner;
    std::span<const std::byte> bytes;
    std::string name;        ///< the path, for Error::context
    Forget forget = nullptr; ///< of mapped files
};

/// Calls read(piece) for all of @p bytes in order, each piece forgotten after it was read: reading
/// a large file to the end must not hold all of it.
template <typename Read>
void readInPieces(std::span<const std::byte> bytes, Forget forget, const Read& read)
{
    constexpr std::size_t pieceBytes = std::size_t{8} << 20;
    for (std::size_t begin = 0; begin < bytes.size(); begin += pieceBytes) {
        const auto piece = bytes.subspan(begin, std::min(pieceBytes, bytes.size() - begin));
        read(piece);
        if (forget != nullptr) {
            forget(piece);
        }
    }
}

/// Code::BadFormat at a byte of a file (or of a member of an archive).
[[nodiscard]] inline tl::unexpected<Error> badFormat(const std::string& where, std::size_t offset,
                                                     std::string message)
{
    return fail(Code::BadFormat, std::move(message), where + ", byte " + std::to_string(offset));
}

/// A little-endian number at @p offset. The caller has checked that it lies inside @p bytes.
template <typename T>
[[nodiscard]] T readLittleEndian(std::span<const std::byte> bytes, std::size_t offset)
{
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

[[nodiscard]] inline std::string_view asText(std::span<const std::byte> bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

[[nodiscard]] inline std::span<const std::byte> asBytes(std::string_view text)
{
    return std::as_bytes(std::span(text.data(), text.size()));
}

/// Text from a file as an error message may show it: in quotes, short, printable.
[[nodiscard]] std::string inQuotes(std::string_view text);

/// @p text with "?" for control characters and for what is not UTF-8.
[[nodiscard]] std::string printable(std::string_view text);

/// Runs @p body, which returns an Expected, and turns exceptions of the libraries into errors.
template <typename Body>
[[nodiscard]] auto guarded(const std::string& where, Body&& body) -> decltype(body())
{
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, "There is not enough memory for the numbers of this file.",
                    where);
    } catch (const std::length_error&) {
        return fail(Code::OutOfMemory, "There is not enough memory for the numbers of this file.",
                    where);
    } catch (const std::exception& exception) {
        return fail(Code::Internal, std::string("Unexpected: ") + exception.what() + ".", where);
    }
}

} // namespace heed::detail
