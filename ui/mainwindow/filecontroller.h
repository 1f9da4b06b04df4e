// Opening, saving, recent files, drops, and work that survives a crash.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/session.h"
#include "mainwindow/workspace.h"
#include "services/modellist.h"
#include "services/sessionfile.h"
#include "widgets/messagebar.h"

#include <QObject>
#include <functional>
#include <vector>

class QMenu;
class QWidget;

namespace heed::ui {

class Recovery;
class Settings;

/// The source that a file of arrays stands for, by its names and shapes: q and k, a module's
/// weights, an input, or finished maps. @p current gives the text for weights.
[[nodiscard]] Expected<Source> sourceOfArrays(const std::filesystem::path& path,
                                              const Source& current);

/// The model that @p path belongs to: a folder, a GGUF file, or a file among a model's own, whose
/// folder is meant. Empty for anything else.
[[nodiscard]] std::filesystem::path modelOf(const QString& path);

class FileController : public QObject {
    Q_OBJECT
public:
    using Snapshot = std::function<Session()>;
    using Restore = std::function<void(const RestoredView&)>;
    FileController(const Workspace& workspace, Settings* settings, Recovery* recovery,
                   QWidget* window, Snapshot snapshot, Restore restore);

    void openDialog();
    void openModelDialog();
    /// A session, a model, a file of arrays, or text, by content and name. Asks about unsaved work
    /// first.
    void open(const QString& path);
    /// A window shows one file: opens the first and offers the others in the message.
    void openFirst(const QStringList& paths);
    void openExample();
    /// A sentence to start from, ready to be typed over.
    void openSentence();
    void openSource(const Source& source);
    void closeDocument();
    /// @return false when it was not saved.
    bool save();
    bool saveAs();
    /// Asks about unsaved changes. @return false when the user wants to stay.
    bool mayLeave();

    /// The models on this machine; an entry opens one.
    void fillModelMenu(QMenu* menu);
    [[nodiscard]] ModelList* models() { return &m_models; }
    void fillRecentMenu(QMenu* menu);
    [[nodiscard]] QStringList recentFiles() const;
    void clearRecentFiles();
    /// Offers work of a program that ended without closing, through message().
    void offerRecovery();

Q_SIGNALS:
    void recentChanged();
    void opened();
    /// Something to say above the map; an empty text takes it back.
    void message(const QString& text, const std::vector<heed::ui::MessageButton>& buttons);

private:
    void openSession(const Session& session, const QString& path);
    void openText(const QString& path);
    void openModel(const std::filesystem::path& chosen);
    void fail(const Error& error);
    bool writeTo(const QString& path);
    void remember(const QString& path);

    Workspace m_workspace;
    Settings* m_settings;
    Recovery* m_recovery;
    QWidget* m_window;
    Snapshot m_snapshot;
    Restore m_restore;
    ModelList m_models;
};

} // namespace heed::ui
