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
    Narrow, ///< the last five keys
    Documents,
    Holes,
    SomeRowsNothing,
    Nothing
};
enum class Values {
    Usual,      ///< about ±1 a coordinate
    Huge,       ///< scores near ±1e4
    Tiny,       ///< scores that are subnormal in float32
    Integers,   ///< small whole numbers: many exact ties
    MinusInf,   ///< some keys give −inf
    Overflow,   ///< scores past float32 on both sides, and some whose sums only pass it on the way
    NaNs,       ///< some keys and one query hold NaN, some keys give +inf
    MaskedNaNs, ///< NaN and inf only where the mask hides them, of the bias too
    BiasInfs    ///< the bias hides cells and a row with −inf; one cell of it is +inf, one NaN
};

struct Case {
    std::string name;
    std::int64_t queries, keys, width, valueWidth;
    MaskKind mask = MaskKind::All;
    Values values = Values::Usual;
    bool bits = false;    ///< the mask as bits instead of ranges
    bool strided = false; ///< q, k, v and the bias inside larger buffers, rows not adjacent
    float softCap = 0;
    bool distanceBias = false;
    bool bias = false;
    std::int64_t firstQuery = 0;
};

const std::vector<Case>& allCases();

/// Rows [@p begin, @p begin + @p rows) of @p whole as a problem of their own.
HeadProblem bandOf(const HeadProblem& whole, std::int64_t begin, std::int64_t rows);

/// A case made real: inputs for the oracle, buffers and a mask for a backend.
class Problem {
public:
    Problem(const Case& testCase, const Backend& backend);
    Problem(const Problem&) = delete;
    Problem& operator=(const Problem&) = delete;

    [[nodiscard]] const Inputs& inputs() const { return m_inputs; }
    [[nodiscard]] const HeadProblem& head() const { return m_head; }
    [[nodiscard]] const BufferMatrix& v() const { return m_v; }
    [[nodiscard]] TokenRoles tokens() const
    {
        return {m_inputs.queryTokens, m_inputs.keyTokens, m_inputs.delimiters};
    }

private:
    void makeNumbers(const Case& testCase);
    void makeBiases(const Case& testCase);
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
