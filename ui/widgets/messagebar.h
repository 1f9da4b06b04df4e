// A message beside what caused it, with the ways out as buttons. Never in the way.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <functional>
#include <vector>

class QLabel;
class QGridLayout;

namespace heed::ui {

struct MessageButton {
    QString text;
    std::function<void()> action;
};

class MessageBar : public QFrame {
    Q_OBJECT
public:
    explicit MessageBar(QWidget* parent = nullptr);

    /// Replaces the message and its buttons; an empty text hides the bar.
    void show(const QString& text, std::vector<MessageButton> buttons = {});
    /// For narrow places: buttons beyond @p count begin another row. No limit at first.
    void setMostInARow(int count) { m_mostInARow = count; }
    void clear();
    [[nodiscard]] QString text() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void restyle();

    QLabel* m_label;
    QWidget* m_buttonRow;
    QGridLayout* m_buttonLayout;
    int m_mostInARow = 0; ///< 0 = no limit
    bool m_restyling = false;
};

} // namespace heed::ui
