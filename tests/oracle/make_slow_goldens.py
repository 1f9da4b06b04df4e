#!/usr/bin/env python3
# Writes into tests/golden/tokenizers: folders of models with SentencePiece files, and what the
# tokenizers of `transformers` that read such files make of the texts of texts.npz.
# SPDX-License-Identifier: GPL-3.0-or-later
"""Needs requirements-slow.txt, and the files of make_piece_goldens.py. Same versions, same numbers.

<kind>/ is the folder, <kind>_fast.json the same converted for the `tokenizers` package; <kind>.npz has the arrays of make_tokenizer_goldens.py; the same with `more_`
in front are of texts for this kind, which are in `more_bytes` and `more_lengths`. The ranges are
those of the `sentencepiece` package in the stretches between special tokens.
"""
import json
import re
import shutil

import numpy as np
import sentencepiece
from tokenizers import Tokenizer
from transformers import MarianTokenizer, MBart50Tokenizer, MBartTokenizer, T5Tokenizer, XLMRobertaTokenizer
from transformers.convert_slow_tokenizer import convert_slow_tokenizer

import tokenizer_texts
from make_piece_goldens import Encoding as PieceEncoding
from make_piece_goldens import slim, train, with_map
from make_tokenizer_goldens import OUT, RANDOM, arrays_of, encoded, stored

SENTENCE = "The animal didn't cross the street, 你好 🐸 Ж."
MORE = [
    SENTENCE, f"{SENTENCE} <mask>", "a <mask>  <mask>b", "<pad><s>x</s> <unk>", "en_XX hello de_DE ar_AR", "a<extra_id_0> b",
    "<extra_id_0>  <extra_id_99> the <extra_id_100>", ">>de<< The animal", ">>de<<The animal", ">>de<<",
    "aen_XXb sl_SI af_ZA zh_CN", "\u0436\u0436 Ж", "🐸🐸a🐸", "</s>", "x </s>",
]


class Encoding:
    pass


class Slow:
    """A tokenizer of `transformers` with the face of `tokenizers`."""

    def __init__(self, package, model, special, around, before=(), both=()):
        """@param around  how many tokens are in front of a text and behind it.
        @param before  special tokens that take the white space before them, and `both` that behind them too."""
        self.package, self.around = package, around
        self.pieces = sentencepiece.SentencePieceProcessor(model_file=str(model))
        parts = [r"\s*" + re.escape(t) for t in before] + [r"\s*" + re.escape(t) + r"\s*" for t in both]
        self.pattern = re.compile("|".join(parts + sorted(map(re.escape, special), key=len, reverse=True)))

    def stretches(self, text):
        """Begin, end, and whether it is a special token."""
        at = 0
        for match in self.pattern.finditer(text):
            if match.start() > at:
                yield at, match.start(), False
            yield match.start(), match.end(), True
            at = match.end()
        if at < len(text):
            yield at, len(text), False

    def encode(self, text, second=None, add_special_tokens=True):
        encoding = Encoding()
        ids = [self.package.convert_tokens_to_ids(self.package.tokenize(t)) for t in (text, second) if t is not None]
        encoding.ids = self.package.build_inputs_with_special_tokens(*ids) if add_special_tokens else ids[0]
        encoding.type_ids = [0] * len(encoding.ids)
        if second is None:
            offsets = []
            for begin, end, is_special in self.stretches(text):
                if is_special:
                    offsets.append((begin, end))
                else:
                    part = text[begin:end]
                    pieces = self.pieces.encode(part, return_type="proto").pieces
                    offsets += [(begin + b, begin + e) for b, e in PieceEncoding(part, pieces, self.pieces.is_byte).offsets]
            assert len(offsets) == len(ids[0]), text
            front, back = self.around if add_special_tokens else (0, 0)
            encoding.offsets = [(0, 0)] * front + offsets + [(0, 0)] * back
        return encoding


def folder_of(kind, config):
    folder = OUT / kind
    folder.mkdir(exist_ok=True)
    (folder / "tokenizer_config.json").write_text(json.dumps(config) + "\n")
    return folder


def fairseq(kind, tokenizer_class, around, **config):
    folder = folder_of(kind, {"tokenizer_class": tokenizer_class.__name__, **config})
    model = folder / "sentencepiece.bpe.model"
    shutil.copyfile(OUT / "sp_unigram.model", model)
    package = tokenizer_class(str(model), **config)
    special = ["<s>", "</s>", "<unk>", "<pad>"] + list(getattr(package, "lang_code_to_id", []))
    return Slow(package, model, special, around, before=["<mask>"])


def xlmr():
    return fairseq("xlmr", XLMRobertaTokenizer, (1, 1))


def mbart():
    return fairseq("mbart", MBartTokenizer, (0, 2), src_lang="ro_RO")


def mbart50():
    return fairseq("mbart50", MBart50Tokenizer, (1, 1))


def marian():
    """The pieces of both languages in another order, some of them missing."""
    folder = folder_of("marian", {"tokenizer_class": "MarianTokenizer"})
    shutil.copyfile(OUT / "sp_unigram.model", folder / "source.spm")
    target = slim(train(model_type="bpe", vocab_size=300, character_coverage=1, normalization_rule_name="identity"))
    (folder / "target.spm").write_bytes(target.SerializeToString())
    source = sentencepiece.SentencePieceProcessor(model_file=str(folder / "source.spm"))
    pieces = {source.id_to_piece(i) for i in range(3, source.get_piece_size())}
    pieces |= {piece.piece for piece in target.pieces if piece.type == piece.NORMAL} | {"Ж", "🐸🐸"}
    pieces = sorted(pieces, key=lambda piece: piece[::-1])
    pieces = [piece for number, piece in enumerate(pieces) if number % 9 != 4]
    vocabulary = {piece: i for i, piece in enumerate(["</s>", "<unk>", ">>de<<"] + pieces + ["<pad>"])}
    (folder / "vocab.json").write_text(json.dumps(vocabulary, ensure_ascii=False, indent=0) + "\n")
    package = MarianTokenizer(str(folder / "source.spm"), str(folder / "target.spm"), str(folder / "vocab.json"))
    return Slow(package, folder / "source.spm", ["</s>", "<unk>", "<pad>", ">>de<<"], (0, 1))


def t5_pieces():
    folder = folder_of("t5_pieces", {"tokenizer_class": "T5Tokenizer", "extra_ids": 100})
    model = folder / "spiece.model"
    trained = slim(with_map(train(vocab_size=500, normalization_rule_name="identity", pad_id=0, eos_id=1, unk_id=2,
                                  bos_id=-1)))
    model.write_bytes(trained.SerializeToString())
    package = T5Tokenizer(str(model), extra_ids=100, legacy=True)
    # As the T5 of `tokenizers`, which does not look at how a text ends.
    package._add_eos_if_not_present = lambda ids: ids + [package.eos_token_id]
    places = [f"<extra_id_{i}>" for i in range(100)]
    return Slow(package, model, ["</s>", "<unk>", "<pad>"], (0, 1), both=places)


def converted(slow):
    """The same as tokenizer.json, the way `transformers` writes them."""
    made = {}
    for kind in ("xlmr", "t5_pieces"):
        tokenizer = convert_slow_tokenizer(slow[kind].package)
        path = OUT / f"{kind}_fast.json"
        path.write_text(tokenizer.to_str(pretty=False) + "\n")
        made[f"{kind}_fast"] = Tokenizer.from_file(str(path))
    return made


def main():
    known = tokenizer_texts.assigned()
    texts = tokenizer_texts.texts(known, RANDOM)
    slow = {kind.__name__: kind() for kind in (xlmr, mbart, mbart50, marian, t5_pieces)}
    for name, tokenizer in (slow | converted(slow)).items():
        arrays = arrays_of(tokenizer, texts, known) | stored(MORE, "more_")
        arrays |= encoded([tokenizer.encode(text) for text in MORE], MORE, "more_")
        np.savez_compressed(OUT / f"{name}.npz", **arrays)
        print(name, int(arrays["counts"].sum()), "tokens")


if __name__ == "__main__":
    main()
