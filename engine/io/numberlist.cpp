// Numbers as text: read without loss, written as short as possible.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/numberlist.h"

#include "io/writers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace heed::detail {

namespace {

bool sameFloat(float a, float b)
{
    return a == b || (std::isnan(a) && std::isnan(b));
}

template <typename Stored, typename Values>
std::vector<std::byte> pack(const Values& values)
{
    std::vector<std::byte> bytes(values.size() * sizeof(Stored));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto value = static_cast<Stored>(values[i]);
        std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
    }
    return bytes;
}

/// Whether a decimal that is not zero lies nearer to zero than one does.
bool belowOne(std::string_view decimal)
{
    const std::size_t end = std::min(decimal.find_first_of("eE"), decimal.size());
    std::int64_t exponent = 0;
    if (end < decimal.size()) {
        std::string_view digits = decimal.substr(end + 1);
        const bool negative = digits.starts_with('-');
        digits.remove_prefix(digits.find_first_of("+-") == 0 ? 1 : 0);
        std::int64_t value = 0;
        constexpr std::int64_t most = 1LL << 40; // longer than any text
        const auto status = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        value = status.ec == std::errc{} ? std::min(value, most) : most;
        exponent = negative ? -value : value;
    }
    const std::string_view digits = decimal.substr(0, end);
    const std::size_t point = std::min(digits.find('.'), digits.size());
    const std::size_t first = digits.find_first_of("123456789");
    const auto power = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
    return power + exponent <= 0;
}

template <typename T>
T load(const std::byte* element)
{
    T value{};
    std::memcpy(&value, element, sizeof value);
    return value;
}

template <typename T>
void appendInteger(std::string& text, const std::byte* element)
{
    text += std::to_string(load<T>(element));
}

template <typename T>
void appendReal(std::string& text, T value)
{
    if (std::isnan(value)) {
        text += "nan";
        return;
    }
    if (value == 0 && std::signbit(value)) {
        text += "-0.0"; // "-0" is an integer, which has no negative zero
        return;
    }
    std::array<char, 32> digits{};
    const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    text.append(digits.data(), result.ptr);
}

} // namespace

void NumberList::addBool(bool value)
{
    if (m_kind == Kind::Decimal) {
        addDecimal(value ? 1 : 0, value ? 1 : 0);
        return;
    }
    m_integers.push_back(value ? 1 : 0);
}

void NumberList::addInteger(std::int64_t value)
{
    if (m_kind == Kind::Decimal) {
        addDecimal(static_cast<double>(value), static_cast<float>(value));
        return;
    }
    m_kind = Kind::Integer;
    m_integers.push_back(value);
}

void NumberList::addDecimal(double value, float nearest)
{
    if (m_kind != Kind::Decimal) {
        m_kind = Kind::Decimal;
        const std::vector<std::int64_t> integers = std::move(m_integers);
        m_integers.clear();
        m_decimals.reserve(integers.size() + 1);
        for (const std::int64_t integer : integers) {
            addDecimal(static_cast<double>(integer), static_cast<float>(integer));
        }
    }
    if (!sameFloat(static_cast<float>(value), nearest)) {
        m_corrections.emplace_back(m_decimals.size(), nearest);
    }
    m_decimals.push_back(value);
}

ElementType NumberList::type() const
{
    if (m_kind == Kind::Decimal || size() == 0) {
        return ElementType::Float64;
    }
    return m_kind == Kind::Bool ? ElementType::Bool : ElementType::Int64;
}

std::vector<std::byte> NumberList::bytes() const
{
    switch (m_kind) {
    case Kind::Bool:
        return pack<std::uint8_t>(m_integers);
    case Kind::Integer:
        return pack<std::int64_t>(m_integers);
    case Kind::Decimal:
        return pack<double>(m_decimals);
    }
    return {};
}

std::optional<ParsedNumber> parseSpecialNumber(std::string_view text)
{
    const bool minus = text.starts_with('-');
    if (minus || text.starts_with('+')) {
        text.remove_prefix(1);
    }
    std::string word(text.substr(0, 9)); // longer than the longest word
    std::transform(word.begin(), word.end(), word.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    using Limits = std::numeric_limits<float>;
    if (word == "inf" || word == "infinity") {
        const float value = minus ? -Limits::infinity() : Limits::infinity();
        return ParsedNumber{{}, value, value};
    }
    if (word == "nan") {
        return ParsedNumber{{}, Limits::quiet_NaN(), Limits::quiet_NaN()};
    }
    return std::nullopt;
}

std::optional<ParsedNumber> parseNumber(std::string_view text)
{
    if (text.starts_with('+')) {
        text.remove_prefix(1);
        if (text.starts_with('-') || text.starts_with('+')) {
            return std::nullopt;
        }
    }
    const char* begin = text.data();
    const char* end = begin + text.size();
    // from_chars would take "nan(1)" and "inf" in forms that others do not know.
    const bool digitFirst =
        !text.empty() && (std::isdigit(static_cast<unsigned char>(text.front())) != 0 ||
                          text.front() == '-' || text.front() == '.');
    if (!digitFirst || text.find_first_of("nN") != text.npos) {
        return parseSpecialNumber(text);
    }
    std::int64_t integer = 0;
    const auto whole = std::from_chars(begin, end, integer);
    const bool minusZero = integer == 0 && text.front() == '-';
    if (whole.ec == std::errc{} && whole.ptr == end && !minusZero) {
        return ParsedNumber{integer, static_cast<double>(integer), static_cast<float>(integer)};
    }
    ParsedNumber number;
    const auto wide = std::from_chars(begin, end, number.value);
    if (wide.ptr != end || wide.ec == std::errc::invalid_argument) {
        return std::nullopt;
    }
    if (wide.ec == std::errc::result_out_of_range) {
        // Too small is zero; too large is not a number that any element type holds.
        if (!belowOne(text)) {
            return std::nullopt;
        }
        number.value = text.front() == '-' ? -0.0 : 0.0;
    }
    const auto narrow = std::from_chars(begin, end, number.nearest);
    if (narrow.ec != std::errc{}) {
        number.nearest = static_cast<float>(number.value);
    }
    return number;
}

void appendNumber(std::string& text, ElementType type, const std::byte* element)
{
    switch (type) {
    case ElementType::Bool:
        text += *element == std::byte{0} ? '0' : '1';
        return;
    case ElementType::UInt8:
        return appendInteger<std::uint8_t>(text, element);
    case ElementType::Int8:
        return appendInteger<std::int8_t>(text, element);
    case ElementType::UInt16:
        return appendInteger<std::uint16_t>(text, element);
    case ElementType::Int16:
        return appendInteger<std::int16_t>(text, element);
    case ElementType::UInt32:
        return appendInteger<std::uint32_t>(text, element);
    case ElementType::Int32:
        return appendInteger<std::int32_t>(text, element);
    case ElementType::UInt64:
        return appendInteger<std::uint64_t>(text, element);
    case ElementType::Int64:
        return appendInteger<std::int64_t>(text, element);
    case ElementType::Float16:
        return appendReal(text, halfToFloat(load<std::uint16_t>(element)));
    case ElementType::BFloat16:
        return appendReal(text, bfloat16ToFloat(load<std::uint16_t>(element)));
    case ElementType::Float32:
        return appendReal(text, load<float>(element));
    case ElementType::Float64:
        return appendReal(text, load<double>(element));
    }
}

void ParsedArrayFile::add(std::string name, Shape shape, const NumberList& numbers)
{
    addInfo({std::move(name), numbers.type(), std::move(shape), false});
    m_numbers.push_back({numbers.bytes(), numbers.corrections()});
}

Expected<Tensor> ParsedArrayFile::read(const std::string& name) const
{
    return withArray(name, [&](std::size_t index) -> Expected<Tensor> {
        const Numbers& numbers = m_numbers[index];
        auto tensor = decodeTensor({&arrays()[index], false, numbers.bytes}, where(index));
        if (tensor) {
            for (const auto& [position, value] : numbers.corrections) {
                tensor->values()[position] = value;
            }
        }
        return tensor;
    });
}

Expected<std::vector<std::byte>> ParsedArrayFile::readRaw(const std::string& name) const
{
    return withArray(name, [&](std::size_t index) -> Expected<std::vector<std::byte>> {
        return m_numbers[index].bytes;
    });
}

} // namespace heed::detail
