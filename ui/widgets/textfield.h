// A field of plain text of several lines.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMimeData>
#include <QPlainTextEdit>

namespace heed::ui {

/// Pasting takes what the clipboard has, if it has anything: Qt 6.4 looks at the first of its
/// formats and an empty clipboard of X11 has none. Fields of one line ask for text and are safe.
class TextField : public QPlainTextEdit {
    Q_OBJECT
public:
    using QPlainTextEdit::QPlainTextEdit;

protected:
    void insertFromMimeData(const QMimeData* source) override
    {
        if (source != nullptr && !source->formats().isEmpty()) {
            QPlainTextEdit::insertFromMimeData(source);
        }
    }
};

} // namespace heed::ui
