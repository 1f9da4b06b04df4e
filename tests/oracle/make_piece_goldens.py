#!/usr/bin/env python3
# Writes into tests/golden/tokenizers: SentencePiece models and tokenizers inside GGUF files, and what
# the `sentencepiece` and `tokenizers` packages make of the texts of texts.npz with them.
# SPDX-License-Identifier: GPL-3.0-or-later
"""Needs requirements.txt, and the files of make_tokenizer_goldens.py. Same versions, same numbers.

sp_<kind>.model are trained by the package, gguf_<kind>.gguf are written by the gguf library from them
or from <kind>.json. The arrays are those of make_tokenizer_goldens.py. The bytes of a character
without a piece all have the range of the character, where the package gives it to the last one.
"""
import io
import json

import gguf
import numpy as np
import sentencepiece
from sentencepiece import sentencepiece_model_pb2 as proto
from tokenizers import AddedToken, Tokenizer
from tokenizers import processors as R

import tokenizer_texts
from make_tokenizer_goldens import OUT, arrays_of, chars_map

USER = ["extra", "<sep>", "▁of▁", "你好"]


def train(**more):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(tokenizer_texts.CORPUS * 4), model_writer=model, hard_vocab_limit=False, minloglevel=2,
        num_threads=1, **more)
    return proto.ModelProto.FromString(model.getvalue())


def with_map(model):
    model.normalizer_spec.precompiled_charsmap = chars_map()
    return model


def slim(model):
    """Without what nothing reads and what names files."""
    for field in ("input", "model_prefix", "self_test_sample_size"):
        model.trainer_spec.ClearField(field)
    return model


def sp_unigram():
    return with_map(train(vocab_size=500, normalization_rule_name="identity"))


def sp_bytes():
    """Pieces of the user, bytes, and spaces as they are."""
    return with_map(train(vocab_size=800, byte_fallback=True, user_defined_symbols=USER, split_by_whitespace=False,
                          remove_extra_whitespaces=False, normalization_rule_name="identity", pad_id=3))


def sp_llama2():
    return train(model_type="bpe", vocab_size=900, byte_fallback=True, split_digits=True, remove_extra_whitespaces=False,
                 normalization_rule_name="identity", allow_whitespace_only_pieces=True)


def sp_suffix():
    """Spaces behind words, pieces of the user, and some pieces that are only on the way to others."""
    model = with_map(train(model_type="bpe", vocab_size=500, treat_whitespace_as_suffix=True, user_defined_symbols=USER,
                           normalization_rule_name="identity"))
    normal = [piece for piece in model.pieces if piece.type == piece.NORMAL and len(piece.piece) > 1]
    for piece in normal[::5]:
        piece.type = piece.UNUSED
    return model


class Encoding:
    def __init__(self, text, pieces, is_byte):
        self.ids = [piece.id for piece in pieces]
        self.type_ids = [0] * len(pieces)
        place, at = {}, 0  # of bytes, in characters
        for number, character in enumerate(text):
            place[at] = number
            at += len(character.encode())
        place[at] = len(text)
        self.offsets = []
        for i, piece in enumerate(pieces):
            if len(self.offsets) > i:
                continue
            count = 1
            if is_byte(piece.id):
                lead = int(piece.piece[3:5], 16)
                count = 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
            last = pieces[i + count - 1]
            self.offsets += [(place[last.begin], place[last.end])] * count


class Pieces:
    """The package with the face of `tokenizers`."""

    def __init__(self, data):
        self.package = sentencepiece.SentencePieceProcessor(model_proto=data)

    def encode(self, text, second=None, add_special_tokens=True):
        first = Encoding(text, self.package.encode(text, return_type="proto").pieces, self.package.is_byte)
        if second is not None:
            other = self.encode(second)
            first.ids += other.ids
            first.type_ids += [1] * len(other.ids)
        return first


def write(name, tokenizer, texts, known, same=None):
    """@param same: the kind that gives the same tokens; nothing is written then."""
    arrays = arrays_of(tokenizer, texts, known)
    if same is None:
        np.savez_compressed(OUT / f"{name}.npz", **arrays)
    else:
        known_arrays = np.load(OUT / f"{same}.npz")
        assert all(np.array_equal(known_arrays[key], value) for key, value in arrays.items()), name
    print(name, int(arrays["counts"].sum()), "tokens")


def write_gguf(name, model, tokens, types, more):
    writer = gguf.GGUFWriter(OUT / f"{name}.gguf", "llama")
    writer.add_tokenizer_model(model)
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    more(writer)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


def json_tokenizer(kind):
    """The data of <kind>.json, its pieces by number, and their types."""
    data = json.loads((OUT / f"{kind}.json").read_text())
    # What a GGUF file cannot say: how a token treats its neighbours.
    for token in data["added_tokens"]:
        token.update(single_word=False, lstrip=False, rstrip=False, normalized=False)
    pieces = {number: piece for piece, number in data["model"]["vocab"].items()}
    types = {number: gguf.TokenType.NORMAL for number in pieces}
    for token in data["added_tokens"]:
        pieces[token["id"]] = token["content"]
        types[token["id"]] = gguf.TokenType.CONTROL if token["special"] else gguf.TokenType.USER_DEFINED
    count = max(pieces) + 1
    assert sorted(pieces) == list(range(count))
    return data, [pieces[i] for i in range(count)], [types[i] for i in range(count)]


def byte_level(kind, pre, bos=None):
    data, pieces, types = json_tokenizer(kind)
    tokenizer = Tokenizer.from_str(json.dumps(data))
    tokenizer.post_processor = R.ByteLevel(trim_offsets=False) if bos is None else R.TemplateProcessing(
        single=f"{bos} $A", pair=f"{bos} $A {bos}:1 $B:1", special_tokens=[(bos, tokenizer.token_to_id(bos))])

    def more(writer):
        writer.add_tokenizer_pre(pre)
        writer.add_token_merges([" ".join(m) if isinstance(m, list) else m for m in data["model"]["merges"]])
        if bos:
            writer.add_bos_token_id(tokenizer.token_to_id(bos))
    write_gguf(f"gguf_{kind}", "gpt2", pieces, types, more)
    return f"gguf_{kind}", tokenizer, None if bos else kind


def bert(kind):
    data, pieces, types = json_tokenizer(kind)
    tokenizer = Tokenizer.from_str(json.dumps(data))
    # As llama.cpp's converter writes them.
    stored = [p[2:] if p.startswith("##") else p if p.startswith("[") and p.endswith("]") else "\u2581" + p for p in pieces]

    def more(writer):
        writer.add_bos_token_id(pieces.index("[CLS]"))
        writer.add_sep_token_id(pieces.index("[SEP]"))
        writer.add_unk_token_id(pieces.index("[UNK]"))
    write_gguf(f"gguf_{kind}", "bert", stored, types, more)
    return f"gguf_{kind}", tokenizer, kind


def scored(name, model, kind, same):
    """Texts with control pieces in them are left to other tests: the package does not look for them."""
    def more(writer):
        writer.add_token_scores([piece.score for piece in model.pieces])
        writer.add_bool("tokenizer.ggml.add_bos_token", False)
        writer.add_eos_token_id(2)
        writer.add_bool("tokenizer.ggml.add_eos_token", False)
        writer.add_add_space_prefix(model.normalizer_spec.add_dummy_prefix)
        if kind == "t5":
            writer.add_remove_extra_whitespaces(model.normalizer_spec.remove_extra_whitespaces)
            writer.add_precompiled_charsmap(model.normalizer_spec.precompiled_charsmap)
    # Controls under names that no text has.
    pieces = [piece.piece if piece.type not in (2, 3) else f"<control {i}>" for i, piece in enumerate(model.pieces)]
    write_gguf(name, kind, pieces, [piece.type for piece in model.pieces], more)
    return name, Pieces(model.SerializeToString()), same


def main():
    texts_file = np.load(OUT / "texts.npz")
    data, at, texts = texts_file["bytes"].tobytes(), 0, []
    for length in texts_file["lengths"]:
        texts.append(data[at:at + length].decode())
        at += length
    runs = texts_file["known"].reshape(-1, 2)
    known = [c for first, last in runs for c in range(first, last + 1)]
    models = {}
    for kind in (sp_unigram, sp_bytes, sp_llama2, sp_suffix):
        models[kind.__name__] = model = slim(kind())
        (OUT / f"{kind.__name__}.model").write_bytes(model.SerializeToString())
        write(kind.__name__, Pieces(model.SerializeToString()), texts, known)
    for name, tokenizer, same in (byte_level("gpt2", "gpt-2"), byte_level("qwen2", "qwen2"), byte_level("smollm", "smollm"),
                            byte_level("llama3", "llama-bpe", "<s>"), bert("bert_uncased"), bert("bert_cased"),
                            scored("gguf_llama2", models["sp_llama2"], "llama", "sp_llama2"),
                            scored("gguf_t5", models["sp_unigram"], "t5", "sp_unigram")):
        write(name, tokenizer, texts, known, same)


if __name__ == "__main__":
    main()
