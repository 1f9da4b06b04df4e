// The masks: switches, padding, expression, and a picture of the result.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/workspace.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QSpinBox;

namespace heed::ui {

class MaskLegend;
class MaskPicture;
class MessageBar;
class SectionHeading;
class SegmentedControl;

/// A mistake in the expression is said below the field while the last good one stays in force.
class MaskSection : public QWidget {
    Q_OBJECT
public:
    explicit MaskSection(const Workspace& workspace, QWidget* parent = nullptr);
    void focusExpression();

protected:
    void changeEvent(QEvent* event) override;

private:
    void build();
    void connectFields();
    void retranslate();
    void showSource();
    void showMask();
    void editExpression(const QString& text);
    void showProblem(const QString& problem);

    Workspace m_workspace;
    bool m_showing = false;

    SectionHeading* m_heading;
    QLabel* m_paddingLabel;
    QLabel* m_causalLabel;
    QLabel* m_sideLabel;
    SegmentedControl* m_side;
    QLabel* m_padToLabel;
    QSpinBox* m_padTo;
    QLabel* m_expressionLabel;
    QLineEdit* m_expression;
    QLabel* m_problem;
    MaskPicture* m_picture;
    MaskLegend* m_legend;
    MessageBar* m_hint;
};

} // namespace heed::ui
