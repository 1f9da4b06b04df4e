// Which reader or writer gets the work, and the checks that all of them need.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/arrayfile.h"

#include "io/atomicfile.h"
#include "io/elementtype.h"
#include "io/mappedfile.h"
#include "io/npyheader.h"
#include "io/readers.h"
#include "io/textpieces.h"
#include "io/writers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

namespace heed {

namespace {

using namespace detail;
using Reader = Expected<ArrayFilePtr> (*)(const Source&);

struct Format {
    std::string_view name;             ///< as ArrayFile::format(); the extension without its dot
    std::optional<ArrayFormat> format; ///< nothing: only read
    Reader open;
};

constexpr std::array<Format, 7> formats = {
    {{"npy", ArrayFormat::Npy, openNpy},
     {"npz", ArrayFormat::Npz, openNpz},
     {"safetensors", ArrayFormat::Safetensors, openSafetensors},
     {"gguf", {}, openGguf},
     {"torch", {}, openTorch},
     {"json", ArrayFormat::Json, openJson},
     {"csv", ArrayFormat::Csv, openCsv}}};

constexpr std::string_view readExtensions = ".npy, .npz, .safetensors, .gguf, .json and .csv";
constexpr std::string_view writtenExtensions = ".npy, .npz, .safetensors, .json and .csv";

const Format* formatNamed(std::string_view name)
{
    const auto* found = std::find_if(formats.begin(), formats.end(),
                                     [&](const Format& one) { return one.name == name; });
    return found == formats.end() ? nullptr : found;
}

const Format* formatOfExtension(const std::filesystem::path& path)
{
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return extension.empty() ? nullptr : formatNamed(std::string_view(extension).substr(1));
}

/// By the first bytes, or nullptr. Text that begins with { or [ can be no csv of numbers.
const Format* formatOfContent(std::span<const std::byte> bytes)
{
    const std::string_view text = asText(bytes);
    if (text.starts_with(npyMagic)) {
        return formatNamed("npy");
    }
    if (looksLikeTorch(bytes)) {
        return formatNamed("torch");
    }
    if (text.starts_with("PK\3\4") || text.starts_with("PK\5\6")) {
        return formatNamed("npz");
    }
    if (text.starts_with(ggufMagic)) {
        return formatNamed("gguf");
    }
    if (looksLikeSafetensors(bytes)) {
        return formatNamed("safetensors");
    }
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first != text.npos && (text[first] == '{' || text[first] == '[')) {
        return formatNamed("json");
    }
    return nullptr;
}

/// A format that people try to open here but that is another one.
std::string_view foreignFormat(std::string_view text)
{
    struct Foreign {
        std::string_view magic;
        std::string_view says;
    };
    static constexpr std::array<Foreign, 3> known = {
        {{"\x1F\x8B", "This file is compressed with gzip; unpack it first."},
         {"\x89HDF", "This is an HDF5 file; convert it to .npz or .safetensors."},
         {"\x80", "This is a Python pickle, which would have to be executed to be read; save the "
                  "arrays as .npz or .safetensors."}}};
    for (const Foreign& one : known) {
        if (text.starts_with(one.magic)) {
            return one.says;
        }
    }
    return {};
}

Expected<ArrayFilePtr> openSource(const Source& source, const Format* byName)
{
    if (source.bytes.empty()) {
        return fail(Code::BadFormat, "The file is empty.", source.name);
    }
    const Format* format = formatOfContent(source.bytes);
    if (format == nullptr) {
        if (const auto says = foreignFormat(asText(source.bytes)); !says.empty()) {
            return fail(Code::Unsupported, std::string(says), source.name);
        }
        format = byName;
    }
    if (format == nullptr) {
        return fail(Code::BadFormat,
                    "Neither the content nor the name tells the format. Known are " +
                        std::string(readExtensions) + ".",
                    source.name);
    }
    return format->open(source);
}

Expected<void> checkArray(const ArrayToWrite& array)
{
    if (array.shape.size() > maxRank) {
        return fail(Code::InvalidArgument, "An array has at most 64 axes.", array.name);
    }
    const auto bytes = byteCount(array.shape, array.type);
    if (!bytes) {
        return fail(bytes.error().code, bytes.error().message, array.name);
    }
    if (!array.pieces && *bytes != array.bytes.size()) {
        return fail(Code::InvalidArgument,
                    toString(array.shape) + " " + std::string(elementTypeName(array.type)) +
                        " takes " + std::to_string(*bytes) + " bytes, not " +
                        std::to_string(array.bytes.size()) + ".",
                    array.name);
    }
    return {};
}

/// Names that a format needs for something else.
bool reserved(ArrayFormat format, const std::string& name, const ArrayFileNotes& notes)
{
    switch (format) {
    case ArrayFormat::Npz:
        return name == "tokens" && !notes.tokens.empty();
    case ArrayFormat::Safetensors:
        return name == "__metadata__";
    case ArrayFormat::Json:
        return name == "schema" || name == "metadata" ||
               (name == "tokens" && !notes.tokens.empty());
    default:
        return false;
    }
}

Expected<void> checkArrays(ArrayFormat format, std::span<const ArrayToWrite> arrays,
                           const ArrayFileNotes& notes)
{
    const bool single = format == ArrayFormat::Npy || format == ArrayFormat::Csv;
    if (single && arrays.size() != 1) {
        return fail(Code::InvalidArgument,
                    "A .npy or .csv file holds one array, not " + std::to_string(arrays.size()) +
                        ". Select one, or write .npz, .safetensors or .json.");
    }
    std::unordered_set<std::string> names;
    for (const ArrayToWrite& array : arrays) {
        if (auto checked = checkArray(array); !checked) {
            return checked;
        }
        if (single) {
            continue;
        }
        if (array.name.empty() || !isUtf8(array.name) ||
            array.name.find('\0') != std::string::npos) {
            return fail(Code::InvalidArgument, "An array in this format needs a name, in UTF-8.",
                        inQuotes(array.name));
        }
        if (reserved(format, array.name, notes)) {
            return fail(Code::InvalidArgument,
                        "The name is reserved in this format. Choose another.", array.name);
        }
        if (!names.insert(array.name).second) {
            return fail(Code::InvalidArgument, "Two arrays have this name.", array.name);
        }
    }
    return {};
}

Expected<void> writeChecked(const ByteSink& sink, const BytePatch& patch, ArrayFormat format,
                            std::span<const ArrayToWrite> arrays, const ArrayFileNotes& notes)
{
    switch (format) {
    case ArrayFormat::Npy:
        return writeNpy(sink, arrays.front());
    case ArrayFormat::Npz:
        return writeNpz(sink, patch, arrays, notes);
    case ArrayFormat::Safetensors:
        return writeSafetensors(sink, arrays, notes);
    case ArrayFormat::Json:
        return writeJson(sink, arrays, notes);
    case ArrayFormat::Csv:
        return writeCsv(sink, arrays.front());
    }
    return fail(Code::InvalidArgument, "Unknown format.");
}

/// Of arrays: what they take before headers and names, or as text the shortest numbers.
ExpectedSize arraysOf(std::int64_t least)
{
    return {least, true,
            "Select fewer heads, layers or items, write less of it (--what), or choose another "
            "folder."};
}

/// Opens, lets @p fill write, and renames; adds the path to an error that has no context.
Expected<void> replaceFile(const std::filesystem::path& path, const ExpectedSize& size,
                           const std::function<Expected<void>(AtomicFile&)>& fill)
{
    return guarded(path.string(), [&]() -> Expected<void> {
        AtomicFile file(path);
        auto result = file.open();
        if (result) {
            result = file.expect(size);
        }
        if (result) {
            result = fill(file);
        }
        if (result) {
            result = file.commit();
        }
        if (!result && result.error().context.empty()) {
            result.error().context = path.string();
        }
        return result;
    });
}

} // namespace

const ArrayInfo* ArrayFile::find(const std::string& name) const
{
    const auto& all = arrays();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const ArrayInfo& info) { return info.name == name; });
    return found == all.end() ? nullptr : &*found;
}

Expected<ArrayFilePtr> openArrays(const std::filesystem::path& path)
{
    return guarded(path.string(), [&]() -> Expected<ArrayFilePtr> {
        const auto file = MappedFile::open(path);
        if (!file) {
            return tl::unexpected(file.error());
        }
        const Source source{*file, (*file)->bytes(), path.string(), detail::MappedFile::forget};
        if (isShardIndex(path) && formatOfContent(source.bytes) == formatNamed("json")) {
            return openShards(source, path.parent_path());
        }
        if (isGgufPart(path) && formatOfContent(source.bytes) == formatNamed("gguf")) {
            return openGgufParts(path);
        }
        return openSource(source, formatOfExtension(path));
    });
}

Expected<ArrayFilePtr> openArrays(std::vector<std::byte> bytes, std::string_view format)
{
    const std::string name = "input";
    return guarded(name, [&]() -> Expected<ArrayFilePtr> {
        const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
        const Source source{owner, *owner, name, nullptr};
        if (format.empty()) {
            return openSource(source, nullptr);
        }
        const Format* known = formatNamed(format);
        if (known == nullptr) {
            return fail(Code::InvalidArgument, "There is no format " + inQuotes(format) + ".");
        }
        if (source.bytes.empty()) {
            return fail(Code::BadFormat, "The input is empty.", name);
        }
        return known->open(source);
    });
}

Expected<ArrayFormat> arrayFormatOf(const std::filesystem::path& path)
{
    return guarded(path.string(), [&]() -> Expected<ArrayFormat> {
        if (const Format* format = formatOfExtension(path); format && format->format) {
            return *format->format;
        }
        return fail(Code::InvalidArgument,
                    "The extension tells the format; known are " + std::string(writtenExtensions) +
                        ".",
                    path.string());
    });
}

Expected<void> writeArrays(const ByteSink& sink, ArrayFormat format,
                           std::span<const ArrayToWrite> arrays, const ArrayFileNotes& notes)
{
    return guarded("", [&]() -> Expected<void> {
        if (auto checked = checkArrays(format, arrays, notes); !checked) {
            return checked;
        }
        return writeChecked(sink, {}, format, arrays, notes);
    });
}

Expected<void> writeArrays(const std::filesystem::path& path, ArrayFormat format,
                           std::span<const ArrayToWrite> arrays, const ArrayFileNotes& notes)
{
    auto checked = guarded(path.string(), [&] { return checkArrays(format, arrays, notes); });
    if (!checked) {
        return checked;
    }
    return replaceFile(path, arraysOf(leastBytes(format, arrays)), [&](AtomicFile& file) {
        const ByteSink sink = [&](std::span<const std::byte> bytes) { return file.write(bytes); };
        BytePatch patch;
        if (file.canPatch()) {
            patch = [&](std::uint64_t offset, std::span<const std::byte> bytes) {
                return file.patch(offset, bytes);
            };
        }
        return writeChecked(sink, patch, format, arrays, notes);
    });
}

Expected<void> writeArrays(const std::filesystem::path& path, std::span<const ArrayToWrite> arrays,
                           const ArrayFileNotes& notes)
{
    const auto format = arrayFormatOf(path);
    if (!format) {
        return tl::unexpected(format.error());
    }
    return writeArrays(path, *format, arrays, notes);
}

std::int64_t leastBytes(ArrayFormat format, std::span<const ArrayToWrite> arrays)
{
    const bool isText = format == ArrayFormat::Json || format == ArrayFormat::Csv;
    constexpr double most = 0x1p62;
    double total = 0; // in double: the sum of absurd sizes must not wrap
    for (const ArrayToWrite& array : arrays) {
        double bytes = isText ? 2 : static_cast<double>(elementSize(array.type));
        for (const std::int64_t extent : array.shape) {
            bytes *= static_cast<double>(extent);
        }
        total += bytes;
    }
    return static_cast<std::int64_t>(std::min(total, most));
}

Expected<void> writeFile(const std::filesystem::path& path, std::span<const std::byte> bytes)
{
    const ExpectedSize size = {static_cast<std::int64_t>(bytes.size()), false,
                               "Make room, or choose another folder."};
    return replaceFile(path, size, [&](AtomicFile& file) { return file.write(bytes); });
}

Expected<void> writeFile(const std::filesystem::path& path, std::int64_t least,
                         const std::function<Expected<void>(const ByteSink&)>& fill)
{
    return replaceFile(path, arraysOf(least), [&](AtomicFile& file) {
        return fill([&](std::span<const std::byte> bytes) { return file.write(bytes); });
    });
}

} // namespace heed
