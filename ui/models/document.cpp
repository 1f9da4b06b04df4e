// Edits as undo steps; every step computes at once.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/document.h"

#include "services/engineservice.h"

#include <QUndoCommand>
#include <utility>

namespace heed::ui {

/// Source before and after; a source is small (text and settings), so whole values are kept.
class SourceCommand : public QUndoCommand {
public:
    SourceCommand(Document* document, Source before, Source after, const QString& text, int mergeId)
        : QUndoCommand(text)
        , m_document(document)
        , m_before(std::move(before))
        , m_after(std::move(after))
        , m_mergeId(mergeId)
    {
    }
    void undo() override { m_document->apply(m_before); }
    void redo() override { m_document->apply(m_after); }
    int id() const override { return m_mergeId; }
    bool mergeWith(const QUndoCommand* other) override
    {
        const auto* next = static_cast<const SourceCommand*>(other);
        m_after = next->m_after;
        setObsolete(m_after == m_before);
        return true;
    }

private:
    Document* m_document;
    Source m_before;
    Source m_after;
    int m_mergeId;
};

Document::Document(EngineService* service, QObject* parent)
    : QObject(parent)
    , m_service(service)
{
    connect(&m_undo, &QUndoStack::cleanChanged, this, &Document::fileChanged);
    connect(service, &EngineService::runReady, this,
            [this](const RunPtr& run, double milliseconds) {
                m_run = run;
                m_stale = false;
                m_error.reset();
                m_computeMs = milliseconds;
                Q_EMIT runChanged();
                Q_EMIT stateChanged();
            });
    connect(service, &EngineService::runFailed, this, [this](const Error& error) {
        m_error = error;
        Q_EMIT stateChanged();
    });
}

void Document::edit(const Source& source, const QString& text, int mergeId)
{
    if (m_empty) {
        reset(source);
    } else if (!(source == m_source)) {
        m_undo.push(new SourceCommand(this, m_source, source, text, mergeId));
    }
}

void Document::reset(const Source& source, const QString& filePath)
{
    m_undo.clear();
    m_filePath = filePath;
    m_run = nullptr;
    m_empty = false;
    m_service->clear();
    Q_EMIT runChanged();
    apply(source);
    Q_EMIT fileChanged();
}

void Document::close()
{
    m_undo.clear();
    m_filePath.clear();
    m_source = {};
    m_run = nullptr;
    m_error.reset();
    m_stale = false;
    m_empty = true;
    m_service->clear();
    Q_EMIT sourceChanged();
    Q_EMIT runChanged();
    Q_EMIT stateChanged();
    Q_EMIT fileChanged();
}

void Document::setSaved(const QString& filePath)
{
    m_filePath = filePath;
    m_undo.setClean();
    Q_EMIT fileChanged();
}

void Document::apply(const Source& source)
{
    m_source = source;
    m_stale = true;
    m_error.reset();
    Q_EMIT sourceChanged();
    Q_EMIT stateChanged();
    m_service->compute(source);
}

} // namespace heed::ui
