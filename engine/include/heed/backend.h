// What can compute: the backends found on this machine, and the few large operations they offer.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"
#include "heed/execution.h"
#include "heed/mask.h"
#include "heed/tensor.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace heed {

/// The steps of one attention map.
enum class Quantity {
    Scores,  ///< q·k
    Scaled,  ///< scores · scale
    Masked,  ///< scaled, −inf where masked
    Weights, ///< softmax of masked along the row; 0 where masked
};

/// How the cells of a texel become one value. Masked cells never take part.
enum class Pooling {
    Max,    ///< the largest; default for weights
    AbsMax, ///< the value of largest magnitude, sign kept; default for scores
    Mass,   ///< the sum
    Mean,   ///< the mean over the cells that take part
};

/// A float32 tensor living where a backend computes. Shared by everything that reads it.
class Buffer {
public:
    virtual ~Buffer() = default;
    [[nodiscard]] virtual const Shape& shape() const = 0;
};
using BufferPtr = std::shared_ptr<const Buffer>;

/// The matrix of the last two axes of a buffer, starting @p offset elements in, row stride = last
/// extent.
struct BufferMatrix {
    const Buffer* buffer = nullptr;
    std::int64_t offset = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t rowStride = 0;
};

/// One (layer, item, head): everything needed to recompute any part of its map.
struct HeadProblem {
    BufferMatrix q;     ///< [L, D]
    BufferMatrix k;     ///< [S, D]
    float scale = 1.0F; ///< finite, > 0
    MaskPlane mask;     ///< L × S
};

/// Per-row facts of one map, L values each.
struct RowStats {
    std::vector<float> max; ///< largest masked score; −inf for a row with nothing allowed
    /// Σ exp(masked − max); 0 for a row with nothing allowed. Beside max because lse alone, rounded
    /// to float32, would lose the weights of a row whose scores are near ±1e4.
    std::vector<float> sum;
    std::vector<float> lse;     ///< log Σ exp(masked); −inf for a row with nothing allowed
    std::vector<float> entropy; ///< −Σ w ln w, nats; 0 for a row with nothing allowed
    /// Strongest key, the lowest index on a tie; the first NaN or +inf when there is one; −1 when
    /// no key has a score above −inf.
    std::vector<std::int64_t> argmax;
    std::vector<std::int64_t> kept; ///< keys allowed
    std::vector<float> distance;    ///< Σ w |i − j|
};

/// A window of cells and how many cells (cell × cell) a texel covers.
struct TileSpec {
    Quantity quantity = Quantity::Weights;
    Pooling pooling = Pooling::Max;
    std::int64_t row = 0; ///< first cell, a multiple of texelCells
    std::int64_t column = 0;
    std::int64_t rows = 0; ///< cells; the last texel may be partial at the edge of the map
    std::int64_t columns = 0;
    std::int64_t texelCells = 1; ///< 2^level

    [[nodiscard]] std::int64_t texelRows() const { return (rows + texelCells - 1) / texelCells; }
    [[nodiscard]] std::int64_t texelColumns() const
    {
        return (columns + texelCells - 1) / texelCells;
    }
};

/// A texel whose cells are all masked has value 0 for Weights, −inf for Masked, and maskedShare 1.
/// Scores and Scaled ignore the mask for their value but report maskedShare all the same.
/// A NaN among the cells that take part gives NaN, whatever the pooling. AbsMax of +x and −x is +x.
struct TileTexels {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<float> values;      ///< rows × columns, row-major
    std::vector<float> maskedShare; ///< 0…1, same layout
};

/// Operations on one device. Re-entrant. Every operation polls the stop token (Code::Cancelled).
/// Numerical rule: against float64, at most twice the error of the plain float32 loop.
class Backend {
public:
    virtual ~Backend() = default;
    [[nodiscard]] virtual std::string name() const = 0;        ///< "reference", "cpu", "cuda"
    [[nodiscard]] virtual std::string description() const = 0; ///< "CPU x86-64-v4, 2 threads"

    /// Copies (or wraps: the caller keeps @p tensor alive through the shared pointer) a tensor.
    [[nodiscard]] virtual Expected<BufferPtr>
    upload(std::shared_ptr<const Tensor> tensor) const = 0;

    /// out = x·wᵀ + bias. @param x [M, K], @param w [N, K], @param bias N values or empty,
    /// @param out [M, N], no overlap. @complexity O(M·N·K).
    [[nodiscard]] virtual Expected<void> linear(ConstMatrixView<float> x, ConstMatrixView<float> w,
                                                std::span<const float> bias, MatrixView<float> out,
                                                const Execution& execution) const = 0;

    /// One pass over q·kᵀ. NaN or +inf among the kept scores of a row gives NaN in its max, sum,
    /// lse, entropy and distance. A row whose kept scores are all −inf counts as one with nothing
    /// allowed (but for `kept`).
    /// @complexity O(kept cells · D), memory O(L).
    [[nodiscard]] virtual Expected<RowStats> rowStats(const HeadProblem& problem,
                                                      const Execution& execution) const = 0;

    /// A pooled window. @param stats of the same problem; needed for Weights only, else may be
    /// null.
    [[nodiscard]] virtual Expected<TileTexels> tile(const HeadProblem& problem,
                                                    const RowStats* stats, const TileSpec& spec,
                                                    const Execution& execution) const = 0;

    /// out = weights·v without storing the weights. @param v [S, Dv], @param out [L, Dv].
    /// A row with nothing allowed gives zeros.
    [[nodiscard]] virtual Expected<void> attend(const HeadProblem& problem, const RowStats& stats,
                                                const BufferMatrix& v, MatrixView<float> out,
                                                const Execution& execution) const = 0;
};
using BackendPtr = std::shared_ptr<const Backend>;

/// What the loader found, used or refused, one line each.
struct BackendReport {
    std::string name; ///< "cpu"; the file name when it never told its own
    std::string path; ///< "" for the linked-in reference
    bool usable = false;
    int score = 0;
    std::string detail; ///< description when usable, otherwise the reason for the refusal
};

/// Finds and keeps backends. Loading happens on first use, once, under a lock; modules stay loaded.
/// Search path: <folder of the program>/../lib*/heedmap/backends (build and install layouts), then
/// HEED_BACKEND_DIR. Never the current directory. Loader steps: open → entry → version and struct
/// size → score → device count → open → self-test against the reference. Each "no" has its line.
class BackendRegistry {
public:
    /// The registry of this process.
    [[nodiscard]] static BackendRegistry& instance();
    /// @param folders searched in this order instead of the default ones (tests).
    explicit BackendRegistry(std::vector<std::string> folders);
    ~BackendRegistry();

    [[nodiscard]] const std::vector<BackendReport>& reports();
    /// @param name "auto" (best score) or a name of reports().
    /// @return Code::NotFound naming the reason for the refusal and the names that work.
    [[nodiscard]] Expected<BackendPtr> open(const std::string& name = "auto");

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace heed
