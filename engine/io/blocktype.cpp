// The types of GGUF tensors and what their blocks mean. Products and differences are rounded in the
// order of the reference, so that every number is the one it gives.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/blocktype.h"

#include "io/elementtype.h"

#include <array>
#include <cstring>

namespace heed::detail {

namespace {

using Byte = std::uint8_t;

float halfAt(const Byte* bytes)
{
    std::uint16_t bits = 0;
    std::memcpy(&bits, bytes, sizeof bits);
    return halfToFloat(bits);
}

std::uint32_t wordAt(const Byte* bytes)
{
    std::uint32_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

float toFloat(int value)
{
    return static_cast<float>(value);
}

// Blocks of 32: the low halves of the bytes are the first 16 numbers, the high halves the others.

void decodeQ40(const Byte* block, float* out)
{
    const float d = halfAt(block);
    const Byte* qs = block + 2;
    for (int j = 0; j < 16; ++j) {
        out[j] = d * toFloat((qs[j] & 15) - 8);
        out[j + 16] = d * toFloat((qs[j] >> 4) - 8);
    }
}

void decodeQ41(const Byte* block, float* out)
{
    const float d = halfAt(block);
    const float m = halfAt(block + 2);
    const Byte* qs = block + 4;
    for (int j = 0; j < 16; ++j) {
        out[j] = d * toFloat(qs[j] & 15) + m;
        out[j + 16] = d * toFloat(qs[j] >> 4) + m;
    }
}

/// Number j, and j + 16 as the second: bit j of @p high is the fifth bit.
std::pair<int, int> fiveBits(const Byte* qs, std::uint32_t high, int j)
{
    const auto bit = [high](int at) { return static_cast<int>(high >> at & 1U) << 4; };
    return {(qs[j] & 15) | bit(j), (qs[j] >> 4) | bit(j + 16)};
}

void decodeQ50(const Byte* block, float* out)
{
    const float d = halfAt(block);
    const std::uint32_t high = wordAt(block + 2);
    for (int j = 0; j < 16; ++j) {
        const auto [first, second] = fiveBits(block + 6, high, j);
        out[j] = d * toFloat(first - 16);
        out[j + 16] = d * toFloat(second - 16);
    }
}

void decodeQ51(const Byte* block, float* out)
{
    const float d = halfAt(block);
    const float m = halfAt(block + 2);
    const std::uint32_t high = wordAt(block + 4);
    for (int j = 0; j < 16; ++j) {
        const auto [first, second] = fiveBits(block + 8, high, j);
        out[j] = d * toFloat(first) + m;
        out[j + 16] = d * toFloat(second) + m;
    }
}

void decodeQ80(const Byte* block, float* out)
{
    const float d = halfAt(block);
    for (int j = 0; j < 32; ++j) {
        out[j] = d * toFloat(static_cast<std::int8_t>(block[2 + j]));
    }
}

// Blocks of 256 with a scale a group. Q2_K and Q3_K: group g has 16 numbers; two halves of 128
// numbers share 32 bytes each, two bits a number, four rounds with the next two bits.

struct TwoBitGroup {
    int bytes; ///< where its 16 bytes begin in qs
    int part;  ///< the same within 32 bytes
    int shift;
    int round; ///< over both halves, 0…7
};

TwoBitGroup twoBitGroup(int g)
{
    const int half = g / 8;
    const int round = g % 8 / 2;
    const int part = g % 2 * 16;
    return {half * 32 + part, part, 2 * round, half * 4 + round};
}

void decodeQ2K(const Byte* block, float* out)
{
    const Byte* scales = block;
    const Byte* qs = block + 16;
    const float d = halfAt(block + 80);
    const float dmin = halfAt(block + 82);
    for (int g = 0; g < 16; ++g) {
        const TwoBitGroup group = twoBitGroup(g);
        const float scale = d * toFloat(scales[g] & 15);
        const float least = dmin * toFloat(scales[g] >> 4);
        for (int l = 0; l < 16; ++l) {
            out[g * 16 + l] = scale * toFloat(qs[group.bytes + l] >> group.shift & 3) - least;
        }
    }
}

void decodeQ3K(const Byte* block, float* out)
{
    const Byte* highBits = block;
    const Byte* qs = block + 32;
    const Byte* scales = block + 96;
    const float d = halfAt(block + 108);
    for (int g = 0; g < 16; ++g) {
        const TwoBitGroup group = twoBitGroup(g);
        const int low = g < 8 ? scales[g] & 15 : scales[g - 8] >> 4;
        const int high = scales[8 + g % 4] >> (2 * (g / 4)) & 3;
        const float scale = d * toFloat((low | high << 4) - 32);
        for (int l = 0; l < 16; ++l) {
            const int bit = highBits[group.part + l] >> group.round & 1;
            const int q = (qs[group.bytes + l] >> group.shift & 3) - (bit == 0 ? 4 : 0);
            out[g * 16 + l] = scale * toFloat(q);
        }
    }
}

// Q4_K and Q5_K: eight groups of 32; a chunk of 32 bytes holds two groups, low and high halves.

/// The scale and the minimum of group @p g: six bits each, packed into 12 bytes.
std::pair<int, int> scaleAndLeast(const Byte* b, int g)
{
    if (g < 4) {
        return {b[g] & 63, b[g + 4] & 63};
    }
    return {(b[g + 4] & 15) | b[g - 4] >> 6 << 4, b[g + 4] >> 4 | b[g] >> 6 << 4};
}

void decodeQ4K(const Byte* block, float* out)
{
    const float d = halfAt(block);
    const float dmin = halfAt(block + 2);
    const Byte* qs = block + 16;
    for (int g = 0; g < 8; ++g) {
        const auto [sixBits, leastBits] = scaleAndLeast(block + 4, g);
        const float scale = d * toFloat(sixBits);
        const float least = dmin * toFloat(leastBits);
        for (int l = 0; l < 32; ++l) {
            const int q = qs[g / 2 * 32 + l] >> (g % 2 * 4) & 15;
            out[g * 32 + l] = scale * toFloat(q) - least;
        }
    }
}

void decodeQ5K(const Byte* block, float* out)
{
    const float d = halfAt(block);
    const float dmin = halfAt(block + 2);
    const Byte* highBits = block + 16;
    const Byte* qs = block + 48;
    for (int g = 0; g < 8; ++g) {
        const auto [sixBits, leastBits] = scaleAndLeast(block + 4, g);
        const float scale = d * toFloat(sixBits);
        const float least = dmin * toFloat(leastBits);
        for (int l = 0; l < 32; ++l) {
            const int low = qs[g / 2 * 32 + l] >> (g % 2 * 4) & 15;
            const int high = highBits[l] >> g & 1;
            out[g * 32 + l] = scale * toFloat(low | high << 4) - least;
        }
    }
}

// Q6_K: two halves of 128; quarter k of one takes four bits of ql and two of qh.
void decodeQ6K(const Byte* block, float* out)
{
    const float d = halfAt(block + 208);
    for (int half = 0; half < 2; ++half) {
        const Byte* ql = block + half * 64;
        const Byte* qh = block + 128 + half * 32;
        const Byte* scales = block + 192 + half * 8;
        for (int k = 0; k < 4; ++k) {
            for (int l = 0; l < 32; ++l) {
                const int low = ql[k % 2 * 32 + l] >> (k / 2 * 4) & 15;
                const int high = qh[l] >> (2 * k) & 3;
                const float scale = d * toFloat(static_cast<std::int8_t>(scales[2 * k + l / 16]));
                out[half * 128 + k * 32 + l] = scale * toFloat((low | high << 4) - 32);
            }
        }
    }
}

template <std::size_t Bytes, std::size_t Elements, void (*Block)(const Byte*, float*)>
void decodeAll(std::span<const std::byte> blocks, std::span<float> out)
{
    const auto* block = reinterpret_cast<const Byte*>(blocks.data());
    for (std::size_t at = 0; at < out.size(); at += Elements, block += Bytes) {
        Block(block, out.data() + at);
    }
}

template <ElementType Type>
void decodePlain(std::span<const std::byte> elements, std::span<float> out)
{
    convertToFloat(Type, elements, out);
}

template <ElementType Type>
constexpr BlockType plain(std::string_view name, std::uint32_t bytes)
{
    return {name, 1, bytes, Type, decodePlain<Type>};
}

template <std::uint32_t Bytes, std::uint32_t Elements, void (*Block)(const Byte*, float*)>
constexpr BlockType blocks(std::string_view name)
{
    return {name, Elements, Bytes, {}, decodeAll<Bytes, Elements, Block>};
}

// By number. What was taken out of the format keeps its number.
constexpr std::array<BlockType, 42> blockTypes = {{plain<ElementType::Float32>("F32", 4),
                                                   plain<ElementType::Float16>("F16", 2),
                                                   blocks<18, 32, decodeQ40>("Q4_0"),
                                                   blocks<20, 32, decodeQ41>("Q4_1"),
                                                   {"Q4_2"},
                                                   {"Q4_3"},
                                                   blocks<22, 32, decodeQ50>("Q5_0"),
                                                   blocks<24, 32, decodeQ51>("Q5_1"),
                                                   blocks<34, 32, decodeQ80>("Q8_0"),
                                                   {"Q8_1", 32, 36},
                                                   blocks<84, 256, decodeQ2K>("Q2_K"),
                                                   blocks<110, 256, decodeQ3K>("Q3_K"),
                                                   blocks<144, 256, decodeQ4K>("Q4_K"),
                                                   blocks<176, 256, decodeQ5K>("Q5_K"),
                                                   blocks<210, 256, decodeQ6K>("Q6_K"),
                                                   {"Q8_K", 256, 292},
                                                   {"IQ2_XXS", 256, 66},
                                                   {"IQ2_XS", 256, 74},
                                                   {"IQ3_XXS", 256, 98},
                                                   {"IQ1_S", 256, 50},
                                                   {"IQ4_NL", 32, 18},
                                                   {"IQ3_S", 256, 110},
                                                   {"IQ2_S", 256, 82},
                                                   {"IQ4_XS", 256, 136},
                                                   plain<ElementType::Int8>("I8", 1),
                                                   plain<ElementType::Int16>("I16", 2),
                                                   plain<ElementType::Int32>("I32", 4),
                                                   plain<ElementType::Int64>("I64", 8),
                                                   plain<ElementType::Float64>("F64", 8),
                                                   {"IQ1_M", 256, 56},
                                                   plain<ElementType::BFloat16>("BF16", 2),
                                                   {"Q4_0_4_4"},
                                                   {"Q4_0_4_8"},
                                                   {"Q4_0_8_8"},
                                                   {"TQ1_0", 256, 54},
                                                   {"TQ2_0", 256, 66},
                                                   {"IQ4_NL_4_4"},
                                                   {"IQ4_NL_4_8"},
                                                   {"IQ4_NL_8_8"},
                                                   {"MXFP4", 32, 17},
                                                   {"NVFP4", 64, 36},
                                                   {"Q1_0", 128, 18}}};

} // namespace

const BlockType* blockType(std::uint32_t number)
{
    return number < blockTypes.size() ? &blockTypes[number] : nullptr;
}

} // namespace heed::detail
