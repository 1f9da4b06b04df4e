// The window of a benchmark, and when it was painted.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/language.h"
#include "mainwindow/mainwindow.h"
#include "services/recovery.h"
#include "services/settings.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <memory>

namespace heed::ui::bench {

/// Clocks the painting of top-level windows.
class ClockedApplication : public QApplication {
public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override;

    qint64 paintNs = 0;
    int paintings = 0;
    QElapsedTimer lastPainted; ///< since the end of the last painting
};

[[nodiscard]] ClockedApplication* application();

/// A window with services and settings of its own, on the best backend of the machine.
struct Screen {
    QTemporaryDir folder;
    Settings settings{folder.path()};
    Recovery recovery{folder.filePath(QStringLiteral("recovery"))};
    EngineService engine{makeEngine("auto")};
    Language language;
    Theme* theme = nullptr;
    std::unique_ptr<MainWindow> window;
    bool busy = false;

    Screen();
    ~Screen();
    [[nodiscard]] Document* document() const { return window->workspace().document; }
    void open(const Source& source);
    /// Until nothing is computed and nothing has been painted for a while. @return false when that
    /// does not happen.
    bool settle();
};

/// Resident memory of a process in MiB; 0 where the system does not tell.
[[nodiscard]] double residentMiB(qint64 pid);

} // namespace heed::ui::bench
