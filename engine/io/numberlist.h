// Numbers that were written as text: collected, and kept so that nothing is lost.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/readers.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace heed::detail {

/// Bool as long as every number is true or false, then 64-bit integers, then float64.
class NumberList {
public:
    void addBool(bool value);
    void addInteger(std::int64_t value);
    /// @param nearest  the float32 next to the text. Rounding the text to float64 and that to
    ///                 float32 can miss it by one unit, so the few that differ are remembered.
    void addDecimal(double value, float nearest);

    [[nodiscard]] std::size_t size() const { return m_integers.size() + m_decimals.size(); }

    [[nodiscard]] ElementType type() const;
    /// As stored in memory, little-endian.
    [[nodiscard]] std::vector<std::byte> bytes() const;
    /// Position and float32 of the numbers that conversion from bytes() would miss.
    [[nodiscard]] const std::vector<std::pair<std::size_t, float>>& corrections() const
    {
        return m_corrections;
    }

private:
    enum class Kind { Bool, Integer, Decimal };

    Kind m_kind = Kind::Bool;
    std::vector<std::int64_t> m_integers; ///< until the first decimal comes
    std::vector<double> m_decimals;
    std::vector<std::pair<std::size_t, float>> m_corrections;
};

/// A number in text: an integer, a decimal, or inf, -inf, nan in any case.
struct ParsedNumber {
    std::optional<std::int64_t> integer;
    double value = 0;
    float nearest = 0;
};

/// Nothing when @p text is not a number from the first to the last character.
[[nodiscard]] std::optional<ParsedNumber> parseNumber(std::string_view text);

/// inf, -inf and nan only.
[[nodiscard]] std::optional<ParsedNumber> parseSpecialNumber(std::string_view text);

/// Arrays that were read from text.
class ParsedArrayFile : public NamedArrayFile {
public:
    using NamedArrayFile::NamedArrayFile;

    void add(std::string name, Shape shape, const NumberList& numbers);

    [[nodiscard]] Expected<Tensor> read(const std::string& name) const override;
    [[nodiscard]] Expected<std::vector<std::byte>> readRaw(const std::string& name) const override;
    [[nodiscard]] std::span<const float> mapped(const std::string&) const override { return {}; }

private:
    struct Numbers {
        std::vector<std::byte> bytes;
        std::vector<std::pair<std::size_t, float>> corrections;
    };
    std::vector<Numbers> m_numbers;
};

} // namespace heed::detail
