// Talking to the terminal: exit codes, messages, progress, and text that is safe to print.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"
#include "heed/execution.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace heed::cli {

/// What the program returns to the shell; the numbers are documented in the man page.
enum class ExitCode {
    Fine = 0,
    Problems = 1,  ///< a check found something
    Usage = 2,     ///< wrong command line
    Input = 3,     ///< a file or text that cannot be read
    Resources = 4, ///< memory or device
    Interrupted = 130,
};

[[nodiscard]] ExitCode exitCodeOf(Code code);

/// Standard output and standard error of one run of the program. Results go to the first, messages
/// and progress to the second.
class Console {
public:
    /// @param leave ends the process as the signal that came asks for.
    explicit Console(std::stop_token stop = {}, std::function<void()> leave = {});

    [[nodiscard]] std::stop_token stop() const { return m_stop; }
    [[nodiscard]] bool outIsTerminal() const { return m_outIsTerminal; }

    /// Writes to standard output. @return Code::Io with the system's reason.
    [[nodiscard]] Expected<void> print(std::string_view text) const;
    [[nodiscard]] Expected<void> print(std::span<const std::byte> bytes) const;
    /// Hands what is still buffered to the system. @return as print().
    [[nodiscard]] Expected<void> flush() const;

    /// "heedmap: note: …" on standard error.
    void note(const std::string& text) const;
    /// "heedmap: …" on standard error.
    void error(const std::string& text) const;

    /// A heading as the terminal may show it: bold on a terminal, plain elsewhere and with
    /// NO_COLOR.
    [[nodiscard]] std::string heading(const std::string& text) const;

    /// A progress callback that keeps one line of standard error up to date; does nothing when that
    /// is no terminal.
    [[nodiscard]] std::function<void(std::int64_t, std::int64_t)>
    progress(const std::string& what) const;
    /// Takes the progress line away again.
    void endProgress() const;

    /// While the result lives, a stop ends the process where it is. For work that cannot be stopped
    /// and leaves nothing half done.
    [[nodiscard]] std::stop_callback<std::function<void()>> leaveWhenStopped() const;

private:
    std::stop_token m_stop;
    std::function<void()> m_leave;
    bool m_outIsTerminal = false;
    bool m_errorIsTerminal = false;
    bool m_coloured = false;
};

/// @p text with control characters, line breaks among them, and invalid UTF-8 made visible, so that
/// a name in a file or a token cannot steer the terminal nor look like a line of ours.
[[nodiscard]] std::string printable(std::string_view text);

/// Columns @p text takes on a terminal: wide characters (CJK) count two, combining ones none.
[[nodiscard]] int displayWidth(std::string_view text);

/// @p text filled with blanks up to @p width columns; to the left for right alignment.
[[nodiscard]] std::string padRight(const std::string& text, int width);
[[nodiscard]] std::string padLeft(const std::string& text, int width);

/// The start of @p text that fits in @p width columns, with "…" when something was cut.
[[nodiscard]] std::string shorten(const std::string& text, int width);

} // namespace heed::cli
