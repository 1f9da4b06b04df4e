// Errors as values: what went wrong, where, why and what to do.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace heed {

/// The caller branches on the code; people read the message.
enum class Code {
    InvalidArgument,
    InvalidShape,
    NotFound,
    Io,
    BadFormat,
    UnsupportedVersion,
    Unsupported,
    OutOfMemory,
    DeviceLost,
    BackendFailed,
    Cancelled,
    Internal,
};

struct Error {
    Code code = Code::Internal;
    /// What is wrong in the user's own numbers, and what to do about it. One or two sentences.
    std::string message;
    /// Where: file name and byte offset, tensor name, option. May be empty.
    std::string context;
};

/// A value or an Error.
template <typename T>
using Expected = tl::expected<T, Error>;

/// Builds the failure side of an Expected.
[[nodiscard]] inline tl::unexpected<Error> fail(Code code, std::string message,
                                                std::string context = {})
{
    return tl::unexpected<Error>(Error{code, std::move(message), std::move(context)});
}

/// "context: message", or the message alone.
[[nodiscard]] std::string describe(const Error& error);

} // namespace heed
