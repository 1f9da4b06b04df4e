// Recovery copies: <id>.heed, <id>.origin (the user's path), <id>.lock and marks side by side.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "services/recovery.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QUuid>
#include <algorithm>

namespace heed::ui {

namespace {

constexpr int SkippedKeepDays = 30;

QString sibling(const QString& copyPath, const char* suffix)
{
    return copyPath.chopped(qsizetype(strlen(".heed"))) + suffix;
}

void removeAll(const QString& copyPath)
{
    QFile::remove(copyPath);
    QFile::remove(sibling(copyPath, ".origin"));
    QFile::remove(sibling(copyPath, ".skipped"));
    QFile::remove(sibling(copyPath, ".kept"));
}

bool isHeldByAProgram(const QString& copyPath)
{
    QLockFile lock(sibling(copyPath, ".lock"));
    lock.setStaleLockTime(0); // only the death of its process makes a lock stale
    return !lock.tryLock(0);
}

} // namespace

Recovery::Recovery(const QString& folder, int delayMs, QObject* parent)
    : QObject(parent)
    , m_folder(folder)
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(delayMs);
    connect(&m_timer, &QTimer::timeout, this, &Recovery::writeCopy);
}

Recovery::~Recovery()
{
    discardCopy();
}

void Recovery::scheduleCopy(std::function<Session()> snapshot, const QString& originalPath)
{
    m_snapshot = std::move(snapshot);
    m_originalPath = originalPath;
    m_timer.start();
}

bool Recovery::writeNow()
{
    return m_snapshot && writeCopy();
}

void Recovery::discardCopy()
{
    m_timer.stop();
    if (!m_copyPath.isEmpty()) {
        removeAll(m_copyPath);
        m_copyPath.clear();
        m_lock.reset();
    }
}

void Recovery::keepCopy(const Session& session, const QString& originalPath)
{
    m_timer.stop();
    if (write(session, originalPath)) {
        QFile mark(sibling(m_copyPath, ".kept"));
        (void)mark.open(QIODevice::WriteOnly); // without it the copy is still offered
        m_copyPath.clear();
        m_lock.reset();
    }
}

bool Recovery::writeCopy()
{
    return write(m_snapshot(), m_originalPath);
}

bool Recovery::write(const Session& session, const QString& originalPath)
{
    if (m_copyPath.isEmpty()) {
        if (!QDir().mkpath(m_folder)) {
            Q_EMIT copyFailed(tr("The folder %1 cannot be made.").arg(m_folder));
            return false;
        }
        const QString id = QUuid::createUuid().toString(QUuid::WithoutBraces);
        m_copyPath = m_folder + "/" + id + ".heed";
        m_lock = std::make_unique<QLockFile>(sibling(m_copyPath, ".lock"));
        m_lock->setStaleLockTime(0);
        m_lock->tryLock(0);
    }
    QSaveFile origin(sibling(m_copyPath, ".origin"));
    const bool originKept = origin.open(QIODevice::WriteOnly) &&
                            origin.write(originalPath.toUtf8()) >= 0 && origin.commit();
    const auto written = writeSession(m_copyPath.toStdString(), session);
    if (!originKept || !written) {
        Q_EMIT copyFailed(written ? origin.errorString()
                                  : QString::fromStdString(describe(written.error())));
        return false;
    }
    return true;
}

std::vector<RecoveredCopy> Recovery::leftovers() const
{
    std::vector<RecoveredCopy> copies;
    const auto files = QDir(m_folder).entryInfoList({"*.heed"}, QDir::Files, QDir::Time);
    for (const QFileInfo& file : files) {
        const QString path = file.absoluteFilePath();
        if (path == m_copyPath || isHeldByAProgram(path)) {
            continue;
        }
        if (const QFileInfo skipped(sibling(path, ".skipped")); skipped.exists()) {
            if (skipped.lastModified().daysTo(QDateTime::currentDateTime()) > SkippedKeepDays) {
                removeAll(path);
            }
            continue;
        }
        if (!readSession(path.toStdString())) {
            continue;
        }
        QFile origin(sibling(path, ".origin"));
        const bool known = origin.open(QIODevice::ReadOnly);
        copies.push_back({path, known ? QString::fromUtf8(origin.readAll()) : QString(),
                          file.lastModified(), QFileInfo::exists(sibling(path, ".kept"))});
    }
    return copies;
}

void Recovery::skip(const RecoveredCopy& copy)
{
    QFile mark(sibling(copy.copyPath, ".skipped"));
    if (!mark.open(QIODevice::WriteOnly)) {
        Q_EMIT copyFailed(mark.errorString());
    }
}

void Recovery::remove(const RecoveredCopy& copy)
{
    removeAll(copy.copyPath);
}

} // namespace heed::ui
