// Mask expressions, and the compiled form every computation uses.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"
#include "heed/execution.h"
#include "heed/text.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// Why a cell may not be attended. A cell can be blocked for several reasons at once, so these are
/// bits. Order is the order of a legend.
enum class MaskReason : std::uint8_t {
    None = 0,
    Padding = 1,
    Causal = 2,
    Window = 4,
    Documents = 8,
    Prefix = 16,
    File = 32,
    Other = 64, ///< a negated expression, or a family without a reason of its own
};
using MaskReasons = std::uint8_t; ///< union of MaskReason bits; 0 = the cell is kept

/// What a mask is compiled for.
struct MaskContext {
    std::int64_t items = 1;   ///< B
    std::int64_t heads = 1;   ///< H
    std::int64_t queries = 1; ///< L
    std::int64_t keys = 1;    ///< S
    /// Real keys of each batch item, B values in 1..S; empty = no padding known.
    std::vector<std::int64_t> keyLengths = {};
    PadSide padSide = PadSide::Right;
    /// Folder against which file("…") is resolved; empty = the current folder.
    std::string baseFolder = {};
};

/// Half-open range of keys.
struct KeyRange {
    std::int32_t begin = 0;
    std::int32_t end = 0;
    bool operator==(const KeyRange&) const = default;
};

/// Half-open range of keys that are masked for the same reasons.
struct ReasonRun {
    std::int32_t begin = 0;
    std::int32_t end = 0;
    MaskReasons reasons = 0;
    bool operator==(const ReasonRun&) const = default;
};

/// One L×S plane of a compiled mask. Either `ranges` (row i keeps ranges[rowStart[i]] …
/// ranges[rowStart[i+1]-1], ascending, disjoint, not touching, none empty) or `words` (row i is
/// wordsPerRow 64-bit words, bit j%64 of word j/64 set = key j kept).
struct MaskPlane {
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    bool isBits = false;
    std::span<const std::int64_t> rowStart;
    std::span<const KeyRange> ranges;
    std::span<const std::uint64_t> words;
    std::int64_t wordsPerRow = 0;
};

enum class BlockClass { AllKept, AllMasked, Mixed };

/// A mask ready for use. Immutable; share it between threads.
/// Memory O(B·L) for interval families, O(L·S/8) bytes a distinct plane otherwise.
class CompiledMask {
public:
    virtual ~CompiledMask() = default;
    [[nodiscard]] virtual const MaskContext& context() const = 0;
    /// The expression in normal form, e.g. "padding & causal".
    [[nodiscard]] virtual const std::string& expression() const = 0;
    /// @param item in 0..B-1, @param head in 0..H-1. Planes are shared where they are equal.
    [[nodiscard]] virtual MaskPlane plane(std::int64_t item, std::int64_t head) const = 0;
    [[nodiscard]] virtual bool keeps(std::int64_t item, std::int64_t head, std::int64_t query,
                                     std::int64_t key) const = 0;
    /// Every reason for which the cell is masked; 0 when it is kept. Of A & B the reasons of the
    /// sides that mask the cell, of A | B those of both, of ~A Other. O(length of the expression).
    [[nodiscard]] virtual MaskReasons reasons(std::int64_t item, std::int64_t head,
                                              std::int64_t query, std::int64_t key) const = 0;
    /// reasons() of part of a row: runs that cover its masked keys and no other; ascending,
    /// disjoint, none empty, touching ones with different reasons.
    /// @param keys the part, clipped to 0..S.
    /// @param runs replaced; give the same ones for row after row, their memory is used again.
    /// @return Code::OutOfMemory.
    /// @complexity A step for each range that a family keeps of these keys, and for each run of the
    ///             two sides of & and |: O(length of the expression) for a chain of interval
    ///             families, up to O(keys) where dilated, strided, fixed or file() take part.
    [[nodiscard]] virtual Expected<void> reasonsInRow(std::int64_t item, std::int64_t head,
                                                      std::int64_t query, KeyRange keys,
                                                      std::vector<ReasonRun>& runs) const = 0;
    [[nodiscard]] virtual std::int64_t keptInRow(std::int64_t item, std::int64_t head,
                                                 std::int64_t query) const = 0;
    /// Class of the block [row, row+rows) × [column, column+columns), clipped to the mask; nothing
    /// left of it is AllMasked. O(log L) for rows of at most two ranges, O(rows · log L) for more;
    /// bit planes take a step for each 64 × 64 tile, and 64 for a mixed one that the border cuts.
    [[nodiscard]] virtual BlockClass classify(std::int64_t item, std::int64_t head,
                                              std::int64_t row, std::int64_t column,
                                              std::int64_t rows, std::int64_t columns) const = 0;
    /// What it holds in memory.
    [[nodiscard]] virtual std::int64_t bytes() const = 0;
    /// True when all items (heads) share one plane.
    [[nodiscard]] virtual bool sameForAllItems() const = 0;
    [[nodiscard]] virtual bool sameForAllHeads() const = 0;
};
using MaskPtr = std::shared_ptr<const CompiledMask>;

/// Compiles @p expression (grammar, rules and examples: docs/masks.md) for @p context.
///
/// With query i and key j counted from the upper left corner, a cell is kept by:
/// `none`, `true` – all; `causal`, `causal(offset=K)` – j <= i + K, K is 0 unless given; `padding`,
/// `padding(side=right|left, lengths=[5,3])` – real keys, as the context says unless given;
/// `window(W)` – 0 <= i-j < W; `window(left=A,right=B)` – -B <= i-j <= A; `symmetric(W)` –
/// |i-j| <= W; `documents([3,2,3])` – i and j in the same one, the sum is max(L, S);
/// `prefix(P)` – j < P or j <= i (a prefix language model); `sink(N)` – j < N; `chunk(C)`,
/// `dilated(STEPS,D)`, `strided(N)`, `fixed(BLOCK,SUMMARY)` – causal patterns;
/// `longformer(WIDTH,global=[0])` – |i-j| <= WIDTH/2, or i or j is global;
/// `bigbird(block=B,global=[0],random=[[2],[0]])` – the same of blocks at most 1 apart, or the
/// key's block is in the list of the query's; `file("m.npy", reads="keep|blocked|additive",
/// array="name")` – an array [L,S], [B,L,S], [B,H,L,S] or [1,B,H,L,S], where B and H may be 1.
/// Combined with ~ & | ( ), ~ binding tightest, | loosest. An empty expression is `none`.
///
/// @return Code::InvalidArgument for a mistake in the text, a name that is planned only, a text
///         nested deeper than 64 or longer than 1 MiB or 1000 masks or steps of a rule, a file that
///         is no mask, or a rule that has no number at some cell (the context names the column, in
///         characters from 1); Code::InvalidShape when the context is
///         impossible, or lengths, documents or a file do not fit it; Code::OutOfMemory past
///         4 GiB or the memory budget of @p execution, before the memory is taken;
///         Code::Cancelled; the reader's error for file().
/// @param besideBytes what the caller holds for the same purpose; the budget covers it too.
/// @complexity O(B·L) time and memory for interval families; O(B·H·L·S) otherwise.
[[nodiscard]] Expected<MaskPtr> compileMask(std::string_view expression, const MaskContext& context,
                                            const Execution& execution = {},
                                            std::int64_t besideBytes = 0);

/// Checks and normalises an expression without compiling it ("padding&causal" → "padding &
/// causal").
[[nodiscard]] Expected<std::string> normaliseMask(std::string_view expression);

/// The same mask from any folder, in normal form: relative names in file(…) are put behind
/// @p folder. Errors as normaliseMask().
[[nodiscard]] Expected<std::string> maskFromFolder(std::string_view expression,
                                                   const std::string& folder);

/// "padding", "causal", …; "" for None. Untranslated; the window has its own words.
[[nodiscard]] std::string_view reasonName(MaskReason reason);

} // namespace heed
