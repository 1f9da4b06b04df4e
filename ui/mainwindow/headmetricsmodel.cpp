// Rows on demand from the engine service.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/headmetricsmodel.h"

#include "views/metrictext.h"
#include "views/viewtext.h"
#include "widgets/theme.h"

#include <QApplication>
#include <cmath>
#include <limits>

namespace heed::ui {

HeadMetricsModel::HeadMetricsModel(const Workspace& workspace, QObject* parent)
    : QAbstractTableModel(parent)
    , m_workspace(workspace)
{
    rebuild();
    connect(m_workspace.document, &Document::runChanged, this, &HeadMetricsModel::rebuild);
    connect(m_workspace.selection, &SelectionModel::mapChanged, this, [this] {
        if (m_workspace.selection->map().item != m_item) {
            rebuild();
        } else if (rowCount() > 0) {
            Q_EMIT headerDataChanged(Qt::Vertical, 0, rowCount() - 1); // which is the chosen one
        }
    });
    connect(m_workspace.service, &EngineService::metricsReady, this, [this](const MapIndex& map) {
        const int row = rowOf(map);
        if (map.item == m_item && row >= 0 && row < rowCount()) {
            Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
            Q_EMIT arrived();
        }
    });
}

void HeadMetricsModel::rebuild()
{
    const RunPtr run = m_workspace.document->run();
    const MapsShape shape = run != nullptr ? run->maps()->shape() : MapsShape{};
    const std::int64_t item = m_workspace.selection->map().item;
    if (run != nullptr && m_known && shape.layers == m_shape.layers &&
        shape.heads == m_shape.heads) {
        m_shape = shape;
        m_item = item;
        if (rowCount() > 0) {
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        }
        return;
    }
    beginResetModel();
    m_shape = shape;
    m_item = item;
    m_known = run != nullptr;
    endResetModel();
}

MapIndex HeadMetricsModel::mapAt(int row) const
{
    return {row / std::max<std::int64_t>(1, m_shape.heads), m_item,
            row % std::max<std::int64_t>(1, m_shape.heads)};
}

int HeadMetricsModel::rowOf(const MapIndex& map) const
{
    return static_cast<int>(map.layer * m_shape.heads + map.head);
}

int HeadMetricsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shape.layers * m_shape.heads);
}

int HeadMetricsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(shownMetrics().size());
}

QVariant HeadMetricsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const Metric& metric = *shownMetrics()[static_cast<std::size_t>(index.column())];
    switch (role) {
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::FontRole:
        return numberFont(QApplication::font());
    case Qt::ToolTipRole:
        return QStringLiteral("%1 · %2").arg(headName(index.row()), metricText(metric).name);
    case Qt::DisplayRole:
    case SortRole:
        break;
    default:
        return {};
    }
    const MetricsPtr metrics =
        m_workspace.service->metrics(mapAt(index.row()), Priority::Thumbnail);
    if (metrics == nullptr) {
        return role == SortRole ? QVariant(std::numeric_limits<double>::quiet_NaN())
                                : QVariant(QStringLiteral("…"));
    }
    const double value = metrics.get()->*metric.value;
    return role == SortRole ? QVariant(value) : QVariant(metricNumber(value));
}

QString HeadMetricsModel::headName(int row) const
{
    const MapIndex map = mapAt(row);
    return m_shape.layers > 1 ? QStringLiteral("L%1 H%2").arg(map.layer).arg(map.head)
                              : QStringLiteral("H%1").arg(map.head);
}

QVariant HeadMetricsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Vertical) {
        const bool chosen = mapAt(section) == m_workspace.selection->map();
        switch (role) {
        case Qt::DisplayRole:
            return headName(section);
        case Qt::TextAlignmentRole:
            return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
        case Qt::FontRole: {
            QFont font = QApplication::font();
            font.setWeight(chosen ? QFont::DemiBold : QFont::Normal);
            return font;
        }
        case Qt::ForegroundRole:
            return chosen ? QVariant(QApplication::palette().color(QPalette::Highlight))
                          : QVariant();
        default:
            return {};
        }
    }
    if (section < 0 || section >= columnCount()) {
        return {};
    }
    const MetricText text = metricText(*shownMetrics()[static_cast<std::size_t>(section)]);
    switch (role) {
    case Qt::DisplayRole:
        return QString(text.brief).replace(QLatin1Char(' '), QLatin1Char('\n')); // narrow columns
    case Qt::ToolTipRole:
        return text.meaning;
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignRight | Qt::AlignBottom);
    case Qt::InitialSortOrderRole: // who sorts by a number looks for the heads that have most of it
        return Qt::DescendingOrder;
    default:
        return {};
    }
}

bool HeadMetricsModel::askForAll() const
{
    bool complete = true;
    for (int row = 0; row < rowCount(); ++row) {
        complete &= m_workspace.service->metrics(mapAt(row), Priority::Thumbnail) != nullptr;
    }
    return complete;
}

QString HeadMetricsModel::tabSeparated(const std::vector<int>& rows) const
{
    QStringList lines;
    QStringList line = {QStringLiteral("layer"), QStringLiteral("item"), QStringLiteral("head")};
    for (const Metric* metric : shownMetrics()) {
        line += QString::fromUtf8(metric->name.data(), static_cast<int>(metric->name.size()));
    }
    lines += line.join(u'\t');
    for (const int row : rows) {
        const MapIndex map = mapAt(row);
        line = {QString::number(map.layer), QString::number(map.item), QString::number(map.head)};
        for (int column = 0; column < columnCount(); ++column) {
            const double value = index(row, column).data(SortRole).toDouble();
            line += std::isnan(value) ? QString() : QString::number(value, 'g', 6);
        }
        lines += line.join(u'\t');
    }
    return lines.join(u'\n') + u'\n';
}

void HeadMetricsModel::retranslate()
{
    Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

} // namespace heed::ui
