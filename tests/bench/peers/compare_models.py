"""transformers and Heedmap in turns on one checkpoint; a line of ratios (README.md).

compare_models.py HEED_MODEL DIR|FILE.gguf [--tokens 128] [--rounds 3] [--repeats 20] [--threads 2]
SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import os
import sys
from pathlib import Path

from compare import fastest, measured

PEER = Path(__file__).with_name("torch_model.py")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("heed_model")
    parser.add_argument("model")
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    arguments = [options.model, *map(str, (options.tokens, options.threads, options.repeats))]
    ours, theirs = [], []
    for _ in range(options.rounds):
        theirs.append(measured([sys.executable, str(PEER), *arguments]))
        ours.append(measured([options.heed_model, *arguments]))
    sums = ours[0]["weights_sum"], theirs[0]["weights_sum"]
    if abs(sums[0] - sums[1]) > 1e-4 * sums[1]:
        sys.exit(f"The maps differ: their weights sum to {sums[0]} and {sums[1]}.")
    best, peer = fastest(ours), fastest(theirs)
    print(
        f"transformers {theirs[0]['transformers']} (torch {theirs[0]['torch']}), "
        f"Heedmap {ours[0]['backend']}, {options.threads} threads, {options.tokens} tokens\n"
        f"run {best['run_seconds'] * 1e3:.1f} ms, with maps {best['maps_seconds'] * 1e3:.1f} ms, "
        f"transformers {peer['maps_seconds'] * 1e3:.1f} ms: "
        f"{peer['maps_seconds'] / best['maps_seconds']:.2f} times faster"
    )


if __name__ == "__main__":
    main()
