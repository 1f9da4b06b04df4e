// Protocol buffers, field by field, without their library.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heed::detail {

/// Walks over the fields of one message. Every length is compared with the bytes that remain.
class ProtoFields {
public:
    /// @param offset  of @p message in the file, for errors.
    /// @param file    its name; lives longer.
    ProtoFields(std::string_view message, std::size_t offset, const std::string& file)
        : m_message(message)
        , m_offset(offset)
        , m_file(&file)
    {
    }

    /// Reads the next field; false at the end.
    /// @throws Refusal: a field that is cut short or of a kind there is not, with its byte.
    bool next();

    [[nodiscard]] std::uint64_t number() const { return m_number; } ///< of the field

    /// The value, which is of this kind.
    /// @throws Refusal when it is of another, with its byte.
    [[nodiscard]] std::uint64_t natural() const;
    [[nodiscard]] bool boolean() const { return natural() != 0; }
    [[nodiscard]] float real() const;
    [[nodiscard]] std::string_view bytes() const;
    [[nodiscard]] ProtoFields message() const;

    /// Refuses the file because of this field.
    [[noreturn]] void refuse(const std::string& what) const;

private:
    enum class Kind { Varint, Fixed64, Bytes, StartGroup, EndGroup, Fixed32 };

    [[nodiscard]] std::uint64_t varint();
    [[nodiscard]] std::string_view take(std::uint64_t size);
    void require(Kind kind, const char* name) const;

    std::string_view m_message;
    std::size_t m_offset;
    const std::string* m_file;
    std::size_t m_at = 0;    ///< in the message
    std::size_t m_begin = 0; ///< of the field, there
    std::uint64_t m_number = 0;
    Kind m_kind = Kind::Varint;
    std::uint64_t m_value = 0;
    std::string_view m_bytes;
};

} // namespace heed::detail
