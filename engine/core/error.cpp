// Error text, and the report of a failed check.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/error.h"
#include "heed/check.h"

#include <cstdio>
#include <cstdlib>

namespace heed {

std::string describe(const Error& error)
{
    return error.context.empty() ? error.message : error.context + ": " + error.message;
}

namespace detail {

void reportFailedCheck(const char* condition, const char* file, int line)
{
    std::fprintf(stderr, "heedmap: check failed: %s (%s:%d)\n", condition, file, line);
#ifdef HEED_DEVELOPER
    std::abort();
#endif
}

} // namespace detail
} // namespace heed
