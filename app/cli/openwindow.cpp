// The one place where the command line starts the window.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "openwindow.h"

#include "console.h"
#include "mainwindow/application.h"

#include <QCoreApplication>
#include <cstdlib>

namespace heed::cli {

namespace {

QtMessageHandler ordinaryHandler = nullptr;

/// The toolkit ends the program from inside when it finds no display; at least the person shall
/// read one line that says what helps.
void handleMessage(QtMsgType type, const QMessageLogContext& context, const QString& message)
{
    if (!QCoreApplication::startingUp()) {
        ordinaryHandler(type, context, message);
    } else if (type == QtFatalMsg) {
        Console().error(
            "The window found no display to open on. Set DISPLAY or WAYLAND_DISPLAY, or "
            "use a command that needs none: render, compute, stats.");
        std::_Exit(static_cast<int>(ExitCode::Resources));
    }
}

} // namespace

int openWindow(char** argv, const WindowRequest& request)
{
    ui::WindowOptions options;
    for (const std::string& file : request.files) {
        options.files.append(QString::fromLocal8Bit(file.c_str()));
    }
    options.source = request.source;
    options.backend = request.backend;
    options.memoryBudget = request.memoryBudget;
    options.firstMap = {request.layer, request.item, request.head};
    if (request.threads > 0) {
        qputenv("HEED_THREADS", QByteArray::number(static_cast<qlonglong>(request.threads)));
    }
    options.language = QString::fromStdString(request.language);
    options.theme = QString::fromStdString(request.theme);
    options.configDir = QString::fromLocal8Bit(request.configDir.c_str());
    options.example = request.example;
    // The toolkit sees the name only: it would take some of this program's options for its own.
    int count = 1;
    ordinaryHandler = qInstallMessageHandler(handleMessage);
    return ui::runWindow(count, argv, options);
}

} // namespace heed::cli
