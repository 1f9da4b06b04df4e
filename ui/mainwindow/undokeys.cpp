// The filter.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/undokeys.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMainWindow>

namespace heed::ui {

UndoKeys::UndoKeys(QMainWindow* window)
    : QObject(window)
    , m_window(window)
{
    qApp->installEventFilter(this);
}

bool UndoKeys::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const auto* widget = qobject_cast<QWidget*>(watched);
        if (widget != nullptr && widget->window() == m_window &&
            (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo))) {
            event->ignore();
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

} // namespace heed::ui
