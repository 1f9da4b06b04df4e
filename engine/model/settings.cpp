// Flattens a config.json into paths and values.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/settings.h"

#include "io/jsonreader.h"
#include "io/source.h"

#include <limits>
#include <vector>

namespace heed::detail {

namespace {
constexpr std::size_t longestText = std::size_t{4} << 20; // lists of labels reach a megabyte
constexpr std::size_t longestPath = 128;
constexpr std::int64_t mostElements = std::int64_t{1} << 20; // of an object or array
} // namespace

/// Keeps the path of the value that comes next: one step for each object and array around it.
class ModelSettings::Visitor final : public JsonVisitor {
public:
    explicit Visitor(ModelSettings& settings)
        : m_values(settings.m_values)
    {
    }

    bool startObject() override { return enter(false); }
    bool startArray() override
    {
        return m_steps.empty() ? refuse("Expected an object with the settings of a model.")
                               : enter(true);
    }
    bool endObject() override { return leave(); }
    bool endArray() override { return leave(); }
    bool key(std::string& name) override
    {
        m_steps.back().name = name;
        return true;
    }
    bool null() override
    {
        advance();
        return inObject();
    }
    bool boolean(bool value) override { return keep(value); }
    bool negative(std::int64_t value) override { return keep(value); }
    bool natural(std::uint64_t value) override
    {
        constexpr auto most = std::numeric_limits<std::int64_t>::max();
        return value > static_cast<std::uint64_t>(most) ? keep(static_cast<double>(value))
                                                        : keep(static_cast<std::int64_t>(value));
    }
    bool decimal(double value, std::string_view /*text*/) override { return keep(value); }
    bool text(std::string& value) override { return keep(value); }

private:
    struct Step {
        std::string name;
        bool isArray = false;
        std::int64_t index = 0;
    };

    bool inObject()
    {
        return !m_steps.empty() || refuse("Expected an object with the settings of a model.");
    }
    bool enter(bool isArray)
    {
        m_steps.push_back({.name = {}, .isArray = isArray});
        return true;
    }
    bool leave()
    {
        m_steps.pop_back();
        advance();
        return true;
    }
    void advance()
    {
        if (!m_steps.empty()) {
            ++m_steps.back().index;
        }
    }
    /// The path of the present value; "" for one that no setting has, so that a hostile file
    /// cannot make more text of its names than it has itself.
    [[nodiscard]] std::string shortPath() const
    {
        std::string path;
        for (const Step& step : m_steps) {
            if (path.size() + step.name.size() > longestPath || step.index >= mostElements) {
                return {};
            }
            path += path.empty() ? "" : ".";
            path += step.isArray ? std::to_string(step.index) : step.name;
        }
        return path;
    }

    bool keep(Value value)
    {
        if (!inObject()) {
            return false;
        }
        const std::string path = shortPath();
        if (!path.empty() && !m_values.emplace(path, std::move(value)).second) {
            return refuse("The key " + inQuotes(path) + " is there twice. Remove one of them.");
        }
        advance();
        return true;
    }

    std::map<std::string, Value, std::less<>>& m_values;
    std::vector<Step> m_steps;
};

Expected<ModelSettings> ModelSettings::parse(std::string_view json, const std::string& where)
{
    if (json.size() > longestText) {
        return fail(Code::BadFormat,
                    "The file has " + std::to_string(json.size()) +
                        " bytes, too many for the settings of a model. Use the config.json that "
                        "came with the weights.",
                    where);
    }
    ModelSettings settings(where);
    Visitor visitor(settings);
    if (auto parsed = parseJson(json, where, visitor); !parsed) {
        return tl::unexpected(parsed.error());
    }
    return settings;
}

const ModelSettings::Value* ModelSettings::find(Names names, std::string_view* found) const
{
    for (const std::string_view name : names) {
        if (const auto entry = m_values.find(name); entry != m_values.end()) {
            if (found != nullptr) {
                *found = name;
            }
            return &entry->second;
        }
    }
    return nullptr;
}

bool ModelSettings::has(std::string_view name) const
{
    return m_values.contains(name);
}

template <typename T>
T ModelSettings::valueOf(Names names, T fallback, std::string_view kind) const
{
    std::string_view name;
    const Value* value = find(names, &name);
    if (value == nullptr) {
        return fallback;
    }
    if (const T* known = std::get_if<T>(value)) {
        return *known;
    }
    complain(Code::BadFormat, "\"" + std::string(name) + "\" should be " + std::string(kind) + ".");
    return fallback;
}

std::int64_t ModelSettings::whole(Names names, std::int64_t fallback) const
{
    return valueOf(names, fallback, "a whole number");
}

double ModelSettings::number(Names names, double fallback) const
{
    if (const Value* value = find(names); value != nullptr) {
        if (const auto* whole = std::get_if<std::int64_t>(value)) {
            return static_cast<double>(*whole);
        }
    }
    return valueOf(names, fallback, "a number");
}

bool ModelSettings::boolean(Names names, bool fallback) const
{
    return valueOf(names, fallback, "true or false");
}

std::string ModelSettings::text(Names names, std::string_view fallback) const
{
    return valueOf(names, std::string(fallback), "a text");
}

std::int64_t ModelSettings::required(Names names) const
{
    std::string_view name = *names.begin();
    if (find(names, &name) == nullptr) {
        complain(Code::NotFound, "The setting \"" + std::string(name) +
                                     "\" is missing, so the shape of the model is not known. Use "
                                     "the config.json that came with the weights.");
        return 1;
    }
    const std::int64_t value = whole(names, 1);
    if (value < 1) {
        complain(Code::InvalidShape, "\"" + std::string(name) + "\" is " + std::to_string(value) +
                                         "; it should be at least 1.");
        return 1;
    }
    return value;
}

void ModelSettings::complain(Code code, std::string message) const
{
    if (!*m_problem) {
        *m_problem = Error{code, std::move(message), m_where};
    }
}

ModelSettings ModelSettings::within(std::string_view name) const
{
    ModelSettings inner = *this;
    const std::string prefix = std::string(name) + ".";
    for (const auto& [path, value] : m_values) {
        if (path.starts_with(prefix)) {
            inner.m_values.insert_or_assign(path.substr(prefix.size()), value);
        }
    }
    return inner;
}

} // namespace heed::detail
