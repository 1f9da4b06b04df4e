// Keeps what arrives until all of it is there.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/allheadmetrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace heed::ui {

AllHeadMetrics::AllHeadMetrics(EngineService* service, QObject* parent)
    : QObject(parent)
    , m_service(service)
{
    connect(m_service, &EngineService::metricsReady, this, &AllHeadMetrics::take);
}

void AllHeadMetrics::setTarget(const RunPtr& run, std::int64_t item)
{
    if (run == m_run && item == m_item) {
        return;
    }
    m_run = run;
    m_item = item;
    m_missing = 0;
    if (m_run == nullptr || m_run != m_service->current()) {
        m_run = nullptr;
        m_metrics.clear();
        return;
    }
    const MapsShape shape = m_run->maps()->shape();
    const auto count = static_cast<std::size_t>(shape.layers * shape.heads);
    if (m_metrics.size() != count) {
        m_metrics.assign(count, nullptr);
    }
    m_isMissing.assign(count, false);
    for (std::size_t head = 0; head < count; ++head) {
        const auto number = static_cast<std::int64_t>(head);
        const MapIndex map{number / shape.heads, item, number % shape.heads};
        if (MetricsPtr metrics = m_service->metrics(map, Priority::Thumbnail)) {
            m_metrics[head] = std::move(metrics);
        } else {
            m_isMissing[head] = true;
            ++m_missing;
        }
    }
    if (m_missing == 0) {
        Q_EMIT completed();
    }
}

void AllHeadMetrics::take(const MapIndex& map)
{
    if (m_run == nullptr || m_run != m_service->current() || map.item != m_item) {
        return;
    }
    const auto head = static_cast<std::size_t>(map.layer * m_run->maps()->shape().heads + map.head);
    MetricsPtr metrics = m_service->metrics(map, Priority::Thumbnail);
    if (!m_isMissing[head] || metrics == nullptr) {
        return;
    }
    m_metrics[head] = std::move(metrics);
    m_isMissing[head] = false;
    --m_missing;
    Q_EMIT arrived();
    if (m_missing == 0) {
        Q_EMIT completed();
    }
}

double AllHeadMetrics::value(std::size_t head, const Metric& metric) const
{
    return head < m_metrics.size() && m_metrics[head] != nullptr
               ? m_metrics[head].get()->*metric.value
               : std::numeric_limits<double>::quiet_NaN();
}

double AllHeadMetrics::scale(const Metric& metric) const
{
    double largest = metric.isShare ? 1 : 0;
    for (std::size_t head = 0; head < m_metrics.size() && !metric.isShare; ++head) {
        const double one = value(head, metric);
        largest = std::isfinite(one) ? std::max(largest, one) : largest;
    }
    return largest;
}

std::optional<ValueRange> AllHeadMetrics::range(const Metric& metric) const
{
    std::optional<ValueRange> range;
    for (std::size_t head = 0; head < m_metrics.size(); ++head) {
        if (const double one = value(head, metric); std::isfinite(one)) {
            range = range ? ValueRange{std::min(range->low, one), std::max(range->high, one)}
                          : ValueRange{one, one};
        }
    }
    return range;
}

std::vector<std::size_t> AllHeadMetrics::ranking(const Metric& metric) const
{
    std::vector<std::size_t> heads(m_metrics.size());
    std::iota(heads.begin(), heads.end(), std::size_t{0});
    std::ranges::stable_sort(heads, [&](std::size_t a, std::size_t b) {
        const double x = value(a, metric);
        const double y = value(b, metric);
        return std::isnan(y) ? !std::isnan(x) : x > y;
    });
    return heads;
}

} // namespace heed::ui
