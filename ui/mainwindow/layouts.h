// Layouts of the panels: those that come with the program, and those saved under a name.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <vector>

class QAction;
class QActionGroup;
class QMenu;
class QWidget;

namespace heed::ui {

class Actions;
class Panels;
class Settings;
struct NamedLayout;

/// Keeps a menu of all layouts. Each saved one has two commands, to use and to remove it.
class Layouts : public QObject {
    Q_OBJECT
public:
    /// All pointers outlive this; @p window owns the commands.
    Layouts(const Actions& actions, Panels* panels, Settings* settings, QWidget* window);

    /// Fills @p menu, and again whenever the saved layouts change.
    void setMenu(QMenu* menu);
    /// No layout can be chosen around the start page.
    void setEnabled(bool enabled);
    void retranslate();

    /// Keeps the panels as they are; an equal name is replaced.
    void save(const QString& name);
    void remove(const QString& name);

private:
    void askAndSave();
    void fill();
    void store(const std::vector<NamedLayout>& layouts);

    const Actions& m_actions;
    Panels* m_panels;
    Settings* m_settings;
    QWidget* m_window;
    QActionGroup* m_all;
    QMenu* m_menu = nullptr;
    QMenu* m_removeMenu = nullptr;
    std::vector<QAction*> m_saved;
};

} // namespace heed::ui
