// Pieces and their numbers.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace heed::detail {

struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const
    {
        return std::hash<std::string_view>()(text);
    }
};

class Vocabulary {
public:
    using ById = std::unordered_map<std::uint32_t, const std::string*>;

    Vocabulary() = default;
    Vocabulary(Vocabulary&&) = default;
    Vocabulary& operator=(Vocabulary&&) = default;
    Vocabulary(const Vocabulary&) = delete; // m_byId points into m_ids
    Vocabulary& operator=(const Vocabulary&) = delete;
    ~Vocabulary() = default;

    /// Of equal pieces the last number counts; of equal numbers, the last piece.
    void add(std::string piece, std::uint32_t id)
    {
        const auto at = m_ids.insert_or_assign(std::move(piece), id).first;
        m_byId[id] = &at->first;
    }
    [[nodiscard]] std::optional<std::uint32_t> find(std::string_view piece) const
    {
        const auto at = m_ids.find(piece);
        return at == m_ids.end() ? std::nullopt : std::optional(at->second);
    }
    /// "" for a number that no piece has.
    [[nodiscard]] std::string_view piece(std::uint32_t id) const
    {
        const auto at = m_byId.find(id);
        return at == m_byId.end() ? std::string_view() : std::string_view(*at->second);
    }
    [[nodiscard]] std::size_t size() const { return m_ids.size(); }
    [[nodiscard]] const ById& byId() const { return m_byId; }

private:
    std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> m_ids;
    ById m_byId;
};

} // namespace heed::detail
