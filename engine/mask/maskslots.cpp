// The table of slots. Sources: the documentation and code of each library.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/maskslot.h"

#include "text/nearestname.h"

#include <algorithm>
#include <string>
#include <vector>

namespace heed {

namespace {

using detail::inQuotes;
using enum MaskMeaning;
using Row = EmptyRowOutcome;
using Flag = CausalAnchor;

constexpr std::array<std::string_view, 4> Planes = {"", "LS", "BLS", "BHLS"};
constexpr std::array<std::string_view, 4> RightAligned = {"", "LS", "HLS", "BHLS"};
constexpr std::array<std::string_view, 4> Keys = {"", "BS", "", ""};

constexpr std::array Slots = {
    MaskSlot{"keep", "a mask whose 1 keeps", Keep, Keep, Keep, Planes, true, Flag::None,
             Row::Unknown, "", ""},
    MaskSlot{"blocked", "a mask whose 1 blocks", Blocked, Blocked, Blocked, Planes, true,
             Flag::None, Row::Unknown, "", ""},
    MaskSlot{"additive", "numbers added to the scores", Added, Added, Added, Planes, true,
             Flag::None, Row::Unknown, "", ""},
    MaskSlot{"torch.mha.attn_mask",
             "attn_mask of nn.MultiheadAttention (PyTorch)",
             Blocked,
             Refused,
             Added,
             {"", "LS", "NLS", ""},
             false,
             Flag::None,
             Row::NotANumber,
             "-inf",
             "is_causal is a promise there, not a mask. Without weights wanted, the row may be 0."},
    MaskSlot{"torch.mha.key_padding_mask",
             "key_padding_mask of nn.MultiheadAttention (PyTorch)",
             Blocked,
             Refused,
             Added,
             {"S", "BS", "", ""},
             false,
             Flag::None,
             Row::NotANumber,
             "-inf",
             ""},
    MaskSlot{"torch.sdpa", "attn_mask of scaled_dot_product_attention (PyTorch)", Keep, Refused,
             Added, RightAligned, true, Flag::UpperLeft, Row::Zero, "-inf",
             "Before PyTorch 2.5 a row without keys was NaN, and still is on some GPUs.", true},
    MaskSlot{"torch.flex", "mask_mod of flex_attention (PyTorch)", Keep, Refused, Refused,
             RightAligned, true, Flag::None, Row::Zero, "-inf", "Indices are raw: upper left."},
    MaskSlot{"hf.2d", "attention_mask with two axes (Hugging Face transformers)", Keep, Keep, Keep,
             Keys, false, Flag::None, Row::Unknown, "finfo.min", "Cast to bool: 2 keeps like 1."},
    MaskSlot{"hf.4d.sdpa",
             "attention_mask with four axes, sdpa (Hugging Face transformers)",
             Keep,
             Refused,
             Added,
             {"", "", "", "BHLS"},
             true,
             Flag::None,
             Row::Zero,
             "finfo.min",
             "Used as it is: it has to hold the causal part, padding and window.",
             true},
    MaskSlot{"hf.4d.eager",
             "attention_mask with four axes, eager (Hugging Face transformers)",
             Added,
             Added,
             Added,
             {"", "", "", "BHLS"},
             true,
             Flag::None,
             Row::Uniform,
             "finfo.min",
             "Added to the scores whatever its type."},
    MaskSlot{"jax.mask",
             "mask of jax.nn.dot_product_attention",
             Keep,
             Refused,
             Refused,
             {"", "", "HLS", "BHLS"},
             true,
             Flag::UpperLeft,
             Row::Uniform,
             "-0.7 finfo.max",
             "",
             false,
             true},
    MaskSlot{"jax.bias",
             "bias of jax.nn.dot_product_attention",
             Refused,
             Added,
             Added,
             {"", "", "HLS", "BHLS"},
             true,
             Flag::UpperLeft,
             Row::Uniform,
             "-0.7 finfo.max",
             "",
             false,
             true},
    MaskSlot{"flax", "mask of flax.linen attention", Keep, Keep, Keep, RightAligned, true,
             Flag::None, Row::Uniform, "finfo.min", "Tested for truth, never added."},
    MaskSlot{"keras.mha",
             "attention_mask of MultiHeadAttention (Keras)",
             Keep,
             Keep,
             Keep,
             {"", "LS", "BLS", "BHLS"},
             true,
             Flag::UpperLeft,
             Row::Unknown,
             "-1e9 (-3e4 in fp16)",
             "A row without keys is 0 where scores are returned, and uniform otherwise.",
             false,
             true},
    MaskSlot{"keras.attention", "mask of Attention (Keras)", Keep, Keep, Keep, Keys, false,
             Flag::UpperLeft, Row::Uniform, "-1e9 (-65504 in fp16)", "", false, true},
    MaskSlot{"xformers", "attn_bias of memory_efficient_attention (xFormers)", Refused, Refused,
             Added, Planes, true, Flag::None, Row::Unknown, "-inf", ""},
    MaskSlot{"onnx", "attn_mask of the ONNX operator Attention", Keep, Added, Added, RightAligned,
             true, Flag::Past, Row::Zero, "-inf", "Three axes are heads, never items.", false,
             true},
    MaskSlot{"ort.mask_index",
             "mask_index of com.microsoft.Attention (ONNX Runtime)",
             Refused,
             Keep,
             Refused,
             {"", "BS", "BLS", "BHLS"},
             true,
             Flag::Past,
             Row::Uniform,
             "-10000",
             "The penalty is finite: a row whose keys all get it is not masked at all.",
             false,
             true},
    MaskSlot{"mlx.sdpa", "mask of fast.scaled_dot_product_attention (MLX)", Keep, Added, Added,
             RightAligned, true, Flag::LowerRight, Row::Uniform, "finfo.min",
             "Whole numbers are added, too."},
    MaskSlot{"mlx.mha", "mask of nn.MultiHeadAttention (MLX)", Added, Added, Added, RightAligned,
             true, Flag::None, Row::Uniform, "-inf", ""},
    MaskSlot{"llama.cpp", "KQ_mask of llama.cpp", Refused, Refused, Added, Planes, true, Flag::None,
             Row::Unknown, "-inf", ""},
    MaskSlot{"te",
             "attention_mask of Transformer Engine",
             Blocked,
             Blocked,
             Refused,
             {"", "", "", "BHLS"},
             true,
             Flag::None,
             Row::Unknown,
             "",
             ""},
};

} // namespace

std::span<const MaskSlot> maskSlots()
{
    return Slots;
}

Expected<const MaskSlot*> findMaskSlot(std::string_view name)
{
    const auto* const found = std::ranges::find(Slots, name, &MaskSlot::name);
    if (found != Slots.end()) {
        return found;
    }
    std::vector<std::string_view> names;
    names.reserve(Slots.size());
    for (const MaskSlot& slot : Slots) {
        names.push_back(slot.name);
    }
    return fail(Code::NotFound,
                "There is no slot " + inQuotes(name, 60) + ". The nearest name is " +
                    inQuotes(detail::nearestName(name, names), 60) + ".",
                "--slot");
}

} // namespace heed
