// All tokens of a line, and finding one.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/workspace.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QTableView;

namespace heed::ui {

class TokenModel;

class TokensPanel : public QWidget {
    Q_OBJECT
public:
    explicit TokensPanel(const Workspace& workspace, QWidget* parent = nullptr);
    void focusFind();
    /// @param step +1 or −1.
    void findNext(int step);

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslate();
    void showTokens();
    void showMatches();
    void pin(int token);
    [[nodiscard]] std::vector<int> matches() const;

    Workspace m_workspace;
    QLineEdit* m_find;
    QLabel* m_count;
    QTableView* m_table;
    TokenModel* m_model;
};

} // namespace heed::ui
