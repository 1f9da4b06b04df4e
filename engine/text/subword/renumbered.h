// SentencePiece models whose pieces have other numbers in the model than in their own file.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "text/subword/pipeline.h"
#include "text/subword/sentencepiece.h"

#include <string>

namespace heed::detail {

/// XLM-R, mBART and mBART-50, which keep the order of fairseq: <s>, <pad>, </s>, <unk>, the pieces
/// of the file, language codes, <mask>.
enum class FairseqFamily { XlmRoberta, Mbart, Mbart50 };

/// The stages of such a tokenizer, with the tokens around a text: <s> A </s>, A </s> [language], or
/// [language] A </s>.
/// @param language  of the text: "en_XX"; of no use to XLM-R.
/// @throws Refusal for a language that the family does not know, with the known ones.
[[nodiscard]] PipelineParts fairseqPipeline(SentencePieces model, FairseqFamily family,
                                            const std::string& language, const std::string& file);

/// Marian: every piece has the number of its text in @p vocabulary, as has a part of the text that
/// the file has no piece for. A </s>.
/// Codes such as ">>fr<<" that the vocabulary has are tokens wherever they stand; the package of
/// Marian knows them in front of a text alone, and drops others.
/// @throws Refusal when the vocabulary lacks </s> or <unk>.
[[nodiscard]] PipelineParts marianPipeline(SentencePieces model, Vocabulary vocabulary,
                                           const std::string& file);

} // namespace heed::detail
