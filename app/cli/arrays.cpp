// The arrays of a run by the names of --what.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "arrays.h"

#include "optionvalue.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <memory>

namespace heed::cli {

namespace {

constexpr std::array<const char*, 13> Words = {
    "tokens", "x",      "q",       "k",           "v",      "mask",    "scores",
    "scaled", "masked", "weights", "head_output", "output", "rowstats"};
constexpr std::array<const char*, 2> CheckpointWords = {"hidden", "logits"};
const std::vector<Axis> CellAxes = {Axis::Layer, Axis::Item, Axis::Head, Axis::Query, Axis::Key};

std::int64_t count(const std::vector<std::int64_t>& values)
{
    return static_cast<std::int64_t>(values.size());
}

std::string notOffered(const std::string& word, const Run& run)
{
    const Source& source = run.source();
    if (!source.qkv.empty() && run.v() == nullptr && (word == "v" || word == "head_output")) {
        return std::string("The file of --qkv has no array \"v\"") +
               (word == "v" ? "." : ", and the head output is the weights times v.") +
               " Add one [B, H, S, D], or write something else, for instance --what weights.";
    }
    if (!source.maps.empty()) {
        return "Finished maps from a file carry no " + word + ". Give --text, --input or --qkv.";
    }
    if (!source.qkv.empty()) {
        return "With --qkv there is no " + word +
               ": that file starts at q, k and v. Give --text or --input instead.";
    }
    return "This source has no " + word + ".";
}

class Planner {
public:
    Planner(const Run& run, const Selection& selection, const Execution& execution, Tally& tally)
        : m_run(run)
        , m_selection(selection)
        , m_execution(execution)
        , m_tally(tally)
        , m_shape(run.maps()->shape())
        , m_kvHeads(keyValueHeads(run, selection))
    {
    }

    /// What @p word means in arrays, or the reason why it cannot be had.
    Expected<void> add(const std::string& word);
    [[nodiscard]] std::vector<NamedArray> take() { return std::move(m_arrays); }

private:
    /// A tensor that is there, or that is computed whole when its first number is asked for.
    using TensorSource = std::function<Expected<std::shared_ptr<const Tensor>>()>;

    Expected<void> addTensor(const std::string& word);
    Expected<void> addComputed(const std::string& word);
    Expected<void> addMask();
    Expected<void> addRowStats();
    Expected<void> addQuantity(const std::string& word);
    void put(const std::string& name, ElementType type, Shape shape, std::vector<Axis> axes,
             const PieceList& list);
    [[nodiscard]] PieceList cut(const std::vector<Axis>& axes, const std::string& name,
                                TensorSource tensor) const;

    [[nodiscard]] Shape shapeOf(std::initializer_list<std::int64_t> innerAxes) const
    {
        Shape shape = {count(m_selection.layers), count(m_selection.items),
                       count(m_selection.heads)};
        shape.insert(shape.end(), innerAxes);
        return shape;
    }
    [[nodiscard]] tl::unexpected<Error> refusal(const std::string& word) const
    {
        return fail(Code::InvalidArgument, notOffered(word, m_run), "--what " + word);
    }

    const Run& m_run;
    const Selection& m_selection;
    const Execution& m_execution;
    Tally& m_tally;
    MapsShape m_shape;
    std::vector<std::int64_t> m_kvHeads;
    std::vector<NamedArray> m_arrays;
};

void Planner::put(const std::string& name, ElementType type, Shape shape, std::vector<Axis> axes,
                  const PieceList& list)
{
    m_tally.cells += elementCount(shape).value_or(0);
    const auto open = [list, type, &execution = m_execution, &tally = m_tally] {
        return streamOf(list, type, execution, tally);
    };
    m_arrays.push_back({{name, type, std::move(shape), {}, open}, std::move(axes)});
}

/// The axes of which positions are selected come first; the others are whole.
PieceList Planner::cut(const std::vector<Axis>& axes, const std::string& name,
                       TensorSource tensor) const
{
    std::vector<std::vector<std::int64_t>> chosen;
    for (const Axis axis : axes) {
        switch (axis) {
        case Axis::Layer:
            chosen.push_back(m_selection.layers);
            break;
        case Axis::Item:
            chosen.push_back(m_selection.items);
            break;
        case Axis::Head:
            chosen.push_back(m_selection.heads);
            break;
        case Axis::KvHead:
            chosen.push_back(m_kvHeads);
            break;
        default:
            break;
        }
    }
    return cutPieces(std::move(tensor), std::move(chosen), name);
}

Expected<void> Planner::addTensor(const std::string& word)
{
    const Tensor* tensor = word == "x"   ? m_run.x()
                           : word == "q" ? m_run.q()
                           : word == "k" ? m_run.k()
                                         : m_run.v();
    if (tensor == nullptr) {
        return refusal(word);
    }
    const std::size_t rank = tensor->rank();
    const std::int64_t rows = tensor->extent(rank - 2);
    const std::int64_t columns = tensor->extent(rank - 1);
    Shape shape = {count(m_selection.items), rows, columns};
    std::vector<Axis> axes = {Axis::Item, Axis::Query, Axis::Dim};
    if (word == "q") {
        shape = shapeOf({rows, columns});
        axes = {Axis::Layer, Axis::Item, Axis::Head, Axis::Query, Axis::Dim};
    } else if (word != "x") {
        shape = {count(m_selection.layers), count(m_selection.items), count(m_kvHeads), rows,
                 columns};
        axes = {Axis::Layer, Axis::Item, Axis::KvHead, Axis::Key, Axis::Dim};
    }
    // The run owns the tensor and outlives the arrays.
    std::shared_ptr<const Tensor> there(std::shared_ptr<const void>(), tensor);
    put(word, ElementType::Float32, shape, axes,
        cut(axes, word, [there = std::move(there)] { return there; }));
    return {};
}

Expected<void> Planner::addComputed(const std::string& word)
{
    const bool isOutput = word == "output";
    if (m_run.v() == nullptr || (isOutput && m_run.x() == nullptr)) {
        return refusal(word);
    }
    const std::int64_t width = m_run.v()->extent(4);
    // They are held whole: small beside the maps. What all heads take is refused here, not midway.
    const auto whole = elementCount({m_shape.items, m_shape.heads, m_shape.queries, width,
                                     static_cast<std::int64_t>(sizeof(float))});
    if (!whole) {
        return tl::unexpected(whole.error());
    }
    if (auto fits = checkMemory(*whole, "The head output", m_execution); !fits) {
        return fits;
    }
    const auto tensor = [&run = m_run, &execution = m_execution,
                         isOutput]() -> Expected<std::shared_ptr<const Tensor>> {
        Execution quiet = execution;
        quiet.progress = {};
        auto computed = isOutput ? run.output(quiet) : run.headOutput(quiet);
        if (!computed) {
            return tl::unexpected(computed.error());
        }
        return std::make_shared<const Tensor>(std::move(*computed));
    };
    Shape shape = shapeOf({m_shape.queries, width});
    std::vector<Axis> axes = {Axis::Layer, Axis::Item, Axis::Head, Axis::Query, Axis::Dim};
    if (isOutput) {
        shape = {1, count(m_selection.items), m_shape.queries, m_run.layer().modelWidth};
        axes = {Axis::Layer, Axis::Item, Axis::Query, Axis::Dim};
    }
    put(word, ElementType::Float32, shape, axes, cut(axes, word, tensor));
    return {};
}

Expected<void> Planner::addMask()
{
    if (m_run.maps()->mask(0) == nullptr) {
        return refusal("mask");
    }
    put("mask", ElementType::Bool, shapeOf({m_shape.queries, m_shape.keys}), CellAxes,
        maskPieces(m_run, m_selection, m_execution));
    return {};
}

Expected<void> Planner::addRowStats()
{
    if (!m_run.maps()->offers(Quantity::Weights)) {
        return refusal("rowstats");
    }
    for (const char* name : {"lse", "max", "entropy", "argmax", "kept"}) {
        const bool counts = std::strcmp(name, "argmax") == 0 || std::strcmp(name, "kept") == 0;
        put(name, counts ? ElementType::Int64 : ElementType::Float32, shapeOf({m_shape.queries}),
            {Axis::Layer, Axis::Item, Axis::Head, Axis::Query},
            rowStatsPieces(m_run, m_selection, name, m_execution));
    }
    return {};
}

Expected<void> Planner::addQuantity(const std::string& word)
{
    const auto quantity = parseQuantity(word);
    if (!quantity) {
        return tl::unexpected(quantity.error());
    }
    if (!m_run.maps()->offers(*quantity)) {
        return refusal(word);
    }
    put(word, ElementType::Float32, shapeOf({m_shape.queries, m_shape.keys}), CellAxes,
        quantityPieces(m_run, m_selection, *quantity, m_execution));
    return {};
}

Expected<void> Planner::add(const std::string& word)
{
    if (word == "tokens") {
        return {};
    }
    if (word == "x" || word == "q" || word == "k" || word == "v") {
        return addTensor(word);
    }
    if (word == "head_output" || word == "output") {
        return addComputed(word);
    }
    if (word == "mask") {
        return addMask();
    }
    return word == "rowstats" ? addRowStats() : addQuantity(word);
}

} // namespace

Expected<std::vector<std::string>> parseWhat(const std::string& text)
{
    const std::vector<std::string> words(Words.begin(), Words.end());
    std::vector<std::string> what;
    for (const std::string& word : splitList(text)) {
        if (std::find(CheckpointWords.begin(), CheckpointWords.end(), word) !=
            CheckpointWords.end()) {
            return fail(Code::InvalidArgument,
                        word +
                            " belongs to a whole model; the sandbox is one attention layer. It "
                            "has " +
                            joined(words) + ".",
                        "--what");
        }
        if (std::find(words.begin(), words.end(), word) == words.end()) {
            const std::string nearest = nearestName(word, words);
            return fail(Code::InvalidArgument,
                        "\"" + word + "\" is not known." +
                            (nearest.empty() ? "" : " Did you mean " + nearest + "?") +
                            " Choose from " + joined(words) + ", separated by commas.",
                        "--what");
        }
        if (std::find(what.begin(), what.end(), word) == what.end()) {
            what.push_back(word);
        }
    }
    return what;
}

std::vector<std::string> defaultWhat(const Run& run)
{
    std::vector<std::string> what = {"tokens"};
    if (run.maps()->mask(0) != nullptr) {
        what.emplace_back("mask");
    }
    // Stored maps hold one quantity, and it need not be the weights.
    for (const Quantity quantity :
         {Quantity::Weights, Quantity::Masked, Quantity::Scaled, Quantity::Scores}) {
        if (run.maps()->offers(quantity)) {
            what.emplace_back(quantityName(quantity));
            break;
        }
    }
    return what;
}

std::vector<std::int64_t> keyValueHeads(const Run& run, const Selection& selection)
{
    if (run.k() == nullptr || run.k()->rank() < 3 || run.k()->extent(2) == 0) {
        return {};
    }
    const std::int64_t group =
        std::max<std::int64_t>(1, run.maps()->shape().heads / run.k()->extent(2));
    std::vector<std::int64_t> heads;
    for (const std::int64_t head : selection.heads) {
        if (heads.empty() || heads.back() != head / group) {
            heads.push_back(head / group);
        }
    }
    return heads;
}

Expected<std::vector<NamedArray>> planArrays(const Run& run, const std::vector<std::string>& what,
                                             const Selection& selection, const Execution& execution,
                                             Tally& tally)
{
    Planner planner(run, selection, execution, tally);
    for (const std::string& word : what) {
        if (auto added = planner.add(word); !added) {
            return tl::unexpected(added.error());
        }
    }
    return planner.take();
}

} // namespace heed::cli
