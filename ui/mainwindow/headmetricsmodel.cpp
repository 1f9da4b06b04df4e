// Rows on demand from the engine service.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/headmetricsmodel.h"

#include "views/viewtext.h"
#include "widgets/theme.h"

#include <QApplication>
#include <cmath>

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
            Q_EMIT dataChanged(index(0, 0),
                               index(rowCount() - 1, 0)); // which row is the chosen one
        }
    });
    connect(m_workspace.service, &EngineService::metricsReady, this, [this](const MapIndex& map) {
        const int row = rowOf(map);
        if (map.item == m_item && row >= 0 && row < rowCount()) {
            Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
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
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
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
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant HeadMetricsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const MapIndex map = mapAt(index.row());
    const bool chosen = map == m_workspace.selection->map();
    if (index.column() == Head) {
        switch (role) {
        case Qt::DisplayRole:
            return m_shape.layers > 1 ? QStringLiteral("L%1 H%2").arg(map.layer).arg(map.head)
                                      : QStringLiteral("H%1").arg(map.head);
        case SortRole:
            return index.row();
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
    if (role == Qt::TextAlignmentRole) {
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    }
    if (role == Qt::FontRole) {
        return numberFont(QApplication::font());
    }
    if (role != Qt::DisplayRole && role != SortRole) {
        return {};
    }
    const MetricsPtr metrics = m_workspace.service->metrics(map, Priority::Thumbnail);
    if (metrics == nullptr) {
        return role == SortRole ? QVariant(-1.0) : QVariant(QStringLiteral("…"));
    }
    const double value = [&] {
        switch (index.column()) {
        case Entropy:
            return metrics->relativeEntropy;
        case Previous:
            return metrics->previousToken;
        case Sink:
            return metrics->firstTokenSink;
        default:
            return metrics->self;
        }
    }();
    if (role == SortRole) {
        return std::isnan(value) ? -1.0 : value; // no row takes part in the mean
    }
    return metricNumber(value);
}

QVariant HeadMetricsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return section == Head ? QVariant(Qt::AlignLeft | Qt::AlignVCenter)
                               : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    }
    struct Words {
        QString brief;
        QString full;
    };
    const Words words = [section]() -> Words {
        switch (section) {
        case Head:
            return {tr("head"), tr("Head")};
        case Entropy:
            return {tr("entropy"),
                    tr("Mean entropy of the rows ÷ ln of the visible keys: 0 sharp, 1 even")};
        case Previous:
            return {tr("prev"), tr("Mean weight on the token before")};
        case Sink:
            return {tr("sink"), tr("Mean weight on the first token")};
        default:
            return {tr("self"), tr("Mean weight on the token itself")};
        }
    }();
    if (role == Qt::DisplayRole) {
        return words.brief;
    }
    return role == Qt::ToolTipRole ? QVariant(words.full) : QVariant();
}

void HeadMetricsModel::retranslate()
{
    Q_EMIT headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1);
}

} // namespace heed::ui
