// The self-test of the loader: a backend that computes wrong numbers must never be used.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/loader.h"

#include <algorithm>
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

/// Biases, a soft cap and tokens: everything a problem can have beside q, k and the mask.
struct Extras {
    static constexpr std::int64_t FirstQuery = 3;
    std::shared_ptr<const Tensor> distances = numbers({FirstQuery + Queries + Keys - 1}, 0.9);
    std::shared_ptr<const Tensor> cells = numbers({Queries, Keys}, 0.5);
    std::array<std::int32_t, Queries> queryTokens = {};
    std::array<std::int32_t, Keys> keyTokens = {};
    std::array<std::uint8_t, Keys> delimiters = {};

    Extras()
    {
        for (std::size_t j = 0; j < keyTokens.size(); ++j) {
            keyTokens[j] = static_cast<std::int32_t>(j * j % 4);
            delimiters[j] = j % 3 == 1 ? 1 : 0;
        }
        std::copy_n(keyTokens.begin() + FirstQuery, queryTokens.size(), queryTokens.begin());
    }
    [[nodiscard]] SurveySpec spec() const
    {
        return {.cellsDown = 2,
                .cellsAcross = 3,
                .masses = true,
                .tokens = {queryTokens, keyTokens, delimiters}};
    }
};

/// What one backend says about one problem.
struct MapAnswers {
    Survey survey;
    std::array<TileTexels, 4> tiles; ///< one a quantity
    Tensor attended{Shape{Queries, Width}};
};

/// Everything one backend says.
struct Answers {
    Tensor projected{Shape{Queries, Keys}};
    MapAnswers plain, extra;
};

Expected<MapAnswers> answersOn(const Backend& backend, const HeadProblem& problem,
                               const SurveySpec& surveySpec, const BufferMatrix& v)
{
    const Execution execution{.threads = 1};
    MapAnswers answers;
    auto survey = backend.survey(problem, surveySpec, execution);
    if (!survey) {
        return tl::unexpected(survey.error());
    }
    answers.survey = std::move(*survey);
    for (std::size_t quantity = 0; quantity < answers.tiles.size(); ++quantity) {
        const TileSpec spec{.quantity = static_cast<Quantity>(quantity),
                            .pooling = static_cast<Pooling>(quantity),
                            .row = 3,
                            .column = 4,
                            .rows = Queries - 3,
                            .columns = Keys - 4,
                            .texelCells = 2,
                            .cellsDown = 3};
        auto tile = backend.tile(problem, &answers.survey.stats, spec, execution);
        if (!tile) {
            return tl::unexpected(tile.error());
        }
        answers.tiles[quantity] = std::move(*tile);
    }
    if (auto done = backend.attend(problem, v, answers.attended.matrix(), execution); !done) {
        return tl::unexpected(done.error());
    }
    return answers;
}

Expected<Answers> answersOf(const Backend& backend)
{
    const SmallMask mask;
    const Extras extras;
    const auto qNumbers = numbers({Queries, Width}, 0.3);
    const auto kNumbers = numbers({Keys, Width}, 0.7);
    Answers answers;
    const std::array<float, Keys> bias = {0.5F, -0.25F};
    if (auto done = backend.linear(qNumbers->matrix(), kNumbers->matrix(), bias,
                                   answers.projected.matrix(), {.threads = 1});
        !done) {
        return tl::unexpected(done.error());
    }
    std::array<BufferPtr, 4> buffers;
    const std::array tensors = {qNumbers, kNumbers, numbers({Keys, Width}, 1.1), extras.cells};
    for (std::size_t b = 0; b < buffers.size(); ++b) {
        auto buffer = backend.upload(tensors[b]);
        if (!buffer) {
            return tl::unexpected(buffer.error());
        }
        buffers[b] = *buffer;
    }
    const BufferMatrix v{buffers[2].get(), 0, Keys, Width, Width};
    HeadProblem problem{.q = {buffers[0].get(), 0, Queries, Width, Width},
                        .k = {buffers[1].get(), 0, Keys, Width, Width},
                        .scale = 0.8F,
                        .mask = mask.plane()};
    auto plain = answersOn(backend, problem, {}, v);
    if (!plain) {
        return tl::unexpected(plain.error());
    }
    answers.plain = std::move(*plain);
    problem.softCap = 0.7F;
    problem.distanceBias = extras.distances->values();
    problem.bias = {buffers[3].get(), 0, Queries, Keys, Keys};
    problem.firstQuery = Extras::FirstQuery;
    auto extra = answersOn(backend, problem, extras.spec(), v);
    if (!extra) {
        return tl::unexpected(extra.error());
    }
    answers.extra = std::move(*extra);
    return answers;
}

Expected<void> compareMaps(const MapAnswers& got, const MapAnswers& wanted)
{
    const RowStats& a = got.survey.stats;
    const RowStats& b = wanted.survey.stats;
    struct Pair {
        const char* what;
        std::span<const float> got;
        std::span<const float> wanted;
    };
    std::vector<Pair> pairs = {
        {"row_stats: max of row", a.max, b.max},
        {"row_stats: sum of row", a.sum, b.sum},
        {"row_stats: log-sum-exp of row", a.lse, b.lse},
        {"row_stats: entropy of row", a.entropy, b.entropy},
        {"row_stats: distance of row", a.distance, b.distance},
        {"row_stats: picture texel", got.survey.picture.values, wanted.survey.picture.values},
        {"row_stats: masked share of picture texel", got.survey.picture.maskedShare,
         wanted.survey.picture.maskedShare},
        {"attend: number", got.attended.values(), wanted.attended.values()},
    };
    for (const auto mass : {&RowMasses::previous, &RowMasses::next, &RowMasses::self,
                            &RowMasses::first, &RowMasses::duplicate, &RowMasses::induction,
                            &RowMasses::delimiter, &RowMasses::top5, &RowMasses::top10}) {
        pairs.push_back(
            {"row_stats: mass of row", got.survey.masses.*mass, wanted.survey.masses.*mass});
    }
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

Expected<void> compareAll(const Answers& got, const Answers& wanted)
{
    return compare("linear: number", got.projected.values(), wanted.projected.values())
        .and_then([&] { return compareMaps(got.plain, wanted.plain); })
        .and_then([&] { return compareMaps(got.extra, wanted.extra); });
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
