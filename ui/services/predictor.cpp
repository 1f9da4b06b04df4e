// One thread of its own: a large vocabulary takes a while.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "services/predictor.h"

#include <utility>

namespace heed::ui {

namespace {

constexpr std::int64_t Shown = 5;

Expected<std::optional<TokenPredictions>> predict(const Run& run, std::int64_t item,
                                                  std::optional<std::int64_t> position,
                                                  const Execution& execution)
{
    if (!position) {
        const auto positions = predictedPositions(run, item);
        if (positions.empty()) {
            return std::nullopt;
        }
        position = positions.front();
    }
    return predictTokens(run, item, {*position}, Shown, execution)
        .map([](std::vector<TokenPredictions>&& found) {
            return std::optional<TokenPredictions>(std::move(found.front()));
        });
}

} // namespace

Predictor::Predictor(QObject* parent)
    : QObject(parent)
{
    m_pool.setThreads(1);
}

Predictor::~Predictor()
{
    stop();
    m_pool.waitForDone();
}

void Predictor::stop()
{
    m_stop.request_stop();
    ++m_question; // what is on its way is not told
}

void Predictor::ask(const RunPtr& run, std::int64_t item, std::optional<std::int64_t> position)
{
    stop();
    m_stop = std::stop_source();
    m_pool.start([this, run, item, position, at = m_question, token = m_stop.get_token()] {
        auto found = predict(*run, item, position, {.stop = token});
        QMetaObject::invokeMethod(
            this,
            [this, at, found = std::move(found)] {
                if (at != m_question) {
                    return;
                }
                if (found) {
                    Q_EMIT answered(*found);
                } else {
                    Q_EMIT failed(found.error());
                }
            },
            Qt::QueuedConnection);
    });
}

} // namespace heed::ui
