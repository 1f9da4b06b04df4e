// The memory one compilation of a mask takes, told before it is taken.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/maskmemory.h"

namespace heed::detail {
namespace {

// A number past it is a mistake, not a mask on a screen.
constexpr std::int64_t mostMaskBytes = std::int64_t{4} << 30;

} // namespace

Expected<void> MaskMemory::take(std::int64_t bytes, const std::string& what)
{
    const std::int64_t needed = m_taken + bytes;
    const std::string wayOut = "use fewer tokens, fewer batch items or a mask of whole ranges";
    auto fits =
        checkMemory(needed + m_beside, m_beside > 0 ? what + " beside the vectors it is for" : what,
                    m_execution, wayOut);
    if (!fits) {
        return fail(fits.error().code, fits.error().message, "mask");
    }
    if (needed > mostMaskBytes) {
        return fail(Code::OutOfMemory,
                    what + " needs " + formatBytes(needed) + ", more than the " +
                        formatBytes(mostMaskBytes) + " a mask may take: " + wayOut + ".",
                    "mask");
    }
    m_taken = needed;
    return {};
}

} // namespace heed::detail
