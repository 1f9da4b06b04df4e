// The checkpoints on this machine, found in the background.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "services/workpool.h"

#include "heed/modelfinder.h"

#include <QObject>
#include <vector>

namespace heed::ui {

/// Lives in the GUI thread.
class ModelList : public QObject {
    Q_OBJECT
public:
    explicit ModelList(QObject* parent = nullptr);
    ~ModelList() override; ///< waits for a search that still runs

    /// Looks again; changed() follows when something else was found. Calls while one search runs
    /// make no second.
    void refresh();
    [[nodiscard]] const std::vector<FoundModel>& models() const { return m_models; }

Q_SIGNALS:
    void changed();

private:
    WorkPool m_pool;
    std::vector<FoundModel> m_models;
    bool m_searching = false;
};

} // namespace heed::ui
