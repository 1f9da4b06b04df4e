// A mask as somebody has it, and what else is known about the attention it was made for.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/arrayfile.h"
#include "heed/text.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// Numbers as they were given, whatever they mean. C order.
struct MaskArray {
    ElementType type = ElementType::Float32;
    Shape shape;
    std::vector<double> numbers;
};

/// A mask and the argument it goes into.
struct GivenMask {
    MaskArray array;
    std::string slot; ///< a name of maskSlots(); empty = nobody said
};

/// A bug written down: at least one mask, and whatever is known. What is not known is empty, and
/// then it is found from the shapes where they say it.
struct MaskCase {
    std::vector<GivenMask> masks;
    std::optional<ElementType> computeType; ///< in which the scores are computed
    /// What the mask ought to be, an expression of compileMask().
    std::string intent;
    std::string window; ///< the window alone that was asked for, an expression
    std::int64_t batch = 0;
    std::int64_t heads = 0;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::optional<std::int64_t> past;  ///< cached keys before those of the queries
    std::vector<std::int64_t> lengths; ///< real keys of each item
    PadSide padSide = PadSide::Right;
    /// Of each item a number for each key; one row alone is for all items.
    std::vector<std::vector<std::int64_t>> pad;         ///< 1 = real, 0 = padding
    std::vector<std::vector<std::int64_t>> documents;   ///< the document of each position
    std::vector<std::vector<std::int64_t>> groups;      ///< the group (an image …), −1 = none
    std::vector<std::vector<std::int64_t>> positionIds; ///< what the model was told
    std::optional<bool> causalFlag;                     ///< is_causal or its like, in the same call
    std::optional<MaskArray> scores;                    ///< Q·Kᵀ scaled, before the mask
    std::optional<MaskArray> weights;                   ///< what the attention gave
};

/// Reads one JSON object (docs/formats.md, "Mask cases").
/// @param folder where file names in it are looked for.
/// @return Code::BadFormat for what is no such object, naming the member; Code::InvalidShape for
/// lists whose rows differ in length; the reader's errors for files beside it.
[[nodiscard]] Expected<MaskCase> readMaskCase(std::string_view json,
                                              const std::filesystem::path& folder);

/// A mask file alone as a case. @param array its name; may be empty where there is one.
[[nodiscard]] Expected<MaskArray> readMaskArray(const std::filesystem::path& file,
                                                const std::string& array);

/// The lowest finite number of a floating-point type; −∞ for others.
[[nodiscard]] double lowestOf(ElementType type);

} // namespace heed
