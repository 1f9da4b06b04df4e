// The whole window on the reference backend, for tests.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/actions.h"
#include "mainwindow/language.h"
#include "mainwindow/mainwindow.h"
#include "services/recovery.h"
#include "services/settings.h"

#include <QTemporaryDir>
#include <memory>

namespace heed::ui {

/// A window with services and settings of its own.
struct Bench {
    QTemporaryDir folder;
    Settings settings{folder.path()};
    Recovery recovery{folder.filePath(QStringLiteral("recovery")), 10};
    EngineService engine{makeEngine("reference")};
    Language language;
    std::unique_ptr<MainWindow> window;

    explicit Bench(Theme* theme)
    {
        language.setCode(QStringLiteral("en"));
        open(theme);
    }
    ~Bench()
    {
        window.reset();
        language.setCode(QStringLiteral("en"));
    }
    void open(Theme* theme)
    {
        window = std::make_unique<MainWindow>(
            WindowServices{&engine, &settings, &recovery, theme, &language});
        window->resize(1440, 900);
        window->show();
    }
    QAction* action(ActionId id) const { return (*window->workspace().actions)[id]; }
    Document* document() const { return window->workspace().document; }
    SelectionModel* selection() const { return window->workspace().selection; }
    bool settled() const { return document()->run() != nullptr && !document()->isStale(); }
};

} // namespace heed::ui
