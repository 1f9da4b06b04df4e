// What heads and layers have in common: shared keys and values, shared weights, windows.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/run.h"

#include <QStringList>
#include <vector>

namespace heed::ui {

/// A value; read off the run's keys and the settings of its model.
class HeadGridMarks {
public:
    HeadGridMarks() = default;
    explicit HeadGridMarks(const Run& run);

    /// How many heads in a row share keys and values; 1 = each has its own.
    [[nodiscard]] std::int64_t headsOfGroup() const { return m_headsOfGroup; }
    /// Whether some layers share weights.
    [[nodiscard]] bool hasLayerGroups() const { return !m_weights.empty(); }
    [[nodiscard]] bool shareKeys(std::int64_t head, std::int64_t other) const;
    [[nodiscard]] bool shareWeights(std::int64_t layer, std::int64_t other) const;
    /// Whether some layers see a window.
    [[nodiscard]] bool hasWindows() const;
    /// What a layer sees of the keys, as in ModelConfig; 0 = all.
    [[nodiscard]] std::int64_t windowOf(std::int64_t layer) const;

    /// What all this is for one map, a phrase each; none where it has nothing of it.
    [[nodiscard]] QStringList phrases(const MapIndex& map) const;

    bool operator==(const HeadGridMarks&) const = default;

private:
    std::int64_t m_heads = 0;
    std::int64_t m_headsOfGroup = 1;
    std::vector<std::int64_t> m_weights; ///< by layer, ModelConfig::weightsOf(); empty = its own
    std::vector<std::int64_t> m_windows; ///< by layer; empty = none
    bool m_causal = false;
};

} // namespace heed::ui
