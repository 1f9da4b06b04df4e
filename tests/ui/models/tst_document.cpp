// Edits compute at once, merge, and undo.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fakeengine.h"
#include "models/document.h"
#include "services/engineservice.h"

#include <QSignalSpy>
#include <QTest>

using namespace heed;
using namespace heed::ui;

namespace {

Source textSource(const char* text)
{
    Source source;
    source.lines = {text};
    return source;
}

std::shared_ptr<test::FakeEngine> fakeEngine()
{
    return std::make_shared<test::FakeEngine>(std::make_shared<test::FakeMaps>(
        MapsShape{1, 1, 2, 3, 3}, [](auto, auto, auto) { return 0.5F; }));
}

} // namespace

class DocumentTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void firstEditOpensWithoutAnUndoStep();
    void typingBecomesOneUndoStep();
    void undoComputesTheOldSourceAgain();
    void aRefusedSourceKeepsTheOldRunMarkedStale();
    void savingMakesItClean();
    void closingForgetsEverything();
};

void DocumentTest::firstEditOpensWithoutAnUndoStep()
{
    EngineService service(fakeEngine());
    Document document(&service);
    QVERIFY(document.isEmpty());
    document.edit(textSource("a"), "Type");
    QVERIFY(!document.isEmpty());
    QVERIFY(!document.undoStack()->canUndo());
    QTRY_VERIFY(document.run());
    QVERIFY(!document.isStale());
}

void DocumentTest::typingBecomesOneUndoStep()
{
    EngineService service(fakeEngine());
    Document document(&service);
    document.reset(textSource(""));
    for (const char* text : {"I", "I l", "I li"}) {
        document.edit(textSource(text), "Type", 1);
    }
    document.edit(textSource("I li"), "Type", 1);
    Source causal = textSource("I li");
    causal.causal = true;
    document.edit(causal, "Causal mask");
    QCOMPARE(document.undoStack()->count(), 2);
    QCOMPARE(document.undoStack()->undoText(), "Causal mask");
    document.undoStack()->undo();
    document.undoStack()->undo();
    QCOMPARE(document.source(), textSource(""));
    document.undoStack()->redo();
    QCOMPARE(document.source(), textSource("I li"));
}

void DocumentTest::undoComputesTheOldSourceAgain()
{
    const auto engine = fakeEngine();
    EngineService service(engine);
    Document document(&service);
    document.reset(textSource("a"));
    QTRY_VERIFY(document.run());
    document.edit(textSource("b"), "Type");
    QTRY_VERIFY(!document.isStale());
    document.undoStack()->undo();
    QVERIFY(document.isStale());
    QTRY_VERIFY(!document.isStale());
    QCOMPARE(document.run()->source(), textSource("a"));
    QCOMPARE(engine->calls(), (std::vector<std::string>{"compute a", "compute b", "compute a"}));
}

void DocumentTest::aRefusedSourceKeepsTheOldRunMarkedStale()
{
    const auto engine = fakeEngine();
    EngineService service(engine);
    Document document(&service);
    document.reset(textSource("a"));
    QTRY_VERIFY(document.run());
    engine->failWith({Code::InvalidArgument, "No.", {}});
    document.edit(textSource("b"), "Type");
    QTRY_VERIFY(document.error().has_value());
    QCOMPARE(document.error()->message, "No.");
    QVERIFY(document.isStale());
    QCOMPARE(document.run()->source(), textSource("a"));
}

void DocumentTest::savingMakesItClean()
{
    EngineService service(fakeEngine());
    Document document(&service);
    document.reset(textSource("a"));
    QVERIFY(!document.isModified());
    document.edit(textSource("b"), "Type");
    QVERIFY(document.isModified());
    document.setSaved("/tmp/b.heed");
    QVERIFY(!document.isModified());
    QCOMPARE(document.filePath(), "/tmp/b.heed");
    document.undoStack()->undo();
    QVERIFY(document.isModified());
}

void DocumentTest::closingForgetsEverything()
{
    EngineService service(fakeEngine());
    Document document(&service);
    document.reset(textSource("a"), "/tmp/a.heed");
    document.close();
    QVERIFY(document.isEmpty());
    QVERIFY(document.filePath().isEmpty());
    QSignalSpy runs(&document, &Document::runChanged);
    QTest::qWait(20); // a late result would arrive in this time
    QCOMPARE(runs.count(), 0);
    QVERIFY(!document.run());
}

QTEST_GUILESS_MAIN(DocumentTest)
#include "tst_document.moc"
