// Reads a GGUF model in several files, NAME-00001-of-00003.gguf and so on, as one file.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/gguf.h"
#include "io/mappedfile.h"
#include "io/shardedfile.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace heed::detail {

namespace {

constexpr std::int64_t mostFiles = 99999; // five digits
constexpr std::size_t digits = 5;

/// NAME-00001-of-00003.gguf, taken apart.
struct SplitName {
    std::string stem; ///< NAME
    std::int64_t number = 0;
    std::int64_t count = 0;
};

std::optional<std::int64_t> fiveDigits(std::string_view text)
{
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const bool isNumber = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }) &&
                          text.size() == digits &&
                          std::from_chars(text.data(), end, value).ptr == end;
    return isNumber ? std::optional(value) : std::nullopt;
}

std::optional<SplitName> splitName(const std::filesystem::path& path)
{
    constexpr std::string_view middle = "-of-";
    constexpr std::string_view suffix = ".gguf";
    constexpr std::size_t tail = 1 + digits + middle.size() + digits + suffix.size();
    const std::string name = path.filename().string();
    if (name.size() < tail) {
        return {};
    }
    const std::string_view rest = std::string_view(name).substr(name.size() - tail);
    const auto number = fiveDigits(rest.substr(1, digits));
    const auto count = fiveDigits(rest.substr(1 + digits + middle.size(), digits));
    if (rest.front() != '-' || rest.substr(1 + digits, middle.size()) != middle ||
        !rest.ends_with(suffix) || !number || !count || *number < 1 || *number > *count) {
        return {};
    }
    return SplitName{name.substr(0, name.size() - tail), *number, *count};
}

std::string fileName(const SplitName& split, std::int64_t number)
{
    const auto padded = [](std::int64_t value) {
        const std::string text = std::to_string(value);
        return std::string(digits - text.size(), '0') + text;
    };
    return split.stem + "-" + padded(number) + "-of-" + padded(split.count) + ".gguf";
}

/// The first file has the metadata; the others say only which they are.
class SplitGguf final : public ShardedFile {
public:
    SplitGguf(std::string name, ArrayFilePtr first)
        : ShardedFile("gguf", std::move(name))
        , m_first(std::move(first))
    {
    }
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> metadata() const override
    {
        return m_first->metadata();
    }
    [[nodiscard]] const GgufMetadata* ggufValues() const override { return ggufMetadata(*m_first); }

private:
    ArrayFilePtr m_first;
};

Expected<ArrayFilePtr> openPart(const std::filesystem::path& path, const std::string& where)
{
    const auto file = MappedFile::open(path);
    if (!file && file.error().code == Code::NotFound) {
        return fail(Code::NotFound,
                    "The file " + inQuotes(path.filename().string()) +
                        " of the model is not beside it. Was the download complete?",
                    where);
    }
    if (!file) {
        return tl::unexpected(file.error());
    }
    return openGguf({*file, (*file)->bytes(), path.string(), MappedFile::forget});
}

/// Whether the file says that it is number @p number (from 1) of @p count.
Expected<void> checkPlace(const ArrayFile& part, std::int64_t number, std::int64_t count,
                          const std::string& where)
{
    const GgufMetadata& values = *ggufMetadata(part);
    for (const auto& [name, wanted] :
         {std::pair("split.no", number - 1), std::pair("split.count", count)}) {
        const auto value = values.value(name).and_then(&GgufValue::integer);
        if (!value) {
            return tl::unexpected(value.error());
        }
        if (*value != wanted) {
            return fail(Code::BadFormat,
                        "By its name " + std::string(name) + " should be " +
                            std::to_string(wanted) + ", but it is " + std::to_string(*value) +
                            ". Give the file the name that it had.",
                        where);
        }
    }
    return {};
}

Expected<void> addAll(ShardedFile& model, const ArrayFilePtr& part, const std::string& where)
{
    const auto& file = static_cast<const NamedArrayFile&>(*part);
    const auto isKnown = [&](const std::string& name) {
        return model.findInfo(name) != nullptr || model.unreadable().contains(name);
    };
    for (const ArrayInfo& info : file.arrays()) {
        if (isKnown(info.name)) {
            return fail(Code::BadFormat,
                        "The tensor " + inQuotes(info.name) + " is in two files of the model.",
                        where);
        }
        model.add(info, part);
    }
    for (const auto& [name, reason] : file.unreadable()) {
        if (isKnown(name)) {
            return fail(Code::BadFormat,
                        "The tensor " + inQuotes(name) + " is in two files of the model.", where);
        }
        model.addUnreadable(name, reason);
    }
    return {};
}

} // namespace

bool isGgufPart(const std::filesystem::path& path)
{
    const auto name = splitName(path);
    return name && name->count > 1 && name->count <= mostFiles;
}

Expected<ArrayFilePtr> openGgufParts(const std::filesystem::path& path)
{
    const SplitName split = *splitName(path);
    const auto pathOf = [&](std::int64_t number) {
        return path.parent_path() / fileName(split, number);
    };
    auto first = openPart(pathOf(1), path.string());
    if (!first) {
        return first;
    }
    auto model = std::make_shared<SplitGguf>(pathOf(1).string(), *first);
    for (std::int64_t number = 1; number <= split.count; ++number) {
        auto part = number == 1 ? first : openPart(pathOf(number), path.string());
        if (!part) {
            return part;
        }
        const std::string where = pathOf(number).string();
        if (auto fine = checkPlace(**part, number, split.count, where); !fine) {
            return tl::unexpected(fine.error());
        }
        if (auto added = addAll(*model, *part, where); !added) {
            return tl::unexpected(added.error());
        }
    }
    const auto total =
        ggufMetadata(**first)->value("split.tensors.count").and_then(&GgufValue::integer);
    if (!total) {
        return tl::unexpected(total.error());
    }
    const auto found = model->arrays().size() + model->unreadable().size();
    if (*total != static_cast<std::int64_t>(found)) {
        return fail(Code::BadFormat,
                    "The files of the model have " + std::to_string(found) + " tensors; " +
                        std::to_string(*total) + " are promised.",
                    path.string());
    }
    return model;
}

} // namespace heed::detail
