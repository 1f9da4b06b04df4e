// The keys of a config.json with their values, however deep they lie.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace heed::detail {

/// Looks up keys by their path: "rope_scaling.factor", "layer_types.0". A key that is null counts
/// as one that is not there. Where a function takes several names, the first that is there counts.
/// A value of the wrong kind gives the fallback, and the first such problem is kept.
class ModelSettings {
public:
    /// @return Code::BadFormat: no JSON, no object, or a key given twice.
    [[nodiscard]] static Expected<ModelSettings> parse(std::string_view json,
                                                       const std::string& where);

    using Value = std::variant<bool, std::int64_t, double, std::string>;
    /// Settings that come from elsewhere: none yet.
    explicit ModelSettings(std::string where)
        : m_where(std::move(where))
    {
    }
    void set(std::string_view name, Value value)
    {
        m_values.insert_or_assign(std::string(name), std::move(value));
    }

    using Names = std::initializer_list<std::string_view>;
    [[nodiscard]] bool has(std::string_view name) const;
    [[nodiscard]] std::int64_t whole(Names names, std::int64_t fallback) const;
    [[nodiscard]] double number(Names names, double fallback) const;
    [[nodiscard]] bool boolean(Names names, bool fallback) const;
    [[nodiscard]] std::string text(Names names, std::string_view fallback) const;
    /// A whole number above zero that has to be there.
    [[nodiscard]] std::int64_t required(Names names) const;

    /// Keeps a problem unless there is one already.
    void complain(Code code, std::string message) const;
    [[nodiscard]] const std::optional<Error>& problem() const { return *m_problem; }

    /// The settings of the object @p name, with those beside it where it lacks a key.
    [[nodiscard]] ModelSettings within(std::string_view name) const;

private:
    class Visitor;

    [[nodiscard]] const Value* find(Names names, std::string_view* found = nullptr) const;
    /// @param kind what the value should be, in words.
    template <typename T>
    [[nodiscard]] T valueOf(Names names, T fallback, std::string_view kind) const;

    std::map<std::string, Value, std::less<>> m_values;
    std::string m_where;
    /// Shared with what within() gives: whoever asks, it is a problem of the one file.
    std::shared_ptr<std::optional<Error>> m_problem = std::make_shared<std::optional<Error>>();
};

} // namespace heed::detail
