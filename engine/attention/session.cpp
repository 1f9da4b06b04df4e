// Sessions as JSON: written in a fixed order, read with every member checked.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/session.h"

#include "attention/sourcepaths.h"

#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

namespace heed {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::string_view Schema = "heedmap.session/1";
constexpr std::string_view SchemaFamily = "heedmap.session/";
constexpr std::int64_t MostBytes = std::int64_t{64} << 20;

std::string relativeTo(const fs::path& path, const fs::path& folder)
{
    if (path.empty()) {
        return {};
    }
    std::error_code error;
    const fs::path whole = fs::absolute(path, error).lexically_normal();
    const fs::path base = fs::absolute(folder, error).lexically_normal();
    const fs::path relative = whole.lexically_relative(base);
    const bool inside = !relative.empty() && *relative.begin() != "..";
    return (inside ? relative : whole).generic_string();
}

Json sourceJson(const Source& source, const fs::path& folder)
{
    Json json;
    json["lines"] = source.lines;
    json["context_lines"] = source.contextLines;
    json["tokenizer"] = source.tokenizer;
    json["pad_side"] = source.padSide == PadSide::Left ? "left" : "right";
    json["pad_to"] = source.padTo;
    json["d_model"] = source.layer.modelWidth;
    json["heads"] = source.layer.heads;
    json["kv_heads"] = source.layer.kvHeads;
    json["seed"] = source.layer.seed;
    json["positions"] = positionsName(source.layer.positions);
    json["scale"] = source.layer.scaled;
    json["bias"] = source.layer.biased;
    for (const auto& [name, option, path] : pathsOf(source)) {
        if (!path->empty()) {
            json[name] = relativeTo(*path, folder);
        }
    }
    if (!source.model.empty()) {
        json["ids"] = source.ids;
        json["pair_lines"] = source.pairLines;
        json["special_tokens"] = source.specialTokens;
        json["target_lines"] = source.targetLines;
        json["target_ids"] = source.targetIds;
        json["attention"] = attentionSetName(source.attention);
        json["mask_layer"] = source.maskLayer;
    }
    json["padding"] = source.padding;
    json["causal"] = source.causal;
    json["mask"] = source.mask;
    return json;
}

Json viewJson(const SessionView& view)
{
    Json json;
    json["quantity"] = quantityName(view.quantity);
    json["pooling"] = view.pooling;
    json["colour_map"] = view.colourMap;
    json["range"] = view.range;
    json["low"] = view.low;
    json["high"] = view.high;
    json["hatch_masked"] = view.hatchMasked;
    json["cell_numbers"] = view.cellNumbers;
    json["head_order"] = view.headOrder;
    json["head_bar"] = view.headBar;
    json["head_colour"] = view.headColour;
    json["layer"] = view.map.layer;
    json["item"] = view.map.item;
    json["head"] = view.map.head;
    if (view.pinnedQuery >= 0 && view.pinnedKey >= 0) {
        json["pinned"] = {view.pinnedQuery, view.pinnedKey};
    }
    if (view.cells) {
        json["cells"] = *view.cells;
    }
    return json;
}

/// Reads members one by one; keeps the first complaint.
class MemberReader {
public:
    MemberReader(const Json& object, std::string where)
        : m_object(object)
        , m_where(std::move(where))
    {
    }

    void text(const char* name, std::string& value)
    {
        read(name, "a text", [&](const Json& json) {
            if (!json.is_string()) {
                return false;
            }
            value = json.get<std::string>();
            return true;
        });
    }
    void flag(const char* name, bool& value)
    {
        read(name, "true or false", [&](const Json& json) {
            if (!json.is_boolean()) {
                return false;
            }
            value = json.get<bool>();
            return true;
        });
    }
    void number(const char* name, double& value)
    {
        read(name, "a number", [&](const Json& json) {
            if (!json.is_number()) {
                return false;
            }
            value = json.get<double>();
            return std::isfinite(value);
        });
    }
    /// A whole number from @p least on.
    void whole(const char* name, std::int64_t& value, std::int64_t least)
    {
        read(name, "a whole number", [&](const Json& json) { return toWhole(json, value, least); });
    }
    void seed(const char* name, std::uint64_t& value)
    {
        read(name, "a whole number, 0 or more", [&](const Json& json) {
            if (!json.is_number_unsigned()) {
                return false;
            }
            value = json.get<std::uint64_t>();
            return true;
        });
    }
    void texts(const char* name, std::vector<std::string>& value)
    {
        read(name, "a list of texts", [&](const Json& json) {
            if (!json.is_array()) {
                return false;
            }
            std::vector<std::string> list;
            for (const Json& element : json) {
                if (!element.is_string()) {
                    return false;
                }
                list.push_back(element.get<std::string>());
            }
            value = std::move(list);
            return true;
        });
    }
    template <typename T>
    void word(const char* name, T& value, std::initializer_list<std::pair<const char*, T>> words)
    {
        std::string list;
        for (const auto& [spelling, meaning] : words) {
            list += (list.empty() ? "" : ", ") + std::string(spelling);
        }
        read(name, "one of " + list, [&](const Json& json) {
            for (const auto& [spelling, meaning] : words) {
                if (json == spelling) {
                    value = meaning;
                    return true;
                }
            }
            return false;
        });
    }
    void read(const char* name, const std::string& expected,
              const std::function<bool(const Json&)>& take)
    {
        const auto member = m_object.find(name);
        if (member != m_object.end() && !take(*member) && m_complaint.empty()) {
            m_complaint = m_where + "." + name + " should be " + expected + ".";
        }
    }
    static bool toWhole(const Json& json, std::int64_t& value, std::int64_t least)
    {
        if (!json.is_number_integer() ||
            (json.is_number_unsigned() && json.get<std::uint64_t>() > std::uint64_t{INT64_MAX})) {
            return false;
        }
        value = json.get<std::int64_t>();
        return value >= least;
    }
    [[nodiscard]] const std::string& complaint() const { return m_complaint; }

private:
    const Json& m_object;
    std::string m_where;
    std::string m_complaint;
};

bool toIds(const Json& json, std::vector<std::vector<std::int64_t>>& ids)
{
    ids.clear();
    for (const Json& list : json) {
        std::vector<std::int64_t>& item = ids.emplace_back();
        for (const Json& number : list) {
            if (!list.is_array() || !MemberReader::toWhole(number, item.emplace_back(), 0)) {
                return false;
            }
        }
    }
    return json.is_array();
}

std::string readSource(const Json& json, const fs::path& folder, Source& source)
{
    MemberReader reader(json, "source");
    reader.texts("lines", source.lines);
    reader.texts("context_lines", source.contextLines);
    reader.text("tokenizer", source.tokenizer);
    reader.word("pad_side", source.padSide, {{"right", PadSide::Right}, {"left", PadSide::Left}});
    reader.whole("pad_to", source.padTo, 0);
    reader.whole("d_model", source.layer.modelWidth, 0);
    reader.whole("heads", source.layer.heads, 0);
    reader.whole("kv_heads", source.layer.kvHeads, 0);
    reader.seed("seed", source.layer.seed);
    reader.word("positions", source.layer.positions,
                {{"none", Positions::None},
                 {"sinusoidal", Positions::Sinusoidal},
                 {"rope", Positions::Rotary}});
    reader.flag("scale", source.layer.scaled);
    reader.flag("bias", source.layer.biased);
    for (const auto& [name, option, path] : pathsOf(source)) {
        std::string text;
        reader.text(name, text);
        if (!text.empty()) {
            *path = (folder / fs::path(text)).lexically_normal();
        }
    }
    reader.read("ids", "lists of whole numbers, 0 or more",
                [&](const Json& lists) { return toIds(lists, source.ids); });
    reader.texts("pair_lines", source.pairLines);
    reader.flag("special_tokens", source.specialTokens);
    reader.texts("target_lines", source.targetLines);
    reader.read("target_ids", "lists of whole numbers, 0 or more",
                [&](const Json& lists) { return toIds(lists, source.targetIds); });
    reader.word("attention", source.attention,
                {{"encoder", AttentionSet::Encoder},
                 {"decoder", AttentionSet::Decoder},
                 {"cross", AttentionSet::Cross}});
    reader.whole("mask_layer", source.maskLayer, -1);
    reader.flag("padding", source.padding);
    reader.flag("causal", source.causal);
    reader.text("mask", source.mask);
    source.maskFolder = folder.string();
    return reader.complaint();
}

std::string readView(const Json& json, SessionView& view)
{
    MemberReader reader(json, "view");
    reader.word("quantity", view.quantity,
                {{"scores", Quantity::Scores},
                 {"scaled", Quantity::Scaled},
                 {"masked", Quantity::Masked},
                 {"weights", Quantity::Weights}});
    reader.text("pooling", view.pooling);
    reader.text("colour_map", view.colourMap);
    reader.text("range", view.range);
    reader.number("low", view.low);
    reader.number("high", view.high);
    reader.flag("hatch_masked", view.hatchMasked);
    reader.flag("cell_numbers", view.cellNumbers);
    reader.text("head_order", view.headOrder);
    reader.text("head_bar", view.headBar);
    reader.text("head_colour", view.headColour);
    reader.whole("layer", view.map.layer, 0);
    reader.whole("item", view.map.item, 0);
    reader.whole("head", view.map.head, 0);
    reader.read("pinned", "[query, key]", [&](const Json& pair) {
        return pair.is_array() && pair.size() == 2 &&
               MemberReader::toWhole(pair[0], view.pinnedQuery, 0) &&
               MemberReader::toWhole(pair[1], view.pinnedKey, 0);
    });
    reader.read("cells", "[row, column, rows, columns]", [&](const Json& list) {
        if (!list.is_array() || list.size() != 4) {
            return false;
        }
        std::array<double, 4> cells{};
        for (std::size_t i = 0; i < 4; ++i) {
            if (!list[i].is_number()) {
                return false;
            }
            cells[i] = list[i].get<double>();
        }
        view.cells = cells;
        return std::isfinite(cells[0] + cells[1]) && cells[2] > 0 && cells[3] > 0;
    });
    return reader.complaint();
}

std::string readStamps(const Json& json, std::vector<FileStamp>& stamps)
{
    for (const auto& [option, entry] : json.items()) {
        FileStamp stamp{option, 0, 0};
        if (!entry.is_object()) {
            return "files." + option + " should be an object.";
        }
        MemberReader reader(entry, "files." + option);
        reader.whole("bytes", stamp.bytes, 0);
        reader.seed("fnv1a", stamp.hash);
        if (!reader.complaint().empty()) {
            return reader.complaint();
        }
        stamps.push_back(stamp);
    }
    return {};
}

/// Of the folder of a model, the file that says what it is.
fs::path stampedFile(const fs::path& path)
{
    std::error_code unknown;
    return fs::is_directory(path, unknown) ? path / "config.json" : path;
}

Expected<FileStamp> stampOf(const std::string& option, const fs::path& path)
{
    // A session from elsewhere may name a pipe or a device, which has no end.
    std::error_code error;
    if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
        return fail(Code::Unsupported, "This is no regular file.", path.string());
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return fail(Code::NotFound, "The file cannot be opened.", path.string());
    }
    FileStamp stamp{option, 0, 0xcbf29ce484222325U};
    std::vector<char> block(1 << 16);
    while (file) {
        file.read(block.data(), static_cast<std::streamsize>(block.size()));
        const auto count = static_cast<std::size_t>(file.gcount());
        for (std::size_t i = 0; i < count; ++i) {
            stamp.hash = (stamp.hash ^ static_cast<unsigned char>(block[i])) * 0x100000001b3U;
        }
        stamp.bytes += static_cast<std::int64_t>(count);
    }
    return stamp;
}

} // namespace

std::string formatSession(const Session& session, const fs::path& folder)
{
    Json json;
    json["schema"] = Schema;
    json["source"] = sourceJson(session.source, folder);
    json["view"] = viewJson(session.view);
    for (const FileStamp& stamp : session.stamps) {
        json["files"][stamp.option] = {{"bytes", stamp.bytes}, {"fnv1a", stamp.hash}};
    }
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Expected<Session> parseSession(std::string_view json, const fs::path& folder,
                               const std::string& name)
{
    const Json root = Json::parse(json, nullptr, false);
    if (!root.is_object() || !root.contains("schema") || !root["schema"].is_string()) {
        return fail(Code::BadFormat,
                    "This is not a Heedmap session (a JSON object with a \"schema\" was expected).",
                    name);
    }
    const std::string schema = root["schema"].get<std::string>();
    if (schema != Schema) {
        return schema.starts_with(SchemaFamily)
                   ? fail(Code::UnsupportedVersion,
                          "The session was written by a newer Heedmap (" + schema +
                              "). Update to open it.",
                          name)
                   : fail(Code::BadFormat,
                          "The schema \"" + schema + "\" is not that of a Heedmap session.", name);
    }
    Session session;
    const auto member = [&](const char* key, const std::function<std::string(const Json&)>& read) {
        if (!root.contains(key)) {
            return std::string();
        }
        return root[key].is_object() ? read(root[key]) : std::string(key) + " should be an object.";
    };
    for (const std::string& complaint :
         {member("source", [&](const Json& j) { return readSource(j, folder, session.source); }),
          member("view", [&](const Json& j) { return readView(j, session.view); }),
          member("files", [&](const Json& j) { return readStamps(j, session.stamps); })}) {
        if (!complaint.empty()) {
            return fail(Code::BadFormat, complaint, name);
        }
    }
    return session;
}

Expected<Session> readSession(const fs::path& path)
{
    std::error_code error;
    const auto bytes = fs::file_size(path, error);
    if (error) {
        return fail(Code::NotFound, "The session cannot be opened: " + error.message() + ".",
                    path.string());
    }
    if (bytes > static_cast<std::uintmax_t>(MostBytes)) {
        return fail(Code::BadFormat,
                    "The file is larger than any session (" +
                        formatBytes(static_cast<std::int64_t>(bytes)) + ").",
                    path.string());
    }
    std::ifstream file(path, std::ios::binary);
    std::string text(static_cast<std::size_t>(bytes), '\0');
    if (!file.read(text.data(), static_cast<std::streamsize>(bytes))) {
        return fail(Code::Io, "The session cannot be read.", path.string());
    }
    return parseSession(text, fs::absolute(path, error).parent_path(), path.string());
}

Expected<void> writeSession(const fs::path& path, Session session)
{
    session.stamps.clear();
    for (const auto& [name, option, file] : pathsOf(std::as_const(session.source))) {
        if (!file->empty()) {
            if (auto stamp = stampOf(name, stampedFile(*file))) {
                session.stamps.push_back(*stamp);
            }
        }
    }
    std::error_code error;
    const std::string text = formatSession(session, fs::absolute(path, error).parent_path());
    return writeFile(path, std::as_bytes(std::span(text)));
}

std::vector<std::string> changedFiles(const Session& session)
{
    std::vector<std::string> notes;
    for (const auto& [name, option, file] : pathsOf(session.source)) {
        if (file->empty()) {
            continue;
        }
        const auto now = stampOf(name, stampedFile(*file));
        if (!now) {
            notes.push_back(file->string() + (now.error().code == Code::NotFound
                                                  ? " is missing."
                                                  : " is a folder, a pipe or a device."));
            continue;
        }
        for (const FileStamp& stamp : session.stamps) {
            if (stamp.option == name && !(stamp == *now)) {
                notes.push_back(file->string() + " has changed since the session was saved.");
            }
        }
    }
    return notes;
}

} // namespace heed
