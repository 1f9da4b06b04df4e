// What the commands of the window do.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "dialogs/commandpalette.h"
#include "dialogs/exportdialog.h"
#include "dialogs/smalldialogs.h"
#include "mainwindow/actions.h"
#include "mainwindow/filecontroller.h"
#include "mainwindow/headspane.h"
#include "mainwindow/inputpanel.h"
#include "mainwindow/language.h"
#include "mainwindow/mainwindow.h"
#include "mainwindow/panels.h"
#include "mainwindow/statusstrip.h"
#include "mainwindow/tokenspanel.h"
#include "mainwindow/viewhistory.h"
#include "services/errortext.h"
#include "services/settings.h"
#include "views/headgridview.h"
#include "views/heatmapview.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QMessageBox>

namespace heed::ui {

namespace {
constexpr double ZoomStep = 1.25;
}

void MainWindow::on(ActionId id, void (MainWindow::*slot)())
{
    connect((*m_actions)[id], &QAction::triggered, this, slot);
}

void MainWindow::connectCommands()
{
    const Actions& a = *m_actions;
    connect(a[ActionId::StartPage], &QAction::triggered, m_files, &FileController::closeDocument);
    connect(a[ActionId::Example], &QAction::triggered, m_files, &FileController::openExample);
    connect(a[ActionId::Open], &QAction::triggered, m_files, &FileController::openDialog);
    connect(a[ActionId::OpenModel], &QAction::triggered, m_files, &FileController::openModelDialog);
    connect(a[ActionId::Save], &QAction::triggered, m_files, &FileController::save);
    connect(a[ActionId::SaveAs], &QAction::triggered, m_files, &FileController::saveAs);
    connect(a[ActionId::ClearRecent], &QAction::triggered, m_files,
            &FileController::clearRecentFiles);
    connect(a[ActionId::Quit], &QAction::triggered, this, &QWidget::close);

    connect(a[ActionId::CopyCell], &QAction::triggered, this, [this] { m_heatmap->copyCell(); });
    connect(a[ActionId::CopyRow], &QAction::triggered, this, [this] { m_heatmap->copyRow(); });
    connect(a[ActionId::CopyMatrix], &QAction::triggered, this,
            [this] { m_heatmap->copyMatrix(); });
    connect(a[ActionId::CopyImage], &QAction::triggered, m_heatmap, &HeatmapView::copyImage);
    connect(a[ActionId::Unpin], &QAction::triggered, m_selection, &SelectionModel::unpin);
    connect(a[ActionId::ZoomIn], &QAction::triggered, this,
            [this] { m_heatmap->zoomBy(ZoomStep); });
    connect(a[ActionId::ZoomOut], &QAction::triggered, this,
            [this] { m_heatmap->zoomBy(1 / ZoomStep); });
    connect(a[ActionId::Fit], &QAction::triggered, m_heatmap, &HeatmapView::fit);
    connect(a[ActionId::Back], &QAction::triggered, m_history, &ViewHistory::back);
    connect(a[ActionId::Forward], &QAction::triggered, m_history, &ViewHistory::forward);
    connect(a[ActionId::NextPanel], &QAction::triggered, this,
            [this] { m_panels->cycle(1, m_heatmap, m_heads->grid()); });
    connect(a[ActionId::PreviousPanel], &QAction::triggered, this,
            [this] { m_panels->cycle(-1, m_heatmap, m_heads->grid()); });
    connect(a[ActionId::CancelWork], &QAction::triggered, m_services.engine,
            &EngineService::cancelAll);
    connect(a[ActionId::AboutQt], &QAction::triggered, qApp, &QApplication::aboutQt);
    connect(a[ActionId::FullScreen], &QAction::triggered, this,
            [this](bool full) { full ? showFullScreen() : showNormal(); });
    connect(a[ActionId::HeadOrder], &QAction::triggered, m_heads, &HeadsPane::chooseOrder);
    connect(a[ActionId::HeadBar], &QAction::triggered, m_heads, &HeadsPane::chooseBar);
    connect(a[ActionId::HeadColour], &QAction::triggered, m_heads, &HeadsPane::chooseColour);
    connect(a[ActionId::HeadMetrics], &QAction::triggered, m_heads, &HeadsPane::focusMetrics);
    on(ActionId::MemoryBudget, &MainWindow::chooseMemoryBudget);
    on(ActionId::Export, &MainWindow::exportFigure);
    on(ActionId::EditText, &MainWindow::editText);
    on(ActionId::EditExpression, &MainWindow::editExpression);
    on(ActionId::GoToCell, &MainWindow::goToCell);
    on(ActionId::FindToken, &MainWindow::findToken);
    on(ActionId::FindNext, &MainWindow::findNext);
    on(ActionId::FindPrevious, &MainWindow::findPrevious);
    on(ActionId::Palette, &MainWindow::openPalette);
    on(ActionId::Backends, &MainWindow::showBackendList);
    on(ActionId::Shortcuts, &MainWindow::showShortcutList);
    on(ActionId::About, &MainWindow::showAboutBox);
}

void MainWindow::connectAppearance()
{
    const Actions& a = *m_actions;
    struct Choice {
        ActionId id;
        QString code;
    };
    const auto theme = [&](ActionId id, ThemeMode mode) {
        connect(a[id], &QAction::triggered, this, [this, mode] {
            m_services.settings->setTheme(themeModeName(mode));
            setTheme(themeModeName(mode));
        });
    };
    theme(ActionId::ThemeSystem, ThemeMode::System);
    theme(ActionId::ThemeLight, ThemeMode::Light);
    theme(ActionId::ThemeDark, ThemeMode::Dark);
    for (const Choice& choice : {Choice{ActionId::LanguageSystem, QStringLiteral("system")},
                                 Choice{ActionId::LanguageEnglish, QStringLiteral("en")},
                                 Choice{ActionId::LanguageChinese, QStringLiteral("zh_CN")}}) {
        connect(a[choice.id], &QAction::triggered, this, [this, code = choice.code] {
            m_services.settings->setLanguage(code);
            setLanguage(code);
        });
    }
    setTheme(themeModeName(m_services.theme->mode()));
    setLanguage(m_services.language->code());
}

void MainWindow::connectFigures()
{
    // The dialog says it beside its fields; it may have been closed before the file was there.
    connect(m_services.engine, &EngineService::figureWritten, this, [this](const QString& path) {
        m_status->showMessage(tr("Figure written to %1").arg(path), 5000);
    });
    connect(m_services.engine, &EngineService::figureNotWritten, this,
            [this](const QString&, const Error& error) {
                if (m_export == nullptr) {
                    const ErrorText text = errorText(error);
                    m_notice->show(text.title + QLatin1Char('\n') + text.detail);
                }
            });
}

ExportDialog* MainWindow::exportDialog() const
{
    return m_export;
}

void MainWindow::exportFigure()
{
    if (m_export == nullptr) {
        m_export = new ExportDialog(
            {m_services.engine, m_document, m_selection, m_view, m_services.settings}, this);
        m_export->setAttribute(Qt::WA_DeleteOnClose);
    }
    m_export->show();
    m_export->raise();
    m_export->activateWindow();
}

void MainWindow::setTheme(const QString& mode)
{
    const ThemeMode parsed = parseThemeMode(mode);
    m_services.theme->setMode(parsed);
    const ActionId id = parsed == ThemeMode::Light  ? ActionId::ThemeLight
                        : parsed == ThemeMode::Dark ? ActionId::ThemeDark
                                                    : ActionId::ThemeSystem;
    (*m_actions)[id]->setChecked(true);
}

void MainWindow::setLanguage(const QString& code)
{
    m_services.language->setCode(code);
    const ActionId id = code == QLatin1String("en")      ? ActionId::LanguageEnglish
                        : code == QLatin1String("zh_CN") ? ActionId::LanguageChinese
                                                         : ActionId::LanguageSystem;
    (*m_actions)[id]->setChecked(true);
}

void MainWindow::goToCell()
{
    GoToCellDialog dialog(m_selection->shape(), m_selection->pinned(), this);
    if (dialog.exec() == QDialog::Accepted) {
        m_heatmap->goToCell(dialog.cell());
        m_heatmap->setFocus();
    }
}

void MainWindow::chooseMemoryBudget()
{
    MemoryDialog dialog(m_services.engine->memoryBudget(), this); // --memory is in it
    if (dialog.exec() != QDialog::Accepted) {
        return;
    }
    m_services.settings->setMemoryBudget(dialog.budget());
    m_services.engine->setMemoryBudget(dialog.budget());
    if (const auto& error = m_document->error(); error && error->code == Code::OutOfMemory) {
        m_document->computeAgain();
    }
}

void MainWindow::findToken()
{
    static_cast<TokensPanel*>(m_panels->bring(PanelId::Tokens))->focusFind();
}

void MainWindow::findNext()
{
    static_cast<TokensPanel*>(m_panels->dock(PanelId::Tokens)->content())->findNext(1);
}

void MainWindow::findPrevious()
{
    static_cast<TokensPanel*>(m_panels->dock(PanelId::Tokens)->content())->findNext(-1);
}

void MainWindow::editText()
{
    const bool fresh = m_document->isEmpty();
    if (fresh) {
        m_files->openSentence();
    }
    static_cast<InputPanel*>(m_panels->bring(PanelId::Input))->focusText(fresh);
}

void MainWindow::editExpression()
{
    static_cast<InputPanel*>(m_panels->bring(PanelId::Input))->focusExpression();
}

void MainWindow::openPalette()
{
    commandPalette()->open();
}

void MainWindow::showBackendList()
{
    showBackends(BackendRegistry::instance().reports(), this);
}

void MainWindow::showShortcutList()
{
    showShortcuts(this, this);
}

void MainWindow::showAboutBox()
{
    showAbout(QStringLiteral(HEED_VERSION), this);
}

} // namespace heed::ui
