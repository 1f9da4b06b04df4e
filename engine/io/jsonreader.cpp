// The adapter between the JSON library's events and ours.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/jsonreader.h"

#include "io/source.h"

#include <algorithm>
#include <clocale>
#include <iterator>
#include <nlohmann/json.hpp>

namespace heed::detail {

namespace {

/// Walks over text and tells how far it has come; the library gives no position with its events.
class CountingIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator(const char* at, const char** reached)
        : m_at(at)
        , m_reached(reached)
    {
    }
    reference operator*() const { return *m_at; }
    CountingIterator& operator++()
    {
        *m_reached = ++m_at;
        return *this;
    }
    bool operator==(const CountingIterator& other) const { return m_at == other.m_at; }
    bool operator!=(const CountingIterator& other) const { return m_at != other.m_at; }

private:
    const char* m_at;
    const char** m_reached;
};

/// The library's messages repeat what it read, which may be a number of megabytes.
std::string shortened(const std::string& message)
{
    constexpr std::size_t most = 200;
    constexpr std::size_t kept = 40; // of what was read
    const auto begin = message.find('\'');
    if (message.size() <= most || begin == message.npos) {
        return printable(message);
    }
    return printable(message.substr(0, begin + 1 + kept)) + "…'";
}

class Adapter : public nlohmann::json_sax<nlohmann::json> {
public:
    explicit Adapter(JsonVisitor& visitor, std::function<void()> beforeEvent)
        : m_visitor(visitor)
        , m_beforeEvent(std::move(beforeEvent))
    {
    }

    bool null() override { return now().null(); }
    bool boolean(bool value) override { return now().boolean(value); }
    bool number_integer(number_integer_t value) override { return now().negative(value); }
    bool number_unsigned(number_unsigned_t value) override { return now().natural(value); }
    bool number_float(number_float_t value, const string_t& text) override
    {
        const char point = *std::localeconv()->decimal_point;
        if (point == '.' || text.find(point) == text.npos) {
            return now().decimal(value, text);
        }
        // The library hands out the text with the decimal point of the user's language.
        std::string plain = text;
        std::replace(plain.begin(), plain.end(), point, '.');
        return now().decimal(value, plain);
    }
    bool string(string_t& value) override { return now().text(value); }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return enter() && now().startObject(); }
    bool key(string_t& name) override { return now().key(name); }
    bool end_object() override
    {
        --m_depth;
        return now().endObject();
    }
    bool start_array(std::size_t) override { return enter() && now().startArray(); }
    bool end_array() override
    {
        --m_depth;
        return now().endArray();
    }
    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::json::exception& exception) override
    {
        m_position = position;
        m_problem = exception.what();
        // "[json.exception.parse_error.101] parse error at line 1, column 2: …"
        if (const auto end = m_problem.find("] "); end != m_problem.npos) {
            m_problem.erase(0, end + 2);
        }
        return false;
    }

    [[nodiscard]] bool tooDeep() const { return m_depth > maxJsonDepth; }
    [[nodiscard]] const std::string& problem() const { return m_problem; }
    [[nodiscard]] std::size_t position() const { return m_position; }

private:
    JsonVisitor& now()
    {
        m_beforeEvent();
        return m_visitor;
    }
    bool enter() { return ++m_depth <= maxJsonDepth; }

    JsonVisitor& m_visitor;
    std::function<void()> m_beforeEvent;
    std::size_t m_depth = 0;
    std::size_t m_position = 0;
    std::string m_problem;
};

} // namespace

bool JsonVisitor::refuse(std::string message)
{
    return refuse(std::move(message), m_offset);
}

bool JsonVisitor::refuse(std::string message, std::size_t where)
{
    m_refusal = std::move(message);
    m_refusedAt = where;
    return false;
}

Expected<void> parseJson(std::string_view text, const std::string& where, JsonVisitor& visitor,
                         std::size_t base)
{
    // The library takes a zero byte for the end and would not look at what follows.
    if (const auto zero = text.find('\0'); zero != text.npos) {
        return badFormat(where, base + zero, "The text contains a zero byte.");
    }
    const char* reached = text.data();
    Adapter adapter(visitor,
                    [&] { visitor.m_offset = static_cast<std::size_t>(reached - text.data()); });
    const bool complete =
        nlohmann::json::sax_parse(CountingIterator(text.data(), &reached),
                                  CountingIterator(text.data() + text.size(), &reached), &adapter);
    if (complete) {
        return {};
    }
    if (adapter.tooDeep()) {
        return badFormat(where, base + static_cast<std::size_t>(reached - text.data()),
                         "The JSON text is nested deeper than " + std::to_string(maxJsonDepth) +
                             " levels.");
    }
    if (!visitor.m_refusal.empty()) {
        return badFormat(where, base + visitor.m_refusedAt, visitor.m_refusal);
    }
    return badFormat(where, base + adapter.position(),
                     "This is not JSON: " + shortened(adapter.problem()) + ".");
}

std::string jsonString(std::string_view text)
{
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace heed::detail
