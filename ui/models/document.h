// The open document: what the user asked for, what was computed from it, and the way back.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/run.h"

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <optional>

namespace heed::ui {

class EngineService;

/// Holds the Source and the latest Run. Every change goes through edit(), can be undone, and is
/// computed at once; the old run stays visible, marked stale, until the new one is there or
/// refused.
class Document : public QObject {
    Q_OBJECT
public:
    explicit Document(EngineService* service, QObject* parent = nullptr);

    [[nodiscard]] const Source& source() const { return m_source; }
    /// Replaces the source as one undo step called @p text. Steps with the same @p mergeId (>= 0)
    /// that follow each other become one (typing, dragging). Nothing happens when the source is
    /// equal.
    void edit(const Source& source, const QString& text, int mergeId = -1);
    /// Starts over: new source, empty undo stack, not modified.
    void reset(const Source& source, const QString& filePath = {});

    [[nodiscard]] bool isEmpty() const { return m_empty; } ///< nothing opened yet: the start page
    void close();
    /// The same source once more, after what it was refused for has changed.
    void computeAgain() { apply(Source(m_source)); }

    [[nodiscard]] RunPtr run() const { return m_run; } ///< null before the first result
    [[nodiscard]] bool isStale() const
    {
        return m_stale;
    } ///< run() does not belong to source() yet
    /// Why source() has no run; nothing while it is computed or when all is well.
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    /// Whether run(), if there is one, is of other settings than those that were refused.
    [[nodiscard]] bool isRefused() const { return m_error && m_error->code != Code::Cancelled; }
    [[nodiscard]] double computeMs() const { return m_computeMs; }

    [[nodiscard]] QUndoStack* undoStack() { return &m_undo; }
    [[nodiscard]] bool isModified() const { return !m_undo.isClean(); }
    [[nodiscard]] const QString& filePath() const { return m_filePath; }
    void setSaved(const QString& filePath);

Q_SIGNALS:
    void sourceChanged();
    void runChanged();
    void stateChanged(); ///< stale, error or empty changed
    void fileChanged();  ///< file path or modified

private:
    friend class SourceCommand;
    void apply(const Source& source);

    EngineService* m_service;
    Source m_source;
    QString m_filePath;
    RunPtr m_run;
    std::optional<Error> m_error;
    QUndoStack m_undo;
    double m_computeMs = 0;
    bool m_stale = false;
    bool m_empty = true;
};

} // namespace heed::ui
