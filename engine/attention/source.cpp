// What a source says: which kind it is, what excludes what, and its arrays.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/source.h"

#include "heed/unreadablearrays.h"

#include <algorithm>
#include <array>
#include <limits>
#include <system_error>
#include <unistd.h>

namespace heed {

namespace {

struct Option {
    const char* name;
    bool given;
};

bool isBlank(const std::string& text)
{
    return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

Expected<void> refuseBoth(const Option& first, const std::vector<Option>& others,
                          const std::string& why)
{
    for (const Option& other : others) {
        if (first.given && other.given) {
            return fail(Code::InvalidArgument, std::string(first.name) + " and " + other.name +
                                                   " exclude each other: " + why +
                                                   " Remove one of them.");
        }
    }
    return {};
}

std::int64_t physicalMemory()
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long pageSize = sysconf(_SC_PAGESIZE);
    std::int64_t bytes = 0;
    if (pages <= 0 || pageSize <= 0 || __builtin_mul_overflow(pages, pageSize, &bytes)) {
        return std::numeric_limits<std::int64_t>::max();
    }
    return bytes;
}

std::string namesIn(const ArrayFile& file)
{
    constexpr std::size_t most = 12;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, file.arrays().size()); ++i) {
        text += (i == 0 ? "\"" : ", \"") + file.arrays()[i].name + "\"";
    }
    return file.arrays().size() > most ? text + ", …" : text;
}

} // namespace

Expected<SourceKind> kindOf(const Source& source)
{
    const Option text{"--text", !source.lines.empty()};
    const Option ids{"--ids", !source.ids.empty()};
    const Option input{"--input", !source.input.empty()};
    const Option qkv{"--qkv", !source.qkv.empty()};
    const Option maps{"--maps", !source.maps.empty()};
    const Option contextText{"--context-text", !source.contextLines.empty()};
    const Option context{"--context", !source.context.empty()};
    const Option weights{"--weights", !source.weights.empty()};
    const Option model{"--model", !source.model.empty()};
    const Option pairs{"--text-pair", !source.pairLines.empty()};
    const Option target{"--target", !source.targetLines.empty()};
    const Option targetIds{"--target-ids", !source.targetIds.empty()};
    const Option attention{"--attention", source.attention != AttentionSet::Encoder};
    const std::string oneSource = "each is a source of its own.";
    const std::string projected = "its queries and keys are finished, nothing is projected.";
    const std::string finished = "its maps are finished, no mask can change them.";
    const std::array checks = {
        refuseBoth(text, {ids, input, qkv, maps}, oneSource),
        refuseBoth(input, {qkv, maps}, oneSource),
        refuseBoth(qkv, {maps}, oneSource),
        refuseBoth(model, {input, qkv, maps, weights}, "a model brings its own numbers."),
        refuseBoth(model, {contextText, context}, "a model attends to its own text, see --target."),
        refuseBoth(ids, {pairs}, "ids are not divided into two texts."),
        refuseBoth(target, {targetIds}, "they are the same, as text and as ids."),
        refuseBoth(contextText, {context}, "keys and values come from one of them."),
        refuseBoth(qkv, {contextText, context, weights}, projected),
        refuseBoth(maps, {contextText, context, weights}, "its maps are finished."),
        refuseBoth(maps,
                   {{"--padding", source.padding},
                    {"--causal", source.causal},
                    {"--mask", !isBlank(source.mask)}},
                   finished),
    };
    for (const auto& check : checks) {
        if (!check) {
            return tl::unexpected(check.error());
        }
    }
    if (model.given && (text.given || ids.given)) {
        return SourceKind::Model;
    }
    for (const Option& option : {ids, pairs, target, targetIds, attention}) {
        if (option.given && !model.given) {
            return fail(Code::InvalidArgument,
                        std::string(option.name) +
                            " belongs to a checkpoint. Name one with --model.");
        }
    }
    if (maps.given) {
        return SourceKind::Maps;
    }
    if (qkv.given) {
        return SourceKind::Projections;
    }
    if (input.given) {
        return SourceKind::Input;
    }
    if (text.given) {
        return SourceKind::Text;
    }
    return fail(Code::InvalidArgument,
                model.given ? "There is nothing to run the model on. Give a text (--text), or "
                              "token ids (--ids)."
                            : "There is nothing to compute. Give a text (--text), or arrays with "
                              "--input, --qkv or --maps.");
}

std::string maskExpression(const Source& source)
{
    std::string expression;
    const auto add = [&](const std::string& part) {
        expression += (expression.empty() ? "" : " & ") + part;
    };
    if (source.padding) {
        add("padding");
    }
    if (source.causal) {
        add("causal");
    }
    if (!isBlank(source.mask)) {
        add(expression.empty() ? source.mask : "(" + source.mask + ")");
    }
    return expression.empty() ? "none" : expression;
}

bool isCross(const Source& source)
{
    return !source.contextLines.empty() || !source.context.empty() ||
           source.attention == AttentionSet::Cross;
}

FileState stateOf(const std::filesystem::path& path)
{
    FileState state;
    state.path = path;
    if (!path.empty()) {
        std::error_code ignored; // a file that cannot be looked at fails when it is opened
        state.time = std::filesystem::last_write_time(path, ignored);
        state.size = std::filesystem::file_size(path, ignored);
    }
    return state;
}

Error inFile(Error error, const std::filesystem::path& path)
{
    const std::string file = path.string();
    if (error.context.find(file) == std::string::npos) {
        error.context = error.context.empty() ? file : file + ", " + error.context;
    }
    return error;
}

Expected<std::string> chooseArray(const ArrayFile& file, const std::filesystem::path& path,
                                  const std::vector<std::string>& names)
{
    for (const std::string& name : names) {
        if (file.find(name) != nullptr) {
            return name;
        }
    }
    if (file.arrays().size() == 1) {
        return file.arrays().front().name;
    }
    const auto unreadable = unreadableArrays(file);
    for (const auto& [name, reason] : unreadable) {
        if (file.arrays().empty() || std::ranges::find(names, name) != names.end()) {
            return tl::unexpected(inFile(reason, path));
        }
    }
    std::string wanted;
    for (const std::string& name : names) {
        wanted += (wanted.empty() ? "\"" : " or \"") + name + "\"";
    }
    return fail(Code::NotFound,
                file.arrays().empty()
                    ? std::string("The file holds no array.")
                    : "The file holds the arrays " + namesIn(file) + "; none is named " + wanted +
                          ". Name the one that is meant so.",
                path.string());
}

Expected<Tensor> readArray(const ArrayFile& file, const std::filesystem::path& path,
                           const std::string& name, std::size_t rank, std::string_view axes,
                           const Execution& execution)
{
    const std::string where = name.empty() ? path.string() : path.string() + ", " + name;
    const ArrayInfo* info = file.find(name);
    if (info == nullptr) {
        for (const auto& [unread, reason] : unreadableArrays(file)) {
            if (unread == name) {
                return tl::unexpected(inFile(reason, path));
            }
        }
        return fail(Code::NotFound,
                    "The file has no array \"" + name + "\"; it holds " + namesIn(file) + ".",
                    path.string());
    }
    Shape shape = info->shape;
    while (shape.size() > rank && shape.front() == 1) {
        shape.erase(shape.begin());
    }
    if (shape.size() + 1 == rank) {
        shape.insert(shape.begin(), 1); // B = 1
    }
    if (shape.size() != rank) {
        return fail(Code::InvalidShape,
                    "The array has shape " + toString(info->shape) + "; expected " +
                        std::string(axes) + ", or the same without the first axis.",
                    where);
    }
    if (std::ranges::find(shape, 0) != shape.end()) {
        return fail(Code::InvalidShape,
                    "The array has shape " + toString(info->shape) + ": it is empty.", where);
    }
    if (auto fits = checkTensors({shape}, "The array", execution); !fits) {
        return tl::unexpected(inFile(fits.error(), path));
    }
    auto read = file.read(name);
    if (!read) {
        return tl::unexpected(inFile(read.error(), path));
    }
    return std::move(*read).reshaped(std::move(shape));
}

Expected<Batch> numberedTokens(std::int64_t items, std::int64_t length, const Execution& execution)
{
    if (auto fits = checkTensors({{items, length, TokenFloats}}, "The list of tokens", execution);
        !fits) {
        return tl::unexpected(fits.error());
    }
    std::vector<Token> tokens(static_cast<std::size_t>(length));
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        tokens[i].text = std::to_string(i);
        tokens[i].id = i;
    }
    Batch batch;
    batch.items.assign(static_cast<std::size_t>(items), tokens);
    batch.lengths.assign(static_cast<std::size_t>(items), length);
    batch.length = length;
    return batch;
}

Expected<void> checkTensors(const std::vector<Shape>& tensors, const std::string& what,
                            const Execution& execution)
{
    std::int64_t bytes = 0;
    for (const Shape& shape : tensors) {
        Shape inBytes = shape;
        inBytes.push_back(static_cast<std::int64_t>(sizeof(float)));
        const auto size = elementCount(inBytes);
        if (!size || __builtin_add_overflow(bytes, *size, &bytes)) {
            return fail(Code::OutOfMemory,
                        what + " needs more memory than any machine can address (" +
                            toString(shape) + " numbers). Choose smaller sizes.");
        }
    }
    if (execution.memoryBudget == 0 && bytes > physicalMemory()) {
        return fail(Code::OutOfMemory, what + " needs " + formatBytes(bytes) + ", more than the " +
                                           formatBytes(physicalMemory()) +
                                           " of this machine. Choose smaller sizes.");
    }
    return checkMemory(bytes, what, execution, "choose smaller sizes or less text");
}

} // namespace heed
