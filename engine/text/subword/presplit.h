// The pre-tokenizers of a tokenizer.json: where text is cut before the model sees it.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "text/subword/alignedtext.h"
#include "text/subword/settings.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace heed::detail {

/// A part of the line; an added token, when @p token is its number.
struct Part {
    AlignedText text;
    std::optional<std::uint32_t> token;
};

/// Cuts parts into smaller ones. Immutable and re-entrant.
class PreTokenizer {
public:
    PreTokenizer() = default;
    PreTokenizer(const PreTokenizer&) = delete;
    PreTokenizer& operator=(const PreTokenizer&) = delete;
    virtual ~PreTokenizer() = default;
    /// Leaves added tokens as they are; no part is empty afterwards.
    /// @throws Refusal when a pattern takes too many steps.
    virtual void apply(std::vector<Part>& parts) const = 0;
};

using PreTokenizerPtr = std::unique_ptr<const PreTokenizer>;

/// @throws Refusal: an unknown or incomplete pre-tokenizer, with its name and place.
[[nodiscard]] PreTokenizerPtr readPreTokenizer(const Settings& settings);

/// White space goes, punctuation stands alone.
[[nodiscard]] PreTokenizerPtr bertPreTokenizer();
/// Cut by one expression after another, each match a part of its own; then bytes as characters.
[[nodiscard]] PreTokenizerPtr patternPreTokenizer(std::span<const std::string_view> expressions);
/// What an expression matches, and nothing else.
[[nodiscard]] PreTokenizerPtr matchesPreTokenizer(std::string_view expression);
/// GPT-2's pattern (@p useRegex), then bytes as characters.
[[nodiscard]] PreTokenizerPtr byteLevelPreTokenizer(bool addPrefixSpace, bool useRegex);

} // namespace heed::detail
