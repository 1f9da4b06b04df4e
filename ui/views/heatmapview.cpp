// Binding, layout and states of the map view; heatmapinput.cpp has its events.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/heatmapview.h"

#include "views/heatmapaccessible.h"
#include "views/heatmapplottable.h"
#include "views/viewmessage.h"
#include "widgets/theme.h"

#include <QAccessible>
#include <algorithm>
#include <atomic>
#include <cmath>

namespace heed::ui {

namespace {

constexpr int BarRoom = 96; // colour bar, its text, a line of swatches
constexpr int MostLabelWidth = 132;
constexpr int MostLabelHeight = 110;

int nextViewId()
{
    static std::atomic<int> next = 1000;
    return next++;
}

} // namespace

HeatmapView::HeatmapView(EngineService* service, SelectionModel* selection,
                         ViewSettingsModel* settings, QWidget* parent)
    : QCustomPlot(parent)
    , m_service(service)
    , m_selection(selection)
    , m_settings(settings)
    , m_scene(service, nextViewId())
    , m_range(service)
    , m_message(new ViewMessage(this))
{
    registerHeatmapAccessibility();
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    grabGesture(Qt::PinchGesture);
    setMinimumSize(240, 220);
    setNoAntialiasingOnDrag(false);
    setPlottingHint(QCP::phCacheLabels, false);
    for (QCPAxis* axis : {xAxis, yAxis, xAxis2, yAxis2}) {
        axis->setVisible(false);
        axis->grid()->setVisible(false);
    }
    axisRect()->setAutoMargins(QCP::msNone);
    plotLayout()->setAutoMargins(QCP::msNone);
    m_plottable = new HeatmapPlottable(xAxis, yAxis, &m_scene, &m_picture.viewport);
    m_frame = new HeatmapFrame(this, &m_picture);
    m_cursor = new HeatmapCursor(this, &m_picture);
    m_message->hide();
    m_picture.emptyText = tr("Nothing to show yet.");

    connect(m_selection, &SelectionModel::mapChanged, this, &HeatmapView::updateTarget);
    connect(m_selection, &SelectionModel::shapeChanged, this, &HeatmapView::updateTarget);
    connect(m_selection, &SelectionModel::pinChanged, this, &HeatmapView::onSelectionChanged);
    connect(m_selection, &SelectionModel::hoverChanged, this, &HeatmapView::onSelectionChanged);
    connect(m_settings, &ViewSettingsModel::changed, this, [this] {
        updateTarget();
        updateStyle();
    });
    connect(&m_scene, &TileScene::shownChanged, this, &HeatmapView::onShownChanged);
    connect(&m_scene, &TileScene::tilesChanged, this, &HeatmapView::onTilesChanged);
    connect(m_service, &EngineService::rowReady, this, &HeatmapView::readingsChanged);
    connect(&m_range, &ValueRangeSource::rangeChanged, this, &HeatmapView::updateStyle);
    connect(m_message, &ViewMessage::buttonClicked, this, &HeatmapView::messageButtonClicked);
    connect(this, &QCustomPlot::beforeReplot, this, [this] { m_clock.start(); });
    connect(this, &QCustomPlot::afterReplot, this, [this] {
        if (m_clock.isValid()) {
            Q_EMIT painted(static_cast<double>(m_clock.nsecsElapsed()) / 1e6);
        }
    });
    updateStyle();
    updateTexts();
    layOut();
}

HeatmapView::~HeatmapView() = default;

void HeatmapView::setRun(const RunPtr& run)
{
    if (run == m_run) {
        return;
    }
    m_run = run;
    updateTarget();
}

void HeatmapView::updateTarget()
{
    MapTarget target;
    if (m_run && m_run->maps()) {
        const ViewSettings& settings = m_settings->settings();
        const MapsShape shape = m_run->maps()->shape();
        const auto within = [](std::int64_t index, std::int64_t count) {
            return std::clamp<std::int64_t>(index, 0, std::max<std::int64_t>(0, count - 1));
        };
        const MapIndex& map = m_selection->map();
        target.run = m_run;
        target.map = {within(map.layer, shape.layers), within(map.item, shape.items),
                      within(map.head, shape.heads)};
        target.quantity = settings.quantity;
        target.pooling = settings.effectivePooling();
    }
    m_range.setTarget(target, m_settings->settings());
    m_scene.setTarget(target);
}

void HeatmapView::onShownChanged()
{
    const MapTarget& shown = m_scene.shown();
    const MapsShape shape = shown.shape();
    if (shown.isValid()) {
        m_picture.queryLabels.setTokens(shown.queryTokens());
        m_picture.keyLabels.setTokens(shown.keyTokens());
    }
    m_picture.viewport.setShape(shape.queries, shape.keys);
    updateStyle();
    layOut();
    updateTexts();
    if (QAccessible::isActive()) {
        QAccessibleTableModelChangeEvent change(this, QAccessibleTableModelChangeEvent::ModelReset);
        QAccessible::updateAccessibility(&change);
    }
    Q_EMIT readingsChanged();
}

void HeatmapView::onTilesChanged()
{
    m_picture.bar.contents = m_scene.contents();
    updateTexts();
    replot(QCustomPlot::rpQueuedReplot);
    Q_EMIT readingsChanged();
}

void HeatmapView::updateTexts()
{
    const MapTarget& shown = m_scene.shown();
    const MapsShape shape = shown.shape();
    m_picture.skeleton =
        (shown.isValid() && !m_scene.hasTiles()) || (!shown.isValid() && m_loading);
    m_picture.dimmed = m_stale;
    m_plottable->setDimmed(m_stale);
    if (!shown.isValid()) {
        m_picture.title = m_loading ? tr("Computing…") : QString();
        m_picture.subtitle.clear();
        m_picture.shortSubtitle.clear();
        m_picture.badge.clear();
        m_picture.shortBadge.clear();
        setAccessibleName(tr("Attention map"));
        return;
    }
    const AttentionSet set = shown.run->source().attention;
    m_picture.title = mapTitle(shown.map, *shown.run);
    m_picture.subtitle = mapSubtitle(shown.quantity, set);
    m_picture.shortSubtitle = mapDirections(set);
    m_picture.badge = resolutionText(m_scene.level(), shown.pooling, shape);
    m_picture.shortBadge.clear();
    if (m_picture.skeleton) {
        m_picture.badge = tr("computing…");
    } else if (m_scene.isChanging() || m_stale) {
        m_picture.badge = tr("updating… · %1").arg(m_picture.badge);
    } else if (const auto draft = m_scene.draftOnScreen()) {
        const int top = shown.topLevel();
        const std::int64_t texelRows = ((shape.queries - 1) >> top) + 1;
        m_picture.badge = tr("%1 · %2").arg(draftText(*draft, texelRows), m_picture.badge);
        m_picture.shortBadge =
            tr("draft, %1 % exact")
                .arg(100 * draft->exactRows / std::max<std::int64_t>(1, texelRows));
    } else if (m_scene.isRefining()) {
        m_picture.badge = tr("refining… · %1").arg(m_picture.badge);
    }
    setAccessibleName(tr("Attention map, layer %1 head %2, %3")
                          .arg(shown.map.layer)
                          .arg(shown.map.head)
                          .arg(quantityText(shown.quantity)));
}

void HeatmapView::updateStyle()
{
    const ViewSettings& settings = m_settings->settings();
    const MapTarget& shown = m_scene.shown();
    m_picture.colours = viewColours(palette());
    m_picture.font = font();
    setBackground(QBrush(m_picture.colours.surface));
    // The quantity on screen may still be the one before; its range is, too, until it leaves.
    if (!m_scene.isChanging()) {
        ViewSettings seen = settings;
        if (shown.isValid()) {
            seen.quantity = shown.quantity;
        }
        m_picture.bar.colourMap = seen.effectiveColourMap();
        m_picture.bar.range = m_range.range();
        m_picture.bar.name = rangeText(seen.quantity, m_range.mode());
    }
    m_picture.bar.hatchMasked = settings.hatchMasked;
    m_picture.bar.contents = m_scene.contents();
    TileStyle style;
    style.quantity = shown.isValid() ? shown.quantity : settings.quantity;
    style.colourMap = m_picture.bar.colourMap;
    style.range = m_picture.bar.range;
    style.hatchMasked = settings.hatchMasked;
    style.paper = m_picture.colours.paper.rgb();
    m_plottable->setStyle(style, settings.cellNumbers, m_picture.colours, numberFont(font()));
    replot(QCustomPlot::rpQueuedReplot);
}

void HeatmapView::layOut()
{
    m_picture.rowRoom = std::min(m_picture.queryLabels.rowExtent(font(), MostLabelWidth),
                                 std::max(24, width() / 4));
    m_picture.columnRoom = std::min(m_picture.keyLabels.columnExtent(font(), MostLabelHeight),
                                    std::max(24, height() / 4));
    const QRect area =
        rect().adjusted(HeatmapPadding + m_picture.rowRoom, HeatmapHeader + m_picture.columnRoom,
                        -HeatmapPadding, -BarRoom);
    m_picture.viewport.setArea(area.isValid() ? area : QRect(area.topLeft(), QSize(1, 1)),
                               devicePixelRatioF());
    m_message->setGeometry(rect());
    applyViewport(false);
}

void HeatmapView::applyViewport(bool notify)
{
    const MapViewport& view = m_picture.viewport;
    if (!view.isEmpty()) {
        const QRect map = view.mapRect();
        axisRect()->setMargins(QMargins(map.left(), map.top(),
                                        std::max(0, width() - map.left() - map.width()),
                                        std::max(0, height() - map.top() - map.height())));
        const QRectF cells = view.visibleCells();
        const auto queries = static_cast<double>(view.queries());
        xAxis->setRange(cells.left(), cells.right());
        yAxis->setRange(queries - cells.bottom(), queries - cells.top());
        m_scene.setVisibleCells(cells, std::min(view.cellWidth(), view.cellHeight()) *
                                           devicePixelRatioF());
        updateTexts();
        m_picture.bar.contents = m_scene.contents();
    }
    replot(QCustomPlot::rpQueuedReplot);
    if (m_mouseHovers) { // other cells lie under the mouse now
        m_selection->hover(view.cellAt(m_mouse));
    }
    if (notify) {
        Q_EMIT viewChanged();
    }
}

void HeatmapView::setStale(bool stale)
{
    if (stale != m_stale) {
        m_stale = stale;
        updateTexts();
        replot(QCustomPlot::rpQueuedReplot);
    }
}

void HeatmapView::setLoading(bool loading)
{
    if (loading != m_loading) {
        m_loading = loading;
        updateTexts();
        replot(QCustomPlot::rpQueuedReplot);
    }
}

void HeatmapView::setEmptyText(const QString& text)
{
    m_picture.emptyText = text;
    replot(QCustomPlot::rpQueuedReplot);
}

void HeatmapView::setMessage(const QString& title, const QString& text, const QStringList& buttons)
{
    m_message->setMessage(title, text, buttons);
    m_message->setGeometry(rect());
    m_message->show();
    m_message->raise();
}

void HeatmapView::clearMessage()
{
    m_message->hide();
}

bool HeatmapView::hasMessage() const
{
    return !m_message->isHidden();
}

void HeatmapView::fit()
{
    m_picture.viewport.fit();
    applyViewport();
}

void HeatmapView::setVisibleCells(const QRectF& cells)
{
    m_picture.viewport.setVisibleCells(cells);
    applyViewport();
}

void HeatmapView::goToCell(const CellRef& cell)
{
    m_selection->pin(cell);
    m_picture.viewport.reveal(cell);
    applyViewport();
}

void HeatmapView::redrawCursor()
{
    layer(QStringLiteral("overlay"))->replot();
}

void HeatmapView::onSelectionChanged()
{
    m_picture.hovered = m_selection->hovered();
    m_picture.pinned = m_selection->pinned();
    redrawCursor();
    const CellRef cell = m_selection->current();
    if (QAccessible::isActive() && hasFocus() && cell.isValid()) {
        if (QAccessibleInterface* table = QAccessible::queryAccessibleInterface(this)) {
            QAccessibleEvent focus(this, QAccessible::Focus);
            focus.setChild(table->indexOfChild(table->focusChild()));
            QAccessible::updateAccessibility(&focus);
        }
    }
    setAccessibleDescription(cell.isValid() ? rowSentence(cell.query) : QString());
}

std::optional<CellReading> HeatmapView::reading(const CellRef& cell)
{
    const MapTarget& shown = m_scene.shown();
    const MapsShape shape = shown.shape();
    if (!cell.isValid() || cell.query >= shape.queries || cell.key >= shape.keys) {
        return std::nullopt;
    }
    const auto readingOf = [](const Tile& tile, std::int64_t at) {
        const auto index = static_cast<std::size_t>(at);
        return index < tile.texels.values.size()
                   ? std::optional(CellReading{tile.texels.values[index],
                                               tile.texels.maskedShare[index] > 0,
                                               texelReasons(tile, index)})
                   : std::nullopt;
    };
    if (const TilePtr tile = m_scene.exactTile(cell.query, cell.key)) {
        return readingOf(*tile, cell.query % TileSide * tile->texels.columns + cell.key % TileSide);
    }
    const RowPtr row = shown.run == m_service->current()
                           ? m_service->row({shown.map, shown.quantity, cell.query})
                           : nullptr;
    return row != nullptr ? readingOf(row->cells, cell.key) : std::nullopt;
}

QString HeatmapView::cellSentence(const CellRef& cell)
{
    return cellText(cell, queryText(cell.query), keyText(cell.key), reading(cell),
                    m_scene.shown().quantity);
}

QString HeatmapView::cellName(const CellRef& cell)
{
    const auto known = reading(cell);
    const Quantity quantity = m_scene.shown().quantity;
    if (!known) {
        return tr("query %1, key %2, not computed yet")
            .arg(queryText(cell.query), keyText(cell.key));
    }
    if (known->masked && !valueSurvivesMask(quantity)) {
        return tr("query %1, key %2, %3")
            .arg(queryText(cell.query), keyText(cell.key), maskedText(known->reasons));
    }
    return tr("query %1, key %2, %3 %4")
        .arg(queryText(cell.query), keyText(cell.key), cellNoun(quantity),
             exactNumber(double{known->value}));
}

QString HeatmapView::rowSentence(qint64 query) const
{
    const MapTarget& shown = m_scene.shown();
    const MapsShape shape = shown.shape();
    qint64 best = -1;
    float highest = 0;
    qint64 masked = 0;
    MaskReasons reasons = 0;
    for (qint64 key = 0; key < shape.keys; key += TileSide) {
        const TilePtr tile = m_scene.exactTile(query, key);
        if (!tile || query >= shape.queries) {
            return {};
        }
        for (qint64 c = 0; c < tile->texels.columns; ++c) {
            const auto index =
                static_cast<std::size_t>((query % TileSide) * tile->texels.columns + c);
            const float value = tile->texels.values[index];
            if (tile->texels.maskedShare[index] > 0) {
                ++masked;
                reasons |= texelReasons(*tile, index);
            } else if (std::isfinite(value) && (best < 0 || value > highest)) {
                best = key + c;
                highest = value;
            }
        }
    }
    const QString number = QString::number(query);
    if (best < 0) {
        return tr("row %1 '%2': nothing to attend to").arg(number, queryText(query));
    }
    const QString sentence = masked > 0
                                 ? tr("row %1 '%2': highest %3 %4 on key %5 '%6'; %n key(s) %7", "",
                                      static_cast<int>(masked))
                                 : tr("row %1 '%2': highest %3 %4 on key %5 '%6'");
    // Given in one call, so that a token that looks like a place ("%3") stays what it is.
    const QString noun = cellNoun(shown.quantity);
    return masked > 0 ? sentence.arg(number, queryText(query), noun, exactNumber(double{highest}),
                                     QString::number(best), keyText(best), maskedText(reasons))
                      : sentence.arg(number, queryText(query), noun, exactNumber(double{highest}),
                                     QString::number(best), keyText(best));
}

void HeatmapView::followPixelRatio()
{
    // QCustomPlot reads the ratio once, before the widget knows its screen.
    if (bufferDevicePixelRatio() != devicePixelRatioF()) {
        setBufferDevicePixelRatio(devicePixelRatioF());
        layOut();
    }
}

} // namespace heed::ui
