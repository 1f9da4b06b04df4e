// The export dialog on the real engine: files, the command line that draws them again, refusals.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "dialogs/exportdialog.h"
#include "dialogs/exportform.h"
#include "dialogs/paperview.h"
#include "mainwindow/language.h"
#include "models/document.h"
#include "models/selection.h"
#include "services/settings.h"
#include "widgets/messagebar.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QImage>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace heed;
using namespace heed::ui;

namespace {

Source twoLines()
{
    Source source;
    source.lines = {"The cat's on the mat", "我 喜欢 苹果"};
    source.layer.modelWidth = 16;
    source.layer.heads = 4;
    source.padding = true;
    source.causal = true;
    return source;
}

/// A dialog with everything it follows.
struct Bench {
    QTemporaryDir folder;
    Settings settings{folder.filePath(QStringLiteral("settings"))};
    EngineService engine{makeEngine("reference")};
    Document document{&engine};
    SelectionModel selection;
    ViewSettingsModel view;
    std::unique_ptr<ExportDialog> dialog;

    explicit Bench(const Source& source = twoLines())
    {
        document.reset(source);
        while (document.run() == nullptr && !document.error()) {
            QTest::qWait(5);
        }
        selection.setShape(document.run()->maps()->shape());
        selection.setMap({0, 0, 2});
        open();
    }
    void open()
    {
        dialog = std::make_unique<ExportDialog>(
            ExportDialog::Models{&engine, &document, &selection, &view, &settings});
        dialog->show();
    }
    QString path(const char* name) const { return folder.filePath(QString::fromUtf8(name)); }
    /// Exports and waits for the end of it. @return whether a file was written.
    bool write(const QString& path) const
    {
        QSignalSpy written(dialog.get(), &ExportDialog::exported);
        QSignalSpy refused(dialog.get(), &ExportDialog::refused);
        dialog->exportTo(path);
        for (int tries = 0; tries < 2000 && written.isEmpty() && refused.isEmpty(); ++tries) {
            QTest::qWait(5);
        }
        return !written.isEmpty();
    }
    template <typename Field>
    Field* field(const char* name) const
    {
        for (Field* widget : dialog->findChildren<Field*>()) {
            if (widget->accessibleName() == QString::fromUtf8(name) ||
                widget->property("text").toString().remove(QLatin1Char('&')) ==
                    QString::fromUtf8(name)) {
                return widget;
            }
        }
        return nullptr;
    }
};

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestExportDialog : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void writesEveryFormat_data();
    void writesEveryFormat();
    void theCommandDrawsTheSameFile_data();
    void theCommandDrawsTheSameFile();
    void aPathWithoutEndingGetsTheFormat();
    void anUnwritableFolderIsSaidInTheDialog();
    void settingsThatDoNotWorkAreSaidAndTakenBack();
    void previewFollows();
    void widthAndPresetsAgree();
    void copiesTheCommand();
    void remembersTheLastSettings();
    void everyFieldHasANameAndIsReached();
};

void TestExportDialog::initTestCase()
{
    auto* theme = new Theme(*qApp);
    theme->setMode(ThemeMode::Dark); // figures are light whatever the window is
}

void TestExportDialog::writesEveryFormat_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("magic");
    QTest::newRow("png") << "a.png" << QByteArray("\x89PNG");
    QTest::newRow("svg") << "a.svg" << QByteArray("<?xml");
    QTest::newRow("pdf") << "a.pdf" << QByteArray("%PDF-");
    QTest::newRow("capitals") << "A.PDF" << QByteArray("%PDF-");
}

void TestExportDialog::writesEveryFormat()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, magic);
    const Bench bench;
    const QString path = bench.folder.filePath(name);
    QVERIFY(bench.write(path));
    QVERIFY(contentOf(path).startsWith(magic));
    QVERIFY(bench.dialog->messages()->isHidden());
    if (magic.contains("PNG")) {
        const QImage picture(path);
        QCOMPARE(picture.width(), 1051); // 89 mm at 300 dpi
        QCOMPARE(picture.pixelColor(0, 0), QColor(Qt::white));
    }
}

void TestExportDialog::theCommandDrawsTheSameFile_data()
{
    QTest::addColumn<bool>("grid");
    QTest::addColumn<bool>("unusual");
    QTest::newRow("one head") << false << false;
    QTest::newRow("grid") << true << false;
    QTest::newRow("everything unusual") << false << true;
    QTest::newRow("everything unusual, grid") << true << true;
}

void TestExportDialog::theCommandDrawsTheSameFile()
{
    QFETCH(bool, grid);
    QFETCH(bool, unusual);
    Bench bench;
    ViewSettings settings;
    if (unusual) {
        settings.quantity = Quantity::Scaled;
        settings.pooling = Pooling::Mean;
        settings.colourMap = ColourMapId::Cividis;
        settings.rangeMode = RangeMode::Manual;
        settings.low = -1.25;
        settings.high = 0.7;
        bench.view.setSettings(settings);
        bench.selection.setMap({0, 1, 3});
        bench.field<QDoubleSpinBox>("Width")->setValue(120.5);
        bench.field<QDoubleSpinBox>("Text size")->setValue(8.5);
        bench.field<QLineEdit>("Text of the title")->setText(QStringLiteral("-- it's 注意"));
        bench.field<QCheckBox>("Colour bar and range")->setChecked(false);
        bench.field<QCheckBox>("Hatch masked cells")->setChecked(false);
        bench.field<QCheckBox>("Numbers in cells, where they fit")->setChecked(false);
    }
    bench.field<QComboBox>("Heads")->setCurrentIndex(grid ? 1 : 0);
    Language language;
    if (unusual) {
        language.setCode(QStringLiteral("zh_CN")); // the command line does not know of it
        QTRY_COMPARE(bench.dialog->windowTitle(), QStringLiteral("导出图"));
    }
    const QString path = bench.path("figure.svg");
    const bool isWritten = bench.write(path);
    language.setCode(QStringLiteral("en"));
    QVERIFY(isWritten);
    const QByteArray written = contentOf(path);
    const QString command = bench.dialog->commandLine();
    QVERIFY(command.startsWith(QLatin1String("heedmap render ")));
    QVERIFY(command.endsWith(QLatin1String("-o figure.svg")));

    // The same spec through the engine of the command line gives the same bytes …
    const auto figure = makeFigure(bench.dialog->spec(QStringLiteral("figure.svg")),
                                   bench.engine.current(), {.threads = 1});
    QVERIFY(figure);
    const auto encoded = (*figure)->encode(QStringLiteral("svg"));
    QVERIFY(encoded);
    QVERIFY(*encoded == written);

    // … and so does the command itself, read by a shell in another folder.
    const QTemporaryDir elsewhere;
    QProcess shell;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("PATH"), qEnvironmentVariable("HEED_BINARY_DIR") + "/bin:" +
                                                   environment.value(QStringLiteral("PATH")));
    shell.setProcessEnvironment(environment);
    shell.setWorkingDirectory(elsewhere.path());
    shell.start(QStringLiteral("sh"),
                {QStringLiteral("-c"), command + QStringLiteral(" --backend reference")});
    QVERIFY(shell.waitForFinished(60000));
    QVERIFY2(shell.exitCode() == 0, shell.readAllStandardError().constData());
    QVERIFY(contentOf(elsewhere.filePath(QStringLiteral("figure.svg"))) == written);
}

void TestExportDialog::aPathWithoutEndingGetsTheFormat()
{
    const Bench bench;
    bench.field<QComboBox>("Format")->setCurrentIndex(2);
    QVERIFY(bench.write(bench.path("version 1.2")));
    QVERIFY(contentOf(bench.path("version 1.2.pdf")).startsWith("%PDF-"));
    QVERIFY(bench.dialog->commandLine().endsWith(QLatin1String("-o 'version 1.2.pdf'")));
}

void TestExportDialog::anUnwritableFolderIsSaidInTheDialog()
{
    const Bench bench;
    QFile file(bench.path("no-folder"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.close();
    QVERIFY(!bench.write(bench.path("no-folder/figure.svg")));
    QVERIFY(!bench.dialog->messages()->isHidden());
    QVERIFY(bench.dialog->messages()->text().contains(QLatin1String("no-folder/figure.svg")));
    QVERIFY(bench.field<QPushButton>("Export…")->isEnabled()); // another place may do
    QVERIFY(bench.write(bench.path("figure.svg")));
    QVERIFY(bench.dialog->messages()->isHidden());
}

void TestExportDialog::settingsThatDoNotWorkAreSaidAndTakenBack()
{
    const Bench bench;
    QTRY_VERIFY(!bench.dialog->preview()->picture().isNull());
    auto* width = bench.field<QDoubleSpinBox>("Width");
    auto* size = bench.field<QDoubleSpinBox>("Text size");
    width->setValue(20);
    size->setValue(72);
    QTRY_VERIFY(!bench.dialog->messages()->isHidden());
    QVERIFY(!bench.field<QPushButton>("Export…")->isEnabled());
    width->setValue(89);
    size->setValue(7);
    QTRY_VERIFY(bench.dialog->messages()->isHidden());
    QVERIFY(bench.field<QPushButton>("Export…")->isEnabled());
}

void TestExportDialog::previewFollows()
{
    Bench bench;
    QTRY_VERIFY(!bench.dialog->preview()->picture().isNull());
    const auto changes = [&](auto change) {
        const qint64 before = bench.dialog->preview()->picture().cacheKey();
        change();
        return QTest::qWaitFor(
            [&] { return bench.dialog->preview()->picture().cacheKey() != before; });
    };
    QVERIFY(changes([&] { bench.selection.setMap({0, 0, 1}); }));
    QVERIFY(bench.dialog->commandLine().contains(QLatin1String("--head 1 ")));
    QVERIFY(changes([&] {
        ViewSettings settings;
        settings.quantity = Quantity::Scores;
        bench.view.setSettings(settings);
    }));
    QVERIFY(bench.dialog->commandLine().contains(QLatin1String("--what scores")));
    QVERIFY(changes([&] {
        Source source = bench.document.source();
        source.causal = false;
        bench.document.edit(source, QStringLiteral("mask"));
    }));
    QTRY_VERIFY(!bench.dialog->commandLine().contains(QLatin1String("--causal")));
    QVERIFY(changes([&] { bench.dialog->resize(1200, 800); }));
    bench.document.close();
    QTRY_VERIFY(!bench.dialog->isVisible());
}

void TestExportDialog::widthAndPresetsAgree()
{
    const Bench bench;
    auto* width = bench.field<QDoubleSpinBox>("Width");
    auto* preset = bench.field<QComboBox>("Fits");
    QCOMPARE(preset->currentIndex(), 0);
    width->setValue(183);
    QCOMPARE(preset->currentIndex(), 2);
    width->setValue(150);
    QCOMPARE(preset->currentIndex(), 3);
    preset->setFocus();
    QTest::keyClick(preset, Qt::Key_Up);
    QCOMPARE(width->value(), 183.0);
    auto* dpi = bench.field<QSpinBox>("Resolution");
    QVERIFY(dpi->isEnabled());
    bench.field<QComboBox>("Format")->setCurrentIndex(1);
    QVERIFY(!dpi->isEnabled()); // SVG has no pixels
    QVERIFY(!bench.dialog->commandLine().contains(QLatin1String("--dpi")));
}

void TestExportDialog::copiesTheCommand()
{
    const Bench bench;
    bench.field<QSpinBox>("Resolution")->setValue(600);
    QTest::mouseClick(bench.field<QPushButton>("Copy"), Qt::LeftButton);
    QCOMPARE(QApplication::clipboard()->text(), bench.dialog->commandLine());
    QVERIFY(bench.dialog->commandLine().contains(QLatin1String("--dpi 600")));
    QVERIFY(bench.dialog->commandLine().contains(QLatin1String("'The cat'\\''s on the mat'")));
}

void TestExportDialog::remembersTheLastSettings()
{
    Bench bench;
    bench.field<QDoubleSpinBox>("Width")->setValue(140);
    bench.field<QSpinBox>("Resolution")->setValue(450);
    bench.field<QComboBox>("Format")->setCurrentIndex(1);
    bench.field<QComboBox>("Heads")->setCurrentIndex(1);
    bench.field<QCheckBox>("Token labels")->setChecked(false);
    QVERIFY(bench.write(bench.path("figure.svg")));
    bench.field<QDoubleSpinBox>("Text size")->setValue(9);
    const ExportSettings last = bench.dialog->form()->settings();
    bench.dialog->close();
    bench.open();
    ExportSettings again = bench.dialog->form()->settings();
    QCOMPARE(again.folder, bench.folder.path());
    again.folder = last.folder;
    QVERIFY(again == last);
    QCOMPARE(bench.field<QComboBox>("Fits")->currentIndex(), 1);
}

void TestExportDialog::everyFieldHasANameAndIsReached()
{
    const Bench bench;
    QVERIFY(QTest::qWaitForWindowActive(bench.dialog.get()));
    QSet<const QWidget*> reached;
    for (int press = 0; press < 60; ++press) {
        QTest::keyClick(QApplication::focusWidget() != nullptr ? QApplication::focusWidget()
                                                               : bench.dialog.get(),
                        Qt::Key_Tab);
        reached.insert(QApplication::focusWidget());
    }
    int fields = 0;
    for (const QWidget* widget : bench.dialog->findChildren<QWidget*>()) {
        const bool inSpin = widget->parentWidget()->inherits("QAbstractSpinBox");
        if ((widget->focusPolicy() & Qt::TabFocus) == 0 || inSpin || !widget->isVisible() ||
            !widget->isEnabled() || widget->window() != bench.dialog.get()) {
            continue;
        }
        ++fields;
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        QVERIFY2(!widget->accessibleName().isEmpty() ||
                     (button != nullptr && !button->text().isEmpty()),
                 widget->metaObject()->className());
        QVERIFY2(reached.contains(widget), qPrintable(widget->accessibleName()));
    }
    QVERIFY(fields >= 15);
}

QTEST_MAIN(TestExportDialog)
#include "tst_exportdialog.moc"
