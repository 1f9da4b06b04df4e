// Files in the whole window: sessions, work that is recovered, drops.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "windowbench.h"

#include "mainwindow/filecontroller.h"
#include "views/heatmapview.h"
#include "widgets/messagebar.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QLabel>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QUrl>
#include <algorithm>
#ifdef Q_OS_LINUX
#include <csignal>
#endif

using namespace heed;
using namespace heed::ui;

class TestWindowFiles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void sessionsRoundTrip();
    void recoveredWorkIsOffered();
    void theFirstChangeIsCopied();
    void closingStopsWork();
    void dropsOpenFiles();
    void theSourcePanelShowsWhatFilesDecide();
    void endingInAHurryKeepsUnsavedWork();
    void signalsEndTheProgramInOrder();

private:
    Theme* m_theme = nullptr;
};

void TestWindowFiles::initTestCase()
{
    m_theme = new Theme(*qApp);
    m_theme->setMode(ThemeMode::Light);
}

void TestWindowFiles::sessionsRoundTrip()
{
    Bench bench(m_theme);
    bench.action(ActionId::Example)->trigger();
    QTRY_VERIFY(bench.settled());
    bench.action(ActionId::Padding)->trigger();
    bench.action(ActionId::QuantityScaled)->trigger();
    QTRY_VERIFY(bench.settled());
    bench.selection()->setMap({0, 0, 1});
    bench.selection()->pin({4, 2});
    const QString path = bench.folder.filePath(QStringLiteral("one.heed"));
    bench.document()->setSaved(path);
    QVERIFY(bench.window->files()->save());
    QVERIFY(!bench.window->isWindowModified());
    Source saved = bench.document()->source();
    saved.maskFolder =
        bench.folder.path().toStdString(); // file("…") is looked for beside the session

    bench.action(ActionId::StartPage)->trigger();
    QVERIFY(bench.document()->isEmpty());
    bench.window->files()->open(path);
    QTRY_VERIFY(bench.settled());
    QVERIFY(bench.document()->source() == saved);
    QCOMPARE(bench.selection()->pinned(), (CellRef{4, 2}));
    QCOMPARE(bench.selection()->map().head, std::int64_t{1});
    QCOMPARE(bench.window->workspace().view->settings().quantity, Quantity::Scaled);
    QCOMPARE(bench.window->files()->recentFiles().value(0), path);
    QVERIFY(bench.window->windowTitle().contains(QStringLiteral("one.heed")));
}

void TestWindowFiles::theSourcePanelShowsWhatFilesDecide()
{
    Bench bench(m_theme);
    const auto write = [&](const char* name, const Shape& shape, std::vector<const char*> arrays) {
        const Tensor tensor(shape);
        std::vector<ArrayToWrite> all;
        for (const char* array : arrays) {
            all.push_back({array, ElementType::Float32, shape, std::as_bytes(tensor.values())});
        }
        const std::filesystem::path path = bench.folder.filePath(name).toStdString();
        return writeArrays(path, all) ? path : std::filesystem::path();
    };
    const auto numbers = [&] {
        QStringList shown;
        for (const QSpinBox* spin : bench.window->findChildren<QSpinBox*>()) {
            if (spin->accessibleName() == QLatin1String("Model width d_model") ||
                spin->accessibleName() == QLatin1String("Heads")) {
                shown << spin->text() + (spin->isEnabled() ? "" : " fixed");
            }
        }
        return shown.join(", ");
    };
    Source source;
    source.input = write("x.npy", {6, 32}, {""});
    source.layer.heads = 4;
    bench.document()->reset(source);
    QTRY_VERIFY(bench.settled());
    QCOMPARE(numbers(), QStringLiteral("32 fixed, 4"));
    source.layer.heads = 8;
    bench.document()->edit(source, QStringLiteral("heads"));
    QTRY_VERIFY(bench.settled());
    QCOMPARE(numbers(), QStringLiteral("32 fixed, 8"));

    Source projected;
    projected.qkv = write("qkv.npz", {1, 4, 3, 5}, {"q", "k", "v"});
    bench.document()->reset(projected);
    QTRY_VERIFY(bench.settled());
    QCOMPARE(numbers(), QStringLiteral("20 fixed, 4 fixed"));

    Source finished;
    finished.maps = write("maps.npy", {3, 4, 4}, {""});
    bench.document()->reset(finished);
    QTRY_VERIFY(bench.settled());
    QCOMPARE(numbers(), QStringLiteral("– fixed, 3 fixed"));
    bench.document()->undoStack()->clear();
}

void TestWindowFiles::recoveredWorkIsOffered()
{
    Bench bench(m_theme);
    {
        // Another program that ended without a word: its copy stays, its lock is free.
        Session session;
        session.source.lines = {"lost and found"};
        Recovery other(bench.folder.filePath(QStringLiteral("recovery")), 1);
        other.scheduleCopy([session] { return session; }, {});
        QTRY_VERIFY(!QDir(bench.folder.filePath(QStringLiteral("recovery")))
                         .entryList({QStringLiteral("*.heed")})
                         .isEmpty());
        const QDir folder(bench.folder.filePath(QStringLiteral("recovery")));
        const QString name = folder.entryList({QStringLiteral("*.heed")}).first();
        QVERIFY(QFile::copy(folder.filePath(name), bench.folder.filePath(QStringLiteral("kept"))));
    }
    QVERIFY(QFile::copy(bench.folder.filePath(QStringLiteral("kept")),
                        bench.folder.filePath(QStringLiteral("recovery/crashed.heed"))));
    if (bench.recovery.leftovers().empty()) {
        QFAIL("the copy of a program that ended is not found");
    }
    bench.window->files()->offerRecovery();
    QPushButton* recover = nullptr;
    for (QPushButton* button : bench.window->findChildren<QPushButton*>()) {
        if (button->isVisible() && button->text() == QLatin1String("Recover")) {
            recover = button;
        }
    }
    QVERIFY(recover != nullptr);
    QTest::mouseClick(recover, Qt::LeftButton);
    QCOMPARE(bench.document()->source().lines.front(), std::string("lost and found"));
    QVERIFY(bench.document()->isModified()); // it is still unsaved work
    bench.document()->undoStack()->setClean();
}

void TestWindowFiles::theFirstChangeIsCopied()
{
    Bench bench(m_theme);
    const QString path = bench.folder.filePath(QStringLiteral("one.heed"));
    Session session;
    session.source.lines = {"lost and found"};
    QVERIFY(writeSession(path.toStdString(), session));
    bench.window->files()->open(path);
    QTRY_VERIFY(bench.settled());
    const QDir copies(bench.folder.filePath(QStringLiteral("recovery")));
    QTest::qWait(100); // ten times the delay of this recovery
    QVERIFY(copies.entryList({QStringLiteral("*.heed")}).isEmpty());
    bench.action(ActionId::Causal)->trigger();
    QTRY_COMPARE(copies.entryList({QStringLiteral("*.heed")}).size(), 1);
}

void TestWindowFiles::closingStopsWork()
{
    // The parts of the window take their requests back while it is taken down; with sanitizers
    // this also shows that none of them is told after its end.
    for (const int tokens : {40, 400}) {
        Bench bench(m_theme);
        Source source;
        for (int i = 0; i < tokens; ++i) {
            source.lines.resize(1);
            source.lines.front() += "w" + std::to_string(i) + " ";
        }
        bench.window->files()->openSource(source);
        QTRY_VERIFY(bench.document()->run() != nullptr);
        QSignalSpy changes(&bench.engine, &EngineService::busyChanged);
        bench.window.reset();
        QVERIFY(changes.count() > 0);
    }
}

void TestWindowFiles::dropsOpenFiles()
{
    Bench bench(m_theme);
    const auto write = [&](const char* name, const QByteArray& text) {
        QFile file(bench.folder.filePath(QLatin1String(name)));
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size()
                   ? QUrl::fromLocalFile(file.fileName())
                   : QUrl();
    };
    const auto drop = [&](const QList<QUrl>& urls) {
        QMimeData data;
        data.setUrls(urls);
        QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton,
                              Qt::NoModifier);
        QCoreApplication::sendEvent(bench.window.get(), &enter);
        QDropEvent event(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(bench.window.get(), &event);
        return enter.isAccepted() && event.isAccepted();
    };
    const auto says = [&](const QString& part) {
        const auto bars = bench.window->findChildren<MessageBar*>();
        return std::any_of(bars.begin(), bars.end(), [&](const MessageBar* bar) {
            return !bar->isHidden() && bar->text().contains(part);
        });
    };
    const QUrl first = write("lines.txt", "One line\n\nand another one\n");
    const QUrl second = write("more.txt", "Three words here");
    QVERIFY(first.isValid() && second.isValid());
    QVERIFY(drop({first, second}));
    QTRY_VERIFY(bench.settled());
    QCOMPARE(bench.document()->source().lines,
             (std::vector<std::string>{"One line", "and another one"}));
    // A window shows one file; the other is a click away.
    QVERIFY(says(QStringLiteral("1 other")));
    const auto buttons = bench.window->findChildren<QPushButton*>();
    const auto open = std::find_if(buttons.begin(), buttons.end(), [](const QPushButton* button) {
        return button->text() == QLatin1String("Open more.txt");
    });
    QVERIFY(open != buttons.end());
    (*open)->click();
    QTRY_COMPARE(bench.document()->source().lines, (std::vector<std::string>{"Three words here"}));

    // What cannot be read is said, and what was open stays.
    drop({QUrl::fromLocalFile(bench.folder.filePath(QStringLiteral("missing.npz")))});
    QVERIFY(says(QStringLiteral("missing.npz")));
    QTRY_VERIFY(bench.settled());
    QCOMPARE(bench.document()->source().lines.size(), std::size_t{1});
    QVERIFY(!drop({QUrl(QStringLiteral("https://example.org/x.npz"))}));
    QVERIFY(says(QStringLiteral("not a file")));
}

void TestWindowFiles::endingInAHurryKeepsUnsavedWork()
{
    Bench bench(m_theme);
    bench.action(ActionId::Example)->trigger();
    QTRY_VERIFY(bench.settled());
    bench.window->closeDown();
    QVERIFY(bench.recovery.leftovers().empty()); // nothing was changed
    bench.action(ActionId::Padding)->trigger();
    bench.window->closeDown();
    const auto copies = bench.recovery.leftovers();
    QCOMPARE(copies.size(), std::size_t{1});
    QVERIFY(copies.front().kept);
    bench.document()->undoStack()->clear();
    bench.action(ActionId::StartPage)->trigger();
    bench.window->files()->offerRecovery();
    bool said = false;
    for (const MessageBar* bar : bench.window->findChildren<MessageBar*>()) {
        said = said || (bar->isVisible() && bar->text().contains(QStringLiteral("was kept")));
    }
    QVERIFY(said);
}

void TestWindowFiles::signalsEndTheProgramInOrder()
{
#ifndef Q_OS_LINUX
    QSKIP("asks the system of Linux whether the program is ready");
#else
    const auto catches = [](qint64 process, int number) {
        QFile status(QStringLiteral("/proc/%1/status").arg(process));
        if (!status.open(QIODevice::ReadOnly)) {
            return false;
        }
        const QByteArray text = status.readAll();
        const qsizetype at = text.indexOf("SigCgt:");
        return at >= 0 &&
               (text.mid(at + 7, 17).trimmed().toULongLong(nullptr, 16) >> (number - 1)) % 2 == 1;
    };
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
        QTemporaryDir config;
        QProcess program;
        program.start(QCoreApplication::applicationDirPath() + QStringLiteral("/heedmap"),
                      {QStringLiteral("--example"), QStringLiteral("--config-dir"), config.path()});
        QVERIFY(program.waitForStarted());
        QTRY_VERIFY(catches(program.processId(), SIGHUP)); // the last one set
        QCOMPARE(kill(static_cast<pid_t>(program.processId()), number), 0);
        QVERIFY(program.waitForFinished());
        QCOMPARE(program.exitStatus(), QProcess::NormalExit);
        QCOMPARE(program.exitCode(), 0);
        QVERIFY(QFile::exists(config.filePath(QStringLiteral("heedmap.ini")))); // the layout
        QVERIFY(!QFile::exists(config.filePath(QStringLiteral("recovery"))));
    }
#endif
}

QTEST_MAIN(TestWindowFiles)
#include "tst_windowfiles.moc"
