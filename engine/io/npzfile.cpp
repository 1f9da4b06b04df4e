// Reads .npz: a zip archive of .npy arrays; those that are stored are used where they lie.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/npyheader.h"
#include "io/readers.h"
#include "io/textpieces.h"
#include "io/writers.h"
#include "io/ziparchive.h"

namespace heed::detail {

namespace {

constexpr std::string_view arraySuffix = ".npy";

class NpzFile : public NamedArrayFile {
public:
    explicit NpzFile(const Source& source)
        : NamedArrayFile("npz", source.name)
        , m_source(source)
    {
    }

    void add(const NpyHeader& header, ZipMember member)
    {
        addInfo(header.info);
        m_places.push_back({header.bigEndian, header.headerBytes, std::move(member)});
    }

    [[nodiscard]] Expected<Tensor> read(const std::string& name) const override
    {
        return decode<Tensor>(name, decodeTensor);
    }

    [[nodiscard]] Expected<std::vector<std::byte>> readRaw(const std::string& name) const override
    {
        return decode<std::vector<std::byte>>(name, decodeRaw);
    }

    [[nodiscard]] std::span<const float> mapped(const std::string& name) const override
    {
        const auto index = indexOf(name);
        if (!index || m_places[*index].member.method != zipStored) {
            return {};
        }
        const Place& place = m_places[*index];
        return decodeInPlace({&arrays()[*index], place.bigEndian,
                              place.member.bytes.subspan(place.headerBytes), nullptr});
    }

private:
    struct Place {
        bool bigEndian;
        std::size_t headerBytes;
        ZipMember member;
    };

    template <typename Result>
    Expected<Result> decode(const std::string& name,
                            Expected<Result> (*decoder)(const StoredArray&,
                                                        const std::string&)) const
    {
        return withArray(name, [&](std::size_t index) -> Expected<Result> {
            const Place& place = m_places[index];
            StoredArray array{&arrays()[index], place.bigEndian, {}, nullptr};
            if (place.member.method == zipStored) {
                if (auto intact = checkStored(place.member, where(index), m_source.forget);
                    !intact) {
                    return tl::unexpected(intact.error());
                }
                array.forget = m_source.forget;
                array.bytes = place.member.bytes.subspan(place.headerBytes);
                return decoder(array, where(index));
            }
            const auto unpacked = unpack(place.member, where(index));
            if (!unpacked) {
                return tl::unexpected(unpacked.error());
            }
            array.bytes = std::span<const std::byte>(*unpacked).subspan(place.headerBytes);
            return decoder(array, where(index));
        });
    }

    Source m_source; // keeps the mapping alive
    std::vector<Place> m_places;
};

Expected<NpyHeader> readMemberHeader(const ZipMember& member, const std::string& where)
{
    if (member.encrypted || (member.method != zipStored && member.method != zipDeflated)) {
        return fail(Code::Unsupported,
                    member.encrypted
                        ? "The member is encrypted."
                        : "The member is compressed by method " + std::to_string(member.method) +
                              "; stored and deflated are read.",
                    where);
    }
    if (member.method == zipStored) {
        return parseNpyHeader(member.bytes, where);
    }
    auto start = unpackStart(member, npyPreambleSize, where);
    if (!start) {
        return tl::unexpected(start.error());
    }
    const auto size = npyHeaderSize(*start, where);
    if (!size) {
        return tl::unexpected(size.error());
    }
    start = unpackStart(member, *size, where);
    if (!start) {
        return tl::unexpected(start.error());
    }
    return parseNpyHeader(*start, where);
}

/// Keeps a member "tokens" of text; one that is no such thing is just not read.
void addTokens(NpzFile& file, const std::string& name, const ZipMember& member,
               const std::string& where)
{
    if (name != npzTokensName || member.encrypted ||
        (member.method != zipStored && member.method != zipDeflated)) {
        return;
    }
    const auto bytes = unpack(member, where);
    if (auto tokens = bytes ? parseNpyText(*bytes, where) : tl::unexpected(bytes.error())) {
        file.setTokens(std::move(*tokens));
    }
}

Expected<void> addMember(NpzFile& file, ZipMember member, const std::string& fileName)
{
    const std::string where = fileName + ", member " + inQuotes(member.name);
    if (member.name == npzMetadataName && !member.encrypted && member.size <= longestNpzMetadata &&
        (member.method == zipStored || member.method == zipDeflated)) {
        const auto text = unpack(member, where);
        if (!text) {
            return tl::unexpected(text.error());
        }
        auto metadata = parseTextMap(asText(*text), where);
        if (!metadata) {
            return tl::unexpected(metadata.error());
        }
        file.setMetadata(std::move(*metadata));
        return {};
    }
    if (!member.name.ends_with(arraySuffix)) {
        return {}; // not an array; NumPy hands such members out as bytes
    }
    const std::string name = member.name.substr(0, member.name.size() - arraySuffix.size());
    auto header = readMemberHeader(member, where);
    if (!header && header.error().code == Code::Unsupported) {
        addTokens(file, name, member, where);
        file.addUnreadable(name, std::move(header.error()));
        return {};
    }
    if (!header) {
        return tl::unexpected(header.error());
    }
    if (member.size < header->headerBytes ||
        member.size - header->headerBytes != header->dataBytes) {
        return badFormat(where, header->headerBytes,
                         toString(header->info.shape) + " " +
                             std::string(elementTypeName(header->info.type)) + " takes " +
                             std::to_string(header->dataBytes) + " bytes, but the member has " +
                             std::to_string(member.size) + " with its header.");
    }
    header->info.name = name;
    file.add(*header, std::move(member));
    return {};
}

} // namespace

Expected<ArrayFilePtr> openNpz(const Source& source)
{
    auto members = readZipDirectory(source.bytes, source.name);
    if (!members) {
        return tl::unexpected(members.error());
    }
    auto file = std::make_shared<NpzFile>(source);
    const bool emptyArchive = members->empty();
    for (ZipMember& member : *members) {
        if (auto added = addMember(*file, std::move(member), source.name); !added) {
            return tl::unexpected(added.error());
        }
    }
    if (file->arrays().empty() && !file->unreadable().empty()) {
        return tl::unexpected(file->unreadable().begin()->second);
    }
    if (file->arrays().empty() && !emptyArchive) {
        return fail(Code::Unsupported,
                    "This zip archive holds no .npy array. Is it a checkpoint of PyTorch?",
                    source.name);
    }
    return file;
}

} // namespace heed::detail
