// Logits to probabilities, and the tokens they belong to.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/predictions.h"

#include "heed/model.h"
#include "heed/tokenizerfile.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heed {

namespace {

bool isMask(const Token& token)
{
    return token.text == "[MASK]" || token.text == "<mask>";
}

const std::vector<Token>& tokensOf(const Run& run, std::int64_t item)
{
    return run.predictingTokens().items[static_cast<std::size_t>(item)];
}

bool isReal(const Run& run, std::int64_t item, std::int64_t position)
{
    const Batch& batch = run.predictingTokens();
    return item >= 0 && item < batch.size() && position >= 0 && position < batch.length &&
           !tokensOf(run, item)[static_cast<std::size_t>(position)].isPadding;
}

/// NaN is less than any number, so that the order is total.
float ordered(float logit)
{
    return std::isnan(logit) ? -INFINITY : logit;
}

/// The logits of one token as probabilities.
class Distribution {
public:
    Distribution(const Run& run, std::span<const float> logits)
        : m_run(run)
        , m_logits(logits)
        , m_largest(double{*std::ranges::max_element(logits, {}, ordered)})
    {
        for (const float logit : logits) {
            m_sum += std::exp(double{logit} - m_largest);
        }
    }

    [[nodiscard]] std::vector<Prediction> best(std::int64_t count) const
    {
        std::vector<std::int64_t> ids(m_logits.size());
        std::iota(ids.begin(), ids.end(), std::int64_t{0});
        const auto last = ids.begin() + std::min(count, static_cast<std::int64_t>(ids.size()));
        std::ranges::partial_sort(
            ids, last, [this](std::int64_t a, std::int64_t b) { return isBefore(a, b); });
        std::vector<Prediction> predictions;
        for (auto id = ids.begin(); id != last; ++id) {
            predictions.push_back(of(*id, id - ids.begin() + 1));
        }
        return predictions;
    }

    [[nodiscard]] Prediction of(std::int64_t id) const
    {
        std::int64_t rank = 1;
        for (std::int64_t other = 0; other < std::ssize(m_logits); ++other) {
            rank += isBefore(other, id) ? 1 : 0;
        }
        return of(id, rank);
    }

private:
    [[nodiscard]] float logit(std::int64_t id) const
    {
        return m_logits[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] bool isBefore(std::int64_t a, std::int64_t b) const
    {
        const float first = ordered(logit(a));
        const float second = ordered(logit(b));
        return first != second ? first > second : a < b;
    }
    [[nodiscard]] Prediction of(std::int64_t id, std::int64_t rank) const
    {
        Prediction made;
        if (const VocabularyTokenizer* tokenizer = m_run.tokenizer()) {
            made.token = tokenizer->token(static_cast<std::uint64_t>(id));
        }
        made.token.id = static_cast<std::uint64_t>(id);
        if (made.token.text.empty()) {
            made.token.text = std::to_string(id);
        }
        made.logit = logit(id);
        made.probability = std::exp(double{made.logit} - m_largest) / m_sum;
        made.rank = rank;
        return made;
    }

    const Run& m_run;
    std::span<const float> m_logits;
    double m_largest;
    double m_sum = 0;
};

/// The token that a prediction at @p position is about, where there is one.
std::optional<std::int64_t> actualToken(const Run& run, std::int64_t item, std::int64_t position)
{
    const bool isNext = predictsNext(run);
    const std::int64_t place = isNext ? position + 1 : position;
    if (!isReal(run, item, place)) {
        return std::nullopt;
    }
    const Token& token = tokensOf(run, item)[static_cast<std::size_t>(place)];
    if (!isNext && isMask(token)) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(token.id);
}

} // namespace

bool predictsNext(const Run& run)
{
    const ModelConfig* model = run.model();
    return model != nullptr && (model->causal || model->decoder != nullptr);
}

std::vector<std::int64_t> predictedPositions(const Run& run, std::int64_t item)
{
    std::vector<std::int64_t> positions;
    if (run.model() == nullptr) {
        return positions;
    }
    for (std::int64_t position = 0; position < run.predictingTokens().length; ++position) {
        if (!isReal(run, item, position)) {
            continue;
        }
        if (predictsNext(run)) {
            positions.assign(1, position);
        } else if (isMask(tokensOf(run, item)[static_cast<std::size_t>(position)])) {
            positions.push_back(position);
        }
    }
    return positions;
}

Expected<std::vector<TokenPredictions>> predictTokens(const Run& run, std::int64_t item,
                                                      const std::vector<std::int64_t>& positions,
                                                      std::int64_t count,
                                                      const Execution& execution)
{
    std::vector<TokenPredictions> predictions;
    for (const std::int64_t position : positions) {
        if (!isReal(run, item, position)) {
            return fail(Code::InvalidArgument, "There is no token " + std::to_string(position) +
                                                   " in item " + std::to_string(item) +
                                                   ", or it is padding.");
        }
        const auto logits = run.logits(item, position, 1, execution);
        if (!logits) {
            return tl::unexpected(logits.error());
        }
        const Distribution distribution(run, logits->values());
        TokenPredictions made{item, position, distribution.best(count), {}};
        if (const auto actual = actualToken(run, item, position)) {
            made.actual = distribution.of(*actual);
        }
        predictions.push_back(std::move(made));
    }
    return predictions;
}

} // namespace heed
