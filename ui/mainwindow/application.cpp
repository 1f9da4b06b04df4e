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
#include <QTimer>

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
    window.show();

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
