// The list of head metrics that tables, files and menus share.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/metrics.h"

#include <algorithm>
#include <array>

namespace heed {

namespace {

constexpr std::array<Metric, 14> Metrics = {{
    {"entropy", "entropy", "entropy of the row, nats", &HeadMetrics::entropy, false},
    {"relative_entropy", "relative", "entropy as a share of the largest possible",
     &HeadMetrics::relativeEntropy},
    {"distance", "distance", "distance to the keys, tokens", &HeadMetrics::distance, false},
    {"previous_token", "previous", "weight on the token before", &HeadMetrics::previousToken},
    {"next_token", "next", "weight on the token after", &HeadMetrics::nextToken},
    {"self", "self", "weight on the token itself", &HeadMetrics::self},
    {"first_token_sink", "sink", "weight on the first token", &HeadMetrics::firstTokenSink},
    {"duplicate_token", "duplicate", "weight on earlier copies of the token",
     &HeadMetrics::duplicateToken},
    {"induction", "induction", "weight on what followed earlier copies of the token",
     &HeadMetrics::induction},
    {"delimiter", "delimiter", "weight on separators and punctuation", &HeadMetrics::delimiter},
    {"confidence", "confidence", "strongest weight, special symbols left out",
     &HeadMetrics::confidence},
    {"top1", "top1", "weight on the strongest key", &HeadMetrics::top1},
    {"top5", "top5", "weight on the 5 strongest keys", &HeadMetrics::top5},
    {"top10", "top10", "weight on the 10 strongest keys", &HeadMetrics::top10},
}};

} // namespace

std::span<const Metric> metricList()
{
    return Metrics;
}

const Metric* findMetric(std::string_view name)
{
    const auto found = std::ranges::find_if(Metrics, [name](const Metric& metric) {
        return metric.name == name || metric.heading == name;
    });
    return found == Metrics.end() ? nullptr : &*found;
}

} // namespace heed
