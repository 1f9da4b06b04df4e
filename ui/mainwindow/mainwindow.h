// The window: panels around the map, and the commands that hold them together.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/workspace.h"
#include "services/sessionfile.h"
#include "widgets/messagebar.h"

#include <QMainWindow>
#include <QPointer>
#include <optional>

class QMenu;
class QSplitter;
class QStackedWidget;
class QToolButton;

namespace heed::ui {

class CommandPalette;
class ExportDialog;
class FileController;
class HeadsPane;
class HeatmapView;
class InputPanel;
class Language;
class Layouts;
class Panels;
class Recovery;
class Settings;
class StartPage;
class StatusStrip;
class Theme;
class TokensPanel;
class ViewHistory;
enum class ActionId;

/// What the window needs and does not own; all outlive it.
struct WindowServices {
    EngineService* engine = nullptr;
    Settings* settings = nullptr;
    Recovery* recovery = nullptr;
    Theme* theme = nullptr;
    Language* language = nullptr;
};

/// What was asked for of the map that is shown first; the rest is as ever.
struct FirstMap {
    std::optional<std::int64_t> layer, item, head;
};

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(const WindowServices& services, QWidget* parent = nullptr);
    ~MainWindow() override;

    [[nodiscard]] const Workspace& workspace() const { return m_workspace; }
    [[nodiscard]] FileController* files() const { return m_files; }
    [[nodiscard]] HeatmapView* heatmap() const { return m_heatmap; }
    [[nodiscard]] Panels* panels() const { return m_panels; }
    [[nodiscard]] Layouts* layouts() const { return m_layouts; }
    [[nodiscard]] CommandPalette* commandPalette();
    [[nodiscard]] ExportDialog* exportDialog() const; ///< null while it is closed
    /// Of the first run that is shown. What it does not have is said in the message bar.
    void setFirstMap(const FirstMap& map) { m_firstMap = map; }
    void setTheme(const QString& mode);
    void setLanguage(const QString& code);
    /// Leaves everything in order without asking: unsaved work is kept for the next start.
    void closeDown();

protected:
    void changeEvent(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    // mainwindow.cpp
    void buildCentre();
    void buildPanels();
    void connectDocument();
    void connectMap();
    void connectFiles();
    void showRun();
    void showFirstMap();
    void showState();
    void showFile();
    void showPlace();
    void retranslate();
    [[nodiscard]] Session sessionNow() const;
    // windowmenus.cpp
    void buildMenus();
    void buildToolBar();
    void retranslateMenus();
    void showFind();
    // windowcommands.cpp
    void connectCommands();
    void on(ActionId id, void (MainWindow::*slot)());
    void connectAppearance();
    void connectFigures();
    void exportFigure();
    void goToCell();
    void chooseMemoryBudget();
    void findToken();
    void findNext();
    void findPrevious();
    void editText();
    void editExpression();
    void openPalette();
    void showBackendList();
    void showShortcutList();
    void showAboutBox();

    WindowServices m_services;
    Workspace m_workspace;
    Document* m_document;
    SelectionModel* m_selection;
    ViewSettingsModel* m_view;
    Actions* m_actions;

    QStackedWidget* m_stack;
    MessageBar* m_notice;
    StartPage* m_start;
    QSplitter* m_splitter;
    HeadsPane* m_heads;
    HeatmapView* m_heatmap;
    StatusStrip* m_status;
    Panels* m_panels;
    Layouts* m_layouts;
    FileController* m_files;
    ViewHistory* m_history;
    CommandPalette* m_palette = nullptr;
    QPointer<ExportDialog> m_export;
    FirstMap m_firstMap;
    std::optional<RestoredView> m_pending; ///< of a session whose maps are still computed
    std::vector<MessageButton> m_waysOut;  ///< behind the buttons of the map's message

    QToolBar* m_toolBar;
    QToolButton* m_findButton;
    QToolButton* m_rangeButton;
    QToolButton* m_mapButton;
    struct Menus {
        QMenu* file = nullptr;
        QMenu* models = nullptr;
        QMenu* recent = nullptr;
        QMenu* edit = nullptr;
        QMenu* view = nullptr;
        QMenu* quantity = nullptr;
        QMenu* colours = nullptr;
        QMenu* range = nullptr;
        QMenu* pooling = nullptr;
        QMenu* heads = nullptr;
        QMenu* theme = nullptr;
        QMenu* language = nullptr;
        QMenu* masks = nullptr;
        QMenu* window = nullptr;
        QMenu* layouts = nullptr;
        QMenu* help = nullptr;
    } m_menus;
};

} // namespace heed::ui
