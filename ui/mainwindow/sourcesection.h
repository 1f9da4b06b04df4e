// The settings of the layer: sizes, seed, positions, tokenizer.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/workspace.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace heed::ui {

class MessageBar;
class SectionHeading;

/// Every change is computed at once; what cannot be is said below the fields.
class SourceSection : public QWidget {
    Q_OBJECT
public:
    explicit SourceSection(const Workspace& workspace, QWidget* parent = nullptr);

protected:
    void changeEvent(QEvent* event) override;

private:
    void build();
    void connectFields();
    void retranslate();
    [[nodiscard]] LayerConfig layerInForce() const;
    void showSource();
    void showState();
    void editSeed(const QString& text);

    Workspace m_workspace;
    bool m_showing = false; ///< fields are being filled, not edited

    SectionHeading* m_heading;
    QLabel* m_file;
    QLabel* m_widthLabel;
    QSpinBox* m_width;
    QLabel* m_headsLabel;
    QSpinBox* m_heads;
    QLabel* m_headWidth;
    QLabel* m_kvLabel;
    QSpinBox* m_kvHeads;
    QLabel* m_seedLabel;
    QLineEdit* m_seed;
    QLabel* m_positionsLabel;
    QComboBox* m_positions;
    QLabel* m_tokenizerLabel;
    QComboBox* m_tokenizer;
    QLabel* m_scaledLabel;
    QLabel* m_biasedLabel;
    MessageBar* m_problem;
};

} // namespace heed::ui
