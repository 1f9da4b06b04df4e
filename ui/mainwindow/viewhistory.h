// Back and forward through what was looked at; apart from undo.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/selection.h"
#include "models/viewsettings.h"

#include <QObject>
#include <QRectF>
#include <QTimer>
#include <functional>
#include <optional>
#include <vector>

namespace heed::ui {

/// One place: which map, shown how, which cells.
struct ViewPlace {
    MapIndex map;
    ViewSettings settings;
    std::optional<QRectF> cells; ///< nothing = the whole map
    bool operator==(const ViewPlace&) const = default;
};

/// Changes that follow each other within a moment (zooming, browsing heads) are one step.
class ViewHistory : public QObject {
    Q_OBJECT
public:
    using Read = std::function<ViewPlace()>;
    using Go = std::function<void(const ViewPlace&)>;
    /// @param settleMs quiet time after which a place counts as visited.
    ViewHistory(Read read, Go go, int settleMs = 500, QObject* parent = nullptr);

    /// Something about the view changed.
    void touch();
    void back();
    void forward();
    void clear();
    [[nodiscard]] bool isEmpty() const { return m_places.empty(); }
    [[nodiscard]] bool canGoBack() const
    {
        return m_at > 0 || (m_timer.isActive() && !m_places.empty());
    }
    [[nodiscard]] bool canGoForward() const { return m_at + 1 < m_places.size(); }

Q_SIGNALS:
    void changed();

private:
    void settle();
    void go(std::size_t place);

    Read m_read;
    Go m_go;
    QTimer m_timer;
    std::vector<ViewPlace> m_places;
    std::size_t m_at = 0;
    bool m_going = false;
};

} // namespace heed::ui
