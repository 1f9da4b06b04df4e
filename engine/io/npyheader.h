// The header of a .npy array: read, checked and written.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/arrayfile.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace heed::detail {

inline constexpr std::string_view npyMagic{"\x93NUMPY", 6};

/// Bytes that tell how long the header is: magic, version, and a length of 2 or 4 bytes.
inline constexpr std::size_t npyPreambleSize = 12;

struct NpyHeader {
    ArrayInfo info; ///< without a name
    bool bigEndian = false;
    std::int64_t textUnits = 0;  ///< of parseNpyText(): code units of an element, the last axis
    std::size_t headerBytes = 0; ///< from the magic to the first element
    std::size_t dataBytes = 0;
};

/// Length of magic, version and header text.
/// @param start  at least the first npyPreambleSize bytes, or the whole array when it is shorter.
[[nodiscard]] Expected<std::size_t> npyHeaderSize(std::span<const std::byte> start,
                                                  const std::string& where);

/// @param start  at least npyHeaderSize() bytes.
/// @return Code::BadFormat; Code::Unsupported for text, dates, records, complex numbers, and
///         pickled objects; Code::UnsupportedVersion.
[[nodiscard]] Expected<NpyHeader> parseNpyHeader(std::span<const std::byte> start,
                                                 const std::string& where);

/// An array of text of one axis (read as one list) or two, whole; the "" at the end of a row are
/// what fills it and are left out.
/// @return Code::BadFormat; Code::Unsupported when it holds no text.
[[nodiscard]] Expected<std::vector<std::vector<std::string>>>
parseNpyText(std::span<const std::byte> bytes, const std::string& where);

/// Magic, version 1.0 and header, padded as NumPy does so that the elements begin at a multiple
/// of 64. @param descr  as NumPy writes it: "<f4".
[[nodiscard]] std::string makeNpyHeader(std::string_view descr, const Shape& shape);

/// NumPy's type string, "<f4". @return Code::Unsupported for bfloat16, which NumPy lacks.
[[nodiscard]] Expected<std::string> npyTypeString(ElementType type);

} // namespace heed::detail
