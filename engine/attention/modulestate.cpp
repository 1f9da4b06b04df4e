// Weights of a layer, read from the state of a module.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/layer.h"

#include "attention/source.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>

namespace heed {

namespace {

constexpr std::array<std::string_view, 4> RoleNames = {"query", "key", "value", "output"};

/// The names a projection goes by, the output's last.
constexpr std::array<std::array<std::string_view, 5>, 4> Stems = {
    {{"w_q", "W_q", "q_proj"},
     {"w_k", "W_k", "k_proj"},
     {"w_v", "W_v", "v_proj"},
     {"w_o", "W_o", "o_proj", "out_proj"}}};
constexpr std::string_view PackedWeight = "in_proj_weight";
constexpr std::string_view PackedBias = "in_proj_bias";

std::string inQuotes(std::string_view text)
{
    return "\"" + std::string(text) + "\"";
}

/// At most a dozen names of @p file, for a message.
std::string namesIn(const ArrayFile& file)
{
    constexpr std::size_t most = 12;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, file.arrays().size()); ++i) {
        text += (i == 0 ? "" : ", ") + inQuotes(file.arrays()[i].name);
    }
    if (file.arrays().size() > most) {
        text += " and " + std::to_string(file.arrays().size() - most) + " more";
    }
    return text.empty() ? "no arrays" : text;
}

/// The part of @p name before @p suffix, when that part is a prefix of its own: "layer.0.attn.".
std::optional<std::string> prefixBefore(std::string_view name, std::string_view suffix)
{
    if (!name.ends_with(suffix)) {
        return std::nullopt;
    }
    const std::string_view prefix = name.substr(0, name.size() - suffix.size());
    if (!prefix.empty() && std::isalnum(static_cast<unsigned char>(prefix.back())) != 0) {
        return std::nullopt;
    }
    return std::string(prefix);
}

std::set<std::string> prefixesIn(const ArrayFile& file)
{
    std::set<std::string> prefixes;
    for (const ArrayInfo& array : file.arrays()) {
        if (const auto prefix = prefixBefore(array.name, PackedWeight)) {
            prefixes.insert(*prefix);
        }
        for (const std::string_view stem : Stems[0]) {
            const std::string suffix = std::string(stem) + ".weight";
            if (const auto prefix =
                    stem.empty() ? std::nullopt : prefixBefore(array.name, suffix)) {
                prefixes.insert(*prefix);
            }
        }
    }
    return prefixes;
}

/// Reads @p name and checks its rank. @p rank 2 for weights, 1 for biases.
Expected<Tensor> readRank(const ArrayFile& file, const std::string& name, std::size_t rank)
{
    const ArrayInfo* info = file.find(name);
    if (info != nullptr && (info->shape.size() != rank || std::ranges::count(info->shape, 0) > 0)) {
        return fail(Code::InvalidShape,
                    inQuotes(name) + " has shape " + toString(info->shape) + "; a " +
                        (rank == 2 ? "weight has 2 axes, [out, in], none empty."
                                   : "bias has 1 axis, [out], not empty."),
                    name);
    }
    return file.read(name);
}

Expected<Tensor> rowsOf(const Tensor& packed, std::int64_t part)
{
    const std::int64_t rows = packed.extent(0) / 3;
    Shape shape = packed.shape();
    shape[0] = rows;
    auto result = Tensor::make(shape);
    if (result) {
        std::copy_n(packed.data() + part * result->size(), result->size(), result->data());
    }
    return result;
}

Error notFound(const ArrayFile& file, const std::string& prefix, const std::string& missing)
{
    return {Code::NotFound,
            "The file has no " + missing + ". It holds " + namesIn(file) + ". Expected " +
                (prefix.empty() ? "" : "after the prefix " + inQuotes(prefix) + " ") +
                "w_q.weight, w_k.weight, w_v.weight and w_o.weight (or W_q …, or q_proj.weight … "
                "o_proj.weight or out_proj.weight), or in_proj_weight and out_proj.weight.",
            missing};
}

/// Of all arrays the layer may be made of, all at once.
Expected<void> checkSize(const ArrayFile& file, const std::string& prefix,
                         const Execution& execution)
{
    std::vector<Shape> tensors;
    const auto add = [&](const std::string& name) {
        if (const ArrayInfo* info = file.find(name); info != nullptr) {
            tensors.push_back(info->shape);
        }
    };
    add(prefix + std::string(PackedWeight));
    add(prefix + std::string(PackedWeight)); // its parts are cut out of it
    for (const auto& stems : Stems) {
        for (const std::string_view stem : stems) {
            if (!stem.empty()) {
                add(prefix + std::string(stem) + ".weight");
            }
        }
    }
    return checkTensors(tensors, "The weights", execution);
}

using Roles = std::array<Tensor*, 4>;

/// in_proj_weight [3·d, d] and in_proj_bias [3·d]: query, key, value, one below the other.
Expected<void> readPacked(const ArrayFile& file, const std::string& prefix, const Roles& weights,
                          const Roles& biases)
{
    for (const auto& [suffix, rank, targets] : {std::tuple(PackedWeight, std::size_t{2}, weights),
                                                std::tuple(PackedBias, std::size_t{1}, biases)}) {
        const std::string name = prefix + std::string(suffix);
        if (rank == 1 && file.find(name) == nullptr) {
            continue;
        }
        const auto packed = readRank(file, name, rank);
        if (!packed) {
            return tl::unexpected(packed.error());
        }
        if (packed->extent(0) % 3 != 0) {
            return fail(Code::InvalidShape,
                        inQuotes(name) + " has shape " + toString(packed->shape()) +
                            "; its rows are query, key and value, so they must divide by 3.",
                        name);
        }
        for (std::size_t role = 0; role < 3; ++role) {
            auto part = rowsOf(*packed, static_cast<std::int64_t>(role));
            if (!part) {
                return tl::unexpected(part.error());
            }
            *targets[role] = std::move(*part);
        }
    }
    return {};
}

/// The weight and, when there is one, the bias of the first stem of @p role that the file has.
Expected<void> readRole(const ArrayFile& file, const std::string& prefix, std::size_t role,
                        Tensor& weight, Tensor& bias)
{
    for (const std::string_view stem : Stems[role]) {
        const std::string base = prefix + std::string(stem);
        if (stem.empty() || file.find(base + ".weight") == nullptr) {
            continue;
        }
        auto read = readRank(file, base + ".weight", 2);
        if (!read) {
            return tl::unexpected(read.error());
        }
        weight = std::move(*read);
        if (file.find(base + ".bias") != nullptr) {
            read = readRank(file, base + ".bias", 1);
            if (!read) {
                return tl::unexpected(read.error());
            }
            bias = std::move(*read);
        }
        return {};
    }
    return tl::unexpected(notFound(file, prefix,
                                   std::string(RoleNames[role]) + " weight such as " +
                                       inQuotes(prefix + std::string(Stems[role][0]) + ".weight")));
}

Expected<void> requireShape(const Tensor& tensor, const Shape& wanted, std::string_view role,
                            std::string_view what)
{
    if (tensor.shape() == wanted) {
        return {};
    }
    const std::string name = std::string(role) + " " + std::string(what);
    return fail(Code::InvalidShape,
                "The " + name + " has shape " + toString(tensor.shape()) + ", but " +
                    toString(wanted) + " fits the other weights.",
                name);
}

/// Reads d_model, D and Hkv off the shapes, and checks that all agree.
Expected<void> fitConfig(const LayerWeights& w, LayerConfig& config)
{
    if (config.heads < 1) {
        return validate(config);
    }
    const std::int64_t rows = w.wq.extent(0);
    const std::int64_t width = w.wq.extent(1);
    if (rows == 0 || width == 0 || rows % config.heads != 0) {
        return fail(Code::InvalidShape,
                    "The query weight has shape " + toString(w.wq.shape()) + ": its " +
                        std::to_string(rows) + " rows cannot be split into " +
                        std::to_string(config.heads) + " heads. " +
                        (rows > 0 && width > 0 ? [&] {
                            std::string fits;
                            for (const auto heads : nearestDivisors(rows, config.heads, 2)) {
                                fits += (fits.empty() ? "" : ", ") + std::to_string(heads);
                            }
                            return "Heads that fit near " + std::to_string(config.heads) + ": " +
                                   fits + ".";
                        }()
                                               : "An empty weight is no layer."),
                    "query weight");
    }
    const std::int64_t headWidth = rows / config.heads;
    const std::int64_t keyRows = w.wk.extent(0);
    if (keyRows == 0 || keyRows % headWidth != 0 || config.heads % (keyRows / headWidth) != 0) {
        return fail(Code::InvalidShape,
                    "The key weight has shape " + toString(w.wk.shape()) +
                        ". With a head width of " + std::to_string(headWidth) + " (" +
                        std::to_string(rows) + " rows of the query weight ÷ " +
                        std::to_string(config.heads) +
                        " heads) its rows must be a whole number of heads that divides " +
                        std::to_string(config.heads) + ". Is the number of heads right?",
                    "key weight");
    }
    const std::array checks = {
        requireShape(w.wk, {keyRows, width}, "key", "weight"),
        requireShape(w.wv, {keyRows, width}, "value", "weight"),
        requireShape(w.wo, {width, rows}, "output", "weight"),
        w.bq.empty() ? Expected<void>{} : requireShape(w.bq, {rows}, "query", "bias"),
        w.bk.empty() ? Expected<void>{} : requireShape(w.bk, {keyRows}, "key", "bias"),
        w.bv.empty() ? Expected<void>{} : requireShape(w.bv, {keyRows}, "value", "bias"),
        w.bo.empty() ? Expected<void>{} : requireShape(w.bo, {width}, "output", "bias"),
    };
    for (const auto& check : checks) {
        if (!check) {
            return check;
        }
    }
    config.modelWidth = width;
    config.kvHeads = keyRows / headWidth;
    config.headSize = headWidth * config.heads == width ? 0 : headWidth;
    config.biased = !(w.bq.empty() && w.bk.empty() && w.bv.empty() && w.bo.empty());
    return validate(config);
}

} // namespace

Expected<LayerWeights> loadWeights(const ArrayFile& file, LayerConfig& config,
                                   const Execution& execution)
{
    const std::set<std::string> prefixes = prefixesIn(file);
    if (prefixes.empty()) {
        return tl::unexpected(notFound(file, "", "query weight such as \"w_q.weight\""));
    }
    if (prefixes.size() > 1) {
        std::string some;
        std::size_t named = 0;
        for (const std::string& prefix : prefixes) {
            if (++named > 4) {
                some += ", …";
                break;
            }
            some += (some.empty() ? "" : ", ") + inQuotes(prefix);
        }
        return fail(Code::InvalidArgument,
                    "The file holds " + std::to_string(prefixes.size()) + " attention layers (" +
                        some + "). Save the state of the one to look at into a file of its own.");
    }
    const std::string& prefix = *prefixes.begin();
    for (const std::string_view extra : {"bias_k", "bias_v"}) {
        if (const std::string name = prefix + std::string(extra); file.find(name) != nullptr) {
            return fail(Code::Unsupported,
                        "The module adds a learned key and value to every sequence "
                        "(add_bias_kv), which is not supported.",
                        name);
        }
    }

    if (auto fits = checkSize(file, prefix, execution); !fits) {
        return tl::unexpected(fits.error());
    }
    LayerWeights weights;
    const Roles matrices = {&weights.wq, &weights.wk, &weights.wv, &weights.wo};
    const Roles biases = {&weights.bq, &weights.bk, &weights.bv, &weights.bo};
    std::size_t role = 0;
    if (file.find(prefix + std::string(PackedWeight)) != nullptr) {
        if (auto packed = readPacked(file, prefix, matrices, biases); !packed) {
            return tl::unexpected(packed.error());
        }
        role = 3;
    }
    for (; role < matrices.size(); ++role) {
        if (auto read = readRole(file, prefix, role, *matrices[role], *biases[role]); !read) {
            return tl::unexpected(read.error());
        }
    }
    LayerConfig fitted = config;
    if (auto fits = fitConfig(weights, fitted); !fits) {
        return tl::unexpected(fits.error());
    }
    config = fitted;
    return weights;
}

} // namespace heed
