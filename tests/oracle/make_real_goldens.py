"""What transformers computes from the three models that ./dev models fetches, for tests/golden/tst_realmodels.cpp:
eager attention of every layer and head, the last hidden state and the logits of the last token, in float32.

usage: make_real_goldens.py FOLDER, where FOLDER is what `resources/models/fetch --folder` says.
SPDX-License-Identifier: GPL-3.0-or-later
"""

import pathlib
import sys

import numpy as np
import torch
import transformers

GOLDENS = pathlib.Path(__file__).resolve().parent.parent / "golden" / "realmodels"

SENTENCE = "The animal didn't cross the street because it was too tired"
# Token ids as the vocabulary of the model has them, special tokens included: items of a batch, padded on the right.
CASES = {
    # [CLS] the animal didn ' t cross the street because it was too tired [SEP]; the cat sat
    "all-MiniLM-L6-v2": ([[101, 1996, 4111, 2134, 1005, 1056, 2892, 1996, 2395, 2138, 2009, 2001, 2205, 5458, 102],
                          [101, 1996, 4937, 2938, 102]], SENTENCE),
    "SmolLM2-135M-Instruct": ([[504, 3575, 282, 4649, 314]], "The capital of France is"),
    # CC(=O)Cl.NC>>CC(=O)NC
    "RXNMapper": (None, "CC(=O)Cl.NC>>CC(=O)NC"),
}


def load(folder):
    gguf = [file.name for file in folder.glob("*.gguf")]
    more = {"gguf_file": gguf[0]} if gguf else {}
    kind = transformers.AutoModelForCausalLM if gguf else transformers.AutoModel
    return kind.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32, **more).eval()


def reaction_ids(folder, reaction):
    import re

    pieces = (folder / "vocab.txt").read_text().splitlines()
    cut = re.findall(r"\[[^\]]+\]|Br|Cl|>>|.", reaction)
    return [[pieces.index("[CLS]"), *(pieces.index(piece) for piece in cut), pieces.index("[SEP]")]]


def main():
    models = pathlib.Path(sys.argv[1])
    GOLDENS.mkdir(exist_ok=True)
    for name, (items, text) in CASES.items():
        folder = models / name
        items = items or reaction_ids(folder, text)
        longest = max(map(len, items))
        ids = torch.tensor([item + [0] * (longest - len(item)) for item in items])
        real = torch.tensor([[1] * len(item) + [0] * (longest - len(item)) for item in items])
        model = load(folder)
        with torch.inference_mode():
            out = model(input_ids=ids, attention_mask=real, output_attentions=True, output_hidden_states=True)
        arrays = {
            "ids": ids.numpy(),
            "lengths": real.sum(1).numpy(),
            "weights": torch.stack(out.attentions).numpy(),
            "hidden": out.hidden_states[-1].numpy(),
            "text": np.frombuffer(text.encode(), np.uint8),
        }
        if hasattr(out, "logits"):
            arrays["logits"] = out.logits[0, -1].numpy()
        np.savez_compressed(GOLDENS / f"{name}.npz", **arrays)
        print(name, {key: value.shape for key, value in arrays.items()})


if __name__ == "__main__":
    main()
