// The numbers of an array, made a piece at a time while they are written.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sourceoptions.h"

#include "heed/arrayfile.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace heed::cli {

/// Consecutive bytes of an array and what keeps them alive.
struct Piece {
    std::shared_ptr<const void> owner;
    std::span<const std::byte> bytes;
};

/// An array in pieces. @p make is called for 0, 1, … in order, from any thread, never concurrently.
struct PieceList {
    std::int64_t count = 0;
    std::function<Expected<Piece>(std::int64_t number)> make;
};

/// What all the streams of one result have given so far.
struct Tally {
    std::int64_t cells = 0; ///< all that there will be, for progress
    std::int64_t done = 0;
    std::int64_t nan = 0; ///< of float arrays
};

/// Goes through @p list once. The next piece is made in a thread of its own while the caller
/// writes the one it has, so that processor and disk work at the same time; two are held at most.
/// @p execution and @p tally must outlive it; progress is told in cells of the tally.
[[nodiscard]] ByteSource streamOf(PieceList list, ElementType type, const Execution& execution,
                                  Tally& tally);

/// The maps of @p selection, each in bands of rows that take a small part of the memory budget.
/// @p run, @p selection and @p execution must outlive the list.
[[nodiscard]] PieceList quantityPieces(const Run& run, const Selection& selection,
                                       Quantity quantity, const Execution& execution);
/// The same for the mask, a byte a cell.
[[nodiscard]] PieceList maskPieces(const Run& run, const Selection& selection,
                                   const Execution& execution);

/// The row statistics lse, max, entropy, argmax or kept of the maps of @p selection, a map a piece.
[[nodiscard]] PieceList rowStatsPieces(const Run& run, const Selection& selection,
                                       const std::string& name, const Execution& execution);

/// The logits of the tokens of @p selection, some tokens a piece.
[[nodiscard]] PieceList logitPieces(const Run& run, const Selection& selection,
                                    const Execution& execution);

/// A tensor for each layer, asked for when its first piece is; one is held at a time.
using LayerTensor = std::function<Expected<std::shared_ptr<const Tensor>>(std::int64_t layer)>;

/// Of each of @p layers, the selected positions of the leading axes of its tensor, whose remaining
/// axes are whole.
/// @param chosen  positions an axis.
[[nodiscard]] PieceList cutPieces(LayerTensor tensor, std::vector<std::int64_t> layers,
                                  std::vector<std::vector<std::int64_t>> chosen,
                                  const std::string& name);

} // namespace heed::cli
