// The commands that print tables: stats, mask show, mask recognise, info, backends, bench.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"

#include "heed/arrayfile.h"
#include "heed/session.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <limits>

class TestReports : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void statsTable();
    void statsNumbers();
    void statsCsv();
    void statsShowsTheMetricsAskedFor();
    void statsSorts();
    void statsKnowsTokens();
    void statsLinks();
    void statsSkipsPadding();
    void tokensCannotSteerTheTerminal();
    void columnsAreAsWideAsTheirNumbers();
    void aMeasurementOfDaysIsRefused();
    void namesCannotSteerTheTerminal();
    void maskPicture();
    void maskOfText();
    void maskOfABatchNamesEachItem();
    void maskRowsWithNothingAllowed();
    void largeMaskIsSummarised();
    void maskJson();
    void maskRecognised();
    void maskRecognisedFromAFile();
    void maskNotRecognised();
    void infoOfArrays();
    void infoOfArraysThatAreNotRead();
    void infoOfACheckpoint();
    void infoWithoutARangeOverTheLimit();
    void undefinedMeansAreNotZero();
    void weightsThatAreNoDistributionAreNamed();
    void infoOfAFolder();
    void infoOfASession();
    void backendsListTheReference();
    void benchMeasures();
};

namespace {

const QStringList Causal = {"--text", "I like eating apple", "--heads", "4", "--causal"};

QStringList with(const QStringList& first, const QStringList& second)
{
    return first + second;
}

QString textOf(const Outcome& outcome)
{
    return QString::fromUtf8(outcome.output);
}

} // namespace

void TestReports::statsTable()
{
    const Outcome outcome = runProgram(with({"stats"}, Causal));
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    const QString text = textOf(outcome);
    QVERIFY2(text.contains("item 0  I like eating apple  4 tokens  mask: causal"),
             qPrintable(text));
    for (const char* heading : {"entropy", "relative", "distance", "previous", "self", "sink",
                                "induction", "delimiter", "confidence", "rows"}) {
        QVERIFY2(text.contains(heading), heading);
    }
    for (const QString& line : text.split('\n')) {
        QVERIFY2(line.size() <= 100, qPrintable(line));
    }
    QVERIFY(!text.contains('\x1b')); // a pipe gets no colours
}

void TestReports::statsNumbers()
{
    const Outcome outcome = runProgram(with({"stats", "--json"}, Causal));
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    const QJsonObject json = jsonOf(outcome);
    QCOMPARE(json.value("schema").toString(), QStringLiteral("heedmap.stats/1"));
    const QJsonArray weights = jsonOf(runProgram(with({"compute", "--what", "weights"}, Causal)))
                                   .value("weights")[0][0]
                                   .toArray();
    const QJsonArray heads = json.value("heads").toArray();
    QCOMPARE(heads.size(), 4);
    for (int h = 0; h < 4; ++h) {
        double entropy = 0;
        double self = 0;
        double confidence = 0;
        for (int i = 0; i < 4; ++i) {
            double largest = 0;
            for (int j = 0; j <= i; ++j) {
                const double w = weights[h][i][j].toDouble();
                entropy -= w > 0 ? w * std::log(w) / 4 : 0;
                largest = std::max(largest, w);
            }
            self += weights[h][i][i].toDouble() / 4;
            confidence += largest / 4;
        }
        QVERIFY(std::abs(heads[h]["entropy"].toDouble() - entropy) < 1e-5);
        QVERIFY(std::abs(heads[h]["self"].toDouble() - self) < 1e-5);
        QVERIFY(std::abs(heads[h]["confidence"].toDouble() - confidence) < 1e-5);
        QCOMPARE(heads[h]["rows"].toInt(), 4);
    }
}

void TestReports::statsCsv()
{
    const Outcome outcome = runProgram(with({"stats", "--csv", "--head", "1,2"}, Causal));
    const QStringList lines = textOf(outcome).trimmed().split('\n');
    QCOMPARE(lines.size(), 3);
    QCOMPARE(lines.at(0), QStringLiteral("layer,item,head,entropy,relative_entropy,distance,"
                                         "previous_token,next_token,self,first_token_sink,"
                                         "duplicate_token,induction,delimiter,confidence,top1,"
                                         "top5,top10,rows,empty_rows"));
    QVERIFY(lines.at(1).startsWith("0,0,1,"));
    QVERIFY(lines.at(2).startsWith("0,0,2,"));
}

void TestReports::statsShowsTheMetricsAskedFor()
{
    const Outcome outcome =
        runProgram(with({"stats", "--metrics", "top5,next_token,self"}, Causal));
    const QStringList lines = textOf(outcome).split('\n');
    QCOMPARE(lines.at(1).simplified(), QStringLiteral("head top5 next self rows"));
    const Outcome all = runProgram(with({"stats", "--metrics", "all"}, Causal));
    QVERIFY(textOf(all).contains("duplicate") && textOf(all).contains("top10"));
    const Outcome wrong = runProgram(with({"stats", "--metrics", "entropy,indution"}, Causal));
    QCOMPARE(wrong.exitCode, 2);
    QVERIFY2(wrong.errors.contains("Did you mean induction?"), wrong.errors.constData());
}

void TestReports::statsSorts()
{
    const QStringList two = {"--text", "a b a", "--text", "c d", "--heads", "4", "--padding"};
    const QJsonArray heads =
        jsonOf(runProgram(with({"stats", "--json", "--sort", "entropy"}, two)))["heads"].toArray();
    QCOMPARE(heads.size(), 8);
    for (int n = 1; n < 8; ++n) {
        const bool isOneItem = heads[n]["item"] == heads[n - 1]["item"];
        QCOMPARE(isOneItem, n != 4);
        QVERIFY(!isOneItem || heads[n]["entropy"].toDouble() <= heads[n - 1]["entropy"].toDouble());
    }
    // Undefined for all: the order of the heads stays.
    const QString csv =
        textOf(runProgram({"stats", "--csv", "--sort", "sink", "--text", "a", "--heads", "4"}));
    QVERIFY(csv.split('\n').at(1).startsWith("0,0,0,") &&
            csv.split('\n').at(4).startsWith("0,0,3,"));
    QCOMPARE(runProgram(with({"stats", "--sort", "nothing"}, Causal)).exitCode, 2);
}

void TestReports::statsKnowsTokens()
{
    const auto head = [](const QStringList& arguments) {
        return jsonOf(runProgram(with({"stats", "--json", "--heads", "1"}, arguments)))["heads"][0];
    };
    const QJsonValue text = head({"--text", "a b , a b", "--causal"});
    QVERIFY(text["induction"].toDouble() > 0);
    QVERIFY(text["duplicate_token"].toDouble() > 0);
    QVERIFY(text["delimiter"].toDouble() > 0);
    const QStringList two = {"--text", "a b", "--context-text", "c d"};
    for (const char* name : {"induction", "previous_token", "self", "distance"}) {
        QVERIFY2(head(two)[name].isNull(), name);
    }
    QVERIFY(head(two)["first_token_sink"].isDouble());
    QVERIFY(textOf(runProgram(with({"stats"}, two))).contains("positions of two texts"));
    QCOMPARE(head({"--text", "a b", "--causal"})["delimiter"].toDouble(-1), 0.0);
}

void TestReports::statsLinks()
{
    const Outcome table = runProgram(with({"stats", "--links", "2"}, Causal));
    QCOMPARE(textOf(table).count(QStringLiteral("→")), 8);
    // The first row of a causal map has one key, so its weight is 1 and nothing is stronger.
    const QJsonArray heads = jsonOf(runProgram(with({"stats", "--links", "2", "--json"}, Causal)))
                                 .value("heads")
                                 .toArray();
    QCOMPARE(heads[0]["links"].toArray().size(), 2);
    QCOMPARE(heads[0]["links"][0]["query_token"].toString(), QStringLiteral("I"));
    QCOMPARE(heads[0]["links"][0]["weight"].toDouble(), 1.0);
    const Outcome csv = runProgram(with({"stats", "--links", "2", "--csv"}, Causal));
    QVERIFY(textOf(csv).startsWith("layer,item,head,rank,query,key,query_token,key_token,weight\n"
                                   "0,0,0,1,0,0,I,I,1\n"));
}

void TestReports::statsSkipsPadding()
{
    const Outcome outcome = runProgram(
        {"stats", "--text", "a b c d", "--text", "a", "--padding", "--heads", "1", "--json"});
    const QJsonArray heads = jsonOf(outcome).value("heads").toArray();
    QCOMPARE(heads[0]["rows"].toInt(), 4);
    QCOMPARE(heads[1]["rows"].toInt(), 1);
    QVERIFY(std::abs(heads[1]["entropy"].toDouble()) < 1e-6);
}

void TestReports::tokensCannotSteerTheTerminal()
{
    const Outcome outcome = runProgram(
        {"stats", "--text-file", "-", "--heads", "1", "--links", "3"}, "a \x1b]0;title\x07 b\n");
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    QVERIFY(!outcome.output.contains('\x1b'));
    QVERIFY(!outcome.output.contains('\x07'));
}

void TestReports::maskPicture()
{
    const Outcome outcome = runProgram({"mask", "show", "causal & padding", "--lengths", "4,2"});
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    const QString text = textOf(outcome);
    QVERIFY2(text.contains(QStringLiteral("   0 █ccc     1\n"
                                          "   1 ██cc     2\n"
                                          "   2 ███c     3\n"
                                          "   3 ████     4\n")),
             qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("   0 █c**     1\n"
                                          "   1 ██**     2\n"
                                          "   2 ██p*     2\n"
                                          "   3 ██pp     2\n")),
             qPrintable(text));
    QVERIFY(text.contains(QStringLiteral("p padding")));
    QVERIFY(text.contains(QStringLiteral("c causal")));
}

void TestReports::maskOfText()
{
    const Outcome outcome =
        runProgram({"mask", "show", "causal", "--text", QStringLiteral("我 like eating")});
    const QString text = textOf(outcome);
    QVERIFY2(text.contains(QStringLiteral("   0 我           █cc     1")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("   1 like         ██c     2")), qPrintable(text));
}

void TestReports::maskOfABatchNamesEachItem()
{
    const Outcome outcome =
        runProgram({"mask", "show", "causal", "--text", "a b c", "--text", "d"});
    const QString text = textOf(outcome);
    QVERIFY2(text.contains("\nitem 0: 6 cells kept") && text.contains("\nitem 1: 6 cells kept"),
             qPrintable(text));
    QVERIFY(!text.contains("all items"));
}

void TestReports::maskRowsWithNothingAllowed()
{
    const Outcome outcome = runProgram({"mask", "show", "causal & padding", "--lengths", "2",
                                        "--keys", "5", "--pad-side", "left"});
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    QVERIFY2(textOf(outcome).contains("3 rows have nothing allowed: 0-2."),
             qPrintable(textOf(outcome)));
}

void TestReports::largeMaskIsSummarised()
{
    const Outcome outcome = runProgram({"mask", "show", "causal", "--keys", "100000"});
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    const QString text = textOf(outcome);
    QVERIFY(text.contains("5000050000 cells kept (50.0 %)"));
    const QString strip =
        textOf(runProgram({"mask", "show", "sink(4)", "--keys", "100000", "--queries", "1"}));
    QVERIFY2(strip.contains(QStringLiteral("1 query × 100000 keys")), qPrintable(strip));
    QVERIFY2(strip.contains("4 cells kept (under 0.1 %), 4 a row"), qPrintable(strip));
    QVERIFY2(strip.contains(QStringLiteral("a character covers 1 query × 2084 keys")),
             qPrintable(strip));
    QVERIFY(text.count('\n') < 60);
    for (const QString& line : text.split('\n')) {
        QVERIFY2(line.size() <= 100, qPrintable(line));
    }
}

void TestReports::maskJson()
{
    const QJsonObject json =
        jsonOf(runProgram({"mask", "show", "causal & padding", "--lengths", "3,2", "--json"}));
    QCOMPARE(json.value("schema").toString(), QStringLiteral("heedmap.mask/1"));
    QCOMPARE(json.value("queries").toInt(), 3);
    QCOMPARE(json.value("planes").toArray().size(), 2);
    QCOMPARE(json.value("planes")[1]["kept_per_row"].toArray(), (QJsonArray{1, 2, 2}));
    QCOMPARE(json.value("planes")[1]["mask"][0].toArray(), (QJsonArray{true, false, false}));
    QCOMPARE(json.value("planes")[1]["masked_by"]["padding"].toInt(), 3);
    QCOMPARE(json.value("planes")[1]["masked_by"]["causal"].toInt(), 3);
}

void TestReports::maskRecognised()
{
    const Outcome outcome = runProgram({"mask", "recognise", "~causal"});
    QCOMPARE(outcome.exitCode, 0);
    QCOMPARE(textOf(outcome).split('\n').first(), QStringLiteral("~causal"));
    const QJsonObject json =
        jsonOf(runProgram({"mask", "recognise", "padding & causal", "--lengths", "3,5", "--json"}));
    QCOMPARE(json.value("schema").toString(), QStringLiteral("heedmap.mask.recognise/1"));
    QCOMPARE(json.value("expression").toString(), QStringLiteral("padding & causal"));
    QVERIFY(json.value("exact").toBool());
    QCOMPARE(json.value("explanations")[0]["expression"].toString(),
             QStringLiteral("padding(side=right, lengths=[3, 5]) & causal"));
    QCOMPARE(json.value("explanations")[0]["extra"].toInt(-1), 0);
}

void TestReports::maskRecognisedFromAFile()
{
    const QTemporaryDir folder;
    // Two items, one head: a window of 2 keys, with the sentinel of float16.
    std::vector<float> values;
    for (int cell = 0; cell < 2 * 5 * 7; ++cell) {
        const int query = cell / 7 % 5;
        const int key = cell % 7;
        values.push_back(key <= query && query - key < 2 ? 0 : -65504);
    }
    const heed::ArrayToWrite arrays[] = {
        {"mask", heed::ElementType::Float32, {2, 1, 5, 7}, std::as_bytes(std::span(values))}};
    const QString path = folder.filePath("m.npz");
    QVERIFY(heed::writeArrays(path.toStdString(), arrays).has_value());
    const Outcome outcome = runProgram({"mask", "recognise", path, "--reads", "additive"});
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    QCOMPARE(textOf(outcome).split('\n').first(), QStringLiteral("window(2)"));
    const QJsonObject json = jsonOf(runProgram(
        {"mask", "recognise", path, "--reads", "additive", "--array", "mask", "--json"}));
    QCOMPARE(json.value("items").toInt(), 2);
    QCOMPARE(json.value("queries").toInt(), 5);
    QCOMPARE(json.value("keys").toInt(), 7);

    const Outcome unsaid = runProgram({"mask", "recognise", path});
    QCOMPARE(unsaid.exitCode, 2);
    QVERIFY(unsaid.errors.contains("--reads keep, blocked or additive"));
    QCOMPARE(runProgram({"mask", "recognise", path, "--reads", "additive", "--keys", "9"}).exitCode,
             3);
}

void TestReports::maskNotRecognised()
{
    const Outcome outcome =
        runProgram({"mask", "recognise", "chunk(4) | sink(1) & ~causal(offset=-6)"});
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    const QString text = textOf(outcome);
    QVERIFY2(text.contains("No expression was found that fits. The nearest:\nchunk(4)\n"
                           "  the mask keeps 2 cells more and 0 cells less; query, key: (4, 0) "
                           "(5, 0)\n"),
             qPrintable(text));
}

void TestReports::infoOfArrays()
{
    const QTemporaryDir folder;
    const std::vector<float> values = {1.5F, -2, std::numeric_limits<float>::quiet_NaN(),
                                       std::numeric_limits<float>::infinity()};
    const std::vector<std::int64_t> whole = {9007199254740993, -7};
    const heed::ArrayToWrite arrays[] = {
        {"values", heed::ElementType::Float32, {2, 2}, std::as_bytes(std::span(values))},
        {"whole", heed::ElementType::Int64, {2}, std::as_bytes(std::span(whole))}};
    const QString path = folder.filePath("a.npz");
    QVERIFY(heed::writeArrays(path.toStdString(), arrays).has_value());
    const QString text = textOf(runProgram({"info", path}));
    QVERIFY2(text.contains("[2, 2]"), qPrintable(text));
    QVERIFY2(text.contains("float32"), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("-2 … inf, 1 NaN, 1 infinite")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("-7 … 9007199254740993")), qPrintable(text));
    const Outcome outcome = runProgram({"info", path, "--json"});
    const QJsonObject json = jsonOf(outcome);
    QCOMPARE(json.value("schema").toString(), QStringLiteral("heedmap.info/1"));
    const QJsonValue first = json.value("files")[0]["arrays"][0];
    QCOMPARE(first["min"].toDouble(), -2.0);
    QCOMPARE(first["max"].toString(), QStringLiteral("inf"));
    QCOMPARE(first["nan"].toInt(), 1);
    QVERIFY(outcome.output.contains("9007199254740993"));
}

void TestReports::infoOfArraysThatAreNotRead()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("a.safetensors");
    const QByteArray header = R"({"w":{"dtype":"F8_E4M3","shape":[2,2],"data_offsets":[0,4]}})";
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(1, static_cast<char>(header.size())) + QByteArray(7, '\0') + header +
               "abcd");
    file.close();
    const Outcome text = runProgram({"info", path});
    QCOMPARE(text.exitCode, 0);
    QVERIFY2(text.output.contains("w: The type F8_E4M3 is not read"), text.output.constData());
    const QJsonObject json = jsonOf(runProgram({"info", path, "--json"}));
    QVERIFY(json.value("files")[0]["unreadable"]["w"].toString().contains("F8_E4M3"));
    for (const char* option : {"--maps", "--input", "--qkv"}) {
        const Outcome outcome = runProgram({"stats", option, path});
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(option == QByteArray("--qkv") || outcome.errors.contains("F8_E4M3"),
                 outcome.errors.constData());
    }
}

void TestReports::infoOfACheckpoint()
{
    const QString path = qEnvironmentVariable("HEED_SOURCE_DIR") + "/tests/golden/gguf/blocks.gguf";
    const Outcome text = runProgram({"info", path});
    QCOMPARE(text.exitCode, 0);
    QVERIFY2(text.output.contains("general.architecture: llama"), text.output.constData());
    QVERIFY2(text.output.contains("Q4_K  Q4_K      [3, 512]"), text.output.constData());
    const QJsonValue arrays =
        jsonOf(runProgram({"info", path, "--json"})).value("files")[0]["arrays"];
    for (const QJsonValue& array : arrays.toArray()) {
        QVERIFY(array["max"].toDouble() > array["min"].toDouble());
        if (array["name"] == QStringLiteral("Q4_K")) {
            QCOMPARE(array["type"].toString(), QStringLiteral("Q4_K"));
            QCOMPARE(array["bytes"].toInt(), 3 * 2 * 144); // rows, blocks, bytes of a block
        }
    }
}

void TestReports::infoWithoutARangeOverTheLimit()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("a.npy");
    const std::vector<float> values(1024, 7);
    const heed::ArrayToWrite array[] = {
        {"a", heed::ElementType::Float32, {1024}, std::as_bytes(std::span(values))}};
    QVERIFY(heed::writeArrays(path.toStdString(), array).has_value());
    QVERIFY(runProgram({"info", path, "--memory", "4096"}).output.contains("7 … 7"));
    QVERIFY(!runProgram({"info", path, "--memory", "4095"}).output.contains("7 … 7"));
}

void TestReports::undefinedMeansAreNotZero()
{
    const QStringList one = {"--text", "Hi", "--heads", "1"};
    QVERIFY(textOf(runProgram(with({"stats"}, one))).contains(QStringLiteral(" –")));
    const QJsonValue head = jsonOf(runProgram(with({"stats", "--json"}, one))).value("heads")[0];
    QVERIFY(head["previous_token"].isNull());
    QVERIFY(head["first_token_sink"].isNull());
    QCOMPARE(head["self"].toDouble(), 1.0);
    const QString line = textOf(runProgram(with({"stats", "--csv"}, one))).split('\n').at(1);
    QCOMPARE(line, QStringLiteral("0,0,0,0,,0,,,1,,0,0,0,1,1,1,1,1,0"));
    const QStringList oracle = {"stats", "--csv", "--backend", "reference"};
    QCOMPARE(textOf(runProgram(with(oracle, one))).split('\n').at(1), line);
    const QString masked = textOf(runProgram(with({"stats", "--mask", "~none", "--csv"}, one)));
    QCOMPARE(masked.split('\n').at(1), QStringLiteral("0,0,0,,,,,,,,,,,,,,,0,1"));
}

void TestReports::weightsThatAreNoDistributionAreNamed()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("maps.npy");
    const auto statsOf = [&](const std::vector<float>& weights) {
        const heed::ArrayToWrite array[] = {
            {"maps", heed::ElementType::Float32, {2, 2}, std::as_bytes(std::span(weights))}};
        return heed::writeArrays(path.toStdString(), array).has_value()
                   ? runProgram({"stats", "--maps", path})
                   : Outcome();
    };
    const Outcome fine = statsOf({1, 0, 0.5F, 0.5F});
    QVERIFY2(fine.exitCode == 0 && fine.errors.isEmpty(), fine.errors.constData());
    QVERIFY(!fine.output.contains("NaN"));
    const Outcome uneven = statsOf({1, 0, 2, 3});
    QVERIFY2(uneven.errors.contains("1 row of these maps does not sum to 1"),
             uneven.errors.constData());
    const Outcome broken = statsOf({1, 0, std::numeric_limits<float>::quiet_NaN(), 0});
    QVERIFY2(broken.output.contains("a row holds NaN"), broken.output.constData());
}

void TestReports::infoOfAFolder()
{
    const QTemporaryDir folder;
    QCOMPARE(runProgram({"info", folder.path()}).exitCode, 3);
    const float one = 1;
    const heed::ArrayToWrite array[] = {
        {"one", heed::ElementType::Float32, {1}, std::as_bytes(std::span(&one, 1))}};
    QVERIFY(heed::writeArrays(folder.filePath("good.npy").toStdString(), array).has_value());
    QCOMPARE(runProgram({"info", folder.path()}).exitCode, 0);
    QFile bad(folder.filePath("bad.npz"));
    QVERIFY(bad.open(QIODevice::WriteOnly));
    bad.write("no zip");
    bad.close();
    const Outcome outcome = runProgram({"info", folder.path()});
    QCOMPARE(outcome.exitCode, 1);
    QVERIFY(outcome.output.contains("good.npy"));
    QVERIFY(outcome.output.contains("unreadable"));
}

void TestReports::infoOfASession()
{
    const QTemporaryDir folder;
    heed::Session session;
    session.source.lines = {"I like eating apple"};
    session.source.causal = true;
    const QString path = folder.filePath("a.heed");
    QVERIFY(heed::writeSession(path.toStdString(), session).has_value());
    const Outcome outcome = runProgram({"info", path});
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    QVERIFY2(textOf(outcome).contains("--text 'I like eating apple' --causal"),
             qPrintable(textOf(outcome)));
    QVERIFY(textOf(outcome).contains("mask: causal"));
}

void TestReports::backendsListTheReference()
{
    const Outcome outcome = runProgram({"backends"});
    QCOMPARE(outcome.exitCode, 0);
    QVERIFY(textOf(outcome).contains("reference"));
    const QJsonObject json = jsonOf(runProgram({"backends", "--json"}));
    bool found = false;
    for (const QJsonValue& backend : json.value("backends").toArray()) {
        found = found || (backend["name"] == "reference" && backend["usable"].toBool());
        QVERIFY(!backend["detail"].toString().isEmpty());
    }
    QVERIFY(found);
}

void TestReports::benchMeasures()
{
    const Outcome outcome =
        runProgram({"bench", "--sizes", "32,64,64", "--threads", "1", "--json"});
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    const QJsonObject json = jsonOf(outcome);
    QCOMPARE(json.value("schema").toString(), QStringLiteral("heedmap.bench/2"));
    QVERIFY(json.value("multiply_adds_per_second").toDouble() > 0);
    const QJsonArray masks = json.value("masks").toArray();
    QCOMPARE(masks.size(), 3);
    QCOMPARE(masks[1].toObject().value("mask").toString(), QStringLiteral("causal"));
    QVERIFY(masks[1].toObject().value("survey_exponent").isDouble());
    const QJsonArray results = masks[1].toObject().value("results").toArray();
    QCOMPARE(results.size(), 2);
    QCOMPARE(results[1].toObject().value("survey_multiply_adds").toInt(), 64 * 65 / 2 * 64);
    for (const char* positive : {"survey_seconds", "tile_seconds", "attend_seconds",
                                 "survey_peak_share", "attend_peak_share"}) {
        QVERIFY2(results[0].toObject().value(QLatin1String(positive)).toDouble() > 0, positive);
    }
    QCOMPARE(json.value("memory").toArray()[0].toObject().value("stored_weights_bytes").toInt(),
             4 * 8 * 32 * 32 * 4);
    const Outcome large = runProgram({"bench", "--sizes", "131072", "--memory", "1MB"});
    QCOMPARE(large.exitCode, 4); // the memory is what limits a size
    const QString text =
        textOf(runProgram({"bench", "--sizes", "2048", "--mask", "window(2)", "--threads", "1"}));
    QVERIFY2(text.contains("512 MiB") && text.contains("mask window(2)"), qPrintable(text));
    QVERIFY2(text.contains("; 1 thread, peak") && !text.contains("threads"), qPrintable(text));
}

void TestReports::columnsAreAsWideAsTheirNumbers()
{
    // 131,072 rows: the number of rows and the distance have six digits.
    const QTemporaryDir folder;
    const QString path = folder.filePath("long.txt");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(131'072, 'a'));
    file.close();
    const QString text = textOf(runProgram({"stats", "--text-file", path, "--tokenizer", "chars",
                                            "--heads", "1", "--d-model", "2", "--positions", "none",
                                            "--metrics", "self,distance", "--mask", "sink(1)"}));
    const QStringList lines = text.split('\n');
    const qsizetype heading = lines.indexOf(QRegularExpression("^ *head .*rows$"));
    QVERIFY2(heading >= 0 && heading + 1 < lines.size(), qPrintable(text));
    const QStringList columns =
        lines[heading + 1].split(QRegularExpression("  +"), Qt::SkipEmptyParts);
    QCOMPARE(columns.size(),
             lines[heading].split(QRegularExpression(" +"), Qt::SkipEmptyParts).size());
    QCOMPARE(columns.back(), QStringLiteral("131072"));
    QCOMPARE(lines[heading].size(), lines[heading + 1].size()); // aligned on the last digit
}

void TestReports::aMeasurementOfDaysIsRefused()
{
    const Outcome outcome =
        runProgram({"bench", "--sizes", "64,4000000", "--mask", "none", "--head-width", "8"});
    QCOMPARE(outcome.exitCode, 2);
    QVERIFY2(outcome.errors.contains("--sizes") && outcome.errors.contains("hour") &&
                 outcome.errors.contains("window(128)"),
             outcome.errors.constData());
    QVERIFY(outcome.output.isEmpty());
}

void TestReports::namesCannotSteerTheTerminal()
{
    const QTemporaryDir folder;
    const std::vector<float> values = {1, 0, 0, 1};
    const std::string name = "a\n\x1b[31mred";
    const heed::ArrayToWrite arrays[] = {
        {name, heed::ElementType::Float32, {2, 2}, std::as_bytes(std::span(values))},
        {name + "2", heed::ElementType::Float32, {2, 2}, std::as_bytes(std::span(values))}};
    const QString path = folder.filePath("a.npz");
    QVERIFY(heed::writeArrays(path.toStdString(), arrays).has_value());
    for (const QStringList& arguments :
         {QStringList{"info", path}, QStringList{"stats", "--maps", path},
          QStringList{"mask", "show", "file(\"\n\x1b[31m\", reads=\"keep\")"},
          QStringList{"compute", "--input", "\n\x1b[31m"}}) {
        const Outcome outcome = runProgram(arguments);
        const QByteArray all = outcome.output + outcome.errors;
        QVERIFY2(all.contains("[31m"), all.constData());
        QVERIFY2(!all.contains("\x1b"), all.constData());
        QVERIFY2(outcome.errors.count('\n') <= 1, all.constData());
        QVERIFY2(outcome.output.count('\n') <= 4, all.constData());
    }
}

QTEST_GUILESS_MAIN(TestReports)
#include "tst_reports.moc"
