"""PyTorch and Heedmap in turns on the same sizes; a table of ratios (README.md).

compare.py HEED_HEADS [--sizes 512,1024,2048,4096] [--rounds 3] [--threads 2] [--json]
SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

HEADS = 8
PEER = Path(__file__).with_name("torch_heads.py")


def measured(command):
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def fastest(results):
    """The shortest time of every operation and the least memory, over the rounds."""
    return {
        key: min(result[key] for result in results)
        for key, value in results[0].items()
        if not isinstance(value, str)
    }


def row_of(ours, theirs, n, mask):
    extra = ours["survey_peak_bytes"] - ours["before_bytes"]
    return {
        "n": n,
        "mask": mask,
        "survey_ms": ours["survey_seconds"] * 1e3,
        "eager_ms": theirs["viewer_seconds"] * 1e3,
        "survey_speedup": theirs["viewer_seconds"] / ours["survey_seconds"],
        "weights_alone_speedup": theirs["weights_seconds"] / ours["survey_seconds"],
        "peak_mib": ours["survey_peak_bytes"] / 2**20,
        "eager_peak_mib": theirs["viewer_peak_bytes"] / 2**20,
        "memory_ratio": theirs["viewer_peak_bytes"] / ours["survey_peak_bytes"],
        # What the computation took beside the program and its inputs.
        "added_memory_ratio": (theirs["viewer_peak_bytes"] - theirs["before_bytes"])
        / max(extra, 1),
        "attend_ms": ours["attend_seconds"] * 1e3,
        "sdpa_ms": theirs["sdpa_seconds"] * 1e3,
        "attend_speedup": theirs["sdpa_seconds"] / ours["attend_seconds"],
    }


# Key, title, format. `faster` and `less` are ratios, PyTorch over Heedmap.
COLUMNS = [
    ("n", "n", "d"),
    ("mask", "mask", "s"),
    ("survey_ms", "survey ms", ".1f"),
    ("eager_ms", "eager ms", ".1f"),
    ("survey_speedup", "faster", ".1f"),
    ("weights_alone_speedup", "than weights alone", ".1f"),
    ("peak_mib", "MiB", ".0f"),
    ("eager_peak_mib", "eager MiB", ".0f"),
    ("memory_ratio", "less", ".1f"),
    ("added_memory_ratio", "less added", ".1f"),
    ("attend_ms", "attend ms", ".1f"),
    ("sdpa_ms", "sdpa ms", ".1f"),
    ("attend_speedup", "faster", ".2f"),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("heed_heads")
    parser.add_argument("--sizes", default="512,1024,2048,4096")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = []
    for n in map(int, options.sizes.split(",")):
        for mask in ("full", "causal"):
            arguments = [str(HEADS), str(n), mask, str(options.threads), str(options.repeats)]
            ours, theirs = [], []
            for _ in range(options.rounds):
                theirs.append(measured([sys.executable, str(PEER), *arguments]))
                ours.append(measured([options.heed_heads, *arguments]))
            rows.append(row_of(fastest(ours), fastest(theirs), n, mask))
    if options.json:
        print(json.dumps({"torch": theirs[0]["torch"], "backend": ours[0]["backend"],
                          "threads": options.threads, "rows": rows}, indent=1))
        return
    print(f"PyTorch {theirs[0]['torch']}, Heedmap {ours[0]['backend']}, {options.threads} threads, "
          f"H = {HEADS}, D = 64")
    width = {key: max(len(title), 7) for key, title, _ in COLUMNS}
    print("  ".join(title.rjust(width[key]) for key, title, _ in COLUMNS))
    for row in rows:
        print("  ".join(format(row[key], form).rjust(width[key]) for key, _, form in COLUMNS))


if __name__ == "__main__":
    main()
