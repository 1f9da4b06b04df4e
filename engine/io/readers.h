// The readers of the formats, one file each, and the class that the binary ones share.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/arrayfile.h"
#include "heed/gguf.h"
#include "io/elementtype.h"
#include "io/source.h"

#include <map>
#include <unordered_map>

namespace heed::detail {

[[nodiscard]] Expected<ArrayFilePtr> openNpy(const Source& source);
[[nodiscard]] Expected<ArrayFilePtr> openNpz(const Source& source);
[[nodiscard]] Expected<ArrayFilePtr> openSafetensors(const Source& source);
[[nodiscard]] Expected<ArrayFilePtr> openGguf(const Source& source);
[[nodiscard]] Expected<ArrayFilePtr> openTorch(const Source& source);
[[nodiscard]] Expected<ArrayFilePtr> openJson(const Source& source);
[[nodiscard]] Expected<ArrayFilePtr> openCsv(const Source& source);

/// Whether @p bytes look like the inside of a safetensors file, which has no magic number.
[[nodiscard]] bool looksLikeSafetensors(std::span<const std::byte> bytes);

/// Whether @p bytes are what torch.save() writes: an archive with data.pkl, or pickles.
[[nodiscard]] bool looksLikeTorch(std::span<const std::byte> bytes);

/// Whether @p path is the name of an index of several files of safetensors or of torch.
[[nodiscard]] bool isShardIndex(const std::filesystem::path& path);
/// The files that the index @p source names, all in @p folder.
[[nodiscard]] Expected<ArrayFilePtr> openShards(const Source& source,
                                                const std::filesystem::path& folder);

/// Whether @p path is named as one of several .gguf files, NAME-00001-of-00003.gguf.
[[nodiscard]] bool isGgufPart(const std::filesystem::path& path);
/// All files of the model that @p path, one of them, belongs to.
[[nodiscard]] Expected<ArrayFilePtr> openGgufParts(const std::filesystem::path& path);

/// What a GGUF file begins with.
inline constexpr std::string_view ggufMagic = "GGUF";

/// Whether an array of @p shape has the rows that ArrayFile::readRows() asks for.
[[nodiscard]] Expected<void> checkRows(const Shape& shape, std::int64_t first,
                                       const MatrixView<float>& out, const std::string& where);

/// Arrays by name, those that cannot be read with their reason, and the look-up of both.
class NamedArrayFile : public ArrayFile {
public:
    NamedArrayFile(std::string_view format, std::string name)
        : m_format(format)
        , m_name(std::move(name))
    {
    }

    [[nodiscard]] std::string_view format() const override { return m_format; }
    [[nodiscard]] const std::vector<ArrayInfo>& arrays() const override { return m_arrays; }
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> metadata() const override
    {
        return m_metadata;
    }

    [[nodiscard]] TokenTexts tokens() const override;
    /// What ggufMetadata() gives.
    [[nodiscard]] virtual const GgufMetadata* ggufValues() const { return nullptr; }

    /// Tokens that do not stand in the metadata.
    void setTokens(std::vector<std::vector<std::string>> tokens) { m_tokens = std::move(tokens); }

    void setMetadata(std::vector<std::pair<std::string, std::string>> metadata)
    {
        m_metadata = std::move(metadata);
    }

    /// An array that is there but of a kind that is not read; read() gives @p reason.
    void addUnreadable(const std::string& name, Error reason)
    {
        m_unreadable.emplace(name, std::move(reason));
    }
    [[nodiscard]] const std::map<std::string, Error>& unreadable() const { return m_unreadable; }
    /// ArrayFile::find(), but not by a search.
    [[nodiscard]] const ArrayInfo* findInfo(const std::string& name) const
    {
        const auto found = m_index.find(name);
        return found == m_index.end() ? nullptr : &m_arrays[found->second];
    }

protected:
    void addInfo(ArrayInfo info)
    {
        m_index.emplace(info.name, m_arrays.size());
        m_arrays.push_back(std::move(info));
    }

    /// @return Code::NotFound naming what there is; the reason of addUnreadable().
    [[nodiscard]] Expected<std::size_t> indexOf(const std::string& name) const;

    /// The file and the array, for Error::context.
    [[nodiscard]] std::string where(std::size_t index) const;

    /// @p read, called with the index of array @p name; what it throws comes back as an error.
    template <typename Read>
    [[nodiscard]] auto withArray(const std::string& name, const Read& read) const
        -> decltype(read(std::size_t{}))
    {
        return guarded(name, [&]() -> decltype(read(std::size_t{})) {
            const auto index = indexOf(name);
            if (!index) {
                return tl::unexpected(index.error());
            }
            return read(*index);
        });
    }
    /// The same once the array was found to have the rows that readRows() asks for.
    template <typename Read>
    [[nodiscard]] Expected<void> withRows(const std::string& name, std::int64_t first,
                                          const MatrixView<float>& out, const Read& read) const
    {
        return withArray(name, [&](std::size_t index) -> Expected<void> {
            auto fits = checkRows(m_arrays[index].shape, first, out, where(index));
            return fits ? read(index) : fits;
        });
    }

private:
    std::string m_format;
    std::string m_name;
    std::vector<ArrayInfo> m_arrays;
    std::unordered_map<std::string, std::size_t> m_index;
    std::map<std::string, Error> m_unreadable;
    std::vector<std::pair<std::string, std::string>> m_metadata;
    std::vector<std::vector<std::string>> m_tokens;
};

/// Arrays that lie in the bytes of the file as they are.
class PlainArrayFile : public NamedArrayFile {
public:
    PlainArrayFile(std::string_view format, Source source)
        : NamedArrayFile(format, source.name)
        , m_source(std::move(source))
    {
    }

    /// @param bytes  part of the source; exactly the elements of @p info.
    void add(ArrayInfo info, bool bigEndian, std::span<const std::byte> bytes)
    {
        addInfo(std::move(info));
        m_places.push_back({bigEndian, bytes});
    }

    [[nodiscard]] Expected<Tensor> read(const std::string& name) const override;
    [[nodiscard]] Expected<void> readRows(const std::string& name, std::int64_t first,
                                          MatrixView<float> out) const override;
    [[nodiscard]] Expected<std::vector<std::byte>> readRaw(const std::string& name) const override;
    [[nodiscard]] std::span<const float> mapped(const std::string& name) const override;

private:
    struct Place {
        bool bigEndian;
        std::span<const std::byte> bytes;
    };

    [[nodiscard]] StoredArray stored(std::size_t index) const
    {
        return {&arrays()[index], m_places[index].bigEndian, m_places[index].bytes,
                m_source.forget};
    }

    Source m_source;
    std::vector<Place> m_places;
};

} // namespace heed::detail
