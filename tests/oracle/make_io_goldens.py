#!/usr/bin/env python3
# Writes tests/golden/io: small files made by NumPy and by the safetensors library, for the readers.
# SPDX-License-Identifier: GPL-3.0-or-later
"""Needs numpy and safetensors. Run it from anywhere; the same versions give the same bytes.

The values follow rules that the C++ tests state again on their own (tests/engine/io):
element i (C order) of an integer array is i % 7 (minus 3 when signed), of a bool array i % 3 == 0,
of a float array (i - 5) / 4.
"""
import pathlib
import zipfile
import zlib

import numpy as np
import safetensors
import safetensors.numpy

OUT = pathlib.Path(__file__).resolve().parent.parent / "golden" / "io"
TYPES = ["bool", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"]
NAMES = {"u1": "uint8", "i1": "int8", "u2": "uint16", "i2": "int16", "u4": "uint32", "i4": "int32",
         "u8": "uint64", "i8": "int64", "f2": "float16", "f4": "float32", "f8": "float64"}


def values(kind, shape):
    i = np.arange(int(np.prod(shape, dtype=np.int64))).reshape(shape)
    if kind == "bool":
        return i % 3 == 0
    if kind[0] == "f":
        return ((i - 5) / 4).astype(kind)
    return (i % 7 - (3 if kind[0] == "i" else 0)).astype(kind)


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    arrays = {NAMES.get(t, t): values(t, (2, 3, 4)) for t in TYPES}

    # .npy: orders, byte orders, versions, ranks
    f4 = values("f4", (2, 3, 4))
    np.save(OUT / "c.npy", f4)
    np.save(OUT / "fortran.npy", np.asfortranarray(f4))
    np.save(OUT / "big.npy", f4.astype(">f4"))
    np.save(OUT / "big_fortran_int64.npy", np.asfortranarray(values("i8", (3, 5)).astype(">i8")))
    np.save(OUT / "scalar.npy", np.float64(2.5))
    np.save(OUT / "empty.npy", np.zeros((2, 0, 3), np.float32))
    np.save(OUT / "vector.npy", values("f8", (7,)))
    for version in [(2, 0), (3, 0)]:
        with open(OUT / f"version{version[0]}.npy", "wb") as file:
            np.lib.format.write_array(file, f4, version=version)

    # .npy: what is refused
    np.save(OUT / "object.npy", np.array([{"a": 1}, None], dtype=object), allow_pickle=True)
    np.save(OUT / "text.npy", np.array(["I", "like"]))
    np.save(OUT / "complex.npy", np.array([1 + 2j]))
    np.save(OUT / "record.npy", np.array([(1, 2.0)], dtype=[("id", "<i4"), ("x", "<f4")]))

    # Every float16 that is a number, widened: the C++ test states this sum.
    half = np.arange(65536, dtype=np.uint16).view(np.float16)
    wide = half[~np.isnan(half)].astype(np.float32)
    print(f"float16: {wide.size} numbers, CRC-32 {zlib.crc32(wide.tobytes()):#010x}")

    # .npz
    np.savez(OUT / "stored.npz", **arrays)
    np.savez_compressed(OUT / "deflated.npz", **arrays,
                        fortran=np.asfortranarray(f4), big=f4.astype(">f4"))
    np.savez(OUT / "mixed.npz", weights=f4, tokens=np.array(["I", "like"]),
             objects=np.array([{}], dtype=object))
    np.savez(OUT / "nothing.npz")
    with zipfile.ZipFile(OUT / "other_members.npz", "w") as archive:
        archive.writestr(zipfile.ZipInfo("readme.txt"), "not an array")
        with archive.open(zipfile.ZipInfo("weights.npy"), "w", force_zip64=True) as member:
            np.lib.format.write_array(member, f4)

    # .safetensors, with bfloat16: the upper halves of float32
    bf16 = (f4.view(np.uint32) >> 16).astype(np.uint16)
    tensors = {name: (name, array) for name, array in arrays.items()}
    tensors["bfloat16"] = ("bfloat16", bf16)
    specs = {name: safetensors.TensorSpec(dtype=kind, shape=array.shape,
                                           data_ptr=array.ctypes.data, data_len=array.nbytes)
             for name, (kind, array) in tensors.items()}
    (OUT / "all.safetensors").write_bytes(
        bytes(safetensors.serialize(specs, {"made": "by the oracle"})))
    safetensors.numpy.save_file({"empty": np.zeros((2, 0), np.float32),
                                 "scalar": np.array(2.5, np.float64)},
                                OUT / "shapes.safetensors")


if __name__ == "__main__":
    main()
