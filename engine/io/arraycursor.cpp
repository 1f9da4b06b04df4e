// The numbers of an array on their way to a file.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/elementtype.h"
#include "io/writers.h"

namespace heed {

ArrayCursor::ArrayCursor(const ArrayToWrite& array)
    : m_name(array.name)
    , m_source(array.pieces ? array.pieces() : ByteSource([bytes = array.bytes] { return bytes; }))
    , m_elementSize(static_cast<std::size_t>(elementSize(array.type)))
    , m_left(detail::byteCount(array.shape, array.type).value_or(0))
{
}

Expected<std::span<const std::byte>> ArrayCursor::nextPiece()
{
    if (m_left == 0) {
        return std::span<const std::byte>();
    }
    auto piece = m_source();
    if (!piece) {
        return piece;
    }
    if (piece->empty() || piece->size() > m_left || piece->size() % m_elementSize != 0) {
        return fail(Code::Internal,
                    "A piece of " + std::to_string(piece->size()) + " bytes came where " +
                        std::to_string(m_left) + " are left.",
                    m_name);
    }
    m_left -= piece->size();
    return piece;
}

Expected<const std::byte*> ArrayCursor::nextElement()
{
    if (m_piece.empty()) {
        auto piece = nextPiece();
        if (!piece) {
            return tl::unexpected(piece.error());
        }
        m_piece = *piece;
    }
    const std::byte* element = m_piece.data();
    m_piece = m_piece.subspan(m_elementSize);
    return element;
}

namespace detail {

Expected<void> copyTo(const ByteSink& sink, const ArrayToWrite& array)
{
    ArrayCursor cursor(array);
    while (true) {
        const auto piece = cursor.nextPiece();
        if (!piece) {
            return tl::unexpected(piece.error());
        }
        if (piece->empty()) {
            return {};
        }
        if (auto written = sink(*piece); !written) {
            return written;
        }
    }
}

} // namespace detail
} // namespace heed
