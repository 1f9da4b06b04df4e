// heedmap mask lint: what it takes, prints and exits with.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"

#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

class TestMaskLintCommand : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void errorsEndWithOne();
    void aGoodMaskEndsWithNought();
    void jsonHasFindingsAndWhatTheMaskIs();
    void optionsReplaceWhatTheCaseSays();
    void filesAreReadInTheSlot();
    void omissionsAreGroupedByWhatTheyNeed();
    void mistakes_data();
    void mistakes();
};

namespace {

/// A case beside nothing else.
class CaseFile {
public:
    explicit CaseFile(const QByteArray& text, const QString& name = "case.json")
        : m_name(name)
    {
        QFile file(m_folder.filePath(name));
        if (file.open(QIODevice::WriteOnly)) {
            file.write(text);
        }
    }
    [[nodiscard]] Outcome lint(const QStringList& more = {}) const
    {
        return runProgram(QStringList{"mask", "lint", m_name} + more, {}, m_folder.path());
    }

private:
    QTemporaryDir m_folder;
    QString m_name;
};

const QByteArray OpenCase = R"({"mask": [[1, 1], [1, 1]], "mask_dtype": "bool",
    "slot": "torch.sdpa", "intent": "causal"})";

} // namespace

void TestMaskLintCommand::errorsEndWithOne()
{
    const Outcome outcome = CaseFile(OpenCase).lint();
    QCOMPARE(outcome.exitCode, 1);
    QVERIFY2(outcome.output.contains("R13 error"), outcome.output);
    QVERIFY2(outcome.output.contains("1 cell of the future is open, the first at (0, 1)."),
             outcome.output);
}

void TestMaskLintCommand::aGoodMaskEndsWithNought()
{
    const Outcome outcome = runProgram({"mask", "lint", "causal", "--intent", "causal"});
    QCOMPARE(outcome.exitCode, 0);
    QVERIFY2(outcome.output.contains("Nothing found."), outcome.output);
}

void TestMaskLintCommand::jsonHasFindingsAndWhatTheMaskIs()
{
    const Outcome outcome = CaseFile(OpenCase).lint({"--json"});
    QCOMPARE(outcome.exitCode, 1);
    const QJsonObject whole = jsonOf(outcome);
    QCOMPARE(whole["schema"].toString(), QString("heedmap.lint/1"));
    const QJsonObject leak = whole["findings"].toArray().first().toObject();
    QCOMPARE(leak["rule"].toString(), QString("R13"));
    QCOMPARE(leak["severity"].toString(), QString("error"));
    QCOMPARE(leak["count"].toInt(), 1);
    QCOMPARE(leak["cells"].toArray().first().toArray(), (QJsonArray{0, 0, 0, 1}));
    QVERIFY(!leak["fix"].toString().isEmpty());
    QCOMPARE(whole["recognised"].toArray().first().toObject()["expression"].toString(),
             QString("none"));
    QVERIFY(!whole["not_checked"].toArray().isEmpty());
}

void TestMaskLintCommand::optionsReplaceWhatTheCaseSays()
{
    QCOMPARE(CaseFile(OpenCase).lint({"--intent", "none"}).exitCode, 0);
    const Outcome added = CaseFile(OpenCase).lint({"--slot", "additive", "--json"});
    QCOMPARE(jsonOf(added)["findings"].toArray().first().toObject()["rule"].toString(),
             QString("R13"));
}

void TestMaskLintCommand::filesAreReadInTheSlot()
{
    const CaseFile mask("0,-inf\n0,0\n", "mask.csv");
    QCOMPARE(mask.lint({"--slot", "torch.sdpa", "--intent", "causal"}).exitCode, 0);
    const Outcome asKeep = mask.lint({"--slot", "flax", "--intent", "causal", "--json"});
    QCOMPARE(asKeep.exitCode, 1);
    QStringList rules;
    for (const auto& finding : jsonOf(asKeep)["findings"].toArray()) {
        rules << finding.toObject()["rule"].toString();
    }
    QVERIFY2(rules.contains("R03"), qPrintable(rules.join(' ')));
}

void TestMaskLintCommand::omissionsAreGroupedByWhatTheyNeed()
{
    const Outcome outcome = runProgram({"mask", "lint", "causal"});
    QVERIFY2(outcome.output.contains("    lengths or pad: R20, R21\n"), outcome.output);
}

void TestMaskLintCommand::mistakes_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QByteArray>("message");
    QTest::newRow("no such file") << QStringList{"gone.npy"} << 3 << QByteArray("no such file");
    QTest::newRow("slot") << QStringList{"causal", "--slot", "torch.spda"} << 2
                          << QByteArray("torch.sdpa");
    QTest::newRow("slot of an expression")
        << QStringList{"causal", "--slot", "torch.sdpa"} << 2 << QByteArray("expression");
    QTest::newRow("expression") << QStringList{"causl"} << 2 << QByteArray("causal");
    QTest::newRow("intent") << QStringList{"causal", "--intent", "windw(3)"} << 2
                            << QByteArray("window");
    QTest::newRow("facts") << QStringList{"causal", "--keys", "4", "--documents", "0,1"} << 3
                           << QByteArray("documents has 2 entries");
    QTest::newRow("lists") << QStringList{"causal", "--documents", "0,x"} << 2
                           << QByteArray("--documents");
}

void TestMaskLintCommand::mistakes()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const int, exitCode);
    QFETCH(const QByteArray, message);
    const Outcome outcome = runProgram(QStringList{"mask", "lint"} + arguments);
    QCOMPARE(outcome.exitCode, exitCode);
    QVERIFY2(outcome.errors.contains(message), outcome.errors);
    QVERIFY(outcome.output.isEmpty());
}

QTEST_GUILESS_MAIN(TestMaskLintCommand)
#include "tst_masklintcommand.moc"
