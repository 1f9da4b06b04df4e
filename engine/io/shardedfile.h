// Several files whose arrays are those of one.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/readers.h"

#include <vector>

namespace heed::detail {

class ShardedFile : public NamedArrayFile {
public:
    using NamedArrayFile::NamedArrayFile;

    void add(const ArrayInfo& info, ArrayFilePtr shard)
    {
        addInfo(info);
        m_shards.push_back(std::move(shard));
    }

    [[nodiscard]] Expected<Tensor> read(const std::string& name) const override
    {
        return inShard<Tensor>(name, [&](const ArrayFile& shard) { return shard.read(name); });
    }
    [[nodiscard]] Expected<void> readRows(const std::string& name, std::int64_t first,
                                          MatrixView<float> out) const override
    {
        return inShard<void>(
            name, [&](const ArrayFile& shard) { return shard.readRows(name, first, out); });
    }
    [[nodiscard]] Expected<std::vector<std::byte>> readRaw(const std::string& name) const override
    {
        return inShard<std::vector<std::byte>>(
            name, [&](const ArrayFile& shard) { return shard.readRaw(name); });
    }
    [[nodiscard]] std::span<const float> mapped(const std::string& name) const override
    {
        const auto index = indexOf(name);
        return index ? m_shards[*index]->mapped(name) : std::span<const float>{};
    }

private:
    template <typename Result, typename Ask>
    [[nodiscard]] Expected<Result> inShard(const std::string& name, const Ask& ask) const
    {
        return withArray(
            name, [&](std::size_t index) -> Expected<Result> { return ask(*m_shards[index]); });
    }

    std::vector<ArrayFilePtr> m_shards; ///< of each array
};

} // namespace heed::detail
