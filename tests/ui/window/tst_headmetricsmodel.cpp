// The table of head metrics: numbers, and a dash where no row takes part.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "dialogs/commandpalette.h"
#include "mainwindow/headchoices.h"
#include "mainwindow/headmetricsmodel.h"
#include "views/headgridview.h"
#include "views/metrictext.h"
#include "widgets/theme.h"
#include "windowbench.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QLayout>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QTableView>
#include <QTest>
#include <algorithm>
#include <cmath>

using namespace heed;
using namespace heed::ui;

class TestHeadMetricsModel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theChoicesCanBeRead();
    void theTableHasRoomForSeveralMetrics();
    void aMeanOverNoRowIsADash();
    void everyMetricIsSaid();
    void aClickSortsAndSelects();
    void rowsAreCopied();
    void theChoicesAreOfTheView();
    void thePaletteFindsThem();
};

namespace {

int columnOf(std::string_view name)
{
    const auto& shown = shownMetrics();
    return static_cast<int>(std::ranges::find(shown, findMetric(name)) - shown.begin());
}

/// A window with four heads, and its table.
struct TableBench : Bench {
    explicit TableBench(Theme* theme)
        : Bench(theme)
    {
        Source source;
        source.lines = {"the cat , the cat"};
        source.layer.heads = 4;
        document()->edit(source, QStringLiteral("text"));
    }
    ~TableBench() { document()->undoStack()->clear(); }
    QTableView* table() const { return window->findChild<QTableView*>(); }
    /// The numbers of a column, as they stand.
    std::vector<double> column(int number) const
    {
        std::vector<double> values;
        for (int row = 0; row < table()->model()->rowCount(); ++row) {
            values.push_back(
                table()->model()->index(row, number).data(HeadMetricsModel::SortRole).toDouble());
        }
        return values;
    }
    void clickHeader(int column) const
    {
        const QHeaderView* header = table()->horizontalHeader();
        QTest::mouseClick(header->viewport(), Qt::LeftButton, Qt::NoModifier,
                          QPoint(header->sectionViewportPosition(column) + 10, 5));
    }
};

} // namespace

void TestHeadMetricsModel::everyMetricIsSaid()
{
    QCOMPARE(shownMetrics().size(), metricList().size());
    for (const Metric& metric : metricList()) {
        const MetricText text = metricText(metric);
        QVERIFY(std::ranges::find(shownMetrics(), &metric) != shownMetrics().end());
        QVERIFY(!text.brief.isEmpty() && !text.name.isEmpty() && !text.meaning.isEmpty());
    }
}

void TestHeadMetricsModel::aClickSortsAndSelects()
{
    Theme theme(*qApp);
    TableBench bench(&theme);
    QTRY_VERIFY(bench.settled());
    QTableView* table = bench.table();
    const auto isKnown = [&] {
        return std::ranges::none_of(bench.column(0),
                                    [](double value) { return std::isnan(value); });
    };
    QTRY_VERIFY(isKnown());
    const std::vector<double> byHead = bench.column(0);
    bench.clickHeader(0); // the largest first
    QTRY_VERIFY(std::ranges::is_sorted(bench.column(0), std::greater{}));
    QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::NoModifier,
                      table->visualRect(table->model()->index(0, 0)).center());
    const double largest = *std::ranges::max_element(byHead);
    QCOMPARE(byHead[static_cast<std::size_t>(bench.selection()->map().head)], largest);
    bench.clickHeader(0);
    QTRY_VERIFY(std::ranges::is_sorted(bench.column(0)));
    bench.clickHeader(0); // and back to the order of the heads
    QCOMPARE(bench.column(0), byHead);
    bench.selection()->setMap({0, 0, 2});
    QCOMPARE(table->currentIndex().row(), 2);
}

void TestHeadMetricsModel::rowsAreCopied()
{
    Theme theme(*qApp);
    TableBench bench(&theme);
    QTRY_VERIFY(bench.settled());
    QTableView* table = bench.table();
    QTRY_VERIFY(!std::isnan(bench.column(0).back()));
    table->selectRow(1);
    QTest::keyClick(table, Qt::Key_C, Qt::ControlModifier);
    const QStringList lines = QGuiApplication::clipboard()->text().split(QLatin1Char('\n'));
    QCOMPARE(lines.size(), 3);
    QVERIFY(lines.at(0).startsWith(QStringLiteral("layer\titem\thead\trelative_entropy\t")));
    QVERIFY(lines.at(1).startsWith(QStringLiteral("0\t0\t1\t0.")));
    QCOMPARE(lines.at(1).count(QLatin1Char('\t')), lines.at(0).count(QLatin1Char('\t')));
}

void TestHeadMetricsModel::theChoicesAreOfTheView()
{
    Theme theme(*qApp);
    TableBench bench(&theme);
    QTRY_VERIFY(bench.settled());
    ViewSettings settings = bench.window->workspace().view->settings();
    settings.headOrder = "induction";
    bench.window->workspace().view->setSettings(settings);
    QComboBox* order = nullptr;
    for (QComboBox* box : bench.window->findChildren<QComboBox*>()) {
        order = box->accessibleName() == QStringLiteral("Order of the heads") ? box : order;
    }
    QVERIFY(order != nullptr);
    QCOMPARE(order->currentText(), QStringLiteral("induction"));
    order->setFocus();
    QTest::keyClick(order, Qt::Key_Home);
    QVERIFY(bench.window->workspace().view->settings().headOrder.empty());
}

void TestHeadMetricsModel::theChoicesCanBeRead()
{
    Theme theme(*qApp);
    TableBench bench(&theme);
    QTRY_VERIFY(bench.settled());
    HeadChoices choices(bench.window->workspace(), bench.window->findChild<HeadGridView*>(),
                        nullptr);
    choices.show();
    for (const int width : {150, 200, 280, 420}) { // as narrow as a scale of 150 % makes it
        choices.resize(width, 200);
        choices.layout()->activate();
        for (const auto choice : {HeadChoices::Order, HeadChoices::Bar, HeadChoices::Colour}) {
            const QComboBox* box = choices.box(choice);
            QStyleOptionComboBox option;
            option.initFrom(box);
            const QRect words = box->style()->subControlRect(QStyle::CC_ComboBox, &option,
                                                             QStyle::SC_ComboBoxEditField, box);
            QVERIFY2(words.width() > box->fontMetrics().horizontalAdvance(QStringLiteral("number")),
                     qPrintable(QStringLiteral("%1 of %2").arg(words.width()).arg(width)));
        }
    }
}

void TestHeadMetricsModel::theTableHasRoomForSeveralMetrics()
{
    Theme theme(*qApp);
    TableBench bench(&theme);
    bench.window->resize(1400, 900);
    QTRY_VERIFY(bench.settled());
    const QTableView* table = bench.table();
    QTRY_VERIFY(table->columnAt(table->viewport()->width() - 2) >= 3);
}

void TestHeadMetricsModel::aMeanOverNoRowIsADash()
{
    Theme theme(*qApp);
    Bench bench(&theme);
    Source source;
    source.lines = {"Hi"};
    source.layer.heads = 1;
    bench.document()->edit(source, QStringLiteral("text"));
    QTRY_VERIFY(bench.settled());
    HeadMetricsModel model(bench.window->workspace());
    QAbstractItemModelTester tester(&model);
    QCOMPARE(model.rowCount(), 1);
    const auto shown = [&model](const char* metric) {
        return model.index(0, columnOf(metric)).data().toString();
    };
    QTRY_COMPARE(shown("self"), QStringLiteral("1.00"));
    QCOMPARE(shown("previous_token"), QStringLiteral("–"));
    QCOMPARE(shown("first_token_sink"), QStringLiteral("–"));
    QVERIFY(std::isnan(
        model.index(0, columnOf("first_token_sink")).data(HeadMetricsModel::SortRole).toDouble()));
    bench.document()->undoStack()->clear();
}

void TestHeadMetricsModel::thePaletteFindsThem()
{
    Theme theme(*qApp);
    TableBench bench(&theme);
    QTRY_VERIFY(bench.settled());
    CommandModel model;
    model.setActions(CommandPalette::commandsOf(bench.window.get()));
    model.setPattern(QStringLiteral("metric"));
    QVERIFY(model.rowCount() >= 3);
    for (const auto id :
         {ActionId::HeadOrder, ActionId::HeadBar, ActionId::HeadColour, ActionId::HeadMetrics}) {
        QVERIFY(bench.action(id)->isEnabled());
    }
    bench.action(ActionId::HeadMetrics)->trigger();
    QVERIFY(bench.table()->hasFocus());
    // The plain name is that of the plain entropy.
    const auto brief = [](const char* name) { return metricText(*findMetric(name)).brief; };
    QCOMPARE(brief("entropy"), QStringLiteral("entropy"));
    QCOMPARE(brief("relative_entropy"), QStringLiteral("norm. entropy"));
}

QTEST_MAIN(TestHeadMetricsModel)
#include "tst_headmetricsmodel.moc"
