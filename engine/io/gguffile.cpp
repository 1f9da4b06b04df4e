// Reads .gguf, versions 2 and 3: values, tensors, and their numbers. The rules are those of the
// reference reader: no overlap, no hole, every size computed without overflow.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/blocktype.h"
#include "io/ggufcursor.h"
#include "io/readers.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace heed::detail {

namespace {

constexpr std::size_t headBytes = 24;  ///< magic, version, two counts
constexpr std::size_t valueBytes = 14; ///< at least: a name of one character, type, one byte
constexpr std::size_t entryBytes = 24; ///< of a tensor without name or axes
constexpr std::size_t mostAxes = 4;
constexpr std::size_t longestName = 63;
constexpr std::uint32_t usualAlignment = 32;
constexpr std::int64_t blockFormat = 2; ///< general.quantization_version that is read

/// A tensor as the head of the file describes it.
struct Entry {
    std::string_view name;
    std::size_t begin = 0; ///< of the description in the file, for errors
    Shape shape;           ///< slowest axis first, as PyTorch says it
    const BlockType* type = nullptr;
    std::uint64_t bytes = 0;
    std::uint64_t offset = 0; ///< from the begin of the data
};

class GgufFile : public NamedArrayFile {
public:
    GgufFile(const Source& source, std::vector<GgufValue> values)
        : NamedArrayFile("gguf", source.name)
        , m_source(source)
        , m_values(source.name, std::move(values))
    {
    }

    void add(const Entry& entry, std::span<const std::byte> bytes)
    {
        const BlockType& type = *entry.type;
        ArrayInfo info{std::string(entry.name), type.plain.value_or(ElementType::Float32),
                       entry.shape, false};
        if (!type.plain) {
            info.blockType = type.name;
            info.blockBytes = static_cast<std::int64_t>(bytes.size());
        }
        addInfo(std::move(info));
        m_places.push_back({&type, bytes});
    }

    [[nodiscard]] const GgufMetadata& values() const { return m_values; }
    [[nodiscard]] const GgufMetadata* ggufValues() const override { return &m_values; }

    [[nodiscard]] std::vector<std::pair<std::string, std::string>> metadata() const override
    {
        std::vector<std::pair<std::string, std::string>> all;
        for (const GgufValue& value : m_values.values()) {
            all.emplace_back(value.name(), value.toString());
        }
        return all;
    }

    [[nodiscard]] Expected<Tensor> read(const std::string& name) const override
    {
        return withArray(name, [&](std::size_t index) -> Expected<Tensor> {
            auto tensor = Tensor::make(arrays()[index].shape);
            if (!tensor) {
                tensor.error().context = where(index);
                return tensor;
            }
            decode(m_places[index], 0, tensor->values());
            return tensor;
        });
    }

    [[nodiscard]] Expected<void> readRows(const std::string& name, std::int64_t first,
                                          MatrixView<float> out) const override
    {
        return withRows(name, first, out, [&](std::size_t index) -> Expected<void> {
            const bool dense = out.rowStride == out.columns;
            const std::int64_t step = dense ? out.rows : 1;
            for (std::int64_t row = 0; row < out.rows && out.columns > 0; row += step) {
                decode(
                    m_places[index], (first + row) * out.columns,
                    {out.data + row * out.rowStride, static_cast<std::size_t>(step * out.columns)});
            }
            return {};
        });
    }

    [[nodiscard]] Expected<std::vector<std::byte>> readRaw(const std::string& name) const override
    {
        return withArray(name, [&](std::size_t index) -> Expected<std::vector<std::byte>> {
            const Place& place = m_places[index];
            if (place.type->plain) {
                return std::vector<std::byte>(place.bytes.begin(), place.bytes.end());
            }
            const auto tensor = read(name);
            if (!tensor) {
                return tl::unexpected(tensor.error());
            }
            const auto bytes = std::as_bytes(tensor->values());
            return std::vector<std::byte>(bytes.begin(), bytes.end());
        });
    }

    [[nodiscard]] std::span<const float> mapped(const std::string& name) const override
    {
        const auto index = indexOf(name);
        if (!index || !m_places[*index].type->plain) {
            return {};
        }
        return decodeInPlace({&arrays()[*index], false, m_places[*index].bytes, nullptr});
    }

private:
    struct Place {
        const BlockType* type;
        std::span<const std::byte> bytes;
    };

    /// Numbers from @p first on, the begin of a block, to all of @p out.
    void decode(const Place& place, std::int64_t first, std::span<float> out) const
    {
        const BlockType& type = *place.type;
        constexpr std::size_t pieceBytes = std::size_t{8} << 20;
        const std::size_t step = pieceBytes / type.bytes * type.elements;
        std::size_t block = static_cast<std::size_t>(first) / type.elements;
        while (!out.empty()) {
            const std::size_t count = std::min(step, out.size());
            const std::size_t blocks = count / type.elements;
            const auto piece = place.bytes.subspan(block * type.bytes, blocks * type.bytes);
            type.decode(piece, out.first(count));
            if (m_source.forget != nullptr) {
                m_source.forget(piece);
            }
            out = out.subspan(count);
            block += blocks;
        }
    }

    Source m_source; // keeps the mapping alive
    GgufMetadata m_values;
    std::vector<Place> m_places;
};

Expected<void> checkVersion(std::uint32_t version, const std::string& where)
{
    if (version == 2 || version == 3) {
        return {};
    }
    const std::string at = where + ", byte 4";
    if (version == 0) {
        return fail(Code::BadFormat, "The file says it is of version 0, which there is not.", at);
    }
    if ((version & 0xFFFFU) == 0) {
        return fail(Code::Unsupported,
                    "This GGUF file is for big-endian machines. Convert it with "
                    "gguf_convert_endian.py of llama.cpp.",
                    at);
    }
    return fail(Code::UnsupportedVersion,
                "The file is GGUF version " + std::to_string(version) +
                    "; 2 and 3 are read. Convert the model again with a current program.",
                at);
}

/// A count of things of at least @p least bytes each, which must still follow.
Expected<std::uint64_t> readCount(GgufCursor& cursor, std::size_t least, const char* things)
{
    const std::size_t begin = cursor.offset();
    auto count = cursor.number<std::uint64_t>("A count");
    if (count && *count > cursor.remaining() / least) {
        return cursor.refuse(begin, "The file claims " + std::to_string(*count) + " " + things +
                                        ", but only " + std::to_string(cursor.remaining()) +
                                        " bytes follow.");
    }
    return count;
}

/// What tensors are padded to.
Expected<std::uint32_t> alignmentOf(const std::vector<GgufValue>& values, const Source& source)
{
    for (const GgufValue& value : values) {
        if (value.name() != "general.alignment") {
            continue;
        }
        const std::int64_t alignment = value.integer().value_or(0);
        if (value.type() != GgufType::UInt32 || alignment <= 0 ||
            (alignment & (alignment - 1)) != 0) {
            return badFormat(source.name, value.offset(),
                             "general.alignment is " + inQuotes(value.toString()) + ", a " +
                                 std::string(ggufTypeName(value.type())) +
                                 "; it must be a power of two, as uint32.");
        }
        return static_cast<std::uint32_t>(alignment);
    }
    return usualAlignment;
}

/// Rounds up to a multiple of @p alignment. Nothing when that passes 64 bits.
std::optional<std::uint64_t> padded(std::uint64_t size, std::uint32_t alignment)
{
    std::uint64_t end = 0;
    if (__builtin_add_overflow(size, std::uint64_t{alignment} - 1, &end)) {
        return {};
    }
    return end & ~(std::uint64_t{alignment} - 1);
}

/// The extents, fastest axis first as they are stored, to entry.shape.
Expected<void> readShape(GgufCursor& cursor, Entry& entry)
{
    const std::size_t begin = cursor.offset();
    const auto axes = cursor.number<std::uint32_t>("The number of axes");
    if (!axes) {
        return tl::unexpected(axes.error());
    }
    if (*axes > mostAxes) {
        return cursor.refuse(begin, "The tensor " + inQuotes(entry.name) + " has " +
                                        std::to_string(*axes) + " axes; at most 4 are allowed.");
    }
    entry.shape.resize(*axes);
    std::int64_t product = 1; // of what is not 0, so that a 0 hides no overflow
    for (std::size_t axis = *axes; axis-- > 0;) {
        const auto extent = cursor.number<std::int64_t>("The shape of a tensor");
        if (!extent) {
            return tl::unexpected(extent.error());
        }
        if (*extent < 0 ||
            __builtin_mul_overflow(product, std::max<std::int64_t>(*extent, 1), &product)) {
            return cursor.refuse(begin, "The shape of the tensor " + inQuotes(entry.name) +
                                            (*extent < 0 ? " has a negative extent."
                                                         : " holds more elements than memory can "
                                                           "address."));
        }
        entry.shape[axis] = *extent;
    }
    return {};
}

/// The type, and with it the bytes of the tensor.
Expected<void> readBlockType(GgufCursor& cursor, Entry& entry)
{
    const std::size_t begin = cursor.offset();
    const auto number = cursor.number<std::uint32_t>("The type of a tensor");
    if (!number) {
        return tl::unexpected(number.error());
    }
    const std::string tensor = "The tensor " + inQuotes(entry.name);
    entry.type = blockType(*number);
    if (entry.type == nullptr) {
        return cursor.refuse(begin, tensor + " is of type " + std::to_string(*number) +
                                        ", which is not known. Is the file newer than Heedmap?");
    }
    if (entry.type->elements == 0) {
        return cursor.refuse(begin, tensor + " is of type " + std::string(entry.type->name) +
                                        ", which was taken out of the format. Convert the model "
                                        "again with a current program.");
    }
    const std::int64_t row = entry.shape.empty() ? 1 : entry.shape.back();
    if (row % entry.type->elements != 0) {
        return cursor.refuse(begin, tensor + " has rows of " + std::to_string(row) +
                                        " elements, which blocks of " +
                                        std::to_string(entry.type->elements) + " (" +
                                        std::string(entry.type->name) + ") do not fill.");
    }
    const auto count = elementCount(entry.shape);
    if (!count || __builtin_mul_overflow(static_cast<std::uint64_t>(*count / entry.type->elements),
                                         std::uint64_t{entry.type->bytes}, &entry.bytes)) {
        return cursor.refuse(begin, tensor + " takes more bytes than memory can address.");
    }
    return {};
}

Expected<Entry> readEntry(GgufCursor& cursor, std::unordered_set<std::string_view>& names)
{
    Entry entry;
    entry.begin = cursor.offset();
    const auto name = cursor.text("The name of a tensor");
    if (!name) {
        return tl::unexpected(name.error());
    }
    entry.name = *name;
    if (name->size() > longestName) {
        return cursor.refuse(entry.begin, "The tensor " + inQuotes(*name) + " has a name of " +
                                              std::to_string(name->size()) +
                                              " bytes; at most 63 are allowed.");
    }
    if (!names.insert(*name).second) {
        return cursor.refuse(entry.begin, "Two tensors have the name " + inQuotes(*name) + ".");
    }
    if (auto read = readShape(cursor, entry); !read) {
        return tl::unexpected(read.error());
    }
    if (auto read = readBlockType(cursor, entry); !read) {
        return tl::unexpected(read.error());
    }
    const auto offset = cursor.number<std::uint64_t>("The place of a tensor");
    if (!offset) {
        return tl::unexpected(offset.error());
    }
    entry.offset = *offset;
    return entry;
}

/// Why the numbers of @p entry are not read; nothing when they are.
std::optional<std::string> reasonNotToRead(const Entry& entry, const GgufMetadata& values)
{
    if (entry.type->decode == nullptr) {
        return "The type " + std::string(entry.type->name) +
               " is not read. Use a model in F16, Q8_0 or one of Q2_K to Q6_K.";
    }
    const GgufValue* version = values.find("general.quantization_version");
    if (!entry.type->plain && version != nullptr &&
        version->integer().value_or(-1) != blockFormat) {
        return "Its blocks are of version " + version->toString() +
               "; version 2 is read. Convert the model again with a current program.";
    }
    return {};
}

/// Adds the tensors, whose data follow each other from @p dataBegin on, each padded.
Expected<void> addEntries(GgufFile& file, const std::vector<Entry>& entries, const Source& source,
                          std::uint64_t dataBegin, std::uint32_t alignment)
{
    std::uint64_t position = 0;
    for (const Entry& entry : entries) {
        const std::string where = source.name + ", array " + inQuotes(entry.name);
        if (entry.offset != position) {
            return badFormat(where, entry.begin,
                             "The tensor is said to begin at " + std::to_string(entry.offset) +
                                 " of the data, but those before it end at " +
                                 std::to_string(position) + ".");
        }
        std::uint64_t end = 0;
        const auto size = padded(entry.bytes, alignment);
        if (!size || __builtin_add_overflow(position, *size, &position) ||
            __builtin_add_overflow(dataBegin, position, &end)) {
            return badFormat(where, entry.begin,
                             "The tensors take more bytes than memory can address.");
        }
        const std::uint64_t begin = dataBegin + entry.offset; // < end, which fits
        if (entry.bytes > 0 &&
            (begin > source.bytes.size() || entry.bytes > source.bytes.size() - begin)) {
            return badFormat(where, source.bytes.size(),
                             "The file is cut short: the tensor ends at byte " +
                                 std::to_string(begin + entry.bytes) + " of " +
                                 std::to_string(source.bytes.size()) + " that are there.");
        }
        if (auto reason = reasonNotToRead(entry, file.values())) {
            file.addUnreadable(std::string(entry.name),
                               {Code::Unsupported, std::move(*reason), where});
            continue;
        }
        file.add(entry, entry.bytes == 0 ? std::span<const std::byte>()
                                         : source.bytes.subspan(begin, entry.bytes));
    }
    return {};
}

} // namespace

Expected<ArrayFilePtr> openGguf(const Source& source)
{
    if (source.bytes.size() < headBytes || !asText(source.bytes).starts_with(ggufMagic)) {
        return badFormat(source.name, 0,
                         "The file does not begin as a GGUF file does: GGUF, a version and two "
                         "counts, 24 bytes in all.");
    }
    GgufCursor cursor(source.bytes.subspan(ggufMagic.size()), source.name, ggufMagic.size());
    if (auto known = checkVersion(cursor.number<std::uint32_t>("The version").value(), source.name);
        !known) {
        return tl::unexpected(known.error());
    }
    const auto tensorCount = readCount(cursor, entryBytes, "tensors");
    const auto valueCount =
        tensorCount ? readCount(cursor, valueBytes, "values") : tl::unexpected(tensorCount.error());
    if (!valueCount) {
        return tl::unexpected(valueCount.error());
    }
    auto values = readGgufValues(cursor, *valueCount, source.name);
    if (!values) {
        return tl::unexpected(values.error());
    }
    const auto alignment = alignmentOf(*values, source);
    if (!alignment) {
        return tl::unexpected(alignment.error());
    }
    std::vector<Entry> entries;
    std::unordered_set<std::string_view> names;
    for (std::uint64_t i = 0; i < *tensorCount; ++i) {
        auto entry = readEntry(cursor, names);
        if (!entry) {
            return tl::unexpected(entry.error());
        }
        entries.push_back(std::move(*entry));
    }
    auto file = std::make_shared<GgufFile>(source, std::move(*values));
    const std::uint64_t dataBegin = *padded(cursor.offset(), *alignment); // a file is far shorter
    if (auto added = addEntries(*file, entries, source, dataBegin, *alignment); !added) {
        return tl::unexpected(added.error());
    }
    return file;
}

} // namespace heed::detail

namespace heed {

const GgufMetadata* ggufMetadata(const ArrayFile& file)
{
    const auto* named = dynamic_cast<const detail::NamedArrayFile*>(&file);
    return named == nullptr ? nullptr : named->ggufValues();
}

} // namespace heed
