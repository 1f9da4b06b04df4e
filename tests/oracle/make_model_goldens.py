"""Tiny seeded checkpoints of every family with what transformers computes from them, for
tests/engine/model/tst_modelgoldens.cpp.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import pathlib
import shutil
import sys

import torch
import transformers
from safetensors.torch import save_file

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "golden" / "models"
VOCABULARY = 40
PADDING = 1
LENGTH = 7
PADDED_RIGHT = [7, 4, 1]  # tokens of the items
PADDED_LEFT = [7, 3]

COMMON = dict(
    vocab_size=VOCABULARY,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=48,
    max_position_embeddings=24,
    pad_token_id=PADDING,
    bos_token_id=0,
    eos_token_id=2,
)
GROUPED = dict(COMMON, num_key_value_heads=2)
LLAMA3 = dict(
    rope_type="llama3",
    rope_theta=10000.0,
    factor=8.0,
    low_freq_factor=1.0,
    high_freq_factor=4.0,
    original_max_position_embeddings=16,
)


def gpt2_config(**more):
    return dict(vocab_size=VOCABULARY, n_embd=32, n_layer=2, n_head=4, n_positions=24, n_inner=48,
                bos_token_id=0, eos_token_id=2, **more)


SEQ2SEQ = dict(vocab_size=VOCABULARY, d_model=32, encoder_layers=2, decoder_layers=3, encoder_attention_heads=4,
               decoder_attention_heads=2, encoder_ffn_dim=48, decoder_ffn_dim=40, max_position_embeddings=24,
               pad_token_id=PADDING, bos_token_id=0, eos_token_id=2, decoder_start_token_id=2)
T5 = dict(vocab_size=VOCABULARY, d_model=32, d_kv=16, d_ff=48, num_layers=2, num_decoder_layers=3, num_heads=4,
          relative_attention_num_buckets=8, relative_attention_max_distance=6, pad_token_id=PADDING, eos_token_id=2,
          decoder_start_token_id=PADDING)
TARGET_LENGTH = 5
LONGROPE = dict(rope_type="longrope", rope_theta=10000.0, long_factor=[1.5, 2.0, 3.0, 4.5], short_factor=[1.0, 1.1, 1.2, 1.4])

# name → (config class, model class, settings, options)
CASES = {
    "bert": ("BertConfig", "BertForMaskedLM", dict(COMMON, type_vocab_size=2), dict(dtype=torch.float32, types=True)),
    "minilm": ("BertConfig", "BertModel", dict(COMMON, num_hidden_layers=3), {}),
    "gpt2": ("GPT2Config", "GPT2LMHeadModel", gpt2_config(scale_attn_by_inverse_layer_idx=True), {}),
    "llama": ("LlamaConfig", "LlamaForCausalLM", dict(GROUPED, rope_parameters=LLAMA3, tie_word_embeddings=True), {}),
    "llama_old": ("LlamaConfig", "LlamaForCausalLM", dict(GROUPED, attention_bias=True, mlp_bias=True, rope_parameters=dict(LLAMA3)), dict(old_rope=True, dtype=torch.bfloat16)),
    "mistral": ("MistralConfig", "MistralForCausalLM", dict(GROUPED, sliding_window=4, head_dim=16), {}),
    "qwen2": ("Qwen2Config", "Qwen2ForCausalLM", dict(GROUPED, use_sliding_window=True, sliding_window=3, max_window_layers=1), {}),
    "qwen3": ("Qwen3Config", "Qwen3ForCausalLM", dict(GROUPED, head_dim=16), {}),
    "roberta": ("RobertaConfig", "RobertaForMaskedLM", dict(COMMON, type_vocab_size=1), {}),
    "distilbert": ("DistilBertConfig", "DistilBertForMaskedLM", dict(vocab_size=VOCABULARY, dim=32, n_layers=2, n_heads=4, hidden_dim=48, max_position_embeddings=24, pad_token_id=PADDING), {}),
    "electra": ("ElectraConfig", "ElectraForMaskedLM", dict(COMMON, embedding_size=16), {}),
    "albert": ("AlbertConfig", "AlbertForMaskedLM", dict(COMMON, embedding_size=16, num_hidden_layers=4, num_hidden_groups=2), {}),
    "gpt_neox": ("GPTNeoXConfig", "GPTNeoXForCausalLM", dict(COMMON, rotary_pct=0.5), {}),
    "opt": ("OPTConfig", "OPTForCausalLM", dict(vocab_size=VOCABULARY, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=48, max_position_embeddings=24, word_embed_proj_dim=32, pad_token_id=PADDING), {}),
    "opt_post": ("OPTConfig", "OPTForCausalLM", dict(vocab_size=VOCABULARY, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=48, max_position_embeddings=24, word_embed_proj_dim=16, do_layer_norm_before=False, pad_token_id=PADDING), {}),
    "phi": ("PhiConfig", "PhiForCausalLM", dict(GROUPED, partial_rotary_factor=0.5), {}),
    "gemma": ("GemmaConfig", "GemmaForCausalLM", dict(GROUPED, head_dim=16), {}),
    "gemma2": ("Gemma2Config", "Gemma2ForCausalLM", dict(GROUPED, num_hidden_layers=3, head_dim=16, sliding_window=4, query_pre_attn_scalar=24, attn_logit_softcapping=5.0, final_logit_softcapping=3.0), {}),
    "gemma3": ("Gemma3TextConfig", "Gemma3ForCausalLM", dict(GROUPED, num_hidden_layers=3, head_dim=16, sliding_window=4, sliding_window_pattern=2, query_pre_attn_scalar=24, rope_parameters=dict(full_attention=dict(rope_type="linear", factor=8.0, rope_theta=1e6), sliding_attention=dict(rope_type="default", rope_theta=1e4))), {}),
    "modernbert": ("ModernBertConfig", "ModernBertForMaskedLM", dict(COMMON, num_hidden_layers=4, local_attention=4, cls_token_id=0, sep_token_id=2), {}),
    "gpt_neo": ("GPTNeoConfig", "GPTNeoForCausalLM", dict(vocab_size=VOCABULARY, hidden_size=32, num_layers=3, num_heads=4, intermediate_size=48, max_position_embeddings=24, window_size=4, attention_types=[[["local", "global"], 1], [["local"], 1]], bos_token_id=0, eos_token_id=2), {}),
    "phi3": ("Phi3Config", "Phi3ForCausalLM", dict(GROUPED, sliding_window=4), {}),
    "t5": ("T5Config", "T5ForConditionalGeneration", T5, dict(targets=True)),
    "t5_gated": ("T5Config", "T5ForConditionalGeneration", dict(T5, feed_forward_proj="gated-gelu", tie_word_embeddings=False, relative_attention_num_buckets=32, relative_attention_max_distance=128), dict(targets=True)),
    "bart": ("BartConfig", "BartForConditionalGeneration", SEQ2SEQ, dict(targets=True)),
    "mbart": ("MBartConfig", "MBartForConditionalGeneration", dict(SEQ2SEQ, scale_embedding=True), dict(targets=True)),
    "marian": ("MarianConfig", "MarianMTModel", dict(SEQ2SEQ, activation_function="swish", scale_embedding=True, decoder_vocab_size=VOCABULARY, decoder_start_token_id=PADDING), dict(targets=True)),
    "llama_yarn": ("LlamaConfig", "LlamaForCausalLM", dict(GROUPED, head_dim=16, rope_parameters=dict(rope_type="yarn", rope_theta=100.0, factor=4.0, original_max_position_embeddings=16, beta_fast=2.0, beta_slow=0.2)), {}),
    "llama_dynamic": ("LlamaConfig", "LlamaForCausalLM", dict(GROUPED, max_position_embeddings=5, rope_parameters=dict(rope_type="dynamic", rope_theta=100.0, factor=2.0)), {}),
    "phi3_long": ("Phi3Config", "Phi3ForCausalLM", dict(GROUPED, original_max_position_embeddings=5, rope_parameters=dict(LONGROPE, original_max_position_embeddings=5)), {}),
    "phi3_short": ("Phi3Config", "Phi3ForCausalLM", dict(GROUPED, original_max_position_embeddings=16, rope_parameters=dict(LONGROPE, original_max_position_embeddings=16)), {}),
}


def seed_weights(model, seed):
    """Matrices large enough that heads differ, norms and biases away from one and zero."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            if parameter.dim() > 1:
                parameter.copy_(noise * (0.5 if "embed" in name or "wte" in name or "wpe" in name else 0.3))
                if name.endswith("Attention.q.weight"):
                    parameter.mul_(model.config.d_kv ** -0.5)  # T5 does not scale scores; its training begins so
            elif "norm" in name.lower() or "ln_" in name:
                is_weight = name.endswith("weight")
                one = 0.0 if "gemma" in type(model).__name__.lower() else 1.0
                parameter.copy_(noise * 0.2 + (one if is_weight else 0.0))
            else:
                parameter.copy_(noise * 0.2)


def capture_projections(model, taken):
    """Makes the attention of every layer keep its queries and keys, where the family lets us."""
    module = sys.modules[type(model).__module__]
    if not hasattr(module, "eager_attention_forward"):
        return lambda: None
    original = module.eager_attention_forward

    def keeping(layer, query, key, value, *arguments, **more):
        scale = more.get("scaling")
        if scale is None:
            scale = getattr(layer, "scaling", None) or query.shape[-1] ** -0.5
        taken.append((query.detach() * scale, key.detach(), value.detach()))
        return original(layer, query, key, value, *arguments, **more)

    module.eager_attention_forward = keeping
    return lambda: setattr(module, "eager_attention_forward", original)


def record(model, name, inputs, arrays):
    taken = []
    restore = capture_projections(model, taken)
    try:
        with torch.no_grad():
            result = model(**inputs, output_attentions=True, output_hidden_states=True, return_dict=True)
    finally:
        restore()
    arrays[f"{name}.ids"] = inputs["input_ids"]
    arrays[f"{name}.real"] = inputs["attention_mask"].sum(1)
    if "token_type_ids" in inputs:
        arrays[f"{name}.types"] = inputs["token_type_ids"]
    if name == "alone":
        for layer, (q, k, v) in enumerate(taken):
            arrays[f"{name}.q.{layer}"] = q  # times the scale of the scores
            arrays[f"{name}.k.{layer}"] = k
            arrays[f"{name}.v.{layer}"] = v
    for layer, weights in enumerate(result.attentions):
        arrays[f"{name}.weights.{layer}"] = weights
    for layer, hidden in enumerate(result.hidden_states):
        if hidden.shape[-1] != model.config.hidden_size:
            continue  # OPT gives the last one as projected for the head; the logits tell
        arrays[f"{name}.hidden.{layer}"] = hidden
    if "logits" in result:
        arrays[f"{name}.logits"] = result.logits


def record_both(model, name, inputs, arrays):
    """Of an encoder with a decoder: three sets of weights."""
    with torch.no_grad():
        result = model(**inputs, output_attentions=True, output_hidden_states=True, return_dict=True)
    arrays[f"{name}.ids"] = inputs["input_ids"]
    arrays[f"{name}.real"] = inputs["attention_mask"].sum(1)
    arrays[f"{name}.targets"] = inputs["decoder_input_ids"]
    arrays[f"{name}.targets_real"] = inputs["decoder_attention_mask"].sum(1)
    for prefix, weights in (("", result.encoder_attentions), ("decoder.", result.decoder_attentions),
                            ("cross.", result.cross_attentions)):
        for layer, tensor in enumerate(weights):
            arrays[f"{name}.{prefix}weights.{layer}"] = tensor
    for prefix, states in (("", result.encoder_hidden_states), ("decoder.", result.decoder_hidden_states)):
        for layer, tensor in enumerate(states):
            arrays[f"{name}.{prefix}hidden.{layer}"] = tensor
    arrays[f"{name}.logits"] = result.logits


def with_targets(inputs, generator, real, left):
    items = len(real)
    ids = torch.randint(3, VOCABULARY, (items, TARGET_LENGTH), generator=generator)
    place = torch.arange(TARGET_LENGTH)[None]
    counts = torch.tensor(real)[:, None]
    mask = (place >= TARGET_LENGTH - counts if left else place < counts).long()
    ids[mask == 0] = PADDING
    return dict(inputs, decoder_input_ids=ids, decoder_attention_mask=mask)


def inputs_for(generator, real, left, with_types):
    items = len(real)
    ids = torch.randint(3, VOCABULARY, (items, LENGTH), generator=generator)
    mask = torch.zeros(items, LENGTH, dtype=torch.long)
    for item, count in enumerate(real):
        if left:
            mask[item, LENGTH - count:] = 1
        else:
            mask[item, :count] = 1
    ids[mask == 0] = PADDING
    inputs = dict(input_ids=ids, attention_mask=mask)
    if with_types:
        inputs["token_type_ids"] = (torch.arange(LENGTH)[None] >= 3).long().repeat(items, 1)
    return inputs


def to_old_rope(file):
    """The spelling of configurations before transformers 5."""
    config = json.loads(file.read_text())
    rope = config.pop("rope_parameters")
    config["rope_theta"] = rope.pop("rope_theta")
    config["rope_scaling"] = rope
    file.write_text(json.dumps(config, indent=2) + "\n")


def make(number, name):
    config_class, model_class, settings, options = CASES[name]
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    config = getattr(transformers, config_class)(**settings)
    model = getattr(transformers, model_class)(config)
    seed_weights(model, 100 + number)
    if hasattr(model, "final_logits_bias"):
        model.final_logits_bias.copy_(torch.randn(model.final_logits_bias.shape, generator=torch.Generator().manual_seed(number)))
    model.tie_weights()
    model.to(options.get("dtype", torch.float16)).save_pretrained(folder)
    for extra in folder.iterdir():
        if extra.name not in ("config.json", "model.safetensors"):
            extra.unlink()

    model = getattr(transformers, model_class).from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager").eval()
    generator = torch.Generator().manual_seed(200 + number)
    arrays = {}
    with_types = options.get("types", False)
    for batch, real, targets, left in (("alone", [LENGTH], [TARGET_LENGTH], False),
                                       ("right", PADDED_RIGHT, [2, TARGET_LENGTH, 4], False),
                                       ("left", PADDED_LEFT, [TARGET_LENGTH, 3], True)):
        inputs = inputs_for(generator, real, left, with_types)
        if options.get("targets"):
            record_both(model, batch, with_targets(inputs, generator, targets, left), arrays)
        else:
            record(model, batch, inputs, arrays)
    save_file({key: value.contiguous() for key, value in arrays.items()}, folder / "golden.safetensors")

    if options.get("old_rope"):
        to_old_rope(folder / "config.json")
    size = sum(file.stat().st_size for file in folder.iterdir())
    print(f"{name}: {size // 1024} KiB, {len(arrays)} arrays")


def main():
    transformers.utils.logging.disable_progress_bar()
    wanted = sys.argv[1:] or list(CASES)
    for number, name in enumerate(CASES):
        if name in wanted:
            make(number, name)


if __name__ == "__main__":
    main()
