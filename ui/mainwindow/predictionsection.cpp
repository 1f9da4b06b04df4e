// A small table, asked for again with every run and pin.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/predictionsection.h"

#include "heed/model.h"
#include "services/errortext.h"
#include "widgets/keyvaluetable.h"
#include "widgets/labels.h"

#include <QEvent>
#include <QVBoxLayout>

namespace heed::ui {

namespace {

QString percent(double probability)
{
    return probability > 0 && probability < 1e-4
               ? QStringLiteral("< 0.01 %")
               : QStringLiteral("%1 %").arg(probability * 100, 0, 'f', 2);
}

QString textOf(const Prediction& prediction)
{
    return QString::fromStdString(displayText(prediction.token));
}

} // namespace

PredictionSection::PredictionSection(const Workspace& workspace, QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(m_heading = new SectionHeading({}, this));
    layout->addWidget(m_table = new KeyValueTable(this));
    layout->addWidget(m_note = new MutedLabel({}, this));
    m_note->setWordWrap(true);
    connect(&m_predictor, &Predictor::answered, this, &PredictionSection::show);
    connect(&m_predictor, &Predictor::failed, this,
            [this](const Error& error) { showNothing(errorText(error).title); });
    connect(m_workspace.document, &Document::runChanged, this, &PredictionSection::ask);
    connect(m_workspace.selection, &SelectionModel::pinChanged, this, &PredictionSection::ask);
    connect(m_workspace.selection, &SelectionModel::mapChanged, this, &PredictionSection::ask);
    ask();
}

void PredictionSection::ask()
{
    const RunPtr run = m_workspace.document->run();
    const bool predicts = run != nullptr && run->predicts() && run->model() != nullptr;
    setVisible(predicts);
    m_predictor.stop();
    if (!predicts) {
        return;
    }
    const SelectionModel& selection = *m_workspace.selection;
    const std::int64_t item = selection.map().item;
    const auto& items = run->predictingTokens().items;
    std::optional<std::int64_t> position;
    // The rows of the encoder of a model that has a decoder predict nothing.
    const bool areRows = &run->predictingTokens() == &run->queryTokens();
    if (const CellRef& pinned = selection.pinned(); pinned.isValid() && areRows) {
        const auto& tokens = items[static_cast<std::size_t>(item)];
        if (pinned.query < static_cast<qint64>(tokens.size()) &&
            !tokens[static_cast<std::size_t>(pinned.query)].isPadding) {
            position = pinned.query;
        }
    }
    m_heading->setText(predictsNext(*run) ? tr("Expected next") : tr("Expected in this place"));
    m_predictor.ask(run, item, position);
}

void PredictionSection::showNothing(const QString& why)
{
    m_table->hide();
    m_note->setText(why);
}

void PredictionSection::show(const std::optional<TokenPredictions>& found)
{
    if (!found) {
        showNothing(tr("Pin a cell to see what is expected at its query, or type [MASK] for a "
                       "word."));
        return;
    }
    const RunPtr run = m_workspace.document->run();
    const TokenPredictions& at = *found;
    std::vector<KeyValue> rows;
    for (const Prediction& prediction : at.best) {
        const bool isActual = at.actual && prediction.rank == at.actual->rank;
        rows.push_back({textOf(prediction), percent(prediction.probability), isActual});
    }
    m_table->setRows(rows);
    m_table->show();
    const QString token = tokenText(run->predictingTokens(), at.item, at.position);
    QString note = predictsNext(*run) ? tr("after token %1 “%2”").arg(at.position).arg(token)
                                      : tr("at token %1 “%2”").arg(at.position).arg(token);
    if (at.actual) {
        note += QStringLiteral(" · ") + tr("there is “%1”, rank %2, %3")
                                            .arg(textOf(*at.actual))
                                            .arg(at.actual->rank)
                                            .arg(percent(at.actual->probability));
    }
    m_note->setText(note);
}

void PredictionSection::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        ask();
    }
}

} // namespace heed::ui
