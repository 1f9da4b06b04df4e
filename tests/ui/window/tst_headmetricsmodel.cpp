// The table of head metrics: numbers, and a dash where no row takes part.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/headmetricsmodel.h"
#include "widgets/theme.h"
#include "windowbench.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QTest>

using namespace heed;
using namespace heed::ui;

class TestHeadMetricsModel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aMeanOverNoRowIsADash();
};

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
    const auto shown = [&model](HeadMetricsModel::Column column) {
        return model.index(0, column).data().toString();
    };
    QTRY_COMPARE(shown(HeadMetricsModel::Self), QStringLiteral("1.00"));
    QCOMPARE(shown(HeadMetricsModel::Previous), QStringLiteral("–"));
    QCOMPARE(shown(HeadMetricsModel::Sink), QStringLiteral("–"));
    QCOMPARE(model.index(0, HeadMetricsModel::Sink).data(HeadMetricsModel::SortRole).toDouble(),
             -1.0);
    bench.document()->undoStack()->clear();
}

QTEST_MAIN(TestHeadMetricsModel)
#include "tst_headmetricsmodel.moc"
