// The view over the table of cells.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/tablepanel.h"

#include "mainwindow/celltablemodel.h"

#include <QEvent>
#include <QHeaderView>

namespace heed::ui {

TablePanel::TablePanel(const Workspace& workspace, QWidget* parent)
    : QTableView(parent)
    , m_workspace(workspace)
    , m_model(new CellTableModel(workspace, this))
{
    setModel(m_model);
    setFrameShape(QFrame::NoFrame);
    setShowGrid(false);
    setTabKeyNavigation(false);
    setWordWrap(false);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerItem);
    horizontalHeader()->setDefaultSectionSize(fontMetrics().horizontalAdvance(QLatin1Char('0')) *
                                              11);
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    connect(m_workspace.selection, &SelectionModel::pinChanged, this, &TablePanel::showPin);
    connect(m_model, &QAbstractItemModel::modelReset, this, &TablePanel::showPin);
    retranslate();
    showPin();
}

void TablePanel::showPin()
{
    const CellRef& cell = m_workspace.selection->pinned();
    const QModelIndex index =
        cell.isValid() ? m_model->index(static_cast<int>(cell.query), static_cast<int>(cell.key))
                       : QModelIndex();
    if (index != currentIndex()) {
        m_showing = true;
        setCurrentIndex(index);
        m_showing = false;
    }
}

void TablePanel::currentChanged(const QModelIndex& current, const QModelIndex& previous)
{
    QTableView::currentChanged(current, previous);
    if (!m_showing && current.isValid()) {
        m_workspace.selection->pin({current.row(), current.column()});
    }
}

void TablePanel::retranslate()
{
    setAccessibleName(tr("Attention map as a table"));
    m_model->retranslate();
}

void TablePanel::changeEvent(QEvent* event)
{
    QTableView::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
}

} // namespace heed::ui
