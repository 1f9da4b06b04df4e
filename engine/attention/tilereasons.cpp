// Why the masked cells of a tile are masked, texel by texel.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/tilereasons.h"

#include <algorithm>

namespace heed {
namespace {

/// Rows of a texel that are asked for their reasons. Of a texel of more, this many evenly spaced
/// ones, its first and last included: reasons come in areas, and the picture of a long text must
/// not cost a question for each of its rows.
constexpr std::int64_t MostAsked = 8;

/// One row of texels.
class TexelRow {
public:
    TexelRow(const CompiledMask& mask, const MapIndex& map, const TileSpec& spec,
             std::span<const float> maskedShare, std::span<MaskReasons> reasons)
        : m_mask(mask)
        , m_map(map)
        , m_keys{static_cast<std::int32_t>(spec.column),
                 static_cast<std::int32_t>(spec.column + spec.columns)}
        , m_texelCells(spec.texelCells)
        , m_maskedShare(maskedShare)
        , m_reasons(reasons)
    {
    }

    /// @param begin, end the queries it covers.
    Expected<void> find(std::int64_t begin, std::int64_t end, const Execution& execution)
    {
        if (isComplete()) {
            return {};
        }
        const std::int64_t rows = end - begin;
        for (std::int64_t i = 0; i < std::min(rows, MostAsked); ++i) {
            const std::int64_t row = rows <= MostAsked ? i : i * (rows - 1) / (MostAsked - 1);
            if (auto asked = ask(begin + row); !asked) {
                return asked;
            }
        }
        // A masked texel without a reason: its masked cells lie in rows between.
        for (std::int64_t query = begin; query < end && !isComplete(); ++query) {
            if (execution.cancelled()) {
                return fail(Code::Cancelled, "Stopped.");
            }
            if (auto asked = ask(query); !asked) {
                return asked;
            }
        }
        return {};
    }

private:
    /// Adds the reasons of one query to those of the masked texels.
    Expected<void> ask(std::int64_t query)
    {
        auto known = m_mask.reasonsInRow(m_map.item, m_map.head, query, m_keys, m_runs);
        if (!known) {
            return known;
        }
        // Runs and texels are gone along together: a division for each of many runs would be felt.
        std::size_t texel = 0;
        std::int64_t texelEnd = m_keys.begin + m_texelCells;
        for (const ReasonRun& run : m_runs) {
            while (texelEnd <= run.begin) {
                texelEnd += m_texelCells;
                ++texel;
            }
            add(texel, run.reasons);
            while (texelEnd < run.end) {
                texelEnd += m_texelCells;
                add(++texel, run.reasons);
            }
        }
        return {};
    }

    void add(std::size_t texel, MaskReasons reasons)
    {
        if (m_maskedShare[texel] > 0) {
            m_reasons[texel] |= reasons;
        }
    }

    bool isComplete()
    {
        // Reasons are only added, so the texels before this one stay complete.
        while (m_next < m_reasons.size() &&
               (m_maskedShare[m_next] <= 0 || m_reasons[m_next] != 0)) {
            ++m_next;
        }
        return m_next == m_reasons.size();
    }

    const CompiledMask& m_mask;
    const MapIndex& m_map;
    KeyRange m_keys;
    std::int64_t m_texelCells;
    std::span<const float> m_maskedShare;
    std::span<MaskReasons> m_reasons;
    std::size_t m_next = 0; ///< the first texel that may lack a reason
    std::vector<ReasonRun> m_runs;
};

} // namespace

Expected<std::vector<MaskReasons>> reasonsOfTile(const CompiledMask& mask, const MapIndex& map,
                                                 const TileSpec& spec,
                                                 std::span<const float> maskedShare,
                                                 const Execution& execution)
{
    std::vector<MaskReasons> reasons(maskedShare.size());
    const auto columns = static_cast<std::size_t>(spec.texelColumns());
    Execution quiet = execution;
    quiet.progress = {}; // the window reported it already
    // Blocks of one row of texels: a row of a mask from a file can take long.
    auto done = parallelFor(spec.texelRows(), 1, quiet, [&](std::int64_t r, std::int64_t) {
        const std::size_t at = static_cast<std::size_t>(r) * columns;
        const std::int64_t begin = r * spec.texelCells;
        const std::int64_t end = std::min(begin + spec.texelCells, spec.rows);
        return TexelRow(mask, map, spec, maskedShare.subspan(at, columns),
                        std::span(reasons).subspan(at, columns))
            .find(spec.row + begin, spec.row + end, execution);
    });
    if (!done) {
        return tl::unexpected(std::move(done).error());
    }
    return reasons;
}

} // namespace heed
