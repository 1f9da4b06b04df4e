// Between the source and the actions that change it; works whichever panels are open.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/workspace.h"

#include <QObject>

namespace heed::ui {

/// Masks, pad side, scale, bias, seed.
class SourceController : public QObject {
    Q_OBJECT
public:
    SourceController(const Workspace& workspace, QObject* parent);

private:
    void showSource();

    Workspace m_workspace;
};

} // namespace heed::ui
