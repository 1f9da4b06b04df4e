// The program with a window does what the command line said.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/application.h"
#include "services/settings.h"
#include "widgets/messagebar.h"

#include <QApplication>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <functional>

using namespace heed;
using namespace heed::ui;

namespace {

std::function<void(MainWindow*)> whenOpen;

/// Called by the application that runWindow() makes.
void watch()
{
    QTimer::singleShot(0, qApp, [] {
        for (QWidget* widget : QApplication::topLevelWidgets()) {
            if (auto* window = qobject_cast<MainWindow*>(widget)) {
                whenOpen(window);
            }
        }
        QCoreApplication::quit();
    });
}
Q_COREAPP_STARTUP_FUNCTION(watch)

} // namespace

class TestApplication : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theWindowKeepsToTheCommandLine();
};

void TestApplication::theWindowKeepsToTheCommandLine()
{
    constexpr std::int64_t budget = 50'000'000;
    QTemporaryDir folder;
    WindowOptions options;
    options.configDir = folder.path();
    options.backend = "reference";
    options.language = QStringLiteral("en");
    options.source = Source{};
    options.source->lines = {"I like eating apple"};
    options.memoryBudget = budget;
    options.firstMap = {0, 9, 3};
    bool looked = false;
    whenOpen = [&](MainWindow* window) {
        looked = true;
        const Workspace& workspace = window->workspace();
        QTRY_VERIFY(workspace.document->run() != nullptr);
        QCOMPARE(workspace.service->memoryBudget(), budget);
        QCOMPARE(workspace.selection->map(), (MapIndex{0, 0, 3}));
        QString said;
        for (const MessageBar* bar : window->findChildren<MessageBar*>()) {
            said += bar->text();
        }
        QCOMPARE(said, QStringLiteral("There is no item 9; the last one is 0."));
    };
    std::string name = "heedmap";
    char* argv[] = {name.data(), nullptr};
    int argc = 1;
    QCOMPARE(runWindow(argc, argv, options), 0);
    QVERIFY(looked);
    QCOMPARE(Settings(folder.path()).memoryBudget(), std::int64_t{0}); // for this run only
}

QTEST_APPLESS_MAIN(TestApplication)
#include "tst_application.moc"
