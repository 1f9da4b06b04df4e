// What the readers share: looking an array up, and decoding one that lies in the file as it is.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/readers.h"

#include "heed/unreadablearrays.h"
#include "io/textpieces.h"

namespace heed::detail {

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
    return guarded(name, [&]() -> Expected<Tensor> {
        const auto index = indexOf(name);
        if (!index) {
            return tl::unexpected(index.error());
        }
        return decodeTensor(stored(*index), where(*index));
    });
}

Expected<std::vector<std::byte>> PlainArrayFile::readRaw(const std::string& name) const
{
    return guarded(name, [&]() -> Expected<std::vector<std::byte>> {
        const auto index = indexOf(name);
        if (!index) {
            return tl::unexpected(index.error());
        }
        return decodeRaw(stored(*index), where(*index));
    });
}

std::span<const float> PlainArrayFile::mapped(const std::string& name) const
{
    const auto index = indexOf(name);
    return index ? decodeInPlace(stored(*index)) : std::span<const float>{};
}

} // namespace heed::detail

namespace heed {

std::vector<std::pair<std::string, Error>> unreadableArrays(const ArrayFile& file)
{
    const auto* named = dynamic_cast<const detail::NamedArrayFile*>(&file);
    if (named == nullptr) {
        return {};
    }
    return {named->unreadable().begin(), named->unreadable().end()};
}

} // namespace heed
