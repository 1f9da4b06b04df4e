// The arguments of other libraries that take a mask, and how each reads it.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace heed {

/// What a number in a mask does to its cell.
enum class MaskMeaning : std::uint8_t {
    Refused, ///< the library raises an error for this type
    Keep,    ///< what is not 0 keeps the cell
    Blocked, ///< what is not 0 blocks it
    Added,   ///< it is added to the score
};

/// What becomes of a query that may attend to nothing.
enum class EmptyRowOutcome : std::uint8_t { Unknown, NotANumber, Zero, Uniform };

/// Where a causal flag of the same call puts its triangle when L ≠ S.
enum class CausalAnchor : std::uint8_t {
    None, ///< there is no such flag, or it is only a hint
    UpperLeft,
    LowerRight,
    Past, ///< behind the cached keys
};

/// One argument that takes a mask. A row of a table; adding one is adding a row.
struct MaskSlot {
    std::string_view name;  ///< "torch.sdpa"
    std::string_view words; ///< "attn_mask of scaled_dot_product_attention (PyTorch)"
    MaskMeaning ofBool;
    MaskMeaning ofInteger;
    MaskMeaning ofFloat;
    /// Of arrays with 1, 2, 3 and 4 axes a letter each: B item, H head, N = B·H item by item, L
    /// query, S key. "" = such arrays are refused. Longer arrays are refused everywhere.
    std::array<std::string_view, 4> axes;
    /// An extent of 1 stands for all.
    bool broadcasts;
    CausalAnchor causalFlag;
    EmptyRowOutcome emptyRow;
    std::string_view blockedValue; ///< what the library itself blocks with, for people
    std::string_view note;         ///< what else to know; may be empty
    /// Floating-point masks have to be float32 or of the type of the scores.
    bool onlyScoreTypes = false;
    /// The triangle of the flag is joined with the mask by and; elsewhere the two conflict.
    bool joinsFlag = false;
};

/// All of them: keep, blocked and additive first, which name no library.
[[nodiscard]] std::span<const MaskSlot> maskSlots();
/// @return Code::NotFound with the nearest name.
[[nodiscard]] Expected<const MaskSlot*> findMaskSlot(std::string_view name);

} // namespace heed
