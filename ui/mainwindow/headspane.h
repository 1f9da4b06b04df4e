// All heads: thumbnails above, metrics below.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/workspace.h"

#include <QWidget>

class QLabel;
class QSortFilterProxyModel;
class QTableView;

namespace heed::ui {

class HeadGridView;
class HeadMetricsModel;
class SectionHeading;

class HeadsPane : public QWidget {
    Q_OBJECT
public:
    explicit HeadsPane(const Workspace& workspace, QWidget* parent = nullptr);
    [[nodiscard]] HeadGridView* grid() const { return m_grid; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslate();
    void showChosen();
    void choose(const QModelIndex& index);

    Workspace m_workspace;
    QLabel* m_title;
    QLabel* m_colourNote;
    HeadGridView* m_grid;
    SectionHeading* m_metricsHeading;
    HeadMetricsModel* m_model;
    QSortFilterProxyModel* m_sorted;
    QTableView* m_table;
};

} // namespace heed::ui
