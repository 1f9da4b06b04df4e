// The part of Python's pickles that torch.save() writes, as data. Nothing is ever executed.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/pickle.h"

#include "io/source.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>

namespace heed::detail {

namespace {

using Kind = PickleValue::Kind;

constexpr unsigned newestProtocol = 3; // torch.save() writes 2

class Machine {
public:
    Machine(std::span<const std::byte> bytes, const std::string& where, std::size_t begin)
        : m_text(asText(bytes))
        , m_where(where)
        , m_begin(begin)
    {
    }

    Expected<Pickle> run()
    {
        while (!m_ended && !m_error) {
            step();
        }
        if (!m_error && (m_stack.size() != 1 || m_stack.front() == nullptr)) {
            refuse("The pickle ends with " + std::to_string(m_stack.size()) +
                   " values instead of one.");
        }
        if (m_error) {
            return tl::unexpected(std::move(*m_error));
        }
        m_pickle.root = m_stack.front();
        m_pickle.size = m_at;
        return std::move(m_pickle);
    }

private:
    void refuse(std::string message, Code code = Code::BadFormat)
    {
        if (!m_error) {
            m_error = Error{code, std::move(message),
                            m_where + ", byte " + std::to_string(m_begin + m_opcodeAt)};
        }
    }

    // --- bytes

    std::string_view take(std::uint64_t size)
    {
        if (size > m_text.size() - m_at) {
            refuse("The pickle is cut short: " + std::to_string(size) + " bytes should follow, " +
                   std::to_string(m_text.size() - m_at) + " do.");
            return {};
        }
        const auto taken = m_text.substr(m_at, static_cast<std::size_t>(size));
        m_at += taken.size();
        return taken;
    }
    /// Little-endian.
    std::uint64_t natural(std::size_t size)
    {
        std::uint64_t value = 0;
        const auto bytes = take(size);
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
        }
        return value;
    }
    std::string_view line()
    {
        const std::size_t end = m_text.find('\n', m_at);
        if (end == m_text.npos) {
            refuse("The pickle is cut short in a name.");
            return {};
        }
        const auto taken = m_text.substr(m_at, end - m_at);
        m_at = end + 1;
        return taken;
    }

    // --- values

    PickleValue& make(Kind kind)
    {
        m_pickle.values.push_back({.kind = kind});
        m_stack.push_back(&m_pickle.values.back());
        return m_pickle.values.back();
    }
    void makeWhole(std::int64_t value) { make(Kind::Whole).whole = value; }

    /// The value on top, taken off.
    PickleValue* pop()
    {
        if (m_stack.empty() || m_stack.back() == nullptr) {
            refuse("A value is missing.");
            return nullptr;
        }
        PickleValue* top = m_stack.back();
        m_stack.pop_back();
        return top;
    }
    /// The values above the last mark, taken off with it.
    std::vector<const PickleValue*> popToMark()
    {
        const auto mark = std::find(m_stack.rbegin(), m_stack.rend(), nullptr);
        if (mark == m_stack.rend()) {
            refuse("A mark is missing.");
            return {};
        }
        std::vector<const PickleValue*> values(mark.base(), m_stack.end());
        m_stack.erase(mark.base() - 1, m_stack.end());
        return values;
    }
    void makeTuple(std::size_t size)
    {
        std::vector<const PickleValue*> items(size);
        for (std::size_t i = size; i > 0; --i) {
            items[i - 1] = pop();
        }
        if (!m_error) {
            make(Kind::Tuple).items = std::move(items);
        }
    }
    /// What a global would make of its arguments: kept as what it is.
    void makeObject()
    {
        const PickleValue* arguments = pop();
        const PickleValue* global = pop();
        if (m_error) {
            return;
        }
        if (global->kind != Kind::Global || arguments->kind != Kind::Tuple) {
            refuse("Something is called that has no name.");
            return;
        }
        std::vector<const PickleValue*> items{global};
        items.insert(items.end(), arguments->items.begin(), arguments->items.end());
        make(Kind::Object).items = std::move(items);
    }
    /// Puts @p values into the list or dictionary on top.
    void add(const std::vector<const PickleValue*>& values, bool arePairs)
    {
        PickleValue* target = pop();
        if (m_error) {
            return;
        }
        m_stack.push_back(target);
        const Kind wanted = arePairs ? Kind::Dictionary : Kind::List;
        if ((target->kind != wanted && target->kind != Kind::Object) ||
            (arePairs && values.size() % 2 != 0)) {
            refuse(arePairs ? "Keys and values do not fit what they are put into."
                            : "Something is added to what is no list.");
            return;
        }
        auto& into = target->kind == Kind::Object ? target->entries : target->items;
        into.insert(into.end(), values.begin(), values.end());
    }

    void remember(std::uint64_t number)
    {
        if (m_stack.empty() || m_stack.back() == nullptr) {
            refuse("There is no value to remember.");
        } else {
            m_memo[number] = m_stack.back();
        }
    }
    void recall(std::uint64_t number)
    {
        const auto found = m_memo.find(number);
        if (found == m_memo.end()) {
            refuse("The value number " + std::to_string(number) + " was not remembered.");
        } else {
            m_stack.push_back(found->second);
        }
    }

    void makeLong()
    {
        const auto bytes = take(natural(1));
        if (bytes.size() > sizeof(std::int64_t)) {
            make(Kind::Text).text = bytes;
            return;
        }
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
        }
        const bool isNegative =
            !bytes.empty() && (static_cast<unsigned char>(bytes.back()) & 0x80U) != 0;
        if (isNegative && bytes.size() < sizeof value) {
            value |= ~std::uint64_t{0} << (8 * bytes.size());
        }
        makeWhole(static_cast<std::int64_t>(value));
    }

    void makeReal()
    {
        std::uint64_t bits = 0;
        for (const char byte : take(sizeof bits)) { // big-endian
            bits = bits << 8U | static_cast<unsigned char>(byte);
        }
        make(Kind::Real).real = std::bit_cast<double>(bits);
    }

    void step()
    {
        m_opcodeAt = m_at;
        const auto opcode = take(1);
        if (m_error) {
            return;
        }
        switch (opcode.front()) {
        case '\x80':
            if (const std::uint64_t protocol = natural(1); protocol > newestProtocol) {
                refuse("The pickle is of protocol " + std::to_string(protocol) +
                           ", which torch.save() does not write.",
                       Code::Unsupported);
            }
            break;
        case '.':
            m_ended = true;
            break;
        case '(':
            m_stack.push_back(nullptr);
            break;
        case ')':
            make(Kind::Tuple);
            break;
        case ']':
            make(Kind::List);
            break;
        case '}':
            make(Kind::Dictionary);
            break;
        case 't': {
            auto items = popToMark();
            make(Kind::Tuple).items = std::move(items);
            break;
        }
        case '\x85':
        case '\x86':
        case '\x87':
            makeTuple(static_cast<std::size_t>(opcode.front() - '\x85') + 1);
            break;
        case 'N':
            make(Kind::Nothing);
            break;
        case '\x88':
        case '\x89':
            make(Kind::Bool).whole = opcode.front() == '\x88' ? 1 : 0;
            break;
        case 'J':
            makeWhole(static_cast<std::int32_t>(natural(4)));
            break;
        case 'K':
            makeWhole(static_cast<std::int64_t>(natural(1)));
            break;
        case 'M':
            makeWhole(static_cast<std::int64_t>(natural(2)));
            break;
        case '\x8A':
            makeLong();
            break;
        case 'G':
            makeReal();
            break;
        case 'X':
            make(Kind::Text).text = take(natural(4));
            break;
        case 'U':
            make(Kind::Text).text = take(natural(1));
            break;
        case 'c': {
            const auto module = line();
            const auto name = line();
            PickleValue& global = make(Kind::Global);
            global.text = module;
            global.name = name;
            break;
        }
        case 'q':
            remember(natural(1));
            break;
        case 'r':
            remember(natural(4));
            break;
        case 'h':
            recall(natural(1));
            break;
        case 'j':
            recall(natural(4));
            break;
        default:
            stepIntoValues(opcode.front());
        }
    }

    /// Opcodes that put values into others.
    void stepIntoValues(char opcode)
    {
        switch (opcode) {
        case 'R':
        case '\x81':
            makeObject();
            break;
        case 'b': // the state of an object, which no tensor needs
            pop();
            break;
        case 's': {
            const PickleValue* value = pop();
            const PickleValue* key = pop();
            add({key, value}, true);
            break;
        }
        case 'u':
            add(popToMark(), true);
            break;
        case 'a': {
            const PickleValue* value = pop();
            add({value}, false);
            break;
        }
        case 'e':
            add(popToMark(), false);
            break;
        case 'Q': {
            const PickleValue* what = pop();
            make(Kind::Persistent).items = {what};
            break;
        }
        default: {
            constexpr std::string_view digits = "0123456789ABCDEF";
            const auto code = static_cast<unsigned char>(opcode);
            refuse(std::string("The pickle has the opcode 0x") + digits[code >> 4U] +
                       digits[code & 15U] +
                       ", which no ordinary torch checkpoint has. Save the weights as "
                       ".safetensors.",
                   Code::Unsupported);
        }
        }
    }

    std::string_view m_text;
    const std::string& m_where;
    std::size_t m_begin;
    std::size_t m_at = 0;
    std::size_t m_opcodeAt = 0;
    bool m_ended = false;
    std::optional<Error> m_error;
    Pickle m_pickle;
    std::vector<PickleValue*> m_stack; ///< null = a mark
    std::unordered_map<std::uint64_t, PickleValue*> m_memo;
};

} // namespace

Expected<Pickle> readPickle(std::span<const std::byte> bytes, const std::string& where,
                            std::size_t begin)
{
    return Machine(bytes, where, begin).run();
}

} // namespace heed::detail
