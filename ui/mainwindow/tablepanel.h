// The map as a table: exact numbers for everybody, screen readers first.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/workspace.h"

#include <QTableView>

namespace heed::ui {

class CellTableModel;

/// The current cell of the table and the pinned cell follow each other.
class TablePanel : public QTableView {
    Q_OBJECT
public:
    explicit TablePanel(const Workspace& workspace, QWidget* parent = nullptr);

protected:
    void changeEvent(QEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

private:
    void showPin();
    void retranslate();

    Workspace m_workspace;
    CellTableModel* m_model;
    bool m_showing = false;
};

} // namespace heed::ui
