// SMILES, the notation of molecules and reactions, cut as models of chemistry were trained with.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "text/subword/presplit.h"
#include "text/subword/vocabulary.h"

namespace heed::detail {

/// Atoms, bonds, brackets, ring numbers, dots and ">>" are parts of their own, after the expression
/// of Schwaller et al. (Molecular Transformer, 2019). What is none of them is left out, as the
/// `rxnmapper` package does.
[[nodiscard]] PreTokenizerPtr smilesPreTokenizer();

/// Whether the pieces are those of SMILES: each is one token of that expression (as "[CLS]" is,
/// which looks like an atom), and carbon is there in both its forms, "C" and "c".
/// @complexity O(pieces); ends at the first that is none, so a list of words is told at once.
[[nodiscard]] bool isSmilesVocabulary(const Vocabulary& vocabulary);

} // namespace heed::detail
