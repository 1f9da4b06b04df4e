// Writes .json and .csv: numbers as the shortest text that reads back to the same.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/jsonreader.h"
#include "io/source.h"
#include "io/textpieces.h"
#include "io/writers.h"

namespace heed::detail {

namespace {

constexpr std::string_view jsonSchema = "heedmap.arrays/1";

/// Walks over an array from the first element to the last.
class JsonArrayWriter {
public:
    JsonArrayWriter(TextSink& out, const ArrayToWrite& array)
        : m_out(out)
        , m_array(array)
        , m_cursor(array)
    {
    }

    Expected<void> write(std::size_t axis = 0)
    {
        std::string& text = m_out.text();
        if (axis == m_array.shape.size()) {
            const auto element = m_cursor.nextElement();
            if (!element) {
                return tl::unexpected(element.error());
            }
            appendElement(text, *element);
            return m_out.flushIfLarge();
        }
        text += '[';
        for (std::int64_t i = 0; i < m_array.shape[axis]; ++i) {
            if (i > 0) {
                text += ',';
            }
            if (auto written = write(axis + 1); !written) {
                return written;
            }
        }
        text += ']';
        return {};
    }

private:
    void appendElement(std::string& text, const std::byte* element) const
    {
        if (m_array.type == ElementType::Bool) {
            text += *element == std::byte{0} ? "false" : "true";
            return;
        }
        const std::size_t begin = text.size();
        appendNumber(text, m_array.type, element);
        if (text.back() == 'f' || text.back() == 'n') { // JSON has no inf and nan
            text.insert(begin, 1, '"');
            text += '"';
        }
    }

    TextSink& m_out;
    const ArrayToWrite& m_array;
    ArrayCursor m_cursor;
};

} // namespace

Expected<void> TextSink::flushIfLarge()
{
    constexpr std::size_t large = 1 << 16;
    return m_text.size() < large ? Expected<void>{} : flush();
}

Expected<void> TextSink::flush()
{
    auto written = m_text.empty() ? Expected<void>{} : m_sink(asBytes(m_text));
    m_text.clear();
    return written;
}

Expected<void> writeJson(const ByteSink& sink, std::span<const ArrayToWrite> arrays,
                         const ArrayFileNotes& notes)
{
    TextSink out(sink);
    out.text() = "{\n\"schema\": " + jsonString(jsonSchema);
    if (!notes.tokens.empty()) {
        out.text() += ",\n\"tokens\": " + textListsToJson(notes.tokens);
    }
    if (!notes.metadata.empty()) {
        out.text() += ",\n\"metadata\": " + textMapToJson(notes.metadata);
    }
    for (const ArrayToWrite& array : arrays) {
        if (array.shape.size() >= maxJsonDepth) {
            return fail(Code::InvalidArgument, "A .json file holds arrays of at most 31 axes.",
                        array.name);
        }
        out.text() += ",\n" + jsonString(array.name) + ": ";
        if (auto written = JsonArrayWriter(out, array).write(); !written) {
            return written;
        }
    }
    out.text() += "\n}\n";
    return out.flush();
}

Expected<void> writeCsv(const ByteSink& sink, const ArrayToWrite& array)
{
    TextSink out(sink);
    const Shape& shape = array.shape;
    // A list is a column, as numpy.savetxt writes it.
    const std::int64_t columns = shape.size() < 2 ? 1 : shape.back();
    const std::size_t leading = shape.size() > 2 ? shape.size() - 2 : 0;
    if (leading > 0) {
        for (std::size_t axis = 0; axis < leading; ++axis) {
            out.text() += (axis == 0 ? "axis" : ",axis") + std::to_string(axis);
        }
        for (std::int64_t column = 0; column < columns; ++column) {
            out.text() += ",c" + std::to_string(column);
        }
        out.text() += '\n';
    }
    const auto elements = elementCount(shape);
    if (!elements) {
        return tl::unexpected(elements.error());
    }
    ArrayCursor cursor(array);
    Shape index(shape.size(), 0); // of the row; its last axis is the column
    for (std::int64_t at = 0; at < *elements; at += columns) {
        for (std::size_t axis = 0; axis < leading; ++axis) {
            out.text() += std::to_string(index[axis]) + ',';
        }
        for (std::int64_t column = 0; column < columns; ++column) {
            const auto element = cursor.nextElement();
            if (!element) {
                return tl::unexpected(element.error());
            }
            if (column > 0) {
                out.text() += ',';
            }
            appendNumber(out.text(), array.type, *element);
        }
        out.text() += '\n';
        if (auto written = out.flushIfLarge(); !written) {
            return written;
        }
        for (std::size_t axis = shape.size() < 2 ? 0 : shape.size() - 1; axis-- > 0;) {
            if (++index[axis] < shape[axis]) {
                break;
            }
            index[axis] = 0;
        }
    }
    return out.flush();
}

} // namespace heed::detail
