// Reads a model in several files by its index, *.safetensors.index.json or *.bin.index.json, as one
// file.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/shardedfile.h"
#include "io/jsonreader.h"
#include "io/mappedfile.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace heed::detail {

namespace {

constexpr std::string_view indexSuffix = ".safetensors.index.json";
constexpr std::string_view torchIndexSuffix = ".bin.index.json"; // of before safetensors
constexpr std::size_t longestIndex = 100'000'000;                // as the header of a single file

struct MappedName {
    std::string array;
    std::string file;
};

/// Keeps what "weight_map" says; "metadata" has a total size, which nothing needs.
class IndexVisitor : public JsonVisitor {
public:
    std::vector<MappedName> names;
    bool hasMap = false;

    bool startObject() override
    {
        ++m_depth;
        if (m_depth == 2 && m_inMap) {
            hasMap = true;
            return true;
        }
        return !m_inMap || refuse("weight_map gives each array the name of a file, as text.");
    }
    bool endObject() override
    {
        --m_depth;
        m_inMap = m_inMap && m_depth > 1;
        return true;
    }
    bool startArray() override { return startOther(); }
    bool endArray() override
    {
        --m_depth;
        return true;
    }
    bool key(std::string& name) override
    {
        if (m_depth == 1) {
            m_inMap = name == "weight_map";
            return !(m_inMap && hasMap) || refuse("weight_map occurs twice.");
        }
        if (m_inMap && !m_seen.insert(name).second) {
            return refuse("The array " + inQuotes(name) + " occurs twice in weight_map.");
        }
        m_name = std::move(name);
        return true;
    }
    bool text(std::string& value) override
    {
        if (m_inMap && m_depth == 2) {
            names.push_back({m_name, std::move(value)});
            return true;
        }
        return other();
    }
    bool null() override { return other(); }
    bool boolean(bool) override { return other(); }
    bool negative(std::int64_t) override { return other(); }
    bool natural(std::uint64_t) override { return other(); }
    bool decimal(double, std::string_view) override { return other(); }

private:
    bool other()
    {
        return !m_inMap || refuse("weight_map gives each array the name of a file, as text.");
    }
    bool startOther()
    {
        ++m_depth;
        return other();
    }

    std::size_t m_depth = 0;
    bool m_inMap = false; ///< inside the value of weight_map, or right before it
    std::string m_name;
    std::unordered_set<std::string> m_seen;
};

bool isTorchIndex(const std::string& path)
{
    return path.ends_with(torchIndexSuffix);
}

/// A name in the folder of the index, and not a way out of it, on any system.
bool isPlainName(const std::string& name)
{
    return !name.empty() && name != "." && name != ".." &&
           name.find_first_of(std::string_view("/\\:\0", 4)) == name.npos;
}

Expected<ArrayFilePtr> openShard(const std::filesystem::path& folder, const MappedName& mapped,
                                 const std::string& where)
{
    if (!isPlainName(mapped.file)) {
        return fail(Code::BadFormat,
                    "weight_map looks for " + inQuotes(mapped.array) + " in " +
                        inQuotes(mapped.file) +
                        ", which is no plain name of a file beside the index.",
                    where);
    }
    const std::filesystem::path path = folder / mapped.file;
    const auto file = MappedFile::open(path);
    if (!file && file.error().code == Code::NotFound) {
        return fail(Code::NotFound,
                    "The file " + inQuotes(mapped.file) +
                        " of the model is not beside its index. Was the download complete?",
                    where);
    }
    if (!file) {
        return tl::unexpected(file.error());
    }
    const Source source{*file, (*file)->bytes(), path.string(), MappedFile::forget};
    if (!isTorchIndex(where)) {
        return openSafetensors(source);
    }
    if (!looksLikeTorch(source.bytes)) {
        return badFormat(source.name, 0, "It is not what torch.save() writes.");
    }
    return openTorch(source);
}

/// Adds the array that @p mapped names.
Expected<void> addArray(ShardedFile& model, const MappedName& mapped, const ArrayFilePtr& shard,
                        const std::string& where)
{
    const auto& file = static_cast<const NamedArrayFile&>(*shard);
    if (const ArrayInfo* info = file.findInfo(mapped.array)) {
        model.add(*info, shard);
        return {};
    }
    const auto unreadable = file.unreadable().find(mapped.array);
    if (unreadable == file.unreadable().end()) {
        return fail(Code::BadFormat,
                    "The array " + inQuotes(mapped.array) + " is not in " + inQuotes(mapped.file) +
                        ", where weight_map looks for it.",
                    where);
    }
    model.addUnreadable(mapped.array, unreadable->second);
    return {};
}

} // namespace

bool isShardIndex(const std::filesystem::path& path)
{
    const std::string name = path.filename().string();
    return name.ends_with(indexSuffix) || isTorchIndex(name);
}

Expected<ArrayFilePtr> openShards(const Source& source, const std::filesystem::path& folder)
{
    if (source.bytes.size() > longestIndex) {
        return badFormat(source.name, longestIndex,
                         "The index is longer than 100000000 bytes, which no model needs.");
    }
    IndexVisitor visitor;
    if (auto parsed = parseJson(asText(source.bytes), source.name, visitor); !parsed) {
        return tl::unexpected(parsed.error());
    }
    if (!visitor.hasMap) {
        return badFormat(source.name, 0, "The index of a model has a weight_map; this has none.");
    }
    auto model = std::make_shared<ShardedFile>(isTorchIndex(source.name) ? "torch" : "safetensors",
                                               source.name);
    std::map<std::string, ArrayFilePtr> shards;
    for (const MappedName& mapped : visitor.names) {
        ArrayFilePtr& shard = shards[mapped.file];
        if (shard == nullptr) {
            auto opened = openShard(folder, mapped, source.name);
            if (!opened) {
                return opened;
            }
            shard = std::move(*opened);
        }
        if (auto added = addArray(*model, mapped, shard, source.name); !added) {
            return tl::unexpected(added.error());
        }
    }
    return model;
}

} // namespace heed::detail
