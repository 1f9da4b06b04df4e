// Makes the numbers and the masks of the contract test, from a fixed seed.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cases.h"

#include <algorithm>
#include <random>

namespace heed::test {
namespace {

constexpr float Infinity = std::numeric_limits<float>::infinity();
constexpr float NotANumber = std::numeric_limits<float>::quiet_NaN();

bool keeps(MaskKind kind, std::int64_t i, std::int64_t j, std::int64_t queries, std::int64_t keys)
{
    switch (kind) {
    case MaskKind::Causal:
        return j <= i;
    case MaskKind::LeftPadding:
        return j >= keys / 3;
    case MaskKind::Window:
        return std::abs(i - j) <= 2;
    case MaskKind::Documents:
        return i * 3 / queries == j * 3 / keys;
    case MaskKind::Holes:
        return (i * 7 + j * 13) % 5 < 3 || j % 70 < 9;
    case MaskKind::SomeRowsNothing:
        return i % 3 != 1 && j <= i + 5;
    case MaskKind::Nothing:
        return false;
    default:
        return true;
    }
}

} // namespace

const std::vector<Case>& allCases()
{
    static const std::vector<Case> cases = {
        {"oneTokenOneWidth", 1, 1, 1, 1},
        {"oneQuery", 1, 37, 16, 16},
        {"oneKey", 9, 1, 8, 3},
        {"sentence", 20, 20, 16, 16, MaskKind::Causal},
        {"sentenceLeftPadded", 20, 20, 8, 8, MaskKind::LeftPadding},
        {"width3", 7, 19, 3, 5, MaskKind::Holes},
        {"width17", 33, 65, 17, 17, MaskKind::Window},
        {"width256", 33, 70, 256, 256, MaskKind::Causal},
        {"exactBlocks", 64, 512, 64, 64},
        {"oneMoreThanBlocks", 65, 513, 33, 31, MaskKind::Causal},
        {"manyBlocks", 150, 1100, 7, 9, MaskKind::Documents},
        {"manyBlocksHoles", 70, 1100, 7, 9, MaskKind::Holes},
        {"bitsHoles", 70, 1100, 7, 9, MaskKind::Holes, Values::Usual, true},
        {"bitsCausal", 65, 130, 12, 12, MaskKind::Causal, Values::Usual, true},
        {"bitsAll", 10, 64, 4, 4, MaskKind::All, Values::Usual, true},
        {"rowsNothing", 40, 50, 8, 8, MaskKind::SomeRowsNothing},
        {"bitsRowsNothing", 40, 50, 8, 8, MaskKind::SomeRowsNothing, Values::Usual, true},
        {"nothing", 11, 13, 4, 4, MaskKind::Nothing},
        {"strided", 66, 90, 20, 24, MaskKind::Causal, Values::Usual, false, true},
        {"huge", 40, 600, 64, 16, MaskKind::All, Values::Huge},
        {"hugeCausal", 70, 70, 32, 16, MaskKind::Causal, Values::Huge},
        {"hugeWidth1", 30, 30, 1, 4, MaskKind::All, Values::Huge},
        {"tiny", 12, 40, 4, 4, MaskKind::Causal, Values::Tiny},
        {"ties", 40, 600, 2, 4, MaskKind::Documents, Values::Integers},
        {"minusInf", 30, 40, 8, 8, MaskKind::Causal, Values::MinusInf},
        {"minusInfOnly", 9, 1, 4, 4, MaskKind::All, Values::MinusInf},
        {"nans", 30, 600, 8, 8, MaskKind::Causal, Values::NaNs},
        {"nansBits", 30, 600, 8, 8, MaskKind::Holes, Values::NaNs, true},
        {"maskedNaNs", 30, 600, 8, 8, MaskKind::Causal, Values::MaskedNaNs},
    };
    return cases;
}

Problem::Problem(const Case& testCase, const Backend& backend)
{
    makeNumbers(testCase);
    makeMask(testCase);
    m_head.q = upload(backend, m_inputs.q, testCase.strided);
    m_head.k = upload(backend, m_inputs.k, testCase.strided);
    m_v = upload(backend, m_inputs.v, testCase.strided);
    m_head.scale = m_inputs.scale;
}

void Problem::makeNumbers(const Case& testCase)
{
    std::mt19937 generator(static_cast<unsigned>(testCase.queries * 1000 + testCase.width));
    std::normal_distribution<float> normal;
    const float size = testCase.values == Values::Huge   ? 100.0F
                       : testCase.values == Values::Tiny ? 1e-20F
                                                         : 1.0F;
    const auto fill = [&](std::int64_t rows, std::int64_t columns, float by) {
        Grid<float> grid(rows, columns);
        for (float& cell : grid.cells) {
            cell = normal(generator) * by;
            if (testCase.values == Values::Integers) {
                cell = std::round(cell);
            }
        }
        return grid;
    };
    m_inputs.q = fill(testCase.queries, testCase.width, size);
    m_inputs.k = fill(testCase.keys, testCase.width, size);
    m_inputs.v = fill(testCase.keys, testCase.valueWidth, 1);
    m_inputs.scale = 1 / std::sqrt(static_cast<float>(testCase.width));
    if (testCase.values == Values::Integers) {
        m_inputs.scale = 0.5F;
    }
    auto& q = m_inputs.q;
    auto& k = m_inputs.k;
    switch (testCase.values) {
    case Values::MinusInf: // q·k overflows to −inf for every third key
        for (std::int64_t i = 0; i < q.rows; ++i) {
            q.at(i, 0) = 1e30F;
        }
        for (std::int64_t j = 0; j < k.rows; ++j) {
            k.at(j, 0) = j % 3 == 0 ? -Infinity : 0;
        }
        break;
    case Values::NaNs:
        k.at(7, 1) = NotANumber;
        k.at(19, 0) = Infinity; // +inf or −inf, by the sign of the query
        q.at(4, 2) = NotANumber;
        break;
    case Values::MaskedNaNs: // causal with fewer queries than keys: nobody sees the last keys
        for (std::int64_t j = q.rows; j < k.rows; ++j) {
            k.at(j, 0) = j % 2 == 0 ? NotANumber : Infinity;
            m_inputs.v.at(j, 1) = j % 2 == 0 ? Infinity : NotANumber;
        }
        break;
    default:
        break;
    }
}

void Problem::makeMask(const Case& testCase)
{
    const std::int64_t queries = testCase.queries;
    const std::int64_t keys = testCase.keys;
    m_inputs.keep = Grid<char>(queries, keys);
    const std::int64_t wordsPerRow = (keys + 63) / 64 + 1; // a word more than needed
    m_words.assign(static_cast<std::size_t>(queries * wordsPerRow), ~std::uint64_t{0});
    m_rowStart.push_back(0);
    for (std::int64_t i = 0; i < queries; ++i) {
        bool open = false;
        for (std::int64_t j = 0; j < keys; ++j) {
            const bool keep = keeps(testCase.mask, i, j, queries, keys);
            m_inputs.keep.at(i, j) = keep ? 1 : 0;
            const auto key = static_cast<std::int32_t>(j);
            if (keep && open) {
                m_ranges.back().end = key + 1;
            } else if (keep) {
                m_ranges.push_back({key, key + 1});
            } else { // bits past the keys stay set: backends must not look at them
                m_words[static_cast<std::size_t>(i * wordsPerRow + j / 64)] &=
                    ~(std::uint64_t{1} << (j % 64));
            }
            open = keep;
        }
        m_rowStart.push_back(static_cast<std::int64_t>(m_ranges.size()));
    }
    MaskPlane& plane = m_head.mask;
    plane.queries = queries;
    plane.keys = keys;
    plane.isBits = testCase.bits;
    if (testCase.bits) {
        plane.words = m_words;
        plane.wordsPerRow = wordsPerRow;
    } else {
        plane.rowStart = m_rowStart;
        plane.ranges = m_ranges;
    }
}

BufferMatrix Problem::upload(const Backend& backend, const Grid<float>& grid, bool strided)
{
    const std::int64_t stride = grid.columns + (strided ? 5 : 0);
    const std::int64_t offset = strided ? 3 : 0;
    auto tensor = std::make_shared<Tensor>(Shape{grid.rows * stride + offset});
    std::fill_n(tensor->data(), tensor->size(), NotANumber); // what must not be read
    for (std::int64_t r = 0; r < grid.rows; ++r) {
        for (std::int64_t c = 0; c < grid.columns; ++c) {
            tensor->data()[offset + r * stride + c] = grid.at(r, c);
        }
    }
    m_buffers.push_back(backend.upload(std::move(tensor)).value());
    return {m_buffers.back().get(), offset, grid.rows, grid.columns, stride};
}

} // namespace heed::test
