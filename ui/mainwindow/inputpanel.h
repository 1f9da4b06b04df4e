// What goes in: text, layer, masks.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/workspace.h"

#include <QScrollArea>

class QComboBox;
class QLabel;

namespace heed::ui {

class MaskSection;
class ModelSection;
class SectionHeading;
class SourceSection;
class TextField;
class TokenModel;
class TokenStrip;

class InputPanel : public QScrollArea {
    Q_OBJECT
public:
    explicit InputPanel(const Workspace& workspace, QWidget* parent = nullptr);
    /// @param select so that typing replaces it.
    void focusText(bool select);
    void focusExpression();
    /// Wide enough for the content: the panel scrolls downwards only.
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void build();
    void retranslate();
    void showSource();
    void showRun();
    void showItem();
    void showNotes();
    void fitText();
    void editText();
    void pinChosen();

    Workspace m_workspace;
    qint64 m_chosen = -1; ///< the query of a token that was clicked, until its row is there
    bool m_showing = false;

    SectionHeading* m_textHeading;
    TextField* m_text;
    QLabel* m_itemLabel;
    QComboBox* m_item;
    QWidget* m_itemRow;
    QLabel* m_notes; ///< what the run says of the text
    SourceSection* m_source;
    ModelSection* m_model;
    MaskSection* m_masks;
    SectionHeading* m_tokensHeading;
    TokenModel* m_tokens;
    TokenStrip* m_strip;
};

/// The lines of a text field as the source has them: no empty lines at the end, CR removed.
[[nodiscard]] std::vector<std::string> linesOf(const QString& text);

} // namespace heed::ui
