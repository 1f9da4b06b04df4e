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
#include <span>
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

/// One (layer, item, head), or some of its rows: everything needed to recompute any part of its
/// map. masked = softCap(scale · q·k) + biases where the mask keeps the cell, −inf elsewhere, in
/// the order of Gemma 2 (Gemma Team 2024, section 2): cap, then what is added, then the mask.
struct HeadProblem {
    BufferMatrix q;     ///< [L, D]
    BufferMatrix k;     ///< [S, D]
    float scale = 1.0F; ///< finite, > 0
    MaskPlane mask;     ///< L × S
    /// c > 0: a scaled score s becomes c · tanh(s / c); 0 = none.
    float softCap = 0.0F;
    /// Added by distance (ALiBi, T5): query i (counted from firstQuery) and key j get the number at
    /// i − j + S − 1. At least firstQuery + L + S − 1 numbers, or none.
    std::span<const float> distanceBias = {};
    BufferMatrix bias = {}; ///< added cell by cell, [L, S]; none when it has no buffer
    /// What row 0 is among the queries of the whole map; distances and masses count from there.
    std::int64_t firstQuery = 0;
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

/// The tokens of a map, for masses that depend on them. Tokens with equal numbers are the same.
struct TokenRoles {
    std::span<const std::int32_t> queries;    ///< of the rows, L; may be empty
    std::span<const std::int32_t> keys;       ///< of the columns, S; may be empty
    std::span<const std::uint8_t> delimiters; ///< 1 = separator or punctuation, S; may be empty
};

/// How much weight a row has in places with a meaning; L values each. 0 where there is no such key
/// and for a row with nothing allowed, NaN for one with NaN or +inf among its kept scores.
struct RowMasses {
    std::vector<float> previous;  ///< key i − 1
    std::vector<float> next;      ///< key i + 1
    std::vector<float> self;      ///< key i
    std::vector<float> first;     ///< key 0
    std::vector<float> duplicate; ///< keys j < i that are the token of query i
    std::vector<float> induction; ///< keys 1 <= j <= i after a token that is that of query i
    std::vector<float> delimiter; ///< separators and punctuation
    std::vector<float> top5;      ///< the 5 strongest keys
    std::vector<float> top10;     ///< the 10 strongest keys
};

/// What a survey of all cells of a problem is to find beside the row statistics.
struct SurveySpec {
    /// Cells a texel of a max-pooled picture of the weights covers; 0 = no picture.
    std::int64_t cellsDown = 0;
    std::int64_t cellsAcross = 0;
    bool masses = false;
    TokenRoles tokens = {}; ///< for the masses
};

/// A window of cells and how many cells (cell × cell) a texel covers.
struct TileSpec {
    Quantity quantity = Quantity::Weights;
    Pooling pooling = Pooling::Max;
    std::int64_t row = 0; ///< first cell, a multiple of a texel's cells
    std::int64_t column = 0;
    std::int64_t rows = 0; ///< cells; the last texel may be partial at the edge of the map
    std::int64_t columns = 0;
    std::int64_t texelCells = 1; ///< 2^level
    std::int64_t cellsDown = 0;  ///< rows of a texel where they are others than columns; 0 = same

    [[nodiscard]] std::int64_t texelCellsDown() const
    {
        return cellsDown > 0 ? cellsDown : texelCells;
    }
    [[nodiscard]] std::int64_t texelRows() const
    {
        return (rows + texelCellsDown() - 1) / texelCellsDown();
    }
    [[nodiscard]] std::int64_t texelColumns() const
    {
        return (columns + texelCells - 1) / texelCells;
    }
};

/// Leaves new elements as they are: for arrays of which every element is written anyway.
template <typename T>
struct Uncleared : std::allocator<T> {
    template <typename U>
    struct rebind {
        using other = Uncleared<U>;
    };
    template <typename U>
    void construct(U* at) noexcept
    {
        ::new (static_cast<void*>(at)) U;
    }
};

/// resize() does not clear what it adds.
using TexelValues = std::vector<float, Uncleared<float>>;

/// A texel whose cells are all masked has value 0 for Weights, −inf for Masked, and maskedShare 1.
/// Scores and Scaled ignore the mask for their value but report maskedShare all the same.
/// A NaN among the cells that take part gives NaN, whatever the pooling. AbsMax of +x and −x is +x.
struct TileTexels {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    TexelValues values;      ///< rows × columns, row-major
    TexelValues maskedShare; ///< 0…1, same layout
};

/// What one pass over all cells found.
struct Survey {
    RowStats stats;
    TileTexels picture; ///< of the weights, pooled by Max; empty unless asked for
    RowMasses masses;   ///< empty unless asked for
};

/// Operations on one device. Re-entrant. Every operation polls the stop token (Code::Cancelled).
/// Numerical rule: against float64, at most twice the error of the plain float32 loop.
class Backend {
public:
    virtual ~Backend() = default;
    [[nodiscard]] virtual std::string name() const = 0;        ///< "reference", "cpu-v3", "cuda"
    [[nodiscard]] virtual std::string description() const = 0; ///< "CPU x86-64-v4"

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
    /// @complexity O(kept cells · D); memory O(L), and L · S / cellsAcross for a picture.
    [[nodiscard]] virtual Expected<Survey> survey(const HeadProblem& problem,
                                                  const SurveySpec& spec,
                                                  const Execution& execution) const = 0;
    /// A survey for the statistics alone.
    [[nodiscard]] Expected<RowStats> rowStats(const HeadProblem& problem,
                                              const Execution& execution) const
    {
        return survey(problem, {}, execution).map([](Survey&& found) {
            return std::move(found.stats);
        });
    }

    /// A pooled window. @param stats of the same problem; needed for Weights only, else may be
    /// null.
    [[nodiscard]] virtual Expected<TileTexels> tile(const HeadProblem& problem,
                                                    const RowStats* stats, const TileSpec& spec,
                                                    const Execution& execution) const = 0;

    /// out = weights·v in one pass, without storing the weights (Dao et al. 2022, algorithm 1).
    /// @param v [S, Dv], @param out [L, Dv]. A row with nothing allowed gives zeros; values of
    /// masked keys, NaN even, take no part. @complexity O(kept cells · (D + Dv)).
    [[nodiscard]] virtual Expected<void> attend(const HeadProblem& problem, const BufferMatrix& v,
                                                MatrixView<float> out,
                                                const Execution& execution) const = 0;
};
using BackendPtr = std::shared_ptr<const Backend>;

/// What the loader found, used or refused, one line each.
struct BackendReport {
    std::string name; ///< "cpu-v3"; the file name when it never told its own
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
    /// @param name "auto" (best score), a name of reports(), or what several of them begin with
    /// before a dash ("cpu": the best of cpu-v4, cpu-v3, …).
    /// @return Code::NotFound naming the reason for the refusal and the names that work.
    [[nodiscard]] Expected<BackendPtr> open(const std::string& name = "auto");

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace heed
