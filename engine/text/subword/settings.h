// A part of a tokenizer file: asked for by name and type, refused with its place.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/jsontree.h"
#include "text/subword/refusal.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed::detail {

/// A value of the file. Refers to the tree and the file's name; both live longer.
class Settings {
public:
    /// @param path  how people name the value: "model.vocab".
    Settings(const JsonValue& value, std::string path, const std::string& file)
        : m_value(&value)
        , m_path(std::move(path))
        , m_file(&file)
    {
    }

    [[nodiscard]] const JsonValue& json() const { return *m_value; }
    [[nodiscard]] const std::string& path() const { return m_path; }

    /// The member @p name; refuses the file when there is none.
    [[nodiscard]] Settings at(std::string_view name) const;
    /// The member @p name, unless it is absent or null.
    [[nodiscard]] std::optional<Settings> find(std::string_view name) const;

    [[nodiscard]] const std::string& text() const;
    [[nodiscard]] bool boolean() const;
    [[nodiscard]] double number() const;
    /// A whole number from 0 to @p most.
    [[nodiscard]] std::uint64_t natural(std::uint64_t most) const;
    /// A token number.
    [[nodiscard]] std::uint32_t id() const;
    [[nodiscard]] std::vector<Settings> items() const;
    [[nodiscard]] const JsonValue::Object& members() const;

    [[nodiscard]] bool flag(std::string_view name, bool otherwise) const;
    [[nodiscard]] std::string textOr(std::string_view name, std::string_view otherwise) const;

    /// Refuses the file because of this value; the message follows its name.
    [[noreturn]] void refuse(const std::string& message, Code code = Code::BadFormat) const;
    /// Refuses the value as no one of @p known, with the nearest of them.
    [[noreturn]] void refuseUnknown(const std::string& what, std::string_view given,
                                    std::span<const std::string_view> known) const;

private:
    const JsonValue* m_value;
    std::string m_path;
    const std::string* m_file;
};

} // namespace heed::detail
