// The problems every backend is tried on: shapes, masks and awkward numbers.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "oracle.h"

#include <string>
#include <vector>

namespace heed::test {

enum class MaskKind {
    All,
    Causal,
    LeftPadding,
    Window,
    Documents,
    Holes,
    SomeRowsNothing,
    Nothing
};
enum class Values {
    Usual,     ///< about ±1 a coordinate
    Huge,      ///< scores near ±1e4
    Tiny,      ///< scores that are subnormal in float32
    Integers,  ///< small whole numbers: many exact ties
    MinusInf,  ///< some keys give −inf
    NaNs,      ///< some keys and one query hold NaN, some keys give +inf
    MaskedNaNs ///< NaN and inf only where the mask hides them
};

struct Case {
    std::string name;
    std::int64_t queries, keys, width, valueWidth;
    MaskKind mask = MaskKind::All;
    Values values = Values::Usual;
    bool bits = false;    ///< the mask as bits instead of ranges
    bool strided = false; ///< q, k, v inside larger buffers, rows not adjacent
};

const std::vector<Case>& allCases();

/// A case made real: inputs for the oracle, buffers and a mask for a backend.
class Problem {
public:
    Problem(const Case& testCase, const Backend& backend);
    Problem(const Problem&) = delete;
    Problem& operator=(const Problem&) = delete;

    [[nodiscard]] const Inputs& inputs() const { return m_inputs; }
    [[nodiscard]] const HeadProblem& head() const { return m_head; }
    [[nodiscard]] const BufferMatrix& v() const { return m_v; }

private:
    void makeNumbers(const Case& testCase);
    void makeMask(const Case& testCase);
    BufferMatrix upload(const Backend& backend, const Grid<float>& grid, bool strided);

    Inputs m_inputs;
    HeadProblem m_head;
    BufferMatrix m_v;
    std::vector<BufferPtr> m_buffers;
    std::vector<std::int64_t> m_rowStart;
    std::vector<KeyRange> m_ranges;
    std::vector<std::uint64_t> m_words;
};

} // namespace heed::test
