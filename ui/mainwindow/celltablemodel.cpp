// Cells from level-0 tiles.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/celltablemodel.h"

#include "views/tileimage.h"
#include "views/viewtext.h"
#include "widgets/theme.h"

#include <QApplication>

namespace heed::ui {

CellTableModel::CellTableModel(const Workspace& workspace, QObject* parent)
    : QAbstractTableModel(parent)
    , m_workspace(workspace)
{
    rebuild();
    connect(m_workspace.document, &Document::runChanged, this, &CellTableModel::rebuild);
    const auto refresh = [this] {
        if (rowCount() > 0 && columnCount() > 0) {
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        }
    };
    connect(m_workspace.selection, &SelectionModel::mapChanged, this, [this, refresh] {
        refresh();
        Q_EMIT headerDataChanged(Qt::Vertical, 0, std::max(0, rowCount() - 1));
        Q_EMIT headerDataChanged(Qt::Horizontal, 0, std::max(0, columnCount() - 1));
    });
    connect(m_workspace.view, &ViewSettingsModel::changed, this, refresh);
    connect(
        m_workspace.service, &EngineService::tileReady, this, [this](const TileRequest& request) {
            if (rowCount() == 0 || columnCount() == 0 ||
                request != requestFor(static_cast<int>(request.tileRow * TileSide),
                                      static_cast<int>(request.tileColumn * TileSide))) {
                return;
            }
            const int top = static_cast<int>(request.tileRow * TileSide);
            const int left = static_cast<int>(request.tileColumn * TileSide);
            const int side = static_cast<int>(TileSide);
            Q_EMIT dataChanged(index(top, left), index(std::min(top + side, rowCount()) - 1,
                                                       std::min(left + side, columnCount()) - 1));
        });
}

void CellTableModel::rebuild()
{
    const RunPtr run = m_workspace.document->run();
    const MapsShape shape = run != nullptr ? run->maps()->shape() : MapsShape{};
    beginResetModel();
    m_shape = shape;
    endResetModel();
}

TileRequest CellTableModel::requestFor(int row, int column) const
{
    TileRequest request;
    request.map = m_workspace.selection->map();
    request.quantity = m_workspace.view->settings().quantity;
    request.pooling = defaultPooling(request.quantity);
    request.tileRow = row / TileSide;
    request.tileColumn = column / TileSide;
    return request;
}

int CellTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shape.queries);
}

int CellTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shape.keys);
}

QVariant CellTableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    }
    if (role == Qt::FontRole) {
        return numberFont(QApplication::font());
    }
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != Qt::AccessibleTextRole &&
        role != Qt::ForegroundRole) {
        return {};
    }
    const TilePtr tile =
        m_workspace.service->tile(requestFor(index.row(), index.column()), Priority::Visible);
    const auto at = tile == nullptr
                        ? std::size_t{0}
                        : static_cast<std::size_t>((index.row() % TileSide) * tile->texels.columns +
                                                   index.column() % TileSide);
    if (tile == nullptr || at >= tile->texels.values.size()) {
        return role == Qt::DisplayRole ? QVariant(QStringLiteral("…")) : QVariant();
    }
    const bool masked = at < tile->texels.maskedShare.size() && tile->texels.maskedShare[at] > 0;
    if (role == Qt::ForegroundRole) {
        return masked ? QVariant(QApplication::palette().color(QPalette::PlaceholderText))
                      : QVariant();
    }
    const QString number = exactNumber(double{tile->texels.values[at]});
    if (role == Qt::DisplayRole) {
        const bool hidden = masked && !valueSurvivesMask(m_workspace.view->settings().quantity);
        return hidden ? tr("masked") : number;
    }
    const RunPtr run = m_workspace.document->run();
    const std::int64_t item = m_workspace.selection->map().item;
    QString text = tr("%1 → %2: %3")
                       .arg(tokenText(run->queryTokens(), item, index.row()),
                            tokenText(run->keyTokens(), item, index.column()), number);
    if (masked && at < tile->reasons.size() && tile->reasons[at] != 0) {
        text += tr(", masked: %1").arg(reasonsText(tile->reasons[at]));
    }
    return text;
}

QVariant CellTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    const RunPtr run = m_workspace.document->run();
    if (role != Qt::DisplayRole || run == nullptr) {
        return {};
    }
    const Batch& batch = orientation == Qt::Vertical ? run->queryTokens() : run->keyTokens();
    return QStringLiteral("%1 %2").arg(section).arg(
        tokenText(batch, m_workspace.selection->map().item, section));
}

void CellTableModel::retranslate()
{
    rebuild();
}

} // namespace heed::ui
