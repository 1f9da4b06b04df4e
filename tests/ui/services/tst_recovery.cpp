// What a crash leaves is offered; what is skipped is not offered again; user files are never
// touched. SPDX-License-Identifier: GPL-3.0-or-later
#include "services/recovery.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace heed;
using namespace heed::ui;

namespace {

Session sessionOf(const std::string& text)
{
    Session session;
    session.source.lines = {text};
    return session;
}

/// The files a program that was killed leaves: a copy, its origin and a lock of a dead process.
void leaveBehind(const QString& folder, const QString& id, const std::string& text,
                 const QString& origin)
{
    QDir().mkpath(folder);
    QVERIFY(writeSession((folder + "/" + id + ".heed").toStdString(), sessionOf(text)));
    QFile originFile(folder + "/" + id + ".origin");
    QVERIFY(originFile.open(QIODevice::WriteOnly));
    originFile.write(origin.toUtf8());
}

} // namespace

class RecoveryTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anOrderlyEndLeavesNothing();
    void aCopyCanBeHadAtOnce();
    void aRunningProgramsCopyIsNotOffered();
    void aCrashLeavesACopyThatIsOffered();
    void skipIsRemembered();
    void aBrokenCopyIsLeftOut();
    void anUnwritableFolderIsReported();
};

void RecoveryTest::anOrderlyEndLeavesNothing()
{
    QTemporaryDir folder;
    {
        Recovery recovery(folder.path(), 0);
        recovery.scheduleCopy([] { return sessionOf("a"); }, "");
        QTRY_VERIFY(!QDir(folder.path()).entryList({"*.heed"}).isEmpty());
    }
    QVERIFY(QDir(folder.path()).entryList({"*.heed", "*.origin", "*.lock"}, QDir::Files).isEmpty());
}

void RecoveryTest::aCopyCanBeHadAtOnce()
{
    QTemporaryDir folder;
    Recovery recovery(folder.path(), 1'000'000);
    QVERIFY(!recovery.writeNow()); // nothing to copy yet
    recovery.scheduleCopy([] { return sessionOf("a"); }, "");
    QVERIFY(recovery.writeNow());
    QCOMPARE(QDir(folder.path()).entryList({"*.heed"}).size(), 1);
}

void RecoveryTest::aRunningProgramsCopyIsNotOffered()
{
    QTemporaryDir folder;
    Recovery running(folder.path(), 0);
    running.scheduleCopy([] { return sessionOf("a"); }, "");
    QTRY_VERIFY(!QDir(folder.path()).entryList({"*.heed"}).isEmpty());
    Recovery other(folder.path());
    QVERIFY(other.leftovers().empty());
    QVERIFY(running.leftovers().empty());
}

void RecoveryTest::aCrashLeavesACopyThatIsOffered()
{
    QTemporaryDir folder;
    leaveBehind(folder.path(), "one", "lost work", "/home/ann/x.heed");
    Recovery recovery(folder.path());
    const auto copies = recovery.leftovers();
    QCOMPARE(copies.size(), std::size_t(1));
    QCOMPARE(copies[0].originalPath, "/home/ann/x.heed");
    const auto session = readSession(copies[0].copyPath.toStdString());
    QVERIFY(session);
    QCOMPARE(session->source.lines.front(), "lost work");
    recovery.remove(copies[0]);
    QVERIFY(recovery.leftovers().empty());
    QVERIFY(!QFile::exists(copies[0].copyPath));
}

void RecoveryTest::skipIsRemembered()
{
    QTemporaryDir folder;
    leaveBehind(folder.path(), "one", "a", "");
    {
        Recovery recovery(folder.path());
        recovery.skip(recovery.leftovers().at(0));
    }
    Recovery next(folder.path());
    QVERIFY(next.leftovers().empty());
    QVERIFY(QFile::exists(folder.filePath("one.heed")));
}

void RecoveryTest::aBrokenCopyIsLeftOut()
{
    QTemporaryDir folder;
    QFile file(folder.filePath("bad.heed"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{");
    file.close();
    QVERIFY(Recovery(folder.path()).leftovers().empty());
}

void RecoveryTest::anUnwritableFolderIsReported()
{
    QTemporaryDir folder;
    QFile file(folder.filePath("plain"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    Recovery recovery(folder.filePath("plain") + "/recovery", 0);
    QSignalSpy failures(&recovery, &Recovery::copyFailed);
    recovery.scheduleCopy([] { return sessionOf("a"); }, "");
    QTRY_COMPARE(failures.count(), 1);
}

QTEST_GUILESS_MAIN(RecoveryTest)
#include "tst_recovery.moc"
