// Docks, default places, versioned state.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/panels.h"

#include "services/settings.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QGuiApplication>
#include <QMainWindow>
#include <QPainter>
#include <QScreen>
#include <QTabBar>
#include <QTimer>
#include <QVersionNumber>
#include <algorithm>

namespace heed::ui {

namespace {

constexpr int LeftWidth = 292;
constexpr int RightWidth = 300;
constexpr int BottomHeight = 284; // all facts of the cost panel are seen
constexpr int BottomPercent = 32; // of the window, at most
constexpr int MinWidth = 236;
constexpr int UsualWindowWidth = 1440; // for these widths; smaller windows have smaller panels

/// Looks like a tab that is selected. Takes no mouse events, so the dock can be dragged by it.
class PanelTitle : public QWidget {
public:
    explicit PanelTitle(QDockWidget* dock)
        : QWidget(dock)
        , m_dock(dock)
    {
    }
    QSize sizeHint() const override { return {60, fontMetrics().height() + 18}; }
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Colours& c = coloursOf(palette());
        QPainter painter(this);
        painter.fillRect(0, height() - 1, width(), 1, c.line);
        QFont bold = font();
        bold.setWeight(QFont::DemiBold);
        painter.setFont(bold);
        painter.setPen(c.text);
        const QRect text = rect().adjusted(14, 0, -14, 0);
        painter.drawText(text, Qt::AlignVCenter | Qt::AlignLeft, m_dock->windowTitle());
        painter.fillRect(14, height() - 2,
                         painter.fontMetrics().horizontalAdvance(m_dock->windowTitle()), 2,
                         c.accent);
    }

private:
    QDockWidget* m_dock;
};

/// In place of a title for panels that have a tab.
class NoTitle : public QWidget {
public:
    using QWidget::QWidget;
    QSize sizeHint() const override { return {0, 0}; }
    QSize minimumSizeHint() const override { return {0, 0}; }
};

bool floatingWorks()
{
    // On Wayland before Qt 6.5.4 a panel that was torn off cannot be put back (QTBUG-87332).
    return !QGuiApplication::platformName().startsWith(QLatin1String("wayland")) ||
           QVersionNumber::fromString(QString::fromLatin1(qVersion())) >= QVersionNumber(6, 5, 4);
}

} // namespace

PanelDock::PanelDock(const QString& name, std::function<QWidget*()> make, QWidget* parent)
    : QDockWidget(parent)
    , m_make(std::move(make))
{
    setObjectName(name);
    setMinimumWidth(MinWidth);
    QDockWidget::DockWidgetFeatures features = DockWidgetClosable | DockWidgetMovable;
    features.setFlag(DockWidgetFloatable, floatingWorks());
    setFeatures(features);
    connect(this, &QDockWidget::visibilityChanged, this, [this](bool visible) {
        if (visible) {
            content();
        }
    });
}

QWidget* PanelDock::content()
{
    if (widget() == nullptr) {
        QWidget* made = m_make();
        setWidget(made);
        made->show();
    }
    return widget();
}

void PanelDock::updateTitle(bool tabbed)
{
    const bool plain = isFloating();
    QWidget* current = titleBarWidget();
    const char* wanted = plain ? "" : tabbed ? "none" : "title";
    if ((current == nullptr ? QStringLiteral("") : current->objectName()) ==
        QLatin1String(wanted)) {
        if (current != nullptr) {
            current->update();
        }
        return;
    }
    QWidget* next = nullptr;
    if (!plain) {
        next = tabbed ? static_cast<QWidget*>(new NoTitle(this)) : new PanelTitle(this);
        next->setObjectName(QLatin1String(wanted));
    }
    setTitleBarWidget(next);
    delete current;
}

Panels::Panels(QMainWindow* window, Settings* settings, std::vector<Make> makers)
    : QObject(window)
    , m_window(window)
    , m_settings(settings)
{
    static constexpr const char* names[] = {"panel.input", "panel.tokens", "panel.inspector",
                                            "panel.table", "panel.cost"};
    window->setDockOptions(QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks);
    window->setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    window->setDocumentMode(true);
    window->setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    window->setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    for (std::size_t i = 0; i < makers.size(); ++i) {
        auto* dock = new PanelDock(QLatin1String(names[i]), std::move(makers[i]), window);
        dock->toggleViewAction()->setObjectName(QLatin1String(names[i]) + ".toggle");
        m_docks.push_back(dock);
        // Titles follow where the dock ends up, which is known after this event.
        const auto later = [this] { QTimer::singleShot(0, this, &Panels::updateTitles); };
        connect(dock, &QDockWidget::dockLocationChanged, this, later);
        connect(dock, &QDockWidget::topLevelChanged, this, later);
        connect(dock, &QDockWidget::visibilityChanged, this, later);
        // A panel that is asked for comes to the front of its neighbours.
        connect(dock->toggleViewAction(), &QAction::triggered, dock, [dock](bool shown) {
            if (shown) {
                dock->raise();
            }
        });
    }
    placeDefault();
    retranslate();
}

void Panels::placeDefault()
{
    PanelDock* input = dock(PanelId::Input);
    PanelDock* tokens = dock(PanelId::Tokens);
    PanelDock* inspector = dock(PanelId::Inspector);
    PanelDock* table = dock(PanelId::Table);
    PanelDock* cost = dock(PanelId::Cost);
    for (PanelDock* one : m_docks) {
        one->setFloating(false);
    }
    m_window->addDockWidget(Qt::LeftDockWidgetArea, input);
    m_window->addDockWidget(Qt::LeftDockWidgetArea, tokens);
    m_window->tabifyDockWidget(input, tokens);
    m_window->addDockWidget(Qt::RightDockWidgetArea, inspector);
    m_window->addDockWidget(Qt::BottomDockWidgetArea, table);
    m_window->addDockWidget(Qt::BottomDockWidgetArea, cost);
    m_window->tabifyDockWidget(table, cost);
    input->show();
    tokens->show();
    inspector->show();
    table->hide();
    cost->hide();
    input->raise();
    const auto fitted = [this](int width) {
        return std::clamp(width * m_window->width() / UsualWindowWidth, MinWidth, width);
    };
    m_window->resizeDocks({input, inspector}, {fitted(LeftWidth), fitted(RightWidth)},
                          Qt::Horizontal);
    const int bottom = std::min(BottomHeight, m_window->height() * BottomPercent / 100);
    m_window->resizeDocks({table, cost}, {bottom, bottom}, Qt::Vertical);
    updateTitles();
}

void Panels::updateTitles()
{
    for (PanelDock* one : m_docks) {
        const auto neighbours = m_window->tabifiedDockWidgets(one);
        const bool tabbed =
            std::any_of(neighbours.begin(), neighbours.end(),
                        [](const QDockWidget* other) { return !other->isHidden(); });
        one->updateTitle(tabbed);
    }
    for (QTabBar* bar : m_window->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        bar->setExpanding(false);
        bar->setDrawBase(true);
        bar->setAccessibleName(tr("Panels"));
        bar->setElideMode(Qt::ElideRight);
    }
}

bool Panels::isSane() const
{
    // A panel off every screen helps nobody; none at all may be what was wanted.
    return std::none_of(m_docks.begin(), m_docks.end(), [](const PanelDock* one) {
        return one->isFloating() && !one->isHidden() &&
               QGuiApplication::screenAt(one->frameGeometry().center()) == nullptr;
    });
}

void Panels::apply(const QByteArray& state)
{
    if (state.isEmpty() || !m_window->restoreState(state, LayoutVersion) || !isSane()) {
        placeDefault();
    }
    updateTitles();
}

QByteArray Panels::state() const
{
    return m_shown ? m_window->saveState(LayoutVersion) : m_state;
}

void Panels::arrange(LayoutId layout)
{
    placeDefault();
    dock(PanelId::Tokens)->setVisible(layout == LayoutId::Debug);
    for (const auto id : {PanelId::Cost, PanelId::Table}) {
        dock(id)->setVisible(layout == LayoutId::Debug);
    }
    dock(PanelId::Table)->raise();
    for (const auto id : {PanelId::Input, PanelId::Inspector}) {
        dock(id)->setVisible(layout != LayoutId::Figure);
    }
    updateTitles();
}

void Panels::restore()
{
    apply(m_settings->layout(LayoutVersion));
}

void Panels::save()
{
    m_settings->saveLayout(m_window->saveGeometry(), state(), LayoutVersion);
}

void Panels::reset()
{
    m_settings->resetLayout();
    placeDefault();
}

void Panels::setShown(bool shown)
{
    if (shown == m_shown) {
        return;
    }
    if (!shown) {
        m_state = m_window->saveState(LayoutVersion);
    }
    m_shown = shown;
    if (shown) {
        apply(m_state);
    } else {
        for (PanelDock* one : m_docks) {
            one->hide();
        }
    }
    for (PanelDock* one : m_docks) {
        one->toggleViewAction()->setEnabled(shown);
    }
    updateTitles();
}

QWidget* Panels::bring(PanelId id)
{
    PanelDock* one = dock(id);
    one->show();
    one->raise();
    return one->content();
}

void Panels::cycle(int step, QWidget* centre, QWidget* second)
{
    // A panel is entered at its first field; a stop is the panel itself or the widget given.
    std::vector<QWidget*> stops;
    const auto panel = [&](PanelId id) {
        PanelDock* one = dock(id);
        // A panel behind another tab counts as visible, but is moved out of the window.
        const QRect place(one->mapTo(m_window, QPoint()), one->size());
        if (one->isVisible() && place.intersects(m_window->rect()) && one->widget() != nullptr) {
            stops.push_back(one->widget());
        }
    };
    panel(PanelId::Input);
    panel(PanelId::Tokens);
    stops.push_back(second);
    stops.push_back(centre);
    panel(PanelId::Table);
    panel(PanelId::Cost);
    panel(PanelId::Inspector);
    const QWidget* focus = QApplication::focusWidget();
    const auto holds = [focus](const QWidget* stop) {
        return focus != nullptr && (stop == focus || stop->isAncestorOf(focus));
    };
    const auto found = std::find_if(stops.begin(), stops.end(), holds);
    const auto count = static_cast<int>(stops.size());
    const int at =
        found == stops.end() ? (step > 0 ? -1 : 0) : static_cast<int>(found - stops.begin());
    QWidget* next = stops[static_cast<std::size_t>(((at + step) % count + count) % count)];
    if (next->focusPolicy() == Qt::NoFocus) {
        const auto inside = next->findChildren<QWidget*>();
        const auto field = std::find_if(inside.begin(), inside.end(), [](const QWidget* widget) {
            return (widget->focusPolicy() & Qt::TabFocus) != 0 && widget->isVisible() &&
                   widget->isEnabled();
        });
        if (field != inside.end()) {
            next = *field;
        }
    }
    next->setFocus(Qt::TabFocusReason);
}

void Panels::retranslate()
{
    dock(PanelId::Input)->setWindowTitle(tr("Input"));
    dock(PanelId::Tokens)->setWindowTitle(tr("Tokens"));
    dock(PanelId::Inspector)->setWindowTitle(tr("Inspector"));
    dock(PanelId::Table)->setWindowTitle(tr("Table"));
    dock(PanelId::Cost)->setWindowTitle(tr("Cost"));
    for (PanelDock* one : m_docks) {
        one->setAccessibleName(one->windowTitle());
        if (one->titleBarWidget() != nullptr) {
            one->titleBarWidget()->update();
        }
    }
}

} // namespace heed::ui
