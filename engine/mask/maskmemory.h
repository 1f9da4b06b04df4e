// The memory one compilation of a mask takes, told before it is taken.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/execution.h"

#include <cstdint>
#include <string>

namespace heed::detail {

class MaskMemory {
public:
    /// @param besideBytes what is held already and counts against the budget.
    MaskMemory(const Execution& execution, std::int64_t besideBytes)
        : m_execution(execution)
        , m_beside(besideBytes)
    {
    }

    /// Counts @p bytes for @p what beside all that was taken.
    /// @return Code::OutOfMemory past the budget, or past what any mask may take; then nothing is
    ///         counted.
    [[nodiscard]] Expected<void> take(std::int64_t bytes, const std::string& what);
    void giveBack(std::int64_t bytes) { m_taken -= bytes; }
    [[nodiscard]] std::int64_t taken() const { return m_taken; }
    [[nodiscard]] const Execution& execution() const { return m_execution; }

private:
    const Execution& m_execution;
    std::int64_t m_beside;
    std::int64_t m_taken = 0;
};

} // namespace heed::detail
