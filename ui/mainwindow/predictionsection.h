// Which tokens the model expects at the pinned query.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/workspace.h"
#include "services/predictor.h"

#include <QWidget>

class QLabel;

namespace heed::ui {

class KeyValueTable;
class SectionHeading;

/// Hidden where the source predicts nothing.
class PredictionSection : public QWidget {
    Q_OBJECT
public:
    explicit PredictionSection(const Workspace& workspace, QWidget* parent = nullptr);

protected:
    void changeEvent(QEvent* event) override;

private:
    void ask();
    void show(const std::optional<TokenPredictions>& found);
    void showNothing(const QString& why);

    Workspace m_workspace;
    Predictor m_predictor;
    SectionHeading* m_heading;
    KeyValueTable* m_table;
    QLabel* m_note;
};

} // namespace heed::ui
