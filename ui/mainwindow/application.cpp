// Set-up of the program with a window.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/application.h"

#include "mainwindow/filecontroller.h"
#include "mainwindow/language.h"
#include "mainwindow/mainwindow.h"
#include "services/engine.h"
#include "services/engineservice.h"
#include "services/recovery.h"
#include "services/settings.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QIcon>
#include <QSocketNotifier>
#include <QTimer>
#ifdef Q_OS_UNIX
#include <array>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>
#endif

namespace heed::ui {

namespace {

QIcon programIcon()
{
    QIcon icon = QIcon::fromTheme(QStringLiteral(HEED_APP_ID));
    if (icon.isNull()) {
        for (const int side : {16, 32, 48, 128}) {
            icon.addFile(QStringLiteral(":/icons/heedmap-%1.png").arg(side));
        }
    }
    return icon;
}

#ifdef Q_OS_UNIX

std::array<int, 2> endPipe{-1, -1};

void askToEnd(int)
{
    // All that a signal handler may do is to wake the event loop.
    const char byte = 0;
    [[maybe_unused]] const auto written = write(endPipe[1], &byte, 1);
}

/// Log-out, a closed terminal and Ctrl+C end the program in order.
void endOnSignals(MainWindow* window)
{
    if (pipe(endPipe.data()) != 0) {
        return; // the signals then end the program as they always do
    }
    for (const int end : endPipe) {
        fcntl(end, F_SETFD, FD_CLOEXEC);
        fcntl(end, F_SETFL, O_NONBLOCK);
    }
    auto* notifier = new QSocketNotifier(endPipe[0], QSocketNotifier::Read, window);
    QObject::connect(notifier, &QSocketNotifier::activated, window, [window, notifier] {
        notifier->setEnabled(false);
        window->closeDown();
        QCoreApplication::exit(0); // also out of a dialog, and without its questions
    });
    struct sigaction action {};
    action.sa_handler = askToEnd;
    action.sa_flags = SA_RESTART;
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
        sigaction(number, &action, nullptr);
    }
}

#else

void endOnSignals(MainWindow*) {}

#endif

} // namespace

int runWindow(int& argc, char** argv, const WindowOptions& options)
{
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("heedmap"));
    QApplication::setApplicationDisplayName(QStringLiteral("Heedmap"));
    QApplication::setApplicationVersion(QStringLiteral(HEED_VERSION));
    QApplication::setDesktopFileName(QStringLiteral(HEED_APP_ID));
    QApplication::setWindowIcon(programIcon());

    Settings settings(options.configDir);
    auto* theme = new Theme(application);
    theme->setMode(parseThemeMode(options.theme.isEmpty() ? settings.theme() : options.theme));
    Language language;
    language.setCode(options.language.isEmpty() ? settings.language() : options.language);

    // The engine loads its backends on the worker thread that needs them first.
    EngineService engine(makeEngine(options.backend));
    Recovery recovery(settings.recoveryFolder());
    MainWindow window({&engine, &settings, &recovery, theme, &language});
    if (options.memoryBudget > 0) {
        engine.setMemoryBudget(options.memoryBudget);
    }
    window.setFirstMap(options.firstMap);
    window.show();
    endOnSignals(&window);

    // Whatever reads files waits until the window is there.
    QTimer::singleShot(0, &window, [&] {
        FileController* files = window.files();
        if (options.source) {
            files->openSource(*options.source);
        } else if (!options.files.isEmpty()) {
            files->openFirst(options.files);
        } else if (options.example) {
            files->openExample();
        }
        files->offerRecovery();
    });
    return QApplication::exec();
}

} // namespace heed::ui
