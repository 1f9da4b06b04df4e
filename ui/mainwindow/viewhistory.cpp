// A list of places and where we stand in it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/viewhistory.h"

#include <algorithm>

namespace heed::ui {

namespace {
constexpr std::size_t MaxPlaces = 200;
}

ViewHistory::ViewHistory(Read read, Go go, int settleMs, QObject* parent)
    : QObject(parent)
    , m_read(std::move(read))
    , m_go(std::move(go))
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(settleMs);
    connect(&m_timer, &QTimer::timeout, this, &ViewHistory::settle);
}

void ViewHistory::touch()
{
    if (!m_going) {
        m_timer.start();
        Q_EMIT changed();
    }
}

void ViewHistory::settle()
{
    m_timer.stop();
    const ViewPlace place = m_read();
    if (m_places.empty() || place != m_places[m_at]) {
        m_places.resize(std::min(m_places.size(), m_at + 1)); // a new way forward
        m_places.push_back(place);
        if (m_places.size() > MaxPlaces) {
            m_places.erase(m_places.begin());
        }
        m_at = m_places.size() - 1;
    }
    Q_EMIT changed();
}

void ViewHistory::go(std::size_t place)
{
    m_at = place;
    m_going = true;
    m_go(m_places[place]);
    m_going = false;
    m_timer.stop();
    Q_EMIT changed();
}

void ViewHistory::back()
{
    if (m_timer.isActive()) {
        settle();
    }
    if (m_at > 0) {
        go(m_at - 1);
    }
}

void ViewHistory::forward()
{
    if (m_timer.isActive()) {
        settle();
    }
    if (canGoForward()) {
        go(m_at + 1);
    }
}

void ViewHistory::clear()
{
    m_timer.stop();
    m_places.clear();
    m_at = 0;
    Q_EMIT changed();
}

} // namespace heed::ui
