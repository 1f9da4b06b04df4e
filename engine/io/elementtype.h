// The numbers of stored arrays: conversion to float32, byte order, axis order.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/arrayfile.h"
#include "io/source.h"

#include <bit>
#include <cstdint>
#include <span>

namespace heed::detail {

static_assert(std::endian::native == std::endian::little,
              "the readers take little-endian files as the memory layout of the machine");

/// IEEE binary16 to float32: exact, with subnormals, infinities and the payload of a NaN.
[[nodiscard]] float halfToFloat(std::uint16_t bits);

/// The upper half of a float32: exact.
[[nodiscard]] float bfloat16ToFloat(std::uint16_t bits);

/// @param raw  little-endian elements of @p type, any alignment, out.size() of them.
/// Bool gives 0 or 1; 64-bit numbers are rounded to nearest.
void convertToFloat(ElementType type, std::span<const std::byte> raw, std::span<float> out);

/// Reverses the bytes of every element of @p size bytes, in place.
void swapByteOrder(std::span<std::byte> elements, std::int64_t size);

/// Copies an array whose first axis varies fastest into C order.
/// @param size  bytes of an element: 1, 2, 4 or 8. @p from and @p to hold the whole of @p shape.
void fortranToC(const Shape& shape, std::int64_t size, std::span<const std::byte> from,
                std::span<std::byte> to);

/// An array as it lies in a file.
struct StoredArray {
    const ArrayInfo* info = nullptr;
    bool bigEndian = false;
    std::span<const std::byte> bytes; ///< exactly the elements; the reader has checked the size
    Forget forget = nullptr;          ///< of the source of the bytes
};

/// See ArrayFile::read().
[[nodiscard]] Expected<Tensor> decodeTensor(const StoredArray& array, const std::string& where);

/// Rows from @p first on to all of @p out, which the array has: see ArrayFile::readRows().
/// @return false, with nothing done, where rows do not lie together or their bytes are swapped.
[[nodiscard]] bool decodeRows(const StoredArray& array, std::int64_t first, MatrixView<float> out);

/// See ArrayFile::readRaw(). Bytes of a Bool are 0 or 1 whatever was stored.
[[nodiscard]] Expected<std::vector<std::byte>> decodeRaw(const StoredArray& array,
                                                         const std::string& where);

/// See ArrayFile::mapped().
[[nodiscard]] std::span<const float> decodeInPlace(const StoredArray& array);

/// Bytes that @p shape of @p type takes.
/// @return the errors of elementCount(), or Code::OutOfMemory.
[[nodiscard]] Expected<std::size_t> byteCount(const Shape& shape, ElementType type);

/// Most axes of an array: NumPy's limit. Keeps every loop over axes short.
inline constexpr std::size_t maxRank = 64;

} // namespace heed::detail
