"""Attention layers computed by PyTorch, for tests/engine/attention/tst_layergoldens.cpp.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import math
import pathlib
import zipfile

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention.flex_attention import create_mask

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "golden" / "layers"
INFINITY = float("inf")


# --- masks, as predicates of (item, head, query, key), made into tensors by flex attention -------


def causal(offset=0):
    return lambda b, h, i, j: j <= i + offset


def padding(lengths, length, side="right"):
    real = torch.tensor(lengths)
    if side == "right":
        return lambda b, h, i, j: j < real[b]
    return lambda b, h, i, j: j >= length - real[b]


def window(left, right):
    return lambda b, h, i, j: (i - j <= left) & (j - i <= right)


def documents(lengths):
    number = torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(lengths))
    return lambda b, h, i, j: number[i] == number[j]


def prefix(count):
    return lambda b, h, i, j: (j < count) | (j <= i)


def both(*rules):
    def rule(b, h, i, j):
        kept = rules[0](b, h, i, j)
        for other in rules[1:]:
            kept = kept & other(b, h, i, j)
        return kept

    return rule


def either(first, second):
    return lambda b, h, i, j: first(b, h, i, j) | second(b, h, i, j)


def inverse(rule):
    return lambda b, h, i, j: ~rule(b, h, i, j)


def everything(b, h, i, j):
    return j >= 0


# --- the layer ------------------------------------------------------------------------------------


def rotate(x):
    """Rotary positions, as a product of complex numbers: x[c] + i·x[c + D/2]."""
    half = x.shape[-1] // 2
    pairs = torch.complex(x[..., :half].double(), x[..., half:].double())
    frequency = 10000.0 ** (-torch.arange(half, dtype=torch.float64) / half)
    angle = torch.arange(x.shape[-2], dtype=torch.float64)[:, None] * frequency
    turned = pairs * torch.polar(torch.ones_like(angle), angle)
    return torch.cat((turned.real, turned.imag), -1).to(x.dtype)


def split(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def steps(q, k, v, keep, scaled):
    """All steps of attention for q [B,H,L,D], k [B,Hkv,S,D], v [B,Hkv,S,Dv], keep [B,H,L,S]."""
    groups = q.shape[1] // k.shape[1]
    k_all = k.repeat_interleave(groups, 1)
    v_all = v.repeat_interleave(groups, 1)
    scale = 1 / math.sqrt(q.shape[-1]) if scaled else 1.0
    scores = q @ k_all.mT
    scaled_scores = scores * scale
    masked = scaled_scores.masked_fill(~keep, -INFINITY)
    empty = ~keep.any(-1, keepdim=True)
    weights = F.softmax(masked, -1).masked_fill(empty, 0.0)
    head_output = F.scaled_dot_product_attention(
        q, k, v, attn_mask=keep, scale=scale, enable_gqa=groups > 1).masked_fill(empty, 0.0)
    torch.testing.assert_close(head_output, weights @ v_all, rtol=1e-4, atol=1e-5)
    return {"q": q, "k": k, "v": v, "scores": scores, "scaled": scaled_scores, "masked": masked,
            "weights": weights, "head_output": head_output, "lse": masked.logsumexp(-1)}


class Layer(nn.Module):
    """The textbook layer, from four nn.Linear under the names of a case."""

    def __init__(self, width, heads, kv_heads, names, bias, head_size):
        super().__init__()
        self.heads, self.kv_heads = heads, kv_heads
        inner, outer = heads * head_size, kv_heads * head_size
        self.names = names
        for name, (inputs, outputs) in zip(
                names, ((width, inner), (width, outer), (width, outer), (inner, width))):
            setattr(self, name, nn.Linear(inputs, outputs, bias=bias))

    def forward(self, x, context, keep, scaled, rope):
        q, k, v, o = (getattr(self, name) for name in self.names)
        heads = split(q(x), self.heads), split(k(context), self.kv_heads)
        if rope:
            heads = tuple(rotate(part) for part in heads)
        result = steps(*heads, split(v(context), self.kv_heads), keep, scaled)
        result["output"] = o(result["head_output"].transpose(1, 2).flatten(2))
        return result


class TorchLayer(nn.Module):
    """nn.MultiheadAttention: weights and output are its own."""

    def __init__(self, width, heads, bias):
        super().__init__()
        self.module = nn.MultiheadAttention(width, heads, bias=bias, batch_first=True)
        if bias:  # it starts them at zero, which would hide a forgotten bias
            nn.init.uniform_(self.module.in_proj_bias, -0.5, 0.5)
            nn.init.uniform_(self.module.out_proj.bias, -0.5, 0.5)

    def forward(self, x, context, keep, scaled, rope):
        module = self.module
        heads = module.num_heads
        bias = module.in_proj_bias
        biases = bias.chunk(3) if bias is not None else (None,) * 3
        q, k, v = (split(F.linear(source, weight, one), heads) for source, weight, one in zip(
            (x, context, context), module.in_proj_weight.chunk(3), biases))
        result = steps(q, k, v, keep, True)
        output, weights = module(x, context, context, attn_mask=~keep.flatten(0, 1),
                                 average_attn_weights=False)
        empty = ~keep.any(-1, keepdim=True)
        weights = weights.masked_fill(empty, 0.0)
        torch.testing.assert_close(weights, result["weights"], rtol=1e-4, atol=1e-5)
        result["weights"] = weights
        if empty.any():  # the module answers NaN
            output = module.out_proj(result["head_output"].transpose(1, 2).flatten(2))
        result["output"] = output
        return result


NAMES = {
    "w_q": ("w_q", "w_k", "w_v", "w_o"),
    "W_q": ("W_q", "W_k", "W_v", "W_o"),
    "o_proj": ("q_proj", "k_proj", "v_proj", "o_proj"),
    "out_proj": ("q_proj", "k_proj", "v_proj", "out_proj"),
}


def case(name, *, length=6, keys=None, items=2, width=12, heads=3, kv_heads=None, names="w_q",
         prefix_name="", bias=True, scaled=True, rope=False, mask="none", rule=everything,
         head_size=None, kind="layer", values=None, size=1.0):
    """@param keys S of a cross attention; @param values Dv of kind "qkv"."""
    return locals() | {"kv_heads": kv_heads or heads, "head_size": head_size or width // heads}


def cases():
    right = padding([6, 3], 6)
    left = padding([6, 3], 6, "left")
    yield case("plain")
    yield case("one token", length=1, width=8, heads=2)
    yield case("one token causal", length=1, width=8, heads=2, mask="causal", rule=causal())
    yield case("one head", heads=1)
    yield case("heads of width one", width=6, heads=6)
    yield case("heads of width one, causal", width=6, heads=6, mask="causal", rule=causal())
    yield case("one item", items=1)
    yield case("three items", items=3, mask="padding(lengths=[2, 6, 4])",
               rule=padding([2, 6, 4], 6))
    yield case("three items, left, causal", items=3,
               mask="padding(side=left, lengths=[2, 6, 4]) & causal",
               rule=both(padding([2, 6, 4], 6, "left"), causal()))
    yield case("capital names", names="W_q")
    yield case("q_proj names", names="o_proj", prefix_name="model.layers.3.self_attn.")
    yield case("q_proj names with out_proj", names="out_proj", prefix_name="encoder.attn.")
    yield case("no bias", bias=False)
    yield case("no scale", scaled=False)
    yield case("no bias, no scale, causal", bias=False, scaled=False, mask="causal", rule=causal())
    yield case("causal", mask="causal", rule=causal())
    yield case("causal one further", mask="causal(offset=1)", rule=causal(1))
    yield case("causal, first row empty", mask="causal(offset=-1)", rule=causal(-1))
    yield case("padding right", mask="padding(side=right, lengths=[6, 3])", rule=right)
    yield case("padding left", mask="padding(side=left, lengths=[6, 3])", rule=left)
    yield case("padding right, causal", mask="padding(lengths=[6, 3]) & causal",
               rule=both(right, causal()))
    yield case("padding left, causal, rows empty",
               mask="padding(side=left, lengths=[6, 3]) & causal", rule=both(left, causal()))
    yield case("window", length=9, mask="window(3)", rule=window(2, 0))
    yield case("window both sides", length=9, mask="window(left=2, right=1)", rule=window(2, 1))
    yield case("documents", length=8, mask="documents([3, 2, 3])", rule=documents([3, 2, 3]))
    yield case("documents, causal", length=8, mask="documents([3, 2, 3]) & causal",
               rule=both(documents([3, 2, 3]), causal()))
    yield case("prefix", length=8, mask="prefix(3)", rule=prefix(3))
    yield case("or", length=8, mask="window(2) | documents([2, 6])",
               rule=either(window(1, 0), documents([2, 6])))
    yield case("not", length=6, mask="~causal", rule=inverse(causal()))
    yield case("everything masked", mask="~none", rule=inverse(everything))
    yield case("grouped queries", width=16, heads=4, kv_heads=2)
    yield case("one key head", width=16, heads=4, kv_heads=1, mask="causal", rule=causal())
    yield case("grouped queries, padding left", width=16, heads=4, kv_heads=2,
               mask="padding(side=left, lengths=[6, 3])", rule=left)
    yield case("head size of its own", width=12, heads=4, kv_heads=2, head_size=5)
    yield case("rotary", width=16, heads=4, rope=True)
    yield case("rotary, causal, no bias", width=16, heads=4, rope=True, bias=False, mask="causal",
               rule=causal())
    yield case("rotary, grouped queries", width=16, heads=4, kv_heads=2, rope=True, mask="causal",
               rule=causal())
    yield case("cross attention", length=4, keys=7)
    yield case("cross attention, one query", length=1, keys=5)
    yield case("cross attention, padded keys", length=4, keys=7,
               mask="padding(lengths=[7, 2])", rule=padding([7, 2], 7))
    yield case("cross attention, more queries, causal", length=7, keys=4, mask="causal",
               rule=causal())
    yield case("cross attention, rotary", length=4, keys=7, width=16, heads=4, rope=True)
    yield case("cross attention, grouped queries", length=4, keys=7, width=16, heads=4, kv_heads=2,
               mask="padding(side=left, lengths=[4, 7])", rule=padding([4, 7], 7, "left"))
    yield case("nn.MultiheadAttention", kind="torch")
    yield case("nn.MultiheadAttention, prefixed", kind="torch",
               prefix_name="transformer.layers.0.self_attn.", mask="causal", rule=causal())
    yield case("nn.MultiheadAttention, no bias", kind="torch", bias=False,
               mask="padding(lengths=[6, 3])", rule=right)
    yield case("nn.MultiheadAttention, rows empty", kind="torch",
               mask="padding(side=left, lengths=[6, 3]) & causal", rule=both(left, causal()))
    yield case("nn.MultiheadAttention, cross attention", kind="torch", length=4, keys=7)
    yield case("large scores", size=30.0)
    yield case("tiny numbers", size=1e-30, bias=False)
    yield case("projections", kind="qkv", values=4, mask="causal", rule=causal())
    yield case("projections, wider values", kind="qkv", heads=4, kv_heads=2, width=12, keys=5,
               values=7)
    yield case("projections, one value", kind="qkv", values=1, scaled=False)


def make(settings):
    c = settings
    keys = c["keys"] or c["length"]
    draw = lambda *shape: torch.randn(*shape) * c["size"]
    keep = create_mask(c["rule"], c["items"], c["heads"], c["length"], keys, device="cpu")
    stored = {}
    if c["kind"] == "qkv":
        q = draw(c["items"], c["heads"], c["length"], c["head_size"])
        k = draw(c["items"], c["kv_heads"], keys, c["head_size"])
        v = draw(c["items"], c["kv_heads"], keys, c["values"])
        stored |= {"q": q, "k": k, "v": v}
        run = lambda dtype: steps(q.to(dtype), k.to(dtype), v.to(dtype), keep, c["scaled"])
    else:
        x = draw(c["items"], c["length"], c["width"])
        stored["x"] = context = x
        if c["keys"]:
            stored["context"] = context = draw(c["items"], keys, c["width"])
        if c["kind"] == "torch":
            module = TorchLayer(c["width"], c["heads"], c["bias"])
            state = module.module.state_dict()
        else:
            module = Layer(c["width"], c["heads"], c["kv_heads"], NAMES[c["names"]], c["bias"],
                           c["head_size"])
            state = module.state_dict()
        stored |= {c["prefix_name"] + key: value.clone() for key, value in state.items()}
        run = lambda dtype: module.to(dtype)(x.to(dtype), context.to(dtype), keep, c["scaled"],
                                             c["rope"])
    with torch.no_grad():
        for dtype, label in ((torch.float32, "f32"), (torch.float64, "f64")):
            stored |= {f"{label}.{key}": value for key, value in run(dtype).items()}
    return {key: value.numpy() for key, value in stored.items()}


def write_npz(path, arrays):
    """numpy.savez_compressed with fixed dates, so that the same numbers are the same file."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w") as file:
                np.lib.format.write_array(file, np.ascontiguousarray(array))


def main():
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.npz"):
        old.unlink()
    listed = []
    for number, settings in enumerate(cases()):
        torch.manual_seed(number)
        arrays = make(settings)
        file = f"{number:02d}.npz"
        write_npz(FOLDER / file, arrays)
        shown = ("name", "kind", "heads", "scaled", "rope", "mask")
        listed.append({"file": file} | {key: settings[key] for key in shown} |
                      {"cross": "context" in arrays})
    text = ",\n".join(json.dumps(entry) for entry in listed)
    (FOLDER / "cases.json").write_text(f"[\n{text}\n]\n")
    print(f"{len(listed)} cases with torch {torch.__version__}, "
          f"{sum(f.stat().st_size for f in FOLDER.iterdir()) / 1024:.0f} KiB in {FOLDER}")


if __name__ == "__main__":
    main()
