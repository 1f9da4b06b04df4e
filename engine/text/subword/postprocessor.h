// The post-processors of a tokenizer.json: what is put around the tokens of a text.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "text/subword/settings.h"

#include <cstdint>
#include <vector>

namespace heed::detail {

/// A place in a template: the tokens of a text, or tokens that stand for none.
struct TemplateItem {
    enum class Kind { First, Second, Special } kind = Kind::First;
    std::vector<std::uint32_t> ids; ///< of Special
    std::int32_t segment = 0;
};

struct PostProcessor {
    bool trimsOffsets = false;   ///< ranges begin after the space that a byte-level piece holds
    bool addPrefixSpace = false; ///< the first space may be none of the text
    std::vector<TemplateItem> single{{TemplateItem::Kind::First, {}, 0}};
    std::vector<TemplateItem> pair{{TemplateItem::Kind::First, {}, 0},
                                   {TemplateItem::Kind::Second, {}, 1}};
};

/// @throws Refusal: an unknown or incomplete post-processor, with its name and place.
[[nodiscard]] PostProcessor readPostProcessor(const Settings& settings);

/// BERT's: [CLS] A [SEP] B [SEP].
void surroundLikeBert(PostProcessor& processor, std::uint32_t begin, std::uint32_t end);
/// RoBERTa's: <s> A </s></s> B </s>.
void surroundLikeRoberta(PostProcessor& processor, std::uint32_t begin, std::uint32_t end);

} // namespace heed::detail
