// Masks read from an array file: file("m.npy", reads="keep").
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/arrayfile.h"
#include "heed/execution.h"
#include "mask/boundmask.h"
#include "text/nearestname.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <utility>

namespace heed::detail {
namespace {

enum class Reading { Keep, Blocked, Additive };

// The lowest finite number of float16. What is at or below it cannot compete with any real score,
// and is what programs write when they mean minus infinity; bfloat16 and float32 have lower ones.
constexpr float lowestHalf = -65504.0F;

std::uint64_t hashWords(const std::vector<std::uint64_t>& words)
{
    std::uint64_t hash = words.size();
    for (const std::uint64_t word : words) {
        hash = std::rotl((hash ^ word) * 0x9E3779B97F4A7C15U, 29); // 2^64 / golden ratio, odd
    }
    return hash;
}

/// The planes of the file as bit rows; equal planes are stored once.
class FilePlanes final : public BoundFamily {
public:
    FilePlanes(std::int64_t items, std::int64_t heads, std::int64_t queries, std::int64_t keys)
        : BoundFamily(MaskReason::File)
        , m_items(items)
        , m_heads(heads)
        , m_queries(queries)
        , m_wordsPerRow((keys + 63) / 64)
    {
    }

    /// Planes come item by item, head by head. @p plane has queries × wordsPerRow words.
    void addPlane(std::vector<std::uint64_t> plane)
    {
        const std::uint64_t hash = hashWords(plane);
        const auto [begin, end] = m_known.equal_range(hash);
        const auto known = std::find_if(
            begin, end, [&](const auto& entry) { return m_planes[entry.second] == plane; });
        if (known != end) {
            m_planeOf.push_back(known->second);
            return;
        }
        m_known.emplace(hash, m_planes.size());
        m_planeOf.push_back(m_planes.size());
        m_planes.push_back(std::move(plane));
    }

    bool keeps(std::int64_t item, std::int64_t head, std::int64_t query,
               std::int64_t key) const override
    {
        const std::uint64_t word = rowOf(item, head, query)[key / 64];
        return ((word >> static_cast<unsigned>(key % 64)) & 1U) != 0;
    }

    void fillRow(std::int64_t item, std::int64_t head, std::int64_t query, KeyRange keys,
                 RowRanges& row) const override
    {
        appendBits(row, rowOf(item, head, query), keys);
    }

    std::int64_t mostRanges(std::int64_t keys) const override { return keys / 2 + 1; }
    [[nodiscard]] std::int64_t bytes() const
    {
        return static_cast<std::int64_t>(m_planes.size()) * m_queries * m_wordsPerRow * 8;
    }
    std::int64_t variant(std::int64_t item, std::int64_t head) const override
    {
        return static_cast<std::int64_t>(planeOf(item, head));
    }
    bool dependsOnItem() const override { return m_items > 1 && m_planes.size() > 1; }
    bool dependsOnHead() const override { return m_heads > 1 && m_planes.size() > 1; }

private:
    std::size_t planeOf(std::int64_t item, std::int64_t head) const
    {
        const std::int64_t index = (m_items > 1 ? item : 0) * m_heads + (m_heads > 1 ? head : 0);
        return m_planeOf[static_cast<std::size_t>(index)];
    }
    const std::uint64_t* rowOf(std::int64_t item, std::int64_t head, std::int64_t query) const
    {
        return m_planes[planeOf(item, head)].data() + query * m_wordsPerRow;
    }

    std::int64_t m_items;
    std::int64_t m_heads;
    std::int64_t m_queries;
    std::int64_t m_wordsPerRow;
    std::vector<std::vector<std::uint64_t>> m_planes;
    std::vector<std::size_t> m_planeOf;
    std::unordered_multimap<std::uint64_t, std::size_t> m_known; ///< hash of a plane to its index
};

/// Extents of the array with leading ones, so that every file looks like [items, heads, L, S].
struct Layout {
    std::int64_t items = 1;
    std::int64_t heads = 1;
};

Expected<Layout> layoutOf(const Shape& shape, const MaskContext& context, std::size_t column)
{
    const std::int64_t L = context.queries;
    const std::int64_t S = context.keys;
    const std::string wanted =
        "[L, S] = " + toString({L, S}) + ", [B, L, S] = " + toString({context.items, L, S}) +
        " or [B, H, L, S] = " + toString({context.items, context.heads, L, S}) +
        " (B and H may be 1)";
    const auto wrong = [&](const std::string& reason) {
        return failAtColumn(Code::InvalidShape, column,
                            "The mask file has shape " + toString(shape) + "; expected " + wanted +
                                ". " + reason);
    };
    if (shape.size() == 5 && shape.front() == 1) { // [N, B, H, L, S] of one layer
        return layoutOf({shape.begin() + 1, shape.end()}, context, column);
    }
    const std::size_t rank = shape.size();
    if (rank < 2 || rank > 4) {
        return wrong("Reshape the array.");
    }
    if (shape[rank - 2] != L || shape[rank - 1] != S) {
        if (rank == 2 && shape[0] == context.items && shape[1] == S) {
            return wrong("This looks like one row of padding for each item: use "
                         "padding(lengths=[…]).");
        }
        if (shape[rank - 2] == S && shape[rank - 1] == L) {
            return wrong("Queries and keys look swapped: rows are queries.");
        }
        return wrong("The last two numbers must be the queries and keys of the text.");
    }
    Layout layout;
    if (rank == 4) {
        layout = {shape[0], shape[1]};
    } else if (rank == 3) {
        layout.items = shape[0];
    }
    const bool itemsFit = layout.items == 1 || layout.items == context.items;
    const bool headsFit = layout.heads == 1 || layout.heads == context.heads;
    if (itemsFit && headsFit) {
        return layout;
    }
    if (rank == 3 && shape[0] == context.heads) {
        return wrong("For one plane a head reshape it to " + toString({1, shape[0], L, S}) + ".");
    }
    if (rank == 3 && shape[0] == context.items * context.heads) {
        return wrong("For one plane an item and head reshape it to " +
                     toString({context.items, context.heads, L, S}) + ".");
    }
    return wrong(itemsFit ? "The number of heads differs." : "The number of batch items differs.");
}

/// What a number of the file means, or nothing when it is no mask value.
std::optional<bool> meaning(float value, Reading reading)
{
    if (reading == Reading::Additive) {
        if (value == 0.0F) {
            return true;
        }
        return value <= lowestHalf ? std::optional(false) : std::nullopt;
    }
    if (value != 0.0F && value != 1.0F) {
        return std::nullopt;
    }
    return (value == 1.0F) == (reading == Reading::Keep);
}

tl::unexpected<Error> badCell(float value, std::int64_t index, const Shape& shape, Reading reading,
                              const std::string& file, std::size_t column)
{
    Shape cell(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        cell[axis] = index % shape[axis];
        index /= shape[axis];
    }
    char number[48];
    std::snprintf(number, sizeof number, "%.9g", static_cast<double>(value));
    std::string message = "Cell " + toString(cell) + " of " + inQuotes(file) + " is " + number;
    if (reading == Reading::Additive) {
        message += "; an additive mask holds 0 (kept) and -inf or at most -65504 (blocked). Other "
                   "numbers are biases, which a mask cannot hold.";
        if (value == 1.0F) {
            message += " For zeros and ones use reads=\"keep\" or reads=\"blocked\".";
        }
    } else {
        message += "; only 0 and 1 are understood here.";
        if (value <= lowestHalf) {
            message += " For a mask that is added to the scores use reads=\"additive\".";
        }
    }
    return failAtColumn(Code::InvalidArgument, column, std::move(message));
}

/// The numbers of one array, in the least memory: bytes as they are, float32 where they lie.
class Numbers {
public:
    /// What read() takes from memory for each number.
    static double bytesPerCell(const ArrayFile& file, const ArrayInfo& info)
    {
        const bool staysInFile = elementSize(info.type) != 1 && !file.mapped(info.name).empty();
        return staysInFile ? 0 : elementSize(info.type) == 1 ? 1 : sizeof(float);
    }
    static Expected<Numbers> read(const ArrayFile& file, const ArrayInfo& info)
    {
        Numbers numbers;
        if (elementSize(info.type) == 1) {
            auto bytes = file.readRaw(info.name);
            if (!bytes) {
                return tl::unexpected<Error>(std::move(bytes).error());
            }
            numbers.m_bytes = std::move(*bytes);
            numbers.m_isSigned = info.type == ElementType::Int8;
            numbers.m_count = static_cast<std::int64_t>(numbers.m_bytes.size());
            return numbers;
        }
        numbers.m_floats = file.mapped(info.name);
        if (numbers.m_floats.empty()) {
            auto tensor = file.read(info.name);
            if (!tensor) {
                return tl::unexpected<Error>(std::move(tensor).error());
            }
            numbers.m_tensor = std::move(*tensor);
            numbers.m_floats = std::as_const(numbers.m_tensor).values();
        }
        numbers.m_count = static_cast<std::int64_t>(numbers.m_floats.size());
        return numbers;
    }

    std::int64_t count() const { return m_count; }

    float operator[](std::int64_t index) const
    {
        const auto i = static_cast<std::size_t>(index);
        if (m_bytes.empty()) {
            return m_floats[i];
        }
        const auto byte = std::to_integer<std::uint8_t>(m_bytes[i]);
        return m_isSigned ? static_cast<float>(static_cast<std::int8_t>(byte))
                          : static_cast<float>(byte);
    }

private:
    std::vector<std::byte> m_bytes;
    Tensor m_tensor;
    std::span<const float> m_floats; ///< into the tensor's heap memory or the mapped file
    bool m_isSigned = false;
    std::int64_t m_count = 0;
};

Expected<const ArrayInfo*> chooseArray(const ArrayFile& file, const MaskLeaf& leaf)
{
    std::string known;
    for (const ArrayInfo& info : file.arrays()) {
        if (leaf.values[2] && info.name == leaf.values[2]->text) {
            return &info;
        }
        if (known.size() < 200) { // enough of a list to choose from
            known += (known.empty() ? "" : ", ") + inQuotes(info.name);
        }
    }
    if (!leaf.values[2] && file.arrays().size() == 1) {
        return &file.arrays().front();
    }
    const std::string path = inQuotes(leaf.values[0]->text);
    if (file.arrays().empty()) {
        return failAtColumn(Code::NotFound, leaf.column, path + " holds no array.");
    }
    return failAtColumn(
        Code::NotFound, leaf.values[2] ? leaf.values[2]->column : leaf.column,
        leaf.values[2]
            ? path + " holds no array " + inQuotes(leaf.values[2]->text) + ". There are: " + known +
                  "."
            : path + " holds several arrays; choose one with array=\"…\": " + known + ".");
}

Reading readingOf(const std::string& word)
{
    return word == "keep" ? Reading::Keep
                          : (word == "blocked" ? Reading::Blocked : Reading::Additive);
}

Expected<std::shared_ptr<const FilePlanes>> planesOf(const Numbers& numbers, const Shape& shape,
                                                     Layout layout, const MaskLeaf& leaf,
                                                     const MaskContext& context,
                                                     const Execution& execution)
{
    const Reading reading = readingOf(leaf.values[1]->text);
    auto planes =
        std::make_shared<FilePlanes>(layout.items, layout.heads, context.queries, context.keys);
    const std::int64_t wordsPerRow = (context.keys + 63) / 64;
    std::int64_t index = 0;
    for (std::int64_t plane = 0; plane < layout.items * layout.heads; ++plane) {
        std::vector<std::uint64_t> words(static_cast<std::size_t>(context.queries * wordsPerRow));
        for (std::int64_t query = 0; query < context.queries; ++query) {
            if (execution.cancelled()) {
                return fail(Code::Cancelled, "Stopped.");
            }
            std::uint64_t* row = words.data() + query * wordsPerRow;
            for (std::int64_t key = 0; key < context.keys; ++key, ++index) {
                const float value = numbers[index];
                const std::optional<bool> keeps = meaning(value, reading);
                if (!keeps) {
                    return badCell(value, index, shape, reading, leaf.values[0]->text, leaf.column);
                }
                row[key / 64] |= std::uint64_t{*keeps ? 1U : 0U} << static_cast<unsigned>(key % 64);
            }
        }
        planes->addPlane(std::move(words));
    }
    return planes;
}

} // namespace

std::filesystem::path fileInFolder(const std::string& folder, const std::string& name)
{
    const auto utf8Path = [](const std::string& text) {
        return std::filesystem::path(std::u8string(text.begin(), text.end()));
    };
    return name.empty() ? std::filesystem::path() : utf8Path(folder) / utf8Path(name);
}

void prependFolder(MaskNode& node, const std::string& folder)
{
    if (node.kind == MaskNode::Kind::Leaf && node.leaf.family == MaskFamily::File) {
        std::string& name = node.leaf.values[0]->text;
        const std::u8string whole = fileInFolder(folder, name).u8string();
        name.assign(whole.begin(), whole.end());
    }
    for (MaskNode& child : node.children) {
        prependFolder(child, folder);
    }
}

Expected<std::shared_ptr<const BoundFamily>>
bindFile(const MaskLeaf& leaf, const MaskContext& context, MaskMemory& memory)
{
    const std::string& given = leaf.values[0]->text;
    if (given.empty()) {
        return failAtColumn(Code::InvalidArgument, leaf.values[0]->column,
                            "The file name is empty; write " +
                                std::string(familyInfo(MaskFamily::File).usage) + ".");
    }
    auto file = openArrays(fileInFolder(context.baseFolder, given));
    if (!file) {
        return tl::unexpected<Error>(std::move(file).error());
    }
    const auto chosen = chooseArray(**file, leaf);
    if (!chosen) {
        return tl::unexpected<Error>(chosen.error());
    }
    const ArrayInfo& info = **chosen;
    const auto layout = layoutOf(info.shape, context, leaf.column);
    if (!layout) {
        return tl::unexpected<Error>(layout.error());
    }
    // Extents are at most 2^24 and a file's own product was checked: 2^62 stands for more.
    const double cells = static_cast<double>(layout->items) * static_cast<double>(layout->heads) *
                         static_cast<double>(context.queries) * static_cast<double>(context.keys);
    const double read = cells * Numbers::bytesPerCell(**file, info);
    const auto readBytes = static_cast<std::int64_t>(std::min(read, 0x1p60));
    const std::int64_t rowWords = (context.keys + 63) / 64;
    const double words = static_cast<double>(layout->items) * static_cast<double>(layout->heads) *
                         static_cast<double>(context.queries) * static_cast<double>(rowWords);
    const auto planeBytes = static_cast<std::int64_t>(std::min(words * 8, 0x1p60));
    const std::string what = "The mask file of shape " + toString(info.shape);
    if (auto fits = memory.take(readBytes + planeBytes, what); !fits) {
        return failAtColumn(fits.error().code, leaf.column, fits.error().message);
    }
    auto numbers = Numbers::read(**file, info);
    if (!numbers) {
        return tl::unexpected<Error>(std::move(numbers).error());
    }
    if (numbers->count() != layout->items * layout->heads * context.queries * context.keys) {
        return failAtColumn(Code::BadFormat, leaf.column,
                            inQuotes(given) + " holds " + std::to_string(numbers->count()) +
                                " numbers, not as many as its shape " + toString(info.shape) +
                                " says.");
    }
    auto planes = planesOf(*numbers, info.shape, *layout, leaf, context, memory.execution());
    memory.giveBack(readBytes);
    if (planes) {
        memory.giveBack(planeBytes - (*planes)->bytes());
    }
    return planes;
}

} // namespace heed::detail
