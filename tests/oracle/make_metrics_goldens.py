"""Head metrics by their definitions, for tests/engine/attention/tst_metrics.cpp.

Every metric is a product of the weights with a pattern matrix, as the head detector of TransformerLens
has it, and a mean over rows. SPDX-License-Identifier: GPL-3.0-or-later
"""

import io
import json
import pathlib
import unicodedata
import zipfile

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "golden" / "metrics"
ENDS = {"[SEP]", "</s>"}
SPECIAL = ENDS | {"[CLS]", "<s>", "<pad>"}


def is_delimiter(token):
    if token in ENDS:
        return True
    text = token.lstrip(" Ġ▁")
    return text != "" and all(unicodedata.category(c).startswith("P") for c in text)


def mean(values):
    return float(np.mean(values)) if len(values) else None


def metrics(weights, kept, queries, keys):
    """All metrics of one map; tokens None = not known."""
    w = weights.astype(np.float64)
    rows, columns = w.shape
    i, j = np.indices(w.shape)
    real = np.array([queries is None or queries[r] != "<pad>" for r in range(rows)])
    counts = real & (w.sum(axis=1) > 0)
    ordered = -np.sort(-w, axis=1)
    entropy = -np.sum(np.where(w > 0, w * np.log(np.where(w > 0, w, 1)), 0), axis=1)
    visible = kept.sum(axis=1)

    def mass(pattern, which=True):
        return mean((w * pattern).sum(axis=1)[counts & which])

    r = np.arange(rows)
    several = counts & (visible > 1)
    ordinary = np.array([queries is None or queries[q] not in SPECIAL for q in range(rows)])
    found = {
        "entropy": mean(entropy[counts]),
        "relative_entropy": mean(entropy[several] / np.log(visible[several])),
        "distance": mass(np.abs(i - j)),
        "previous_token": mass(j == i - 1, (r >= 1) & (r - 1 < columns)),
        "next_token": mass(j == i + 1, r + 1 < columns),
        "self": mass(j == i, r < columns),
        "first_token_sink": mass(j == 0, r >= 1),
        "confidence": mean(ordered[counts & ordinary, 0]),
        "top1": mean(ordered[counts, 0]),
        "top5": mean(ordered[counts, :5].sum(axis=1)),
        "top10": mean(ordered[counts, :10].sum(axis=1)),
        "duplicate_token": None,
        "induction": None,
        "delimiter": None,
        "rows": int(counts.sum()),
        "empty_rows": int((real & ~counts).sum()),
    }
    if keys is not None:
        found["delimiter"] = mass(np.array([is_delimiter(t) for t in keys])[None, :])
    if keys is not None and queries == keys:
        tokens = np.array(keys)
        duplicate = np.tril(tokens[:, None] == tokens[None, :], -1)
        induction = np.roll(duplicate, 1, axis=1)
        induction[:, 0] = False
        found["duplicate_token"] = mass(duplicate)
        found["induction"] = mass(np.tril(induction))
    return found


def random_weights(rng, kept):
    w = np.where(kept, rng.random(kept.shape) ** 3 + 0.001, 0)
    return (w / np.maximum(w.sum(axis=1, keepdims=True), 1e-30)).astype(np.float32)


def main():
    rng = np.random.default_rng(42)
    text = "[CLS] the cat , the dog ; the cat 。 ▁the ▁. [SEP]".split()
    padded = "a b a b ! <pad> <pad>".split()
    everything = np.ones((len(text), len(text)), bool)
    gap = everything.copy()
    gap[4] = False  # a row with nothing allowed
    sees_text = np.tile(np.array([t != "<pad>" for t in padded]), (len(padded), 1))
    long = [str(n % 7) + "x" for n in range(70)]
    cases = {
        "words": (text, text, gap),
        "causal": (text, text, np.tril(everything)),
        "padded": (padded, padded, sees_text),
        "wide": (text[:5], text[:9], np.ones((5, 9), bool)),
        "tall": (text[:9], text[:5], np.ones((9, 5), bool)),
        "single": (["Hi"], ["Hi"], np.ones((1, 1), bool)),
        "unknown": (None, None, np.ones((6, 6), bool)),
        "unnormalised": (text, text, everything),
        "long": (long, long, np.tril(np.ones((70, 70), bool))),
    }
    FOLDER.mkdir(exist_ok=True)
    report = {}
    with zipfile.ZipFile(FOLDER / "metrics.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (queries, keys, kept) in cases.items():
            weights = random_weights(rng, kept)
            if name == "unnormalised":
                weights *= np.float32(0.5)
            for array, values in ((name, weights), (name + ".kept", kept)):
                data = io.BytesIO()
                np.lib.format.write_array(data, values)
                # A date of its own would make every run another file.
                archive.writestr(zipfile.ZipInfo(array + ".npy"), data.getvalue(),
                                 zipfile.ZIP_DEFLATED)
            report[name] = {
                "query_tokens": queries,
                "key_tokens": keys,
                "metrics": metrics(weights, kept, queries, keys),
            }
    (FOLDER / "metrics.json").write_text(json.dumps(report, ensure_ascii=False).replace("}, ", "},\n") + "\n")


if __name__ == "__main__":
    main()
