// How the slots of a case read its masks: which number each cell gets, and which cells are kept.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/execution.h"
#include "heed/mask.h"
#include "heed/maskcase.h"
#include "heed/maskslot.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace heed::detail {

/// Below it a number that is added to a score is meant to block. Biases (ALiBi, T5) are smaller.
inline constexpr double BlockingPenalty = -50;

[[nodiscard]] inline bool isFloat(ElementType type)
{
    return type == ElementType::Float16 || type == ElementType::BFloat16 ||
           type == ElementType::Float32 || type == ElementType::Float64;
}

struct CaseExtents {
    std::int64_t items = 1;
    std::int64_t heads = 1;
    std::int64_t queries = 1;
    std::int64_t keys = 1;
};

/// Where the number of a cell lies in an array that may lack axes.
struct CellPlaces {
    std::array<std::int64_t, 4> strides{}; ///< of item, head, query, key; 0 = the same for all

    [[nodiscard]] std::size_t at(std::int64_t item, std::int64_t head, std::int64_t query,
                                 std::int64_t key) const
    {
        return static_cast<std::size_t>(item * strides[0] + head * strides[1] + query * strides[2] +
                                        key * strides[3]);
    }
};

/// One mask of a case in its slot.
struct ReadMask {
    const GivenMask* given = nullptr;
    const MaskSlot* slot = nullptr; ///< where none was named, the one its numbers look like
    bool isSlotNamed = false;
    MaskMeaning meaning = MaskMeaning::Keep;
    std::string axes; ///< a letter for each of its axes
    CellPlaces places;

    [[nodiscard]] double number(std::int64_t item, std::int64_t head, std::int64_t query,
                                std::int64_t key) const
    {
        return given->array.numbers[places.at(item, head, query, key)];
    }
};

/// Why a mask does not fit, as the lint rule that says so.
struct ReadingProblem {
    std::string_view rule; ///< R16, R34, R35 or R36
    std::string text;
    std::string fix;
    std::int64_t count = 0; ///< numbers of the mask
};

struct MaskReading {
    CaseExtents extents;
    std::vector<ReadMask> masks; ///< those that fit
    std::vector<ReadingProblem> problems;
    /// What all of them keep; null when none fits.
    MaskPtr kept;
    /// Whether the masks differ along items, heads, queries and keys; what an axis that they do not
    /// have repeats is counted once.
    std::array<bool, 4> varies{};
};

/// @return Code::NotFound for unknown slots, Code::InvalidShape where the facts contradict each
/// other, Code::OutOfMemory, Code::Cancelled.
[[nodiscard]] Expected<MaskReading> readMasks(const MaskCase& given, const Execution& execution);

/// Where the triangle of a causal flag ends in row 0.
[[nodiscard]] std::int64_t flagOffset(const MaskCase& given, const MaskReading& reading);

/// Whether a number keeps its cell.
[[nodiscard]] bool keepsCell(MaskMeaning meaning, double number);

} // namespace heed::detail
