// The three sets of maps of an encoder with a decoder.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace heed {

/// Which attention of an encoder–decoder model is meant. All others have one, that of text to
/// itself, and it is called Encoder too.
enum class AttentionSet {
    Encoder, ///< source to source
    Decoder, ///< target to target
    Cross,   ///< target to source: queries of the decoder, keys of the encoder
};

inline constexpr std::array AllAttentionSets = {AttentionSet::Encoder, AttentionSet::Decoder,
                                                AttentionSet::Cross};

/// As --attention takes it: "encoder", "decoder", "cross".
[[nodiscard]] constexpr std::string_view attentionSetName(AttentionSet set)
{
    constexpr std::array<std::string_view, 3> names = {"encoder", "decoder", "cross"};
    return names.at(static_cast<std::size_t>(set));
}

[[nodiscard]] constexpr std::optional<AttentionSet> attentionSetNamed(std::string_view name)
{
    for (const AttentionSet set : AllAttentionSets) {
        if (attentionSetName(set) == name) {
            return set;
        }
    }
    return std::nullopt;
}

} // namespace heed
