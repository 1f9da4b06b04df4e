// The line at the bottom: the value, where it is, how long it took, what computes, memory.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/workspace.h"

#include <QStatusBar>
#include <QTimer>

class QLabel;
class QToolButton;

namespace heed::ui {

class ElidedLabel;
class Spinner;

class StatusStrip : public QStatusBar {
    Q_OBJECT
public:
    explicit StatusStrip(const Workspace& workspace, QWidget* parent = nullptr);

    void setPlace(const QString& cell, const QString& pooling);
    void setPaintMs(double milliseconds);

protected:
    void changeEvent(QEvent* event) override;

private:
    void showMap();
    void showTimings();
    void showBackend();
    void showBusy(int running, int queued);

    Workspace m_workspace;
    ElidedLabel* m_cell;
    QLabel* m_pooling;
    QLabel* m_map;
    Spinner* m_spinner;
    QToolButton* m_cancel;
    QLabel* m_timings;
    QLabel* m_backend;
    QLabel* m_memory;
    QTimer m_delay; ///< until the work is worth a sign
    double m_paintMs = 0;
};

/// Resident bytes of this process; 0 where the system does not say.
[[nodiscard]] std::int64_t residentBytes();

} // namespace heed::ui
