// Parts of the window and how they hear of each other.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/mainwindow.h"

#include "dialogs/commandpalette.h"
#include "dialogs/exportdialog.h"
#include "mainwindow/actions.h"
#include "mainwindow/costpanel.h"
#include "mainwindow/filecontroller.h"
#include "mainwindow/headspane.h"
#include "mainwindow/inputpanel.h"
#include "mainwindow/inspectorpanel.h"
#include "mainwindow/layouts.h"
#include "mainwindow/panels.h"
#include "mainwindow/sourcecontroller.h"
#include "mainwindow/startpage.h"
#include "mainwindow/statusstrip.h"
#include "mainwindow/tablepanel.h"
#include "mainwindow/tokenspanel.h"
#include "mainwindow/undokeys.h"
#include "mainwindow/viewcontroller.h"
#include "mainwindow/viewhistory.h"
#include "mainwindow/waysout.h"
#include "services/errortext.h"
#include "services/recovery.h"
#include "services/sessionfile.h"
#include "services/settings.h"
#include "views/headgridview.h"
#include "views/heatmapview.h"
#include "widgets/theme.h"

#include <QCloseEvent>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QScreen>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <utility>

namespace heed::ui {

namespace {
constexpr QSize InitialSize(1440, 900);
constexpr int GridWidth = 304;

/// The heads keep the width they were given, as long as the larger part is the map's.
class CentreSplitter : public QSplitter {
public:
    CentreSplitter(int headsWidth, QWidget* parent)
        : QSplitter(parent)
        , m_headsWidth(headsWidth)
    {
        setChildrenCollapsible(false);
        connect(this, &QSplitter::splitterMoved, this, [this] { m_headsWidth = sizes().first(); });
    }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        QSplitter::resizeEvent(event);
        const int room = width() - handleWidth();
        const int heads = std::min(m_headsWidth, room * HeadsPercent / 100);
        setSizes({heads, room - heads});
    }

private:
    static constexpr int HeadsPercent = 42;
    int m_headsWidth;
};

} // namespace

MainWindow::MainWindow(const WindowServices& services, QWidget* parent)
    : QMainWindow(parent)
    , m_services(services)
    , m_document(new Document(services.engine, this))
    , m_selection(new SelectionModel(this))
    , m_view(new ViewSettingsModel(this))
    , m_actions(new Actions(this))
{
    setObjectName(QStringLiteral("heedmap"));
    setAcceptDrops(true);
    services.engine->setMemoryBudget(services.settings->memoryBudget());
    // At large scales the screen is smaller than the picture of the window.
    resize(InitialSize.boundedTo(screen()->availableSize() * 0.96));
    m_workspace = {services.engine, m_document, m_selection, m_view, m_actions};
    new UndoKeys(this);

    new SourceController(m_workspace, this);
    new ViewController(m_workspace, this);
    buildCentre();
    m_files = new FileController(
        m_workspace, services.settings, services.recovery, this, [this] { return sessionNow(); },
        [this](const RestoredView& view) {
            m_view->setSettings(view.settings);
            // Layer, item, head and pin are clamped when the shape is known.
            m_pending = view;
        });
    buildPanels();
    buildMenus();
    buildToolBar();
    m_status = new StatusStrip(m_workspace, this);
    setStatusBar(m_status);
    m_history = new ViewHistory(
        [this] {
            return ViewPlace{m_selection->map(), m_view->settings(),
                             m_heatmap->isFitted() ? std::nullopt
                                                   : std::optional(m_heatmap->visibleCells())};
        },
        [this](const ViewPlace& place) {
            m_view->setSettings(place.settings);
            m_selection->setMap(place.map);
            if (place.cells) {
                m_heatmap->setVisibleCells(*place.cells);
            } else {
                m_heatmap->fit();
            }
        },
        500, this);
    connectDocument();
    connectMap();
    connectFiles();
    connectCommands();
    connectAppearance();
    connectFigures();
    restoreGeometry(services.settings->geometry());
    m_panels->restore(); // before showState(), which puts the panels away from the start page
    retranslate();
}

MainWindow::~MainWindow()
{
    // The parts go one by one and take their requests back; none may hear of it and act on a part
    // that is gone.
    m_document->disconnect();
    m_document->undoStack()->disconnect();
    m_services.engine->disconnect(this);
    for (const QObject* part : findChildren<QObject*>()) {
        m_services.engine->disconnect(part);
    }
}

void MainWindow::buildCentre()
{
    auto* centre = new QWidget(this);
    centre->setBackgroundRole(QPalette::Base);
    centre->setAutoFillBackground(true);
    auto* layout = new QVBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_notice = new MessageBar(centre));
    layout->addWidget(m_stack = new QStackedWidget(centre), 1);
    m_stack->addWidget(m_start = new StartPage(m_workspace, m_stack));
    m_stack->addWidget(m_splitter = new CentreSplitter(GridWidth, m_stack));
    m_splitter->addWidget(m_heads = new HeadsPane(m_workspace, m_splitter));
    m_splitter->addWidget(
        m_heatmap = new HeatmapView(m_workspace.service, m_selection, m_view, m_splitter));
    setCentralWidget(centre);
}

void MainWindow::buildPanels()
{
    m_panels = new Panels(this, m_services.settings,
                          {[this]() -> QWidget* { return new InputPanel(m_workspace, this); },
                           [this]() -> QWidget* { return new TokensPanel(m_workspace, this); },
                           [this]() -> QWidget* { return new InspectorPanel(m_workspace, this); },
                           [this]() -> QWidget* { return new TablePanel(m_workspace, this); },
                           [this]() -> QWidget* { return new CostPanel(m_workspace, this); }});
    m_layouts = new Layouts(*m_actions, m_panels, m_services.settings, this);
}

void MainWindow::connectDocument()
{
    connect(m_document, &Document::runChanged, this, &MainWindow::showRun);
    connect(m_document, &Document::stateChanged, this, &MainWindow::showState);
    connect(m_document, &Document::fileChanged, this, &MainWindow::showFile);
    QUndoStack* stack = m_document->undoStack();
    QAction* undo = (*m_actions)[ActionId::Undo];
    QAction* redo = (*m_actions)[ActionId::Redo];
    undo->setEnabled(false);
    redo->setEnabled(false);
    connect(stack, &QUndoStack::canUndoChanged, undo, &QAction::setEnabled);
    connect(stack, &QUndoStack::canRedoChanged, redo, &QAction::setEnabled);
    connect(undo, &QAction::triggered, stack, &QUndoStack::undo);
    connect(redo, &QAction::triggered, stack, &QUndoStack::redo);
    const auto name = [this, stack] {
        m_actions->setUndoTexts(stack->undoText(), stack->redoText());
    };
    connect(stack, &QUndoStack::undoTextChanged, this, name);
    connect(stack, &QUndoStack::redoTextChanged, this, name);
}

void MainWindow::connectMap()
{
    const auto moved = [this] { m_history->touch(); };
    connect(m_selection, &SelectionModel::mapChanged, this, moved);
    connect(m_view, &ViewSettingsModel::changed, this, moved);
    connect(m_heatmap, &HeatmapView::viewChanged, this, moved);
    connect(m_history, &ViewHistory::changed, this, [this] {
        (*m_actions)[ActionId::Back]->setEnabled(m_history->canGoBack());
        (*m_actions)[ActionId::Forward]->setEnabled(m_history->canGoForward());
    });
    (*m_actions)[ActionId::Back]->setEnabled(false);
    (*m_actions)[ActionId::Forward]->setEnabled(false);

    connect(m_selection, &SelectionModel::hoverChanged, this, &MainWindow::showPlace);
    connect(m_selection, &SelectionModel::pinChanged, this, &MainWindow::showPlace);
    connect(m_heatmap, &HeatmapView::readingsChanged, this, &MainWindow::showPlace);
    connect(m_heatmap, &HeatmapView::painted, m_status, &StatusStrip::setPaintMs);
    connect(m_heatmap, &HeatmapView::copied, this,
            [this](const QString& what) { m_status->showMessage(what, 3000); });
    connect(m_heatmap, &HeatmapView::copyRefused, this,
            [this](const QString& why) { m_notice->show(why); });
    connect(m_heatmap, &HeatmapView::messageButtonClicked, this, [this](int index) {
        if (index >= 0 && index < static_cast<int>(m_waysOut.size())) {
            const auto action = m_waysOut[static_cast<std::size_t>(index)].action;
            action();
        }
    });
    connect(m_heatmap, &HeatmapView::cellMenuRequested, this,
            [this](const QPoint& position, const CellRef& cell) {
                m_selection->pin(cell);
                QMenu menu(this);
                for (const auto id :
                     {ActionId::CopyCell, ActionId::CopyRow, ActionId::CopyMatrix,
                      ActionId::CopyImage, ActionId::Unpin, ActionId::Fit, ActionId::GoToCell}) {
                    menu.addAction((*m_actions)[id]);
                }
                menu.exec(position);
            });
}

void MainWindow::connectFiles()
{
    connect(m_files, &FileController::message, this,
            [this](const QString& text, const std::vector<MessageButton>& buttons) {
                // On the start page the page itself has the place for it.
                MessageBar* bar = m_document->isEmpty() ? m_start->offers() : m_notice;
                (bar == m_notice ? m_start->offers() : m_notice)->clear();
                bar->show(text, buttons);
            });
    const auto showRecent = [this] {
        m_start->setRecentFiles(m_files->recentFiles());
        m_files->fillRecentMenu(m_menus.recent);
        (*m_actions)[ActionId::ClearRecent]->setEnabled(!m_files->recentFiles().isEmpty());
    };
    connect(m_files, &FileController::recentChanged, this, showRecent);
    connect(m_files, &FileController::opened, m_history, &ViewHistory::clear);
    connect(m_start, &StartPage::recentChosen, m_files, &FileController::open);
    showRecent();
    const auto showModels = [this] {
        m_start->setModels(m_files->models()->models());
        m_files->fillModelMenu(m_menus.models);
    };
    connect(m_files->models(), &ModelList::changed, this, showModels);
    connect(m_start, &StartPage::modelChosen, m_files, &FileController::open);
    // What was fetched while the program runs is there when the menu is opened the next time.
    connect(m_menus.file, &QMenu::aboutToShow, m_files->models(), &ModelList::refresh);
    showModels();
    m_files->models()->refresh();
}

void MainWindow::showRun()
{
    const RunPtr run = m_document->run();
    m_selection->setShape(run != nullptr ? run->maps()->shape() : MapsShape{});
    if (run != nullptr && m_pending) {
        m_selection->setMap(m_pending->map);
    }
    if (run != nullptr) {
        showFirstMap();
    }
    if (run != nullptr && m_pending) {
        const RestoredView view = *m_pending;
        m_pending.reset();
        m_selection->pin(view.pinned);
        m_heatmap->setRun(run);
        if (view.cells) {
            m_heatmap->setVisibleCells(*view.cells);
        }
    }
    m_heatmap->setRun(run);
    m_heads->setRun(run);
    if (run != nullptr && m_history->isEmpty()) {
        m_history->touch(); // the place to come back to
    }
    showPlace();
}

void MainWindow::showFirstMap()
{
    const FirstMap asked = std::exchange(m_firstMap, {});
    const MapsShape& shape = m_selection->shape();
    MapIndex map = m_selection->map();
    QStringList missing;
    const auto choose = [&](std::optional<std::int64_t> position, std::int64_t& chosen,
                            std::int64_t count, const QString& lack) {
        if (position && *position >= count) {
            missing += lack.arg(*position).arg(count - 1);
        } else {
            chosen = position.value_or(chosen);
        }
    };
    choose(asked.layer, map.layer, shape.layers, tr("There is no layer %1; the last one is %2."));
    choose(asked.item, map.item, shape.items, tr("There is no item %1; the last one is %2."));
    choose(asked.head, map.head, shape.heads, tr("There is no head %1; the last one is %2."));
    m_selection->setMap(map);
    if (!missing.isEmpty()) {
        m_notice->show(missing.join(QLatin1Char('\n')));
    }
}

void MainWindow::showState()
{
    const bool empty = m_document->isEmpty();
    const auto& error = m_document->error();
    m_stack->setCurrentWidget(empty ? static_cast<QWidget*>(m_start) : m_splitter);
    m_panels->setShown(!empty);
    m_toolBar->setVisible(!empty);
    m_status->setVisible(!empty);
    const bool refused = m_document->isRefused();
    m_heads->setEnabled(!refused); // what is left there belongs to other settings
    m_panels->dock(PanelId::Inspector)->content()->setEnabled(!refused);
    m_heatmap->setStale(m_document->isStale());
    m_heads->grid()->setStale(m_document->isStale());
    m_heatmap->setLoading(!empty && m_document->run() == nullptr && !error);
    if (refused) {
        const ErrorText text = errorText(*error, m_document->source());
        m_waysOut = waysOut(m_workspace);
        QStringList buttons;
        for (const MessageButton& way : m_waysOut) {
            buttons += way.text;
        }
        m_heatmap->setMessage(text.title, text.detail, buttons);
    } else {
        m_heatmap->clearMessage();
    }
    showPlace();
    for (const auto id : {ActionId::Save, ActionId::SaveAs, ActionId::StartPage}) {
        (*m_actions)[id]->setEnabled(!empty);
    }
    m_layouts->setEnabled(!empty);
    const bool looking = m_document->run() != nullptr;
    for (const auto id :
         {ActionId::CopyCell, ActionId::CopyRow, ActionId::CopyMatrix, ActionId::CopyImage,
          ActionId::FindToken, ActionId::FindNext, ActionId::FindPrevious, ActionId::GoToCell,
          ActionId::ZoomIn, ActionId::ZoomOut, ActionId::Fit, ActionId::Export, ActionId::HeadOrder,
          ActionId::HeadBar, ActionId::HeadColour, ActionId::HeadMetrics}) {
        (*m_actions)[id]->setEnabled(looking);
    }
}

void MainWindow::showFile()
{
    const QString path = m_document->filePath();
    const QString name = m_document->isEmpty() ? QString()
                         : path.isEmpty()      ? tr("Untitled")
                                               : QFileInfo(path).fileName();
    setWindowTitle(name.isEmpty() ? tr("Heedmap") : tr("%1[*] — Heedmap").arg(name));
    setWindowModified(m_document->isModified());
    setWindowFilePath(path);
}

void MainWindow::showPlace()
{
    const CellRef cell = m_selection->current();
    (*m_actions)[ActionId::Unpin]->setEnabled(m_selection->pinned().isValid());
    QString place;
    if (cell.isValid()) {
        const auto reading = m_heatmap->reading(cell);
        place = QStringLiteral("q%1 %2 → k%3 %4  %5")
                    .arg(cell.query)
                    .arg(m_heatmap->queryText(cell.query))
                    .arg(cell.key)
                    .arg(m_heatmap->keyText(cell.key),
                         reading ? exactNumber(double{reading->value}) : QStringLiteral("…"));
    }
    const bool isShown = m_document->run() != nullptr && !m_document->isRefused();
    m_status->setPlace(isShown ? place : QString(), isShown ? m_heatmap->badge() : QString());
}

Session MainWindow::sessionNow() const
{
    return makeSession(m_document->source(), m_view->settings(), *m_selection,
                       m_heatmap->isFitted() ? std::nullopt
                                             : std::optional(m_heatmap->visibleCells()));
}

CommandPalette* MainWindow::commandPalette()
{
    if (m_palette == nullptr) {
        m_palette = new CommandPalette(this);
    }
    return m_palette;
}

void MainWindow::retranslate()
{
    m_actions->retranslate();
    m_panels->retranslate();
    m_layouts->retranslate();
    retranslateMenus();
    m_heatmap->setAccessibleName(tr("Attention map"));
    showState();
    showFile();
    showPlace();
}

void MainWindow::changeEvent(QEvent* event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    showFind();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!m_files->mayLeave()) {
        event->ignore();
        return;
    }
    m_panels->save();
    m_services.recovery->discardCopy();
    event->accept();
}

void MainWindow::closeDown()
{
    m_panels->save();
    if (!m_document->isEmpty() && m_document->isModified()) {
        m_services.recovery->keepCopy(sessionNow(), m_document->filePath());
    } else {
        m_services.recovery->discardCopy();
    }
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasUrls()) {
        event->acceptProposedAction();
    }
}

void MainWindow::dropEvent(QDropEvent* event)
{
    QStringList paths;
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile()) {
            paths << url.toLocalFile();
        }
    }
    if (paths.isEmpty()) {
        m_notice->show(tr("What was dropped is not a file on this machine."));
        return;
    }
    event->acceptProposedAction();
    m_files->openFirst(paths);
}

} // namespace heed::ui
