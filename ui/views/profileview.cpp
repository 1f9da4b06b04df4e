// Painted profiles: no plot widget, a panel has many of them.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/profileview.h"

#include "views/tileimage.h"
#include "views/tilescene.h"
#include "views/viewcolours.h"
#include "views/viewtext.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace heed::ui {

namespace {

constexpr std::size_t MostNamed = 4; // keys named under the bars of a long row
constexpr std::size_t ShortRow = 16; // all of them, as far as names have room

QFont smallFontOf(const QFont& base)
{
    return scaledFont(base, 0.82);
}

} // namespace

ProfileView::ProfileView(EngineService* service, SelectionModel* selection,
                         ViewSettingsModel* settings, QWidget* parent)
    : QWidget(parent)
    , m_service(service)
    , m_selection(selection)
    , m_settings(settings)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Row profile"));
    connect(m_service, &EngineService::rowReady, this, &ProfileView::refresh);
    connect(m_selection, &SelectionModel::hoverChanged, this, &ProfileView::refresh);
    connect(m_selection, &SelectionModel::pinChanged, this, &ProfileView::refresh);
    connect(m_selection, &SelectionModel::mapChanged, this, &ProfileView::refresh);
    connect(m_settings, &ViewSettingsModel::changed, this, &ProfileView::refresh);
}

ProfileView::~ProfileView() = default;

void ProfileView::setRun(const RunPtr& run)
{
    if (run == m_run) {
        return;
    }
    m_run = run;
    refresh();
}

void ProfileView::refresh()
{
    const CellRef cell = m_selection->studied();
    if (!m_run || !m_run->maps() || !cell.isValid()) {
        m_row = nullptr;
        m_query = -1;
        setAccessibleDescription(tr("No row selected"));
    } else if (m_run == m_service->current() && cell.query < m_run->maps()->shape().queries) {
        const RowRequest wanted{m_selection->map(), m_settings->settings().quantity, cell.query};
        if (m_row == nullptr || m_runOfRow != m_run || m_request != wanted) {
            // Meanwhile the last row stays.
            if (const RowPtr row = m_service->row(wanted)) {
                take(wanted, row);
            }
        }
    }
    update();
}

void ProfileView::take(const RowRequest& request, const RowPtr& row)
{
    m_row = row;
    m_runOfRow = m_run;
    m_request = request;
    m_query = request.query;
    const MapTarget target{m_run, request.map, request.quantity};
    m_labels.setTokens(target.keyTokens());
    m_queryLabels.setTokens(target.queryTokens());
    setAccessibleDescription(tr("Row %1 '%2', %3 keys")
                                 .arg(QString::number(m_query), m_queryLabels.text(m_query),
                                      QString::number(row->cells.texels.columns)));
}

QRectF ProfileView::plotRect() const
{
    const QFontMetricsF metrics(smallFontOf(font()));
    return QRectF(rect()).adjusted(0, 6, 0, -(metrics.height() + 6));
}

qint64 ProfileView::keyAt(QPointF position) const
{
    const QRectF plot = plotRect();
    if (!hasRow() || position.x() < plot.left() || position.x() >= plot.right()) {
        return -1;
    }
    const auto keys = static_cast<double>(m_row->cells.texels.values.size());
    return std::min<qint64>(static_cast<qint64>((position.x() - plot.left()) / plot.width() * keys),
                            static_cast<qint64>(m_row->cells.texels.values.size()) - 1);
}

void ProfileView::paintBars(QPainter& painter, const QRectF& plot) const
{
    const ViewColours colours = viewColours(palette());
    const std::size_t keys = m_row->cells.texels.values.size();
    const bool values = valueSurvivesMask(m_request.quantity);
    double highest = 0;
    double lowest = 0;
    for (std::size_t k = 0; k < keys; ++k) {
        const auto v = static_cast<double>(m_row->cells.texels.values[k]);
        if ((values || m_row->cells.texels.maskedShare[k] == 0) && std::isfinite(v)) {
            highest = std::max(highest, v);
            lowest = std::min(lowest, v);
        }
    }
    const double span = highest - lowest > 0 ? highest - lowest : 1;
    const double base = plot.bottom() + lowest / span * plot.height();
    const double step = plot.width() / static_cast<double>(keys);
    const double gap = step >= 6 ? std::min(3.0, step * 0.2) : step >= 3 ? 1 : 0;
    std::vector<HatchArea> hatched;
    const qint64 selected = m_selection->studied().key;
    // Bars narrower than a pixel: each pixel column shows the largest of its keys.
    const auto columns = static_cast<std::size_t>(std::max(1.0, plot.width()));
    const bool narrow = keys > columns;
    const std::size_t bars = narrow ? columns : keys;
    for (std::size_t bar = 0; bar < bars; ++bar) {
        const std::size_t first = narrow ? bar * keys / columns : bar;
        const std::size_t last = narrow ? std::max(first + 1, (bar + 1) * keys / columns) : bar + 1;
        double value = 0;
        bool kept = false;
        bool isSelected = false;
        MaskReasons reasons = 0;
        for (std::size_t k = first; k < last; ++k) {
            const auto v = static_cast<double>(m_row->cells.texels.values[k]);
            isSelected = isSelected || static_cast<qint64>(k) == selected;
            const bool masked = m_row->cells.texels.maskedShare[k] > 0;
            if (masked) {
                reasons |= texelReasons(m_row->cells, k);
            }
            if ((!masked || values) && std::isfinite(v)) {
                kept = true;
                value = std::abs(v) > std::abs(value) ? v : value;
            }
        }
        const double left =
            plot.left() + plot.width() * static_cast<double>(bar) / static_cast<double>(bars);
        const double width = plot.width() / static_cast<double>(bars) - gap;
        if (reasons != 0 && (!kept || values)) {
            hatched.push_back(
                {QRectF(left, plot.top(), width + gap, plot.height()), reasons, false});
        }
        if (kept) {
            const double end = base - value / span * plot.height();
            QRectF box(left + gap / 2, std::min(base, end), width, std::abs(end - base));
            if (box.height() < 1) {
                box.setTop(base - 1); // a key that is allowed leaves at least a trace
                box.setHeight(1);
            }
            painter.fillRect(box, isSelected ? colours.accent : colours.graphic);
        } else if (isSelected) {
            painter.fillRect(QRectF(left, plot.bottom() - 2, width + gap, 2), colours.accent);
        }
    }
    paintHatch(painter, hatched,
               {.paper = Qt::transparent,
                .ink = mixed(colours.surface, colours.hatch, 0.8),
                .spacing = 4.2,
                .lineWidth = 0.9});
    painter.fillRect(QRectF(plot.left(), std::round(base), plot.width(), 1), colours.line);
}

void ProfileView::paintLabels(QPainter& painter, const QRectF& plot) const
{
    const ViewColours colours = viewColours(palette());
    const QFont small = smallFontOf(font());
    const QFontMetricsF metrics(small);
    painter.setFont(small);
    // The selected key first, then the strongest, as long as names do not overlap.
    std::vector<qint64> order;
    const qint64 selected = m_selection->studied().key;
    for (std::size_t k = 0; k < m_row->cells.texels.values.size(); ++k) {
        if (m_row->cells.texels.maskedShare[k] == 0 &&
            std::isfinite(m_row->cells.texels.values[k]) && static_cast<qint64>(k) != selected) {
            order.push_back(static_cast<qint64>(k));
        }
    }
    const auto strength = [&](qint64 k) {
        const double v =
            static_cast<double>(m_row->cells.texels.values[static_cast<std::size_t>(k)]);
        return m_request.quantity == Quantity::Weights ? v : std::abs(v);
    };
    const std::size_t most = m_row->cells.texels.values.size() <= ShortRow ? ShortRow : MostNamed;
    const auto named = std::min(std::ssize(order), static_cast<std::ptrdiff_t>(3 * most));
    std::partial_sort(order.begin(), order.begin() + named, order.end(),
                      [&](qint64 a, qint64 b) { return strength(a) > strength(b); });
    order.resize(static_cast<std::size_t>(named));
    if (selected >= 0 && selected < static_cast<qint64>(m_row->cells.texels.values.size())) {
        order.insert(order.begin(), selected);
    }
    const double step = plot.width() / static_cast<double>(m_row->cells.texels.values.size());
    const double baseline = plot.bottom() + 4 + metrics.ascent();
    std::vector<QRectF> taken;
    for (const qint64 key : order) {
        if (taken.size() >= most) {
            break;
        }
        const QString text =
            metrics.elidedText(m_labels.text(key), Qt::ElideMiddle, plot.width() / 3);
        const double width = metrics.horizontalAdvance(text);
        const double middle = plot.left() + (static_cast<double>(key) + 0.5) * step;
        const double left = std::clamp(middle - width / 2, plot.left(),
                                       std::max(plot.left(), plot.right() - width));
        const QRectF box(left - 4, plot.bottom(), width + 8, 10);
        if (std::any_of(taken.begin(), taken.end(),
                        [&](const QRectF& other) { return other.intersects(box); })) {
            continue;
        }
        taken.push_back(box);
        painter.setPen(key == selected ? colours.accent : colours.mute);
        painter.drawText(QPointF(left, baseline), text);
    }
}

void ProfileView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const ViewColours colours = viewColours(palette());
    const QRectF plot = plotRect();
    if (!hasRow()) {
        painter.setPen(colours.mute);
        painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap,
                         m_selection->studied().isValid()
                             ? tr("Computing…")
                             : tr("Point at a cell of the map to see its row."));
        return;
    }
    paintBars(painter, plot);
    paintLabels(painter, plot);
}

bool ProfileView::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const qint64 key = keyAt(help->pos());
        if (key >= 0) {
            const auto k = static_cast<std::size_t>(key);
            QToolTip::showText(help->globalPos(),
                               cellText({m_query, key}, m_queryLabels.text(m_query),
                                        m_labels.text(key),
                                        CellReading{m_row->cells.texels.values[k],
                                                    m_row->cells.texels.maskedShare[k] > 0,
                                                    texelReasons(m_row->cells, k)},
                                        m_request.quantity)
                                   .toHtmlEscaped(),
                               this);
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    return QWidget::event(event);
}

void ProfileView::mouseMoveEvent(QMouseEvent* event)
{
    const qint64 key = keyAt(event->position());
    if (key >= 0 && m_query >= 0) {
        m_selection->hover({m_query, key});
    }
}

void ProfileView::mousePressEvent(QMouseEvent* event)
{
    const qint64 key = keyAt(event->position());
    if (event->button() == Qt::LeftButton && key >= 0) {
        m_selection->pin({m_query, key});
    }
}

void ProfileView::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    m_selection->hover({});
}

void ProfileView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        setAccessibleName(tr("Row profile"));
    }
    update();
}

void ProfileView::keyPressEvent(QKeyEvent* event)
{
    CellRef cell = m_selection->current();
    if (cell.isValid() && (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right)) {
        cell.key += event->key() == Qt::Key_Left ? -1 : 1;
        if (cell.key >= 0 && cell.key < m_selection->shape().keys) {
            m_selection->hover(cell);
        }
    } else if (cell.isValid() &&
               (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)) {
        m_selection->pin(cell);
    } else {
        QWidget::keyPressEvent(event);
    }
}

SignedBars::SignedBars(QWidget* parent)
    : QWidget(parent)
{
    setMouseTracking(true);
    setAccessibleName(tr("Contribution of each dimension"));
}

void SignedBars::setValues(const std::vector<float>& values)
{
    m_values = values;
    double sum = 0;
    for (const float v : values) {
        sum += static_cast<double>(v);
    }
    setAccessibleDescription(
        values.empty()
            ? QString()
            : tr("%1 dimensions, sum %2").arg(QString::number(values.size()), exactNumber(sum)));
    update();
}

bool SignedBars::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip && !m_values.empty()) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const auto bars = static_cast<double>(m_values.size());
        const auto bar = std::clamp<std::int64_t>(
            static_cast<std::int64_t>(help->pos().x() / static_cast<double>(width()) * bars), 0,
            std::ssize(m_values) - 1);
        QToolTip::showText(help->globalPos(),
                           tr("dimension %1: %2")
                               .arg(QString::number(bar),
                                    exactNumber(double{m_values[static_cast<std::size_t>(bar)]})),
                           this);
        return true;
    }
    return QWidget::event(event);
}

void SignedBars::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const ViewColours colours = viewColours(palette());
    const QRectF plot = QRectF(rect()).adjusted(0, 2, 0, -2);
    const double base = std::round(plot.center().y());
    double largest = 0;
    for (const float v : m_values) {
        largest = std::isfinite(v) ? std::max(largest, std::abs(static_cast<double>(v))) : largest;
    }
    const auto columns = static_cast<std::size_t>(std::max(1.0, plot.width()));
    const std::size_t count = m_values.size();
    const std::size_t bars = std::min(count, columns);
    const double step = bars > 0 ? plot.width() / static_cast<double>(bars) : 0;
    const double gap = step >= 6 ? 3 : step >= 3 ? 1 : 0;
    for (std::size_t bar = 0; bar < bars; ++bar) {
        double value = 0; // of several dimensions in one pixel the largest is seen
        for (std::size_t k = bar * count / bars;
             k < std::max(bar * count / bars + 1, (bar + 1) * count / bars); ++k) {
            const auto v = static_cast<double>(m_values[k]);
            value = std::isfinite(v) && std::abs(v) > std::abs(value) ? v : value;
        }
        const double extent = largest > 0 ? std::abs(value) / largest * plot.height() / 2 : 0;
        const QRectF box(plot.left() + step * static_cast<double>(bar) + gap / 2,
                         value >= 0 ? base - extent : base, step - gap, extent);
        painter.fillRect(box, value >= 0 ? colours.accent : colours.warn);
    }
    painter.fillRect(QRectF(plot.left(), base, plot.width(), 1), colours.line);
}

} // namespace heed::ui
