// One cell in words and numbers: what it is, how it came about, its row, its head.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/workspace.h"

#include <QScrollArea>
#include <QTimer>

class QLabel;
class QVBoxLayout;

namespace heed::ui {

class ElidedLabel;
class KeyValueTable;
class ProfileView;
class SectionHeading;
class SignedBars;

/// Shows the hovered cell, or the pinned one.
class InspectorPanel : public QScrollArea {
    Q_OBJECT
public:
    explicit InspectorPanel(const Workspace& workspace, QWidget* parent = nullptr);
    /// Wide enough for the content: the panel scrolls downwards only.
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void changeEvent(QEvent* event) override;

private:
    void build();
    void retranslate();
    void showCell();
    void showNothing();
    void showHead();
    void showStory(const MapRow* row, const CellRef& cell);
    [[nodiscard]] RowRequest rowOf(const CellRef& cell) const;

    Workspace m_workspace;
    QTimer m_patience; ///< the last cell stays until the next is there, but not for long
    bool m_isBlank = true;

    QWidget* m_card;
    QLabel* m_where;
    ElidedLabel* m_pair;
    QLabel* m_number;
    QLabel* m_rank;
    SectionHeading* m_storyHeading;
    KeyValueTable* m_story;
    QLabel* m_storyNote;
    SectionHeading* m_profileHeading;
    ProfileView* m_profile;
    SectionHeading* m_productsHeading;
    SignedBars* m_products;
    SectionHeading* m_headHeading;
    KeyValueTable* m_head;
};

} // namespace heed::ui
