// Expressions compiled to planes, shared wherever items and heads agree.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/check.h"
#include "mask/boundmask.h"
#include "mask/planestore.h"

#include <exception>
#include <map>
#include <new>
#include <utility>

namespace heed {
namespace {

using detail::BoundNode;
using detail::StoredPlane;

// Room for every text one can look at, and small enough that products of two fit everywhere.
constexpr std::int64_t mostTokens = std::int64_t{1} << 24;
constexpr std::int64_t mostItemsTimesHeads = std::int64_t{1} << 24;

std::size_t at(std::int64_t index)
{
    return static_cast<std::size_t>(index);
}

class Compiled final : public CompiledMask {
public:
    Compiled(MaskContext context, std::string expression, BoundNode root)
        : m_context(std::move(context))
        , m_expression(std::move(expression))
        , m_root(std::move(root))
    {
    }

    [[nodiscard]] Expected<void> build(detail::MaskMemory& memory);

    const MaskContext& context() const override { return m_context; }
    const std::string& expression() const override { return m_expression; }

    MaskPlane plane(std::int64_t item, std::int64_t head) const override
    {
        HEED_CHECK(isPlane(item, head), return {});
        return stored(item, head).view();
    }

    bool keeps(std::int64_t item, std::int64_t head, std::int64_t query,
               std::int64_t key) const override
    {
        HEED_CHECK(isCell(item, head, query, key), return false);
        return stored(item, head).keeps(query, key);
    }

    MaskReasons reasons(std::int64_t item, std::int64_t head, std::int64_t query,
                        std::int64_t key) const override
    {
        HEED_CHECK(isCell(item, head, query, key), return 0);
        return detail::reasonsOf(m_root, item, head, query, key);
    }

    Expected<void> reasonsInRow(std::int64_t item, std::int64_t head, std::int64_t query,
                                KeyRange keys, std::vector<ReasonRun>& runs) const override
    {
        runs.clear();
        HEED_CHECK(isCell(item, head, query, 0), return {});
        try {
            const KeyRange inside = {
                std::max(keys.begin, 0),
                static_cast<std::int32_t>(std::min<std::int64_t>(keys.end, m_context.keys))};
            if (inside.begin < inside.end) {
                detail::reasonsOfRow(m_root, item, head, query, inside, runs);
            }
            return {};
        } catch (const std::bad_alloc&) {
            return fail(Code::OutOfMemory, "There is no memory for a row of the mask.", "mask");
        }
    }

    std::int64_t keptInRow(std::int64_t item, std::int64_t head, std::int64_t query) const override
    {
        HEED_CHECK(isCell(item, head, query, 0), return 0);
        return stored(item, head).keptInRow(query);
    }

    BlockClass classify(std::int64_t item, std::int64_t head, std::int64_t row, std::int64_t column,
                        std::int64_t rows, std::int64_t columns) const override
    {
        HEED_CHECK(isPlane(item, head), return BlockClass::AllMasked);
        const auto [rowBegin, rowEnd] = clip(row, rows, m_context.queries);
        const auto [columnBegin, columnEnd] = clip(column, columns, m_context.keys);
        if (rowBegin >= rowEnd || columnBegin >= columnEnd) {
            return BlockClass::AllMasked;
        }
        return stored(item, head)
            .classify(rowBegin, columnBegin, rowEnd - rowBegin, columnEnd - columnBegin);
    }

    std::int64_t bytes() const override { return m_bytes; }
    bool sameForAllItems() const override { return m_sameForAllItems; }
    bool sameForAllHeads() const override { return m_sameForAllHeads; }

private:
    static std::pair<std::int64_t, std::int64_t> clip(std::int64_t begin, std::int64_t count,
                                                      std::int64_t extent)
    {
        if (count <= 0 || begin >= extent) {
            return {0, 0};
        }
        // begin may be negative; compared this way no sum can overflow.
        const std::int64_t end = count >= extent - std::max<std::int64_t>(begin, 0) && begin >= 0
                                     ? extent
                                     : std::min(extent, begin + count);
        return {std::max<std::int64_t>(begin, 0), end};
    }

    bool isPlane(std::int64_t item, std::int64_t head) const
    {
        return item >= 0 && item < m_context.items && head >= 0 && head < m_context.heads;
    }
    bool isCell(std::int64_t item, std::int64_t head, std::int64_t query, std::int64_t key) const
    {
        return isPlane(item, head) && query >= 0 && query < m_context.queries && key >= 0 &&
               key < m_context.keys;
    }
    const StoredPlane& stored(std::int64_t item, std::int64_t head) const
    {
        const std::int64_t index =
            (m_itemsStored > 1 ? item : 0) * m_headsStored + (m_headsStored > 1 ? head : 0);
        return m_planes[m_planeOf[at(index)]];
    }

    void compareItemsAndHeads();

    MaskContext m_context;
    std::string m_expression;
    BoundNode m_root;
    std::int64_t m_itemsStored = 1; ///< B where the expression depends on the item, else 1
    std::int64_t m_headsStored = 1;
    detail::PlaneStore m_planes;
    std::vector<std::size_t> m_planeOf; ///< [itemsStored, headsStored]: index into the planes
    std::int64_t m_bytes = 0;
    bool m_sameForAllItems = true;
    bool m_sameForAllHeads = true;
};

void collectVarying(const BoundNode& node, std::vector<const detail::BoundFamily*>& varying)
{
    if (node.family && (node.family->dependsOnItem() || node.family->dependsOnHead())) {
        varying.push_back(node.family.get());
    }
    for (const BoundNode& child : node.children) {
        collectVarying(child, varying);
    }
}

Expected<void> Compiled::build(detail::MaskMemory& memory)
{
    std::vector<const detail::BoundFamily*> varying;
    collectVarying(m_root, varying);
    for (const detail::BoundFamily* family : varying) {
        m_itemsStored = family->dependsOnItem() ? m_context.items : m_itemsStored;
        m_headsStored = family->dependsOnHead() ? m_context.heads : m_headsStored;
    }
    const std::int64_t rowBytes = detail::RowEvaluator::bytes(m_root, m_context.keys);
    const std::int64_t listBytes =
        m_itemsStored * m_headsStored * static_cast<std::int64_t>(sizeof(std::size_t));
    if (auto fits = memory.take(rowBytes + listBytes, "A row of the mask"); !fits) {
        return fits;
    }
    m_planeOf.reserve(at(m_itemsStored * m_headsStored));
    detail::RowEvaluator rows(m_root, m_context.keys);
    // Two items whose families agree have equal planes, which need not be computed to know it.
    std::map<std::vector<std::int64_t>, std::size_t> known;
    std::vector<std::int64_t> variants(varying.size());
    for (std::int64_t item = 0; item < m_itemsStored; ++item) {
        for (std::int64_t head = 0; head < m_headsStored; ++head) {
            for (std::size_t f = 0; f < varying.size(); ++f) {
                variants[f] = varying[f]->variant(item, head);
            }
            const auto found = known.find(variants);
            if (found != known.end()) {
                m_planeOf.push_back(found->second);
                continue;
            }
            const auto rowOf = [&](std::int64_t query) -> Expected<const detail::RowRanges*> {
                return &rows.row(item, head, query);
            };
            auto index = m_planes.add(m_context.queries, m_context.keys, rowOf, memory);
            if (!index) {
                return tl::unexpected<Error>(std::move(index).error());
            }
            known.emplace(variants, *index);
            m_planeOf.push_back(*index);
        }
    }
    m_planes.close();
    memory.giveBack(rowBytes);
    m_bytes = memory.taken();
    compareItemsAndHeads();
    return {};
}

void Compiled::compareItemsAndHeads()
{
    for (std::int64_t item = 0; item < m_itemsStored; ++item) {
        for (std::int64_t head = 0; head < m_headsStored; ++head) {
            const std::size_t here = m_planeOf[at(item * m_headsStored + head)];
            m_sameForAllItems = m_sameForAllItems && here == m_planeOf[at(head)];
            m_sameForAllHeads = m_sameForAllHeads && here == m_planeOf[at(item * m_headsStored)];
        }
    }
}

Expected<void> checkContext(const MaskContext& context)
{
    const auto invalid = [](std::string message) {
        return fail(Code::InvalidShape, std::move(message), "mask");
    };
    const std::pair<std::int64_t, const char*> extents[] = {{context.items, "batch items"},
                                                            {context.heads, "heads"},
                                                            {context.queries, "queries"},
                                                            {context.keys, "keys"}};
    for (const auto& [extent, name] : extents) {
        if (extent < 1 || extent > mostTokens) {
            return invalid("A mask for " + std::to_string(extent) + " " + name +
                           " is impossible; there must be 1 to " + std::to_string(mostTokens) +
                           ".");
        }
    }
    if (context.items * context.heads > mostItemsTimesHeads) {
        return invalid("A mask for " + std::to_string(context.items) + " batch items × " +
                       std::to_string(context.heads) + " heads is too large; at most " +
                       std::to_string(mostItemsTimesHeads) + " planes can be told apart.");
    }
    const auto count = static_cast<std::int64_t>(context.keyLengths.size());
    if (count != 0 && count != context.items) {
        return invalid("There are " + std::to_string(count) + " lengths for " +
                       std::to_string(context.items) + " batch items.");
    }
    for (const std::int64_t length : context.keyLengths) {
        if (length < 1 || length > context.keys) {
            return invalid("A batch item has length " + std::to_string(length) + "; with " +
                           std::to_string(context.keys) + " keys it must be 1 to " +
                           std::to_string(context.keys) + ".");
        }
    }
    return {};
}

tl::unexpected<Error> outOfMemory()
{
    return fail(Code::OutOfMemory, "There is no memory for the mask. Use fewer tokens.", "mask");
}

} // namespace

Expected<MaskPtr> compileMask(std::string_view expression, const MaskContext& context,
                              const Execution& execution, std::int64_t besideBytes)
{
    try {
        if (auto valid = checkContext(context); !valid) {
            return tl::unexpected<Error>(std::move(valid).error());
        }
        auto node = detail::parseMask(expression);
        if (!node) {
            return tl::unexpected<Error>(std::move(node).error());
        }
        detail::MaskMemory memory(execution, besideBytes);
        auto root = detail::bindMask(*node, context, memory);
        if (!root) {
            return tl::unexpected<Error>(std::move(root).error());
        }
        auto mask = std::make_shared<Compiled>(context, detail::printMask(*node), std::move(*root));
        if (auto built = mask->build(memory); !built) {
            return tl::unexpected<Error>(std::move(built).error());
        }
        return mask;
    } catch (const std::bad_alloc&) {
        return outOfMemory();
    } catch (const std::exception& problem) { // the file system's, with its own words
        return fail(Code::Io, problem.what(), "mask");
    }
}

Expected<MaskPtr> detail::compileBound(BoundNode root, std::string expression,
                                       const MaskContext& context, const Execution& execution)
{
    try {
        if (auto valid = checkContext(context); !valid) {
            return tl::unexpected<Error>(std::move(valid).error());
        }
        MaskMemory memory(execution, 0);
        auto mask = std::make_shared<Compiled>(context, std::move(expression), std::move(root));
        if (auto built = mask->build(memory); !built) {
            return tl::unexpected<Error>(std::move(built).error());
        }
        return mask;
    } catch (const std::bad_alloc&) {
        return outOfMemory();
    }
}

Expected<std::string> normaliseMask(std::string_view expression)
{
    try {
        return detail::parseMask(expression).map([](const detail::MaskNode& node) {
            return detail::printMask(node);
        });
    } catch (const std::bad_alloc&) {
        return outOfMemory();
    }
}

Expected<std::string> maskFromFolder(std::string_view expression, const std::string& folder)
{
    try {
        return detail::parseMask(expression).map([&](detail::MaskNode node) {
            detail::prependFolder(node, folder);
            return detail::printMask(node);
        });
    } catch (const std::bad_alloc&) {
        return outOfMemory();
    }
}

std::string_view reasonName(MaskReason reason)
{
    switch (reason) {
    case MaskReason::None:
        return "";
    case MaskReason::Padding:
        return "padding";
    case MaskReason::Causal:
        return "causal";
    case MaskReason::Window:
        return "window";
    case MaskReason::Documents:
        return "documents";
    case MaskReason::Prefix:
        return "prefix";
    case MaskReason::File:
        return "file";
    case MaskReason::Other:
        return "other";
    }
    return "";
}

} // namespace heed
