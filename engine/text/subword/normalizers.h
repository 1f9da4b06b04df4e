// The normalizers of a tokenizer.json: what is done to text before it is cut.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "text/subword/alignedtext.h"
#include "text/subword/pattern.h"
#include "text/subword/settings.h"

#include <memory>
#include <optional>

namespace heed::detail {

/// Changes text. Immutable and re-entrant.
class Normalizer {
public:
    Normalizer() = default;
    Normalizer(const Normalizer&) = delete;
    Normalizer& operator=(const Normalizer&) = delete;
    virtual ~Normalizer() = default;
    /// @throws Refusal when a pattern takes too many steps.
    virtual void apply(AlignedText& text) const = 0;
};

using NormalizerPtr = std::unique_ptr<const Normalizer>;

/// @throws Refusal: an unknown or incomplete normalizer, with its name and place.
[[nodiscard]] NormalizerPtr readNormalizer(const Settings& settings);

/// What BERT does; @p stripAccents, when absent, is @p lowerCase.
[[nodiscard]] NormalizerPtr bertNormalizer(bool cleanText, bool handleChinese,
                                           std::optional<bool> stripAccents, bool lowerCase);

/// NFC.
[[nodiscard]] NormalizerPtr composingNormalizer();

/// The character that stands for a byte in byte-level vocabularies: itself when it can be seen.
[[nodiscard]] char32_t characterOfByte(unsigned char byte);
/// The byte that @p c stands for.
[[nodiscard]] std::optional<unsigned char> byteOfCharacter(char32_t c);
/// Writes every byte as its character.
void toByteCharacters(AlignedText& text);

/// A `pattern` member: `{"String": …}` or `{"Regex": …}`.
[[nodiscard]] Pattern readPattern(const Settings& settings);

} // namespace heed::detail
