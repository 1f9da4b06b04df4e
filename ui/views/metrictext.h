// The head metrics in the user's language.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/metrics.h"

#include <QString>
#include <vector>

namespace heed::ui {

struct MetricText {
    QString brief;   ///< heads a column: "prev"
    QString name;    ///< in a menu: "previous token"
    QString meaning; ///< one sentence
};
[[nodiscard]] MetricText metricText(const Metric& metric);

/// All metrics, those first that tell heads apart best.
[[nodiscard]] const std::vector<const Metric*>& shownMetrics();

} // namespace heed::ui
