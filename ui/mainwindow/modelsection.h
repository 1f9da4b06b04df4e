// The open model: what it is, how text goes into it, where the user's mask acts.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/workspace.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;

namespace heed::ui {

class ElidedLabel;
class KeyValueTable;
class SectionHeading;

/// In the place of the layer's settings while the source is a checkpoint.
class ModelSection : public QWidget {
    Q_OBJECT
public:
    explicit ModelSection(const Workspace& workspace, QWidget* parent = nullptr);

protected:
    void changeEvent(QEvent* event) override;

private:
    void build();
    void buildDecoding();
    void connectFields();
    void retranslate();
    void showSource();
    void showModel();
    void showPair();
    void showTarget();
    void showMaskScope();
    void editPair(const QString& text);
    void editTarget(const QString& text);
    void chooseAttention(int index);
    void chooseMaskScope(int index);

    Workspace m_workspace;

    SectionHeading* m_heading;
    ElidedLabel* m_name;
    KeyValueTable* m_facts;
    QWidget* m_specialRow;
    QLabel* m_specialLabel;
    QLabel* m_pairLabel;
    QLineEdit* m_pair;
    QWidget* m_decoding; ///< of models with a decoder alone
    QLabel* m_targetLabel;
    QLineEdit* m_target;
    QLabel* m_attentionLabel;
    QComboBox* m_attention;
    QLabel* m_scopeLabel;
    QComboBox* m_scope;
};

} // namespace heed::ui
