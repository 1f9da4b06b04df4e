// Rules about the weights that an attention gave, beside its mask.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/lint/lintrows.h"

#include <algorithm>
#include <cmath>

namespace heed::detail {

namespace {

constexpr double Negligible = 1e-6; ///< weight that counts as none
constexpr double RowTolerance = 1e-3;

std::string lacksWeights(const LintContext& context)
{
    if (!context.given().weights) {
        return "weights";
    }
    const MaskArray& weights = *context.given().weights;
    const CaseExtents& all = context.extents();
    const std::size_t rank = weights.shape.size();
    const bool fits =
        rank >= 2 && weights.shape[rank - 1] == all.keys && weights.shape[rank - 2] == all.queries;
    return fits ? "" : "weights of the same queries and keys";
}

std::string lacksWeightsOrMask(const LintContext& context)
{
    if (std::string mask = lacksKept(context); !mask.empty()) {
        return mask;
    }
    return lacksWeights(context);
}

std::string lacksWeightsOrBias(const LintContext& context)
{
    return std::ranges::any_of(context.reading().masks, isAdded) && !context.given().weights
               ? ""
               : lacksWeights(context);
}

/// The rows of the weights, each with the row of the mask that it belongs to.
class WeightRows {
public:
    explicit WeightRows(const LintContext& context)
        : m_weights(*context.given().weights)
        , m_extents(context.extents())
    {
        const std::size_t rank = m_weights.shape.size();
        m_heads = rank >= 3 ? m_weights.shape[rank - 3] : 1;
        m_items = rank >= 4 ? m_weights.shape[rank - 4] : 1;
        if (rank == 3 && m_heads == m_extents.items && m_heads != m_extents.heads) {
            m_items = m_heads; // [B, L, S], averaged over heads
            m_heads = 1;
        }
    }
    void forEach(const auto& look) const
    {
        std::size_t at = 0;
        const auto keys = static_cast<std::size_t>(m_extents.keys);
        for (std::int64_t item = 0; item < m_items; ++item) {
            for (std::int64_t head = 0; head < m_heads; ++head) {
                for (std::int64_t query = 0; query < m_extents.queries; ++query, at += keys) {
                    if (at + keys > m_weights.numbers.size()) {
                        return;
                    }
                    const RowPlace row{std::min(item, m_extents.items - 1),
                                       std::min(head, m_extents.heads - 1), query};
                    look(row, std::span(m_weights.numbers).subspan(at, keys));
                }
            }
        }
    }

private:
    const MaskArray& m_weights;
    const CaseExtents& m_extents;
    std::int64_t m_heads = 1;
    std::int64_t m_items = 1;
};

void addCell(CellCount& count, const RowPlace& row, std::int64_t key)
{
    ++count.count;
    if (count.cells.size() < MostCells) {
        count.cells.push_back({row.item, row.head, row.query, key});
    }
}

bool holdsKey(const RowRanges& row, std::int64_t key)
{
    return std::ranges::any_of(
        row, [&](const KeyRange& range) { return range.begin <= key && key < range.end; });
}

std::optional<RuleResult> maskNotEffective(const LintContext& context)
{
    RuleResult result;
    CellCount unused;
    std::int64_t rowsWithUnused = 0;
    std::int64_t rows = 0;
    WeightRows(context).forEach([&](const RowPlace& row, std::span<const double> weights) {
        const RowRanges kept = context.kept(row);
        bool hasUnused = false;
        for (std::int64_t key = 0; key < context.extents().keys; ++key) {
            const double weight = weights[static_cast<std::size_t>(key)];
            const bool isKept = holdsKey(kept, key);
            if (!isKept && weight > Negligible) {
                addCell(result.cells, row, key);
            } else if (isKept && weight == 0) {
                addCell(unused, row, key);
                hasUnused = true;
            }
        }
        ++rows;
        rowsWithUnused += hasUnused ? 1 : 0;
    });
    if (result.cells.count == 0 && rowsWithUnused * 3 > rows) {
        result.cells = unused;
        result.text = counted(unused.count, "kept cell has", "kept cells have") +
                      " a weight of exactly 0, the first is " + firstPlace(unused) +
                      ": another mask was used.";
    } else {
        result.text = counted(result.cells.count, "blocked cell has", "blocked cells have") +
                      " weight, the first is " + firstPlace(result.cells) +
                      ": the numbers did not use this mask.";
    }
    result.fix = "Look for a path that drops the mask, or a flag that replaces it.";
    return result;
}

/// A bias that is the weights of an attention: rows in 0…1 that sum to 1.
std::optional<RuleResult> weightsAsBias(const LintContext& context)
{
    for (const ReadMask& mask : context.reading().masks) {
        const auto& numbers = mask.given->array.numbers;
        const auto keys = static_cast<std::size_t>(context.extents().keys);
        const bool isBinary =
            std::ranges::all_of(numbers, [](double x) { return x == 0 || x == 1; });
        if (!isAdded(mask) || isBinary || mask.places.strides[3] != 1 || keys < 2) {
            continue;
        }
        bool isWeights = std::ranges::all_of(numbers, [](double x) { return x >= 0 && x <= 1; });
        for (std::size_t at = 0; isWeights && at + keys <= numbers.size(); at += keys) {
            double sum = 0;
            for (std::size_t key = 0; key < keys; ++key) {
                sum += numbers[at + key];
            }
            isWeights = std::abs(sum - 1) <= RowTolerance;
        }
        if (isWeights) {
            RuleResult result;
            result.severity = LintSeverity::Warning;
            result.cells = LintContext::countNumbers(mask, [](double) { return true; });
            result.text = "The rows of what is added to the scores sum to 1: these are weights.";
            result.fix = "Pass the bias of the layer, not its attention.";
            return result;
        }
    }
    return std::nullopt;
}

std::optional<RuleResult> notProbabilities(const LintContext& context)
{
    if (auto bias = weightsAsBias(context); bias || !context.given().weights) {
        return bias;
    }
    RuleResult result;
    result.severity = LintSeverity::Warning;
    double example = 1;
    std::vector<double> columns(static_cast<std::size_t>(context.extents().keys));
    std::int64_t planes = 0;
    bool isAbove = false;
    WeightRows(context).forEach([&](const RowPlace& row, std::span<const double> weights) {
        double sum = 0;
        bool isNegative = false;
        for (std::size_t key = 0; key < weights.size(); ++key) {
            sum += weights[key];
            columns[key] += weights[key];
            isNegative = isNegative || weights[key] < 0;
        }
        planes += row.query == 0 ? 1 : 0;
        const bool isEmptyRow =
            context.reading().kept != nullptr && context.kept(row).empty() && sum == 0;
        if (!isEmptyRow && (isNegative || !(std::abs(sum - 1) <= RowTolerance))) {
            result.cells.count += context.extents().keys;
            result.cells.cells.push_back({row.item, row.head, row.query, 0});
            example = sum;
            isAbove = isAbove || sum > 1 + RowTolerance;
        }
    });
    if (result.cells.count == 0) {
        return std::nullopt;
    }
    const bool isTransposed = std::ranges::all_of(columns, [&](double sum) {
        return std::abs(sum - static_cast<double>(planes)) <=
               RowTolerance * static_cast<double>(planes);
    });
    result.text =
        counted(static_cast<std::int64_t>(result.cells.cells.size()), "row sums", "rows sum") +
        " to something else than 1, one to " + std::to_string(example) + ".";
    result.fix = isTransposed ? "Columns sum to 1: the matrix is transposed."
                 : isAbove    ? "Dropout was on: read the weights without it."
                              : "Look for a sink that was cut off, or rows that were zeroed.";
    return result;
}

constexpr std::array Rules = {
    LintRule{{"R28", "mask not effective", "blocked cells have weight, or kept ones exactly none"},
             lacksWeightsOrMask,
             maskNotEffective},
    LintRule{
        {"R29", "not probabilities", "rows of the weights do not sum to 1, or those of a bias do"},
        lacksWeightsOrBias,
        notProbabilities},
};

} // namespace

std::span<const LintRule> weightRules()
{
    return Rules;
}

} // namespace heed::detail
