// All heads: thumbnails above, metrics below.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/workspace.h"

#include <QWidget>

class QLabel;
class QScrollArea;
class QTableView;

namespace heed::ui {

class HeadChoices;
class HeadGridView;
class HeadMetricsModel;
class HeadRows;
class SectionHeading;

class HeadsPane : public QWidget {
    Q_OBJECT
public:
    explicit HeadsPane(const Workspace& workspace, QWidget* parent = nullptr);
    [[nodiscard]] HeadGridView* grid() const { return m_grid; }
    /// Open the choice of a metric; go to the table of all of them.
    void chooseOrder();
    void chooseBar();
    void chooseColour();
    void focusMetrics();
    void setRun(const RunPtr& run);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildTable();
    void showColours();
    void sortWhenComplete();
    void copyRows();
    void showTableMenu(const QPoint& position);
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
    HeadChoices* m_choices;
    SectionHeading* m_metricsHeading;
    HeadMetricsModel* m_model;
    HeadRows* m_sorted;
    QTableView* m_table;
    bool m_sortsOnLeave = false;
};

} // namespace heed::ui
