// Menu bar and tool bar.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/actions.h"
#include "mainwindow/layouts.h"
#include "mainwindow/mainwindow.h"
#include "mainwindow/panels.h"
#include "widgets/glyphs.h"
#include "widgets/labels.h"
#include "widgets/segmentedcontrol.h"

#include <QMenu>
#include <QMenuBar>
#include <QToolBar>
#include <QToolButton>

namespace heed::ui {

namespace {

void addAll(QMenu* menu, const Actions& actions, std::initializer_list<ActionId> ids)
{
    for (const ActionId id : ids) {
        menu->addAction(actions[id]);
    }
}

/// A tool button that drops down the choices of @p group and shows the one in force.
QToolButton* choiceButton(QWidget* parent, QMenu* menu)
{
    auto* button = new QToolButton(parent);
    button->setProperty("heedBoxed", true);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    button->setMenu(menu);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

} // namespace

void MainWindow::buildMenus()
{
    const Actions& a = *m_actions;
    QMenuBar* bar = menuBar();
    m_menus.file = bar->addMenu(QString());
    addAll(m_menus.file, a, {ActionId::StartPage, ActionId::Open, ActionId::OpenModel});
    m_menus.models = m_menus.file->addMenu(QString());
    m_menus.models->setToolTipsVisible(true);
    m_menus.recent = m_menus.file->addMenu(QString());
    m_menus.recent->setToolTipsVisible(true);
    addAll(m_menus.file, a, {ActionId::ClearRecent, ActionId::Example});
    m_menus.file->addSeparator();
    addAll(m_menus.file, a, {ActionId::Save, ActionId::SaveAs});
    m_menus.file->addSeparator();
    addAll(m_menus.file, a, {ActionId::Export});
    m_menus.file->addSeparator();
    addAll(m_menus.file, a, {ActionId::Quit});

    m_menus.edit = bar->addMenu(QString());
    addAll(m_menus.edit, a, {ActionId::Undo, ActionId::Redo});
    m_menus.edit->addSeparator();
    addAll(m_menus.edit, a,
           {ActionId::CopyCell, ActionId::CopyRow, ActionId::CopyMatrix, ActionId::CopyImage});
    m_menus.edit->addSeparator();
    addAll(m_menus.edit, a,
           {ActionId::FindToken, ActionId::FindNext, ActionId::FindPrevious, ActionId::GoToCell,
            ActionId::Unpin});
    m_menus.edit->addSeparator();
    addAll(m_menus.edit, a,
           {ActionId::EditText, ActionId::Sandbox, ActionId::SpecialTokens, ActionId::NewSeed,
            ActionId::Scaled, ActionId::Biased});

    m_menus.view = bar->addMenu(QString());
    const auto submenu = [&](QMenu*& menu, ActionGroupId group) {
        menu = m_menus.view->addMenu(QString());
        menu->addActions(a.group(group)->actions());
    };
    submenu(m_menus.quantity, ActionGroupId::Quantity);
    submenu(m_menus.colours, ActionGroupId::ColourMap);
    submenu(m_menus.range, ActionGroupId::Range);
    submenu(m_menus.pooling, ActionGroupId::Pooling);
    m_menus.heads = m_menus.view->addMenu(QString());
    addAll(m_menus.heads, a,
           {ActionId::HeadOrder, ActionId::HeadBar, ActionId::HeadColour, ActionId::HeadMetrics});
    addAll(m_menus.view, a, {ActionId::HatchMasked, ActionId::CellNumbers});
    m_menus.view->addSeparator();
    addAll(m_menus.view, a, {ActionId::ZoomIn, ActionId::ZoomOut, ActionId::Fit});
    m_menus.view->addSeparator();
    addAll(m_menus.view, a,
           {ActionId::Back, ActionId::Forward, ActionId::NextHead, ActionId::PreviousHead,
            ActionId::NextItem, ActionId::PreviousItem});
    m_menus.view->addSeparator();
    submenu(m_menus.theme, ActionGroupId::Theme);
    submenu(m_menus.language, ActionGroupId::Language);
    addAll(m_menus.view, a, {ActionId::FullScreen});

    m_menus.masks = bar->addMenu(QString());
    addAll(m_menus.masks, a, {ActionId::Padding, ActionId::Causal});
    m_menus.masks->addSeparator();
    addAll(m_menus.masks, a, {ActionId::PadLeft, ActionId::PadRight});
    m_menus.masks->addSeparator();
    addAll(m_menus.masks, a, {ActionId::EditExpression, ActionId::NoMask});

    m_menus.window = bar->addMenu(QString());
    addAll(m_menus.window, a, {ActionId::Palette, ActionId::NextPanel, ActionId::PreviousPanel});
    m_menus.window->addSeparator();
    for (const auto id :
         {PanelId::Input, PanelId::Tokens, PanelId::Inspector, PanelId::Table, PanelId::Cost}) {
        m_menus.window->addAction(m_panels->dock(id)->toggleViewAction());
    }
    m_menus.window->addSeparator();
    m_layouts->setMenu(m_menus.layouts = m_menus.window->addMenu(QString()));
    addAll(m_menus.window, a, {ActionId::CancelWork, ActionId::MemoryBudget});

    m_menus.help = bar->addMenu(QString());
    addAll(m_menus.help, a,
           {ActionId::Shortcuts, ActionId::Backends, ActionId::About, ActionId::AboutQt});
    for (QMenu* menu :
         {m_menus.file, m_menus.edit, m_menus.view, m_menus.masks, m_menus.window, m_menus.help}) {
        menu->setToolTipsVisible(false);
    }
}

void MainWindow::buildToolBar()
{
    const Actions& a = *m_actions;
    m_toolBar = addToolBar(QString());
    m_toolBar->setObjectName(QStringLiteral("toolbar"));
    m_toolBar->setMovable(false);
    m_toolBar->setFloatable(false);
    m_toolBar->setToolButtonStyle(Qt::ToolButtonTextOnly);
    m_toolBar->setContextMenuPolicy(Qt::PreventContextMenu);
    m_toolBar->toggleViewAction()->setVisible(false);
    const auto button = [&](ActionId id, const char* look) {
        auto* made = new QToolButton(m_toolBar);
        made->setDefaultAction(a[id]);
        made->setToolButtonStyle(Qt::ToolButtonTextOnly);
        made->setFocusPolicy(Qt::TabFocus);
        if (look != nullptr) {
            made->setProperty(look, true);
        }
        m_toolBar->addWidget(made);
        return made;
    };
    const auto stretch = [&] {
        auto* space = new QWidget(m_toolBar);
        space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
        m_toolBar->addWidget(space);
    };
    button(ActionId::Open, "heedBoxed");
    a[ActionId::Undo]->setIcon(glyphIcon(Glyph::Undo));
    a[ActionId::Redo]->setIcon(glyphIcon(Glyph::Redo));
    for (const auto id : {ActionId::Undo, ActionId::Redo}) {
        a[id]->setIconVisibleInMenu(false);
        button(id, nullptr)->setToolButtonStyle(Qt::ToolButtonIconOnly);
    }
    m_toolBar->addSeparator();
    m_toolBar->addWidget(new SegmentedControl(a.group(ActionGroupId::Quantity), m_toolBar));
    m_toolBar->addSeparator();
    m_toolBar->addWidget(m_rangeButton = choiceButton(m_toolBar, m_menus.range));
    m_toolBar->addWidget(m_mapButton = choiceButton(m_toolBar, m_menus.colours));
    stretch();
    m_findButton = new QToolButton(m_toolBar);
    m_findButton->setProperty("heedBoxed", true);
    m_findButton->setFocusPolicy(Qt::TabFocus);
    connect(m_findButton, &QToolButton::clicked, a[ActionId::Palette], &QAction::trigger);
    m_toolBar->addWidget(m_findButton);
    button(ActionId::Export, "heedPrimary");
    connect(m_view, &ViewSettingsModel::changed, this, &MainWindow::retranslateMenus);
}

void MainWindow::retranslateMenus()
{
    m_menus.file->setTitle(tr("&File"));
    m_menus.models->setTitle(tr("Models on this &machine"));
    m_menus.recent->setTitle(tr("Open &recent"));
    m_menus.edit->setTitle(tr("&Edit"));
    m_menus.view->setTitle(tr("&View"));
    m_menus.quantity->setTitle(tr("&Quantity"));
    m_menus.colours->setTitle(tr("&Colours"));
    m_menus.range->setTitle(tr("&Range"));
    m_menus.pooling->setTitle(tr("&Pooling"));
    m_menus.heads->setTitle(tr("Hea&ds"));
    m_menus.theme->setTitle(tr("&Theme"));
    m_menus.language->setTitle(tr("&Language"));
    m_menus.masks->setTitle(tr("&Masks"));
    m_menus.window->setTitle(tr("&Window"));
    m_menus.layouts->setTitle(tr("&Layouts"));
    m_menus.help->setTitle(tr("&Help"));
    m_toolBar->setWindowTitle(tr("Tool bar"));
    QAction* table = m_panels->dock(PanelId::Table)->toggleViewAction();
    table->setText(tr("View as &table"));
    table->setToolTip(withoutMnemonic(table->text()));
    QAction* cost = m_panels->dock(PanelId::Cost)->toggleViewAction();
    cost->setText(tr("Co&st of attention"));
    cost->setToolTip(withoutMnemonic(cost->text()));

    // What is in force, also when it was chosen by the quantity.
    const ViewSettings& settings = m_view->settings();
    const auto range = [&] {
        switch (settings.effectiveRangeMode()) {
        case RangeMode::Unit:
            return ActionId::RangeUnit;
        case RangeMode::Map:
            return ActionId::RangeMap;
        case RangeMode::Heads:
            return ActionId::RangeHeads;
        case RangeMode::Manual:
            break;
        }
        return ActionId::RangeManual;
    }();
    m_rangeButton->setText((*m_actions)[range]->iconText());
    m_rangeButton->setToolTip(tr("Range of the colours"));
    m_rangeButton->setAccessibleName(
        tr("Range of the colours: %1").arg((*m_actions)[range]->iconText()));
    static constexpr ActionId maps[] = {ActionId::MapViridis, ActionId::MapCividis,
                                        ActionId::MapMagma,   ActionId::MapInferno,
                                        ActionId::MapGrey,    ActionId::MapDiverging};
    const QString map =
        (*m_actions)[maps[static_cast<std::size_t>(settings.effectiveColourMap())]]->iconText();
    m_mapButton->setText(map);
    m_mapButton->setToolTip(tr("Colours"));
    m_mapButton->setAccessibleName(tr("Colours: %1").arg(map));
    showFind();
}

void MainWindow::showFind()
{
    const QAction* find = (*m_actions)[ActionId::Palette];
    m_findButton->setText(find->iconText() + QStringLiteral("   ") +
                          find->shortcut().toString(QKeySequence::NativeText));
    if (m_toolBar->sizeHint().width() > width()) {
        m_findButton->setText(find->iconText()); // the tool tip has the keys
    }
    m_findButton->setToolTip(find->toolTip());
    m_findButton->setAccessibleName(find->iconText());
}

} // namespace heed::ui
