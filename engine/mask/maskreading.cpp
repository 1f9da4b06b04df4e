// From the numbers of a case to kept cells: types, axes, extents.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/maskreading.h"

#include "mask/boundmask.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace heed::detail {

namespace {

constexpr std::string_view Letters = "BHLS";

bool isBinary(const MaskArray& array)
{
    return std::ranges::all_of(array.numbers, [](double x) { return x == 0 || x == 1; });
}

MaskMeaning meaningIn(const MaskSlot& slot, const MaskArray& array)
{
    if (array.type == ElementType::Bool) {
        return slot.ofBool;
    }
    return isFloat(array.type) ? slot.ofFloat : slot.ofInteger;
}

/// The extents of a case, each from the first that knows it.
class ExtentFinder {
public:
    void tell(char letter, std::int64_t extent)
    {
        std::optional<std::int64_t>& known = m_known[Letters.find(letter)];
        if (!known && extent > 0) {
            known = extent;
        }
    }
    [[nodiscard]] bool knows(char letter) const
    {
        return m_known[Letters.find(letter)].has_value();
    }
    [[nodiscard]] std::int64_t get(char letter, std::int64_t otherwise) const
    {
        return m_known[Letters.find(letter)].value_or(otherwise);
    }

private:
    std::array<std::optional<std::int64_t>, 4> m_known;
};

void tellFromMap(ExtentFinder& finder, const MaskArray& map)
{
    // Maps have queries and keys last, whatever comes before.
    const std::size_t rank = map.shape.size();
    for (std::size_t axis = 0; axis < rank && axis < Letters.size(); ++axis) {
        finder.tell(Letters[Letters.size() - 1 - axis], map.shape[rank - 1 - axis]);
    }
}

void tellFromRows(ExtentFinder& finder, const std::vector<std::vector<std::int64_t>>& rows)
{
    if (rows.size() > 1) {
        finder.tell('B', static_cast<std::int64_t>(rows.size()));
    }
    if (!rows.empty()) {
        finder.tell('S', static_cast<std::int64_t>(rows.front().size()));
    }
}

void tellFromMask(ExtentFinder& finder, const ReadMask& mask)
{
    const Shape& shape = mask.given->array.shape;
    for (std::size_t axis = 0; axis < mask.axes.size(); ++axis) {
        const char letter = mask.axes[axis];
        const std::int64_t extent = shape[axis];
        if (letter == 'N') { // B·H; without either it is one item
            const std::int64_t items = finder.knows('B') ? finder.get('B', 1)
                                       : finder.knows('H')
                                           ? std::max<std::int64_t>(1, extent / finder.get('H', 1))
                                           : 1;
            finder.tell('B', items);
            finder.tell('H', std::max<std::int64_t>(1, extent / items));
        } else if (extent > 1 || !mask.slot->broadcasts) {
            finder.tell(letter, extent);
        }
    }
}

CaseExtents extentsOf(const MaskCase& given, const std::vector<ReadMask>& masks)
{
    ExtentFinder finder;
    finder.tell('B', given.batch);
    finder.tell('H', given.heads);
    finder.tell('L', given.queries);
    finder.tell('S', given.keys);
    for (const auto& map : {given.scores, given.weights}) {
        if (map) {
            tellFromMap(finder, *map);
        }
    }
    finder.tell('B', static_cast<std::int64_t>(given.lengths.size()));
    for (const auto* rows : {&given.pad, &given.documents, &given.groups}) {
        tellFromRows(finder, *rows);
    }
    for (const ReadMask& mask : masks) {
        tellFromMask(finder, mask);
    }
    for (const ReadMask& mask : masks) { // [1, S] is one query; with more axes 1 stands for all
        if (mask.axes == "LS") {
            finder.tell('L', mask.given->array.shape.front());
        }
    }
    const std::int64_t keys = finder.get('S', finder.get('L', 1));
    return {finder.get('B', 1), finder.get('H', 1), finder.get('L', keys), keys};
}

/// Finds the slot, the meaning and the axes of a mask; what does not fit becomes a problem.
Expected<std::optional<ReadMask>> slotOf(const MaskCase& given, const GivenMask& mask,
                                         std::vector<ReadingProblem>& problems)
{
    ReadMask read;
    read.given = &mask;
    read.isSlotNamed = !mask.slot.empty();
    if (read.isSlotNamed) {
        const auto slot = findMaskSlot(mask.slot);
        if (!slot) {
            return tl::unexpected(slot.error());
        }
        read.slot = *slot;
    } else {
        read.slot = findMaskSlot(isBinary(mask.array) ? "keep" : "additive").value();
    }
    const auto count = static_cast<std::int64_t>(mask.array.numbers.size());
    const std::string type(elementTypeName(mask.array.type));
    const std::string slotName(read.slot->name);
    read.meaning = meaningIn(*read.slot, mask.array);
    if (read.meaning == MaskMeaning::Refused) {
        problems.push_back({"R36", slotName + " refuses masks of type " + type + ".",
                            "Give it " +
                                std::string(read.slot->ofBool != MaskMeaning::Refused
                                                ? "bool"
                                                : (read.slot->ofFloat != MaskMeaning::Refused
                                                       ? "the type of the scores"
                                                       : "int32")) +
                                ".",
                            count});
        read.meaning = isBinary(mask.array) ? MaskMeaning::Keep : MaskMeaning::Added;
    } else if (read.slot->onlyScoreTypes && isFloat(mask.array.type) && given.computeType &&
               mask.array.type != ElementType::Float32 && mask.array.type != *given.computeType) {
        problems.push_back({"R36",
                            slotName + " takes bool, float32 or " +
                                std::string(elementTypeName(*given.computeType)) +
                                ", and this is " + type + ".",
                            "Convert the mask to the type of the scores.", count});
    }
    const std::size_t rank = mask.array.shape.size();
    read.axes = rank >= 1 && rank <= read.slot->axes.size() ? read.slot->axes[rank - 1] : "";
    if (read.axes.empty()) {
        std::string ranks;
        for (const std::string_view axes : read.slot->axes) {
            if (!axes.empty()) {
                ranks += (ranks.empty() ? "" : ", ") + std::string(axes);
            }
        }
        problems.push_back(
            {"R16",
             "The mask is " + toString(mask.array.shape) + "; " + slotName + " takes no array of " +
                 std::to_string(rank) + " axes.",
             "Its axes are " + ranks + " (B items, H heads, N = B·H, L queries, S keys).", count});
        return std::optional<ReadMask>();
    }
    return std::optional(std::move(read));
}

/// Strides for every axis, or a problem where an extent is another one.
std::optional<ReadingProblem> place(ReadMask& mask, const CaseExtents& extents)
{
    const std::array<std::int64_t, 4> wanted = {extents.items, extents.heads, extents.queries,
                                                extents.keys};
    const Shape& shape = mask.given->array.shape;
    const auto extentOf = [&](char letter) {
        return letter == 'N' ? extents.items * extents.heads : wanted[Letters.find(letter)];
    };
    std::string wrong;
    std::int64_t stride = 1;
    for (std::size_t axis = mask.axes.size(); axis-- > 0; stride *= shape[axis]) {
        const char letter = mask.axes[axis];
        if (shape[axis] == extentOf(letter)) {
            if (letter == 'N') {
                mask.places.strides[0] = extents.heads * stride;
                mask.places.strides[1] = stride;
            } else if (shape[axis] > 1) {
                mask.places.strides[Letters.find(letter)] = stride;
            }
        } else if (shape[axis] != 1 || !mask.slot->broadcasts) {
            wrong += letter;
        }
    }
    if (wrong.empty()) {
        return std::nullopt;
    }
    Shape scores;
    for (const char letter : mask.axes) {
        scores.push_back(extentOf(letter));
    }
    const auto count = static_cast<std::int64_t>(mask.given->array.numbers.size());
    const std::size_t rank = shape.size();
    constexpr std::int64_t flexBlock = 128;
    const auto blocks = [](std::int64_t extent) { return (extent + flexBlock - 1) / flexBlock; };
    if (rank >= 2 && shape[rank - 2] == blocks(extents.queries) && extents.keys > flexBlock &&
        shape[rank - 1] == blocks(extents.keys)) {
        return ReadingProblem{"R34",
                              "The mask is " + toString(shape) +
                                  ": one number for each block of 128 × 128 cells.",
                              "Ask for the mask of cells, such as create_mask.", count};
    }
    const bool isOtherSize = wrong == "SL" && shape[rank - 1] == shape[rank - 2];
    if (isOtherSize && extents.queries == extents.keys) {
        return ReadingProblem{"R35",
                              "The mask was built for " + std::to_string(shape.back()) +
                                  " tokens and is used with " + std::to_string(extents.keys) + ".",
                              "Build it again for every length.", count};
    }
    const bool isCached = shape.back() == extents.queries && extents.keys > extents.queries;
    return ReadingProblem{
        "R16", "The mask is " + toString(shape) + "; the scores want " + toString(scores) + ".",
        isCached ? "The columns of " + std::to_string(extents.keys - extents.queries) +
                       " cached keys are missing: put them in front."
                 : "Give it the extents of the scores, or 1 where it holds for all.",
        count};
}

/// The kept cells of one mask, read where they lie.
class ReadPlanes final : public BoundFamily {
public:
    ReadPlanes(const ReadMask& mask, const CaseExtents& extents)
        : BoundFamily(MaskReason::File)
        , m_numbers(mask.given->array.numbers.data())
        , m_meaning(mask.meaning)
        , m_places(mask.places)
        , m_keys(extents.keys)
    {
    }

    bool keeps(std::int64_t item, std::int64_t head, std::int64_t query,
               std::int64_t key) const override
    {
        return keepsCell(m_meaning, m_numbers[m_places.at(item, head, query, key)]);
    }
    void fillRow(std::int64_t item, std::int64_t head, std::int64_t query, KeyRange keys,
                 RowRanges& row) const override
    {
        for (std::int64_t key = keys.begin; key < keys.end; ++key) {
            if (keeps(item, head, query, key)) {
                appendRange(row, key, key + 1, keys);
            }
        }
    }
    [[nodiscard]] std::int64_t mostRanges(std::int64_t keys) const override { return keys / 2 + 1; }
    [[nodiscard]] std::int64_t variant(std::int64_t item, std::int64_t head) const override
    {
        return static_cast<std::int64_t>(m_places.at(item, head, 0, 0));
    }
    [[nodiscard]] bool dependsOnItem() const override { return m_places.strides[0] != 0; }
    [[nodiscard]] bool dependsOnHead() const override { return m_places.strides[1] != 0; }

private:
    const double* m_numbers;
    MaskMeaning m_meaning;
    CellPlaces m_places;
    std::int64_t m_keys;
};

/// The triangle of a causal flag.
class Triangle final : public BoundFamily {
public:
    explicit Triangle(std::int64_t offset)
        : BoundFamily(MaskReason::Causal)
        , m_offset(offset)
    {
    }
    bool keeps(std::int64_t /*item*/, std::int64_t /*head*/, std::int64_t query,
               std::int64_t key) const override
    {
        return key <= query + m_offset;
    }
    void fillRow(std::int64_t /*item*/, std::int64_t /*head*/, std::int64_t query, KeyRange keys,
                 RowRanges& row) const override
    {
        appendRange(row, 0, query + m_offset + 1, keys);
    }

private:
    std::int64_t m_offset;
};

/// Maps beside the mask that are of other extents.
void checkMaps(const MaskCase& given, MaskReading& reading)
{
    const std::pair<const char*, const std::optional<MaskArray>*> maps[] = {
        {"scores", &given.scores}, {"weights", &given.weights}};
    for (const auto& [name, map] : maps) {
        if (!*map) {
            continue;
        }
        const Shape& shape = (*map)->shape;
        const std::size_t rank = shape.size();
        if (rank < 2 || shape[rank - 2] != reading.extents.queries ||
            shape[rank - 1] != reading.extents.keys) {
            reading.problems.push_back(
                {"R16",
                 std::string("The ") + name + " are " + toString(shape) + ", and there are " +
                     std::to_string(reading.extents.queries) + " queries and " +
                     std::to_string(reading.extents.keys) + " keys.",
                 "Look for columns or rows that were cut off.",
                 static_cast<std::int64_t>((*map)->numbers.size())});
        }
    }
}

} // namespace

std::int64_t flagOffset(const MaskCase& given, const MaskReading& reading)
{
    const CausalAnchor anchor =
        reading.masks.empty() ? CausalAnchor::None : reading.masks.front().slot->causalFlag;
    return anchor == CausalAnchor::UpperLeft
               ? 0
               : given.past.value_or(reading.extents.keys - reading.extents.queries);
}

bool keepsCell(MaskMeaning meaning, double number)
{
    switch (meaning) {
    case MaskMeaning::Blocked:
        return number == 0;
    case MaskMeaning::Added:
        return !(number <= BlockingPenalty);
    case MaskMeaning::Keep:
    case MaskMeaning::Refused:
        break;
    }
    return number != 0;
}

Expected<MaskReading> readMasks(const MaskCase& given, const Execution& execution)
{
    MaskReading reading;
    std::vector<ReadMask> slotted;
    for (const GivenMask& mask : given.masks) {
        auto read = slotOf(given, mask, reading.problems);
        if (!read) {
            return tl::unexpected(read.error());
        }
        if (*read) {
            slotted.push_back(std::move(**read));
        }
    }
    reading.extents = extentsOf(given, slotted);
    BoundNode root;
    root.kind = MaskNode::Kind::And;
    for (ReadMask& mask : slotted) {
        if (auto problem = place(mask, reading.extents)) {
            reading.problems.push_back(std::move(*problem));
            continue;
        }
        for (std::size_t axis = 0; axis < reading.varies.size(); ++axis) {
            reading.varies[axis] = reading.varies[axis] || mask.places.strides[axis] != 0;
        }
        BoundNode leaf;
        leaf.family = std::make_shared<ReadPlanes>(mask, reading.extents);
        root.children.push_back(std::move(leaf));
        reading.masks.push_back(std::move(mask));
    }
    checkMaps(given, reading);
    if (root.children.empty()) {
        return reading;
    }
    if (given.causalFlag.value_or(false) && reading.masks.front().slot->joinsFlag) {
        BoundNode leaf;
        leaf.family = std::make_shared<Triangle>(flagOffset(given, reading));
        root.children.push_back(std::move(leaf));
    }
    if (root.children.size() == 1) {
        BoundNode only = std::move(root.children.front());
        root = std::move(only);
    }
    auto kept = compileBound(std::move(root), "given",
                             {.items = reading.extents.items,
                              .heads = reading.extents.heads,
                              .queries = reading.extents.queries,
                              .keys = reading.extents.keys},
                             execution);
    if (!kept) {
        return tl::unexpected(kept.error());
    }
    reading.kept = std::move(*kept);
    return reading;
}

} // namespace heed::detail
