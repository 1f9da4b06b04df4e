// The panels around the map: docks, their titles, their layout.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>
#include <QObject>
#include <functional>
#include <vector>

class QMainWindow;

namespace heed::ui {

class Settings;

enum class PanelId { Input, Tokens, Inspector, Table, Cost, Count };

/// Layouts that come with the program.
enum class LayoutId {
    Learn,  ///< input and inspector
    Debug,  ///< every panel
    Figure, ///< only heads and map
};

/// A dock whose content is made when it is first seen.
class PanelDock : public QDockWidget {
    Q_OBJECT
public:
    PanelDock(const QString& name, std::function<QWidget*()> make, QWidget* parent);
    /// The content, made now if need be.
    QWidget* content();
    /// A title for a panel that stands alone; none for one that has a tab.
    void updateTitle(bool tabbed);

private:
    std::function<QWidget*()> m_make;
};

/// Places the docks, keeps the layout between starts, and takes it back when it is no good.
class Panels : public QObject {
    Q_OBJECT
public:
    using Make = std::function<QWidget*()>;
    static constexpr int LayoutVersion = 2; ///< goes up with every change of the docks
    /// @param makers by PanelId.
    Panels(QMainWindow* window, Settings* settings, std::vector<Make> makers);

    [[nodiscard]] PanelDock* dock(PanelId id) const
    {
        return m_docks[static_cast<std::size_t>(id)];
    }
    /// The docks as saved, or the default when nothing usable was saved.
    void restore();
    void save();
    void reset();
    void arrange(LayoutId layout);
    [[nodiscard]] QByteArray state() const;
    /// Places the docks as in @p state; as by default when it is no good.
    void apply(const QByteArray& state);
    /// No docks around the start page; the ones that were there come back.
    void setShown(bool shown);
    /// Opens the panel in front of its neighbours and returns its content.
    QWidget* bring(PanelId id);
    void retranslate();
    /// Moves the focus to the next (+1) or previous (−1) of @p stops and the visible panels.
    void cycle(int step, QWidget* centre, QWidget* second);

private:
    void placeDefault();
    void updateTitles();
    [[nodiscard]] bool isSane() const;

    QMainWindow* m_window;
    Settings* m_settings;
    std::vector<PanelDock*> m_docks;
    QByteArray m_state; ///< of the docks while they are put away
    bool m_shown = true;
};

} // namespace heed::ui
