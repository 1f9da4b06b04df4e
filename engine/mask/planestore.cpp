// Distinct planes of a mask, each stored once.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/planestore.h"

#include <utility>

namespace heed::detail {

Expected<std::size_t> PlaneStore::add(std::int64_t queries, std::int64_t keys,
                                      const RowSource& rows, MaskMemory& memory)
{
    const Execution& execution = memory.execution();
    const auto rowOf = [&](std::int64_t query) -> Expected<const RowRanges*> {
        if (execution.cancelled()) {
            return fail(Code::Cancelled, "Stopped.");
        }
        return rows(query);
    };
    PlaneSize size(queries, keys);
    for (std::int64_t query = 0; query < queries && !size.isBits(); ++query) {
        const auto row = rowOf(query);
        if (!row) {
            return tl::unexpected<Error>(row.error());
        }
        size.addRow(**row);
    }
    const std::size_t planes = m_planes.size() + 1;
    const std::string what =
        planes == 1 ? "The mask"
                    : "The mask, with the first " + std::to_string(planes) + " planes,";
    if (auto fits = memory.take(size.bytes(), what); !fits) {
        return tl::unexpected<Error>(std::move(fits).error());
    }
    StoredPlane plane(size);
    for (std::int64_t query = 0; query < queries; ++query) {
        const auto row = rowOf(query);
        if (!row) {
            return tl::unexpected<Error>(row.error());
        }
        plane.addRow(**row);
    }
    const std::uint64_t hash = plane.hash();
    const auto [begin, end] = m_byHash.equal_range(hash);
    for (auto entry = begin; entry != end; ++entry) {
        if (m_planes[entry->second] == plane) {
            memory.giveBack(size.bytes());
            return entry->second;
        }
    }
    plane.finish();
    m_planes.push_back(std::move(plane));
    m_byHash.emplace(hash, m_planes.size() - 1);
    return m_planes.size() - 1;
}

} // namespace heed::detail
