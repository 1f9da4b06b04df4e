// A message in place of a view: what, why, and the ways out.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

class QGridLayout;
class QLabel;

namespace heed::ui {

class ViewMessage : public QWidget {
    Q_OBJECT
public:
    explicit ViewMessage(QWidget* parent = nullptr);
    void setMessage(const QString& title, const QString& text, const QStringList& buttons);

Q_SIGNALS:
    void buttonClicked(int index);

private:
    QLabel* m_title;
    QLabel* m_text;
    QGridLayout* m_buttons;
};

} // namespace heed::ui
