// Between the view settings and the actions that change them.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/workspace.h"

#include <QObject>

namespace heed::ui {

/// Quantity, colours, range, pooling, hatches, numbers; and which head and line is looked at.
class ViewController : public QObject {
    Q_OBJECT
public:
    ViewController(const Workspace& workspace, QWidget* window);

private:
    void connectSettings();
    void connectNavigation();
    void showSettings();
    void showRun();
    void step(std::int64_t heads, std::int64_t items);
    void chooseRangeByHand();

    Workspace m_workspace;
    QWidget* m_window;
};

} // namespace heed::ui
