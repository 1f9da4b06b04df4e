// Exclusive choices side by side, each one an action of the program.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QWidget>
#include <vector>

class QActionGroup;

namespace heed::ui {

/// One part of the control; follows its action (text, tool tip, checked, enabled).
class Segment : public QAbstractButton {
    Q_OBJECT
public:
    explicit Segment(QAction* action, QWidget* parent);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QAction* action() const { return m_action; }
    void setEnds(bool first, bool last);

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void follow();

    QAction* m_action;
    bool m_first = false;
    bool m_last = false;
};

/// Shows the checkable actions of an exclusive group. Tab reaches the chosen segment, the arrow
/// keys move the choice.
class SegmentedControl : public QWidget {
    Q_OBJECT
public:
    explicit SegmentedControl(QActionGroup* group, QWidget* parent = nullptr);
    [[nodiscard]] const std::vector<Segment*>& segments() const { return m_segments; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<Segment*> m_segments;
};

} // namespace heed::ui
