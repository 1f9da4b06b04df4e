// What a model expects at a token, asked in the background.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "services/workpool.h"

#include "heed/predictions.h"

#include <QObject>
#include <optional>
#include <stop_token>

namespace heed::ui {

/// Lives in the GUI thread. The latest question wins; an earlier one is stopped.
class Predictor : public QObject {
    Q_OBJECT
public:
    explicit Predictor(QObject* parent = nullptr);
    ~Predictor() override; ///< waits for a question that still runs

    /// answered() or failed() later, unless another question or stop() comes first. Without a @p
    /// position, what is expected where a person most likely wants to know.
    void ask(const RunPtr& run, std::int64_t item, std::optional<std::int64_t> position);
    void stop();

Q_SIGNALS:
    /// @param found nothing where the model expects nothing: an encoder without a masked token.
    void answered(const std::optional<heed::TokenPredictions>& found);
    void failed(const heed::Error& error);

private:
    WorkPool m_pool;
    std::stop_source m_stop;
    quint64 m_question = 0;
};

} // namespace heed::ui
