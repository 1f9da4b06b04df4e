// Where things stand: small windows, layouts of the panels, nothing cut.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "windowbench.h"

#include "dialogs/commandpalette.h"
#include "mainwindow/layouts.h"
#include "mainwindow/panels.h"
#include "mainwindow/startpage.h"
#include "views/heatmapview.h"
#include "widgets/maskpicture.h"
#include "widgets/switchbutton.h"
#include "widgets/theme.h"
#include "widgets/tokenstrip.h"

#include <QApplication>
#include <QHeaderView>
#include <QLabel>
#include <QMenuBar>
#include <QScrollBar>
#include <QTableView>
#include <QTest>
#include <QWheelEvent>

using namespace heed;
using namespace heed::ui;

class TestWindowLayout : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void junkLayoutFallsBack();
    void smallWindowsCutNothing();
    void wheelScrollsTheInput();
    void startPageCutsNoText();
    void masksStandBesideTheirPicture();
    void lineUnderTheMenusIsWhole();
    void layoutsComeBackByName();
    void hiddenPanelsStayHidden();

private:
    Theme* m_theme = nullptr;
};

void TestWindowLayout::initTestCase()
{
    m_theme = new Theme(*qApp);
    m_theme->setMode(ThemeMode::Light);
}

void TestWindowLayout::junkLayoutFallsBack()
{
    Bench bench(m_theme);
    bench.window.reset();
    bench.settings.saveLayout("junk", "more junk", 1);
    bench.open(m_theme);
    bench.action(ActionId::Example)->trigger();
    QTRY_VERIFY(bench.settled());
    for (const auto id : {PanelId::Input, PanelId::Inspector}) {
        QVERIFY(bench.window->panels()->dock(id)->isVisible());
    }
    QVERIFY(bench.window->width() >= 800);
    bench.window->panels()->dock(PanelId::Inspector)->close();
    bench.action(ActionId::ResetLayout)->trigger();
    QVERIFY(bench.window->panels()->dock(PanelId::Inspector)->isVisible());
}

void TestWindowLayout::smallWindowsCutNothing()
{
    Bench bench(m_theme);
    bench.window->resize(900, 560);
    bench.action(ActionId::Example)->trigger();
    QTRY_VERIFY(bench.settled());
    QTest::qWait(50);
    QCOMPARE(bench.window->size(), QSize(900, 560));
    const QRect window = bench.window->rect();
    for (const QWidget* widget : bench.window->findChildren<QWidget*>()) {
        const bool labels =
            qobject_cast<const QLabel*>(widget) || qobject_cast<const QAbstractButton*>(widget);
        if (!labels || !widget->isVisible() || widget->objectName().startsWith("qt_")) {
            continue;
        }
        const QRect place(widget->mapTo(bench.window.get(), QPoint()), widget->size());
        QVERIFY2(place.left() >= 0 && place.right() <= window.right(),
                 qPrintable(widget->accessibleName()));
        QVERIFY2(widget->width() >= widget->minimumSizeHint().width(),
                 qPrintable(widget->accessibleName()));
    }
    // Most of the centre is the map's.
    const QWidget* centre = bench.window->centralWidget();
    QVERIFY(bench.window->heatmap()->width() * 100 >= centre->width() * 45);
    const auto* table = bench.window->findChild<QTableView*>();
    for (int column = 0; column < table->model()->columnCount(); ++column) {
        QVERIFY(table->isColumnHidden(column) ||
                table->columnWidth(column) >= table->horizontalHeader()->sectionSizeHint(column));
    }
}

void TestWindowLayout::wheelScrollsTheInput()
{
    Bench bench(m_theme);
    bench.window->resize(1440, 600);
    bench.action(ActionId::Example)->trigger();
    QTRY_VERIFY(bench.settled());
    QWidget* panel = bench.window->panels()->bring(PanelId::Input);
    auto* bar = static_cast<QAbstractScrollArea*>(panel)->verticalScrollBar();
    QTRY_VERIFY(bar->maximum() > 0);
    const Source before = bench.document()->source();
    for (const char* name : {"QLabel", "heed::ui::MaskPicture", "QSpinBox", "QComboBox"}) {
        QWidget* over = nullptr;
        for (QWidget* widget : panel->findChildren<QWidget*>()) {
            if (over == nullptr && widget->inherits(name) && widget->isVisible() &&
                !widget->hasFocus()) {
                over = widget;
            }
        }
        QVERIFY2(over != nullptr, name);
        bar->setValue(0);
        const QPoint at = over->rect().center();
        QWheelEvent notch(at, over->mapToGlobal(at), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QSpontaneKeyEvent::setSpontaneous(&notch); // only real ones reach the parents
        qApp->notify(over, &notch);
        QVERIFY2(bar->value() > 0, name);
    }
    QVERIFY(bench.document()->source() == before);
}

void TestWindowLayout::startPageCutsNoText()
{
    Bench bench(m_theme);
    for (const int height : {900, 320}) {
        bench.window->resize(900, height);
        QTest::qWait(20);
        const QWidget* page = bench.window->findChild<StartPage*>();
        for (const QLabel* label : page->findChildren<QLabel*>()) {
            if (label->isVisible() && label->wordWrap()) {
                QVERIFY2(label->height() >= label->heightForWidth(label->width()),
                         qPrintable(label->text()));
            }
        }
    }
}

void TestWindowLayout::masksStandBesideTheirPicture()
{
    Bench bench(m_theme);
    bench.action(ActionId::Example)->trigger();
    QTRY_VERIFY(bench.settled());
    QTest::qWait(50);
    QWidget* panel = bench.window->panels()->bring(PanelId::Input);
    const auto placeIn = [panel](const QWidget* widget) {
        return QRect(widget->mapTo(panel, QPoint()), widget->size());
    };
    const auto* picture = panel->findChild<MaskPicture*>();
    const SwitchButton* causal = nullptr;
    for (const auto* button : panel->findChildren<SwitchButton*>()) {
        if (button->accessibleName() == QLatin1String("Causal mask")) {
            causal = button;
        }
    }
    QVERIFY(causal != nullptr && picture->isVisible());
    QVERIFY(placeIn(picture).left() > placeIn(causal).right());
    QVERIFY(placeIn(picture).bottom() > placeIn(causal).bottom());
    QVERIFY(placeIn(picture).top() < placeIn(causal).top());
    QVERIFY(panel->rect().contains(placeIn(panel->findChild<TokenStrip*>())));
}

void TestWindowLayout::lineUnderTheMenusIsWhole()
{
    Bench bench(m_theme);
    const QMenuBar* bar = bench.window->menuBar();
    const QImage image = bench.window->menuBar()->grab().toImage();
    const QRgb line = coloursOf(bar->palette()).line.rgb();
    for (int x = 0; x < image.width(); ++x) {
        QCOMPARE(image.pixel(x, image.height() - 1), line);
    }
}

void TestWindowLayout::layoutsComeBackByName()
{
    Bench bench(m_theme);
    bench.action(ActionId::Example)->trigger();
    QTRY_VERIFY(bench.settled());
    const auto shown = [&] {
        QString panels;
        for (const auto id :
             {PanelId::Input, PanelId::Tokens, PanelId::Inspector, PanelId::Table}) {
            panels += bench.window->panels()->dock(id)->isHidden() ? '-' : 'x';
        }
        return panels;
    };
    const auto command = [&](const QString& name) -> QAction* {
        for (QAction* action : CommandPalette::commandsOf(bench.window.get())) {
            if (CommandModel::nameOf(action) == name) {
                return action;
            }
        }
        return nullptr;
    };
    bench.action(ActionId::LayoutFigure)->trigger();
    QCOMPARE(shown(), QStringLiteral("----"));
    bench.action(ActionId::LayoutDebug)->trigger();
    QCOMPARE(shown(), QStringLiteral("xxxx"));
    bench.action(ActionId::LayoutLearn)->trigger();
    QCOMPARE(shown(), QStringLiteral("x-x-"));
    bench.window->panels()->dock(PanelId::Inspector)->close();
    bench.window->layouts()->save(QStringLiteral("mine & yours"));
    bench.action(ActionId::ResetLayout)->trigger();
    QCOMPARE(shown(), QStringLiteral("xxx-"));
    bench.window.reset();
    bench.open(m_theme); // kept in the settings
    bench.action(ActionId::Example)->trigger();
    QAction* mine = command(QStringLiteral("Layout: mine & yours"));
    QVERIFY(mine != nullptr);
    mine->trigger();
    QCOMPARE(shown(), QStringLiteral("x---"));
    bench.action(ActionId::LayoutFigure)->trigger();
    bench.window->layouts()->save(QStringLiteral("mine & yours")); // in place of the old one
    QCOMPARE(bench.settings.namedLayouts(Panels::LayoutVersion).size(), std::size_t{1});
    QAction* removal = command(QStringLiteral("Remove layout: mine & yours"));
    QVERIFY(removal != nullptr);
    removal->trigger();
    QVERIFY(command(QStringLiteral("Layout: mine & yours")) == nullptr);
    // Junk under a name is as good as the default.
    bench.settings.setNamedLayouts({{QStringLiteral("bad"), "junk"}}, Panels::LayoutVersion);
    bench.window->layouts()->retranslate();
    command(QStringLiteral("Layout: bad"))->trigger();
    QCOMPARE(shown(), QStringLiteral("xxx-"));
}

void TestWindowLayout::hiddenPanelsStayHidden()
{
    Bench bench(m_theme);
    bench.action(ActionId::Example)->trigger();
    QTRY_VERIFY(bench.settled());
    bench.action(ActionId::LayoutFigure)->trigger();
    bench.window->close();
    bench.window.reset();
    bench.open(m_theme);
    bench.action(ActionId::Example)->trigger();
    for (const auto id : {PanelId::Input, PanelId::Tokens, PanelId::Inspector, PanelId::Table}) {
        QVERIFY(bench.window->panels()->dock(id)->isHidden());
    }
}

QTEST_MAIN(TestWindowLayout)
#include "tst_windowlayout.moc"
