// A whole JSON text in memory, with the place of every value.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/jsontree.h"

#include "io/jsonreader.h"
#include "io/source.h"

#include <algorithm>

namespace heed::detail {
namespace {

class TreeBuilder final : public JsonVisitor {
public:
    bool startObject() override { return open(JsonValue::Object()); }
    bool key(std::string& name) override
    {
        m_open.back().key = std::move(name);
        return true;
    }
    bool endObject() override
    {
        auto& members = std::get<JsonValue::Object>(m_open.back().value.value);
        std::vector<std::string_view> names;
        names.reserve(members.size());
        for (const auto& member : members) {
            names.push_back(member.name);
        }
        std::ranges::sort(names);
        if (const auto twice = std::ranges::adjacent_find(names); twice != names.end()) {
            return refuse("The name " + inQuotes(*twice) + " occurs twice in the same object.");
        }
        return close();
    }
    bool startArray() override { return open(JsonValue::Array()); }
    bool endArray() override { return close(); }
    bool null() override { return add({}); }
    bool boolean(bool value) override { return add({value}); }
    bool negative(std::int64_t value) override { return add({value}); }
    bool natural(std::uint64_t value) override { return add({value}); }
    bool decimal(double value, std::string_view /*text*/) override { return add({value}); }
    bool text(std::string& value) override { return add({std::move(value)}); }

    JsonValue take() { return std::move(m_root); }

private:
    struct Open {
        JsonValue value;
        std::string key; ///< of the member that comes next
    };

    bool open(auto container)
    {
        m_open.push_back({{std::move(container), offset()}, {}});
        return true;
    }
    bool close()
    {
        JsonValue value = std::move(m_open.back().value);
        m_open.pop_back();
        return place(std::move(value));
    }
    bool add(JsonValue value)
    {
        value.offset = offset();
        return place(std::move(value));
    }
    bool place(JsonValue value)
    {
        if (m_open.empty()) {
            m_root = std::move(value);
        } else if (auto* items = std::get_if<JsonValue::Array>(&m_open.back().value.value)) {
            items->push_back(std::move(value));
        } else {
            std::get<JsonValue::Object>(m_open.back().value.value)
                .push_back({std::move(m_open.back().key), std::move(value)});
        }
        return true;
    }

    std::vector<Open> m_open;
    JsonValue m_root;
};

} // namespace

const JsonValue* JsonValue::find(std::string_view name) const
{
    const auto* members = std::get_if<Object>(&value);
    if (members == nullptr) {
        return nullptr;
    }
    const auto at = std::ranges::find(*members, name,
                                      [](const JsonMember& m) { return std::string_view(m.name); });
    return at == members->end() ? nullptr : &at->value;
}

Expected<JsonValue> readJsonTree(std::string_view text, const std::string& where, std::size_t base)
{
    return guarded(where, [&]() -> Expected<JsonValue> {
        TreeBuilder builder;
        if (auto read = parseJson(text, where, builder, base); !read) {
            return tl::unexpected(read.error());
        }
        return builder.take();
    });
}

} // namespace heed::detail
