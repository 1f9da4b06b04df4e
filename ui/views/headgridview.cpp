// What the grid of heads shows, and where.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/headgridview.h"

#include "views/metrictext.h"
#include "views/viewcolours.h"
#include "views/viewtext.h"

#include <QEvent>
#include <QFontMetricsF>
#include <QToolTip>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

namespace heed::ui {

namespace {

constexpr double BarRoom = 7;     // under a thumbnail, for a bar alone
constexpr double NumberRoom = 14; // the same with a number beside the bar
constexpr double LeastForNumber = 56;
constexpr double WindowRoom = 9; // for the mark of a layer with a window

int nextViewId()
{
    static std::atomic<int> next = 5000;
    return next++;
}

} // namespace

HeadGridView::HeadGridView(EngineService* service, SelectionModel* selection,
                           ViewSettingsModel* settings, QWidget* parent)
    : QWidget(parent)
    , m_service(service)
    , m_selection(selection)
    , m_settings(settings)
    , m_range(service)
    , m_metrics(service)
    , m_view(nextViewId())
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Heads"));
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(m_service, &EngineService::tileReady, this, &HeadGridView::onTileReady);
    connect(m_service, &EngineService::draftReady, this, &HeadGridView::onDraftReady);
    connect(m_settings, &ViewSettingsModel::changed, this, &HeadGridView::refresh);
    connect(m_selection, &SelectionModel::mapChanged, this, [this] {
        if (m_selection->map().item != m_item) {
            refresh();
        }
        updateAccessibleText();
        update();
    });
    connect(&m_range, &ValueRangeSource::rangeChanged, this, [this] {
        for (Thumbnail& thumbnail : m_thumbnails) {
            if (thumbnail.request.quantity == m_settings->settings().quantity) {
                thumbnail.picture = {}; // the others keep the colours they have
            }
        }
        update();
    });
    connect(&m_metrics, &AllHeadMetrics::arrived, this, [this] {
        if (m_bar != nullptr || m_order != nullptr || m_colour != nullptr) {
            updateMetrics();
        }
    });
    connect(&m_metrics, &AllHeadMetrics::completed, this, [this] {
        // Thumbnails do not move away under the pointer.
        m_sortsOnLeave = !m_sequence.empty() && m_sortedBy == m_order && underMouse();
        if (!m_sortsOnLeave) {
            sort();
        }
    });
    connect(m_service, &EngineService::metricsReady, this, [this](const MapIndex& map) {
        if (map == m_hovered && underMouse() && QToolTip::isVisible()) {
            QToolTip::showText(QCursor::pos(), toolTipOf(map), this);
        }
    });
}

HeadGridView::~HeadGridView() = default;

void HeadGridView::setRun(const RunPtr& run)
{
    if (run == m_run) {
        return;
    }
    m_run = run;
    refresh();
}

void HeadGridView::setStale(bool stale)
{
    if (stale != m_stale) {
        m_stale = stale;
        update();
    }
}

void HeadGridView::setLoading(bool loading)
{
    if (loading != m_loading) {
        m_loading = loading;
        update();
    }
}

std::size_t HeadGridView::indexOf(std::int64_t layer, std::int64_t head) const
{
    return static_cast<std::size_t>(layer * m_shape.heads + head);
}

TileRequest HeadGridView::request(std::int64_t layer, std::int64_t head) const
{
    const ViewSettings& settings = m_settings->settings();
    return {.map = {layer, m_item, head},
            .quantity = settings.quantity,
            .pooling = settings.effectivePooling(),
            .level = m_level,
            .tileRow = 0,
            .tileColumn = 0};
}

void HeadGridView::refresh()
{
    const MapsShape before = m_shape;
    m_wanted.clear();
    const ViewSettings& settings = m_settings->settings();
    const Metric* bar = findMetric(settings.headBar);
    const Metric* colour = findMetric(settings.headColour);
    const bool metricsChange = bar != m_bar || colour != m_colour;
    m_bar = bar;
    m_colour = colour;
    m_order = findMetric(settings.headOrder);
    if (!m_run || !m_run->maps()) {
        m_shape = {};
        m_marks = {};
        m_thumbnails.clear();
        m_sequence.clear();
        m_metrics.setTarget(nullptr, 0);
        m_service->setVisible(m_view, {});
        updateShown();
        updateGeometry();
        update();
        return;
    }
    m_shape = m_run->maps()->shape();
    const HeadGridMarks marksBefore = std::exchange(m_marks, HeadGridMarks(*m_run));
    m_item = std::clamp<std::int64_t>(m_selection->map().item, 0,
                                      std::max<std::int64_t>(0, m_shape.items - 1));
    if (before.layers != m_shape.layers || before.heads != m_shape.heads) {
        m_thumbnails.assign(static_cast<std::size_t>(m_shape.layers * m_shape.heads), {});
        m_sequence.clear();
    }
    if (before != m_shape || metricsChange || marksBefore != m_marks) {
        rearrange();
    }
    // One range for all thumbnails, or they could not be compared.
    ViewSettings shared = m_settings->settings();
    if (shared.effectiveRangeMode() == RangeMode::Map) {
        shared.rangeMode = RangeMode::Heads;
    }
    m_range.setTarget(
        {m_run, {m_selection->map().layer, m_item, 0}, shared.quantity, shared.effectivePooling()},
        shared);
    if (m_run != m_service->current()) {
        update();
        return;
    }
    m_level = levelOfThumbnails();
    for (std::int64_t layer = 0; layer < m_shape.layers; ++layer) {
        for (std::int64_t head = 0; head < m_shape.heads; ++head) {
            m_wanted.push_back(request(layer, head));
        }
    }
    m_service->setVisible(m_view, m_wanted);
    const bool measures = m_order != nullptr || m_bar != nullptr || m_colour != nullptr;
    m_metrics.setTarget(measures ? m_run : nullptr, m_item);
    if (m_order != m_sortedBy) {
        sort();
    }
    for (const TileRequest& wanted : m_wanted) {
        Thumbnail& thumbnail = m_thumbnails[indexOf(wanted.map.layer, wanted.map.head)];
        thumbnail.current = false;
        // Painting asks again for those that are seen.
        if (TilePtr tile = m_service->tile(wanted, Priority::Preload)) {
            thumbnail = {std::move(tile), wanted, {}, true};
        }
    }
    updateShown();
    updateMetrics();
}

void HeadGridView::updateMetrics()
{
    updateAccessibleText();
    update();
    Q_EMIT frameRangeChanged();
}

std::optional<ValueRange> HeadGridView::frameRange() const
{
    return m_colour != nullptr && m_shape.heads > 0 ? m_metrics.range(*m_colour) : std::nullopt;
}

void HeadGridView::updateShown()
{
    const Quantity wanted = m_settings->settings().quantity;
    Shown shown;
    bool isWantedSeen = false;
    for (const Thumbnail& thumbnail : m_thumbnails) {
        if (thumbnail.tile == nullptr) {
            continue;
        }
        const Quantity quantity = thumbnail.request.quantity;
        shown.hasDrafts = shown.hasDrafts || thumbnail.isDraft;
        if (quantity == wanted) {
            isWantedSeen = true;
        } else if (std::ranges::find(shown.quantities, quantity) == shown.quantities.end()) {
            shown.quantities.push_back(quantity);
        }
    }
    if (isWantedSeen || shown.quantities.empty()) {
        shown.quantities.push_back(wanted);
    }
    if (shown != m_shown) {
        m_shown = std::move(shown);
        Q_EMIT shownChanged();
    }
}

void HeadGridView::put(Thumbnail thumbnail)
{
    const MapIndex& map = thumbnail.request.map;
    m_thumbnails[indexOf(map.layer, map.head)] = std::move(thumbnail);
    updateShown();
    update();
}

/// The coarsest level that still has a texel for each device pixel of a thumbnail.
int HeadGridView::levelOfThumbnails() const
{
    const AttentionMaps& maps = *m_run->maps();
    int level = maps.topLevel();
    constexpr std::int64_t few = 32; // share their tiles with the large map
    if (m_shape.layers * m_shape.heads <= few ||
        m_settings->settings().quantity != Quantity::Weights) { // or with the range of all heads
        return level;
    }
    const double pixels = thumbnailRect(0, 0).width() * devicePixelRatioF();
    const std::int64_t longest = std::max(m_shape.queries, m_shape.keys);
    while (level < maps.coarsestLevel() &&
           static_cast<double>(((longest - 1) >> (level + 1)) + 1) >= std::max(pixels, 16.0)) {
        ++level;
    }
    return level;
}

void HeadGridView::sort()
{
    m_sortsOnLeave = false;
    std::vector<std::size_t> sequence;
    if (m_order != nullptr) {
        if (!m_metrics.isComplete()) {
            return; // the order there is stays until the new one is known
        }
        sequence = m_metrics.ranking(*m_order);
    }
    m_sortedBy = m_order;
    if (sequence != m_sequence) {
        m_sequence = std::move(sequence);
        m_places.resize(m_sequence.size());
        for (std::size_t place = 0; place < m_sequence.size(); ++place) {
            m_places[m_sequence[place]] = place;
        }
        rearrange();
    }
    updateAccessibleText();
    update();
}

void HeadGridView::rearrange()
{
    for (Thumbnail& thumbnail : m_thumbnails) {
        thumbnail.picture = {};
    }
    updateGeometry();
    Q_EMIT rearranged();
}

void HeadGridView::onTileReady(const TileRequest& arrived)
{
    if (m_run != m_service->current() ||
        std::find(m_wanted.begin(), m_wanted.end(), arrived) == m_wanted.end()) {
        return;
    }
    if (TilePtr tile = m_service->cachedTile(arrived)) {
        put({std::move(tile), arrived, {}, true});
    }
}

void HeadGridView::onDraftReady(const TileRequest& arrived)
{
    if (m_run == m_service->current() &&
        std::find(m_wanted.begin(), m_wanted.end(), arrived) != m_wanted.end()) {
        put({m_service->draft(arrived).tile, arrived, {}, false, true});
    }
}

void HeadGridView::setHeightRoom(int height)
{
    if (height != m_heightRoom) {
        m_heightRoom = height;
        for (Thumbnail& thumbnail : m_thumbnails) {
            thumbnail.picture = {};
        }
        updateGeometry();
        refresh();
    }
}

bool HeadGridView::showsBarNumbers() const
{
    return m_bar != nullptr && (isTable() || (m_sortedBy != nullptr && m_sortedBy != m_bar));
}

const Metric* HeadGridView::labelMetric() const
{
    return isTable()               ? nullptr
           : m_sortedBy != nullptr ? m_sortedBy
           : m_bar != nullptr      ? m_bar
                                   : m_colour;
}

QString HeadGridView::labelOf(std::int64_t layer, std::int64_t head) const
{
    QString label = tr("H%1").arg(head);
    if (m_shape.layers > 1) {
        label = tr("L%1").arg(layer) + QLatin1Char(' ') + label;
    }
    if (const Metric* metric = labelMetric()) {
        label += QLatin1Char(' ') + metricNumber(m_metrics.value(indexOf(layer, head), *metric));
    }
    return label;
}

HeadGridLayout HeadGridView::layoutFor(int width, int heightRoom) const
{
    MapsShape shape = m_shape;
    if (!m_sequence.empty()) { // sorted, all layers are one block
        shape.heads *= shape.layers;
        shape.layers = 1;
    }
    HeadGridNeeds needs;
    if (const Metric* metric = labelMetric()) {
        QString label = tr("H%1").arg(m_shape.heads - 1) + QLatin1Char(' ') +
                        metricNumber(m_metrics.scale(*metric));
        if (m_shape.layers > 1) {
            label += tr("L%1").arg(m_shape.layers - 1) + QLatin1Char(' ');
        }
        needs.leastWidth = QFontMetricsF(scaledFont(font(), 0.9)).horizontalAdvance(label);
    }
    if (m_bar != nullptr) {
        needs.below = BarRoom;
        if (showsBarNumbers()) {
            needs.leastWidth = std::max(needs.leastWidth, LeastForNumber);
            needs.below = NumberRoom;
        }
    }
    needs.around = m_colour != nullptr ? FrameWidth : 0;
    if (isTable()) {
        needs.headsOfGroup = static_cast<int>(m_marks.headsOfGroup());
        if (m_marks.hasWindows()) {
            (m_shape.layers <= m_shape.heads ? needs.above : needs.beside) = WindowRoom;
        }
    }
    return HeadGridLayout(shape, width, heightRoom, needs);
}

QRectF HeadGridView::rectIn(const HeadGridLayout& layout, std::int64_t layer,
                            std::int64_t head) const
{
    if (m_sequence.empty() || layer < 0 || head < 0 || layer >= m_shape.layers ||
        head >= m_shape.heads) {
        return layout.rect(layer, head);
    }
    return layout.rect(0, static_cast<std::int64_t>(m_places[indexOf(layer, head)]));
}

QRectF HeadGridView::thumbnailRect(std::int64_t layer, std::int64_t head) const
{
    return rectIn(layoutFor(width(), m_heightRoom), layer, head);
}

int HeadGridView::heightForWidth(int width) const
{
    return layoutFor(width, m_heightRoom).totalHeight();
}

int HeadGridView::heightFor(int width, int heightRoom) const
{
    return layoutFor(width, heightRoom).totalHeight();
}

QSize HeadGridView::sizeHint() const
{
    return {280, heightForWidth(280)};
}

QSize HeadGridView::minimumSizeHint() const
{
    return {120, std::min(80, heightForWidth(120))};
}

bool HeadGridView::at(QPointF position, MapIndex& map) const
{
    const HeadGridLayout layout = layoutFor(width(), m_heightRoom);
    const double above = isTable() ? 2 : HeadGridLayout::LabelHeight; // the label belongs to it
    for (std::int64_t layer = 0; layer < m_shape.layers; ++layer) {
        for (std::int64_t head = 0; head < m_shape.heads; ++head) {
            if (rectIn(layout, layer, head).adjusted(-2, -above, 2, 2).contains(position)) {
                map = {layer, m_item, head};
                return true;
            }
        }
    }
    return false;
}

void HeadGridView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    for (Thumbnail& thumbnail : m_thumbnails) {
        thumbnail.picture = {};
    }
    if (m_run && m_run->maps() && levelOfThumbnails() != m_level) {
        refresh();
    }
}

void HeadGridView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        for (Thumbnail& thumbnail : m_thumbnails) {
            thumbnail.picture = {};
        }
    } else if (event->type() == QEvent::LanguageChange) {
        setAccessibleName(tr("Heads"));
        updateAccessibleText();
    }
    update();
}

void HeadGridView::updateAccessibleText()
{
    if (m_shape.heads == 0) {
        setAccessibleDescription(tr("No heads yet"));
        return;
    }
    const MapIndex& map = m_selection->map();
    QString text = tr("Layer %1 head %2 selected, %3 layers of %4 heads")
                       .arg(map.layer)
                       .arg(map.head)
                       .arg(m_shape.layers)
                       .arg(m_shape.heads);
    if (m_sortedBy != nullptr) {
        text += tr(", sorted by %1").arg(metricText(*m_sortedBy).name);
    }
    std::vector<const Metric*> said;
    for (const Metric* metric : {m_sortedBy, m_bar, m_colour}) {
        if (metric != nullptr && std::ranges::find(said, metric) == said.end()) {
            said.push_back(metric);
            text += tr(", %1 %2").arg(
                metricText(*metric).name,
                metricNumber(m_metrics.value(indexOf(map.layer, map.head), *metric)));
        }
    }
    for (const QString& phrase : m_marks.phrases(map)) {
        text += QStringLiteral(", ") + phrase;
    }
    setAccessibleDescription(text);
}

} // namespace heed::ui
