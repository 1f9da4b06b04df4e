// SMILES, the notation of molecules and reactions, cut as models of chemistry were trained with.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/subword/smiles.h"

#include "text/subword/pattern.h"

#include <algorithm>

namespace heed::detail {
namespace {

constexpr std::string_view Expression =
    R"(\[[^\]]+\]|Br?|Cl?|[NOSPFIbcnosp]|[().=#\-+\\/:~@?*$]|>>?|%[0-9]{2}|[0-9])";

} // namespace

PreTokenizerPtr smilesPreTokenizer()
{
    return matchesPreTokenizer(Expression);
}

bool isSmilesVocabulary(const Vocabulary& vocabulary)
{
    const Pattern pattern = Pattern::regex(std::string(Expression));
    return vocabulary.find("C") && vocabulary.find("c") &&
           std::ranges::all_of(vocabulary.byId(), [&](const auto& entry) {
               const std::string& piece = *entry.second;
               const auto found = pattern.matches(piece);
               return found.size() == 1 && found[0].begin == 0 && found[0].end == piece.size();
           });
}

} // namespace heed::detail
