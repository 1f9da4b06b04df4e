// Mask cases: a JSON object with the mask, its numbers in it or in a file beside it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/maskcase.h"

#include "io/jsontree.h"
#include "mask/maskreading.h"
#include "text/nearestname.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace heed {

namespace {

using detail::inQuotes;
using detail::isFloat;
using detail::JsonValue;

constexpr std::size_t MostAxes = 8;

constexpr std::array Types = {ElementType::Bool,    ElementType::UInt8,    ElementType::Int8,
                              ElementType::UInt16,  ElementType::Int16,    ElementType::UInt32,
                              ElementType::Int32,   ElementType::UInt64,   ElementType::Int64,
                              ElementType::Float16, ElementType::BFloat16, ElementType::Float32,
                              ElementType::Float64};

/// Thrown inside; the functions of the header return it.
struct Refused {
    Error error;
};

[[noreturn]] void refuse(const std::string& member, const std::string& what,
                         Code code = Code::BadFormat)
{
    throw Refused{{code, what, member}};
}

ElementType typeNamed(const JsonValue& value, const std::string& member)
{
    const auto* const name = std::get_if<std::string>(&value.value);
    std::vector<std::string_view> known;
    for (const ElementType type : Types) {
        if (name != nullptr && *name == elementTypeName(type)) {
            return type;
        }
        known.push_back(elementTypeName(type));
    }
    refuse(member, "A type is one of " + detail::listNames(known) + ".");
}

/// A number, true, false, "-inf", "inf", "nan", or "min".
double numberOf(const JsonValue& value, ElementType type, const std::string& member)
{
    if (const auto* const truth = std::get_if<bool>(&value.value)) {
        return *truth ? 1 : 0;
    }
    if (const auto* const below = std::get_if<std::int64_t>(&value.value)) {
        return static_cast<double>(*below);
    }
    if (const auto* const whole = std::get_if<std::uint64_t>(&value.value)) {
        return static_cast<double>(*whole);
    }
    if (const auto* const number = std::get_if<double>(&value.value)) {
        return *number;
    }
    if (const auto* const text = std::get_if<std::string>(&value.value)) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        const std::pair<std::string_view, double> words[] = {
            {"-inf", -infinity},
            {"inf", infinity},
            {"nan", std::numeric_limits<double>::quiet_NaN()},
            {"min", lowestOf(type)}};
        for (const auto& [word, meaning] : words) {
            if (*text == word) {
                return meaning;
            }
        }
    }
    refuse(member, "A cell is a number, true, false, \"-inf\", \"inf\", \"nan\" or \"min\" (the "
                   "lowest finite number of its type).");
}

bool holdsOnly(const JsonValue& value, const auto& isWanted)
{
    if (const auto* const list = std::get_if<JsonValue::Array>(&value.value)) {
        return std::ranges::all_of(
            *list, [&](const JsonValue& part) { return holdsOnly(part, isWanted); });
    }
    return isWanted(value.value);
}

/// bool, int64 or float32, after what is written there.
ElementType typeOfCells(const JsonValue& value)
{
    if (holdsOnly(value, [](const auto& cell) { return std::holds_alternative<bool>(cell); })) {
        return ElementType::Bool;
    }
    const bool isWhole = holdsOnly(value, [](const auto& cell) {
        return std::holds_alternative<bool>(cell) || std::holds_alternative<std::int64_t>(cell) ||
               std::holds_alternative<std::uint64_t>(cell);
    });
    return isWhole ? ElementType::Int64 : ElementType::Float32;
}

void appendCells(const JsonValue& value, std::size_t axis, MaskArray& array,
                 const std::string& member)
{
    const auto* const list = std::get_if<JsonValue::Array>(&value.value);
    if ((list != nullptr) != (axis < array.shape.size())) {
        refuse(member, "Every list of cells has to be nested as deeply as the first.",
               Code::InvalidShape);
    }
    if (list == nullptr) {
        array.numbers.push_back(numberOf(value, array.type, member));
        return;
    }
    if (static_cast<std::int64_t>(list->size()) != array.shape[axis]) {
        refuse(member,
               "A list has " + std::to_string(list->size()) + " entries where the first has " +
                   std::to_string(array.shape[axis]) + ".",
               Code::InvalidShape);
    }
    for (const JsonValue& part : *list) {
        appendCells(part, axis + 1, array, member);
    }
}

MaskArray nestedArray(const JsonValue& value, std::optional<ElementType> type,
                      const std::string& member)
{
    MaskArray array;
    array.type = type ? *type : typeOfCells(value);
    for (const JsonValue* part = &value;
         const auto* list = std::get_if<JsonValue::Array>(&part->value);) {
        array.shape.push_back(static_cast<std::int64_t>(list->size()));
        if (list->empty() || array.shape.size() > MostAxes) {
            refuse(member, "An array has 1 to 8 axes, none of them empty.", Code::InvalidShape);
        }
        part = &list->front();
    }
    if (array.shape.empty()) {
        refuse(member, "The mask is a nested list of cells, or the name of a file.");
    }
    appendCells(value, 0, array, member);
    return array;
}

MaskArray arrayOf(const JsonValue& value, const JsonValue* arrayName,
                  std::optional<ElementType> type, const std::filesystem::path& folder,
                  const std::string& member)
{
    const auto* const file = std::get_if<std::string>(&value.value);
    if (file == nullptr) {
        return nestedArray(value, type, member);
    }
    const auto* const name =
        arrayName == nullptr ? nullptr : std::get_if<std::string>(&arrayName->value);
    auto array = readMaskArray(folder / std::u8string(file->begin(), file->end()),
                               name == nullptr ? std::string() : *name);
    if (!array) {
        throw Refused{array.error()};
    }
    if (type) {
        array->type = *type;
    }
    return std::move(*array);
}

std::int64_t wholeOf(const JsonValue& value, const std::string& member)
{
    const double number = numberOf(value, ElementType::Int64, member);
    constexpr double most = 1e15;
    if (!(std::abs(number) <= most) || number != std::floor(number)) {
        refuse(member, "This is a whole number.");
    }
    return static_cast<std::int64_t>(number);
}

std::vector<std::int64_t> wholesOf(const JsonValue& value, const std::string& member)
{
    const auto* const list = std::get_if<JsonValue::Array>(&value.value);
    if (list == nullptr || list->empty()) {
        refuse(member, "This is a list of whole numbers.");
    }
    std::vector<std::int64_t> numbers;
    for (const JsonValue& part : *list) {
        numbers.push_back(wholeOf(part, member));
    }
    return numbers;
}

/// A list for each item; one list alone is for all.
std::vector<std::vector<std::int64_t>> rowsOf(const JsonValue& value, const std::string& member)
{
    const auto* const list = std::get_if<JsonValue::Array>(&value.value);
    if (list == nullptr || list->empty() ||
        !std::holds_alternative<JsonValue::Array>(list->front().value)) {
        return {wholesOf(value, member)};
    }
    std::vector<std::vector<std::int64_t>> rows;
    for (const JsonValue& part : *list) {
        rows.push_back(wholesOf(part, member));
        if (rows.back().size() != rows.front().size()) {
            refuse(member, "The lists of the items differ in length.", Code::InvalidShape);
        }
    }
    return rows;
}

std::string textOf(const JsonValue& value, const std::string& member)
{
    const auto* const text = std::get_if<std::string>(&value.value);
    if (text == nullptr) {
        refuse(member, "This is a text in quotation marks.");
    }
    return *text;
}

bool truthOf(const JsonValue& value, const std::string& member)
{
    const auto* const truth = std::get_if<bool>(&value.value);
    if (truth == nullptr) {
        refuse(member, "This is true or false.");
    }
    return *truth;
}

/// One mask: `mask` with `mask_dtype`, `slot` and `array` beside it in @p object.
GivenMask givenMask(const JsonValue& object, const JsonValue* outer,
                    const std::filesystem::path& folder)
{
    const auto find = [&](std::string_view name) {
        const JsonValue* const own = object.find(name);
        return own != nullptr || outer == nullptr ? own : outer->find(name);
    };
    const JsonValue* const mask = object.find("mask");
    if (mask == nullptr) {
        refuse("mask", "The object has no member \"mask\".");
    }
    const JsonValue* const type = find("mask_dtype");
    const JsonValue* const slot = find("slot");
    GivenMask given;
    given.array =
        arrayOf(*mask, object.find("array"),
                type == nullptr ? std::nullopt : std::optional(typeNamed(*type, "mask_dtype")),
                folder, "mask");
    given.slot = slot == nullptr ? "" : textOf(*slot, "slot");
    return given;
}

PadSide sideOf(const JsonValue& value)
{
    const std::string side = textOf(value, "pad_side");
    if (side != "left" && side != "right") {
        refuse("pad_side", "The side is \"left\" or \"right\".");
    }
    return side == "left" ? PadSide::Left : PadSide::Right;
}

constexpr std::array<std::string_view, 24> Members = {
    "mask",    "masks",       "mask_dtype", "array",     "slot",   "compute_dtype",
    "intent",  "queries",     "keys",       "heads",     "batch",  "past",
    "lengths", "pad_side",    "pad",        "documents", "groups", "position_ids",
    "window",  "causal_flag", "scores",     "weights",   "name",   "notes"};

MaskCase caseOf(const JsonValue& object, const std::filesystem::path& folder)
{
    const auto* const members = std::get_if<JsonValue::Object>(&object.value);
    if (members == nullptr) {
        refuse("", "A case is one JSON object: {\"mask\": …}.");
    }
    MaskCase read;
    for (const detail::JsonMember& member : *members) {
        const std::string& name = member.name;
        const JsonValue& value = member.value;
        if (std::ranges::find(Members, name) == Members.end()) {
            refuse(name, "A case has no such member. The nearest is " +
                             inQuotes(detail::nearestName(name, Members)) + ".");
        }
        if (value.isNull()) {
            continue;
        }
        if (name == "compute_dtype") {
            read.computeType = typeNamed(value, name);
            if (!isFloat(*read.computeType)) {
                refuse(name, "Scores are computed in float16, bfloat16, float32 or float64.");
            }
        } else if (name == "intent") {
            read.intent = textOf(value, name);
        } else if (name == "window") {
            read.window = textOf(value, name);
        } else if (name == "queries" || name == "keys" || name == "heads" || name == "batch") {
            const std::int64_t extent = wholeOf(value, name);
            constexpr std::int64_t most = std::int64_t{1} << 24;
            if (extent < 1 || extent > most) {
                refuse(name, "There are 1 to " + std::to_string(most) + " of them.");
            }
            (name == "queries" ? read.queries
             : name == "keys"  ? read.keys
             : name == "heads" ? read.heads
                               : read.batch) = extent;
        } else if (name == "past") {
            read.past = wholeOf(value, name);
        } else if (name == "lengths") {
            read.lengths = wholesOf(value, name);
        } else if (name == "pad_side") {
            read.padSide = sideOf(value);
        } else if (name == "pad") {
            read.pad = rowsOf(value, name);
        } else if (name == "documents") {
            read.documents = rowsOf(value, name);
        } else if (name == "groups") {
            read.groups = rowsOf(value, name);
        } else if (name == "position_ids") {
            read.positionIds = rowsOf(value, name);
        } else if (name == "causal_flag") {
            read.causalFlag = truthOf(value, name);
        } else if (name == "scores") {
            read.scores = arrayOf(value, nullptr, std::nullopt, folder, name);
        } else if (name == "weights") {
            read.weights = arrayOf(value, nullptr, std::nullopt, folder, name);
        } else if (name == "masks") {
            const auto* const list = std::get_if<JsonValue::Array>(&value.value);
            if (list == nullptr || list->empty()) {
                refuse(name, "This is a list of objects, each with a mask.");
            }
            for (const JsonValue& one : *list) {
                read.masks.push_back(givenMask(one, &object, folder));
            }
        } else if (name == "mask") {
            read.masks.push_back(givenMask(object, nullptr, folder));
        }
    }
    if (read.masks.empty()) {
        refuse("mask", "The object has neither \"mask\" nor \"masks\".");
    }
    return read;
}

} // namespace

Expected<MaskCase> readMaskCase(std::string_view json, const std::filesystem::path& folder)
{
    try {
        const auto tree = detail::readJsonTree(json, "case");
        if (!tree) {
            return tl::unexpected(tree.error());
        }
        return caseOf(*tree, folder);
    } catch (const Refused& refused) {
        return tl::unexpected(refused.error);
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, "There is no memory for this case.");
    }
}

Expected<MaskArray> readMaskArray(const std::filesystem::path& file, const std::string& array)
{
    const auto opened = openArrays(file);
    if (!opened) {
        return tl::unexpected(opened.error());
    }
    const auto& arrays = (*opened)->arrays();
    const ArrayInfo* info =
        array.empty() && arrays.size() == 1 ? &arrays.front() : (*opened)->find(array);
    if (info == nullptr) {
        std::vector<std::string_view> names;
        names.reserve(arrays.size());
        for (const ArrayInfo& one : arrays) {
            names.push_back(one.name);
        }
        return fail(Code::NotFound,
                    (array.empty() ? "The file holds several arrays; name one of them: "
                                   : "The file has no array " + inQuotes(array) + ". It has: ") +
                        detail::listNames(names) + ".",
                    file.string());
    }
    MaskArray read;
    read.type = info->type;
    read.shape = info->shape;
    if (info->type == ElementType::Float64 || elementSize(info->type) == 8) {
        const auto raw = (*opened)->readRaw(info->name);
        if (!raw) {
            return tl::unexpected(raw.error());
        }
        read.numbers.resize(raw->size() / sizeof(double));
        for (std::size_t i = 0; i < read.numbers.size(); ++i) {
            const std::byte* const from = raw->data() + i * sizeof(double);
            if (info->type == ElementType::Float64) {
                std::memcpy(&read.numbers[i], from, sizeof(double));
                continue;
            }
            std::int64_t whole = 0;
            std::memcpy(&whole, from, sizeof whole);
            read.numbers[i] = info->type == ElementType::UInt64
                                  ? static_cast<double>(static_cast<std::uint64_t>(whole))
                                  : static_cast<double>(whole);
        }
        return read;
    }
    const auto numbers = (*opened)->read(info->name);
    if (!numbers) {
        return tl::unexpected(numbers.error());
    }
    read.numbers.assign(numbers->values().begin(), numbers->values().end());
    return read;
}

double lowestOf(ElementType type)
{
    switch (type) {
    case ElementType::Float16:
        return -65504;
    case ElementType::BFloat16:
        return -0x1.FEp127;
    case ElementType::Float32:
        return std::numeric_limits<float>::lowest();
    case ElementType::Float64:
        return std::numeric_limits<double>::lowest();
    default:
        return -std::numeric_limits<double>::infinity();
    }
}

} // namespace heed
