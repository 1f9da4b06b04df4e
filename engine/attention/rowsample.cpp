// Rows of a problem, next to each other or picked out.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/rowsample.h"

#include <algorithm>

namespace heed {

HeadProblem rowsOf(const HeadProblem& problem, std::int64_t begin, std::int64_t end)
{
    const auto first = static_cast<std::size_t>(begin);
    const auto count = static_cast<std::size_t>(end - begin);
    HeadProblem rows = problem;
    rows.q.offset += begin * problem.q.rowStride;
    rows.q.rows = end - begin;
    rows.firstQuery += begin;
    rows.mask.queries = end - begin;
    if (rows.mask.isBits) {
        const auto words = static_cast<std::size_t>(rows.mask.wordsPerRow);
        rows.mask.words = rows.mask.words.subspan(first * words, count * words);
    } else {
        rows.mask.rowStart = rows.mask.rowStart.subspan(first, count + 1);
    }
    if (rows.bias.buffer != nullptr) {
        rows.bias.offset += begin * problem.bias.rowStride;
        rows.bias.rows = end - begin;
    }
    return rows;
}

void RowSample::takeMaskRow(const MaskPlane& from, std::int64_t row)
{
    const auto at = static_cast<std::size_t>(row);
    if (from.isBits) {
        const auto words = from.words.subspan(at * static_cast<std::size_t>(from.wordsPerRow),
                                              static_cast<std::size_t>(from.wordsPerRow));
        m_words.insert(m_words.end(), words.begin(), words.end());
        return;
    }
    const auto begin = static_cast<std::size_t>(from.rowStart[at]);
    const auto end = static_cast<std::size_t>(from.rowStart[at + 1]);
    const auto ranges = from.ranges.subspan(begin, end - begin);
    m_ranges.insert(m_ranges.end(), ranges.begin(), ranges.end());
    m_rowStart.push_back(static_cast<std::int64_t>(m_ranges.size()));
}

Expected<RowSample> RowSample::take(const Backend& backend, const Tensor& q,
                                    const HeadProblem& problem, std::int64_t cells,
                                    std::int64_t rowsPerTexel)
{
    const std::int64_t rows = problem.q.rows;
    const std::int64_t width = problem.q.columns;
    const std::int64_t texels = (rows + cells - 1) / cells;
    auto taken = Tensor::make({texels * rowsPerTexel, width});
    if (!taken) {
        return tl::unexpected(taken.error());
    }
    RowSample sample;
    sample.m_rowStart.push_back(0);
    for (std::int64_t n = 0; n < texels * rowsPerTexel; ++n) {
        // In the middle of its share of the texel.
        const std::int64_t within = (2 * (n % rowsPerTexel) + 1) * cells / (2 * rowsPerTexel);
        const std::int64_t row = std::min(rows - 1, n / rowsPerTexel * cells + within);
        const float* from = q.data() + problem.q.offset + row * problem.q.rowStride;
        std::copy_n(from, width, taken->data() + n * width);
        sample.takeMaskRow(problem.mask, row);
    }
    auto uploaded = backend.upload(std::make_shared<const Tensor>(std::move(*taken)));
    if (!uploaded) {
        return tl::unexpected(uploaded.error());
    }
    sample.m_queries = std::move(*uploaded);
    sample.m_problem = problem;
    sample.m_problem.q = {sample.m_queries.get(), 0, texels * rowsPerTexel, width, width};
    sample.m_problem.mask.queries = texels * rowsPerTexel;
    sample.m_problem.mask.rowStart = sample.m_rowStart;
    sample.m_problem.mask.ranges = sample.m_ranges;
    sample.m_problem.mask.words = sample.m_words;
    return sample;
}

} // namespace heed
