// Wrong command lines: the exit code, the message, and the way out it names.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>

class TestCommandLine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void usageErrors_data();
    void usageErrors();
    void unreadableInput_data();
    void unreadableInput();
    void resourceErrors_data();
    void resourceErrors();
    void versionAndHelpNeedNoDisplay();
    void aWindowWithoutADisplaySaysWhatHelps();
    void whatTheWindowIsToldIsChecked_data();
    void whatTheWindowIsToldIsChecked();
    void aFileTakesTheOptionsOfTheEngine();
    void valuesAreTakenAsTyped_data();
    void valuesAreTakenAsTyped();
    void emptyValues_data();
    void emptyValues();
    void threadsOfTheEnvironment_data();
    void threadsOfTheEnvironment();
    void manyThreadsAreTakenQuietly();
    void interrupted_data();
    void interrupted();
    void fullDiskIsReported_data();
    void fullDiskIsReported();
    void fileOverTheLimitOfTheSystem();
};

namespace {

const QString Sentence = QStringLiteral("I like eating apple");

void checkMessage(const Outcome& outcome, const QString& expected)
{
    QVERIFY2(outcome.errors.startsWith("heedmap: "), outcome.errors.constData());
    QVERIFY2(outcome.errors.contains(expected.toUtf8()), outcome.errors.constData());
    QVERIFY2(!outcome.errors.contains("terminate called"), outcome.errors.constData());
    QVERIFY2(outcome.output.isEmpty(), outcome.output.constData());
}

} // namespace

void TestCommandLine::usageErrors_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("expected");
    const QStringList text = {"compute", "--text", Sentence};

    QTest::newRow("misspelled option") << QStringList{"compute", "--causl"} << "--causal";
    QTest::newRow("misspelled option with a value")
        << QStringList{"compute", "--haeds=4"} << "--heads";
    QTest::newRow("unknown option") << QStringList{"compute", "--zzzzzz"} << "unknown option";
    QTest::newRow("misspelled command") << QStringList{"compte"} << "compute";
    QTest::newRow("two commands") << QStringList{"compute", "stats"} << "unexpected";
    QTest::newRow("mask without a command") << QStringList{"mask"} << "show";
    QTest::newRow("mask with a misspelled command")
        << QStringList{"mask", "shwo"} << "Did you mean show?";
    QTest::newRow("mask show without a mask") << QStringList{"mask", "show"} << "EXPR";
    QTest::newRow("mask recognise without a mask")
        << QStringList{"mask", "recognise"} << "EXPR|FILE";
    QTest::newRow("a reading of no file")
        << QStringList{"mask", "recognise", "causal", "--reads", "keep"} << "--reads";
    QTest::newRow("info without a file") << QStringList{"info"} << "FILE";
    QTest::newRow("option before the command")
        << QStringList{"--text", Sentence, "compute"} << "before the command";
    QTest::newRow("nothing to compute") << QStringList{"compute"} << "--text";
    QTest::newRow("value missing") << QStringList{"compute", "--heads"} << "--heads";
    QTest::newRow("heads is no number") << text + QStringList{"--heads", "four"} << "four";
    QTest::newRow("heads below 1") << text + QStringList{"--heads", "0"} << "--heads";
    QTest::newRow("heads negative") << text + QStringList{"--heads", "-3"} << "--heads";
    QTest::newRow("heads beyond 64 bits")
        << text + QStringList{"--heads", "99999999999999999999"} << "--heads";
    QTest::newRow("heads that do not divide")
        << text + QStringList{"--d-model", "1600", "--heads", "48"} << "40";
    QTest::newRow("kv heads that do not divide")
        << text + QStringList{"--heads", "8", "--kv-heads", "3"} << "8";
    QTest::newRow("seed negative") << text + QStringList{"--seed", "-1"} << "--seed";
    QTest::newRow("positions unknown")
        << text + QStringList{"--positions", "alibi"} << "sinusoidal";
    QTest::newRow("tokenizer unknown") << text + QStringList{"--tokenizer", "bpe"} << "words";
    QTest::newRow("mask with a mistake") << text + QStringList{"--mask", "causl"} << "causal";
    QTest::newRow("mask of a name that comes later")
        << text + QStringList{"--mask", "alibi"} << "biases";
    QTest::newRow("mask not closed") << text + QStringList{"--mask", "(causal"} << ")";
    QTest::newRow("head that is not there")
        << text + QStringList{"--heads", "4", "--head", "9"} << "0 to 3";
    QTest::newRow("layer that is not there") << text + QStringList{"--layer", "1"} << "layer";
    QTest::newRow("item that is not there") << text + QStringList{"--item", "0-3"} << "item";
    QTest::newRow("selection that is no number") << text + QStringList{"--head", "0-"} << "0,3-5";
    QTest::newRow("what unknown") << text + QStringList{"--what", "weigths"} << "weights";
    QTest::newRow("what of a model") << text + QStringList{"--what", "logits"} << "logits";
    QTest::newRow("what empty") << text + QStringList{"--what", "mask,,weights"} << "--what";
    QTest::newRow("ids") << QStringList{"compute", "--ids", "101,7592,102"} << "--model";
    QTest::newRow("text twice") << text + QStringList{"--text-file", "-"} << "exclude";
    QTest::newRow("backend unknown") << text + QStringList{"--backend", "quantum"} << "reference";
    QTest::newRow("memory") << text + QStringList{"--memory", "much"} << "2GiB";
    QTest::newRow("no memory") << text + QStringList{"--memory", "0"} << "--memory";
    QTest::newRow("extension unknown") << text + QStringList{"-o", "out.xlsx"} << ".npz";
    QTest::newRow("csv of two") << text + QStringList{"--what", "q,weights", "--format", "csv"}
                                << "CSV";
    QTest::newRow("npy of two") << text + QStringList{"--what", "q,weights", "--format", "npy"}
                                << "npy";
    QTest::newRow("json and csv") << QStringList{"stats", "--text", Sentence, "--json", "--csv"}
                                  << "exclude";
    QTest::newRow("pad-to too short") << text + QStringList{"--pad-to", "2"} << "4";
    QTest::newRow("lengths and text")
        << QStringList{"mask", "show", "causal", "--text", Sentence, "--lengths", "3"} << "--text";
    QTest::newRow("length of nothing")
        << QStringList{"mask", "show", "padding", "--lengths", "5,0"} << "--lengths";
    QTest::newRow("length beyond the keys")
        << QStringList{"mask", "show", "padding", "--lengths", "9", "--keys", "4"} << "--lengths";
    QTest::newRow("bench of nothing") << QStringList{"bench", "--sizes", "0"} << "--sizes";
    QTest::newRow("render without a name") << QStringList{"render", "--text", Sentence} << "-o";
    QTest::newRow("render to another format")
        << QStringList{"render", "--text", Sentence, "-o", "a.bmp"} << ".png";
    QTest::newRow("render of two heads as one map")
        << QStringList{"render", "--text", Sentence, "--view", "heatmap",
                       "--head", "0,1",    "-o",     "a.png"}
        << "grid";
    QTest::newRow("render width") << QStringList{"render", "--text",  Sentence, "-o",
                                                 "a.png",  "--width", "wide"}
                                  << "mm";
    QTest::newRow("render range without an end")
        << QStringList{"render", "--text", Sentence, "-o", "a.png", "--range", "-inf:inf"}
        << "--range";
    QTest::newRow("mask nested too deep")
        << text + QStringList{"--mask", QString(65, '~') + "causal"} << "nested";
    QTest::newRow("heads of finished projections")
        << QStringList{"compute", "--qkv", "a.npz", "--heads", "2"} << "--qkv";
    QTest::newRow("seed of finished maps")
        << QStringList{"compute", "--maps", "a.npz", "--seed", "0"} << "--maps";
    QTest::newRow("filled arrays")
        << QStringList{"compute", "--input", "a.npy", "--pad-to", "9"} << "--input";
    QTest::newRow("render range") << QStringList{"render", "--text",  Sentence, "-o",
                                                 "a.png",  "--range", "1:0"}
                                  << "--range";
}

void TestCommandLine::usageErrors()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, expected);
    const Outcome outcome = runProgram(arguments);
    QVERIFY2(outcome.exitCode == 2, outcome.errors.constData());
    checkMessage(outcome, expected);
}

void TestCommandLine::emptyValues_data()
{
    QTest::addColumn<QStringList>("arguments");
    const QStringList text = {"compute", "--text", Sentence};
    for (const char* option :
         {"--weights", "--context", "--head", "--item", "--layer", "--what", "--memory", "--input",
          "--qkv", "--maps", "--text-file", "--mask", "--backend", "--ids", "--output"}) {
        QTest::newRow(option) << text + QStringList{option, ""};
    }
    QTest::newRow("equals sign") << text + QStringList{"--weights="};
    QTest::newRow("lengths") << QStringList{"mask", "show", "padding", "--lengths", ""};
    QTest::newRow("mask") << QStringList{"mask", "show", ""};
    QTest::newRow("info") << QStringList{"info", ""};
    QTest::newRow("window") << QStringList{"--text", Sentence, "--weights", ""};
}

void TestCommandLine::emptyValues()
{
    QFETCH(QStringList, arguments);
    const Outcome outcome = runProgram(arguments);
    QVERIFY2(outcome.exitCode == 2, outcome.errors.constData());
    checkMessage(outcome, QStringLiteral("unset variable"));
}

void TestCommandLine::threadsOfTheEnvironment_data()
{
    QTest::addColumn<QString>("threads");
    for (const char* threads : {"100000", "4097", "abc", "-1", "2x", ""}) {
        QTest::newRow(*threads == '\0' ? "empty" : threads) << threads;
    }
}

void TestCommandLine::threadsOfTheEnvironment()
{
    QFETCH(QString, threads);
    QProcessEnvironment environment = bareEnvironment();
    environment.insert("HEED_THREADS", threads);
    const Outcome outcome = runProgram({"compute", "--text", Sentence}, {}, {}, environment);
    QVERIFY2(outcome.exitCode == 2, outcome.errors.constData());
    checkMessage(outcome, QStringLiteral("HEED_THREADS"));
}

void TestCommandLine::manyThreadsAreTakenQuietly()
{
    const Outcome outcome = runProgram({"compute", "--text", Sentence, "--threads", "4096",
                                        "--what", "weights", "--pad-to", "300", "--padding"});
    QCOMPARE(outcome.exitCode, 0);
    QCOMPARE(outcome.errors, QByteArray());
}

void TestCommandLine::unreadableInput_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("input");
    QTest::addColumn<QString>("expected");

    QTest::newRow("file that is not there")
        << QStringList{"/no/such/file.npz"} << QByteArray() << "/no/such/file.npz";
    QTest::newRow("info of nothing")
        << QStringList{"info", "/no/such/file.npz"} << QByteArray() << "/no/such/file.npz";
    QTest::newRow("text file that is not there")
        << QStringList{"compute", "--text-file", "/no/such/text"} << QByteArray()
        << "/no/such/text";
    QTest::newRow("weights that are not there")
        << QStringList{"compute", "--text", Sentence, "--weights", "/no/such.npz"} << QByteArray()
        << "/no/such.npz";
    QTest::newRow("empty pipe") << QStringList{"compute", "--text-file", "-"} << QByteArray()
                                << "standard input";
    QTest::newRow("blank lines only")
        << QStringList{"compute", "--text-file", "-"} << QByteArray("\n  \n\n") << "standard input";
    QTest::newRow("invalid UTF-8") << QStringList{"compute", "--text-file", "-"}
                                   << QByteArray("I like \xff\xfe apple\n") << "UTF-8";
    QTest::newRow("folder that cannot be written to")
        << QStringList{"compute", "--text", Sentence, "-o", "/no/such/folder/out.npz"}
        << QByteArray() << "/no/such/folder";
}

void TestCommandLine::unreadableInput()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, input);
    QFETCH(QString, expected);
    const Outcome outcome = runProgram(arguments, input);
    QVERIFY2(outcome.exitCode == 3, outcome.errors.constData());
    checkMessage(outcome, expected);
}

void TestCommandLine::resourceErrors_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("layer over the budget") << QStringList{
        "compute", "--text", Sentence, "--pad-to", "4096", "--what", "weights", "--memory", "1MiB"};
    QTest::newRow("absurd length")
        << QStringList{"compute", "--text", Sentence, "--pad-to", "16777216", "--what", "weights"};
    QTest::newRow("ten million tokens")
        << QStringList{"stats", "--text", Sentence, "--pad-to", "10000000", "--memory", "64MiB"};
    QTest::newRow("wide layer") << QStringList{
        "stats", "--text", Sentence, "--d-model", "65536", "--heads", "1024", "--memory", "1GiB"};
    QTest::newRow("mask of many ranges")
        << QStringList{"mask", "show", "strided(16)", "--keys", "100000", "--memory", "50MB"};
    QTest::newRow("mask of a computed map") << QStringList{
        "stats",    "--text", Sentence,    "--pad-to", "20000",   "--mask", "strided(16)",
        "--memory", "40MB",   "--d-model", "8",        "--heads", "1"};
    QTest::newRow("absurd mask") << QStringList{"mask",    "show",     "causal", "--keys",
                                                "1000000", "--memory", "1KiB"};
}

void TestCommandLine::resourceErrors()
{
    QFETCH(QStringList, arguments);
    const Outcome outcome = runProgram(arguments);
    QVERIFY2(outcome.exitCode == 4, outcome.errors.constData());
    checkMessage(outcome, QStringLiteral("--memory"));
}

void TestCommandLine::versionAndHelpNeedNoDisplay()
{
    const Outcome version = runProgram({"--version"});
    QCOMPARE(version.exitCode, 0);
    QVERIFY(version.output.startsWith("heedmap "));
    const Outcome help = runProgram({"--help"});
    QCOMPARE(help.exitCode, 0);
    QVERIFY(help.output.startsWith("Usage: heedmap"));
    QVERIFY(help.errors.isEmpty());
}

void TestCommandLine::aWindowWithoutADisplaySaysWhatHelps()
{
    const Outcome outcome = runProgram({"--text", "a b"});
    QCOMPARE(outcome.exitCode, 4);
    QVERIFY2(outcome.errors.startsWith("heedmap: ") && outcome.errors.contains("render"),
             outcome.errors);
    QCOMPARE(outcome.errors.count('\n'), 1);
}

void TestCommandLine::whatTheWindowIsToldIsChecked_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("said");
    QTest::newRow("memory") << QStringList{"--memory", "lots"} << "--memory";
    QTest::newRow("head") << QStringList{"--text", "a", "--head", "two"} << "--head";
    QTest::newRow("layer") << QStringList{"--layer", "-1"} << "--layer";
}

void TestCommandLine::whatTheWindowIsToldIsChecked()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, said);
    const Outcome outcome = runProgram(arguments);
    QCOMPARE(outcome.exitCode, 2);
    QVERIFY2(outcome.errors.contains(said.toUtf8()), outcome.errors);
}

void TestCommandLine::aFileTakesTheOptionsOfTheEngine()
{
    // Without a display it gets as far as the window.
    const Outcome outcome = runProgram({"--memory", "1GiB", "--threads", "1", "--head", "1",
                                        QFINDTESTDATA("tst_commandline.cpp")});
    QCOMPARE(outcome.exitCode, 4);
    QVERIFY2(outcome.errors.contains("display"), outcome.errors);
}

void TestCommandLine::valuesAreTakenAsTyped_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("tokens");
    QTest::newRow("brackets are no list") << QStringList{"--text", "[CLS]"} << "[ CLS ]";
    QTest::newRow("comma in brackets") << QStringList{"--text", "[a,b]"} << "[ a , b ]";
    QTest::newRow("braces are no empty list") << QStringList{"--text", "{}"} << "{ }";
    QTest::newRow("percent signs") << QStringList{"--text", "%%"} << "% %";
    QTest::newRow("leading dash") << QStringList{"--text", "-x"} << "- x";
    QTest::newRow("option as text") << QStringList{"--text", "--causal"} << "- - causal";
    QTest::newRow("equals sign") << QStringList{"--text=a=b"} << "a = b";
    QTest::newRow("quotes stay") << QStringList{"--text", "\"a\""} << "\" a \"";
    QTest::newRow("Chinese") << QStringList{"--text", QStringLiteral("注意力")}
                             << QStringLiteral("注 意 力");
    QTest::newRow("windows line ends")
        << QStringList{"--text-file", "-"} << "a b"; // the input is given below
}

void TestCommandLine::valuesAreTakenAsTyped()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, tokens);
    const Outcome outcome =
        runProgram(QStringList{"compute", "--what", "tokens"} + arguments, "\xef\xbb\xbf"
                                                                           "a b\r\n\r\n");
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    QStringList found;
    const QJsonValue first = jsonOf(outcome).value("tokens").toArray().at(0);
    for (const QJsonValue& token : first.toArray()) {
        found.append(token.toString());
    }
    QCOMPARE(found.join(' '), tokens);
}

void TestCommandLine::interrupted_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGINT") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGHUP") << SIGHUP;
}

void TestCommandLine::interrupted()
{
    QFETCH(int, signal);
    const auto before = std::signal(SIGHUP, SIG_DFL); // the tests may run under nohup
    QProcess process;
    process.setProcessEnvironment(bareEnvironment());
    process.start(programPath(), {"compute", "--text-file", "-"}); // waits for its input
    QVERIFY(process.waitForStarted());
    // A signal before the handler stands would end it too, but with another status; so wait until
    // it sleeps with the signal blocked.
    const QString statusPath = QStringLiteral("/proc/%1/status").arg(process.processId());
    QTRY_VERIFY_WITH_TIMEOUT(
        [&] {
            QFile status(statusPath);
            if (!status.open(QIODevice::ReadOnly)) {
                return false;
            }
            const QByteArray text = status.readAll();
            const qsizetype at = text.indexOf("SigBlk:");
            const quint64 blocked = text.mid(at + 8, 16).toULongLong(nullptr, 16);
            return (blocked >> (SIGINT - 1) & 1U) != 0;
        }(),
        30000);
    ::kill(static_cast<pid_t>(process.processId()), signal);
    QVERIFY(process.waitForFinished(30000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 128 + signal);
    QCOMPARE(process.readAllStandardError(), QByteArray());
    std::signal(SIGHUP, before);
}

void TestCommandLine::fullDiskIsReported_data()
{
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<QString>("expected");
    QTest::newRow("file") << "compute --text a -o /dev/full --format json"
                          << "/dev/full";
    QTest::newRow("standard output") << "compute --text a > /dev/full"
                                     << "standard output";
    QTest::newRow("help") << "--help > /dev/full"
                          << "standard output";
    QTest::newRow("version") << "--version > /dev/full"
                             << "standard output";
}

void TestCommandLine::fullDiskIsReported()
{
    QFETCH(QString, arguments);
    QFETCH(QString, expected);
    if (!QFile::exists(QStringLiteral("/dev/full"))) {
        return; // this system has no such device
    }
    const Outcome outcome = runInShell("exec \"$HEEDMAP\" " + arguments);
    QCOMPARE(outcome.exitCode, 3);
    checkMessage(outcome, expected);
    QVERIFY(QFileInfo(QStringLiteral("/dev/full")).exists());
}

void TestCommandLine::fileOverTheLimitOfTheSystem()
{
    const QTemporaryDir folder;
    const Outcome outcome =
        runInShell("ulimit -f 1; exec \"$HEEDMAP\" compute --text a --pad-to 100 --what weights "
                   "-o a.npz",
                   folder.path());
    QCOMPARE(outcome.exitCode, 3);
    checkMessage(outcome, QStringLiteral("a.npz"));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList());
}

QTEST_GUILESS_MAIN(TestCommandLine)
#include "tst_commandline.moc"
