// A checkpoint in the whole window: how it opens, and what its section changes.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "windowbench.h"

#include "mainwindow/filecontroller.h"
#include "mainwindow/modelsection.h"
#include "mainwindow/predictionsection.h"
#include "mainwindow/sourcesection.h"
#include "widgets/maskpicture.h"
#include "widgets/messagebar.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QTest>
#include <algorithm>

using namespace heed;
using namespace heed::ui;

namespace {

QString golden(const char* name)
{
    return qEnvironmentVariable("HEED_SOURCE_DIR", QStringLiteral(".")) +
           QStringLiteral("/tests/golden/models/") + QLatin1String(name);
}

/// A model of the goldens with a vocabulary of words.
QString modelWithWords(const QTemporaryDir& folder, const char* name)
{
    const QString model = folder.filePath(QStringLiteral("small-") + QLatin1String(name));
    QDir().mkpath(model);
    for (const char* file : {"/config.json", "/model.safetensors"}) {
        QFile::copy(golden(name) + QLatin1String(file), model + QLatin1String(file));
    }
    QFile vocabulary(model + QStringLiteral("/vocab.txt"));
    if (!vocabulary.open(QIODevice::WriteOnly)) {
        return {};
    }
    vocabulary.write("[CLS]\n[PAD]\n[SEP]\n[UNK]\n[MASK]\nthe\ncat\nsat\n##s\ndog\n");
    for (int i = 10; i < 40; ++i) {
        vocabulary.write("w" + QByteArray::number(i) + "\n");
    }
    return model;
}

QString bertWithWords(const QTemporaryDir& folder)
{
    return modelWithWords(folder, "bert");
}

/// The field of the model's section with this name.
template <typename Field>
Field* fieldOf(const Bench& bench, const char* name)
{
    const auto fields = bench.window->findChild<ModelSection*>()->findChildren<Field*>();
    const auto found = std::ranges::find(fields, QLatin1String(name), &Field::accessibleName);
    return found == fields.end() ? nullptr : *found;
}

/// Whether a label says this.
bool isShown(const Bench& bench, const char* text)
{
    const auto labels = bench.window->findChildren<QLabel*>();
    return std::ranges::any_of(labels, [text](const QLabel* label) {
        return label->isVisible() && label->text() == QString::fromUtf8(text);
    });
}

Source textOf(const char* line)
{
    Source source;
    source.lines = {line};
    return source;
}

QStringList tokensOf(const Bench& bench)
{
    QStringList tokens;
    for (const Token& token : bench.document()->run()->queryTokens().items[0]) {
        tokens += QString::fromStdString(token.text);
    }
    return tokens;
}

} // namespace

class TestWindowModel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void aFolderOpensAsAModel();
    void theSectionChangesTheTokens();
    void theMaskActsOnEveryLayerOrOnOne();
    void aDecoderHasATargetAndThreeKindsOfAttention();
    void theInspectorSaysWhatIsExpected();
    void masksOfTheModelItselfCannotBeSwitchedOff();
    void theTextGoesBackToTheSandbox();
    void filesOfAModelMeanItsFolder();
    void aFolderThatIsNoModelIsRefused();
    void whatTheModelDoesNotSeeIsSaidUnderTheText();
    void whatIsRefusedLeavesNothingOfWhatWasBefore();

private:
    Theme* m_theme = nullptr;
};

void TestWindowModel::initTestCase()
{
    m_theme = new Theme(*qApp);
    m_theme->setMode(ThemeMode::Light);
}

void TestWindowModel::aFolderOpensAsAModel()
{
    Bench bench(m_theme);
    bench.document()->reset(textOf("the cats sat"));
    const QString model = bertWithWords(bench.folder);
    bench.window->files()->open(model);
    QTRY_VERIFY(bench.settled());
    QCOMPARE(tokensOf(bench), QStringList({"[CLS]", "the", "cat", "##s", "sat", "[SEP]"}));
    QCOMPARE(bench.selection()->shape().layers, bench.document()->run()->maps()->shape().layers);
    QVERIFY(bench.selection()->shape().layers > 1);
    QVERIFY(bench.window->findChild<ModelSection*>()->isVisible());
    QVERIFY(!bench.window->findChild<SourceSection*>()->isVisible());
    QVERIFY(isShown(bench, "Special tokens"));
    QVERIFY(isShown(bench, "Layers × heads"));
    QVERIFY(bench.action(ActionId::ClearRecent)->isEnabled());
    bench.action(ActionId::ClearRecent)->trigger();
    QVERIFY(!bench.action(ActionId::ClearRecent)->isEnabled());
    bench.window->files()->open(model);
    QTRY_VERIFY(bench.settled());
    const auto labels = bench.window->findChild<ModelSection*>()->findChildren<QLabel*>();
    QVERIFY(
        std::ranges::any_of(labels, [](const QLabel* label) { return label->text() == "BERT"; }));
    QCOMPARE(bench.window->files()->recentFiles().value(0), model);
}

void TestWindowModel::theSectionChangesTheTokens()
{
    Bench bench(m_theme);
    bench.document()->reset(textOf("the cat"));
    bench.window->files()->open(bertWithWords(bench.folder));
    QTRY_VERIFY(bench.settled());
    auto* pair = fieldOf<QLineEdit>(bench, "Second text");
    pair->setFocus();
    QTest::keyClicks(pair, QStringLiteral("dog"));
    QTRY_VERIFY(bench.settled());
    QCOMPARE(tokensOf(bench), QStringList({"[CLS]", "the", "cat", "[SEP]", "dog", "[SEP]"}));
    bench.action(ActionId::SpecialTokens)->trigger();
    QTRY_VERIFY(bench.settled());
    QCOMPARE(tokensOf(bench), QStringList({"the", "cat", "dog"}));
    bench.document()->undoStack()->undo();
    bench.document()->undoStack()->undo();
    QTRY_VERIFY(bench.settled());
    QCOMPARE(tokensOf(bench), QStringList({"[CLS]", "the", "cat", "[SEP]"}));
    QCOMPARE(pair->text(), QString());
}

void TestWindowModel::theMaskActsOnEveryLayerOrOnOne()
{
    Bench bench(m_theme);
    bench.document()->reset(textOf("the cat sat"));
    bench.window->files()->open(bertWithWords(bench.folder));
    QTRY_VERIFY(bench.settled());
    bench.selection()->setMap({1, 0, 0});
    bench.action(ActionId::Causal)->trigger();
    QTRY_VERIFY(bench.settled());
    const auto hides = [&](std::int64_t layer) {
        return !bench.document()->run()->mask(layer)->keeps(0, 0, 0, 3);
    };
    QVERIFY(hides(0) && hides(1));
    auto* scope = fieldOf<QComboBox>(bench, "Your mask acts on");
    scope->setCurrentIndex(1);
    Q_EMIT scope->activated(1);
    QTRY_VERIFY(bench.settled());
    QVERIFY(!hides(0) && hides(1));
    QCOMPARE(scope->currentText(), QStringLiteral("layer 1 only"));
    bench.selection()->setMap({0, 0, 0}); // looking elsewhere changes nothing
    QCOMPARE(scope->currentText(), QStringLiteral("layer 1 only"));
}

void TestWindowModel::aDecoderHasATargetAndThreeKindsOfAttention()
{
    Bench bench(m_theme);
    bench.document()->reset(textOf("the cat sat"));
    bench.window->files()->open(bertWithWords(bench.folder));
    QTRY_VERIFY(bench.settled());
    QVERIFY(!fieldOf<QLineEdit>(bench, "Target text")->isVisible());
    QVERIFY(!fieldOf<QComboBox>(bench, "Attention")->isVisible());

    bench.window->files()->open(modelWithWords(bench.folder, "bart"));
    QTRY_VERIFY(bench.settled());
    QCOMPARE(bench.selection()->shape(), (MapsShape{2, 1, 4, 5, 5}));
    QVERIFY(!fieldOf<QLineEdit>(bench, "Second text")->isVisible());
    auto* target = fieldOf<QLineEdit>(bench, "Target text");
    QVERIFY(target->isVisible());
    target->setFocus();
    QTest::keyClicks(target, QStringLiteral("the dog"));
    auto* attention = fieldOf<QComboBox>(bench, "Attention");
    QCOMPARE(attention->currentText(), QStringLiteral("Encoder self-attention"));
    attention->setCurrentIndex(2);
    Q_EMIT attention->activated(2);
    QTRY_VERIFY(bench.settled());
    QCOMPARE(bench.selection()->shape(), (MapsShape{3, 1, 2, 4, 5}));
    QCOMPARE(tokensOf(bench), QStringList({"[SEP]", "[CLS]", "the", "dog"}));
    QVERIFY(isShown(bench, "Cross-attention"));
    QVERIFY(isShown(bench, "Target tokens"));
    attention->setCurrentIndex(1);
    Q_EMIT attention->activated(1);
    QTRY_VERIFY(bench.settled());
    QCOMPARE(bench.selection()->shape(), (MapsShape{3, 1, 2, 4, 4}));
    QVERIFY(bench.action(ActionId::Causal)->isChecked());
    QVERIFY(!bench.action(ActionId::Causal)->isEnabled());
    bench.document()->undoStack()->undo();
    QTRY_VERIFY(bench.settled());
    QCOMPARE(attention->currentIndex(), 2);
    QVERIFY(isShown(bench, "Longest text"));
    bench.document()->undoStack()->setClean(); // else the question whether to save it comes
    bench.window->files()->open(modelWithWords(bench.folder, "t5"));
    QTRY_VERIFY(bench.settled());
    QVERIFY(!isShown(bench, "Longest text"));  // positions by distance have no end
    bench.document()->undoStack()->setClean(); // else the question whether to save it comes
    bench.window->files()->open(bertWithWords(bench.folder)); // takes no target with it
    QTRY_VERIFY(bench.settled());
    QCOMPARE(bench.document()->run()->model()->family, std::string("bert"));
}

void TestWindowModel::theInspectorSaysWhatIsExpected()
{
    Bench bench(m_theme);
    Source source;
    source.model = golden("gpt2").toStdString();
    source.ids = {{1, 2, 3}};
    bench.window->files()->openSource(source);
    QTRY_VERIFY(bench.settled());
    auto* section = bench.window->findChild<PredictionSection*>();
    QVERIFY(section->isVisible());
    const auto shown = [&] {
        QStringList texts;
        for (const QLabel* label : section->findChildren<QLabel*>()) {
            if (label->isVisible()) {
                texts += label->text();
            }
        }
        return texts.join(QLatin1Char('\n'));
    };
    const auto expected = predictTokens(*bench.document()->run(), 0, {0}, 1, Execution{});
    QVERIFY(expected);
    QTRY_VERIFY(shown().contains(QStringLiteral("after token 2"))); // nothing pinned: the last
    bench.selection()->pin({0, 0});
    QTRY_VERIFY(shown().contains(QStringLiteral("after token 0")));
    const Prediction& best = expected->front().best.front();
    QVERIFY(shown().contains(QString::fromStdString(best.token.text)));
    QVERIFY(shown().contains(QString::number(best.probability * 100, 'f', 2)));
    QVERIFY(shown().contains(QStringLiteral("rank ") +
                             QString::number(expected->front().actual->rank)));
    bench.document()->reset(textOf("the cat")); // the sandbox expects nothing
    QTRY_VERIFY(bench.settled());
    QVERIFY(!section->isVisible());
}

void TestWindowModel::masksOfTheModelItselfCannotBeSwitchedOff()
{
    Bench bench(m_theme);
    Source source;
    source.model = golden("gpt2").toStdString();
    source.ids = {{1, 2, 3}};
    bench.window->files()->openSource(source);
    QTRY_VERIFY(bench.settled());
    for (const auto id : {ActionId::Causal, ActionId::Padding}) {
        QVERIFY(bench.action(id)->isChecked() && !bench.action(id)->isEnabled());
    }
    QVERIFY(!bench.action(ActionId::SpecialTokens)->isEnabled());
    QVERIFY(!isShown(bench, "Special tokens"));             // nothing adds any to ids
    QVERIFY(!bench.action(ActionId::Sandbox)->isEnabled()); // ids are no text
    QVERIFY(!bench.document()->source().causal);
}

void TestWindowModel::theTextGoesBackToTheSandbox()
{
    Bench bench(m_theme);
    bench.document()->reset(textOf("the cat sat"));
    bench.window->files()->open(bertWithWords(bench.folder));
    QTRY_VERIFY(bench.settled());
    bench.action(ActionId::Sandbox)->trigger();
    QTRY_VERIFY(bench.settled());
    QCOMPARE(tokensOf(bench), QStringList({"the", "cat", "sat"}));
    QVERIFY(bench.window->findChild<SourceSection*>()->isVisible());
    bench.document()->undoStack()->undo();
    QTRY_VERIFY(bench.settled());
    QVERIFY(bench.document()->run()->model() != nullptr);
}

void TestWindowModel::filesOfAModelMeanItsFolder()
{
    QTemporaryDir folder;
    const QString model = bertWithWords(folder);
    const std::filesystem::path expected = model.toStdString();
    QCOMPARE(modelOf(model), expected);
    QCOMPARE(modelOf(model + "/config.json"), expected);
    QCOMPARE(modelOf(model + "/model.safetensors"), expected);
    QCOMPARE(modelOf(folder.filePath("x.gguf")),
             std::filesystem::path(folder.filePath("x.gguf").toStdString()));
    QVERIFY(modelOf(model + "/vocab.txt").empty());
    QVERIFY(modelOf(folder.filePath("arrays.safetensors")).empty());
}

void TestWindowModel::whatTheModelDoesNotSeeIsSaidUnderTheText()
{
    constexpr const char* note = "1 token is [UNK], as the vocabulary has no piece for 'zebra'";
    Bench bench(m_theme);
    bench.document()->reset(textOf("the zebra"));
    bench.window->files()->open(bertWithWords(bench.folder));
    QTRY_VERIFY(bench.settled());
    QVERIFY(isShown(bench, note));
    Source source = bench.document()->source();
    source.mask = "causl";
    bench.document()->edit(source, QString());
    QTRY_VERIFY(bench.document()->isRefused());
    QVERIFY(!isShown(bench, note));
    source.mask.clear();
    source.lines = {"the cat"};
    bench.document()->edit(source, QString());
    QTRY_VERIFY(bench.settled());
    QVERIFY(!isShown(bench, note));
}

void TestWindowModel::whatIsRefusedLeavesNothingOfWhatWasBefore()
{
    Bench bench(m_theme);
    bench.document()->reset(textOf("the cat"));
    QTRY_VERIFY(bench.settled());
    const auto* picture = bench.window->findChild<MaskPicture*>();
    QTRY_VERIFY(isShown(bench, "L0 H0 weights"));
    const QString before = picture->accessibleName();
    Source source = bench.document()->source();
    source.lines = {""};
    bench.document()->edit(source, QString());
    QTRY_VERIFY(bench.document()->isRefused());
    QVERIFY(!isShown(bench, "L0 H0 weights"));
    QVERIFY(picture->accessibleName() != before);
    bench.document()->undoStack()->undo();
    QTRY_VERIFY(bench.settled());
    QVERIFY(isShown(bench, "L0 H0 weights"));
    QCOMPARE(picture->accessibleName(), before);
}

void TestWindowModel::aFolderThatIsNoModelIsRefused()
{
    Bench bench(m_theme);
    bench.document()->reset(textOf("the cat"));
    QTRY_VERIFY(bench.settled());
    bench.window->files()->open(bench.folder.path());
    const auto bars = bench.window->findChildren<MessageBar*>();
    QVERIFY(std::ranges::any_of(bars, [](const MessageBar* bar) {
        return bar->isVisible() && bar->text().contains(QStringLiteral("config.json"));
    }));
    QVERIFY(bench.document()->source().model.empty()); // what was open stays
}

QTEST_MAIN(TestWindowModel)
#include "tst_windowmodel.moc"
