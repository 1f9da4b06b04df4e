// Copies of unsaved work in a private place, offered after a crash.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/session.h"

#include <QDateTime>
#include <QLockFile>
#include <QObject>
#include <QString>
#include <QTimer>
#include <functional>
#include <memory>
#include <vector>

namespace heed::ui {

/// Work of a program that ended without closing its document.
struct RecoveredCopy {
    QString copyPath;     ///< the recovery copy
    QString originalPath; ///< the user's file; "" when it was never saved
    QDateTime written;
    bool kept = false; ///< on purpose, by a program that had to end in a hurry
};

/// One copy a running program, guarded by a lock file that a crash leaves behind and the next start
/// finds free. The user's own file is never written.
class Recovery : public QObject {
    Q_OBJECT
public:
    /// @param folder is made when needed. @param delayMs quiet time between a change and its copy.
    explicit Recovery(const QString& folder, int delayMs = 3000, QObject* parent = nullptr);
    /// A program that ends in order leaves no copy.
    ~Recovery() override;

    /// Takes a copy soon. @param snapshot is called then, in this thread.
    void scheduleCopy(std::function<Session()> snapshot, const QString& originalPath);
    /// Takes the scheduled copy at once. @return whether it is on disk.
    bool writeNow();
    /// The work is saved or given up: the copy is removed.
    void discardCopy();
    /// The program has to end before the work is saved: a last copy is taken and left to the next
    /// start.
    void keepCopy(const Session& session, const QString& originalPath);

    /// Copies nobody holds and nobody skipped, newest first. Broken ones are left out.
    [[nodiscard]] std::vector<RecoveredCopy> leftovers() const;
    /// Recovered or not wanted: never offered again. A skipped copy stays on disk for 30 days.
    void skip(const RecoveredCopy& copy);
    void remove(const RecoveredCopy& copy);

Q_SIGNALS:
    void copyFailed(const QString& reason);

private:
    bool writeCopy();
    [[nodiscard]] bool write(const Session& session, const QString& originalPath);

    QString m_folder;
    QString m_copyPath;
    std::unique_ptr<QLockFile> m_lock;
    QTimer m_timer;
    std::function<Session()> m_snapshot;
    QString m_originalPath;
};

} // namespace heed::ui
