#!/usr/bin/env python3
# Writes tests/golden/gguf: small checkpoints made by the gguf library, and what it reads in them.
# SPDX-License-Identifier: GPL-3.0-or-later
"""Needs gguf and numpy (requirements.txt). Run it from anywhere; the same versions give the same bytes.

blocks.gguf     a tensor of every type that Heedmap reads, [3, 512], named as the type. The library
                quantises to the types it can; for Q2_K to Q6_K, which it only reads, the blocks are
                random bytes with finite scales: every bit pattern occurs.
blocks.npz      the same tensors as float32, dequantised by the library.
values.gguf     a value of each kind, lists, a three-dimensional tensor and an alignment of 64.
"""
import pathlib

import gguf
import numpy as np
from gguf import GGMLQuantizationType as T
from gguf import GGUFValueType as V

OUT = pathlib.Path(__file__).resolve().parent.parent / "golden" / "gguf"
SHAPE = (3, 512)
QUANTISED = [T.Q4_0, T.Q4_1, T.Q5_0, T.Q5_1, T.Q8_0, T.F16, T.BF16, T.F32]
# Where the half floats lie in a block.
SCALES = {T.Q2_K: [80, 82], T.Q3_K: [108], T.Q4_K: [0, 2], T.Q5_K: [0, 2], T.Q6_K: [208]}


def random_blocks(random, kind):
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = random.integers(0, 256, (SHAPE[0], SHAPE[1] // elements, size), dtype=np.uint8)
    for at in SCALES[kind]:
        # One scale is a subnormal half, one is negative.
        scale = random.normal(0, 0.02, blocks.shape[:2]).astype(np.float16)
        scale[0, 0] = 3e-6
        scale[1, 0] = -0.75
        blocks[..., at:at + 2] = scale[..., None].view(np.uint8)
    return blocks.reshape(SHAPE[0], -1)


def write(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_blocks():
    random = np.random.default_rng(7)
    writer = gguf.GGUFWriter(OUT / "blocks.gguf", "llama")
    writer.add_quantization_version(2)
    expected = {}
    for kind in QUANTISED + list(SCALES):
        if kind in SCALES:
            stored = random_blocks(random, kind)
        else:
            stored = gguf.quantize(random.normal(0, 1, SHAPE).astype(np.float32), kind)
        writer.add_tensor(kind.name, stored, raw_dtype=kind)
        expected[kind.name] = gguf.dequantize(stored, kind).reshape(SHAPE).astype(np.float32)
    # Elements as they are.
    for array in [np.arange(-3, 9, dtype=kind).reshape(3, 4) for kind in
                  (np.int8, np.int16, np.int32, np.int64, np.float64)]:
        name = {"i": "I", "f": "F"}[array.dtype.kind] + str(8 * array.itemsize)
        writer.add_tensor(name, array)
        expected[name] = array.astype(np.float32)
    write(writer)
    np.savez_compressed(OUT / "blocks.npz", **expected)


def write_values():
    writer = gguf.GGUFWriter(OUT / "values.gguf", "llama")
    writer.add_custom_alignment(64)
    for name, value, kind in [
            ("a.uint8", 255, V.UINT8), ("a.int8", -128, V.INT8), ("a.uint16", 65535, V.UINT16),
            ("a.int16", -32768, V.INT16), ("a.uint32", 4294967295, V.UINT32),
            ("a.int32", -2147483648, V.INT32), ("a.float32", 0.1, V.FLOAT32),
            ("a.bool", True, V.BOOL), ("a.text", "Ġé 苹果\n", V.STRING),
            ("a.uint64", 9223372036854775808, V.UINT64), ("a.int64", -9007199254740993, V.INT64),
            ("a.float64", 0.1, V.FLOAT64), ("a.empty", "", V.STRING)]:
        writer.add_key_value(name, value, kind)
    writer.add_array("list.int32", [3, -1, 4])
    writer.add_array("list.float32", [0.5, -1.25])
    writer.add_array("list.bool", [True, False, True])
    writer.add_array("list.text", ["<s>", "", "▁the", "a\0b"])
    writer.add_key_value("list.uint64", [2**63 - 1, 0], V.ARRAY, V.UINT64)
    writer.add_array("list.long", list(range(10)))
    three = (np.arange(24, dtype=np.float32).reshape(2, 3, 4) - 5) / 4
    writer.add_tensor("three", three)
    writer.add_tensor("one", np.array([2.5], np.float32))
    write(writer)


if __name__ == "__main__":
    OUT.mkdir(parents=True, exist_ok=True)
    write_blocks()
    write_values()
