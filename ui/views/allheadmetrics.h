// The metrics of every head of a batch item, as they come.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "services/engineservice.h"
#include "views/colourmap.h"

#include <QObject>
#include <optional>
#include <vector>

namespace heed::ui {

/// Asks for all heads at the priority of thumbnails. Heads are numbered layer after layer.
class AllHeadMetrics : public QObject {
    Q_OBJECT
public:
    explicit AllHeadMetrics(EngineService* service, QObject* parent = nullptr);
    /// Numbers of as many heads as before stay until theirs come, so that nothing flickers.
    /// @param run the service's current one; null = nothing is wanted.
    void setTarget(const RunPtr& run, std::int64_t item);
    [[nodiscard]] bool isComplete() const { return m_run != nullptr && m_missing == 0; }
    /// NaN until it is there.
    [[nodiscard]] double value(std::size_t head, const Metric& metric) const;
    /// What a full bar stands for: 1 for shares, else the largest there is.
    [[nodiscard]] double scale(const Metric& metric) const;
    /// From the smallest to the largest there is; nothing before the first number.
    [[nodiscard]] std::optional<ValueRange> range(const Metric& metric) const;
    /// The numbers of the heads, largest value first; ties, and undefined ones at the end, by
    /// number.
    [[nodiscard]] std::vector<std::size_t> ranking(const Metric& metric) const;

Q_SIGNALS:
    void arrived();
    void completed();

private:
    void take(const MapIndex& map);

    EngineService* m_service;
    RunPtr m_run;
    std::int64_t m_item = 0;
    std::vector<MetricsPtr> m_metrics;
    std::vector<bool> m_isMissing; ///< is of an earlier run, or null
    std::size_t m_missing = 0;
};

} // namespace heed::ui
