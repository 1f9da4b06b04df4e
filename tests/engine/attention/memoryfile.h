// Array files that live in memory, and small helpers to fill them.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/arrayfile.h"

#include <map>

namespace heed::test {

class MemoryFile final : public ArrayFile {
public:
    /// @param isMapped whether mapped() gives the numbers in place.
    explicit MemoryFile(std::map<std::string, Tensor> tensors, bool isMapped = false)
        : m_tensors(std::move(tensors))
        , m_isMapped(isMapped)
    {
        for (const auto& [name, tensor] : m_tensors) {
            m_arrays.push_back({name, ElementType::Float32, tensor.shape(), false});
        }
    }

    [[nodiscard]] std::string_view format() const override { return "memory"; }
    [[nodiscard]] const std::vector<ArrayInfo>& arrays() const override { return m_arrays; }
    [[nodiscard]] Expected<Tensor> read(const std::string& name) const override
    {
        const auto found = m_tensors.find(name);
        if (found == m_tensors.end()) {
            return fail(Code::NotFound, "There is no array \"" + name + "\".");
        }
        ++m_reads;
        return found->second;
    }
    [[nodiscard]] Expected<std::vector<std::byte>>
    readRaw(const std::string& /*name*/) const override
    {
        return fail(Code::Unsupported, "Raw bytes are not needed here.");
    }
    [[nodiscard]] std::span<const float> mapped(const std::string& name) const override
    {
        const auto found = m_tensors.find(name);
        return m_isMapped && found != m_tensors.end() ? found->second.values()
                                                      : std::span<const float>{};
    }
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> metadata() const override
    {
        return {};
    }
    [[nodiscard]] int reads() const { return m_reads; }

private:
    std::map<std::string, Tensor> m_tensors;
    bool m_isMapped;
    std::vector<ArrayInfo> m_arrays;
    mutable int m_reads = 0;
};

/// @p shape filled with first, first + step, first + 2·step, …
inline Tensor counting(const Shape& shape, float first = 0.0F, float step = 1.0F)
{
    Tensor tensor(shape);
    for (std::size_t i = 0; i < tensor.values().size(); ++i) {
        tensor.values()[i] = first + step * static_cast<float>(i);
    }
    return tensor;
}

} // namespace heed::test
