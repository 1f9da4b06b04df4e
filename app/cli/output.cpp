// Arrays to a file or a pipe: npz, safetensors, npy, JSON, and CSV with a cell a line.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "output.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

namespace heed::cli {

namespace {

constexpr std::size_t ChunkBytes = std::size_t{1} << 16;

const std::vector<Token>& tokensOf(const Batch& batch, std::int64_t item)
{
    return batch.items[static_cast<std::size_t>(item)];
}

/// A token's text, or "" where a source of arrays has no tokens.
std::string tokenText(const Batch& batch, std::int64_t item, std::int64_t position)
{
    if (item >= batch.size() ||
        position >= static_cast<std::int64_t>(tokensOf(batch, item).size())) {
        return {};
    }
    return tokensOf(batch, item)[static_cast<std::size_t>(position)].text;
}

std::vector<std::vector<std::string>> tokenLists(const Batch& batch,
                                                 const std::vector<std::int64_t>& items)
{
    std::vector<std::vector<std::string>> lists;
    for (const std::int64_t item : items) {
        std::vector<std::string>& list = lists.emplace_back();
        if (item < batch.size()) {
            for (const Token& token : tokensOf(batch, item)) {
                list.push_back(token.text);
            }
        }
    }
    return lists;
}

const char* axisName(Axis axis)
{
    switch (axis) {
    case Axis::Layer:
        return "layer";
    case Axis::State:
        return "state";
    case Axis::Item:
        return "item";
    case Axis::Head:
        return "head";
    case Axis::KvHead:
        return "kv_head";
    case Axis::Query:
        return "query";
    case Axis::Key:
        return "key";
    case Axis::Dim:
        return "dim";
    }
    return "";
}

/// Gathers lines and hands them on in pieces of a useful size.
class LineWriter {
public:
    explicit LineWriter(const ByteSink& sink)
        : m_sink(sink)
    {
    }
    std::string& text() { return m_text; }
    Expected<void> flush(bool all)
    {
        if (m_text.empty() || (!all && m_text.size() < ChunkBytes)) {
            return {};
        }
        auto written = m_sink(std::as_bytes(std::span<const char>(m_text)));
        m_text.clear();
        return written;
    }

private:
    const ByteSink& m_sink;
    std::string m_text;
};

std::string cellText(ElementType type, const std::byte* element)
{
    if (type == ElementType::Bool) {
        return *element == std::byte{0} ? "0" : "1";
    }
    if (type == ElementType::Int64) {
        std::int64_t value = 0;
        std::memcpy(&value, element, sizeof value);
        return std::to_string(value);
    }
    float value = 0;
    std::memcpy(&value, element, sizeof value);
    return numberText(value);
}

Expected<void> writeTokensCsv(const ByteSink& sink, const Run& run, const Selection& selection)
{
    LineWriter writer(sink);
    writer.text() += "item,side,position,token,real\n";
    const auto side = [&](const Batch& batch, const char* name) -> Expected<void> {
        for (const std::int64_t item : selection.items) {
            for (std::int64_t i = 0; item < batch.size() && i < batch.length; ++i) {
                const Token& token = tokensOf(batch, item)[static_cast<std::size_t>(i)];
                writer.text() += std::to_string(item) + "," + name + "," + std::to_string(i) + "," +
                                 csvField(token.text) + (token.isPadding ? ",0\n" : ",1\n");
                if (auto flushed = writer.flush(false); !flushed) {
                    return flushed;
                }
            }
        }
        return {};
    };
    auto written = side(run.queryTokens(), "query");
    if (written && isCross(run.source())) {
        written = side(run.keyTokens(), "key");
    }
    return written ? writer.flush(true) : written;
}

/// One line a cell of @p arrays, which all have the same axes; a value column each.
Expected<void> writeCellsCsv(const ByteSink& sink, const std::vector<NamedArray>& arrays,
                             const Run& run, const Selection& selection)
{
    const NamedArray& first = arrays.front();
    const std::vector<std::int64_t> kvHeads = keyValueHeads(run, selection);
    const std::vector<std::int64_t> states = hiddenStates(selection);
    LineWriter writer(sink);
    for (const Axis axis : first.axes) {
        writer.text() += std::string(axisName(axis)) + ",";
    }
    for (const Axis axis : first.axes) {
        if (axis == Axis::Query || axis == Axis::Key) {
            writer.text() += std::string(axisName(axis)) + "_token,";
        }
    }
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        writer.text() += arrays[i].array.name + (i + 1 < arrays.size() ? "," : "\n");
    }

    const Shape& shape = first.array.shape;
    const auto cells = elementCount(shape);
    if (!cells) {
        return tl::unexpected(cells.error());
    }
    std::vector<ArrayCursor> columns;
    columns.reserve(arrays.size());
    for (const NamedArray& column : arrays) {
        columns.emplace_back(column.array);
    }
    std::vector<std::int64_t> position(shape.size(), 0);
    for (std::int64_t cell = 0; cell < *cells; ++cell) {
        std::int64_t rest = cell;
        for (std::size_t axis = shape.size(); axis-- > 0;) {
            position[axis] = rest % shape[axis];
            rest /= shape[axis];
        }
        std::string names;
        std::int64_t item = 0;
        for (std::size_t axis = 0; axis < position.size(); ++axis) {
            const auto at = static_cast<std::size_t>(position[axis]);
            std::int64_t value = position[axis];
            switch (first.axes[axis]) {
            case Axis::Layer:
                value = selection.layers[at];
                break;
            case Axis::State:
                value = states[at];
                break;
            case Axis::Item:
                value = item = selection.items[at];
                break;
            case Axis::Head:
                value = selection.heads[at];
                break;
            case Axis::KvHead:
                value = kvHeads[at];
                break;
            case Axis::Query:
                names += csvField(tokenText(run.queryTokens(), item, value)) + ",";
                break;
            case Axis::Key:
                names += csvField(tokenText(run.keyTokens(), item, value)) + ",";
                break;
            case Axis::Dim:
                break;
            }
            writer.text() += std::to_string(value) + ",";
        }
        writer.text() += names;
        for (std::size_t i = 0; i < arrays.size(); ++i) {
            const auto element = columns[i].nextElement();
            if (!element) {
                return tl::unexpected(element.error());
            }
            writer.text() +=
                cellText(arrays[i].array.type, *element) + (i + 1 < arrays.size() ? "," : "\n");
        }
        if (auto flushed = writer.flush(false); !flushed) {
            return flushed;
        }
    }
    return writer.flush(true);
}

Expected<void> writeCsv(const ByteSink& sink, const std::vector<NamedArray>& arrays, const Run& run,
                        const Selection& selection)
{
    if (arrays.empty()) {
        return writeTokensCsv(sink, run, selection);
    }
    for (const NamedArray& array : arrays) {
        if (array.axes != arrays.front().axes) {
            return fail(Code::InvalidArgument,
                        "CSV holds one kind of array: " + arrays.front().array.name + " and " +
                            array.array.name +
                            " have different axes. Ask for one, for instance --what weights, or "
                            "write .npz.");
        }
    }
    return writeCellsCsv(sink, arrays, run, selection);
}

template <typename Number>
std::string shortestText(Number value)
{
    if (std::isnan(value)) {
        return "nan";
    }
    if (std::isinf(value)) {
        return value > 0 ? "inf" : "-inf";
    }
    std::array<char, 64> text{};
    const auto [end, status] = std::to_chars(text.data(), text.data() + text.size(), value);
    return status == std::errc{} ? std::string(text.data(), end) : std::string{};
}

} // namespace

Expected<Destination> makeDestination(const std::string& path, const std::string& format,
                                      const Console& console)
{
    Destination destination;
    if (!path.empty()) {
        destination.path = path;
    }
    if (format == "npz") {
        destination.format = ArrayFormat::Npz;
    } else if (format == "npy") {
        destination.format = ArrayFormat::Npy;
    } else if (format == "safetensors") {
        destination.format = ArrayFormat::Safetensors;
    } else if (format == "csv") {
        destination.format = ArrayFormat::Csv;
    } else if (format.empty() && !destination.isPipe()) {
        const auto known = arrayFormatOf(destination.path);
        if (!known) {
            return fail(known.error().code,
                        known.error().message + " Or name the format with --format.", "-o " + path);
        }
        destination.format = *known;
    }
    const bool isText =
        destination.format == ArrayFormat::Json || destination.format == ArrayFormat::Csv;
    if (destination.isPipe() && !isText && console.outIsTerminal()) {
        return fail(Code::InvalidArgument,
                    "A binary file would garble the terminal. Send it to a file with -o FILE or "
                    "through a pipe.",
                    "--format " + format);
    }
    return destination;
}

Expected<void> writeResult(const Destination& destination, const std::vector<NamedArray>& arrays,
                           const Run& run, const Selection& selection, const Labels& labels,
                           const Console& console)
{
    const bool isCsv = destination.format == ArrayFormat::Csv;
    if (destination.format == ArrayFormat::Npy && arrays.size() != 1) {
        return fail(Code::InvalidArgument,
                    "A .npy file holds one array, not " + std::to_string(arrays.size()) +
                        ". Ask for one, for instance --what weights, or write .npz.");
    }
    ArrayFileNotes notes;
    notes.metadata = labels.metadata;
    if (labels.withTokens) {
        notes.tokens = tokenLists(run.queryTokens(), selection.items);
        if (isCross(run.source())) {
            notes.metadata.emplace_back(
                "key_tokens", nlohmann::json(tokenLists(run.keyTokens(), selection.items))
                                  .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
        }
    }
    std::vector<ArrayToWrite> toWrite;
    toWrite.reserve(arrays.size());
    for (const NamedArray& array : arrays) {
        toWrite.push_back(array.array);
    }
    const auto untilStopped = [&console](const ByteSink& sink) -> ByteSink {
        return [&console, &sink](std::span<const std::byte> bytes) -> Expected<void> {
            return console.stop().stop_requested() ? fail(Code::Cancelled, "Stopped.")
                                                   : sink(bytes);
        };
    };
    const auto csv = [&](const ByteSink& sink) {
        return writeCsv(untilStopped(sink), arrays, run, selection);
    };
    if (destination.isPipe()) {
        const ByteSink print = [&console](std::span<const std::byte> bytes) {
            return console.print(bytes);
        };
        const ByteSink sink = untilStopped(print);
        auto written = isCsv ? csv(sink) : writeArrays(sink, destination.format, toWrite, notes);
        return written ? console.flush() : written;
    }
    if (isCsv) {
        return writeFile(destination.path, leastBytes(destination.format, toWrite), csv);
    }
    return writeArrays(destination.path, destination.format, toWrite, notes);
}

std::string csvField(const std::string& text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        return text;
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c;
        if (c == '"') {
            quoted += c;
        }
    }
    return quoted + "\"";
}

std::string numberText(float value)
{
    return shortestText(value);
}

std::string numberText(double value)
{
    return shortestText(value);
}

} // namespace heed::cli
