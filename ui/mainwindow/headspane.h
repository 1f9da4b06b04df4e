// All heads: thumbnails above, metrics below.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/workspace.h"

#include <QWidget>

class QLabel;
class QScrollArea;
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
    void setRun(const RunPtr& run);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void retranslate();
    void fitGrid();
    void fitColumns();
    void showChosen();
    void choose(const QModelIndex& index);

    Workspace m_workspace;
    QLabel* m_title;
    QLabel* m_colourNote;
    QScrollArea* m_scroll;
    HeadGridView* m_grid;
    SectionHeading* m_metricsHeading;
    HeadMetricsModel* m_model;
    QSortFilterProxyModel* m_sorted;
    QTableView* m_table;
};

} // namespace heed::ui
