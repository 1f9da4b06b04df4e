// The self-test of the loader: a backend that computes wrong numbers must never be used.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/loader.h"

#include <array>
#include <cmath>
#include <string>

namespace heed::detail {
namespace {

// Not multiples of any block, and larger than one vector register.
constexpr std::int64_t Queries = 7;
constexpr std::int64_t Keys = 19;
constexpr std::int64_t Width = 5;

/// Numbers in about ±1 with no pattern that a wrong stride would keep.
std::shared_ptr<const Tensor> numbers(Shape shape, double phase)
{
    Tensor tensor(std::move(shape));
    double angle = phase;
    for (float& value : tensor.values()) {
        value = static_cast<float>(std::sin(angle));
        angle += 1.7 + phase;
    }
    return std::make_shared<const Tensor>(std::move(tensor));
}

/// Keys 0 … i+9 without the two keys before i+3; row 4 keeps nothing.
struct SmallMask {
    std::vector<std::int64_t> rowStart = {0};
    std::vector<KeyRange> ranges;

    SmallMask()
    {
        for (std::int32_t i = 0; i < Queries; ++i) {
            if (i != 4) {
                ranges.push_back({0, i + 1});
                ranges.push_back({i + 3, i + 9});
            }
            rowStart.push_back(static_cast<std::int64_t>(ranges.size()));
        }
    }
    [[nodiscard]] MaskPlane plane() const
    {
        MaskPlane plane;
        plane.queries = Queries;
        plane.keys = Keys;
        plane.rowStart = rowStart;
        plane.ranges = ranges;
        return plane;
    }
};

bool close(float a, float b)
{
    return a == b || std::abs(a - b) <= 1e-4F * std::max(1.0F, std::abs(b));
}

Expected<void> compare(const char* what, std::span<const float> got, std::span<const float> wanted)
{
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!close(got[i], wanted[i])) {
            return fail(Code::BackendFailed, std::string(what) + " " + std::to_string(i) + " is " +
                                                 std::to_string(got[i]) + ", should be " +
                                                 std::to_string(wanted[i]));
        }
    }
    return {};
}

/// Everything one backend says about the small problem.
struct Answers {
    Tensor projected{Shape{Queries, Keys}};
    RowStats stats;
    std::array<TileTexels, 4> tiles; ///< one a quantity
    Tensor attended{Shape{Queries, Width}};
};

Expected<Answers> answersOf(const Backend& backend)
{
    const Execution execution{.threads = 1};
    const SmallMask mask;
    const auto qNumbers = numbers({Queries, Width}, 0.3);
    const auto kNumbers = numbers({Keys, Width}, 0.7);
    std::array<BufferPtr, 3> buffers;
    const std::array tensors = {qNumbers, kNumbers, numbers({Keys, Width}, 1.1)};
    for (std::size_t b = 0; b < buffers.size(); ++b) {
        auto buffer = backend.upload(tensors[b]);
        if (!buffer) {
            return tl::unexpected(buffer.error());
        }
        buffers[b] = *buffer;
    }
    const HeadProblem problem{.q = {buffers[0].get(), 0, Queries, Width, Width},
                              .k = {buffers[1].get(), 0, Keys, Width, Width},
                              .scale = 0.8F,
                              .mask = mask.plane()};
    Answers answers;
    const std::array<float, Keys> bias = {0.5F, -0.25F};
    if (auto done = backend.linear(qNumbers->matrix(), kNumbers->matrix(), bias,
                                   answers.projected.matrix(), execution);
        !done) {
        return tl::unexpected(done.error());
    }
    auto stats = backend.rowStats(problem, execution);
    if (!stats) {
        return tl::unexpected(stats.error());
    }
    answers.stats = std::move(*stats);
    for (std::size_t quantity = 0; quantity < answers.tiles.size(); ++quantity) {
        const TileSpec spec{.quantity = static_cast<Quantity>(quantity),
                            .pooling = static_cast<Pooling>(quantity),
                            .row = 2,
                            .column = 4,
                            .rows = Queries - 2,
                            .columns = Keys - 4,
                            .texelCells = 2};
        auto tile = backend.tile(problem, &answers.stats, spec, execution);
        if (!tile) {
            return tl::unexpected(tile.error());
        }
        answers.tiles[quantity] = std::move(*tile);
    }
    if (auto done =
            backend.attend(problem, answers.stats, {buffers[2].get(), 0, Keys, Width, Width},
                           answers.attended.matrix(), execution);
        !done) {
        return tl::unexpected(done.error());
    }
    return answers;
}

Expected<void> compareAll(const Answers& got, const Answers& wanted)
{
    const RowStats& a = got.stats;
    const RowStats& b = wanted.stats;
    struct Pair {
        const char* what;
        std::span<const float> got;
        std::span<const float> wanted;
    };
    std::vector<Pair> pairs = {
        {"linear: number", got.projected.values(), wanted.projected.values()},
        {"row_stats: max of row", a.max, b.max},
        {"row_stats: sum of row", a.sum, b.sum},
        {"row_stats: log-sum-exp of row", a.lse, b.lse},
        {"row_stats: entropy of row", a.entropy, b.entropy},
        {"row_stats: distance of row", a.distance, b.distance},
        {"attend: number", got.attended.values(), wanted.attended.values()},
    };
    for (std::size_t quantity = 0; quantity < got.tiles.size(); ++quantity) {
        pairs.push_back({"tile: texel", got.tiles[quantity].values, wanted.tiles[quantity].values});
        pairs.push_back({"tile: masked share of texel", got.tiles[quantity].maskedShare,
                         wanted.tiles[quantity].maskedShare});
    }
    for (const Pair& pair : pairs) {
        if (auto same = compare(pair.what, pair.got, pair.wanted); !same) {
            return same;
        }
    }
    if (a.argmax != b.argmax || a.kept != b.kept) {
        return fail(Code::BackendFailed, "row_stats: the strongest or the kept keys are wrong");
    }
    return {};
}

} // namespace

Expected<void> selfTest(const Backend& backend, const Backend& reference)
{
    const auto got = answersOf(backend);
    if (!got) {
        return tl::unexpected(got.error());
    }
    const auto wanted = answersOf(reference);
    if (!wanted) {
        return tl::unexpected(wanted.error());
    }
    return compareAll(*got, *wanted);
}

} // namespace heed::detail
