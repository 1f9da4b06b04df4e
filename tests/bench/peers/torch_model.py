"""What heed_model.cpp does, with transformers: eager attention that returns every map.

torch_model.py DIR|FILE.gguf TOKENS THREADS REPEATS: prints one JSON object. With one thread the processor's
time counts.
SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import sys
import time
from pathlib import Path

import torch
import transformers


def main():
    folder, tokens, threads, repeats = sys.argv[1], *map(int, sys.argv[2:])
    torch.set_num_threads(threads)
    clock = time.process_time if threads == 1 else time.perf_counter
    place = Path(folder)
    where = {"gguf_file": place.name} if place.suffix == ".gguf" else {}
    model = transformers.AutoModel.from_pretrained(
        place.parent if where else place, attn_implementation="eager", dtype=torch.float32, **where
    ).eval()
    best = float("inf")
    total = 0.0
    with torch.inference_mode():
        for i in range(repeats + 1):
            ids = torch.arange(1000 + i, 1000 + i + tokens)[None]
            begin = clock()
            maps = model(ids, output_attentions=True).attentions
            seconds = clock() - begin
            total += sum(float(layer.double().sum()) for layer in maps)
            if i > 0:  # the first warms up
                best = min(best, seconds)
    print(
        json.dumps(
            {
                "maps_seconds": best,
                "weights_sum": total,
                "torch": torch.__version__,
                "transformers": transformers.__version__,
            }
        )
    )


if __name__ == "__main__":
    main()
