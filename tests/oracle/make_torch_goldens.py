#!/usr/bin/env python3
# Writes tests/golden/torch: files of torch.save() in both forms, and their numbers.
# SPDX-License-Identifier: GPL-3.0-or-later
"""Needs torch and numpy (requirements.txt).

zip.pt, legacy.pt   the same state dict: every type, strides that are not in order, numbers that are
                    shared, a parameter, no axis, no elements.
nested.pt           a checkpoint of a trainer, with things beside the tensors.
expected.npz        the tensors as float32.
minilm.bin          the weights of tests/golden/models/minilm, in the old form.
"""
import argparse
import collections
import pathlib

import numpy as np
import torch
from safetensors.torch import load_file

OUT = pathlib.Path(__file__).resolve().parent.parent / "golden" / "torch"


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    generator = torch.Generator().manual_seed(11)
    base = torch.randn(4, 6, generator=generator)
    state = collections.OrderedDict()
    for kind in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        state[str(kind)[6:]] = base.to(kind)
    for kind in (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8):
        state[str(kind)[6:]] = (base.abs() * 50).to(kind)
    state["bool"] = base > 0
    state["transposed"] = base.T
    state["rows"] = base[1:3]
    state["column"] = base[:, 2]
    state["parameter"] = torch.nn.Parameter(base[:2].clone())
    state["scalar"] = torch.tensor(2.5)
    state["empty"] = torch.zeros(0, 3)
    state["layer.weight"] = base.clone()
    state._metadata = collections.OrderedDict({"": dict(version=1)})
    torch.save(state, OUT / "zip.pt")
    torch.save(state, OUT / "legacy.pt", _use_new_zipfile_serialization=False)
    torch.save({"epoch": 3, "args": argparse.Namespace(lr=0.1, name="x"), "loss": [1.5, -2, None, True, (1, 2, 3, 4)],
                "big": 2**70, "state_dict": {"weight": base, "note": "no tensor"}}, OUT / "nested.pt")
    torch.save(load_file(OUT.parent / "models" / "minilm" / "model.safetensors"), OUT / "minilm.bin",
               _use_new_zipfile_serialization=False)
    np.savez_compressed(OUT / "expected.npz", **{name: tensor.detach().to(torch.float32).numpy() for name, tensor in state.items()})


if __name__ == "__main__":
    main()
