// What this attention costs: memory and work of the present run, and how time grows.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/workspace.h"

#include "heed/cost.h"

#include <QScrollArea>
#include <QTimer>
#include <vector>

class QBoxLayout;
class QPushButton;

namespace heed::ui {

class CostPlot;
class KeyValueTable;
class MutedLabel;

class CostPanel : public QScrollArea {
    Q_OBJECT
public:
    explicit CostPanel(const Workspace& workspace, QWidget* parent = nullptr);
    ~CostPanel() override;

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void build();
    void retranslate();
    void showRun();
    void showFacts();
    void showMeasuring();
    void measureOrStop();
    void onSpeed(const Speed& speed);
    void arrange();

    Workspace m_workspace;
    QBoxLayout* m_halves;
    KeyValueTable* m_facts;
    QPushButton* m_measure;
    MutedLabel* m_state;
    CostPlot* m_plot;
    QTimer m_delay; ///< tiles arrive by the dozen
    RunPtr m_run;
    CostShape m_shape;
    MaskCost m_mask;
    std::vector<Speed> m_speeds;
    bool m_stopped = false;
};

} // namespace heed::ui
