// Makes the numbers and the masks of the contract test, from a fixed seed.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cases.h"

#include <algorithm>
#include <array>
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
    case MaskKind::Narrow:
        return i - j >= 0 && i - j < 5;
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

/// Every head size beside sizes of the map that are no multiple of any block; masks, layouts and
/// biases take turns.
void addShapes(std::vector<Case>& cases)
{
    constexpr std::array<std::int64_t, 8> widths = {1, 3, 5, 8, 17, 64, 128, 256};
    constexpr std::array<std::pair<std::int64_t, std::int64_t>, 16> sizes = {{{1, 1},
                                                                              {1, 300},
                                                                              {2, 7},
                                                                              {7, 2},
                                                                              {31, 33},
                                                                              {33, 31},
                                                                              {127, 129},
                                                                              {129, 127},
                                                                              {300, 127},
                                                                              {31, 1300},
                                                                              {1300, 7},
                                                                              {129, 300},
                                                                              {1, 1300},
                                                                              {1300, 33},
                                                                              {7, 300},
                                                                              {2, 1300}}};
    constexpr std::array masks = {MaskKind::All,    MaskKind::Causal,    MaskKind::Holes,
                                  MaskKind::Window, MaskKind::Documents, MaskKind::LeftPadding,
                                  MaskKind::Narrow};
    std::size_t n = 0;
    for (std::size_t turn = 0; turn < 4; ++turn) {
        for (std::size_t w = 0; w < widths.size(); ++w, ++n) {
            const auto [queries, keys] = sizes[(n + n / sizes.size() * 5) % sizes.size()];
            cases.push_back({.name = "d" + std::to_string(widths[w]) + "_" +
                                     std::to_string(queries) + "x" + std::to_string(keys),
                             .queries = queries,
                             .keys = keys,
                             .width = widths[w],
                             .valueWidth = widths[widths.size() - 1 - w],
                             .mask = masks[n % masks.size()],
                             .bits = n % 3 == 2,
                             .strided = n % 4 == 1,
                             .softCap = n % 5 == 3 ? 1.5F : 0.0F,
                             .distanceBias = n % 3 == 1,
                             .bias = n % 4 == 2,
                             .firstQuery = n % 5 == 2 ? 37 : 0});
        }
    }
}

void addBiases(std::vector<Case>& cases)
{
    const Case base = {.name = "", .queries = 70, .keys = 600, .width = 16, .valueWidth = 16};
    const auto add = [&](const std::string& name, auto&& change) {
        Case added = base;
        added.name = name;
        change(added);
        cases.push_back(added);
    };
    add("softCap", [](Case& c) { c.softCap = 0.5F; });
    add("softCapCausal", [](Case& c) { c.softCap = 50, c.mask = MaskKind::Causal; });
    add("softCapHuge", [](Case& c) { c.softCap = 50, c.values = Values::Huge; });
    add("softCapTiny", [](Case& c) { c.softCap = 50, c.values = Values::Tiny; });
    add("softCapOverflow", [](Case& c) {
        c.softCap = 30, c.values = Values::Overflow;
        c.queries = 12, c.keys = 40; // few: there is no plain loop to measure long sums by
    });
    add("biasOverflow", [](Case& c) { c.bias = true, c.values = Values::Overflow; });
    add("softCapNaNs", [](Case& c) { c.softCap = 30, c.values = Values::NaNs; });
    add("softCapMinusInf", [](Case& c) { c.softCap = 2, c.values = Values::MinusInf; });
    add("distanceBias", [](Case& c) { c.distanceBias = true; });
    add("distanceBiasHuge", [](Case& c) { c.distanceBias = true, c.values = Values::Huge; });
    add("distanceBiasFirstQuery",
        [](Case& c) { c.distanceBias = true, c.firstQuery = 530, c.mask = MaskKind::Holes; });
    add("bias", [](Case& c) { c.bias = true; });
    add("biasStrided", [](Case& c) { c.bias = c.strided = true, c.mask = MaskKind::Window; });
    add("biasBits", [](Case& c) { c.bias = c.bits = true, c.mask = MaskKind::Holes; });
    add("biasMaskedNaNs",
        [](Case& c) { c.bias = true, c.mask = MaskKind::Causal, c.values = Values::MaskedNaNs; });
    add("biasInfs", [](Case& c) { c.bias = true, c.values = Values::BiasInfs; });
    add("biasInfsBits", [](Case& c) {
        c.bias = c.bits = true, c.mask = MaskKind::Holes, c.values = Values::BiasInfs;
    });
    add("firstQuery", [](Case& c) { c.firstQuery = 100, c.mask = MaskKind::Documents; });
    add("everything", [](Case& c) {
        c.softCap = 2, c.distanceBias = c.bias = c.bits = c.strided = true;
        c.firstQuery = 200, c.mask = MaskKind::Holes;
    });
    add("everythingNaNs", [](Case& c) {
        c.softCap = 2, c.distanceBias = c.bias = true;
        c.firstQuery = 3, c.mask = MaskKind::Causal, c.values = Values::NaNs;
    });
}

std::vector<Case> makeCases()
{
    std::vector<Case> cases = {
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
        {"overflow", 40, 600, 8, 8, MaskKind::All, Values::Overflow},
        {"overflowCausal", 70, 70, 33, 16, MaskKind::Causal, Values::Overflow},
        {"overflowCausalBits", 70, 130, 2, 3, MaskKind::Causal, Values::Overflow, true},
        {"overflowStrided", 66, 90, 20, 24, MaskKind::Holes, Values::Overflow, false, true},
        {"nans", 30, 600, 8, 8, MaskKind::Causal, Values::NaNs},
        {"nansBits", 30, 600, 8, 8, MaskKind::Holes, Values::NaNs, true},
        {"maskedNaNs", 30, 600, 8, 8, MaskKind::Causal, Values::MaskedNaNs},
        {"slidingWindow", 700, 700, 8, 8, MaskKind::Narrow},
        {"slidingWindowBits", 130, 700, 5, 3, MaskKind::Narrow, Values::Usual, true},
    };
    addBiases(cases);
    addShapes(cases);
    return cases;
}

} // namespace

const std::vector<Case>& allCases()
{
    static const std::vector<Case> cases = makeCases();
    return cases;
}

HeadProblem bandOf(const HeadProblem& whole, std::int64_t begin, std::int64_t rows)
{
    HeadProblem band = whole;
    band.q.offset += begin * whole.q.rowStride;
    band.q.rows = rows;
    band.firstQuery += begin;
    if (whole.bias.buffer != nullptr) {
        band.bias.offset += begin * whole.bias.rowStride;
        band.bias.rows = rows;
    }
    band.mask.queries = rows;
    const auto first = static_cast<std::size_t>(begin);
    const auto count = static_cast<std::size_t>(rows);
    if (whole.mask.isBits) {
        const auto words = static_cast<std::size_t>(whole.mask.wordsPerRow);
        band.mask.words = whole.mask.words.subspan(first * words, count * words);
    } else {
        band.mask.rowStart = whole.mask.rowStart.subspan(first, count + 1);
    }
    return band;
}

Problem::Problem(const Case& testCase, const Backend& backend)
{
    makeNumbers(testCase);
    makeMask(testCase);
    makeBiases(testCase);
    m_head.q = upload(backend, m_inputs.q, testCase.strided);
    m_head.k = upload(backend, m_inputs.k, testCase.strided);
    m_v = upload(backend, m_inputs.v, testCase.strided);
    m_head.scale = m_inputs.scale;
    m_head.softCap = m_inputs.softCap;
    m_head.distanceBias = m_inputs.distanceBias;
    m_head.firstQuery = m_inputs.firstQuery;
    if (testCase.bias) {
        m_head.bias = upload(backend, m_inputs.bias, testCase.strided);
    }
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
    case Values::Overflow: // rows with only −inf, rows with +inf, and usual rows
        for (std::int64_t i = 0; i < q.rows; ++i) {
            q.at(i, 0) = q.at(i, 1) = i % 3 == 0 ? -1e30F : i % 3 == 1 ? 1e30F : 0;
        }
        for (std::int64_t j = 0; j < k.rows; ++j) {
            k.at(j, 0) = j % 4 == 1 || j % 4 == 2 ? 1e12F : 0;
            k.at(j, 1) = j % 4 == 2 ? -1e12F : 0;
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

void Problem::makeBiases(const Case& testCase)
{
    const std::int64_t queries = testCase.queries;
    const std::int64_t keys = testCase.keys;
    std::mt19937 generator(static_cast<unsigned>(queries * 100 + keys));
    std::normal_distribution<float> normal;
    m_inputs.softCap = testCase.softCap;
    m_inputs.firstQuery = testCase.firstQuery;
    if (testCase.distanceBias) { // not a number more than needed
        m_inputs.distanceBias.resize(
            static_cast<std::size_t>(testCase.firstQuery + queries + keys - 1));
        std::ranges::generate(m_inputs.distanceBias, [&] { return normal(generator); });
    }
    if (testCase.bias) {
        m_inputs.bias = Grid<float>(queries, keys);
        for (std::int64_t i = 0; i < queries; ++i) {
            for (std::int64_t j = 0; j < keys; ++j) {
                float& cell = m_inputs.bias.at(i, j);
                cell = normal(generator);
                if (testCase.values == Values::MaskedNaNs && m_inputs.keep.at(i, j) == 0) {
                    cell = j % 2 == 0 ? NotANumber : Infinity;
                }
                if (testCase.values == Values::BiasInfs && (i == 5 || (i + j) % 4 == 0)) {
                    cell = -Infinity;
                }
            }
        }
    }
    if (testCase.bias && testCase.values == Values::BiasInfs) {
        m_inputs.bias.at(9, 0) = Infinity; // key 0 is kept by every mask
        m_inputs.bias.at(11, 3) = NotANumber;
        m_inputs.bias.at(12, 3) = NotANumber;
    }
    // Few tokens, so that they repeat; those of the queries are those of their keys.
    for (std::int64_t j = 0; j < keys; ++j) {
        m_inputs.keyTokens.push_back(static_cast<std::int32_t>(generator() % 5));
        m_inputs.delimiters.push_back(generator() % 4 == 0 ? 1 : 0);
    }
    for (std::int64_t i = 0; i < queries; ++i) {
        const std::int64_t own = testCase.firstQuery + i;
        m_inputs.queryTokens.push_back(own < keys
                                           ? m_inputs.keyTokens[static_cast<std::size_t>(own)]
                                           : static_cast<std::int32_t>(generator() % 5));
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
