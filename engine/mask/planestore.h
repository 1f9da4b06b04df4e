// Distinct planes of a mask, each stored once.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mask/maskmemory.h"
#include "mask/maskplane.h"

#include <functional>
#include <unordered_map>

namespace heed::detail {

class PlaneStore {
public:
    /// The kept keys of a query, valid until the next call.
    using RowSource = std::function<Expected<const RowRanges*>(std::int64_t query)>;

    /// Stores the plane of @p rows, or finds an equal one. Rows are asked for twice, first to count
    /// them: memory is asked for once, and for no more than the plane takes.
    /// @return its index; what @p rows and @p memory say, Code::Cancelled.
    [[nodiscard]] Expected<std::size_t> add(std::int64_t queries, std::int64_t keys,
                                            const RowSource& rows, MaskMemory& memory);
    /// No further planes come.
    void close() { m_byHash = {}; }

    [[nodiscard]] std::size_t size() const { return m_planes.size(); }
    [[nodiscard]] const StoredPlane& operator[](std::size_t index) const { return m_planes[index]; }

private:
    std::vector<StoredPlane> m_planes;
    std::unordered_multimap<std::uint64_t, std::size_t> m_byHash;
};

} // namespace heed::detail
