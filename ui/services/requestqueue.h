// Which of the requests for maps is worked on next.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "services/tilecache.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <vector>

namespace heed::ui {

/// Earlier is more urgent.
enum class Priority { Visible, Margin, Thumbnail, Preload, Export };

/// What is asked for of a map. Of the request of a Row its map and quantity count, and tileRow is
/// the query; of that of Metrics the map alone.
struct MapQuestion {
    enum class Kind { Tile, Row, Metrics };
    Kind kind;
    TileRequest request;
    bool operator==(const MapQuestion&) const = default;
};

struct MapQuestionHash {
    std::size_t operator()(const MapQuestion& question) const;
};

/// The book of what waits and what runs; it starts nothing itself. Each question is in it once.
/// What nobody looks at yet leaves a lane free. Metrics wait while a tile on screen is worked on:
/// two passes through one long map at the same time take twice as long. A row is so little work
/// that it waits for nothing but another row, on a lane of its own; of those that wait only the
/// latest is remembered. Not thread-safe. O(waiting + running) an operation.
class RequestQueue {
public:
    struct Started {
        MapQuestion question;
        std::stop_token stop;
    };

    /// @param lanes beside that of the rows.
    void setLanes(int lanes, int backgroundLanes);
    /// Asks for it, or makes it more urgent where it is asked for already.
    void ask(const MapQuestion& question, Priority priority);
    /// The most urgent question that may start now, the oldest among equals; it is running then.
    [[nodiscard]] std::optional<Started> startNext();
    void finish(const MapQuestion& question) { m_running.erase(question); }
    [[nodiscard]] bool isRunning(const MapQuestion& question) const
    {
        return m_running.contains(question);
    }
    /// Nobody wants it any more: forgotten while it waits, told to stop when it runs.
    void drop(const MapQuestion& question);
    /// The same for everything, and nothing counts as running any more.
    void dropAll();
    [[nodiscard]] int running() const { return static_cast<int>(m_running.size()); }
    [[nodiscard]] int waiting() const { return static_cast<int>(m_waiting.size()); }

private:
    struct Waiting {
        MapQuestion question;
        Priority priority;
    };
    struct Running {
        std::stop_source stop;
        Priority priority;
    };
    [[nodiscard]] bool mayStart(const Waiting& waiting) const;

    int m_lanes = 1;
    int m_backgroundLanes = 1;
    std::vector<Waiting> m_waiting;
    std::unordered_map<MapQuestion, Running, MapQuestionHash> m_running;
};

} // namespace heed::ui
