// Settings as names and back.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "services/sessionfile.h"

#include "heed/metrics.h"
#include "views/colourmap.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace heed::ui {

namespace {

constexpr std::array<std::pair<std::string_view, RangeMode>, 4> RangeNames = {
    {{"unit", RangeMode::Unit},
     {"map", RangeMode::Map},
     {"heads", RangeMode::Heads},
     {"manual", RangeMode::Manual}}};

std::string rangeName(const std::optional<RangeMode>& mode)
{
    for (const auto& [name, value] : RangeNames) {
        if (mode == value) {
            return std::string(name);
        }
    }
    return {};
}

std::optional<RangeMode> parseRange(const std::string& text)
{
    for (const auto& [name, value] : RangeNames) {
        if (name == text) {
            return value;
        }
    }
    return std::nullopt;
}

} // namespace

Session makeSession(const Source& source, const ViewSettings& settings,
                    const SelectionModel& selection, const std::optional<QRectF>& cells)
{
    Session session;
    session.source = source;
    SessionView& view = session.view;
    view.quantity = settings.quantity;
    view.pooling = settings.pooling ? std::string(poolingName(*settings.pooling)) : std::string();
    view.colourMap =
        settings.colourMap ? std::string(colourMapName(*settings.colourMap)) : std::string();
    view.range = rangeName(settings.rangeMode);
    view.low = settings.low;
    view.high = settings.high;
    view.hatchMasked = settings.hatchMasked;
    view.cellNumbers = settings.cellNumbers;
    view.headOrder = settings.headOrder;
    view.headBar = settings.headBar;
    view.headColour = settings.headColour;
    view.map = selection.map();
    view.pinnedQuery = selection.pinned().query;
    view.pinnedKey = selection.pinned().key;
    if (cells) {
        view.cells = {cells->y(), cells->x(), cells->height(), cells->width()};
    }
    return session;
}

RestoredView restoredView(const SessionView& view)
{
    RestoredView restored;
    ViewSettings& settings = restored.settings;
    settings.quantity = view.quantity;
    if (const auto pooling = parsePooling(view.pooling)) {
        settings.pooling = *pooling;
    }
    if (const auto colourMap = parseColourMap(view.colourMap)) {
        settings.colourMap = *colourMap;
    }
    settings.rangeMode = parseRange(view.range);
    settings.low = view.low;
    settings.high = view.high;
    settings.hatchMasked = view.hatchMasked;
    settings.cellNumbers = view.cellNumbers;
    const auto knownMetric = [](const std::string& name) {
        return findMetric(name) == nullptr ? std::string() : name;
    };
    settings.headOrder = knownMetric(view.headOrder);
    settings.headBar = knownMetric(view.headBar);
    settings.headColour = knownMetric(view.headColour);
    restored.map = view.map;
    restored.pinned = {view.pinnedQuery, view.pinnedKey};
    if (view.cells) {
        const auto& [row, column, rows, columns] = *view.cells;
        restored.cells = QRectF(column, row, columns, rows);
    }
    return restored;
}

} // namespace heed::ui
