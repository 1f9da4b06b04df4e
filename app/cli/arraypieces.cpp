// The numbers of an array, made a piece at a time while they are written.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "arraypieces.h"

#include "heed/model.h"

#include <algorithm>
#include <cmath>
#include <future>

namespace heed::cli {

namespace {

/// Cells of a band: small enough to stop at once, large enough to keep threads and devices busy.
constexpr std::int64_t BandCells = std::int64_t{1} << 21;
/// A band takes at most this part of the budget: one cell takes up to 8 bytes while it is made, two
/// bands are held, and CSV writes several arrays side by side.
constexpr std::int64_t BudgetCells = 64;
/// Cells handed out at once: a few milliseconds of text, so that its writer stops as soon.
constexpr std::int64_t SliceCells = std::int64_t{1} << 14;
/// Bytes of a piece that are worth a thread for the next one.
constexpr std::size_t LargePiece = std::size_t{1} << 18;

std::int64_t count(const std::vector<std::int64_t>& values)
{
    return static_cast<std::int64_t>(values.size());
}

std::int64_t countNan(std::span<const std::byte> bytes)
{
    // Pieces of float arrays come from arrays of floats.
    const std::span<const float> values{reinterpret_cast<const float*>(bytes.data()),
                                        bytes.size() / sizeof(float)};
    return std::count_if(values.begin(), values.end(),
                         [](float value) { return std::isnan(value); });
}

class PieceStream {
public:
    PieceStream(PieceList list, ElementType type, const Execution& execution, Tally& tally)
        : m_list(std::move(list))
        , m_type(type)
        , m_execution(execution)
        , m_tally(tally)
    {
    }

    Expected<std::span<const std::byte>> next()
    {
        if (m_execution.cancelled()) {
            return fail(Code::Cancelled, "Stopped.");
        }
        if (m_rest.empty()) {
            if (auto made = nextPiece(); !made) {
                return tl::unexpected(made.error());
            }
        }
        const auto most = static_cast<std::size_t>(SliceCells * elementSize(m_type));
        const auto slice = m_rest.first(std::min(m_rest.size(), most));
        m_rest = m_rest.subspan(slice.size());
        return slice;
    }

private:
    /// Nothing is left of the piece before; after the last one nothing follows.
    Expected<void> nextPiece()
    {
        if (m_number == m_list.count) {
            return {};
        }
        auto piece = m_ahead.valid() ? m_ahead.get() : m_list.make(m_number);
        if (!piece) {
            return tl::unexpected(piece.error());
        }
        m_piece = std::move(*piece);
        ++m_number;
        if (m_piece.bytes.size() >= LargePiece && m_number < m_list.count) {
            // Where no thread is to be had it is made when it is asked for.
            m_ahead = std::async(std::launch::async | std::launch::deferred,
                                 [this, number = m_number] { return m_list.make(number); });
        }
        m_rest = m_piece.bytes;
        tell();
        return {};
    }

    void tell()
    {
        m_tally.done += static_cast<std::int64_t>(m_piece.bytes.size()) / elementSize(m_type);
        if (m_type == ElementType::Float32) {
            m_tally.nan += countNan(m_piece.bytes);
        }
        if (m_execution.progress) {
            m_execution.progress(m_tally.done, m_tally.cells);
        }
    }

    PieceList m_list;
    ElementType m_type;
    const Execution& m_execution;
    Tally& m_tally;
    std::int64_t m_number = 0; ///< of the next piece
    Piece m_piece;
    std::span<const std::byte> m_rest;    ///< of the piece, not handed out yet
    std::future<Expected<Piece>> m_ahead; // last: its thread uses the list
};

/// Map @p position of a selection, counted in C order.
MapIndex mapAt(const Selection& selection, std::int64_t position)
{
    const std::int64_t heads = count(selection.heads);
    const std::int64_t items = count(selection.items);
    const auto at = [](std::int64_t index) { return static_cast<std::size_t>(index); };
    return {selection.layers[at(position / heads / items)],
            selection.items[at(position / heads % items)], selection.heads[at(position % heads)]};
}

std::int64_t mapCount(const Selection& selection)
{
    return count(selection.layers) * count(selection.items) * count(selection.heads);
}

std::int64_t cellsAtOnce(const Execution& execution)
{
    return execution.memoryBudget > 0 ? std::min(BandCells, execution.memoryBudget / BudgetCells)
                                      : BandCells;
}

struct Band {
    MapIndex map;
    std::int64_t row = 0;
    std::int64_t rows = 0;
};

/// The maps of @p selection in bands of rows; @p make gives a band as a piece.
PieceList inBands(const Run& run, const Selection& selection, const Execution& execution,
                  std::function<Expected<Piece>(const Band&)> make)
{
    const MapsShape shape = run.maps()->shape();
    const std::int64_t rows =
        std::clamp<std::int64_t>(cellsAtOnce(execution) / std::max<std::int64_t>(1, shape.keys), 1,
                                 std::max<std::int64_t>(1, shape.queries));
    const std::int64_t bands = (shape.queries + rows - 1) / rows;
    return {mapCount(selection) * bands, [&selection, rows, bands, queries = shape.queries,
                                          make = std::move(make)](std::int64_t number) {
                const std::int64_t row = number % bands * rows;
                return make({mapAt(selection, number / bands), row, std::min(rows, queries - row)});
            }};
}

Execution silent(const Execution& execution)
{
    Execution quiet = execution;
    quiet.progress = {}; // the stream tells it for all arrays
    return quiet;
}

/// Row @p row of @p plane as a byte a cell.
void expandRow(const MaskPlane& plane, std::int64_t row, std::byte* out)
{
    const auto at = [](std::int64_t index) { return static_cast<std::size_t>(index); };
    if (plane.isBits) {
        for (std::int64_t key = 0; key < plane.keys; ++key) {
            const std::uint64_t word = plane.words[at(row * plane.wordsPerRow + key / 64)];
            out[key] = static_cast<std::byte>((word >> (key % 64)) & 1U);
        }
        return;
    }
    for (std::int64_t i = plane.rowStart[at(row)]; i < plane.rowStart[at(row + 1)]; ++i) {
        const KeyRange range = plane.ranges[at(i)];
        std::fill(out + range.begin, out + range.end, std::byte{1});
    }
}

std::span<const std::byte> statisticOf(const RowStats& stats, const std::string& name)
{
    if (name == "argmax" || name == "kept") {
        return std::as_bytes(std::span(name == "argmax" ? stats.argmax : stats.kept));
    }
    return std::as_bytes(std::span(name == "lse"   ? stats.lse
                                   : name == "max" ? stats.max
                                                   : stats.entropy));
}

} // namespace

ByteSource streamOf(PieceList list, ElementType type, const Execution& execution, Tally& tally)
{
    const auto stream = std::make_shared<PieceStream>(std::move(list), type, execution, tally);
    return [stream] { return stream->next(); };
}

PieceList quantityPieces(const Run& run, const Selection& selection, Quantity quantity,
                         const Execution& execution)
{
    return inBands(run, selection, execution,
                   [maps = run.maps(), quantity,
                    quiet = silent(execution)](const Band& band) -> Expected<Piece> {
                       TileSpec spec;
                       spec.quantity = quantity;
                       spec.pooling = defaultPooling(quantity); // a texel is a cell: none is pooled
                       spec.row = band.row;
                       spec.rows = band.rows;
                       spec.columns = maps->shape().keys;
                       auto texels = maps->window(band.map, spec, quiet);
                       if (!texels) {
                           return tl::unexpected(texels.error());
                       }
                       const auto values =
                           std::make_shared<const TexelValues>(std::move(texels->values));
                       return Piece{values, std::as_bytes(std::span(*values))};
                   });
}

PieceList maskPieces(const Run& run, const Selection& selection, const Execution& execution)
{
    return inBands(run, selection, execution,
                   [maps = run.maps()](const Band& band) -> Expected<Piece> {
                       const MaskPtr mask = maps->mask(band.map.layer);
                       const MaskPlane plane = mask->plane(band.map.item, band.map.head);
                       const auto cells = std::make_shared<std::vector<std::byte>>(
                           static_cast<std::size_t>(band.rows * plane.keys));
                       for (std::int64_t row = 0; row < band.rows; ++row) {
                           expandRow(plane, band.row + row, cells->data() + row * plane.keys);
                       }
                       return Piece{cells, *cells};
                   });
}

PieceList rowStatsPieces(const Run& run, const Selection& selection, const std::string& name,
                         const Execution& execution)
{
    return {mapCount(selection),
            [maps = run.maps(), &selection, name,
             quiet = silent(execution)](std::int64_t number) -> Expected<Piece> {
                const auto stats = maps->rowStats(mapAt(selection, number), quiet);
                if (!stats) {
                    return tl::unexpected(stats.error());
                }
                return Piece{*stats, statisticOf(**stats, name)};
            }};
}

PieceList logitPieces(const Run& run, const Selection& selection, const Execution& execution)
{
    const std::int64_t tokens = run.maps()->shape().queries;
    const std::int64_t vocabulary = run.model()->vocabulary;
    const std::int64_t rows =
        std::clamp<std::int64_t>(cellsAtOnce(execution) / vocabulary, 1, tokens);
    const std::int64_t bands = (tokens + rows - 1) / rows;
    return {count(selection.items) * bands,
            [&run, &selection, rows, bands, tokens,
             quiet = silent(execution)](std::int64_t number) -> Expected<Piece> {
                const std::int64_t item = selection.items[static_cast<std::size_t>(number / bands)];
                const std::int64_t first = number % bands * rows;
                auto logits = run.logits(item, first, std::min(rows, tokens - first), quiet);
                if (!logits) {
                    return tl::unexpected(logits.error());
                }
                const auto kept = std::make_shared<const Tensor>(std::move(*logits));
                return Piece{kept, std::as_bytes(kept->values())};
            }};
}

PieceList cutPieces(LayerTensor tensor, std::vector<std::int64_t> layers,
                    std::vector<std::vector<std::int64_t>> chosen, const std::string& name)
{
    std::int64_t blocks = 1; // of a layer
    for (const auto& positions : chosen) {
        blocks *= count(positions);
    }
    const std::int64_t all = count(layers) * blocks;
    const auto make =
        [tensor = std::move(tensor), layers = std::move(layers), chosen = std::move(chosen), name,
         blocks,
         from = std::shared_ptr<const Tensor>()](std::int64_t number) mutable -> Expected<Piece> {
        std::int64_t block = number % blocks;
        if (block == 0) {
            from = nullptr; // before the next is made
            auto made = tensor(layers[static_cast<std::size_t>(number / blocks)]);
            if (!made) {
                return tl::unexpected(made.error());
            }
            from = std::move(*made);
        }
        std::int64_t inner = 1;
        for (std::size_t axis = chosen.size(); axis < from->rank(); ++axis) {
            inner *= from->extent(axis);
        }
        std::int64_t offset = 0;
        std::int64_t stride = inner;
        for (std::size_t axis = std::min(chosen.size(), from->rank()); axis-- > 0;) {
            const auto& positions = chosen[axis];
            offset += positions[static_cast<std::size_t>(block % count(positions))] * stride;
            block /= count(positions);
            stride *= from->extent(axis);
        }
        if (offset + inner > from->size()) {
            return fail(Code::InvalidShape,
                        "Has the shape " + toString(from->shape()) +
                            ", which does not fit the maps.",
                        name);
        }
        return Piece{from, std::as_bytes(from->values().subspan(static_cast<std::size_t>(offset),
                                                                static_cast<std::size_t>(inner)))};
    };
    return {all, make};
}

} // namespace heed::cli
