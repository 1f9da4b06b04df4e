// Weights by name, from the file of a checkpoint.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/arrayfile.h"
#include "heed/tensor.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace heed::detail {

/// What openArrays() takes for all weights in @p folder: model.safetensors, else the index of
/// several, else the same of pytorch_model.bin.
/// @return Code::NotFound, naming these, when there is none.
[[nodiscard]] Expected<std::filesystem::path> weightFileOf(const std::filesystem::path& folder);

/// Numbers of one tensor: those in the mapped file, or a converted copy.
class Weight {
public:
    Weight() = default;
    Weight(std::span<const float> mapped, Shape shape)
        : m_shape(std::move(shape))
        , m_mapped(mapped)
    {
    }
    explicit Weight(Tensor owned)
        : m_shape(owned.shape())
        , m_owned(std::move(owned))
    {
    }

    [[nodiscard]] std::span<const float> values() const
    {
        return m_owned.empty() ? m_mapped : m_owned.values();
    }
    [[nodiscard]] bool exists() const { return !m_shape.empty(); }
    /// Of a weight with two axes.
    [[nodiscard]] ConstMatrixView<float> matrix() const
    {
        return {values().data(), m_shape[0], m_shape[1], m_shape[1]};
    }

private:
    Shape m_shape;
    std::span<const float> m_mapped;
    Tensor m_owned;
};

/// A matrix that is read a few rows at a time: one as large as a vocabulary is never held whole.
class Table {
public:
    Table() = default;
    /// @param shape  of two axes, as the file has it.
    Table(ArrayFilePtr file, std::string name, Shape shape);

    [[nodiscard]] bool exists() const { return m_file != nullptr; }
    [[nodiscard]] std::int64_t rows() const { return m_shape[0]; }
    [[nodiscard]] std::int64_t columns() const { return m_shape[1]; }
    /// How many rows to ask for at a time: all where the file is used in place.
    [[nodiscard]] std::int64_t rowsAtOnce() const;
    /// Rows [first, first + count), in the mapped file or converted into @p room, which has to live
    /// as long as the view.
    [[nodiscard]] Expected<ConstMatrixView<float>> read(std::int64_t first, std::int64_t count,
                                                        Tensor& room) const;

private:
    ArrayFilePtr m_file;
    std::string m_name;
    Shape m_shape;
    std::span<const float> m_mapped;
};

/// x·wᵀ + b.
struct Linear {
    Weight weight; ///< [out, in]
    Weight bias;   ///< may not exist
    [[nodiscard]] bool exists() const { return weight.exists(); }
};

/// Scale and shift of a norm.
struct Norm {
    Weight weight;
    Weight bias;
    [[nodiscard]] bool exists() const { return weight.exists(); }
};

/// The tensors of a file under the names of a family. Re-entrant.
class Weights {
public:
    /// @param prefix  of the family; used where the file has @p probe behind it. Otherwise names go
    /// without, or with what the file has before the only tensor that ends in ".<probe>".
    Weights(ArrayFilePtr file, std::string_view prefix, std::string_view probe);

    /// The same tensors, for checking: read() and its kin look up names and shapes and give weights
    /// without numbers.
    [[nodiscard]] Weights withoutNumbers() const;

    /// The full name of a tensor of the body.
    [[nodiscard]] std::string nameOf(std::string_view stem) const
    {
        return m_prefix + std::string(stem);
    }
    [[nodiscard]] bool has(const std::string& name) const { return m_file->find(name) != nullptr; }

    /// Whether @p name is stored [in, out] rather than [out, in]; false where both are equal.
    [[nodiscard]] bool isTransposed(const std::string& name, std::int64_t out,
                                    std::int64_t in) const;

    /// Checks that a tensor is there with this shape, reading nothing.
    /// @return Code::NotFound with the name and a near one; Code::InvalidShape with both shapes;
    /// Code::Unsupported for whole numbers.
    [[nodiscard]] Expected<void> require(const std::string& name, const Shape& shape) const;

    /// The numbers of a tensor. Errors of require() and of the reader.
    [[nodiscard]] Expected<Weight> read(const std::string& name, const Shape& shape) const;
    /// The same, a few rows at a time.
    [[nodiscard]] Expected<Table> table(const std::string& name, const Shape& shape) const;
    /// @p name without ".weight" and ".bias". @param transposed  stored [in, out].
    [[nodiscard]] Expected<Linear> linear(const std::string& name, std::int64_t out,
                                          std::int64_t in, bool hasBias,
                                          bool transposed = false) const;
    /// Also under the names "gamma" and "beta" of old files.
    [[nodiscard]] Expected<Norm> norm(const std::string& name, std::int64_t width,
                                      bool hasBias) const;

private:
    ArrayFilePtr m_file;
    std::string m_prefix;
    bool m_givesNumbers = true;
};

} // namespace heed::detail
