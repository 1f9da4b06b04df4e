// The writers of the formats, one file each. The caller has checked names, shapes and sizes.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/zipwriter.h"

#include "heed/arrayfile.h"

#include <string_view>

namespace heed::detail {

/// Sends all of @p array to @p sink, a piece at a time.
[[nodiscard]] Expected<void> copyTo(const ByteSink& sink, const ArrayToWrite& array);

[[nodiscard]] Expected<void> writeNpy(const ByteSink& sink, const ArrayToWrite& array);
/// @param patch  as ZipWriter takes it.
[[nodiscard]] Expected<void> writeNpz(const ByteSink& sink, const BytePatch& patch,
                                      std::span<const ArrayToWrite> arrays,
                                      const ArrayFileNotes& notes);
[[nodiscard]] Expected<void> writeSafetensors(const ByteSink& sink,
                                              std::span<const ArrayToWrite> arrays,
                                              const ArrayFileNotes& notes);
[[nodiscard]] Expected<void> writeJson(const ByteSink& sink, std::span<const ArrayToWrite> arrays,
                                       const ArrayFileNotes& notes);
[[nodiscard]] Expected<void> writeCsv(const ByteSink& sink, const ArrayToWrite& array);

/// Member of a .npz with ArrayFileNotes::metadata as a JSON object. NumPy hands it out as bytes.
inline constexpr std::string_view npzMetadataName = "metadata.json";
/// Member of a .npz with ArrayFileNotes::tokens, without its extension.
inline constexpr std::string_view npzTokensName = "tokens";
inline constexpr std::uint64_t longestNpzMetadata = 1 << 20;

/// Appends the shortest text that reads back to the same number of @p type. @p element points to
/// one element. Infinities and NaN are the words inf, -inf and nan, without quotes.
void appendNumber(std::string& text, ElementType type, const std::byte* element);

/// Collects text and passes it on in large pieces.
class TextSink {
public:
    explicit TextSink(const ByteSink& sink)
        : m_sink(sink)
    {
    }

    /// Where to append. Call flushIfLarge() now and then, and flush() at the end.
    [[nodiscard]] std::string& text() { return m_text; }
    [[nodiscard]] Expected<void> flushIfLarge();
    [[nodiscard]] Expected<void> flush();

private:
    const ByteSink& m_sink;
    std::string m_text;
};

} // namespace heed::detail
