// What the centre shows while nothing is open.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/modelfinder.h"
#include "mainwindow/workspace.h"

#include <QScrollArea>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace heed::ui {

class MessageBar;
class SectionHeading;

class StartPage : public QScrollArea {
    Q_OBJECT
public:
    explicit StartPage(const Workspace& workspace, QWidget* parent = nullptr);
    void setRecentFiles(const QStringList& paths);
    void setModels(const std::vector<FoundModel>& models);
    /// The place for offers of recovered work.
    [[nodiscard]] MessageBar* offers() const { return m_offers; }

Q_SIGNALS:
    void recentChosen(const QString& path);
    void modelChosen(const QString& path);

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslate();

    Workspace m_workspace;
    QLabel* m_title;
    QLabel* m_subtitle;
    MessageBar* m_offers;
    QPushButton* m_example;
    QPushButton* m_sentence;
    QPushButton* m_open;
    QLabel* m_exampleNote;
    QLabel* m_sentenceNote;
    QLabel* m_openNote;
    SectionHeading* m_modelsHeading;
    QWidget* m_models;
    QVBoxLayout* m_modelsLayout;
    SectionHeading* m_recentHeading;
    QWidget* m_recent;
    QVBoxLayout* m_recentLayout;
    QLabel* m_drop;
    QLabel* m_palette;
};

} // namespace heed::ui
