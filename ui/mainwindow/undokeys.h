// Undo and redo always mean the document's, also while a field has the focus.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QMainWindow;

namespace heed::ui {

/// Text fields claim Ctrl+Z for an undo of their own, which would get out of step with the
/// document. This filter lets the keys through to the window's actions.
class UndoKeys : public QObject {
    Q_OBJECT
public:
    explicit UndoKeys(QMainWindow* window);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QMainWindow* m_window;
};

} // namespace heed::ui
