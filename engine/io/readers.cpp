// What the readers share: looking an array up, and decoding one that lies in the file as it is.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/readers.h"

#include "heed/unreadablearrays.h"
#include "io/textpieces.h"

#include <algorithm>

namespace heed::detail {

Expected<void> checkRows(const Shape& shape, std::int64_t first, const MatrixView<float>& out,
                         const std::string& where)
{
    std::int64_t rows = 1;
    for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) {
        rows *= shape[axis]; // less than the elements, whose number fits
    }
    const std::int64_t columns = shape.empty() ? 1 : shape.back();
    if (out.columns != columns || first < 0 || out.rows < 0 || first > rows ||
        out.rows > rows - first) {
        return fail(Code::InvalidShape,
                    toString(shape) + " has " + std::to_string(rows) + " rows of " +
                        std::to_string(columns) + "; asked for were " + std::to_string(out.rows) +
                        " of " + std::to_string(out.columns) + " from row " +
                        std::to_string(first) + " on.",
                    where);
    }
    return {};
}

TokenTexts NamedArrayFile::tokens() const
{
    TokenTexts tokens{m_tokens, {}};
    for (const auto& [name, value] : m_metadata) {
        if (name == "tokens" && tokens.queries.empty()) {
            tokens.queries = parseTextLists(value).value_or(TextLists{});
        } else if (name == "key_tokens") {
            tokens.keys = parseTextLists(value).value_or(TextLists{});
        }
    }
    return tokens;
}

Expected<std::size_t> NamedArrayFile::indexOf(const std::string& name) const
{
    if (const auto found = m_index.find(name); found != m_index.end()) {
        return found->second;
    }
    if (const auto found = m_unreadable.find(name); found != m_unreadable.end()) {
        return tl::unexpected(found->second);
    }
    if (m_arrays.empty()) {
        return fail(Code::NotFound, "There is no array " + inQuotes(name) + "; the file has none.",
                    m_name);
    }
    constexpr std::size_t mostNames = 20; // a checkpoint has thousands
    std::string names;
    for (std::size_t i = 0; i < m_arrays.size() && i < mostNames; ++i) {
        names += (i == 0 ? "" : ", ") + inQuotes(m_arrays[i].name);
    }
    if (m_arrays.size() > mostNames) {
        names += " and " + std::to_string(m_arrays.size() - mostNames) + " more";
    }
    return fail(Code::NotFound,
                "There is no array " + inQuotes(name) + "; there are " + names + ".", m_name);
}

std::string NamedArrayFile::where(std::size_t index) const
{
    const std::string& name = m_arrays[index].name;
    return name.empty() ? m_name : m_name + ", array " + inQuotes(name);
}

Expected<Tensor> PlainArrayFile::read(const std::string& name) const
{
    return withArray(name, [&](std::size_t index) -> Expected<Tensor> {
        return decodeTensor(stored(index), where(index));
    });
}

Expected<void> PlainArrayFile::readRows(const std::string& name, std::int64_t first,
                                        MatrixView<float> out) const
{
    return withRows(name, first, out, [&](std::size_t index) -> Expected<void> {
        return decodeRows(stored(index), first, out) ? Expected<void>()
                                                     : ArrayFile::readRows(name, first, out);
    });
}

Expected<std::vector<std::byte>> PlainArrayFile::readRaw(const std::string& name) const
{
    return withArray(name, [&](std::size_t index) -> Expected<std::vector<std::byte>> {
        return decodeRaw(stored(index), where(index));
    });
}

std::span<const float> PlainArrayFile::mapped(const std::string& name) const
{
    const auto index = indexOf(name);
    return index ? decodeInPlace(stored(*index)) : std::span<const float>{};
}

} // namespace heed::detail

namespace heed {

Expected<void> ArrayFile::readRows(const std::string& name, std::int64_t first,
                                   MatrixView<float> out) const
{
    const auto tensor = read(name);
    if (!tensor) {
        return tl::unexpected(tensor.error());
    }
    if (auto fits = detail::checkRows(tensor->shape(), first, out, name); !fits) {
        return fits;
    }
    for (std::int64_t row = 0; row < out.rows && out.columns > 0; ++row) {
        const float* begin = tensor->data() + (first + row) * out.columns;
        std::copy_n(begin, out.columns, out.row(row).begin());
    }
    return {};
}

std::vector<std::pair<std::string, Error>> unreadableArrays(const ArrayFile& file)
{
    const auto* named = dynamic_cast<const detail::NamedArrayFile*>(&file);
    if (named == nullptr) {
        return {};
    }
    return {named->unreadable().begin(), named->unreadable().end()};
}

} // namespace heed
