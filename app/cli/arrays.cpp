// The arrays of a run by the names of --what.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "arrays.h"

#include "optionvalue.h"

#include "heed/model.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <memory>

namespace heed::cli {

namespace {

constexpr std::array<const char*, 15> Words = {
    "tokens", "x",       "q",           "k",      "v",      "mask",   "scores",  "scaled",
    "masked", "weights", "head_output", "output", "hidden", "logits", "rowstats"};
const std::vector<Axis> CellAxes = {Axis::Layer, Axis::Item, Axis::Head, Axis::Query, Axis::Key};

std::int64_t count(const std::vector<std::int64_t>& values)
{
    return static_cast<std::int64_t>(values.size());
}

std::string notOffered(const std::string& word, const Run& run)
{
    const Source& source = run.source();
    if (!source.qkv.empty() && run.v(0) == nullptr && (word == "v" || word == "head_output")) {
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
    if (source.model.empty()) {
        return "The sandbox is one attention layer and has no " + word +
               ". Give a checkpoint with --model.";
    }
    if (word == "logits" && run.predicts()) {
        return "Logits are of the tokens of the decoder. Add --attention decoder or cross.";
    }
    if (word == "logits") {
        return "This checkpoint has no head that predicts tokens, so there are no logits.";
    }
    return "A model has no " + word +
           ": what comes into its layers and out of them is hidden (--what hidden).";
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
        , m_states(hiddenStates(selection))
    {
    }

    /// What @p word means in arrays, or the reason why it cannot be had.
    Expected<void> add(const std::string& word);
    [[nodiscard]] std::vector<NamedArray> take() { return std::move(m_arrays); }

private:
    Expected<void> addTensor(const std::string& word);
    Expected<void> addComputed(const std::string& word);
    Expected<void> addHidden();
    Expected<void> addLogits();
    Expected<void> addMask();
    Expected<void> addRowStats();
    Expected<void> addQuantity(const std::string& word);
    void put(const std::string& name, ElementType type, Shape shape, std::vector<Axis> axes,
             const PieceList& list);
    /// An array of @p tensor, whose leading axes are @p axes but for the layer.
    void putTensor(const std::string& name, std::vector<Axis> axes,
                   std::initializer_list<std::int64_t> innerAxes, LayerTensor tensor);
    [[nodiscard]] const std::vector<std::int64_t>* chosenOf(Axis axis) const;

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
    std::vector<std::int64_t> m_states;
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

/// The positions of an axis of which not all are written, or null.
const std::vector<std::int64_t>* Planner::chosenOf(Axis axis) const
{
    switch (axis) {
    case Axis::Layer:
        return &m_selection.layers;
    case Axis::State:
        return &m_states;
    case Axis::Item:
        return &m_selection.items;
    case Axis::Head:
        return &m_selection.heads;
    case Axis::KvHead:
        return &m_kvHeads;
    default:
        return nullptr;
    }
}

void Planner::putTensor(const std::string& name, std::vector<Axis> axes,
                        std::initializer_list<std::int64_t> innerAxes, LayerTensor tensor)
{
    std::vector<std::int64_t> layers = {0};
    std::vector<std::vector<std::int64_t>> chosen;
    Shape shape;
    for (const Axis axis : axes) {
        if (const auto* positions = chosenOf(axis)) {
            shape.push_back(count(*positions));
            if (axis == Axis::Layer || axis == Axis::State) {
                layers = *positions;
            } else {
                chosen.push_back(*positions);
            }
        }
    }
    shape.insert(shape.end(), innerAxes);
    put(name, ElementType::Float32, std::move(shape), std::move(axes),
        cutPieces(std::move(tensor), std::move(layers), std::move(chosen), name));
}

Expected<void> Planner::addTensor(const std::string& word)
{
    const auto tensorOf = [&run = m_run, word](std::int64_t layer) {
        return word == "x"   ? run.x()
               : word == "q" ? run.q(layer)
               : word == "k" ? run.k(layer)
                             : run.v(layer);
    };
    const Tensor* first = tensorOf(0);
    if (first == nullptr) {
        return refusal(word);
    }
    std::vector<Axis> axes = {Axis::Item, Axis::Query, Axis::Dim};
    if (word == "q") {
        axes = {Axis::Layer, Axis::Item, Axis::Head, Axis::Query, Axis::Dim};
    } else if (word != "x") {
        axes = {Axis::Layer, Axis::Item, Axis::KvHead, Axis::Key, Axis::Dim};
    }
    const std::size_t rank = first->rank();
    putTensor(word, std::move(axes), {first->extent(rank - 2), first->extent(rank - 1)},
              // The run owns the tensors and outlives the arrays.
              [tensorOf](std::int64_t layer) {
                  return std::shared_ptr<const Tensor>(std::shared_ptr<const void>(),
                                                       tensorOf(layer));
              });
    return {};
}

Expected<void> Planner::addComputed(const std::string& word)
{
    const bool isOutput = word == "output";
    if (m_run.v(0) == nullptr || (isOutput && m_run.x() == nullptr)) {
        return refusal(word);
    }
    const std::int64_t width = m_run.v(0)->extent(3);
    // Those of a layer are held whole: small beside the maps. What all heads take is refused here,
    // not midway.
    const auto whole = elementCount({m_shape.items, m_shape.heads, m_shape.queries, width,
                                     static_cast<std::int64_t>(sizeof(float))});
    if (!whole) {
        return tl::unexpected(whole.error());
    }
    if (auto fits = checkMemory(*whole, "The head output", m_execution); !fits) {
        return fits;
    }
    const auto tensor = [&run = m_run, &execution = m_execution,
                         isOutput](std::int64_t layer) -> Expected<std::shared_ptr<const Tensor>> {
        Execution quiet = execution;
        quiet.progress = {};
        auto computed = isOutput ? run.output(layer, quiet) : run.headOutput(layer, quiet);
        if (!computed) {
            return tl::unexpected(computed.error());
        }
        return std::make_shared<const Tensor>(std::move(*computed));
    };
    if (isOutput) {
        putTensor(word, {Axis::Layer, Axis::Item, Axis::Query, Axis::Dim},
                  {m_shape.queries, m_run.layer().modelWidth}, tensor);
    } else {
        putTensor(word, {Axis::Layer, Axis::Item, Axis::Head, Axis::Query, Axis::Dim},
                  {m_shape.queries, width}, tensor);
    }
    return {};
}

Expected<void> Planner::addHidden()
{
    const Tensor* first = m_run.hidden(0);
    if (first == nullptr) {
        return refusal("hidden");
    }
    putTensor("hidden", {Axis::State, Axis::Item, Axis::Query, Axis::Dim},
              {first->extent(1), first->extent(2)}, [&run = m_run](std::int64_t state) {
                  return std::shared_ptr<const Tensor>(std::shared_ptr<const void>(),
                                                       run.hidden(state));
              });
    return {};
}

Expected<void> Planner::addLogits()
{
    const bool areOfTheRows = &m_run.predictingTokens() == &m_run.queryTokens();
    if (!m_run.predicts() || m_run.model() == nullptr || !areOfTheRows) {
        return refusal("logits");
    }
    put("logits", ElementType::Float32,
        {count(m_selection.items), m_shape.queries, m_run.model()->vocabulary},
        {Axis::Item, Axis::Query, Axis::Dim}, logitPieces(m_run, m_selection, m_execution));
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
    if (word == "hidden") {
        return addHidden();
    }
    if (word == "logits") {
        return addLogits();
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

std::vector<std::int64_t> hiddenStates(const Selection& selection)
{
    std::vector<std::int64_t> states = selection.layers;
    states.push_back(states.empty() ? 0 : states.back() + 1);
    return states;
}

std::vector<std::int64_t> keyValueHeads(const Run& run, const Selection& selection)
{
    const Tensor* k = run.k(0);
    if (k == nullptr || k->rank() < 2 || k->extent(1) == 0) {
        return {};
    }
    const std::int64_t group = std::max<std::int64_t>(1, run.maps()->shape().heads / k->extent(1));
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
