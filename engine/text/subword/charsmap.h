// SentencePiece's table of normalized characters.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed::detail {

/// A double-array tree from text to text, as in `precompiled_charsmap`. Immutable.
class CharsMap {
public:
    /// @param blob  u32 size of the tree in bytes, the tree, and texts that end in a zero byte.
    /// @throws Refusal when the sizes do not fit the blob.
    explicit CharsMap(std::string_view blob);

    /// What stands in the table for the shortest beginning of @p text that it has.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view text) const;

    struct Entry {
        std::size_t bytes = 0;        ///< of the text that is replaced
        std::string_view replacement; ///< may be empty
    };
    /// The entry for the longest beginning of @p text that it has.
    [[nodiscard]] std::optional<Entry> findLongest(std::string_view text) const;

private:
    /// Calls found(entry) for every beginning of @p text that is there, the shortest first, until
    /// it returns false.
    void forEachPrefix(std::string_view text, const std::function<bool(Entry)>& found) const;

    std::vector<std::uint32_t> m_units;
    std::string m_texts;
};

/// The bytes that @p text writes in base64.
/// @throws Refusal when it is none.
[[nodiscard]] std::string fromBase64(std::string_view text);

} // namespace heed::detail
