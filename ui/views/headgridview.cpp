// Layout, painting and selection of thumbnails.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/headgridview.h"

#include "views/mapraster.h"
#include "views/tilepool.h"
#include "views/viewcolours.h"
#include "views/viewtext.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <atomic>
#include <cmath>

namespace heed::ui {

namespace {

constexpr double Padding = HeadGridLayout::Padding;
constexpr double LabelHeight = HeadGridLayout::LabelHeight;
constexpr double Gap = HeadGridLayout::Gap;

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
    , m_view(nextViewId())
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Heads"));
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(m_service, &EngineService::tileReady, this, &HeadGridView::onTileReady);
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
            thumbnail.picture = {};
        }
        update();
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
            .level = m_run->maps()->topLevel(),
            .tileRow = 0,
            .tileColumn = 0};
}

void HeadGridView::refresh()
{
    const MapsShape before = m_shape;
    m_wanted.clear();
    if (!m_run || !m_run->maps()) {
        m_shape = {};
        m_thumbnails.clear();
        m_service->setVisible(m_view, {});
        updateGeometry();
        update();
        return;
    }
    m_shape = m_run->maps()->shape();
    m_item = std::clamp<std::int64_t>(m_selection->map().item, 0,
                                      std::max<std::int64_t>(0, m_shape.items - 1));
    if (before.layers != m_shape.layers || before.heads != m_shape.heads) {
        m_thumbnails.assign(static_cast<std::size_t>(m_shape.layers * m_shape.heads), {});
    }
    if (before != m_shape) {
        updateGeometry();
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
    for (std::int64_t layer = 0; layer < m_shape.layers; ++layer) {
        for (std::int64_t head = 0; head < m_shape.heads; ++head) {
            m_wanted.push_back(request(layer, head));
        }
    }
    m_service->setVisible(m_view, m_wanted);
    for (const TileRequest& wanted : m_wanted) {
        Thumbnail& thumbnail = m_thumbnails[indexOf(wanted.map.layer, wanted.map.head)];
        thumbnail.current = false;
        if (TilePtr tile = m_service->tile(wanted, Priority::Thumbnail)) {
            thumbnail = {std::move(tile), wanted, {}, true};
        }
    }
    updateAccessibleText();
    update();
}

void HeadGridView::onTileReady(const TileRequest& arrived)
{
    if (m_run != m_service->current() ||
        std::find(m_wanted.begin(), m_wanted.end(), arrived) == m_wanted.end()) {
        return;
    }
    if (TilePtr tile = m_service->cachedTile(arrived)) {
        m_thumbnails[indexOf(arrived.map.layer, arrived.map.head)] = {
            std::move(tile), arrived, {}, true};
        update();
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

HeadGridLayout HeadGridView::layoutFor(int width) const
{
    return HeadGridLayout(m_shape, width, m_heightRoom);
}

QRectF HeadGridView::thumbnailRect(std::int64_t layer, std::int64_t head) const
{
    return layoutFor(width()).rect(layer, head);
}

int HeadGridView::heightForWidth(int width) const
{
    return layoutFor(width).totalHeight();
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
    for (std::int64_t layer = 0; layer < m_shape.layers; ++layer) {
        for (std::int64_t head = 0; head < m_shape.heads; ++head) {
            const double above = m_shape.layers > 1 ? 2 : LabelHeight; // the label belongs to it
            if (thumbnailRect(layer, head).adjusted(-2, -above, 2, 2).contains(position)) {
                map = {layer, m_item, head};
                return true;
            }
        }
    }
    return false;
}

void HeadGridView::compose(Thumbnail& thumbnail, const QRectF& rect) const
{
    const ViewSettings& settings = m_settings->settings();
    const ViewColours colours = viewColours(palette());
    const double ratio = devicePixelRatioF();
    const QSize size(std::max(1, static_cast<int>(std::lround(rect.width() * ratio))),
                     std::max(1, static_cast<int>(std::lround(rect.height() * ratio))));
    TileStyle style;
    style.quantity = thumbnail.request.quantity;
    style.colourMap = settings.effectiveColourMap();
    style.range = m_range.range();
    style.hatchMasked = settings.hatchMasked;
    style.paper = colours.paper.rgb();
    // At least one device pixel a texel, or isolated cells would be lost.
    const TileTexels& given = thumbnail.tile->texels;
    int levels = 0;
    while ((given.columns >> levels) > size.width() || (given.rows >> levels) > size.height()) {
        ++levels;
    }
    const Tile tile = coarserTile(*thumbnail.tile, thumbnail.request.pooling, levels);
    const QImage image = tileImage(tile, style);
    const PlacedTile placed{&tile, &image, 0, 0, 0};
    RasterStyle raster;
    raster.hatchMasked = settings.hatchMasked;
    raster.inkOverValues = valueSurvivesMask(style.quantity);
    raster.ink = mixed(colours.paper, colours.hatch, 0.8).rgb();
    raster.hatchSpacing = 3.2 * ratio;
    raster.hatchWidth = 0.7 * ratio;
    const TileTexels& texels = tile.texels;
    thumbnail.picture = composeMap(
        std::span(&placed, 1),
        QRectF(0, 0, static_cast<double>(texels.columns), static_cast<double>(texels.rows)), size,
        raster);
}

void HeadGridView::paintEvent(QPaintEvent* event)
{
    QPainter painter(this);
    const ViewColours colours = viewColours(palette());
    painter.fillRect(event->rect(), colours.surface);
    const QColor bone = mixed(colours.surface, colours.text, 0.06);
    if (m_shape.heads == 0) {
        if (m_loading) {
            const double side = std::min(72.0, (width() - 2 * Padding - 2 * Gap) / 3);
            for (const int row : {0, 1}) {
                for (const int column : {0, 1, 2}) {
                    painter.fillRect(QRectF(Padding + column * (side + Gap),
                                            Padding + LabelHeight + row * (side + LabelHeight + 6),
                                            side, side),
                                     bone);
                }
            }
        }
        return;
    }
    const QFont small = scaledFont(font(), 0.9);
    const QFontMetricsF metrics(small);
    painter.setFont(small);
    const bool table = m_shape.layers > 1;
    const bool layersAcross = m_shape.layers <= m_shape.heads;
    const MapIndex& selected = m_selection->map();
    const double ratio = devicePixelRatioF();
    for (std::int64_t layer = 0; layer < m_shape.layers; ++layer) {
        for (std::int64_t head = 0; head < m_shape.heads; ++head) {
            const QRectF rect = thumbnailRect(layer, head);
            const bool isSelected = layer == selected.layer && head == selected.head;
            const bool isHovered = layer == m_hovered.layer && head == m_hovered.head;
            const QString headLabel = tr("H%1").arg(head);
            const QString layerLabel = tr("L%1").arg(layer);
            if (!table) {
                painter.setPen(isSelected ? colours.accent : colours.mute);
                painter.drawText(QPointF(rect.left(), rect.top() - 5), headLabel);
            } else {
                const bool top = layersAcross ? head == 0 : layer == 0;
                const bool side = layersAcross ? layer == 0 : head == 0;
                if (top) {
                    const QString text = layersAcross ? layerLabel : headLabel;
                    const bool on = layersAcross ? layer == selected.layer : head == selected.head;
                    painter.setPen(on ? colours.accent : colours.mute);
                    painter.drawText(
                        QPointF(rect.center().x() - metrics.horizontalAdvance(text) / 2,
                                rect.top() - 5),
                        text);
                }
                if (side) {
                    const QString text = layersAcross ? headLabel : layerLabel;
                    const bool on = layersAcross ? head == selected.head : layer == selected.layer;
                    painter.setPen(on ? colours.accent : colours.mute);
                    painter.drawText(
                        QPointF(rect.left() - 8 - metrics.horizontalAdvance(text),
                                rect.center().y() + (metrics.ascent() - metrics.descent()) / 2),
                        text);
                }
            }
            Thumbnail& thumbnail = m_thumbnails[indexOf(layer, head)];
            if (thumbnail.tile) {
                if (thumbnail.picture.isNull()) {
                    compose(thumbnail, rect);
                }
                // On whole device pixels, or every texel would be smeared.
                const QPointF corner(std::round(rect.left() * ratio) / ratio,
                                     std::round(rect.top() * ratio) / ratio);
                painter.setOpacity(m_stale ? 0.45 : 1);
                painter.drawImage(QRectF(corner, QSizeF(thumbnail.picture.size()) / ratio),
                                  thumbnail.picture);
                painter.setOpacity(1);
            } else {
                painter.fillRect(rect, bone);
            }
            painter.setRenderHint(QPainter::Antialiasing, true);
            painter.setBrush(Qt::NoBrush);
            if (isSelected) {
                const double width = m_focusRing && hasFocus() ? 3 : 2;
                painter.setPen(
                    QPen(colours.accent, width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
                const double out = width / 2 + 1;
                painter.drawRect(rect.adjusted(-out, -out, out, out));
            } else if (isHovered) {
                painter.setPen(
                    QPen(colours.graphic, 1, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
                painter.drawRect(rect.adjusted(-1.5, -1.5, 1.5, 1.5));
            }
            painter.setRenderHint(QPainter::Antialiasing, false);
        }
    }
}

void HeadGridView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    for (Thumbnail& thumbnail : m_thumbnails) {
        thumbnail.picture = {};
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
    const MapIndex& map = m_selection->map();
    setAccessibleDescription(m_shape.heads == 0
                                 ? tr("No heads yet")
                                 : tr("Layer %1 head %2 selected, %3 layers of %4 heads")
                                       .arg(map.layer)
                                       .arg(map.head)
                                       .arg(m_shape.layers)
                                       .arg(m_shape.heads));
}

void HeadGridView::select(std::int64_t layer, std::int64_t head)
{
    if (layer >= 0 && head >= 0 && layer < m_shape.layers && head < m_shape.heads) {
        m_selection->setMap({layer, m_item, head});
    }
}

void HeadGridView::mousePressEvent(QMouseEvent* event)
{
    MapIndex map;
    if (event->button() == Qt::LeftButton && at(event->position(), map)) {
        m_focusRing = false;
        select(map.layer, map.head);
    }
}

void HeadGridView::mouseDoubleClickEvent(QMouseEvent* event)
{
    MapIndex map;
    if (event->button() == Qt::LeftButton && at(event->position(), map)) {
        select(map.layer, map.head);
        Q_EMIT opened(m_selection->map());
    }
}

void HeadGridView::mouseMoveEvent(QMouseEvent* event)
{
    MapIndex map{-1, -1, -1};
    const bool over = at(event->position(), map);
    if (map != m_hovered) {
        m_hovered = map;
        setCursor(over ? Qt::PointingHandCursor : Qt::ArrowCursor);
        update();
    }
}

void HeadGridView::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    m_hovered = {-1, -1, -1};
    update();
}

QString HeadGridView::toolTipOf(const MapIndex& map)
{
    QString title = mapTitle(map, m_shape);
    if (!m_run || m_run != m_service->current()) {
        return title;
    }
    const MetricsPtr metrics = m_service->metrics(map, Priority::Margin);
    if (!metrics) {
        return tr("%1\nmetrics are being computed").arg(title);
    }
    return tr("%1\nentropy %2 nats\nmean distance %3\nprevious token %4\nfirst-token sink %5")
        .arg(title, metricNumber(metrics->entropy), metricNumber(metrics->distance),
             metricNumber(metrics->previousToken), metricNumber(metrics->firstTokenSink));
}

bool HeadGridView::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        MapIndex map;
        if (at(help->pos(), map)) {
            m_hovered = map;
            QToolTip::showText(help->globalPos(), toolTipOf(map), this);
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    return QWidget::event(event);
}

void HeadGridView::keyPressEvent(QKeyEvent* event)
{
    const MapIndex& map = m_selection->map();
    const HeadGridLayout layout = layoutFor(width());
    const bool table = m_shape.layers > 1;
    const bool layersAcross = m_shape.layers <= m_shape.heads;
    std::int64_t layer = map.layer;
    std::int64_t head = map.head;
    const auto across = [&](int step) { (table && layersAcross ? layer : head) += step; };
    const auto down = [&](int step) {
        if (!table) {
            const std::int64_t next = head + std::int64_t{step} * layout.columns();
            head = next >= 0 && next < m_shape.heads ? next : head;
        } else {
            (layersAcross ? head : layer) += step;
        }
    };
    switch (event->key()) {
    case Qt::Key_Left:
        across(-1);
        break;
    case Qt::Key_Right:
        across(1);
        break;
    case Qt::Key_Up:
        down(-1);
        break;
    case Qt::Key_Down:
        down(1);
        break;
    case Qt::Key_Home:
        head = 0;
        break;
    case Qt::Key_End:
        head = m_shape.heads - 1;
        break;
    case Qt::Key_PageUp:
        --layer;
        break;
    case Qt::Key_PageDown:
        ++layer;
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        Q_EMIT opened(map);
        return;
    default:
        QWidget::keyPressEvent(event);
        return;
    }
    m_focusRing = true;
    select(layer, head);
    update();
}

void HeadGridView::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    m_focusRing = event->reason() != Qt::MouseFocusReason;
    update();
}

void HeadGridView::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

} // namespace heed::ui
