// One cell in words and numbers: what it is, how it came about, its row, its head.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/workspace.h"

#include <QScrollArea>
#include <optional>

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
    /// The value of the quantity on show at @p cell, once its tile is there.
    [[nodiscard]] std::optional<float> valueAt(const CellRef& cell) const;
    [[nodiscard]] TileRequest requestFor(const CellRef& cell) const;

    Workspace m_workspace;

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
