// Find any command by typing some of its letters.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>
#include <QFrame>
#include <QPointer>
#include <vector>

class QAction;
class QLineEdit;
class QListView;

namespace heed::ui {

/// Property of an action: a list of other words by which it is found.
inline constexpr const char* SearchWords = "heedSearchWords";

/// How well @p text answers @p pattern: the letters in order, runs and word starts count more.
/// −1 when a letter is missing; 0 for an empty pattern.
[[nodiscard]] int fuzzyScore(const QString& pattern, const QString& text);

/// The commands that match, best first.
class CommandModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { KeysRole = Qt::UserRole, EnabledRole };

    explicit CommandModel(QObject* parent = nullptr);
    void setActions(const QList<QAction*>& actions);
    void setPattern(const QString& pattern);
    [[nodiscard]] QAction* action(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

    /// The words of a command without marks for keys and dots.
    [[nodiscard]] static QString nameOf(const QAction* action);

private:
    QList<QPointer<QAction>> m_all;
    QList<QPointer<QAction>> m_shown;
};

class CommandPalette : public QFrame {
    Q_OBJECT
public:
    explicit CommandPalette(QWidget* window);
    /// Every action of the window that has a name; opens over the upper middle of the window.
    void open();
    [[nodiscard]] static QList<QAction*> commandsOf(const QWidget* window);
    [[nodiscard]] QLineEdit* field() const { return m_field; }
    [[nodiscard]] CommandModel* model() const { return m_model; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void retranslate();
    void run(const QModelIndex& index);

    QWidget* m_window;
    QLineEdit* m_field;
    QListView* m_list;
    CommandModel* m_model;
};

} // namespace heed::ui
