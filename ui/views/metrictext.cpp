// One entry a metric, by its name.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/metrictext.h"

#include "heed/check.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>

namespace heed::ui {

namespace {

struct Entry {
    std::string_view metric;
    const char* brief;
    const char* name;
    const char* meaning;
};

// clang-format off
constexpr std::array<Entry, 14> Entries = {{
    {"relative_entropy", QT_TRANSLATE_NOOP("Metrics", "norm. entropy"), QT_TRANSLATE_NOOP("Metrics", "entropy ÷ ln visible"),
     QT_TRANSLATE_NOOP("Metrics", "Mean entropy of the rows ÷ ln of the visible keys: 0 sharp, 1 even")},
    {"previous_token", QT_TRANSLATE_NOOP("Metrics", "prev"), QT_TRANSLATE_NOOP("Metrics", "previous token"),
     QT_TRANSLATE_NOOP("Metrics", "Mean weight on the token before")},
    {"first_token_sink", QT_TRANSLATE_NOOP("Metrics", "sink"), QT_TRANSLATE_NOOP("Metrics", "first-token sink"),
     QT_TRANSLATE_NOOP("Metrics", "Mean weight on the first token")},
    {"self", QT_TRANSLATE_NOOP("Metrics", "self"), QT_TRANSLATE_NOOP("Metrics", "itself"),
     QT_TRANSLATE_NOOP("Metrics", "Mean weight on the token itself")},
    {"induction", QT_TRANSLATE_NOOP("Metrics", "induct"), QT_TRANSLATE_NOOP("Metrics", "induction"),
     QT_TRANSLATE_NOOP("Metrics", "Mean weight on what followed earlier copies of the token")},
    {"duplicate_token", QT_TRANSLATE_NOOP("Metrics", "dup"), QT_TRANSLATE_NOOP("Metrics", "duplicate token"),
     QT_TRANSLATE_NOOP("Metrics", "Mean weight on earlier copies of the token")},
    {"next_token", QT_TRANSLATE_NOOP("Metrics", "next"), QT_TRANSLATE_NOOP("Metrics", "next token"),
     QT_TRANSLATE_NOOP("Metrics", "Mean weight on the token after")},
    {"delimiter", QT_TRANSLATE_NOOP("Metrics", "delim"), QT_TRANSLATE_NOOP("Metrics", "delimiters"),
     QT_TRANSLATE_NOOP("Metrics", "Mean weight on separators and punctuation")},
    {"confidence", QT_TRANSLATE_NOOP("Metrics", "conf"), QT_TRANSLATE_NOOP("Metrics", "confidence"),
     QT_TRANSLATE_NOOP("Metrics", "Mean of the strongest weight of a row, special symbols left out")},
    {"distance", QT_TRANSLATE_NOOP("Metrics", "dist"), QT_TRANSLATE_NOOP("Metrics", "mean distance"),
     QT_TRANSLATE_NOOP("Metrics", "Mean distance to the keys, in tokens")},
    {"entropy", QT_TRANSLATE_NOOP("Metrics", "entropy"), QT_TRANSLATE_NOOP("Metrics", "entropy in nats"),
     QT_TRANSLATE_NOOP("Metrics", "Mean entropy of the rows, in nats")},
    {"top1", QT_TRANSLATE_NOOP("Metrics", "top 1"), QT_TRANSLATE_NOOP("Metrics", "strongest key"),
     QT_TRANSLATE_NOOP("Metrics", "Mean weight on the strongest key of a row")},
    {"top5", QT_TRANSLATE_NOOP("Metrics", "top 5"), QT_TRANSLATE_NOOP("Metrics", "5 strongest keys"),
     QT_TRANSLATE_NOOP("Metrics", "Mean weight on the 5 strongest keys of a row")},
    {"top10", QT_TRANSLATE_NOOP("Metrics", "top 10"), QT_TRANSLATE_NOOP("Metrics", "10 strongest keys"),
     QT_TRANSLATE_NOOP("Metrics", "Mean weight on the 10 strongest keys of a row")},
}};
// clang-format on

QString translated(const char* text)
{
    return QCoreApplication::translate("Metrics", text);
}

} // namespace

MetricText metricText(const Metric& metric)
{
    const auto found = std::ranges::find(Entries, metric.name, &Entry::metric);
    HEED_CHECK(found != Entries.end(), return {});
    return {translated(found->brief), translated(found->name), translated(found->meaning)};
}

const std::vector<const Metric*>& shownMetrics()
{
    static const std::vector<const Metric*> shown = [] {
        std::vector<const Metric*> metrics;
        metrics.reserve(Entries.size());
        for (const Entry& entry : Entries) {
            metrics.push_back(findMetric(entry.metric));
        }
        return metrics;
    }();
    return shown;
}

} // namespace heed::ui
