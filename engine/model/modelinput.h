// What a run is asked for: checks, and the masks of its layers.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/model.h"

#include <map>
#include <string>

namespace heed::detail {

/// @return Code::InvalidArgument saying which number of @p input does not fit the model.
[[nodiscard]] Expected<void> checkInput(const ModelConfig& config, const ModelInput& input);

/// What the decoder gets, as the input of a model of its own.
[[nodiscard]] ModelInput targetsOf(const ModelInput& input);
/// @return as checkInput(). @param target of targetsOf().
[[nodiscard]] Expected<void> checkTargets(const ModelConfig& config, const ModelInput& input,
                                          const ModelInput& target);

/// The tokens of @p keys as the keys of a mask of some queries.
[[nodiscard]] MaskContext contextOf(const ModelInput& keys, std::int64_t heads,
                                    std::int64_t queries);

/// The mask of a decoder's @p queries over the tokens of its encoder.
/// @param besideBytes what the run takes beside it.
[[nodiscard]] Expected<MaskPtr> crossMask(const ModelInput& input, std::int64_t heads,
                                          std::int64_t queries, const Execution& execution,
                                          std::int64_t besideBytes);

/// Layers that see the same share one mask.
class LayerMasks {
public:
    /// @param besideBytes what the run takes beside its masks.
    LayerMasks(const ModelConfig& config, const ModelInput& input, std::int64_t besideBytes)
        : m_config(config)
        , m_input(input)
        , m_context(
              contextOf(input, config.heads, static_cast<std::int64_t>(input.ids.front().size())))
        , m_bytes(besideBytes)
    {
    }

    [[nodiscard]] Expected<MaskPtr> of(std::int64_t layer, const Execution& execution);

private:
    const ModelConfig& m_config;
    const ModelInput& m_input;
    MaskContext m_context;
    std::int64_t m_bytes; ///< the masks made so far are part of it
    std::map<std::string, MaskPtr> m_masks;
};

} // namespace heed::detail
