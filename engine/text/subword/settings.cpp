// A part of a tokenizer file: asked for by name and type, refused with its place.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/subword/settings.h"

#include "text/nearestname.h"

#include <limits>

namespace heed::detail {

Settings Settings::at(std::string_view name) const
{
    const JsonValue* member = m_value->find(name);
    if (member == nullptr) {
        refuse("has no member " + detail::inQuotes(name, 40) + ".");
    }
    return {*member, m_path.empty() ? std::string(name) : m_path + "." + std::string(name),
            *m_file};
}

std::optional<Settings> Settings::find(std::string_view name) const
{
    const JsonValue* member = m_value->find(name);
    return member == nullptr || member->isNull() ? std::nullopt : std::optional(at(name));
}

const std::string& Settings::text() const
{
    const auto* text = std::get_if<std::string>(&m_value->value);
    return text != nullptr ? *text : (refuse("must be text."), *text);
}

bool Settings::boolean() const
{
    const auto* value = std::get_if<bool>(&m_value->value);
    return value != nullptr ? *value : (refuse("must be true or false."), false);
}

double Settings::number() const
{
    if (const auto* value = std::get_if<double>(&m_value->value)) {
        return *value;
    }
    if (const auto* value = std::get_if<std::uint64_t>(&m_value->value)) {
        return static_cast<double>(*value);
    }
    if (const auto* value = std::get_if<std::int64_t>(&m_value->value)) {
        return static_cast<double>(*value);
    }
    refuse("must be a number.");
}

std::uint64_t Settings::natural(std::uint64_t most) const
{
    const auto* value = std::get_if<std::uint64_t>(&m_value->value);
    if (value == nullptr || *value > most) {
        refuse("must be a whole number from 0 to " + std::to_string(most) + ".");
    }
    return *value;
}

std::uint32_t Settings::id() const
{
    return static_cast<std::uint32_t>(natural(std::numeric_limits<std::int32_t>::max()));
}

std::vector<Settings> Settings::items() const
{
    const auto* array = std::get_if<JsonValue::Array>(&m_value->value);
    if (array == nullptr) {
        refuse("must be a list.");
    }
    std::vector<Settings> items;
    items.reserve(array->size());
    for (const JsonValue& item : *array) {
        items.emplace_back(item, m_path + "[" + std::to_string(items.size()) + "]", *m_file);
    }
    return items;
}

const JsonValue::Object& Settings::members() const
{
    const auto* object = std::get_if<JsonValue::Object>(&m_value->value);
    return object != nullptr ? *object : (refuse("must be an object."), *object);
}

bool Settings::flag(std::string_view name, bool otherwise) const
{
    const auto member = find(name);
    return member ? member->boolean() : otherwise;
}

std::string Settings::textOr(std::string_view name, std::string_view otherwise) const
{
    const auto member = find(name);
    return member ? member->text() : std::string(otherwise);
}

void Settings::refuse(const std::string& message, Code code) const
{
    detail::refuse(code, (m_path.empty() ? "The file" : m_path) + " " + message,
                   *m_file + ", byte " + std::to_string(m_value->offset));
}

void Settings::refuseUnknown(const std::string& what, std::string_view given,
                             std::span<const std::string_view> known) const
{
    const std::string_view nearest = nearestName(given, known);
    refuse(
        "asks for the " + what + " " + detail::inQuotes(given, 40) +
            ", which this program does not know. " +
            (nearest.empty() ? std::string() : "The nearest is '" + std::string(nearest) + "'. ") +
            "Known: " + listNames(known) + ".",
        Code::Unsupported);
}

} // namespace heed::detail
