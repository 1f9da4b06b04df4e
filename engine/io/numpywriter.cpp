// Writes .npy and .npz as NumPy does.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/elementtype.h"
#include "io/npyheader.h"
#include "io/source.h"
#include "io/textpieces.h"
#include "io/writers.h"

#include <algorithm>

namespace heed::detail {

namespace {

Expected<std::string> headerOf(const ArrayToWrite& array)
{
    return npyTypeString(array.type).map([&](const std::string& descr) {
        return makeNpyHeader(descr, array.shape);
    });
}

Expected<void> addArray(ZipWriter& zip, const ArrayToWrite& array)
{
    const auto header = headerOf(array);
    if (!header) {
        return tl::unexpected(header.error());
    }
    const auto size = byteCount(array.shape, array.type);
    if (!size) {
        return tl::unexpected(size.error());
    }
    ArrayCursor cursor(array);
    return zip.add(array.name + ".npy", asBytes(*header), *size,
                   [&cursor] { return cursor.nextPiece(); });
}

/// Text as NumPy can hold it: it ends at the first zero, which is shown as the labels show it.
std::u32string cellText(std::string_view token)
{
    std::u32string text = decodeUtf8(token);
    for (auto zero = text.find(U'\0'); zero != text.npos; zero = text.find(U'\0', zero)) {
        text.replace(zero, 1, U"‹00›");
    }
    return text;
}

/// The tokens as a NumPy array of text [items, longest item], shorter items filled with "".
Expected<void> addTokens(ZipWriter& zip, const std::vector<std::vector<std::string>>& tokens)
{
    std::size_t columns = 0;
    std::size_t longest = 1;
    std::vector<std::u32string> cells;
    for (const auto& item : tokens) {
        columns = std::max(columns, item.size());
    }
    for (const auto& item : tokens) {
        for (std::size_t column = 0; column < columns; ++column) {
            cells.push_back(column < item.size() ? cellText(item[column]) : std::u32string());
            longest = std::max(longest, cells.back().size());
        }
    }
    // "<U5" is five UTF-32 code units, filled with zeros.
    std::vector<char32_t> units(cells.size() * longest, U'\0');
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
        std::copy(cells[cell].begin(), cells[cell].end(),
                  units.begin() + static_cast<std::ptrdiff_t>(cell * longest));
    }
    std::string bytes =
        makeNpyHeader("<U" + std::to_string(longest), {static_cast<std::int64_t>(tokens.size()),
                                                       static_cast<std::int64_t>(columns)});
    bytes.append(reinterpret_cast<const char*>(units.data()), units.size() * sizeof units[0]);
    return zip.add(std::string(npzTokensName) + ".npy", asBytes(bytes));
}

} // namespace

Expected<void> writeNpy(const ByteSink& sink, const ArrayToWrite& array)
{
    const auto header = headerOf(array);
    if (!header) {
        return tl::unexpected(header.error());
    }
    auto written = sink(asBytes(*header));
    return written ? copyTo(sink, array) : written;
}

Expected<void> writeNpz(const ByteSink& sink, const BytePatch& patch,
                        std::span<const ArrayToWrite> arrays, const ArrayFileNotes& notes)
{
    ZipWriter zip(sink, patch);
    for (const ArrayToWrite& array : arrays) {
        if (auto added = addArray(zip, array); !added) {
            return added;
        }
    }
    if (!notes.tokens.empty()) {
        if (auto added = addTokens(zip, notes.tokens); !added) {
            return added;
        }
    }
    if (!notes.metadata.empty()) {
        const std::string text = textMapToJson(notes.metadata);
        if (auto added = zip.add(std::string(npzMetadataName), asBytes(text)); !added) {
            return added;
        }
    }
    return zip.finish();
}

} // namespace heed::detail
