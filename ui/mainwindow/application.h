// The program with a window: set-up, then the event loop.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/run.h"
#include "mainwindow/mainwindow.h"

#include <QString>
#include <QStringList>
#include <cstdint>
#include <optional>
#include <string>

namespace heed::ui {

struct WindowOptions {
    QStringList files;            ///< sessions, array files, text files
    std::optional<Source> source; ///< source options given on the command line; opens on it
    std::string backend = "auto";
    std::int64_t memoryBudget = 0; ///< bytes, for this run of the program; 0 = the setting
    FirstMap firstMap;
    QString language;     ///< "en", "zh_CN", "" = the system's
    QString theme;        ///< "light", "dark", "" = the setting, else the system's
    QString configDir;    ///< settings, recent files and recovery copies; "" = the standard place
    bool example = false; ///< open the worked example at once
};

/// Runs the window until it is closed. @return the exit code of the program.
int runWindow(int& argc, char** argv, const WindowOptions& options);

} // namespace heed::ui
