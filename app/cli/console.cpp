// Talking to the terminal: exit codes, messages, progress, and text that is safe to print.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "console.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <unicode/uchar.h>
#include <unicode/utf8.h>
#include <unistd.h>

namespace heed::cli {

namespace {

constexpr const char* ClearLine = "\r\x1b[K";
constexpr auto ProgressPeriod = std::chrono::milliseconds(100);

/// The code point at @p index, which moves on; negative for invalid UTF-8.
UChar32 nextCodePoint(std::string_view text, std::int32_t& index)
{
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    const auto length = static_cast<std::int32_t>(text.size());
    UChar32 point = 0;
    U8_NEXT(bytes, index, length, point);
    return point;
}

int codePointWidth(UChar32 point)
{
    const int type = u_charType(point);
    if (type == U_NON_SPACING_MARK || type == U_ENCLOSING_MARK || type == U_FORMAT_CHAR) {
        return 0;
    }
    const int width = u_getIntPropertyValue(point, UCHAR_EAST_ASIAN_WIDTH);
    return width == U_EA_WIDE || width == U_EA_FULLWIDTH ? 2 : 1;
}

Error outputError()
{
    return {Code::Io, std::string("Cannot write: ") + std::strerror(errno) + ".",
            "standard output"};
}

} // namespace

ExitCode exitCodeOf(Code code)
{
    switch (code) {
    case Code::InvalidArgument:
        return ExitCode::Usage;
    case Code::InvalidShape: // what is given does not fit the other input
    case Code::NotFound:
    case Code::Io:
    case Code::BadFormat:
    case Code::UnsupportedVersion:
    case Code::Unsupported:
        return ExitCode::Input;
    case Code::OutOfMemory:
    case Code::DeviceLost:
    case Code::BackendFailed:
    case Code::Internal:
        return ExitCode::Resources;
    case Code::Cancelled:
        return ExitCode::Interrupted;
    }
    return ExitCode::Resources;
}

Console::Console(std::stop_token stop, std::function<void()> leave)
    : m_stop(std::move(stop))
    , m_leave(std::move(leave))
    , m_outIsTerminal(isatty(STDOUT_FILENO) != 0)
    , m_errorIsTerminal(isatty(STDERR_FILENO) != 0)
{
    const char* noColour = std::getenv("NO_COLOR"); // no-color.org: any non-empty value counts
    const char* terminal = std::getenv("TERM");
    m_coloured = (noColour == nullptr || *noColour == '\0') &&
                 (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

Expected<void> Console::print(std::string_view text) const
{
    return print(std::as_bytes(std::span(text)));
}

Expected<void> Console::print(std::span<const std::byte> bytes) const
{
    if (!bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) {
        return tl::unexpected(outputError());
    }
    return {};
}

Expected<void> Console::flush() const
{
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        return tl::unexpected(outputError());
    }
    return {};
}

void Console::note(const std::string& text) const
{
    std::fprintf(stderr, "heedmap: note: %s\n", printable(text).c_str());
}

void Console::error(const std::string& text) const
{
    const bool coloured = m_coloured && m_errorIsTerminal;
    std::fprintf(stderr, "%s %s\n",
                 coloured ? "\x1b[1;31mheedmap:\x1b[0m" : "heedmap:", printable(text).c_str());
}

std::string Console::heading(const std::string& text) const
{
    return m_coloured && m_outIsTerminal ? "\x1b[1m" + text + "\x1b[0m" : text;
}

std::function<void(std::int64_t, std::int64_t)> Console::progress(const std::string& what) const
{
    if (!m_errorIsTerminal) {
        return {};
    }
    // The engine never calls this concurrently, so the time of the last line needs no lock.
    auto last =
        std::make_shared<std::chrono::steady_clock::time_point>(std::chrono::steady_clock::now());
    return [what, last](std::int64_t done, std::int64_t total) {
        const auto now = std::chrono::steady_clock::now();
        if (now - *last < ProgressPeriod || total <= 0) {
            return;
        }
        *last = now;
        std::fprintf(stderr, "%s%s %lld %%", ClearLine, what.c_str(),
                     static_cast<long long>(100 * done / total));
        std::fflush(stderr);
    };
}

void Console::endProgress() const
{
    if (m_errorIsTerminal) {
        std::fputs(ClearLine, stderr);
        std::fflush(stderr);
    }
}

std::stop_callback<std::function<void()>> Console::leaveWhenStopped() const
{
    return std::stop_callback<std::function<void()>>(m_stop, [this] {
        endProgress();
        if (m_leave) {
            m_leave();
        }
    });
}

std::string printable(std::string_view text)
{
    std::string result;
    std::int32_t index = 0;
    while (index < static_cast<std::int32_t>(text.size())) {
        const std::int32_t begin = index;
        const UChar32 point = nextCodePoint(text, index);
        if (point < 0 || u_charType(point) == U_CONTROL_CHAR) {
            char escaped[8] = {};
            for (std::int32_t i = begin; i < index; ++i) {
                std::snprintf(escaped, sizeof escaped, "\\x%02x",
                              static_cast<unsigned>(
                                  static_cast<unsigned char>(text[static_cast<std::size_t>(i)])));
                result += escaped;
            }
        } else {
            result += text.substr(static_cast<std::size_t>(begin),
                                  static_cast<std::size_t>(index - begin));
        }
    }
    return result;
}

int displayWidth(std::string_view text)
{
    int width = 0;
    std::int32_t index = 0;
    while (index < static_cast<std::int32_t>(text.size())) {
        const UChar32 point = nextCodePoint(text, index);
        width += point < 0 ? 1 : codePointWidth(point);
    }
    return width;
}

std::string padRight(const std::string& text, int width)
{
    const int missing = width - displayWidth(text);
    return missing > 0 ? text + std::string(static_cast<std::size_t>(missing), ' ') : text;
}

std::string padLeft(const std::string& text, int width)
{
    const int missing = width - displayWidth(text);
    return missing > 0 ? std::string(static_cast<std::size_t>(missing), ' ') + text : text;
}

std::string shorten(const std::string& text, int width)
{
    if (displayWidth(text) <= width) {
        return text;
    }
    int used = 0;
    std::int32_t index = 0;
    std::int32_t end = 0;
    while (index < static_cast<std::int32_t>(text.size())) {
        const UChar32 point = nextCodePoint(text, index);
        used += point < 0 ? 1 : codePointWidth(point);
        if (used > width - 1) { // one column for the ellipsis
            break;
        }
        end = index;
    }
    return text.substr(0, static_cast<std::size_t>(end)) + "…";
}

} // namespace heed::cli
