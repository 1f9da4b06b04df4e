// A message beside what caused it, with the ways out as buttons. Never in the way.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <functional>
#include <vector>

class QLabel;
class QHBoxLayout;

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
    void clear();
    [[nodiscard]] QString text() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void restyle();

    QLabel* m_label;
    QWidget* m_buttonRow;
    QHBoxLayout* m_buttonLayout;
    bool m_restyling = false;
};

} // namespace heed::ui
