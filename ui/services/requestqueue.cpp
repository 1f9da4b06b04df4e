// The most urgent question first, with lanes for what is on screen.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "services/requestqueue.h"

#include <algorithm>

namespace heed::ui {

namespace {

using Kind = MapQuestion::Kind;

bool isBackground(Priority priority)
{
    return priority > Priority::Margin;
}

} // namespace

std::size_t MapQuestionHash::operator()(const MapQuestion& question) const
{
    return TileRequestHash{}(question.request) ^ static_cast<std::size_t>(question.kind);
}

void RequestQueue::setLanes(int lanes, int backgroundLanes)
{
    m_lanes = lanes;
    m_backgroundLanes = backgroundLanes;
}

void RequestQueue::ask(const MapQuestion& question, Priority priority)
{
    if (const auto known = m_running.find(question); known != m_running.end()) {
        known->second.priority = std::min(known->second.priority, priority);
        return;
    }
    if (question.kind == Kind::Row) {
        std::erase_if(m_waiting, [](const Waiting& w) { return w.question.kind == Kind::Row; });
    }
    const auto known = std::ranges::find(m_waiting, question, &Waiting::question);
    if (known != m_waiting.end()) {
        known->priority = std::min(known->priority, priority);
    } else {
        m_waiting.push_back({question, priority});
    }
}

bool RequestQueue::mayStart(const Waiting& waiting) const
{
    const auto rows = std::ranges::count_if(
        m_running, [](const auto& entry) { return entry.first.kind == Kind::Row; });
    if (waiting.question.kind == Kind::Row) {
        return rows == 0;
    }
    if (running() - rows >= m_lanes) {
        return false;
    }
    if (isBackground(waiting.priority) && std::ranges::count_if(m_running, [](const auto& entry) {
                                              return isBackground(entry.second.priority);
                                          }) >= m_backgroundLanes) {
        return false;
    }
    return waiting.question.kind == Kind::Tile ||
           std::ranges::none_of(m_running, [](const auto& entry) {
               return entry.first.kind == Kind::Tile && entry.second.priority == Priority::Visible;
           });
}

std::optional<RequestQueue::Started> RequestQueue::startNext()
{
    auto next = m_waiting.end();
    for (auto it = m_waiting.begin(); it != m_waiting.end(); ++it) {
        if ((next == m_waiting.end() || it->priority < next->priority) && mayStart(*it)) {
            next = it;
        }
    }
    if (next == m_waiting.end()) {
        return std::nullopt;
    }
    const Waiting chosen = *next;
    m_waiting.erase(next);
    const std::stop_source stop;
    m_running.emplace(chosen.question, Running{stop, chosen.priority});
    return Started{chosen.question, stop.get_token()};
}

void RequestQueue::drop(const MapQuestion& question)
{
    std::erase_if(m_waiting, [&](const Waiting& w) { return w.question == question; });
    if (const auto known = m_running.find(question); known != m_running.end()) {
        known->second.stop.request_stop();
    }
}

void RequestQueue::dropAll()
{
    m_waiting.clear();
    for (auto& [question, work] : m_running) {
        work.stop.request_stop();
    }
    m_running.clear();
}

} // namespace heed::ui
