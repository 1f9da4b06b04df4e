// The menu of layouts and what its commands do.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/layouts.h"

#include "mainwindow/actions.h"
#include "mainwindow/panels.h"
#include "services/settings.h"

#include <QInputDialog>
#include <QMenu>
#include <QMessageBox>
#include <algorithm>

namespace heed::ui {

namespace {

constexpr int LongestName = 60;

auto named(const QString& name)
{
    return [name](const NamedLayout& layout) { return layout.name == name; };
}

} // namespace

Layouts::Layouts(const Actions& actions, Panels* panels, Settings* settings, QWidget* window)
    : QObject(window)
    , m_actions(actions)
    , m_panels(panels)
    , m_settings(settings)
    , m_window(window)
    , m_all(new QActionGroup(this))
{
    m_all->setExclusionPolicy(QActionGroup::ExclusionPolicy::None);
    for (const auto& [id, layout] : {std::pair{ActionId::LayoutLearn, LayoutId::Learn},
                                     std::pair{ActionId::LayoutDebug, LayoutId::Debug},
                                     std::pair{ActionId::LayoutFigure, LayoutId::Figure}}) {
        m_all->addAction(actions[id]);
        connect(actions[id], &QAction::triggered, panels,
                [panels, layout = layout] { panels->arrange(layout); });
    }
    m_all->addAction(actions[ActionId::SaveLayout]);
    m_all->addAction(actions[ActionId::ResetLayout]);
    connect(actions[ActionId::SaveLayout], &QAction::triggered, this, &Layouts::askAndSave);
    connect(actions[ActionId::ResetLayout], &QAction::triggered, panels, &Panels::reset);
}

void Layouts::setMenu(QMenu* menu)
{
    m_menu = menu;
    m_removeMenu = new QMenu(menu);
    fill();
}

void Layouts::setEnabled(bool enabled)
{
    m_all->setEnabled(enabled);
}

void Layouts::fill()
{
    for (QAction* action : m_saved) {
        action->setVisible(false); // at once; it may be the one that was just triggered
        action->deleteLater();
    }
    m_saved.clear();
    m_menu->clear();
    m_removeMenu->clear();
    for (const auto id : {ActionId::LayoutLearn, ActionId::LayoutDebug, ActionId::LayoutFigure}) {
        m_menu->addAction(m_actions[id]);
    }
    m_menu->addSeparator();
    const auto command = [this](const QString& text, const QString& name) {
        auto* action = new QAction(
            text.arg(QString(name).replace(QLatin1Char('&'), QStringLiteral("&&"))), m_window);
        m_all->addAction(action);
        m_saved.push_back(action);
        return action;
    };
    for (const NamedLayout& layout : m_settings->namedLayouts(Panels::LayoutVersion)) {
        QAction* use = command(tr("Layout: %1"), layout.name);
        connect(use, &QAction::triggered, this,
                [this, state = layout.state] { m_panels->apply(state); });
        m_menu->addAction(use);
        QAction* removal = command(tr("Remove layout: %1"), layout.name);
        connect(removal, &QAction::triggered, this, [this, name = layout.name] { remove(name); });
        m_removeMenu->addAction(removal);
    }
    m_menu->addSeparator();
    m_menu->addAction(m_actions[ActionId::SaveLayout]);
    m_menu->addMenu(m_removeMenu)->setEnabled(!m_removeMenu->isEmpty());
    m_menu->addAction(m_actions[ActionId::ResetLayout]);
}

void Layouts::retranslate()
{
    m_removeMenu->setTitle(tr("&Remove layout"));
    fill();
}

void Layouts::askAndSave()
{
    QInputDialog dialog(m_window);
    dialog.setWindowTitle(tr("Save layout"));
    dialog.setLabelText(tr("Name of the layout:"));
    dialog.setMinimumWidth(360);
    const auto layouts = m_settings->namedLayouts(Panels::LayoutVersion);
    for (;;) {
        if (dialog.exec() != QDialog::Accepted) {
            return;
        }
        const QString name = dialog.textValue().simplified().left(LongestName);
        if (name.isEmpty()) {
            continue;
        }
        if (std::none_of(layouts.begin(), layouts.end(), named(name)) ||
            QMessageBox::question(m_window, tr("Save layout"),
                                  tr("There is a layout “%1”. Replace it?").arg(name)) ==
                QMessageBox::Yes) {
            save(name);
            return;
        }
    }
}

void Layouts::save(const QString& name)
{
    auto layouts = m_settings->namedLayouts(Panels::LayoutVersion);
    const auto found = std::find_if(layouts.begin(), layouts.end(), named(name));
    if (found != layouts.end()) {
        found->state = m_panels->state();
    } else {
        layouts.push_back({name, m_panels->state()});
    }
    store(layouts);
}

void Layouts::remove(const QString& name)
{
    auto layouts = m_settings->namedLayouts(Panels::LayoutVersion);
    layouts.erase(std::remove_if(layouts.begin(), layouts.end(), named(name)), layouts.end());
    store(layouts);
}

void Layouts::store(const std::vector<NamedLayout>& layouts)
{
    m_settings->setNamedLayouts(layouts, Panels::LayoutVersion);
    fill();
}

} // namespace heed::ui
