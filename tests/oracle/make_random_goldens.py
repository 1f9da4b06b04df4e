#!/usr/bin/env python3
# Writes tests/golden/tokenizers/random.npz: sums of the tokens of 100,000 random texts with the
# tokenizers of that folder.
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: make_random_goldens.py [KIND…] | make_random_goldens.py --show KIND BLOCK

Needs requirements.txt and the files of the other scripts; for smiles and the kinds of make_slow_goldens.py,
requirements-slow.txt, and these kinds as arguments. The file is updated. It holds what the texts are made of, as
<list>_bytes and <list>_lengths, and <kind>: see random_texts.sums(). --show prints the texts of a block and their tokens,
as a failing test does.
"""
import sys

import numpy as np
from tokenizers import Tokenizer

import tokenizer_texts
from make_tokenizer_goldens import OUT, stored
from random_texts import BLOCK, RandomTexts, rows, sums

JSON = ["gpt2", "bert_uncased", "bert_cased", "roberta", "llama3", "qwen2", "smollm", "llama2", "metaspace", "t5", "albert",
        "word_level", "fairseq", "inner_prefix", "xlmr_fast", "t5_pieces_fast"]
PIECES = ["sp_unigram", "sp_bytes", "sp_llama2", "sp_suffix"]
SPACES = [" ", " ", " ", "", "", "  ", "   ", "\n", "\t", "\r\n", "\n\n", "\u00a0", "\u3000", "\u2003"]
MARKS = list(".,;:!?'\"-_()[]{}<>/\\|@#$%^&*+=~`") + ["'s", "'ll", "'RE", "…", "—", "。", "▁", "Ġ", "…", "\u0301", "\u200b", "\ufeff"]
SPECIAL = ["<s>", "</s>", "<mask>", "[MASK]", "[CLS]", "[SEP]", "[UNK]", "<|endoftext|>", "<unk>", "<pad>", "<|user|>", "extra",
           "Berlin", "<0x41>", "##ing", "en_XX", "<extra_id_0>", "[C@H]", "Cl", "c1ccccc1", ">>", "<sep>", "你好"]


def made_of(known):
    words = sorted({word for line in tokenizer_texts.CORPUS for word in line.split()})
    return RandomTexts(words, MARKS, SPECIAL, SPACES, known)


def tokenizer_of(kind):
    if kind in JSON:
        return Tokenizer.from_file(str(OUT / f"{kind}.json"))
    if kind in PIECES:
        from make_piece_goldens import Pieces
        return Pieces((OUT / f"{kind}.model").read_bytes())
    if kind == "smiles":
        from make_smiles_goldens import Package
        return Package(OUT / "smiles" / "vocab.txt")
    import make_slow_goldens
    return getattr(make_slow_goldens, kind)()


def main():
    texts = made_of(tokenizer_texts.assigned())
    if sys.argv[1:2] == ["--show"]:
        tokenizer = tokenizer_of(sys.argv[2])
        for text in texts.block(int(sys.argv[3])):
            print(repr(text), " ".join(f"{i}[{b},{e})" for i, b, e in rows(text, tokenizer.encode(text))))
        return
    path = OUT / "random.npz"
    arrays = dict(np.load(path)) if path.exists() else {}
    for name in ("words", "marks", "special", "spaces"):
        arrays |= stored(getattr(texts, name), f"{name}_")
    arrays["block"] = np.array([BLOCK], np.int32)
    for kind in sys.argv[1:] or JSON + PIECES:
        arrays[kind] = sums(tokenizer_of(kind), texts)
        print(kind, flush=True)
        np.savez_compressed(path, **arrays)


if __name__ == "__main__":
    main()
