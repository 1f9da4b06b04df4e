"""Tiny seeded GGUF checkpoints with what transformers computes from their weights, for
tests/engine/model/tst_modelgoldens.cpp.

Names of tensors, values and blocks are those of the gguf library; what conversion does to weights is
written down here and undone by transformers' own reader of GGUF, where it has one for the family.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import math
import pathlib
import shutil
import sys

import gguf
import numpy as np
import torch
import transformers
from gguf import GGMLQuantizationType as T
from safetensors.torch import save_file

from make_gguf_goldens import SCALES
from make_model_goldens import CASES, LENGTH, LLAMA3, PADDED_LEFT, PADDED_RIGHT, PADDING, inputs_for, record, seed_weights

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "golden" / "ggufmodels"
TYPES = [T.Q8_0, T.Q4_0, T.F16, T.Q5_1, T.Q4_1, T.BF16, T.Q5_0, T.F32]
MLP = 256  # a row of the matrix behind it fills a K block
BLOCKS = [T.Q4_K, T.Q6_K, T.Q5_K, T.Q3_K, T.Q2_K]

# name → (architecture, family of make_model_goldens.py, settings that differ, options)
MODELS = {
    "llama": ("llama", "llama", dict(intermediate_size=MLP, tie_word_embeddings=False), dict(again=True)),
    "qwen2": ("qwen2", "qwen2", dict(intermediate_size=MLP, use_sliding_window=False, tie_word_embeddings=True), dict(again=True)),
    "qwen3": ("qwen3", "qwen3", dict(intermediate_size=MLP), dict(again=True)),
    "gemma": ("gemma", "gemma", dict(intermediate_size=MLP), dict(split=8)),
    "gemma2": ("gemma2", "gemma2", dict(intermediate_size=MLP, query_pre_attn_scalar=16), dict(again=True)),
    "gemma3": ("gemma3", "gemma3", dict(intermediate_size=MLP, query_pre_attn_scalar=16, num_hidden_layers=6, sliding_window_pattern=6), dict(again=True)),
    "phi2": ("phi2", "phi", dict(intermediate_size=MLP), {}),
    "phi3": ("phi3", "phi3", dict(intermediate_size=MLP), dict(again=True)),
    "gpt2": ("gpt2", "gpt2", dict(n_inner=MLP, scale_attn_by_inverse_layer_idx=False), {}),
    "gptneox": ("gptneox", "gpt_neox", dict(intermediate_size=MLP), {}),
    "bert": ("bert", "minilm", dict(intermediate_size=MLP, num_hidden_layers=2), {}),
    "phi3_long": ("phi3", "phi3_long", dict(intermediate_size=MLP), {}),
}


def pairs(tensor, heads, back=False):
    """Rows of Q or K from halves to adjacent pairs, as conversion to the llama architecture does."""
    half = tensor.shape[0] // heads // 2
    shape = (heads, half, 2) if back else (heads, 2, half)
    return tensor.reshape(*shape, *tensor.shape[1:]).swapaxes(1, 2).reshape(tensor.shape)


def per_head(tensor, heads, back=False):
    """Rows of a fused projection from [head][q, k, v] to [q, k, v][head]."""
    size = tensor.shape[0] // heads // 3
    shape = (3, heads, size) if back else (heads, 3, size)
    return tensor.reshape(*shape, *tensor.shape[1:]).swapaxes(0, 1).reshape(tensor.shape)


def convert(arch, name, tensor, config, back=False):
    if arch == "llama" and ("q_proj" in name or "k_proj" in name):
        heads = config.num_attention_heads if "q_proj" in name else config.num_key_value_heads
        return pairs(tensor, heads, back)
    if arch.startswith("gemma") and name.endswith("norm.weight"):
        return tensor - 1 if back else tensor + 1
    if arch == "gpt2" and tensor.ndim == 2 and any(part in name for part in ("c_attn", "c_proj", "c_fc")):
        return tensor.T
    if arch == "gptneox" and "query_key_value" in name:
        return per_head(tensor, config.num_attention_heads, back)
    return tensor


def quantised(random, name, tensor, number):
    """The bytes to store and their type."""
    if tensor.ndim == 1 or "position" in name:
        return tensor, T.F32
    if tensor.shape[1] % 256 == 0:
        kind = BLOCKS[number % len(BLOCKS)]
        elements, size = gguf.GGML_QUANT_SIZES[kind]
        blocks = random.integers(0, 256, (tensor.shape[0], tensor.shape[1] // elements, size), dtype=np.uint8)
        for at in SCALES[kind]:
            scale = random.normal(0, 2e-4, blocks.shape[:2]).astype(np.float16)
            blocks[..., at:at + 2] = scale[..., None].view(np.uint8)
        return blocks.reshape(tensor.shape[0], -1), kind
    kind = TYPES[number % len(TYPES)] if tensor.shape[1] % 32 == 0 else T.F16
    return gguf.quantize(tensor, kind), kind


def rope_factors(config):
    """What the frequencies of Llama 3 are divided by, as conversion computes it."""
    rope, size = config.rope_parameters, config.hidden_size // config.num_attention_heads
    factors = []
    for c in range(0, size, 2):
        wave = 2 * math.pi * rope["rope_theta"] ** (c / size)
        low = rope["original_max_position_embeddings"] / rope["low_freq_factor"]
        high = rope["original_max_position_embeddings"] / rope["high_freq_factor"]
        share = (rope["original_max_position_embeddings"] / wave - rope["low_freq_factor"]) / (
            rope["high_freq_factor"] - rope["low_freq_factor"])
        factors.append(1.0 if wave < high else rope["factor"] if wave > low else 1 / ((1 - share) / rope["factor"] + share))
    return np.array(factors, np.float32)


def rope_type(config):
    return (getattr(config, "rope_parameters", None) or {}).get("rope_type")


def write_values(writer, arch, config):
    get = lambda *names: next((getattr(config, n) for n in names if getattr(config, n, None) is not None), None)
    heads, width = get("num_attention_heads", "n_head"), get("hidden_size", "n_embd")
    writer.add_context_length(get("max_position_embeddings", "n_positions"))
    writer.add_vocab_size(config.vocab_size)
    writer.add_embedding_length(width)
    writer.add_block_count(get("num_hidden_layers", "n_layer"))
    writer.add_feed_forward_length(MLP)
    writer.add_head_count(heads)
    if get("num_key_value_heads"):
        writer.add_head_count_kv(get("num_key_value_heads"))
    if arch in ("qwen3", "gemma", "gemma2", "gemma3"):
        writer.add_key_length(config.head_dim)
        writer.add_value_length(config.head_dim)
    if get("rms_norm_eps"):
        writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    else:
        writer.add_layer_norm_eps(get("layer_norm_eps", "layer_norm_epsilon"))
    rope = get("rope_parameters")
    if arch == "gemma3":
        writer.add_rope_freq_base(rope["full_attention"]["rope_theta"])
        writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        writer.add_rope_scaling_factor(rope["full_attention"]["factor"])
    elif rope:
        size = get("head_dim") or width // heads
        writer.add_rope_freq_base(rope["rope_theta"])
        writer.add_rope_dimension_count(int(size * rope.get("partial_rotary_factor", 1)))
    if arch in ("gemma2", "gemma3", "phi3") and config.sliding_window:
        writer.add_sliding_window(config.sliding_window)
    if arch == "gemma2":
        writer.add_attn_logit_softcapping(config.attn_logit_softcapping)
        writer.add_final_logit_softcapping(config.final_logit_softcapping)
    if arch == "gptneox":
        writer.add_parallel_residual(config.use_parallel_residual)
    if arch == "bert":
        writer.add_causal_attention(False)
    writer.add_quantization_version(2)


def make(number, name):
    arch, family, more, options = MODELS[name]
    config_class, model_class, settings, _ = CASES[family]
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    config = getattr(transformers, config_class)(**dict(settings, **more))
    model = getattr(transformers, model_class)(config)
    seed_weights(model, 300 + number)
    model.tie_weights()
    random = np.random.default_rng(number)
    layers = getattr(config, "num_hidden_layers", None) or config.n_layer
    kind = next(key for key, value in gguf.MODEL_ARCH_NAMES.items() if value == arch)
    names = gguf.get_tensor_name_map(kind, layers)
    writer = gguf.GGUFWriter(folder / "model.gguf", arch, split_max_tensors=options.get("split", 0))
    write_values(writer, arch, config)
    if arch == "llama":
        writer.add_tensor("rope_freqs.weight", rope_factors(config))
    if rope_type(config) == "longrope":
        rope = config.rope_parameters
        writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
        factor = config.max_position_embeddings / rope["original_max_position_embeddings"]
        writer.add_rope_scaling_attn_factors(
            math.sqrt(1 + math.log(factor) / math.log(rope["original_max_position_embeddings"])))
        writer.add_tensor("rope_factors_long.weight", np.array(rope["long_factor"], np.float32))
        writer.add_tensor("rope_factors_short.weight", np.array(rope["short_factor"], np.float32))
    state, shared = model.state_dict(), set()
    for count, (key, tensor) in enumerate(sorted(state.items())):
        stored_name = names.get_name(key, try_suffixes=(".weight", ".bias"))
        is_tied = getattr(config, "tie_word_embeddings", True) and key in ("lm_head.weight", "embed_out.weight")
        if stored_name is None or is_tied or "pooler" in key:
            shared.add(key)
            continue
        array = convert(arch, key, tensor.numpy(), config)
        stored, kind = quantised(random, stored_name, np.ascontiguousarray(array), count)
        writer.add_tensor(stored_name, stored, raw_dtype=kind)
        read = gguf.dequantize(stored, kind).reshape(array.shape).astype(np.float32)
        state[key] = torch.from_numpy(np.ascontiguousarray(convert(arch, key, read, config, back=True)))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()

    model = getattr(transformers, model_class)._from_config(config, dtype=torch.float32, attn_implementation="eager")
    model.load_state_dict({key: value for key, value in state.items() if key not in shared}, strict=False)
    model.tie_weights()
    model.eval()
    generator = torch.Generator().manual_seed(400 + number)
    arrays = {}
    record(model, "alone", inputs_for(generator, [LENGTH], False, False), arrays)
    record(model, "right", inputs_for(generator, PADDED_RIGHT, False, False), arrays)
    record(model, "left", inputs_for(generator, PADDED_LEFT, True, False), arrays)
    save_file({key: value.contiguous() for key, value in arrays.items()}, folder / "golden.safetensors")
    if options.get("again"):
        again = getattr(transformers, model_class).from_pretrained(
            folder, gguf_file="model.gguf", config=config, dtype=torch.float32, attn_implementation="eager").eval()
        with torch.no_grad():
            error = (again(arrays["alone.ids"]).logits - arrays["alone.logits"]).abs().max()
        print(f"  transformers reads the file: logits differ by {error:.1e}")
    size = sum(file.stat().st_size for file in folder.iterdir())
    print(f"{name}: {size // 1024} KiB, {[file.name for file in folder.iterdir()]}, left out {sorted(shared)}")


if __name__ == "__main__":
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    for index, case in enumerate(MODELS):
        if len(sys.argv) == 1 or case in sys.argv[1:]:
            make(index, case)
