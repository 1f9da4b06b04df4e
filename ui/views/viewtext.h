// The words views use for maps, ranges and cells, in the user's language.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/selection.h"
#include "models/viewsettings.h"

#include "heed/run.h"

#include <QString>
#include <optional>
#include <string>

namespace heed::ui {

/// What is known about one cell.
struct CellReading {
    float value = 0;
    bool masked = false;
    MaskReasons reasons = 0;
};

/// "weights", "scores", "scaled scores", "masked scores".
[[nodiscard]] QString quantityText(Quantity quantity);
/// "weight", "score", …: one cell of it.
[[nodiscard]] QString cellNoun(Quantity quantity);
/// "Head 3", with the layer and the batch item where there are several.
[[nodiscard]] QString mapTitle(const MapIndex& map, const MapsShape& shape);
/// The same, and whose attention it is where the model has several kinds.
[[nodiscard]] QString mapTitle(const MapIndex& map, const Run& run);
/// "Encoder self-attention", "Decoder self-attention", "Cross-attention".
[[nodiscard]] QString attentionSetText(AttentionSet set);
/// Whether a run is of a model with three kinds of attention.
[[nodiscard]] bool hasAttentionSets(const Run& run);
/// "weights, query ↓ attends to key →".
[[nodiscard]] QString mapSubtitle(Quantity quantity, AttentionSet set);
/// "query ↓ key →": what is left of the subtitle where there is little room.
[[nodiscard]] QString mapDirections(AttentionSet set);
/// "draft, 1 of 128 query rows; 43 % exact". @param texelRows of the whole picture.
[[nodiscard]] QString draftText(const PictureDraft& draft, std::int64_t texelRows);
/// "exact · 15 × 15", "4×4 max · 1024 × 1024".
[[nodiscard]] QString resolutionText(int level, Pooling pooling, const MapsShape& shape);
/// "weight (linear, 0–1 locked)".
[[nodiscard]] QString rangeText(Quantity quantity, RangeMode mode);
/// "masked: causal". One reason.
[[nodiscard]] QString maskedText(MaskReasons reasons);
/// "padding", "padding + causal".
[[nodiscard]] QString reasonsText(MaskReasons reasons);
/// Four decimals, or four digits and an exponent where those would say little; "not a number".
[[nodiscard]] QString exactNumber(double value);
/// A mean over rows, two decimals; "–" where no row takes part (NaN).
[[nodiscard]] QString metricNumber(double mean);
/// "row 12 'sat' → key 3 'the': 0.0312"; "…: masked: padding (key 6 is <pad>)".
[[nodiscard]] QString cellText(const CellRef& cell, const QString& query, const QString& key,
                               const std::optional<CellReading>& reading, Quantity quantity);

/// Backend::description(), its number of threads in the language of the window.
[[nodiscard]] QString backendText(const std::string& description);

} // namespace heed::ui
