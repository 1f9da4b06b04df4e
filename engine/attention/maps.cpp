// What all attention maps share: names, the pyramid, tiles with their mask reasons.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/maps.h"

#include "attention/mapwindow.h"
#include "attention/tilereasons.h"

#include <algorithm>
#include <array>
#include <new>

namespace heed {

namespace {

constexpr std::array<std::string_view, 4> QuantityNames = {"scores", "scaled", "masked", "weights"};
constexpr std::array<std::string_view, 4> PoolingNames = {"max", "absmax", "mass", "mean"};

template <typename Enum>
Expected<Enum> parseName(std::string_view name, const std::array<std::string_view, 4>& names,
                         const char* what)
{
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) {
        return static_cast<Enum>(found - names.begin());
    }
    std::string known;
    for (const std::string_view one : names) {
        known += (known.empty() ? "" : ", ") + std::string(one);
    }
    return fail(Code::InvalidArgument,
                "\"" + std::string(name) + "\" is not a " + what + ". Known: " + known + ".");
}

} // namespace

Pooling defaultPooling(Quantity quantity)
{
    return quantity == Quantity::Weights ? Pooling::Max : Pooling::AbsMax;
}

std::string_view quantityName(Quantity quantity)
{
    return QuantityNames[static_cast<std::size_t>(quantity)];
}

std::string_view poolingName(Pooling pooling)
{
    return PoolingNames[static_cast<std::size_t>(pooling)];
}

Expected<Quantity> parseQuantity(std::string_view name)
{
    return parseName<Quantity>(name, QuantityNames, "quantity");
}

Expected<Pooling> parsePooling(std::string_view name)
{
    return parseName<Pooling>(name, PoolingNames, "pooling");
}

int AttentionMaps::topLevel() const
{
    const MapsShape maps = shape();
    const std::int64_t longest = std::max(maps.queries, maps.keys);
    int level = 0;
    while ((longest - 1) >> level >= TileSide) {
        ++level;
    }
    return level;
}

int AttentionMaps::coarsestLevel() const
{
    const MapsShape maps = shape();
    int level = topLevel();
    while ((std::max(maps.queries, maps.keys) - 1) >> level > 0) {
        ++level;
    }
    return level;
}

Expected<Tile> AttentionMaps::tile(const TileRequest& request, const Execution& execution,
                                   const TileDraft& draft) const
{
    const MapsShape maps = shape();
    if (request.level < 0 || request.level > coarsestLevel()) {
        return fail(Code::InvalidArgument, "Level " + std::to_string(request.level) +
                                               " is not in the pyramid: it has levels 0 to " +
                                               std::to_string(coarsestLevel()) + ".");
    }
    const std::int64_t side = TileSide << request.level; // cells
    const std::int64_t tileRows = (maps.queries + side - 1) / side;
    const std::int64_t tileColumns = (maps.keys + side - 1) / side;
    if (request.tileRow < 0 || request.tileRow >= tileRows || request.tileColumn < 0 ||
        request.tileColumn >= tileColumns) {
        return fail(Code::InvalidArgument,
                    "Tile (" + std::to_string(request.tileRow) + ", " +
                        std::to_string(request.tileColumn) + ") does not exist: level " +
                        std::to_string(request.level) + " has " + std::to_string(tileRows) + " × " +
                        std::to_string(tileColumns) + " tiles.");
    }
    TileSpec spec;
    spec.quantity = request.quantity;
    spec.pooling = request.pooling;
    spec.row = request.tileRow * side;
    spec.column = request.tileColumn * side;
    spec.rows = std::min(side, maps.queries - spec.row);
    spec.columns = std::min(side, maps.keys - spec.column);
    spec.texelCells = std::int64_t{1} << request.level;

    const auto onDraft = [&](const TileTexels& texels, const PictureDraft& state) {
        if (auto tile = withReasons(*this, request.map, spec, texels, execution)) {
            // A row that stands for others may be masked where none of them is.
            for (std::size_t t = 0; t < tile->reasons.size(); ++t) {
                tile->texels.maskedShare[t] =
                    tile->reasons[t] == 0 ? 0 : tile->texels.maskedShare[t];
            }
            draft(*tile, state);
        }
    };
    try {
        auto texels = draft ? windowInSteps(request.map, spec, execution, onDraft)
                            : window(request.map, spec, execution);
        if (!texels) {
            return tl::unexpected(texels.error());
        }
        return withReasons(*this, request.map, spec, std::move(*texels), execution);
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, "There is no memory for a tile.");
    }
}

Expected<TileTexels> AttentionMaps::windowInSteps(const MapIndex& map, const TileSpec& spec,
                                                  const Execution& execution,
                                                  const WindowDraft& /*draft*/) const
{
    return window(map, spec, execution);
}

TileSpec rowSpec(const MapsShape& shape, Quantity quantity, std::int64_t query)
{
    TileSpec spec;
    spec.quantity = quantity;
    spec.pooling = defaultPooling(quantity);
    spec.row = query;
    spec.rows = 1;
    spec.columns = shape.keys;
    return spec;
}

Expected<Tile> withReasons(const AttentionMaps& maps, const MapIndex& map, const TileSpec& spec,
                           TileTexels texels, const Execution& execution)
{
    const MaskPtr mask = maps.mask(map.layer);
    auto reasons = mask == nullptr ? std::vector<MaskReasons>(texels.values.size())
                                   : reasonsOfTile(*mask, map, spec, texels.maskedShare, execution);
    return std::move(reasons).map([&](std::vector<MaskReasons>&& known) {
        return Tile{std::move(texels), std::move(known)};
    });
}

Expected<void> checkMapIndex(const MapsShape& shape, const MapIndex& map)
{
    struct Axis {
        const char* name;
        std::int64_t index;
        std::int64_t extent;
    };
    for (const Axis& axis :
         {Axis{"Layer", map.layer, shape.layers}, Axis{"Item", map.item, shape.items},
          Axis{"Head", map.head, shape.heads}}) {
        if (axis.index < 0 || axis.index >= axis.extent) {
            return fail(Code::InvalidArgument, std::string(axis.name) + " " +
                                                   std::to_string(axis.index) +
                                                   " does not exist: there are 0 to " +
                                                   std::to_string(axis.extent - 1) + ".");
        }
    }
    return {};
}

Expected<void> checkWindow(const AttentionMaps& maps, const MapIndex& map, const TileSpec& spec,
                           const Execution& execution)
{
    const MapsShape shape = maps.shape();
    if (auto index = checkMapIndex(shape, map); !index) {
        return index;
    }
    if (!maps.offers(spec.quantity)) {
        return fail(Code::Unsupported,
                    "These maps have no " + std::string(quantityName(spec.quantity)) + " to show.");
    }
    // Compared by subtraction: row + rows could overflow for a hostile request.
    const bool inside = spec.row >= 0 && spec.column >= 0 && spec.rows > 0 && spec.columns > 0 &&
                        spec.row < shape.queries && spec.rows <= shape.queries - spec.row &&
                        spec.column < shape.keys && spec.columns <= shape.keys - spec.column;
    if (!inside) {
        return fail(Code::InvalidArgument,
                    "The window of " + std::to_string(spec.rows) + " × " +
                        std::to_string(spec.columns) + " cells at (" + std::to_string(spec.row) +
                        ", " + std::to_string(spec.column) + ") is not inside the map of " +
                        std::to_string(shape.queries) + " × " + std::to_string(shape.keys) + ".");
    }
    constexpr std::int64_t largestTexel = std::int64_t{1} << 32;
    if (spec.texelCells < 1 || spec.texelCells > largestTexel || spec.cellsDown < 0 ||
        spec.cellsDown > largestTexel || spec.row % spec.texelCellsDown() != 0 ||
        spec.column % spec.texelCells != 0) {
        return fail(Code::InvalidArgument,
                    "A window of texels of " + std::to_string(spec.texelCellsDown()) + " × " +
                        std::to_string(spec.texelCells) +
                        " cells must start at a multiple of that, not at (" +
                        std::to_string(spec.row) + ", " + std::to_string(spec.column) + ").");
    }
    const auto texels = elementCount({spec.texelRows(), spec.texelColumns(), 2});
    if (!texels || *texels > (std::int64_t{1} << 44)) {
        return fail(Code::OutOfMemory, "There is no memory for a window of so many texels.");
    }
    return checkMemory(*texels * static_cast<std::int64_t>(sizeof(float)), "The window", execution);
}

} // namespace heed
