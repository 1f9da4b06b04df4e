// heedmap compute: every array, every format, pipes both ways, and numbers that do not lie.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"

#include "heed/arrayfile.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <cstring>
#include <limits>

using heed::ArrayFilePtr;
using heed::Shape;
using heed::Tensor;

class TestCompute : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void exampleOfTheManual();
    void shapes_data();
    void shapes();
    void stepsFollowFromEachOther();
    void maskedCellsHaveNoWeight();
    void selectionsAreCuts();
    void keyHeadsOfSelectedHeads();
    void jsonMatchesNpz();
    void safetensorsMatchesNpz();
    void csvHasALineACell();
    void csvOfTokensAndRowStats();
    void pipesBothWays();
    void sameSeedSameBytes();
    void backendsAgree();
    void crossAttentionHasBothLengths();
    void qkvSkipsTheProjections();
    void inputHasItsOwnWidth();
    void mapsFromAFile();
    void itsOwnFilesComeBackWhole_data();
    void itsOwnFilesComeBackWhole();
    void nanIsTold();
    void resultOverTheBudgetIsWritten();
    void nothingIsLeftOfAStoppedRun();
    void damagedFiles_data();
    void damagedFiles();
    void existingFileSurvivesAFailure();

private:
    Outcome compute(const QStringList& arguments, const QByteArray& input = {}) const;
    ArrayFilePtr open(const QString& name) const;
    Tensor read(const QString& file, const char* array) const;
    void write(const QString& name, std::initializer_list<std::pair<const char*, Tensor>> arrays);

    std::unique_ptr<QTemporaryDir> m_folder;
};

namespace {

const QStringList TwoLines = {"--text", "I like eating apple", "--text", "Hi",        "--heads",
                              "4",      "--d-model",           "64",     "--padding", "--causal"};

QStringList with(const QStringList& first, const QStringList& second)
{
    return first + second;
}

} // namespace

void TestCompute::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

Outcome TestCompute::compute(const QStringList& arguments, const QByteArray& input) const
{
    return runProgram(with({"compute"}, arguments), input, m_folder->path());
}

ArrayFilePtr TestCompute::open(const QString& name) const
{
    const auto file = heed::openArrays(m_folder->filePath(name).toStdString());
    return file ? *file : nullptr;
}

Tensor TestCompute::read(const QString& file, const char* array) const
{
    const ArrayFilePtr opened = open(file);
    const auto tensor = opened ? opened->read(array) : heed::Expected<Tensor>(Tensor());
    return tensor ? *tensor : Tensor();
}

void TestCompute::write(const QString& name,
                        std::initializer_list<std::pair<const char*, Tensor>> arrays)
{
    std::vector<heed::ArrayToWrite> list;
    for (const auto& [array, tensor] : arrays) {
        list.push_back(
            {array, heed::ElementType::Float32, tensor.shape(), std::as_bytes(tensor.values())});
    }
    QVERIFY(heed::writeArrays(m_folder->filePath(name).toStdString(), list).has_value());
}

void TestCompute::exampleOfTheManual()
{
    const Outcome outcome =
        compute(with(TwoLines, {"--what", "tokens,mask,weights,scaled", "-o", "out.npz"}));
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    QVERIFY(outcome.output.isEmpty());
    QVERIFY(outcome.errors.isEmpty());
    QCOMPARE(read("out.npz", "mask").shape(), (Shape{1, 2, 4, 4, 4}));
    QCOMPARE(read("out.npz", "weights").shape(), (Shape{1, 2, 4, 4, 4}));
    QCOMPARE(read("out.npz", "scaled").shape(), (Shape{1, 2, 4, 4, 4}));
    QCOMPARE(open("out.npz")->find("mask")->type, heed::ElementType::Bool);
    QCOMPARE(open("out.npz")->find("weights")->type, heed::ElementType::Float32);
    QVERIFY(QFile::exists(m_folder->filePath("out.npz")));
    QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files | QDir::Hidden).size(), 1);
}

void TestCompute::shapes_data()
{
    QTest::addColumn<QString>("array");
    QTest::addColumn<QList<int>>("shape");
    const auto row = [](const char* array, const QList<int>& shape) {
        QTest::newRow(array) << QString(array) << shape;
    };
    row("x", {2, 4, 64});
    row("q", {1, 2, 8, 4, 8});
    row("k", {1, 2, 2, 4, 8});
    row("v", {1, 2, 2, 4, 8});
    row("mask", {1, 2, 8, 4, 4});
    row("scores", {1, 2, 8, 4, 4});
    row("scaled", {1, 2, 8, 4, 4});
    row("masked", {1, 2, 8, 4, 4});
    row("weights", {1, 2, 8, 4, 4});
    row("head_output", {1, 2, 8, 4, 8});
    row("output", {1, 2, 4, 64});
    row("lse", {1, 2, 8, 4});
    row("max", {1, 2, 8, 4});
    row("entropy", {1, 2, 8, 4});
    row("argmax", {1, 2, 8, 4});
    row("kept", {1, 2, 8, 4});
}

void TestCompute::shapes()
{
    QFETCH(QString, array);
    QFETCH(QList<int>, shape);
    const bool isStatistic = QStringList{"lse", "max", "entropy", "argmax", "kept"}.contains(array);
    const Outcome outcome =
        compute({"--text", "I like eating apple", "--text", "Hi", "--heads", "8", "--kv-heads", "2",
                 "--padding", "--what", isStatistic ? "rowstats" : array, "-o", "a.npz"});
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    const ArrayFilePtr file = open("a.npz");
    QVERIFY(file != nullptr);
    const heed::ArrayInfo* info = file->find(array.toStdString());
    QVERIFY(info != nullptr);
    QCOMPARE(info->shape, Shape(shape.begin(), shape.end()));
    const auto expected = array == "mask"                        ? heed::ElementType::Bool
                          : array == "argmax" || array == "kept" ? heed::ElementType::Int64
                                                                 : heed::ElementType::Float32;
    QCOMPARE(info->type, expected);
}

void TestCompute::stepsFollowFromEachOther()
{
    const Outcome outcome = compute(
        with(TwoLines, {"--what", "q,k,v,mask,scores,scaled,masked,weights,head_output,rowstats",
                        "-o", "a.npz"}));
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    const Tensor q = read("a.npz", "q");
    const Tensor k = read("a.npz", "k");
    const Tensor v = read("a.npz", "v");
    const Tensor mask = read("a.npz", "mask");
    const Tensor scores = read("a.npz", "scores");
    const Tensor scaled = read("a.npz", "scaled");
    const Tensor masked = read("a.npz", "masked");
    const Tensor weights = read("a.npz", "weights");
    const Tensor heads = read("a.npz", "head_output");
    const Tensor kept = read("a.npz", "kept");
    const std::int64_t D = q.extent(4);
    for (std::int64_t b = 0; b < 2; ++b) {
        for (std::int64_t h = 0; h < 4; ++h) {
            const auto Q = q.matrix({0, b, h});
            const auto K = k.matrix({0, b, h});
            for (std::int64_t i = 0; i < 4; ++i) {
                double sum = 0;
                double allowed = 0;
                for (std::int64_t j = 0; j < 4; ++j) {
                    double dot = 0;
                    for (std::int64_t d = 0; d < D; ++d) {
                        dot += static_cast<double>(Q(i, d)) * static_cast<double>(K(j, d));
                    }
                    const double scale = 1 / std::sqrt(static_cast<double>(D));
                    QVERIFY(std::abs(scores.matrix({0, b, h})(i, j) - dot) < 1e-5);
                    QVERIFY(std::abs(scaled.matrix({0, b, h})(i, j) - dot * scale) < 1e-5);
                    const bool keep = mask.matrix({0, b, h})(i, j) != 0;
                    const float value = masked.matrix({0, b, h})(i, j);
                    QVERIFY(keep ? value == scaled.matrix({0, b, h})(i, j)
                                 : value == -std::numeric_limits<float>::infinity());
                    sum += static_cast<double>(weights.matrix({0, b, h})(i, j));
                    allowed += keep ? 1 : 0;
                }
                QVERIFY(std::abs(sum - (allowed > 0 ? 1 : 0)) < 1e-6);
                QCOMPARE(static_cast<double>(kept.matrix({0, b})(h, i)), allowed);
                for (std::int64_t d = 0; d < D; ++d) {
                    double mixed = 0;
                    for (std::int64_t j = 0; j < 4; ++j) {
                        mixed += static_cast<double>(weights.matrix({0, b, h})(i, j)) *
                                 static_cast<double>(v.matrix({0, b, h})(j, d));
                    }
                    QVERIFY(std::abs(heads.matrix({0, b, h})(i, d) - mixed) < 1e-5);
                }
            }
        }
    }
}

void TestCompute::maskedCellsHaveNoWeight()
{
    QVERIFY(compute(with(TwoLines, {"--what", "mask,weights", "-o", "a.npz"})).exitCode == 0);
    const Tensor mask = read("a.npz", "mask");
    const Tensor weights = read("a.npz", "weights");
    std::int64_t masked = 0;
    for (std::size_t i = 0; i < mask.values().size(); ++i) {
        if (mask.values()[i] == 0) {
            QCOMPARE(weights.values()[i], 0.0F);
            ++masked;
        }
    }
    // Item 0: 6 cells above the diagonal. Item 1 has one real key: 3 of 4 columns.
    QCOMPARE(masked, std::int64_t{4 * (6 + 12)});
}

void TestCompute::selectionsAreCuts()
{
    QVERIFY(compute(with(TwoLines, {"--what", "q,weights,x", "-o", "all.npz"})).exitCode == 0);
    QVERIFY(compute(with(TwoLines, {"--what", "q,weights,x", "--head", "1,3", "--item", "1", "-o",
                                    "cut.npz"}))
                .exitCode == 0);
    const Tensor all = read("all.npz", "weights");
    const Tensor cut = read("cut.npz", "weights");
    QCOMPARE(cut.shape(), (Shape{1, 1, 2, 4, 4}));
    QCOMPARE(read("cut.npz", "x").shape(), (Shape{1, 4, 64}));
    for (std::int64_t position = 0; position < 2; ++position) {
        const std::int64_t head = position == 0 ? 1 : 3;
        for (std::int64_t i = 0; i < 4; ++i) {
            for (std::int64_t j = 0; j < 4; ++j) {
                QCOMPARE(cut.matrix({0, 0, position})(i, j), all.matrix({0, 1, head})(i, j));
            }
            QCOMPARE(read("cut.npz", "q").matrix({0, 0, position})(i, 0),
                     read("all.npz", "q").matrix({0, 1, head})(i, 0));
        }
    }
}

void TestCompute::keyHeadsOfSelectedHeads()
{
    QVERIFY(compute({"--text", "a b c", "--heads", "8", "--kv-heads", "2", "--head", "5-6",
                     "--what", "k", "-o", "a.npz"})
                .exitCode == 0);
    QVERIFY(compute({"--text", "a b c", "--heads", "8", "--kv-heads", "2", "--what", "k", "-o",
                     "all.npz"})
                .exitCode == 0);
    QCOMPARE(read("a.npz", "k").shape(), (Shape{1, 1, 1, 3, 8}));
    QCOMPARE(read("a.npz", "k").matrix({0, 0, 0})(2, 3),
             read("all.npz", "k").matrix({0, 0, 1})(2, 3));
}

void TestCompute::jsonMatchesNpz()
{
    const QStringList arguments = with(TwoLines, {"--what", "tokens,mask,masked,rowstats"});
    QVERIFY(compute(with(arguments, {"-o", "a.npz"})).exitCode == 0);
    const Outcome outcome = compute(arguments);
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    const QJsonObject json = jsonOf(outcome);
    QVERIFY(!json.value("schema").toString().isEmpty());
    QCOMPARE(json.value("tokens").toArray().at(0).toArray().at(2).toString(),
             QStringLiteral("eating"));
    QCOMPARE(json.value("tokens").toArray().at(1).toArray().at(1).toString(),
             QStringLiteral("<pad>"));
    const Tensor masked = read("a.npz", "masked");
    for (int b = 0; b < 2; ++b) {
        for (int h = 0; h < 4; ++h) {
            for (int i = 0; i < 4; ++i) {
                for (int j = 0; j < 4; ++j) {
                    const QJsonValue cell = json.value("masked")[0][b][h][i][j];
                    const float expected = masked.matrix({0, b, h})(i, j);
                    if (std::isinf(expected)) {
                        QCOMPARE(cell.toString(), QStringLiteral("-inf"));
                    } else {
                        QCOMPARE(static_cast<float>(cell.toDouble()), expected);
                    }
                }
            }
        }
    }
    QCOMPARE(json.value("kept")[0][0][0][3].toInt(), 4);
    QVERIFY(json.value("mask")[0][0][0][0][0].toBool());
    QVERIFY(!json.value("mask")[0][0][0][0][1].toBool(true));
}

void TestCompute::safetensorsMatchesNpz()
{
    const QStringList arguments = with(TwoLines, {"--what", "tokens,weights"});
    QVERIFY(compute(with(arguments, {"-o", "a.npz"})).exitCode == 0);
    QVERIFY(compute(with(arguments, {"-o", "a.safetensors"})).exitCode == 0);
    const Tensor one = read("a.npz", "weights");
    const Tensor other = read("a.safetensors", "weights");
    QCOMPARE(one.shape(), other.shape());
    QVERIFY(std::memcmp(one.data(), other.data(), one.values().size_bytes()) == 0);
    bool hasTokens = false;
    for (const auto& [name, value] : open("a.safetensors")->metadata()) {
        hasTokens = hasTokens || (name == "tokens" && value.find("eating") != std::string::npos);
    }
    QVERIFY(hasTokens);
}

void TestCompute::csvHasALineACell()
{
    const Outcome outcome =
        compute({"--text", "I like, really", "--heads", "2", "--causal", "--format", "csv"});
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    const QList<QByteArray> lines = outcome.output.trimmed().split('\n');
    QCOMPARE(lines.at(0), QByteArray("layer,item,head,query,key,query_token,key_token,weights"));
    QCOMPARE(lines.size(), 1 + 2 * 4 * 4);
    QCOMPARE(lines.at(1), QByteArray("0,0,0,0,0,I,I,1"));
    QCOMPARE(lines.at(2), QByteArray("0,0,0,0,1,I,like,0"));
    QVERIFY(lines.at(3).startsWith("0,0,0,0,2,I,\",\",0"));
}

void TestCompute::csvOfTokensAndRowStats()
{
    const Outcome tokens = compute({"--text", "a b", "--what", "tokens", "--format", "csv"});
    QCOMPARE(tokens.output,
             QByteArray("item,side,position,token,real\n0,query,0,a,1\n0,query,1,b,1\n"));
    const Outcome stats = compute(
        {"--text", "a b", "--heads", "1", "--causal", "--what", "rowstats", "--format", "csv"});
    const QList<QByteArray> lines = stats.output.trimmed().split('\n');
    QCOMPARE(lines.at(0),
             QByteArray("layer,item,head,query,query_token,lse,max,entropy,argmax,kept"));
    QCOMPARE(lines.size(), 3);
    QVERIFY(lines.at(1).endsWith(",0,1"));
    QVERIFY(lines.at(2).endsWith(",2"));
}

void TestCompute::pipesBothWays()
{
    QVERIFY(compute(with(TwoLines, {"--what", "weights", "-o", "a.npz"})).exitCode == 0);
    for (const char* format : {"npz", "safetensors", "json"}) {
        const Outcome piped =
            compute({"--text-file", "-", "--heads", "4", "--d-model", "64", "--padding", "--causal",
                     "--what", "weights", "-o", "-", "--format", format},
                    "I like eating apple\nHi\n");
        QVERIFY2(piped.exitCode == 0, piped.errors.constData());
        std::vector<std::byte> bytes(static_cast<std::size_t>(piped.output.size()));
        std::memcpy(bytes.data(), piped.output.constData(), bytes.size());
        const auto file = heed::openArrays(std::move(bytes), format);
        QVERIFY2(file.has_value(), format);
        const auto weights = (*file)->read("weights");
        QVERIFY2(weights.has_value(), format);
        const Tensor expected = read("a.npz", "weights");
        QCOMPARE(weights->shape(), expected.shape());
        QVERIFY(std::memcmp(weights->data(), expected.data(), expected.values().size_bytes()) == 0);
    }
}

void TestCompute::sameSeedSameBytes()
{
    const Outcome one = compute(with(TwoLines, {"--what", "weights", "--seed", "7"}));
    const Outcome again =
        compute(with(TwoLines, {"--what", "weights", "--seed", "7", "--threads", "1"}));
    const Outcome other = compute(with(TwoLines, {"--what", "weights", "--seed", "8"}));
    QCOMPARE(one.output, again.output);
    QVERIFY(one.output != other.output);
}

void TestCompute::backendsAgree()
{
    QVERIFY(compute(with(TwoLines, {"--what", "weights,output", "-o", "a.npz"})).exitCode == 0);
    QVERIFY(compute(with(TwoLines,
                         {"--what", "weights,output", "-o", "b.npz", "--backend", "reference"}))
                .exitCode == 0);
    for (const char* array : {"weights", "output"}) {
        const Tensor one = read("a.npz", array);
        const Tensor other = read("b.npz", array);
        QCOMPARE(one.shape(), other.shape());
        for (std::size_t i = 0; i < one.values().size(); ++i) {
            QVERIFY(std::abs(one.values()[i] - other.values()[i]) < 1e-5F);
        }
    }
}

void TestCompute::crossAttentionHasBothLengths()
{
    const Outcome outcome = compute({"--text", "I like it", "--context-text", "Ich mag es sehr",
                                     "--heads", "2", "--what", "tokens,weights,k"});
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    const QJsonObject json = jsonOf(outcome);
    QCOMPARE(json.value("weights")[0][0][0].toArray().size(), 3);
    QCOMPARE(json.value("weights")[0][0][0][0].toArray().size(), 4);
    QVERIFY(outcome.output.contains("sehr"));
    const Outcome csv = compute({"--text", "I like it", "--context-text", "Ich mag es sehr",
                                 "--heads", "1", "--what", "tokens", "--format", "csv"});
    QVERIFY(csv.output.contains("0,key,3,sehr,1"));
}

void TestCompute::qkvSkipsTheProjections()
{
    write("qkv.npz", {{"q", Tensor({1, 1, 2, 2}, {1, 0, 0, 1})},
                      {"k", Tensor({1, 1, 3, 2}, {1, 0, 0, 1, 1, 1})},
                      {"v", Tensor({1, 1, 3, 2}, {1, 2, 3, 4, 5, 6})}});
    const Outcome outcome = compute({"--qkv", "qkv.npz", "--what", "scores,weights,head_output"});
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    const QJsonObject json = jsonOf(outcome);
    QCOMPARE(json.value("scores")[0][0][0][0][2].toDouble(), 1.0);
    QCOMPARE(json.value("scores")[0][0][0][0][1].toDouble(), 0.0);
    write("qk.npz", {{"q", Tensor({1, 1, 2, 2})}, {"k", Tensor({1, 1, 3, 2})}});
    const Outcome bare = compute({"--qkv", "qk.npz", "--what", "head_output"});
    QCOMPARE(bare.exitCode, 2);
    QVERIFY2(bare.errors.contains("no array \"v\""), bare.errors.constData());
    write("odd.npz", {{"q", Tensor({1, 2, 2, 2})}, {"k", Tensor({1, 3, 3, 2})}});
    QCOMPARE(compute({"--qkv", "odd.npz", "--what", "scores"}).exitCode,
             3); // the file does not fit
    const Outcome none = compute({"--qkv", "qkv.npz", "--what", "x"});
    QCOMPARE(none.exitCode, 2);
    QVERIFY(none.errors.contains("--qkv"));
}

void TestCompute::inputHasItsOwnWidth()
{
    write("x.npz", {{"x", Tensor({1, 2, 17})}});
    const QStringList input = {"--input", "x.npz", "--heads", "1"};
    QCOMPARE(compute(with(input, {"--d-model", "17"})).exitCode, 0);
    const Outcome other = compute(with(input, {"--d-model", "16"}));
    QCOMPARE(other.exitCode, 2);
    QVERIFY2(other.errors.contains("width of 17"), other.errors.constData());
}

void TestCompute::mapsFromAFile()
{
    write("maps.npz", {{"weights", Tensor({2, 3, 3}, std::vector<float>(18, 1.0F / 3))}});
    const Outcome outcome = compute({"--maps", "maps.npz"});
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    QCOMPARE(jsonOf(outcome).value("weights")[0][0].toArray().size(), 2);
    const Outcome none = compute({"--maps", "maps.npz", "--what", "q"});
    QCOMPARE(none.exitCode, 2);
    QVERIFY(none.errors.contains("Finished maps"));
}

void TestCompute::itsOwnFilesComeBackWhole_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"a.npz", "a.safetensors", "a.json", "a.csv"}) {
        QTest::newRow(name) << name;
    }
}

void TestCompute::itsOwnFilesComeBackWhole()
{
    QFETCH(QString, name);
    const QString what = name.endsWith("csv") ? "mask,weights" : "tokens,mask,weights";
    const Outcome written = compute({"--text", "a b c", "--text", "d", "--padding", "--causal",
                                     "--heads", "2", "--what", what, "-o", name});
    QVERIFY2(written.exitCode == 0, written.errors.constData());
    const Outcome again = compute({"--maps", name, "--what", "mask,weights", "-o", "again.csv"});
    QVERIFY2(again.exitCode == 0, again.errors.constData());
    QVERIFY(compute({"--text", "a b c", "--text", "d", "--padding", "--causal", "--heads", "2",
                     "--what", "mask,weights", "-o", "first.csv"})
                .exitCode == 0);
    const auto bytes = [this](const char* file) {
        QFile opened(m_folder->filePath(file));
        return opened.open(QIODevice::ReadOnly) ? opened.readAll() : QByteArray();
    };
    QVERIFY(bytes("first.csv").contains("<pad>"));
    QCOMPARE(bytes("again.csv"), bytes("first.csv"));
    const Outcome info = runProgram({"info", name}, {}, m_folder->path());
    QVERIFY2(info.exitCode == 0, info.errors.constData());
    QVERIFY2(info.output.contains("a b c / d <pad> <pad>"), info.output.constData());
}

void TestCompute::nanIsTold()
{
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    write("qkv.npz", {{"q", Tensor({1, 1, 2, 2}, {nan, 0, 0, 1})},
                      {"k", Tensor({1, 1, 2, 2}, {1, 0, 0, 1})},
                      {"v", Tensor({1, 1, 2, 2}, {1, 2, 3, 4})}});
    const Outcome outcome = compute({"--qkv", "qkv.npz", "--what", "weights"});
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    QVERIFY2(outcome.errors.contains("2 numbers of the result are NaN"),
             outcome.errors.constData());
    const QJsonObject json = jsonOf(outcome);
    QCOMPARE(json.value("weights")[0][0][0][0][0].toString(), QStringLiteral("nan"));
    QVERIFY(json.value("weights")[0][0][0][1][0].isDouble());
}

void TestCompute::resultOverTheBudgetIsWritten()
{
    constexpr std::int64_t length = 1024; // 4 MiB of weights
    Tensor rows({1, 1, length, 1});
    for (std::size_t i = 0; i < rows.values().size(); ++i) {
        rows.values()[i] = static_cast<float>(i % 13) / 4;
    }
    write("qkv.npz", {{"q", rows}, {"k", rows}, {"v", rows}});
    const QStringList arguments = {"--qkv", "qkv.npz", "--causal", "--what", "mask,weights", "-o"};
    for (const char* file : {"a.npz", "a.safetensors", "a.csv"}) {
        const Outcome outcome = compute(with(arguments, {file, "--memory", "1MiB"}));
        QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    }
    QVERIFY(compute(with(arguments, {"b.npz"})).exitCode == 0);
    const auto bytes = [this](const char* file) {
        QFile opened(m_folder->filePath(file));
        return opened.open(QIODevice::ReadOnly) ? opened.readAll() : QByteArray();
    };
    QVERIFY(bytes("a.npz").size() > 5 << 20);
    QVERIFY(bytes("a.npz") == bytes("b.npz"));
    QVERIFY(bytes("a.csv").count('\n') == 1 + length * length);
    // What has to be held is refused all the same: a row of cells, and the head outputs.
    const Outcome row = compute(with(arguments, {"c.npz", "--memory", "4KiB"}));
    QCOMPARE(row.exitCode, 4);
    QVERIFY2(row.errors.contains("--memory"), row.errors.constData());
    QVERIFY(!QFile::exists(m_folder->filePath("c.npz")));
}

void TestCompute::nothingIsLeftOfAStoppedRun()
{
    Tensor rows({1, 1, 24576, 1}); // 2.25 GiB of weights take longer than the time there is
    write("qkv.npz", {{"q", rows}, {"k", rows}, {"v", rows}});
    const Outcome outcome = runInShell(
        "timeout --preserve-status -s INT 0.5 \"$HEEDMAP\" compute --qkv qkv.npz -o out.npz",
        m_folder->path());
    QCOMPARE(outcome.exitCode, 130);
    QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files | QDir::Hidden), {"qkv.npz"});
}

void TestCompute::damagedFiles_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("empty npz") << "a.npz" << QByteArray();
    QTest::newRow("cut npz") << "a.npz" << QByteArray("PK\x03\x04\x14", 5);
    QTest::newRow("npy that promises too much")
        << "a.npy"
        << QByteArray("\x93NUMPY\x01\x00", 8) + QByteArray("\x76\x00", 2) +
               QByteArray("{'descr': '<f4', 'fortran_order': False, 'shape': "
                          "(9223372036854775807, 64), }")
                   .leftJustified(117, ' ') +
               "\n";
    QTest::newRow("safetensors with an absurd header")
        << "a.safetensors" << QByteArray("\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10);
    QTest::newRow("json that ends early") << "a.json" << QByteArray("{\"x\": [[1, 2], [3");
    QTest::newRow("csv of words") << "a.csv" << QByteArray("a,b\nc,d\n");
}

void TestCompute::damagedFiles()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, bytes);
    QFile file(m_folder->filePath(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    file.close();
    for (const char* option : {"--input", "--qkv", "--maps", "--weights"}) {
        QStringList arguments = {option, name};
        if (QByteArray(option) == "--weights") {
            arguments += {"--text", "a b"};
        }
        const Outcome outcome = compute(arguments);
        QVERIFY2(outcome.exitCode == 3, option + QByteArray(": ") + outcome.errors);
        QVERIFY(outcome.errors.startsWith("heedmap: "));
        QVERIFY2(outcome.errors.contains(name.toUtf8()), outcome.errors.constData());
    }
}

void TestCompute::existingFileSurvivesAFailure()
{
    QFile file(m_folder->filePath("out.npz"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("mine");
    file.close();
    const Outcome outcome = compute({"--text", "a b", "--heads", "3", "-o", "out.npz"});
    QCOMPARE(outcome.exitCode, 2);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("mine"));
}

QTEST_GUILESS_MAIN(TestCompute)
#include "tst_compute.moc"
