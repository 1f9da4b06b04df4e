// Protocol buffers, field by field, without their library.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/subword/protobuf.h"

#include "text/subword/refusal.h"

#include <bit>

namespace heed::detail {

bool ProtoFields::next()
{
    m_begin = m_at;
    if (m_at == m_message.size()) {
        return false;
    }
    const std::uint64_t tag = varint();
    m_number = tag >> 3U;
    m_kind = static_cast<Kind>(tag & 7U);
    switch (m_kind) {
    case Kind::Varint:
        m_value = varint();
        return true;
    case Kind::Fixed64:
        m_bytes = take(8);
        return true;
    case Kind::Fixed32:
        m_bytes = take(4);
        return true;
    case Kind::Bytes:
        m_bytes = take(varint());
        return true;
    default:
        refuse("Field " + std::to_string(m_number) + " is of kind " + std::to_string(tag & 7U) +
               ", which no SentencePiece model has.");
    }
}

std::uint64_t ProtoFields::varint()
{
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const auto byte = static_cast<unsigned char>(take(1).front());
        value |= std::uint64_t{byte & 0x7FU} << shift;
        if (byte < 0x80U) {
            return value;
        }
    }
    refuse("A number has more than ten bytes.");
}

std::string_view ProtoFields::take(std::uint64_t size)
{
    if (size > m_message.size() - m_at) {
        refuse("A field takes " + std::to_string(size) + " bytes, but " +
               std::to_string(m_message.size() - m_at) + " remain.");
    }
    const auto taken = m_message.substr(m_at, size);
    m_at += size;
    return taken;
}

void ProtoFields::require(Kind kind, const char* name) const
{
    if (m_kind != kind) {
        refuse("Field " + std::to_string(m_number) + " should be " + name + ".");
    }
}

std::uint64_t ProtoFields::natural() const
{
    require(Kind::Varint, "a whole number");
    return m_value;
}

float ProtoFields::real() const
{
    require(Kind::Fixed32, "a number of four bytes");
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < m_bytes.size(); ++i) {
        bits |= std::uint32_t{static_cast<unsigned char>(m_bytes[i])} << (8 * i);
    }
    return std::bit_cast<float>(bits);
}

std::string_view ProtoFields::bytes() const
{
    require(Kind::Bytes, "a text or a part");
    return m_bytes;
}

ProtoFields ProtoFields::message() const
{
    const std::string_view inner = bytes();
    const auto begin = static_cast<std::size_t>(inner.data() - m_message.data());
    return {inner, m_offset + begin, *m_file};
}

void ProtoFields::refuse(const std::string& what) const
{
    detail::refuse(Code::BadFormat, what, *m_file + ", byte " + std::to_string(m_offset + m_begin));
}

} // namespace heed::detail
