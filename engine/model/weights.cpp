// Finds tensors under the prefixes files use, checks their shapes, converts what is not float32.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/weights.h"

#include "text/nearestname.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace heed::detail {

namespace {

/// What stands before @p probe in the only name that ends with it after a dot; "" otherwise.
std::string onlyPrefix(const ArrayFile& file, const std::string& probe)
{
    std::string prefix;
    int found = 0;
    for (const ArrayInfo& array : file.arrays()) {
        if (array.name.ends_with("." + probe)) {
            prefix = array.name.substr(0, array.name.size() - probe.size());
            ++found;
        }
    }
    return found == 1 ? prefix : std::string();
}

std::string prefixIn(const ArrayFile& file, std::string_view prefix, std::string_view probe)
{
    const std::string wanted(probe);
    for (const std::string& candidate : {std::string(prefix), std::string()}) {
        if (file.find(candidate + wanted) != nullptr) {
            return candidate;
        }
    }
    return onlyPrefix(file, wanted);
}

tl::unexpected<Error> missing(const ArrayFile& file, const std::string& name)
{
    std::vector<std::string_view> known;
    for (const ArrayInfo& array : file.arrays()) {
        known.push_back(array.name);
    }
    const std::string_view nearest = nearestName(name, known);
    return fail(
        Code::NotFound,
        "The tensor \"" + name + "\" is missing" +
            (nearest.empty() ? "" : "; the nearest name there is " + inQuotes(nearest, 100)) +
            ". The weights and the config.json may belong to different models.",
        name);
}

bool isNumber(ElementType type)
{
    return type == ElementType::Float16 || type == ElementType::BFloat16 ||
           type == ElementType::Float32 || type == ElementType::Float64;
}

Tensor transposed(const Weight& stored)
{
    const ConstMatrixView<float> from = stored.matrix();
    Tensor result({from.columns, from.rows});
    const MatrixView<float> to = result.matrix();
    for (std::int64_t row = 0; row < from.rows; ++row) {
        for (std::int64_t column = 0; column < from.columns; ++column) {
            to(column, row) = from(row, column);
        }
    }
    return result;
}

constexpr std::int64_t NumbersAtOnce = 1 << 20; // of a table that has to be converted

} // namespace

Expected<std::filesystem::path> weightFileOf(const std::filesystem::path& folder)
{
    std::error_code unknown;
    for (const char* name : {"model.safetensors", "model.safetensors.index.json",
                             "pytorch_model.bin", "pytorch_model.bin.index.json"}) {
        if (std::filesystem::exists(folder / name, unknown)) {
            return folder / name;
        }
    }
    return fail(Code::NotFound,
                "This folder has no weights: neither model.safetensors nor pytorch_model.bin, nor "
                "the index.json of several such files. Was the download complete?",
                folder.string());
}

Table::Table(ArrayFilePtr file, std::string name, Shape shape)
    : m_file(std::move(file))
    , m_name(std::move(name))
    , m_shape(std::move(shape))
    , m_mapped(m_file->mapped(m_name))
{
}

std::int64_t Table::rowsAtOnce() const
{
    return m_mapped.empty() ? std::clamp<std::int64_t>(NumbersAtOnce / columns(), 1, rows())
                            : rows();
}

Expected<ConstMatrixView<float>> Table::read(std::int64_t first, std::int64_t count,
                                             Tensor& room) const
{
    if (!m_mapped.empty()) {
        return ConstMatrixView<float>{m_mapped.data() + first * columns(), count, columns(),
                                      columns()};
    }
    if (room.shape() != Shape{count, columns()}) {
        auto made = Tensor::make({count, columns()});
        if (!made) {
            return tl::unexpected(made.error());
        }
        room = std::move(*made);
    }
    if (auto done = m_file->readRows(m_name, first, room.matrix()); !done) {
        return tl::unexpected(done.error());
    }
    return std::as_const(room).matrix();
}

Weights::Weights(ArrayFilePtr file, std::string_view prefix, std::string_view probe)
    : m_file(std::move(file))
    , m_prefix(prefixIn(*m_file, prefix, probe))
{
}

Weights Weights::withoutNumbers() const
{
    Weights checking = *this;
    checking.m_givesNumbers = false;
    return checking;
}

bool Weights::isTransposed(const std::string& name, std::int64_t out, std::int64_t in) const
{
    const ArrayInfo* info = m_file->find(name);
    return out != in && info != nullptr && info->shape == Shape{in, out};
}

Expected<void> Weights::require(const std::string& name, const Shape& shape) const
{
    const ArrayInfo* info = m_file->find(name);
    if (info == nullptr) {
        return missing(*m_file, name);
    }
    if (info->shape != shape) {
        return fail(Code::InvalidShape,
                    "The tensor \"" + name + "\" has shape " + toString(info->shape) +
                        "; the settings of the model ask for " + toString(shape) + ".",
                    name);
    }
    if (!isNumber(info->type)) {
        return fail(Code::Unsupported,
                    "The tensor \"" + name + "\" is stored as " +
                        std::string(elementTypeName(info->type)) + "; weights have to be float.",
                    name);
    }
    return {};
}

Expected<Weight> Weights::read(const std::string& name, const Shape& shape) const
{
    if (auto there = require(name, shape); !there) {
        return tl::unexpected(there.error());
    }
    if (!m_givesNumbers) {
        return Weight({}, shape);
    }
    if (const auto mapped = m_file->mapped(name); !mapped.empty()) {
        return Weight(mapped, shape);
    }
    auto numbers = m_file->read(name);
    if (!numbers) {
        return tl::unexpected(numbers.error());
    }
    return Weight(std::move(*numbers));
}

Expected<Table> Weights::table(const std::string& name, const Shape& shape) const
{
    if (auto there = require(name, shape); !there) {
        return tl::unexpected(there.error());
    }
    return Table(m_file, name, shape);
}

Expected<Linear> Weights::linear(const std::string& name, std::int64_t out, std::int64_t in,
                                 bool hasBias, bool isTransposed) const
{
    Linear result;
    auto weight = read(name + ".weight", isTransposed ? Shape{in, out} : Shape{out, in});
    if (!weight) {
        return tl::unexpected(weight.error());
    }
    result.weight =
        isTransposed && m_givesNumbers ? Weight(transposed(*weight)) : std::move(*weight);
    if (hasBias) {
        auto bias = read(name + ".bias", {out});
        if (!bias) {
            return tl::unexpected(bias.error());
        }
        result.bias = std::move(*bias);
    }
    return result;
}

Expected<Norm> Weights::norm(const std::string& name, std::int64_t width, bool hasBias) const
{
    const bool isOld = !has(name + ".weight") && has(name + ".gamma");
    Norm result;
    auto weight = read(name + (isOld ? ".gamma" : ".weight"), {width});
    if (!weight) {
        return tl::unexpected(weight.error());
    }
    result.weight = std::move(*weight);
    if (hasBias) {
        auto bias = read(name + (isOld ? ".beta" : ".bias"), {width});
        if (!bias) {
            return tl::unexpected(bias.error());
        }
        result.bias = std::move(*bias);
    }
    return result;
}

} // namespace heed::detail
