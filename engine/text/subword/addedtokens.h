// Tokens that are found in the text itself, before the model sees it.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "text/subword/normalizers.h"
#include "text/subword/piecemodel.h"
#include "text/subword/piecetrie.h"
#include "text/subword/presplit.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace heed::detail {

struct AddedToken {
    std::string content;
    std::uint32_t id = 0;
    bool singleWord = false; ///< only when no letter or digit is next to it
    bool stripLeft = false;  ///< swallows white space before it
    bool stripRight = false; ///< and after it
    bool normalized = true;  ///< compared after normalization, and in its own normalized form
    bool special = false;    ///< stands for no text
};

/// Immutable and re-entrant.
class AddedTokens {
public:
    AddedTokens() = default;
    AddedTokens(std::vector<AddedToken> tokens, const Normalizer* normalizer);

    /// Cuts added tokens out of @p line and normalizes the rest.
    [[nodiscard]] std::vector<Part> split(std::string_view line,
                                          const Normalizer* normalizer) const;

    /// The added token with this number; null when there is none.
    [[nodiscard]] const AddedToken* find(std::uint32_t id) const;
    [[nodiscard]] std::optional<std::uint32_t> find(std::string_view content) const;
    /// One more than the greatest number.
    [[nodiscard]] std::int64_t size() const;

private:
    /// Some of the tokens, with the texts that are looked for.
    struct Matcher {
        std::vector<std::string> texts;
        std::vector<std::size_t> tokens; ///< of each text, its place in m_tokens
        PieceTrie trie;
    };
    void build(Matcher& matcher);
    void cut(AlignedText text, const Matcher& matcher, std::vector<Part>& parts) const;

    std::vector<AddedToken> m_tokens;
    std::unordered_map<std::uint32_t, std::size_t> m_byId;
    Matcher m_raw;
    Matcher m_normalized;
};

/// The `added_tokens` of a tokenizer.json.
/// @throws Refusal: an incomplete token, or one whose number is another in the model's vocabulary.
[[nodiscard]] std::vector<AddedToken> readAddedTokens(const Settings& settings,
                                                      const Vocabulary& vocabulary);

} // namespace heed::detail
