// Checks for programming mistakes: logged in every build, fatal in developer builds.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace heed::detail {
void reportFailedCheck(const char* condition, const char* file, int line);
} // namespace heed::detail

/// Logs file, line and condition when @p condition is false, then runs @p escape (a statement such
/// as `return {}`). With HEED_DEVELOPER the program stops instead.
#define HEED_CHECK(condition, escape)                                                              \
    do {                                                                                           \
        if (!(condition)) [[unlikely]] {                                                           \
            ::heed::detail::reportFailedCheck(#condition, __FILE__, __LINE__);                     \
            escape;                                                                                \
        }                                                                                          \
    } while (false)
