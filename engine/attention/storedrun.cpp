// Maps, labels and mask out of one file.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/storedrun.h"

#include "attention/source.h"
#include "mask/maskexpression.h"
#include "text/tokenid.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace heed {

namespace {

constexpr std::string_view PaddingText = "<pad>";

/// A run that only shows the maps of a file.
class StoredRun final : public Run {
public:
    StoredRun(Source source, MapsPtr maps, BackendPtr backend, Batch queryTokens, Batch keyTokens)
        : m_source(std::move(source))
        , m_maps(std::move(maps))
        , m_backend(std::move(backend))
        , m_queryTokens(std::move(queryTokens))
        , m_keyTokens(std::move(keyTokens))
        , m_layer(m_source.layer)
    {
        m_layer.heads = m_maps->shape().heads;
        m_layer.kvHeads = 0;
    }

    [[nodiscard]] const Source& source() const override { return m_source; }
    [[nodiscard]] const Batch& queryTokens() const override { return m_queryTokens; }
    [[nodiscard]] const Batch& keyTokens() const override { return m_keyTokens; }
    [[nodiscard]] const LayerConfig& layer() const override { return m_layer; }
    [[nodiscard]] float scale(std::int64_t /*layer*/) const override { return 1.0F; }
    [[nodiscard]] const Tensor* x() const override { return nullptr; }
    [[nodiscard]] const Tensor* q(std::int64_t /*layer*/) const override { return nullptr; }
    [[nodiscard]] const Tensor* k(std::int64_t /*layer*/) const override { return nullptr; }
    [[nodiscard]] const Tensor* v(std::int64_t /*layer*/) const override { return nullptr; }
    [[nodiscard]] MapsPtr maps() const override { return m_maps; }
    [[nodiscard]] BackendPtr backend() const override { return m_backend; }

    [[nodiscard]] Expected<Tensor> headOutput(std::int64_t /*layer*/,
                                              const Execution& /*execution*/) const override
    {
        return fail(Code::Unsupported,
                    "The maps came finished from a file, without V; there is no head output.");
    }

    [[nodiscard]] Expected<Tensor> output(std::int64_t /*layer*/,
                                          const Execution& /*execution*/) const override
    {
        return fail(Code::Unsupported,
                    "The maps came finished from a file, without V and W_O; there is no output.");
    }

private:
    Source m_source;
    MapsPtr m_maps;
    BackendPtr m_backend;
    Batch m_queryTokens;
    Batch m_keyTokens;
    LayerConfig m_layer;
};

/// Files of other programs may mean something else by "mask": what is hidden, or numbers to add.
bool isOurs(const ArrayFile& file)
{
    const auto metadata = file.metadata();
    const bool isSigned = std::ranges::any_of(metadata, [](const auto& entry) {
        return entry.first == "program" && entry.second.starts_with("heedmap");
    });
    const bool isCellTable = file.format() == "csv" && !file.arrays().front().name.empty();
    return isSigned || isCellTable;
}

/// The texts as a batch, or nothing where they do not fit the maps.
std::optional<Batch> labelledTokens(const std::vector<std::vector<std::string>>& texts,
                                    std::int64_t items, std::int64_t length)
{
    const auto fits = [length](const std::vector<std::string>& item) {
        return static_cast<std::int64_t>(item.size()) == length;
    };
    if (static_cast<std::int64_t>(texts.size()) != items || !std::ranges::all_of(texts, fits)) {
        return std::nullopt;
    }
    Batch batch;
    batch.length = length;
    for (const std::vector<std::string>& item : texts) {
        std::vector<Token>& tokens = batch.items.emplace_back();
        for (const std::string& text : item) {
            const bool isPadding = text == PaddingText;
            tokens.push_back({text, detail::tokenId(text), 0, 0, isPadding, isPadding});
        }
        const auto real =
            std::ranges::count_if(tokens, [](const Token& token) { return !token.isPadding; });
        batch.lengths.push_back(std::max<std::int64_t>(1, real));
        if (real > 0 && tokens.front().isPadding) {
            batch.padSide = PadSide::Left;
        }
    }
    return batch;
}

Expected<Batch> tokensFor(const std::vector<std::vector<std::string>>& texts, std::int64_t items,
                          std::int64_t length, const Execution& execution)
{
    if (auto labelled = labelledTokens(texts, items, length)) {
        return std::move(*labelled);
    }
    return numberedTokens(items, length, execution);
}

/// The mask beside the maps, or null. Layers of one file share their mask.
Expected<MaskPtr> storedMask(const ArrayFile& file, const std::filesystem::path& path,
                             const Shape& mapsShape, const Execution& execution)
{
    const std::string name = "mask";
    const ArrayInfo* info = file.find(name);
    if (info == nullptr || info->shape != mapsShape || !isOurs(file) ||
        (mapsShape.size() == 5 && mapsShape.front() != 1)) {
        return MaskPtr();
    }
    Shape shape = mapsShape;
    shape.insert(shape.begin(), 5 - shape.size(), 1);
    MaskContext context;
    context.items = shape[1];
    context.heads = shape[2];
    context.queries = shape[3];
    context.keys = shape[4];
    const auto text = [](const std::string& words) {
        return detail::MaskValue{.integer = 0, .integers = {}, .text = words, .column = 1};
    };
    detail::MaskNode leaf;
    leaf.leaf.family = detail::MaskFamily::File;
    leaf.leaf.values = {text(path.string()), text("keep"), text(name)};
    return compileMask(detail::printMask(leaf), context, execution);
}

} // namespace

Expected<RunPtr> openMaps(const Source& source, const BackendPtr& backend,
                          const Execution& execution)
{
    const auto file = openArrays(source.maps);
    if (!file) {
        return tl::unexpected(inFile(file.error(), source.maps));
    }
    const auto name =
        chooseArray(**file, source.maps, {"weights", "masked", "scaled", "scores", "attentions"});
    if (!name) {
        return tl::unexpected(name.error());
    }
    // An array of another name is what programs save most: weights.
    const Quantity quantity = parseQuantity(*name).value_or(Quantity::Weights);
    const ArrayInfo* info = (*file)->find(*name);
    if (info != nullptr && (*file)->mapped(*name).empty()) {
        if (auto fits = checkTensors({info->shape}, "The array of maps", execution); !fits) {
            return tl::unexpected(inFile(fits.error(), source.maps));
        }
    }
    auto mask = info == nullptr ? Expected<MaskPtr>(MaskPtr())
                                : storedMask(**file, source.maps, info->shape, execution);
    if (!mask) {
        return tl::unexpected(inFile(mask.error(), source.maps));
    }
    auto maps = makeStoredMaps(*file, *name, quantity, std::move(*mask));
    if (!maps) {
        return tl::unexpected(inFile(maps.error(), source.maps));
    }
    const MapsShape shape = (*maps)->shape();
    const TokenTexts texts = (*file)->tokens();
    auto queryTokens = tokensFor(texts.queries, shape.items, shape.queries, execution);
    auto keyTokens = tokensFor(texts.keys.empty() ? texts.queries : texts.keys, shape.items,
                               shape.keys, execution);
    if (!queryTokens || !keyTokens) {
        return tl::unexpected(queryTokens ? keyTokens.error() : queryTokens.error());
    }
    return std::make_shared<const StoredRun>(source, std::move(*maps), backend,
                                             std::move(*queryTokens), std::move(*keyTokens));
}

} // namespace heed
