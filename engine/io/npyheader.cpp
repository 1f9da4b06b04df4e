// The .npy header is a Python dictionary literal; only the form that NumPy writes is read.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/npyheader.h"

#include "io/elementtype.h"
#include "io/source.h"
#include "io/textpieces.h"

#include <array>
#include <charconv>
#include <optional>

namespace heed::detail {

namespace {

// Far more than 64 axes need; a longer header describes records, which are not read anyway.
constexpr std::size_t longestHeader = 1 << 20;

struct TypeString {
    std::string_view text; ///< kind and size, without the byte order
    ElementType type;
};

constexpr std::array<TypeString, 12> typeStrings = {{{"b1", ElementType::Bool},
                                                     {"u1", ElementType::UInt8},
                                                     {"i1", ElementType::Int8},
                                                     {"u2", ElementType::UInt16},
                                                     {"i2", ElementType::Int16},
                                                     {"u4", ElementType::UInt32},
                                                     {"i4", ElementType::Int32},
                                                     {"u8", ElementType::UInt64},
                                                     {"i8", ElementType::Int64},
                                                     {"f2", ElementType::Float16},
                                                     {"f4", ElementType::Float32},
                                                     {"f8", ElementType::Float64}}};

/// Reads the dictionary from left to right. Every function leaves the position behind what it read.
class HeaderParser {
public:
    HeaderParser(std::string_view text, std::size_t offset, const std::string& where,
                 bool takesText)
        : m_text(text)
        , m_offset(offset)
        , m_where(where)
        , m_takesText(takesText)
    {
    }

    Expected<NpyHeader> parse()
    {
        if (!accept('{')) {
            return expected("a dictionary that begins with {");
        }
        while (!accept('}')) {
            if (auto entry = parseEntry(); !entry) {
                return tl::unexpected(entry.error());
            }
            if (!accept(',') && !next('}')) {
                return expected("a comma or }");
            }
        }
        skipSpace();
        if (m_at != m_text.size()) {
            return expected("nothing after }");
        }
        if (!m_type || !m_fortran || !m_shape) {
            return expected("the entries 'descr', 'fortran_order' and 'shape'");
        }
        NpyHeader header;
        header.textUnits = m_textUnits;
        header.info.type = *m_type;
        header.info.shape = std::move(*m_shape);
        header.info.fortranOrder = *m_fortran;
        header.bigEndian = m_bigEndian;
        return header;
    }

private:
    Expected<void> parseEntry()
    {
        const auto key = parseString();
        if (!key) {
            return tl::unexpected(key.error());
        }
        if (!accept(':')) {
            return expected("a colon");
        }
        if (*key == "descr" && !m_type) {
            return parseType();
        }
        if (*key == "fortran_order" && !m_fortran) {
            return parseOrder();
        }
        if (*key == "shape" && !m_shape) {
            return parseShape();
        }
        return expected("each of 'descr', 'fortran_order' and 'shape' once, not " + inQuotes(*key));
    }

    Expected<void> parseType()
    {
        if (next('[') || next('(')) {
            return fail(Code::Unsupported,
                        "The array holds records or sub-arrays. Save each field as an array of "
                        "numbers.",
                        m_where);
        }
        const auto descr = parseString();
        if (!descr) {
            return tl::unexpected(descr.error());
        }
        std::string_view kind = *descr;
        if (!kind.empty() && std::string_view("<>|=").find(kind.front()) != kind.npos) {
            m_bigEndian = kind.front() == '>';
            kind.remove_prefix(1);
        }
        for (const TypeString& known : typeStrings) {
            if (kind == known.text) {
                m_type = known.type;
                return {};
            }
        }
        if (m_takesText && kind.starts_with('U')) {
            const auto [end, status] =
                std::from_chars(kind.data() + 1, kind.data() + kind.size(), m_textUnits);
            m_type = ElementType::UInt32; // of the code units
            return status == std::errc{} && end == kind.data() + kind.size() && m_textUnits > 0
                       ? Expected<void>{}
                       : expected("a type such as '<U5'");
        }
        if (!kind.empty() && kind.front() == 'O') {
            return fail(Code::Unsupported,
                        "The array holds pickled Python objects, which would have to be executed "
                        "to be read. Save it as an array of numbers.",
                        m_where);
        }
        if (!kind.empty() && std::string_view("USaVMmcfiu").find(kind.front()) != kind.npos) {
            return fail(Code::Unsupported,
                        "The array has the type " + inQuotes(*descr) +
                            ". Known are bool, integers of 8 to 64 bits, float16, float32 and "
                            "float64.",
                        m_where);
        }
        return expected("a type such as '<f4', not " + inQuotes(*descr));
    }

    Expected<void> parseOrder()
    {
        skipSpace();
        for (const bool value : {true, false}) {
            const std::string_view word = value ? "True" : "False";
            if (m_text.substr(m_at).starts_with(word)) {
                m_at += word.size();
                m_fortran = value;
                return {};
            }
        }
        return expected("True or False");
    }

    Expected<void> parseShape()
    {
        if (!accept('(')) {
            return expected("a tuple such as (2, 3)");
        }
        Shape shape;
        bool comma = true;
        while (!accept(')')) {
            skipSpace();
            std::int64_t extent = 0;
            const char* begin = m_text.data() + m_at;
            const auto [end, status] =
                std::from_chars(begin, m_text.data() + m_text.size(), extent);
            if (!comma || status != std::errc{} || extent < 0 || shape.size() == maxRank) {
                return expected("at most 64 extents, each from 0 to 2^63-1");
            }
            shape.push_back(extent);
            m_at += static_cast<std::size_t>(end - begin);
            if (m_at < m_text.size() && m_text[m_at] == 'L') {
                ++m_at; // written by Python 2
            }
            comma = accept(',');
        }
        if (shape.size() == 1 && !comma) {
            return expected("a tuple: (3,) and not (3)");
        }
        m_shape = std::move(shape);
        return {};
    }

    Expected<std::string> parseString()
    {
        skipSpace();
        if (m_at < m_text.size() && (m_text[m_at] == '\'' || m_text[m_at] == '"')) {
            const std::size_t end = m_text.find(m_text[m_at], m_at + 1);
            if (end != m_text.npos) {
                std::string text(m_text.substr(m_at + 1, end - m_at - 1));
                m_at = end + 1;
                return text;
            }
        }
        return expected("a name in quotes");
    }

    void skipSpace()
    {
        while (m_at < m_text.size() &&
               std::string_view(" \t\n\r").find(m_text[m_at]) != std::string_view::npos) {
            ++m_at;
        }
    }

    bool next(char wanted)
    {
        skipSpace();
        return m_at < m_text.size() && m_text[m_at] == wanted;
    }

    bool accept(char wanted)
    {
        const bool found = next(wanted);
        m_at += found ? 1 : 0;
        return found;
    }

    [[nodiscard]] tl::unexpected<Error> expected(const std::string& what) const
    {
        return badFormat(m_where, m_offset + m_at,
                         "The header of the array is damaged: expected " + what + ".");
    }

    std::string_view m_text;
    std::size_t m_offset;
    const std::string& m_where;
    std::size_t m_at = 0;
    bool m_takesText;
    std::int64_t m_textUnits = 0;
    std::optional<ElementType> m_type;
    bool m_bigEndian = false;
    std::optional<bool> m_fortran;
    std::optional<Shape> m_shape;
};

std::size_t preambleSize(std::span<const std::byte> start)
{
    return std::to_integer<int>(start[6]) == 1 ? 10 : 12;
}

} // namespace

Expected<std::size_t> npyHeaderSize(std::span<const std::byte> start, const std::string& where)
{
    if (!asText(start).starts_with(npyMagic)) {
        return badFormat(where, 0, "This is not a .npy array: it does not begin with \\x93NUMPY.");
    }
    if (start.size() < 10 || start.size() < preambleSize(start)) {
        return badFormat(where, start.size(), "The array ends inside its header.");
    }
    const int major = std::to_integer<int>(start[6]);
    const int minor = std::to_integer<int>(start[7]);
    if (major < 1 || major > 3 || minor != 0) {
        return fail(Code::UnsupportedVersion,
                    "Version " + std::to_string(major) + "." + std::to_string(minor) +
                        " of the .npy format is not known; 1.0, 2.0 and 3.0 are.",
                    where);
    }
    const std::size_t length = major == 1 ? readLittleEndian<std::uint16_t>(start, 8)
                                          : readLittleEndian<std::uint32_t>(start, 8);
    if (length > longestHeader) {
        return badFormat(where, 8,
                         "The header claims " + std::to_string(length) +
                             " bytes; the most that is read is 1 MiB.");
    }
    return preambleSize(start) + length;
}

namespace {

Expected<NpyHeader> parseHeader(std::span<const std::byte> start, const std::string& where,
                                bool takesText)
{
    const auto size = npyHeaderSize(start, where);
    if (!size) {
        return tl::unexpected(size.error());
    }
    if (*size > start.size()) {
        return badFormat(where, 8,
                         "The header claims to end at byte " + std::to_string(*size) +
                             ", but there are " + std::to_string(start.size()) + " bytes.");
    }
    const std::size_t begin = preambleSize(start);
    const auto text = asText(start.subspan(begin, *size - begin));
    auto header = HeaderParser(text, begin, where, takesText).parse();
    if (!header) {
        return header;
    }
    if (header->textUnits > 0) {
        header->info.shape.push_back(header->textUnits);
    }
    const auto bytes = byteCount(header->info.shape, header->info.type);
    if (!bytes) {
        return badFormat(where, begin, bytes.error().message);
    }
    header->headerBytes = *size;
    header->dataBytes = *bytes;
    return header;
}

} // namespace

Expected<NpyHeader> parseNpyHeader(std::span<const std::byte> start, const std::string& where)
{
    return parseHeader(start, where, false);
}

Expected<std::vector<std::vector<std::string>>> parseNpyText(std::span<const std::byte> bytes,
                                                             const std::string& where)
{
    auto header = parseHeader(bytes, where, true);
    if (!header) {
        return tl::unexpected(header.error());
    }
    Shape shape = header->info.shape;
    if (shape.size() == 2) {
        shape.insert(shape.begin(), 1);
    }
    if (header->textUnits == 0 || shape.size() != 3 || shape[1] == 0 || header->info.fortranOrder) {
        return fail(Code::Unsupported, "The array holds no lists of text.", where);
    }
    if (bytes.size() - header->headerBytes != header->dataBytes) {
        return badFormat(where, header->headerBytes, "The array has another size than it says.");
    }
    constexpr std::size_t unitBytes = sizeof(char32_t);
    std::size_t at = header->headerBytes;
    std::vector<std::vector<std::string>> lists(static_cast<std::size_t>(shape[0]));
    for (auto& list : lists) {
        for (std::int64_t column = 0; column < shape[1]; ++column) {
            std::u32string points;
            for (std::int64_t unit = 0; unit < header->textUnits; ++unit, at += unitBytes) {
                const auto point = readLittleEndian<std::uint32_t>(bytes, at);
                points +=
                    static_cast<char32_t>(header->bigEndian ? __builtin_bswap32(point) : point);
            }
            points.erase(points.find_last_not_of(U'\0') + 1);
            list.push_back(encodeUtf8(points));
        }
        while (!list.empty() && list.back().empty()) {
            list.pop_back();
        }
    }
    return lists;
}

std::string makeNpyHeader(std::string_view descr, const Shape& shape)
{
    std::string text = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (";
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        text += (axis == 0 ? "" : ", ") + std::to_string(shape[axis]);
    }
    text += shape.size() == 1 ? ",), }" : "), }";
    // NumPy leaves room for the first extent to grow to 21 digits; doing the same gives the same
    // bytes as numpy.save.
    if (!shape.empty()) {
        const std::size_t digits = std::to_string(shape.front()).size();
        text.append(21 - digits, ' ');
    }
    constexpr std::size_t preamble = 10;
    constexpr std::size_t alignment = 64;
    const std::size_t used = preamble + text.size() + 1;
    text.append((alignment - used % alignment) % alignment, ' ');
    text += '\n';
    std::string header(npyMagic);
    header += '\1';
    header += '\0';
    header += static_cast<char>(text.size() & 0xFF);
    header += static_cast<char>(text.size() >> 8);
    return header + text;
}

Expected<std::string> npyTypeString(ElementType type)
{
    for (const TypeString& known : typeStrings) {
        if (known.type == type) {
            return (elementSize(type) == 1 ? "|" : "<") + std::string(known.text);
        }
    }
    return fail(Code::Unsupported, "NumPy files have no " + std::string(elementTypeName(type)) +
                                       ". Write float32, or a .safetensors file.");
}

} // namespace heed::detail
