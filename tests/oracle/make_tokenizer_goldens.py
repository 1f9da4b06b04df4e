#!/usr/bin/env python3
# Writes tests/golden/tokenizers: small tokenizers of every kind, and what the `tokenizers` package
# makes of many texts with them.
# SPDX-License-Identifier: GPL-3.0-or-later
"""Needs requirements.txt and Perl (for the age of characters). Same versions, same numbers.

texts.npz: `bytes` (UTF-8, one text after the other), `lengths`, and `known`: first and last of the
runs of code points that the sweep goes over. <kind>.json is the tokenizer, <kind>.npz its results,
all int32: `counts` (tokens of each text), `ids`, `begin` (less the end of the token before),
`size` (bytes; begin and size in bytes of the text); `pair_…` for text i and i + 1 of the first
PAIRS with `pair_segments`; `bare_ids`, `bare_counts` without special tokens; `sweep`: CRC-32 of
ids, begins and ends (little-endian int32, in turn) for every BLOCK of known code points, each
written as " a" + c + "b".
"""
import io
import json
import pathlib
import zlib

import numpy as np
import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, models, trainers
from tokenizers import decoders as D
from tokenizers import normalizers as N
from tokenizers import pre_tokenizers as P
from tokenizers import processors as R

import tokenizer_texts

OUT = pathlib.Path(__file__).resolve().parent.parent / "golden" / "tokenizers"
RANDOM, PAIRS, BLOCK = 1500, 60, 100

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
          r"|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")


def train(tokenizer, trainer):
    tokenizer.train_from_iterator(tokenizer_texts.CORPUS * 4, trainer)
    return tokenizer


def byte_level(pre, special, size=600, **model):
    tokenizer = Tokenizer(models.BPE(**model))
    tokenizer.pre_tokenizer = pre
    tokenizer.decoder = D.ByteLevel()
    return train(tokenizer, trainers.BpeTrainer(vocab_size=size, special_tokens=special, show_progress=False,
                                                initial_alphabet=P.ByteLevel.alphabet()))


def gpt2():
    tokenizer = byte_level(P.ByteLevel(add_prefix_space=False), ["<|endoftext|>"])
    tokenizer.post_processor = R.ByteLevel(trim_offsets=False)
    return tokenizer


def roberta():
    tokenizer = byte_level(P.ByteLevel(add_prefix_space=True), ["<s>", "<pad>", "</s>", "<unk>"])
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True, normalized=False, special=True)])
    ids = [(t, tokenizer.token_to_id(t)) for t in ("</s>", "<s>")]
    tokenizer.post_processor = R.RobertaProcessing(*ids, trim_offsets=True, add_prefix_space=True)
    return tokenizer


def word_piece(normalizer):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = P.BertPreTokenizer()
    tokenizer.decoder = D.WordPiece()
    return train(tokenizer, trainers.WordPieceTrainer(
        vocab_size=700, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], show_progress=False))


def bert_uncased():
    tokenizer = word_piece(N.BertNormalizer())
    tokenizer.post_processor = R.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return tokenizer


def bert_cased():
    tokenizer = word_piece(N.BertNormalizer(lowercase=False, strip_accents=False))
    tokenizer.post_processor = R.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def llama3():
    tokenizer = byte_level(P.Sequence([P.Split(Regex(LLAMA3), "isolated"), P.ByteLevel(False, use_regex=False)]),
                           ["<s>", "</s>"], ignore_merges=True)
    tokenizer.add_tokens([AddedToken("ü", normalized=False), AddedToken("extra", single_word=True, rstrip=True)])
    tokenizer.post_processor = R.Sequence([
        R.ByteLevel(trim_offsets=True, add_prefix_space=False),
        R.TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 0)])])
    return tokenizer


def qwen2():
    tokenizer = byte_level(P.Sequence([P.Split(Regex(QWEN2), "isolated"), P.ByteLevel(False, use_regex=False)]),
                           ["<|endoftext|>"])
    tokenizer.normalizer = N.NFC()
    tokenizer.post_processor = R.ByteLevel(trim_offsets=False, add_prefix_space=False)
    return tokenizer


def smollm():
    return byte_level(P.Sequence([P.Digits(individual_digits=True), P.ByteLevel(add_prefix_space=False)]),
                      ["<|endoftext|>", "<s>"])


def byte_fallback():
    special = ["<unk>", "<s>", "</s>"] + [f"<0x{b:02X}>" for b in range(256)]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    return tokenizer, trainers.BpeTrainer(vocab_size=700, special_tokens=special, show_progress=False)


def llama2():
    tokenizer, trainer = byte_fallback()
    tokenizer.normalizer = N.Sequence([N.Prepend("▁"), N.Replace(" ", "▁")])
    train(tokenizer, trainer)
    keep = ("<unk>", "<s>", "</s>")
    return without_bytes(tokenizer, keep, "<s> $A", "<s> $A <s> $B")


def without_bytes(tokenizer, keep, single, pair):
    """The trainer made the byte pieces special; a model has them in its vocabulary only."""
    data = json.loads(tokenizer.to_str())
    data["added_tokens"] = [t for t in data["added_tokens"] if t["content"] in keep]
    tokenizer = Tokenizer.from_str(json.dumps(data))
    tokenizer.post_processor = R.TemplateProcessing(single=single, pair=pair, special_tokens=[("<s>", 1)])
    return tokenizer


def metaspace():
    tokenizer, trainer = byte_fallback()
    tokenizer.pre_tokenizer = P.Metaspace(prepend_scheme="first", split=False)
    tokenizer.decoder = D.Metaspace(prepend_scheme="first", split=False)
    train(tokenizer, trainer)
    tokenizer = without_bytes(tokenizer, ("<unk>", "<s>", "</s>"), "<s> $A", "<s> $A <s> $B:1")
    tokenizer.add_tokens([AddedToken("<|user|>", normalized=True), AddedToken("</s>", special=True, rstrip=True)])
    return tokenizer


def chars_map():
    """A small table of SentencePiece: ligatures, wide letters, kinds of space, composed letters."""
    rules = {"ﬁ": "fi", "ﬂ": "fl", "①": "1", "½": "1/2", "…": "...", "\u3000": " ", "\u00a0": " ", "\t": " ", "\n": " ",
             "e\u0301": "é", "\u200b": "", "™": "TM", "각": "\u1100\u1161\u11a8", "\u2003": " ", "“": '"', "”": '"'}
    rules.update({chr(0xFF01 + i): chr(0x21 + i) for i in range(94)})
    lines = [" ".join(f"{ord(c):X}" for c in a) + "\t" + " ".join(f"{ord(c):X}" for c in b) for a, b in rules.items()]
    path = pathlib.Path("/tmp") / "heed_rules.tsv"
    path.write_text("\n".join(lines) + "\n")
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(tokenizer_texts.CORPUS), model_writer=model, vocab_size=400, hard_vocab_limit=False,
        normalization_rule_tsv=str(path), minloglevel=2)
    path.unlink()
    from sentencepiece import sentencepiece_model_pb2
    proto = sentencepiece_model_pb2.ModelProto.FromString(model.getvalue())
    return proto.normalizer_spec.precompiled_charsmap


def unigram(pre, normalizer, special, size=500):
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, pre
    return train(tokenizer, trainers.UnigramTrainer(vocab_size=size, special_tokens=special, unk_token="<unk>",
                                                    show_progress=False))


def t5():
    tokenizer = unigram(P.Metaspace(prepend_scheme="always"), N.Precompiled(chars_map()), ["<pad>", "</s>", "<unk>"])
    tokenizer.decoder = D.Metaspace()
    tokenizer.post_processor = R.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>",
                                                    special_tokens=[("</s>", 1)])
    return tokenizer


def albert():
    normalizer = N.Sequence([N.Replace("``", '"'), N.Replace("''", '"'), N.NFKD(), N.StripAccents(), N.Lowercase(),
                             N.Replace(Regex(" {2,}"), " ")])
    special = ["<pad>", "<unk>", "[CLS]", "[SEP]"] + [f"<0x{b:02X}>" for b in range(256)]
    tokenizer = unigram(P.Sequence([P.WhitespaceSplit(), P.Metaspace()]), normalizer, special, 750)
    data = json.loads(tokenizer.to_str())
    data["model"]["byte_fallback"] = True
    data["added_tokens"] = [t for t in data["added_tokens"] if not t["content"].startswith("<0x")]
    tokenizer = Tokenizer.from_str(json.dumps(data))
    tokenizer.add_special_tokens([AddedToken("[MASK]", lstrip=True, normalized=False)])
    tokenizer.post_processor = R.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return tokenizer


def word_level():
    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.normalizer = N.Sequence([N.Nmt(), N.NFKC(), N.Lowercase(), N.Strip()])
    tokenizer.pre_tokenizer = P.Whitespace()
    train(tokenizer, trainers.WordLevelTrainer(vocab_size=300, special_tokens=["[UNK]"], show_progress=False))
    tokenizer.add_tokens([AddedToken("<mask>", single_word=True), AddedToken("[MASK]", lstrip=True, rstrip=True),
                          AddedToken("Berlin", normalized=True), AddedToken("extra")])
    return tokenizer


def fairseq():
    """Older BPE: pieces inside a word and at its end are marked."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    tokenizer.normalizer = N.Sequence([N.NFD(), N.Strip(left=False, right=True)])
    tokenizer.pre_tokenizer = P.Sequence([
        P.CharDelimiterSplit("|"), P.WhitespaceSplit(), P.Punctuation("contiguous"),
        P.Split(Regex(r"\d+"), "merged_with_previous"), P.Split("a", "merged_with_next"),
        P.Split(Regex(r"[^x]+"), "removed", invert=True), P.Digits(), P.FixedLength(9)])
    return train(tokenizer, trainers.BpeTrainer(vocab_size=500, special_tokens=["<unk>", "<s>"], show_progress=False,
                                                end_of_word_suffix="</w>"))


def inner_prefix():
    tokenizer = Tokenizer(models.BPE(continuing_subword_prefix="@@"))
    tokenizer.normalizer = N.Sequence([N.Prepend("^"), N.Strip(left=True, right=False)])
    tokenizer.pre_tokenizer = P.Sequence([P.Whitespace(), P.Punctuation("merged_with_next")])
    return train(tokenizer, trainers.BpeTrainer(vocab_size=500, show_progress=False, continuing_subword_prefix="@@"))


KINDS = [gpt2, bert_uncased, bert_cased, roberta, llama3, qwen2, smollm, llama2, metaspace, t5, albert, word_level,
         fairseq, inner_prefix]


def in_bytes(text, offsets):
    at = [0]
    for c in text:
        at.append(at[-1] + len(c.encode()))
    return [(at[min(b, len(text))], at[min(e, len(text))]) for b, e in offsets]


def encoded(encodings, texts, prefix=""):
    ids, begin, size, counts = [], [], [], []
    for encoding, text in zip(encodings, texts):
        last = 0
        counts.append(len(encoding.ids))
        ids += encoding.ids
        for b, e in in_bytes(text, encoding.offsets):
            begin.append(b - last)
            size.append(e - b)
            last = e
    arrays = {"counts": counts, "ids": ids, "begin": begin, "size": size}
    return {prefix + name: np.array(values, np.int32) for name, values in arrays.items()}


def sweep(tokenizer, known):
    sums = []
    for i in range(0, len(known), BLOCK):
        text = "".join(f" a{chr(c)}b" for c in known[i:i + BLOCK])
        encoding = tokenizer.encode(text)
        rows = [(i, b, e) for i, (b, e) in zip(encoding.ids, in_bytes(text, encoding.offsets))]
        sums.append(zlib.crc32(np.array(rows, "<i4").tobytes()))
    return np.array(sums, np.uint32)


def stored(texts, prefix=""):
    """The texts themselves."""
    parts = [text.encode() for text in texts]
    return {f"{prefix}bytes": np.frombuffer(b"".join(parts), np.uint8),
            f"{prefix}lengths": np.array([len(part) for part in parts], np.int32)}


def arrays_of(tokenizer, texts, known):
    """What a kind makes of the texts, of pairs of them, without special tokens, and of every character."""
    arrays = encoded([tokenizer.encode(text) for text in texts], texts)
    pairs = [tokenizer.encode(texts[i], texts[i + 1]) for i in range(PAIRS)]
    arrays["pair_counts"] = np.array([len(e.ids) for e in pairs], np.int32)
    arrays["pair_ids"] = np.array([i for e in pairs for i in e.ids], np.int32)
    arrays["pair_segments"] = np.array([i for e in pairs for i in e.type_ids], np.int32)
    bare = [tokenizer.encode(t, add_special_tokens=False) for t in texts[:PAIRS]]
    arrays["bare_counts"] = np.array([len(e.ids) for e in bare], np.int32)
    arrays["bare_ids"] = np.array([i for e in bare for i in e.ids], np.int32)
    arrays["sweep"] = sweep(tokenizer, known)
    return arrays


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    known = tokenizer_texts.assigned()
    texts = tokenizer_texts.texts(known, RANDOM)
    runs = []
    for c in known:
        if runs and runs[-1][1] == c - 1:
            runs[-1][1] = c
        else:
            runs.append([c, c])
    np.savez_compressed(OUT / "texts.npz", **stored(texts), known=np.array(runs, np.int32))
    for kind in KINDS:
        tokenizer = kind()
        name = kind.__name__
        (OUT / f"{name}.json").write_text(tokenizer.to_str(pretty=False) + "\n")
        tokenizer = Tokenizer.from_file(str(OUT / f"{name}.json"))
        arrays = arrays_of(tokenizer, texts, known)
        np.savez_compressed(OUT / f"{name}.npz", **arrays)
        print(name, tokenizer.get_vocab_size(), "pieces,", int(arrays["counts"].sum()), "tokens")


if __name__ == "__main__":
    main()
