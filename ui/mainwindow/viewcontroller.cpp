// Actions and settings in step, both ways.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/viewcontroller.h"

#include "dialogs/smalldialogs.h"
#include "mainwindow/actions.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace heed::ui {

namespace {

constexpr std::pair<ActionId, Quantity> Quantities[] = {
    {ActionId::QuantityScores, Quantity::Scores},
    {ActionId::QuantityScaled, Quantity::Scaled},
    {ActionId::QuantityMasked, Quantity::Masked},
    {ActionId::QuantityWeights, Quantity::Weights},
};

constexpr std::pair<ActionId, std::optional<ColourMapId>> ColourMaps[] = {
    {ActionId::MapDefault, std::nullopt},
    {ActionId::MapViridis, ColourMapId::Viridis},
    {ActionId::MapCividis, ColourMapId::Cividis},
    {ActionId::MapMagma, ColourMapId::Magma},
    {ActionId::MapInferno, ColourMapId::Inferno},
    {ActionId::MapGrey, ColourMapId::Grey},
    {ActionId::MapDiverging, ColourMapId::Diverging},
};

constexpr std::pair<ActionId, std::optional<RangeMode>> Ranges[] = {
    {ActionId::RangeDefault, std::nullopt},     {ActionId::RangeUnit, RangeMode::Unit},
    {ActionId::RangeMap, RangeMode::Map},       {ActionId::RangeHeads, RangeMode::Heads},
    {ActionId::RangeManual, RangeMode::Manual},
};

constexpr std::pair<ActionId, std::optional<Pooling>> Poolings[] = {
    {ActionId::PoolingDefault, std::nullopt},   {ActionId::PoolingMax, Pooling::Max},
    {ActionId::PoolingAbsMax, Pooling::AbsMax}, {ActionId::PoolingMass, Pooling::Mass},
    {ActionId::PoolingMean, Pooling::Mean},
};

} // namespace

ViewController::ViewController(const Workspace& workspace, QWidget* window)
    : QObject(window)
    , m_workspace(workspace)
    , m_window(window)
{
    connectSettings();
    connectNavigation();
    connect(m_workspace.view, &ViewSettingsModel::changed, this, &ViewController::showSettings);
    connect(m_workspace.document, &Document::runChanged, this, &ViewController::showRun);
    connect(m_workspace.selection, &SelectionModel::mapChanged, this, &ViewController::showRun);
    showSettings();
    showRun();
}

void ViewController::connectSettings()
{
    const Actions& actions = *m_workspace.actions;
    const auto bind = [&](ActionId id, auto change) {
        connect(actions[id], &QAction::triggered, this, [this, change](bool on) {
            ViewSettings settings = m_workspace.view->settings();
            change(settings, on);
            m_workspace.view->setSettings(settings);
        });
    };
    for (const auto& [id, quantity] : Quantities) {
        bind(id, [quantity = quantity](ViewSettings& s, bool) { s.quantity = quantity; });
    }
    for (const auto& [id, map] : ColourMaps) {
        bind(id, [map = map](ViewSettings& s, bool) { s.colourMap = map; });
    }
    for (const auto& [id, pooling] : Poolings) {
        bind(id, [pooling = pooling](ViewSettings& s, bool) { s.pooling = pooling; });
    }
    for (const auto& [id, range] : Ranges) {
        if (id == ActionId::RangeManual) {
            connect(actions[id], &QAction::triggered, this, &ViewController::chooseRangeByHand);
        } else {
            bind(id, [range = range](ViewSettings& s, bool) { s.rangeMode = range; });
        }
    }
    bind(ActionId::HatchMasked, [](ViewSettings& s, bool on) { s.hatchMasked = on; });
    bind(ActionId::CellNumbers, [](ViewSettings& s, bool on) { s.cellNumbers = on; });
}

void ViewController::connectNavigation()
{
    const Actions& actions = *m_workspace.actions;
    const auto bind = [&](ActionId id, std::int64_t heads, std::int64_t items) {
        connect(actions[id], &QAction::triggered, this,
                [this, heads, items] { step(heads, items); });
    };
    bind(ActionId::NextHead, 1, 0);
    bind(ActionId::PreviousHead, -1, 0);
    bind(ActionId::NextItem, 0, 1);
    bind(ActionId::PreviousItem, 0, -1);
}

void ViewController::step(std::int64_t heads, std::int64_t items)
{
    const MapsShape& shape = m_workspace.selection->shape();
    MapIndex map = m_workspace.selection->map();
    // Past the last head of a layer comes the first of the next.
    const std::int64_t last = std::max<std::int64_t>(0, shape.layers * shape.heads - 1);
    const std::int64_t flat =
        std::clamp<std::int64_t>(map.layer * shape.heads + map.head + heads, 0, last);
    if (shape.heads > 0) {
        map.layer = flat / shape.heads;
        map.head = flat % shape.heads;
    }
    map.item += items;
    m_workspace.selection->setMap(map);
}

void ViewController::chooseRangeByHand()
{
    ViewSettings settings = m_workspace.view->settings();
    if (const auto range = askRange(settings.low, settings.high, m_window)) {
        settings.rangeMode = RangeMode::Manual;
        settings.low = range->first;
        settings.high = range->second;
        m_workspace.view->setSettings(settings);
    }
    showSettings(); // the choice is back where it was when the question was closed
}

void ViewController::showSettings()
{
    const Actions& actions = *m_workspace.actions;
    const ViewSettings& settings = m_workspace.view->settings();
    for (const auto& [id, quantity] : Quantities) {
        actions[id]->setChecked(settings.quantity == quantity);
    }
    for (const auto& [id, map] : ColourMaps) {
        actions[id]->setChecked(settings.colourMap == map);
    }
    for (const auto& [id, range] : Ranges) {
        actions[id]->setChecked(settings.rangeMode == range);
    }
    for (const auto& [id, pooling] : Poolings) {
        actions[id]->setChecked(settings.pooling == pooling);
    }
    actions[ActionId::HatchMasked]->setChecked(settings.hatchMasked);
    actions[ActionId::CellNumbers]->setChecked(settings.cellNumbers);
}

void ViewController::showRun()
{
    const Actions& actions = *m_workspace.actions;
    const RunPtr run = m_workspace.document->run();
    const MapsShape shape = run != nullptr ? run->maps()->shape() : MapsShape{};
    const MapIndex& map = m_workspace.selection->map();
    ViewSettings settings = m_workspace.view->settings();
    std::optional<Quantity> offered;
    for (const auto& [id, quantity] : Quantities) {
        const bool offers = run == nullptr || run->maps()->offers(quantity);
        actions[id]->setEnabled(offers);
        if (run != nullptr && offers) {
            offered = quantity;
        }
    }
    if (run != nullptr && offered && !run->maps()->offers(settings.quantity)) {
        settings.quantity = *offered; // a file of weights has no scores to show
        m_workspace.view->setSettings(settings);
    }
    const std::int64_t flat = map.layer * shape.heads + map.head;
    actions[ActionId::NextHead]->setEnabled(flat + 1 < shape.layers * shape.heads);
    actions[ActionId::PreviousHead]->setEnabled(flat > 0);
    actions[ActionId::NextItem]->setEnabled(map.item + 1 < shape.items);
    actions[ActionId::PreviousItem]->setEnabled(map.item > 0);
}

} // namespace heed::ui
