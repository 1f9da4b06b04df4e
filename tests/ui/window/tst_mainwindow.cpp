// The whole window on the real engine: typing, masks, heads, pinning, undo, languages.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "windowbench.h"

#include "dialogs/commandpalette.h"
#include "dialogs/exportdialog.h"
#include "mainwindow/panels.h"
#include "views/heatmapview.h"
#include "widgets/labels.h"
#include "widgets/messagebar.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStatusBar>
#include <QTableView>
#include <QTest>

using namespace heed;
using namespace heed::ui;

namespace {

QString withoutMarks(QString text)
{
    return text.remove(QLatin1Char('&'));
}

/// Every text a person can read or hear, by where it stands.
QMap<QString, QString> textsOf(const QWidget* window)
{
    QMap<QString, QString> texts;
    int number = 0;
    const auto add = [&](const char* kind, const QString& text) {
        texts.insert(QStringLiteral("%1 %2").arg(QLatin1String(kind)).arg(number), text);
    };
    for (const QWidget* widget : window->findChildren<QWidget*>()) {
        ++number;
        if (widget->objectName().startsWith(QLatin1String("qt_"))) {
            continue; // Qt's own
        }
        if (const auto* label = qobject_cast<const QLabel*>(widget)) {
            add("label", label->text());
        }
        if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) {
            add("button", withoutMarks(button->text()));
        }
        if (const auto* field = qobject_cast<const QLineEdit*>(widget)) {
            add("placeholder", field->placeholderText());
        }
        add("tip", widget->toolTip());
        add("name", widget->accessibleName());
        add("title", widget->windowTitle());
    }
    for (const QAction* action : window->findChildren<QAction*>()) {
        ++number;
        add("action", withoutMarks(action->text()));
        add("action tip", action->toolTip());
    }
    return texts;
}

} // namespace

class TestMainWindow : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void startsOnTheStartPage();
    void theWholeJob();
    void typingIsOneStep();
    void endlessWordsAreNotWrapped();
    void undoKeyReachesTheDocumentFromAField();
    void headsThatDoNotDivideOfferTheWayOut();
    void mistakesInTheExpressionStayBesideTheField();
    void paletteHasEveryAction();
    void noShortcutTwice();
    void everyWidgetForKeysHasAName();
    void tabReachesEveryPanel();
    void panelsCycle();
    void languageSwitchesLive();
    void viewsGoBack();
    void findWalksThroughTokens();
    void tableShowsTheCells();
    void paletteFindsThemesAndLanguages();
    void messagesGiveWayToTheCell();

private:
    Theme* m_theme = nullptr;
};

void TestMainWindow::initTestCase()
{
    m_theme = new Theme(*qApp);
    m_theme->setMode(ThemeMode::Light);
}

void TestMainWindow::startsOnTheStartPage()
{
    Bench bench(m_theme);
    QVERIFY(bench.document()->isEmpty());
    QVERIFY(!bench.window->panels()->dock(PanelId::Input)->isVisible());
    QVERIFY(bench.action(ActionId::Palette)->isEnabled());
    QVERIFY(!bench.action(ActionId::Save)->isEnabled());
    bench.action(ActionId::Example)->trigger();
    QTRY_VERIFY(bench.settled());
    QCOMPARE(bench.selection()->shape().queries, std::int64_t{6});
    QCOMPARE(bench.selection()->shape().heads, std::int64_t{2});
    QVERIFY(bench.window->panels()->dock(PanelId::Input)->isVisible());
    QVERIFY(!bench.document()->isModified());
}

void TestMainWindow::theWholeJob()
{
    Bench bench(m_theme);
    bench.action(ActionId::EditText)->trigger();
    QTRY_VERIFY(bench.settled());
    const Source before = bench.document()->source();

    auto* text = bench.window->findChild<QPlainTextEdit*>();
    QVERIFY(text != nullptr);
    text->selectAll();
    QTest::keyClicks(text, QStringLiteral("The cat sat on the mat"));
    QTest::keyClick(text, Qt::Key_Return);
    QTest::keyClicks(text, QStringLiteral("Hi"));
    QTRY_VERIFY(bench.settled());
    QTRY_COMPARE(bench.selection()->shape().items, std::int64_t{2});
    QCOMPARE(bench.selection()->shape().queries, std::int64_t{6});

    bench.action(ActionId::Padding)->trigger();
    bench.action(ActionId::Causal)->trigger();
    QTRY_VERIFY(bench.settled());
    QCOMPARE(bench.document()->run()->mask(0)->expression(), std::string("padding & causal"));
    QVERIFY(!bench.document()->run()->mask(0)->keeps(0, 0, 1, 2));

    QSpinBox* heads = nullptr;
    for (QSpinBox* spin : bench.window->findChildren<QSpinBox*>()) {
        if (spin->accessibleName() == QLatin1String("Heads")) {
            heads = spin;
        }
    }
    QVERIFY(heads != nullptr);
    heads->setValue(4);
    QTRY_COMPARE(bench.selection()->shape().heads, std::int64_t{4});

    bench.window->heatmap()->goToCell({5, 1});
    QCOMPARE(bench.selection()->pinned(), (CellRef{5, 1}));
    QTRY_VERIFY(bench.window->heatmap()->reading({5, 1}).has_value());

    QVERIFY(bench.action(ActionId::Export)->isEnabled());
    bench.action(ActionId::Export)->trigger();
    ExportDialog* dialog = bench.window->exportDialog();
    QVERIFY(dialog != nullptr);
    QSignalSpy written(dialog, &ExportDialog::exported);
    const QString figure = bench.folder.filePath(QStringLiteral("figure.pdf"));
    dialog->exportTo(figure);
    QTRY_COMPARE(written.count(), 1);
    QVERIFY(QFile(figure).size() > 1000);
    dialog->close();
    QTRY_VERIFY(bench.window->exportDialog() == nullptr);

    QStringList steps;
    while (bench.action(ActionId::Undo)->isEnabled()) {
        steps += bench.document()->undoStack()->undoText();
        bench.action(ActionId::Undo)->trigger();
    }
    QCOMPARE(steps,
             QStringList({QStringLiteral("number of heads"), QStringLiteral("causal mask on"),
                          QStringLiteral("padding mask on"), QStringLiteral("text")}));
    QVERIFY(bench.document()->source() == before);
    QVERIFY(!bench.document()->isModified());
    QTRY_VERIFY(bench.settled());
    QCOMPARE(text->toPlainText(), QString::fromStdString(before.lines.front()));
    QVERIFY(!bench.action(ActionId::Causal)->isChecked());
    bench.document()->undoStack()->clear();
}

void TestMainWindow::typingIsOneStep()
{
    Bench bench(m_theme);
    bench.action(ActionId::EditText)->trigger();
    auto* text = bench.window->findChild<QPlainTextEdit*>();
    QTest::keyClicks(text, QStringLiteral(" pie and cake"));
    QCOMPARE(bench.document()->undoStack()->count(), 1);
    QVERIFY(bench.action(ActionId::Undo)->text().contains(QStringLiteral("text")));
    bench.document()->undoStack()->clear();
}

void TestMainWindow::endlessWordsAreNotWrapped()
{
    // Wrapping takes a time that grows with the square of a word: 300,000 letters froze the window.
    Bench bench(m_theme);
    const auto wrapOf = [&](const std::string& line) {
        Source source;
        source.lines = {line};
        bench.document()->reset(source);
        return bench.window->findChild<QPlainTextEdit*>()->lineWrapMode();
    };
    QCOMPARE(wrapOf(std::string(300'000, 'x') + " b"), QPlainTextEdit::NoWrap);
    QCOMPARE(wrapOf("a sentence"), QPlainTextEdit::WidgetWidth);
    QTRY_VERIFY(bench.settled());
}

void TestMainWindow::undoKeyReachesTheDocumentFromAField()
{
    Bench bench(m_theme);
    bench.action(ActionId::EditText)->trigger();
    QVERIFY(QTest::qWaitForWindowActive(bench.window.get()));
    auto* text = bench.window->findChild<QPlainTextEdit*>();
    text->setFocus();
    QTest::keyClicks(text, QStringLiteral("x"));
    QVERIFY(bench.document()->isModified());
    QTest::keyClick(text, Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(!bench.document()->isModified());
    QTest::keyClick(text, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(bench.document()->isModified());
    bench.document()->undoStack()->clear();
}

void TestMainWindow::headsThatDoNotDivideOfferTheWayOut()
{
    Bench bench(m_theme);
    bench.action(ActionId::EditText)->trigger();
    QTRY_VERIFY(bench.settled());
    Source source = bench.document()->source();
    source.layer.modelWidth = 1600;
    source.layer.heads = 48;
    bench.document()->edit(source, QStringLiteral("heads"));
    QTRY_VERIFY(bench.window->heatmap()->hasMessage());
    QPushButton* way = nullptr;
    QTRY_VERIFY([&] {
        for (QPushButton* button : bench.window->findChildren<QPushButton*>()) {
            if (button->isVisible() && button->text() == QLatin1String("Use 50 heads")) {
                way = button;
            }
        }
        return way != nullptr;
    }());
    QTest::mouseClick(way, Qt::LeftButton);
    QTRY_VERIFY(bench.settled());
    QVERIFY(!bench.window->heatmap()->hasMessage());
    QCOMPARE(bench.document()->source().layer.heads, std::int64_t{50});
    bench.document()->undoStack()->undo();
    QStringList offered;
    QTRY_VERIFY([&] {
        offered.clear();
        for (QPushButton* button : bench.window->findChildren<QPushButton*>()) {
            if (button->isVisible()) {
                offered << button->text();
            }
        }
        return offered.contains(QStringLiteral("Use d_model 1632"));
    }());
    QVERIFY(offered.contains(QStringLiteral("Use d_model 1584")));
    for (const QPushButton* button : bench.window->heatmap()->findChildren<QPushButton*>()) {
        if (button->isVisible()) { // five beside each other would be cut
            QVERIFY2(button->width() >= button->sizeHint().width(), qPrintable(button->text()));
        }
    }
    bench.document()->undoStack()->clear();
}

void TestMainWindow::mistakesInTheExpressionStayBesideTheField()
{
    Bench bench(m_theme);
    bench.action(ActionId::EditText)->trigger();
    QTRY_VERIFY(bench.settled());
    QLineEdit* field = nullptr;
    for (QLineEdit* edit : bench.window->findChildren<QLineEdit*>()) {
        if (edit->accessibleName() == QLatin1String("Mask expression")) {
            field = edit;
        }
    }
    QVERIFY(field != nullptr);
    QTest::keyClicks(field, QStringLiteral("windw(2"));
    QVERIFY(field->property("heedInvalid").toBool());
    QVERIFY(!field->accessibleDescription().isEmpty());
    QVERIFY(bench.document()->source().mask.empty()); // the last good one stays in force
    field->clear();
    QTest::keyClicks(field, QStringLiteral("window(2)"));
    QVERIFY(!field->property("heedInvalid").toBool());
    QCOMPARE(bench.document()->source().mask, std::string("window(2)"));
    QTRY_VERIFY(bench.settled());
    QVERIFY(!bench.document()->run()->mask(0)->keeps(0, 0, 3, 0));
    bench.document()->undoStack()->clear();
}

void TestMainWindow::paletteHasEveryAction()
{
    Bench bench(m_theme);
    CommandPalette* palette = bench.window->commandPalette();
    palette->open();
    QSet<QAction*> found;
    for (int row = 0; row < palette->model()->rowCount(); ++row) {
        found.insert(palette->model()->action(row));
    }
    for (int id = 0; id < static_cast<int>(ActionId::Count); ++id) {
        QAction* action = bench.action(static_cast<ActionId>(id));
        QVERIFY2(found.contains(action), qPrintable(action->objectName()));
    }
    palette->field()->setText(QStringLiteral("worked example"));
    QTest::keyClick(palette->field(), Qt::Key_Return);
    QVERIFY(!bench.document()->isEmpty()); // the twin of the menu entry
}

void TestMainWindow::noShortcutTwice()
{
    Bench bench(m_theme);
    QMap<QString, QString> owners;
    for (const QAction* action : bench.window->findChildren<QAction*>()) {
        for (const QKeySequence& keys : action->shortcuts()) {
            const QString text = keys.toString(QKeySequence::PortableText);
            QVERIFY2(!owners.contains(text),
                     qPrintable(text + ": " + owners.value(text) + ", " + action->objectName()));
            owners.insert(text, action->objectName());
        }
    }
    QVERIFY(owners.size() > 25);
}

void TestMainWindow::everyWidgetForKeysHasAName()
{
    Bench bench(m_theme);
    bench.action(ActionId::Example)->trigger();
    QTRY_VERIFY(bench.settled());
    bench.window->panels()->bring(PanelId::Tokens);
    bench.window->panels()->bring(PanelId::Table);
    for (const QWidget* widget : bench.window->findChildren<QWidget*>()) {
        const bool inSpin = widget->parentWidget() != nullptr &&
                            widget->parentWidget()->inherits("QAbstractSpinBox");
        const bool inPopup = widget->window() != bench.window.get();
        if ((widget->focusPolicy() & Qt::TabFocus) == 0 || inSpin || inPopup ||
            widget->objectName().startsWith(QLatin1String("qt_"))) {
            continue;
        }
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        const auto* label = qobject_cast<const QLabel*>(widget);
        const bool named = !widget->accessibleName().isEmpty() ||
                           (button != nullptr && !button->text().isEmpty()) ||
                           (label != nullptr && !label->text().isEmpty());
        QVERIFY2(named, widget->metaObject()->className());
    }
}

void TestMainWindow::tabReachesEveryPanel()
{
    Bench bench(m_theme);
    bench.action(ActionId::Example)->trigger();
    QTRY_VERIFY(bench.settled());
    QVERIFY(QTest::qWaitForWindowActive(bench.window.get()));
    QWidget* input = bench.window->panels()->bring(PanelId::Input);
    QWidget* inspector = bench.window->panels()->bring(PanelId::Inspector);
    QWidget* map = bench.window->heatmap();
    bench.action(ActionId::EditText)->trigger();
    QSet<const QWidget*> reached;
    for (int press = 0; press < 150; ++press) {
        QWidget* focus = QApplication::focusWidget();
        QVERIFY(focus != nullptr);
        for (const QWidget* panel : {input, inspector, map}) {
            if (panel == focus || panel->isAncestorOf(focus)) {
                reached.insert(panel);
            }
        }
        QTest::keyClick(focus, Qt::Key_Tab);
    }
    QVERIFY(reached.contains(input));
    QVERIFY(reached.contains(map));
    QVERIFY(reached.contains(inspector));
}

void TestMainWindow::panelsCycle()
{
    Bench bench(m_theme);
    bench.action(ActionId::EditText)->trigger();
    QTRY_VERIFY(bench.settled());
    QVERIFY(QTest::qWaitForWindowActive(bench.window.get()));
    QStringList stops;
    for (int step = 0; step < 4; ++step) {
        bench.action(ActionId::NextPanel)->trigger();
        stops += QString::fromLatin1(QApplication::focusWidget()->metaObject()->className());
    }
    QVERIFY(stops.contains(QStringLiteral("heed::ui::HeatmapView")));
    QVERIFY(stops.contains(QStringLiteral("heed::ui::HeadGridView")));
    const QWidget* focus = QApplication::focusWidget(); // around: the input again
    QVERIFY(bench.window->panels()->dock(PanelId::Input)->isAncestorOf(focus));
    bench.action(ActionId::PreviousPanel)->trigger();
    QVERIFY(bench.window->panels()
                ->dock(PanelId::Inspector)
                ->isAncestorOf(QApplication::focusWidget()));
}

void TestMainWindow::languageSwitchesLive()
{
    Bench bench(m_theme);
    bench.action(ActionId::EditText)->trigger();
    QTRY_VERIFY(bench.settled());
    bench.window->panels()->bring(PanelId::Tokens);
    bench.window->panels()->bring(PanelId::Table);
    bench.window->heatmap()->goToCell({1, 1});
    const auto english = textsOf(bench.window.get());
    bench.action(ActionId::LanguageChinese)->trigger();
    QCOMPARE(bench.settings.language(), QStringLiteral("zh_CN"));
    QTRY_COMPARE(bench.window->menuBar()->actions().first()->text(), QStringLiteral("文件(&F)"));
    // Names of colour maps and of people's things are the same in every language.
    static const QRegularExpression same(QStringLiteral(
        "viridis|cividis|magma|inferno|English|d_k|d_model|window\\(4\\)|apple|like|eating|"
        "Heedmap|CPU|reference|float|GiB|MiB|Page|Ctrl|Alt|Shift|^q·k|exp|panel\\."));
    static const QRegularExpression word(QStringLiteral("[A-Za-z]{3,}"));
    const auto untranslated = [&] {
        QStringList left;
        const auto now = textsOf(bench.window.get());
        for (auto it = now.cbegin(); it != now.cend(); ++it) {
            if (it.value() == english.value(it.key()) && word.match(it.value()).hasMatch() &&
                !same.match(it.value()).hasMatch()) {
                left += it.key() + ": " + it.value();
            }
        }
        return left;
    };
    // Views take the new words when they are next drawn.
    QTRY_COMPARE(untranslated(), QStringList());
    bench.action(ActionId::LanguageEnglish)->trigger();
    QTRY_COMPARE(bench.window->menuBar()->actions().first()->text(), QStringLiteral("&File"));
}

void TestMainWindow::viewsGoBack()
{
    Bench bench(m_theme);
    bench.action(ActionId::Example)->trigger();
    QTRY_VERIFY(bench.settled());
    QTest::qWait(600); // the first place counts once it has been looked at
    bench.action(ActionId::NextHead)->trigger();
    QCOMPARE(bench.selection()->map().head, std::int64_t{1});
    QTRY_VERIFY(bench.action(ActionId::Back)->isEnabled());
    bench.action(ActionId::Back)->trigger();
    QCOMPARE(bench.selection()->map().head, std::int64_t{0});
    bench.action(ActionId::Forward)->trigger();
    QCOMPARE(bench.selection()->map().head, std::int64_t{1});
}

void TestMainWindow::findWalksThroughTokens()
{
    Bench bench(m_theme);
    bench.action(ActionId::Example)->trigger();
    QTRY_VERIFY(bench.settled());
    bench.action(ActionId::FindToken)->trigger();
    QLineEdit* field = nullptr;
    for (QLineEdit* edit : bench.window->findChildren<QLineEdit*>()) {
        if (edit->accessibleName() == QLatin1String("Find token")) {
            field = edit;
        }
    }
    QVERIFY(field != nullptr);
    QTest::keyClicks(field, QStringLiteral("the"));
    bench.action(ActionId::FindNext)->trigger();
    QCOMPARE(bench.selection()->pinned().query, qint64{0}); // "The"
    bench.action(ActionId::FindNext)->trigger();
    QCOMPARE(bench.selection()->pinned().query, qint64{4}); // "the"
    bench.action(ActionId::FindNext)->trigger();
    QCOMPARE(bench.selection()->pinned().query, qint64{0}); // around the end
    bench.action(ActionId::FindPrevious)->trigger();
    QCOMPARE(bench.selection()->pinned().query, qint64{4});
}

void TestMainWindow::tableShowsTheCells()
{
    Bench bench(m_theme);
    bench.action(ActionId::Example)->trigger();
    QTRY_VERIFY(bench.settled());
    auto* table = qobject_cast<QTableView*>(bench.window->panels()->bring(PanelId::Table));
    QVERIFY(table != nullptr);
    QCOMPARE(table->model()->rowCount(), 6);
    QTRY_COMPARE(table->model()->index(0, 0).data().toString(), QStringLiteral("1.0000"));
    QVERIFY(table->model()
                ->index(0, 3)
                .data(Qt::AccessibleTextRole)
                .toString()
                .contains(QStringLiteral("masked")));
    table->setCurrentIndex(table->model()->index(3, 1));
    QCOMPARE(bench.selection()->pinned(), (CellRef{3, 1}));
}

void TestMainWindow::paletteFindsThemesAndLanguages()
{
    Bench bench(m_theme);
    for (const char* language : {"en", "zh_CN"}) {
        bench.window->setLanguage(QLatin1String(language));
        QCoreApplication::processEvents();
        CommandPalette* palette = bench.window->commandPalette();
        palette->open();
        const auto first = [&](const QString& pattern) {
            palette->field()->setText(pattern);
            QSet<QAction*> found;
            for (int row = 0; row < 3; ++row) {
                found.insert(palette->model()->action(row));
            }
            return found;
        };
        const QSet<QAction*> themes{bench.action(ActionId::ThemeSystem),
                                    bench.action(ActionId::ThemeLight),
                                    bench.action(ActionId::ThemeDark)};
        const QSet<QAction*> languages{bench.action(ActionId::LanguageSystem),
                                       bench.action(ActionId::LanguageEnglish),
                                       bench.action(ActionId::LanguageChinese)};
        for (const char* word : {"theme", "主题"}) {
            QCOMPARE(first(QString::fromUtf8(word)), themes);
        }
        for (const char* word : {"language", "语言"}) {
            QCOMPARE(first(QString::fromUtf8(word)), languages);
        }
        palette->hide();
        for (const QAction* action : CommandPalette::commandsOf(bench.window.get())) {
            const QString name = CommandModel::nameOf(action);
            static const QRegularExpression mark(QStringLiteral("&|\\([A-Z]\\)"));
            QVERIFY2(!mark.match(name).hasMatch(), qPrintable(name));
            QVERIFY2(!mark.match(action->toolTip()).hasMatch(), qPrintable(action->toolTip()));
        }
    }
}

void TestMainWindow::messagesGiveWayToTheCell()
{
    Bench bench(m_theme);
    bench.action(ActionId::Example)->trigger();
    QTRY_VERIFY(bench.settled());
    bench.window->heatmap()->goToCell({3, 1});
    const auto* cell = bench.window->statusBar()->findChild<ElidedLabel*>();
    QTRY_VERIFY(cell->isVisible() && !cell->text().isEmpty());
    bench.window->statusBar()->showMessage(QStringLiteral("Figure written"), 100);
    QVERIFY(!cell->isVisible());
    QTRY_VERIFY(cell->isVisible());
}

QTEST_MAIN(TestMainWindow)
#include "tst_mainwindow.moc"
