// The one place where the command line starts the window.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "openwindow.h"

#include "mainwindow/application.h"

namespace heed::cli {

int openWindow(char** argv, const WindowRequest& request)
{
    ui::WindowOptions options;
    for (const std::string& file : request.files) {
        options.files.append(QString::fromLocal8Bit(file.c_str()));
    }
    options.source = request.source;
    options.backend = request.backend;
    options.language = QString::fromStdString(request.language);
    options.theme = QString::fromStdString(request.theme);
    options.configDir = QString::fromLocal8Bit(request.configDir.c_str());
    options.example = request.example;
    // The toolkit sees the name only: it would take some of this program's options for its own.
    int count = 1;
    return ui::runWindow(count, argv, options);
}

} // namespace heed::cli
