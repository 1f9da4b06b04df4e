// The arrays of a run by the names of --what, ready to be written.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "arrays.h"

#include "optionvalue.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

namespace heed::cli {

namespace {

constexpr std::array<const char*, 13> Words = {
    "tokens", "x",      "q",       "k",           "v",      "mask",    "scores",
    "scaled", "masked", "weights", "head_output", "output", "rowstats"};
constexpr std::array<const char*, 2> CheckpointWords = {"hidden", "logits"};
/// Cells recomputed at a time: small enough to stop at once, large enough to keep threads busy.
constexpr std::int64_t BandCells = std::int64_t{1} << 22;

std::int64_t count(const std::vector<std::int64_t>& values)
{
    return static_cast<std::int64_t>(values.size());
}

Expected<NamedArray> makeArray(std::string name, ElementType type, Shape shape,
                               std::vector<Axis> axes)
{
    const auto elements = elementCount(shape);
    if (!elements) {
        return tl::unexpected(elements.error());
    }
    try {
        std::vector<std::byte> bytes(static_cast<std::size_t>(*elements * elementSize(type)));
        return NamedArray{std::move(name), type, std::move(shape), std::move(axes),
                          std::move(bytes)};
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory,
                    name + " needs " + formatBytes(*elements * elementSize(type)) +
                        " in one piece, which the system does not have. Select fewer heads or "
                        "items.");
    }
}

template <typename T>
std::span<T> valuesOf(NamedArray& array)
{
    // Vectors of bytes come from operator new, aligned for every element type.
    return {reinterpret_cast<T*>(array.bytes.data()), array.bytes.size() / sizeof(T)};
}

/// An array planned but not computed yet.
struct Plan {
    std::string name;
    ElementType type = ElementType::Float32;
    Shape shape;
    std::vector<Axis> axes;
};

std::string notOffered(const std::string& word, const Source& source)
{
    if (!source.maps.empty()) {
        return "Finished maps from a file carry no " + word + ". Give --text, --input or --qkv.";
    }
    if (!source.qkv.empty()) {
        return "With --qkv there is no " + word +
               ": that file starts at q, k and v. Give --text or --input instead.";
    }
    return "This source has no " + word + ".";
}

class Collector {
public:
    Collector(const Run& run, const Selection& selection, const Execution& execution)
        : m_run(run)
        , m_selection(selection)
        , m_execution(execution)
        , m_shape(run.maps()->shape())
        , m_kvHeads(keyValueHeads(run, selection))
    {
    }

    /// What the words mean in arrays, or the reason why one cannot be had.
    Expected<std::vector<Plan>> plan(const std::vector<std::string>& what) const;
    Expected<NamedArray> collect(const Plan& plan) const;

private:
    Shape mapAxes() const
    {
        return {count(m_selection.layers), count(m_selection.items), count(m_selection.heads)};
    }
    Expected<void> planWord(const std::string& word, std::vector<Plan>& plans) const;
    Expected<void> cut(const Tensor& from, NamedArray& to) const;
    Expected<void> fillMask(NamedArray& array) const;
    Expected<void> fillQuantity(Quantity quantity, NamedArray& array) const;
    Expected<void> fillRowStats(NamedArray& array) const;
    template <typename Body>
    Expected<void> forEachMap(Body body) const;

    const Run& m_run;
    const Selection& m_selection;
    const Execution& m_execution;
    MapsShape m_shape;
    std::vector<std::int64_t> m_kvHeads;
};

Expected<void> Collector::planWord(const std::string& word, std::vector<Plan>& plans) const
{
    const auto refuse = [&] {
        return fail(Code::InvalidArgument, notOffered(word, m_run.source()), "--what " + word);
    };
    const std::int64_t items = count(m_selection.items);
    const std::vector<Axis> cellAxes = {Axis::Layer, Axis::Item, Axis::Head, Axis::Query,
                                        Axis::Key};
    Shape cells = mapAxes();
    cells.insert(cells.end(), {m_shape.queries, m_shape.keys});
    Shape rows = mapAxes();
    rows.push_back(m_shape.queries);

    if (word == "x") {
        if (m_run.x() == nullptr) {
            return refuse();
        }
        plans.push_back({word,
                         ElementType::Float32,
                         {items, m_run.x()->extent(1), m_run.x()->extent(2)},
                         {Axis::Item, Axis::Query, Axis::Dim}});
    } else if (word == "q" || word == "k" || word == "v") {
        const Tensor* tensor = word == "q" ? m_run.q() : word == "k" ? m_run.k() : m_run.v();
        if (tensor == nullptr) {
            return refuse();
        }
        const bool isQuery = word == "q";
        plans.push_back({word,
                         ElementType::Float32,
                         {count(m_selection.layers), items,
                          isQuery ? count(m_selection.heads) : count(m_kvHeads), tensor->extent(3),
                          tensor->extent(4)},
                         {Axis::Layer, Axis::Item, isQuery ? Axis::Head : Axis::KvHead,
                          isQuery ? Axis::Query : Axis::Key, Axis::Dim}});
    } else if (word == "head_output" || word == "output") {
        if (m_run.v() == nullptr || (word == "output" && m_run.x() == nullptr)) {
            return refuse();
        }
        if (word == "output") {
            plans.push_back({word,
                             ElementType::Float32,
                             {1, items, m_shape.queries, m_run.layer().modelWidth},
                             {Axis::Layer, Axis::Item, Axis::Query, Axis::Dim}});
        } else {
            Shape shape = rows;
            shape.push_back(m_run.v()->extent(4));
            plans.push_back({word,
                             ElementType::Float32,
                             shape,
                             {Axis::Layer, Axis::Item, Axis::Head, Axis::Query, Axis::Dim}});
        }
    } else if (word == "mask") {
        if (m_run.maps()->mask(0) == nullptr) {
            return refuse();
        }
        plans.push_back({word, ElementType::Bool, cells, cellAxes});
    } else if (word == "rowstats") {
        if (!m_run.maps()->offers(Quantity::Weights)) {
            return refuse();
        }
        for (const char* name : {"lse", "max", "entropy", "argmax", "kept"}) {
            const bool counts = std::strcmp(name, "argmax") == 0 || std::strcmp(name, "kept") == 0;
            plans.push_back({name,
                             counts ? ElementType::Int64 : ElementType::Float32,
                             rows,
                             {Axis::Layer, Axis::Item, Axis::Head, Axis::Query}});
        }
    } else {
        const auto quantity = parseQuantity(word);
        if (!quantity) {
            return tl::unexpected(quantity.error());
        }
        if (!m_run.maps()->offers(*quantity)) {
            return refuse();
        }
        plans.push_back({word, ElementType::Float32, cells, cellAxes});
    }
    return {};
}

Expected<std::vector<Plan>> Collector::plan(const std::vector<std::string>& what) const
{
    std::vector<Plan> plans;
    for (const std::string& word : what) {
        if (word == "tokens") {
            continue;
        }
        if (auto planned = planWord(word, plans); !planned) {
            return tl::unexpected(planned.error());
        }
    }
    double total = 0; // in double: the sum of absurd sizes must not wrap
    for (const Plan& plan : plans) {
        double bytes = static_cast<double>(elementSize(plan.type));
        for (const std::int64_t extent : plan.shape) {
            bytes *= static_cast<double>(extent);
        }
        total += bytes;
    }
    constexpr double most = 0x1p62;
    auto fits =
        checkMemory(static_cast<std::int64_t>(std::min(total, most)), "The result", m_execution);
    if (!fits) {
        return tl::unexpected(fits.error());
    }
    return plans;
}

template <typename Body>
Expected<void> Collector::forEachMap(Body body) const
{
    std::int64_t position = 0;
    for (const std::int64_t layer : m_selection.layers) {
        for (const std::int64_t item : m_selection.items) {
            for (const std::int64_t head : m_selection.heads) {
                if (m_execution.cancelled()) {
                    return fail(Code::Cancelled, "Stopped.");
                }
                if (auto done = body(MapIndex{layer, item, head}, position); !done) {
                    return done;
                }
                ++position;
            }
        }
    }
    return {};
}

/// Copies the selected positions of each axis; axes without a selection are copied whole.
Expected<void> Collector::cut(const Tensor& from, NamedArray& to) const
{
    const std::size_t rank = from.rank();
    std::vector<const std::vector<std::int64_t>*> chosen;
    std::int64_t inner = 1;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        switch (to.axes[axis]) {
        case Axis::Layer:
            chosen.push_back(&m_selection.layers);
            break;
        case Axis::Item:
            chosen.push_back(&m_selection.items);
            break;
        case Axis::Head:
            chosen.push_back(&m_selection.heads);
            break;
        case Axis::KvHead:
            chosen.push_back(&m_kvHeads);
            break;
        default:
            inner *= from.extent(axis);
        }
    }
    std::int64_t outer = 1;
    for (const auto* positions : chosen) {
        outer *= count(*positions);
    }
    const std::span<float> out = valuesOf<float>(to);
    for (std::int64_t block = 0; block < outer; ++block) {
        std::int64_t rest = block;
        std::int64_t offset = 0;
        std::int64_t stride = inner;
        for (std::size_t axis = chosen.size(); axis-- > 0;) {
            const auto& positions = *chosen[axis];
            offset += positions[static_cast<std::size_t>(rest % count(positions))] * stride;
            rest /= count(positions);
            stride *= from.extent(axis);
        }
        if (offset + inner > from.size() ||
            (block + 1) * inner > static_cast<std::int64_t>(out.size())) {
            return fail(Code::InvalidShape,
                        "Has the shape " + toString(from.shape()) +
                            ", which does not fit the maps.",
                        to.name);
        }
        std::copy_n(from.data() + offset, inner, out.data() + block * inner);
    }
    return {};
}

Expected<void> Collector::fillMask(NamedArray& array) const
{
    const std::int64_t cells = m_shape.queries * m_shape.keys;
    return forEachMap([&](const MapIndex& map, std::int64_t position) -> Expected<void> {
        const MaskPtr mask = m_run.maps()->mask(map.layer);
        const MaskPlane plane = mask->plane(map.item, map.head);
        std::byte* out = array.bytes.data() + position * cells;
        for (std::int64_t row = 0; row < plane.queries; ++row, out += plane.keys) {
            const auto at = [](std::int64_t index) { return static_cast<std::size_t>(index); };
            if (plane.isBits) {
                for (std::int64_t key = 0; key < plane.keys; ++key) {
                    const std::uint64_t word = plane.words[at(row * plane.wordsPerRow + key / 64)];
                    out[key] = static_cast<std::byte>((word >> (key % 64)) & 1U);
                }
            } else {
                for (std::int64_t i = plane.rowStart[at(row)]; i < plane.rowStart[at(row + 1)];
                     ++i) {
                    const KeyRange range = plane.ranges[at(i)];
                    std::fill(out + range.begin, out + range.end, std::byte{1});
                }
            }
        }
        return {};
    });
}

Expected<void> Collector::fillQuantity(Quantity quantity, NamedArray& array) const
{
    const std::int64_t cells = m_shape.queries * m_shape.keys;
    const std::int64_t band =
        std::clamp<std::int64_t>(BandCells / std::max<std::int64_t>(1, m_shape.keys), 1,
                                 std::max<std::int64_t>(1, m_shape.queries));
    const std::span<float> out = valuesOf<float>(array);
    Execution silent = m_execution;
    silent.progress = {};
    const std::int64_t maps = cells == 0 ? 0 : static_cast<std::int64_t>(out.size()) / cells;
    return forEachMap([&](const MapIndex& map, std::int64_t position) -> Expected<void> {
        for (std::int64_t row = 0; row < m_shape.queries; row += band) {
            TileSpec spec;
            spec.quantity = quantity;
            spec.pooling = defaultPooling(quantity); // a texel is one cell: nothing is pooled
            spec.row = row;
            spec.rows = std::min(band, m_shape.queries - row);
            spec.columns = m_shape.keys;
            const auto texels = m_run.maps()->window(map, spec, silent);
            if (!texels) {
                return tl::unexpected(texels.error());
            }
            std::copy(texels->values.begin(), texels->values.end(),
                      out.begin() + position * cells + row * m_shape.keys);
            if (m_execution.progress) {
                m_execution.progress(position * m_shape.queries + row + spec.rows,
                                     maps * m_shape.queries);
            }
        }
        return {};
    });
}

Expected<void> Collector::fillRowStats(NamedArray& array) const
{
    Execution silent = m_execution;
    silent.progress = {};
    return forEachMap([&](const MapIndex& map, std::int64_t position) -> Expected<void> {
        const auto stats = m_run.maps()->rowStats(map, silent);
        if (!stats) {
            return tl::unexpected(stats.error());
        }
        const std::int64_t offset = position * m_shape.queries;
        if (array.type == ElementType::Int64) {
            const auto& values = array.name == "argmax" ? (*stats)->argmax : (*stats)->kept;
            std::copy(values.begin(), values.end(), valuesOf<std::int64_t>(array).begin() + offset);
        } else {
            const auto& values = array.name == "lse"   ? (*stats)->lse
                                 : array.name == "max" ? (*stats)->max
                                                       : (*stats)->entropy;
            std::copy(values.begin(), values.end(), valuesOf<float>(array).begin() + offset);
        }
        return {};
    });
}

Expected<NamedArray> Collector::collect(const Plan& plan) const
{
    auto array = makeArray(plan.name, plan.type, plan.shape, plan.axes);
    if (!array) {
        return array;
    }
    Expected<void> filled;
    const auto cutComputed = [&](const Expected<Tensor>& tensor) -> Expected<void> {
        if (!tensor) {
            return tl::unexpected(tensor.error());
        }
        return cut(*tensor, *array);
    };
    if (plan.name == "x") {
        filled = cut(*m_run.x(), *array);
    } else if (plan.name == "q") {
        filled = cut(*m_run.q(), *array);
    } else if (plan.name == "k") {
        filled = cut(*m_run.k(), *array);
    } else if (plan.name == "v") {
        filled = cut(*m_run.v(), *array);
    } else if (plan.name == "head_output") {
        filled = cutComputed(m_run.headOutput(m_execution));
    } else if (plan.name == "output") {
        filled = cutComputed(m_run.output(m_execution));
    } else if (plan.name == "mask") {
        filled = fillMask(*array);
    } else if (const auto quantity = parseQuantity(plan.name)) {
        filled = fillQuantity(*quantity, *array);
    } else {
        filled = fillRowStats(*array);
    }
    if (!filled) {
        return tl::unexpected(filled.error());
    }
    return array;
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

Expected<std::vector<NamedArray>> collectArrays(const Run& run,
                                                const std::vector<std::string>& what,
                                                const Selection& selection,
                                                const Execution& execution)
{
    const Collector collector(run, selection, execution);
    const auto plans = collector.plan(what);
    if (!plans) {
        return tl::unexpected(plans.error());
    }
    std::vector<NamedArray> arrays;
    for (const Plan& plan : *plans) {
        auto array = collector.collect(plan);
        if (!array) {
            return tl::unexpected(array.error());
        }
        arrays.push_back(std::move(*array));
    }
    return arrays;
}

std::int64_t countNan(const std::vector<NamedArray>& arrays)
{
    std::int64_t total = 0;
    for (const NamedArray& array : arrays) {
        if (array.type != ElementType::Float32) {
            continue;
        }
        const std::span<const float> values{reinterpret_cast<const float*>(array.bytes.data()),
                                            array.bytes.size() / sizeof(float)};
        total += std::count_if(values.begin(), values.end(),
                               [](float value) { return std::isnan(value); });
    }
    return total;
}

} // namespace heed::cli
