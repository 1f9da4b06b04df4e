"""What heed_heads.cpp does, with PyTorch: eager attention that returns its weights, row statistics
and a max-pooled picture of every head; and scaled_dot_product_attention.

torch_heads.py HEADS N causal|full THREADS REPEATS: prints one JSON object. With one thread the
processor's time counts.
SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import os
import resource
import sys
import time

import torch
import torch.nn.functional as F

WIDTH = 64
PICTURE_SIDE = 1024


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as status:
        return int(status.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def shortest(repeats, work):
    clock = time.process_time if torch.get_num_threads() == 1 else time.perf_counter
    best = float("inf")
    for _ in range(repeats):
        begin = clock()
        work()
        best = min(best, clock() - begin)
    return best


def eager(q, k, v, blocked):
    """Attention as models write it that return their weights, e.g. `eager` of transformers."""
    scores = torch.matmul(q, k.transpose(-1, -2)) * WIDTH**-0.5
    if blocked is not None:
        scores = scores.masked_fill(blocked, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, v), weights, scores


def statistics(weights, scores):
    strongest, argmax = weights.max(dim=-1)
    # −Σ w ln w, 0 where w is 0
    entropy = torch.special.entr(weights).sum(dim=-1)
    return torch.logsumexp(scores, dim=-1), entropy, argmax, strongest


def main():
    heads, n, mask, threads, repeats = sys.argv[1:]
    heads, n, threads, repeats = int(heads), int(n), int(threads), int(repeats)
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    causal = mask == "causal"
    with torch.inference_mode():
        q, k, v = (torch.randn(1, heads, n, WIDTH) for _ in range(3))
        blocked = torch.ones(n, n, dtype=torch.bool).triu(1) if causal else None
        before = resident_bytes()
        cells = -(-n // PICTURE_SIDE)
        kept = []

        def weights_only():
            kept[:] = [eager(q, k, v, blocked)[1]]

        def all_a_viewer_needs():
            _, weights, scores = eager(q, k, v, blocked)
            picture = F.max_pool2d(weights, cells, ceil_mode=True) if cells > 1 else weights
            kept[:] = [statistics(weights, scores), (picture * 255).to(torch.uint8)]

        weights_seconds = shortest(repeats, weights_only)
        kept.clear()
        viewer_seconds = shortest(repeats, all_a_viewer_needs)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        kept.clear()
        sdpa_seconds = shortest(
            repeats, lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        )
    print(
        json.dumps(
            {
                "weights_seconds": weights_seconds,
                "viewer_seconds": viewer_seconds,
                "sdpa_seconds": sdpa_seconds,
                "before_bytes": before,
                "viewer_peak_bytes": peak,
                "torch": torch.__version__,
            }
        )
    )


if __name__ == "__main__":
    main()
