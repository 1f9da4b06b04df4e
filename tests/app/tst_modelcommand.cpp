// heedmap on checkpoints: the numbers of Hugging Face transformers through the command line.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"

#include "heed/arrayfile.h"

#include <QDir>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

using heed::ArrayFilePtr;
using heed::Shape;
using heed::Tensor;

namespace {

constexpr double LargestWeightError = 1e-5;
constexpr double LargestHiddenNmse = 1e-10;
constexpr double LargestLogitError = 1e-3;

QString goldens()
{
    return qEnvironmentVariable("HEED_SOURCE_DIR", QStringLiteral(".")) +
           QStringLiteral("/tests/golden/models");
}

ArrayFilePtr open(const QString& path)
{
    const auto file = heed::openArrays(path.toStdString());
    return file ? *file : nullptr;
}

Tensor read(const ArrayFilePtr& file, const std::string& name)
{
    const auto tensor = file ? file->read(name) : heed::Expected<Tensor>(Tensor());
    return tensor ? *tensor : Tensor();
}

QString listOf(const Tensor& ids)
{
    QStringList list;
    for (const float id : ids.values()) {
        list += QString::number(id);
    }
    return list.join(',');
}

/// Whether token @p token of an item of @p real tokens is one of them.
bool isReal(std::int64_t token, std::int64_t real, std::int64_t length, bool isLeft)
{
    return isLeft ? token >= length - real : token < real;
}

struct Difference {
    double largest = 0;
    double squares = 0;
    double all = 0;
};

/// Of the rows of real tokens of [.., B, (H,) L, n] and [B, (H,) L, n].
Difference compare(const float* got, const Tensor& wanted, const std::vector<std::int64_t>& real,
                   bool isLeft)
{
    Difference difference;
    const std::int64_t columns = wanted.extent(wanted.rank() - 1);
    const std::int64_t length = wanted.extent(wanted.rank() - 2);
    const std::int64_t rows = wanted.size() / columns;
    const std::int64_t rowsPerItem = rows / wanted.extent(0);
    for (std::int64_t row = 0; row < rows; ++row) {
        if (!isReal(row % length, real[static_cast<std::size_t>(row / rowsPerItem)], length,
                    isLeft)) {
            continue;
        }
        for (std::int64_t i = row * columns; i < (row + 1) * columns; ++i) {
            const double expected = wanted.data()[i];
            const double error = double{got[i]} - expected;
            difference.largest =
                std::max(difference.largest, std::isnan(error) ? INFINITY : std::abs(error));
            difference.squares += error * error;
            difference.all += expected * expected;
        }
    }
    return difference;
}

} // namespace

class TestModelCommand : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void agreesWithTransformers_data();
    void agreesWithTransformers();
    void selectionsAreCuts();
    void statsAndFigures();
    void names();
    void modelsAreListed();
    void infoOfAModel();
    void shardsAreListedOnce();
    void predictions();
    void predictionsAgreeWithTransformers();
    void textWithoutAPieceIsTold();
    void anIncompleteFolderIsAModelAllTheSame();
    void attentionSets();
    void refusals_data();
    void refusals();

private:
    Outcome compute(const QStringList& arguments) const
    {
        return runProgram(QStringList{"compute"} + arguments, {}, m_folder->path());
    }
    /// A cache of the hub with a tiny BERT called someone/tiny that has a vocabulary of words.
    QProcessEnvironment hub() const;
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestModelCommand::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

QProcessEnvironment TestModelCommand::hub() const
{
    const QString snapshot =
        m_folder->filePath(QStringLiteral("hub/models--someone--tiny/snapshots/12ab"));
    QDir().mkpath(snapshot);
    for (const char* name : {"/config.json", "/model.safetensors"}) {
        QFile::copy(goldens() + "/bert" + name, snapshot + name);
    }
    QFile vocabulary(snapshot + "/vocab.txt");
    if (vocabulary.open(QIODevice::WriteOnly)) {
        vocabulary.write("[CLS]\n[PAD]\n[SEP]\n[UNK]\n[MASK]\nthe\ncat\nsat\n##s\ndog\n");
        for (int i = 10; i < 40; ++i) {
            vocabulary.write("w" + QByteArray::number(i) + "\n");
        }
    }
    QFile card(snapshot + "/README.md");
    if (card.open(QIODevice::WriteOnly)) {
        card.write("---\nlicense: apache-2.0\n---\n");
    }
    QProcessEnvironment environment = bareEnvironment();
    environment.insert("HF_HUB_CACHE", m_folder->filePath(QStringLiteral("hub")));
    return environment;
}

void TestModelCommand::agreesWithTransformers_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("batch");
    const QStringList models = QDir(goldens()).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    QVERIFY(models.size() >= 20);
    for (const QString& model : models) {
        for (const char* batch : {"alone", "right", "left"}) {
            QTest::addRow("%s, %s", qPrintable(model), batch) << model << QString(batch);
        }
    }
}

void TestModelCommand::agreesWithTransformers()
{
    QFETCH(QString, model);
    QFETCH(QString, batch);
    const QString folder = goldens() + '/' + model;
    const ArrayFilePtr golden = open(folder + "/golden.safetensors");
    QVERIFY(golden != nullptr);
    const std::string prefix = batch.toStdString() + ".";
    if (golden->find(prefix + "types") != nullptr) {
        QSKIP("ids are one segment on the command line");
    }
    const bool isLeft = batch == "left";
    const Tensor ids = read(golden, prefix + "ids");
    const std::int64_t length = ids.extent(1);
    std::vector<std::int64_t> real;
    QStringList arguments = {"--model", folder,    "--what",     "tokens,weights,hidden,logits",
                             "-o",      "out.npz", "--pad-side", isLeft ? "left" : "right"};
    for (std::int64_t item = 0; item < ids.extent(0); ++item) {
        real.push_back(static_cast<std::int64_t>(read(golden, prefix + "real").data()[item]));
        QStringList list;
        for (std::int64_t token = 0; token < length; ++token) {
            if (isReal(token, real.back(), length, isLeft)) {
                list += QString::number(ids.matrix()(item, token));
            }
        }
        arguments += {"--ids", list.join(',')};
    }
    // Of models with a decoder the encoder is shown, which has none.
    const bool hasLogits =
        golden->find(prefix + "logits") != nullptr && golden->find(prefix + "targets") == nullptr;
    if (!hasLogits) {
        arguments[3] = "tokens,weights,hidden";
    }
    const Outcome outcome = compute(arguments);
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    QVERIFY2(outcome.errors.isEmpty(), outcome.errors.constData());

    const ArrayFilePtr written = open(m_folder->filePath("out.npz"));
    const Tensor weights = read(written, "weights");
    const Tensor hidden = read(written, "hidden");
    QCOMPARE(weights.rank(), std::size_t{5});
    const std::int64_t layers = weights.extent(0);
    QCOMPARE(hidden.extent(0), layers + 1);
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        const Tensor wanted = read(golden, prefix + "weights." + std::to_string(layer));
        QCOMPARE(wanted.size(), weights.size() / layers);
        const Difference difference =
            compare(weights.data() + layer * wanted.size(), wanted, real, isLeft);
        QVERIFY2(difference.largest <= LargestWeightError,
                 qPrintable(QStringLiteral("layer %1: %2").arg(layer).arg(difference.largest)));
    }
    for (std::int64_t state = 0; state <= layers; ++state) {
        const std::string name = prefix + "hidden." + std::to_string(state);
        if (golden->find(name) == nullptr) {
            continue;
        }
        const Tensor wanted = read(golden, name);
        const Difference difference =
            compare(hidden.data() + state * wanted.size(), wanted, real, isLeft);
        QVERIFY2(difference.squares <= LargestHiddenNmse * difference.all,
                 qPrintable(QStringLiteral("hidden state %1").arg(state)));
    }
    if (hasLogits) {
        const Difference difference =
            compare(read(written, "logits").data(), read(golden, prefix + "logits"), real, isLeft);
        QVERIFY2(difference.largest <= LargestLogitError,
                 qPrintable(QString::number(difference.largest)));
    }
}

void TestModelCommand::selectionsAreCuts()
{
    const QStringList source = {"--model", goldens() + "/gemma3",        "--ids", "3,4,5,6",
                                "--what",  "q,k,hidden,mask,head_output"};
    QVERIFY(compute(source + QStringList{"-o", "all.npz"}).exitCode == 0);
    QVERIFY(
        compute(source + QStringList{"-o", "one.npz", "--layer", "1", "--head", "3"}).exitCode ==
        0);
    const ArrayFilePtr all = open(m_folder->filePath("all.npz"));
    const ArrayFilePtr one = open(m_folder->filePath("one.npz"));
    QCOMPARE(read(all, "q").shape(), (Shape{3, 1, 4, 4, 16}));
    QCOMPARE(read(all, "k").shape(), (Shape{3, 1, 2, 4, 16}));
    QCOMPARE(read(all, "hidden").shape(), (Shape{4, 1, 4, 32}));
    QCOMPARE(read(one, "q").shape(), (Shape{1, 1, 1, 4, 16}));
    QCOMPARE(read(one, "k").shape(), (Shape{1, 1, 1, 4, 16}));
    QCOMPARE(read(one, "hidden").shape(), (Shape{2, 1, 4, 32}));
    const Tensor keys = read(all, "k");
    const Tensor key = read(one, "k");
    QVERIFY(std::ranges::equal(key.matrix().row(2), keys.matrix({1, 0, 1}).row(2)));
    const Tensor states = read(all, "hidden");
    const Tensor after = read(one, "hidden");
    QVERIFY(std::ranges::equal(after.matrix({0, 0}).row(1), states.matrix({1, 0}).row(1)));
    QVERIFY(std::ranges::equal(after.matrix({1, 0}).row(1), states.matrix({2, 0}).row(1)));

    // Layers with a window say their own mask.
    const Outcome json =
        compute({"--model", goldens() + "/gemma3", "--ids", "3,4", "--what", "mask"});
    const QJsonObject metadata = jsonOf(json)["metadata"].toObject();
    QCOMPARE(metadata["mask.0"].toString(), QStringLiteral("causal & padding & window(4)"));
    QCOMPARE(metadata["mask.1"].toString(), QStringLiteral("causal & padding"));
    QCOMPARE(metadata["family"].toString(), QStringLiteral("gemma3_text"));

    const Outcome csv = compute({"--model", goldens() + "/gemma3", "--ids", "3,4", "--what",
                                 "hidden", "--layer", "2", "--format", "csv"});
    QVERIFY2(csv.output.startsWith("state,item,query,dim,query_token,hidden\n2,0,0,0,3,"),
             csv.output.left(80).constData());
    QVERIFY(csv.output.contains("\n3,0,1,31,4,"));
}

void TestModelCommand::statsAndFigures()
{
    const QStringList source = {"--model", goldens() + "/llama", "--ids", "3,4,5,6"};
    const Outcome stats = runProgram(QStringList{"stats"} + source + QStringList{"--json"});
    QVERIFY2(stats.exitCode == 0, stats.errors.constData());
    QCOMPARE(jsonOf(stats)["heads"].toArray().size(), 8);
    QCOMPARE(jsonOf(stats)["heads"].toArray()[7].toObject()["layer"].toInt(), 1);
    const Outcome figure =
        runProgram(QStringList{"render"} + source + QStringList{"-o", "out.svg", "--layer", "1"},
                   {}, m_folder->path());
    QVERIFY2(figure.exitCode == 0, figure.errors.constData());
    QVERIFY(QFile::exists(m_folder->filePath("out.svg")));
}

void TestModelCommand::names()
{
    const QProcessEnvironment environment = hub();
    for (const char* name : {"someone/tiny", "tiny"}) {
        const Outcome outcome =
            runProgram({"compute", "--model", name, "--text", "The cats", "--what", "tokens"}, {},
                       {}, environment);
        QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
        QCOMPARE(jsonOf(outcome)["tokens"].toArray()[0].toArray(),
                 (QJsonArray{"[CLS]", "the", "cat", "##s", "[SEP]"}));
    }
    const Outcome none = runProgram({"stats", "--model", "tin", "--ids", "1"}, {}, {}, environment);
    QCOMPARE(none.exitCode, 3);
    QVERIFY2(none.errors.contains("someone/tiny"), none.errors.constData());
    const Outcome tokenizer =
        runProgram({"compute", "--text", "The cats", "--what", "tokens", "--tokenizer",
                    m_folder->filePath("hub/models--someone--tiny/snapshots/12ab/vocab.txt")});
    QVERIFY2(tokenizer.exitCode == 0, tokenizer.errors.constData());
    QVERIFY2(tokenizer.output.contains("##s"), "the sandbox takes a tokenizer, too");
}

void TestModelCommand::modelsAreListed()
{
    const Outcome text = runProgram({"models"}, {}, {}, hub());
    QVERIFY2(text.exitCode == 0, text.errors.constData());
    QVERIFY2(text.output.contains("someone/tiny"), text.output.constData());
    QVERIFY(text.output.contains("apache-2.0"));
    const QJsonArray models =
        jsonOf(runProgram({"models", "--json"}, {}, {}, hub()))["models"].toArray();
    QCOMPARE(models.size(), 1);
    const QJsonObject model = models[0].toObject();
    QCOMPARE(model["name"].toString(), QStringLiteral("someone/tiny"));
    QCOMPARE(model["place"].toString(), QStringLiteral("hub"));
    QCOMPARE(model["layers"].toInt(), 2);
    QCOMPARE(model["heads"].toInt(), 4);
    QCOMPARE(model["context"].toInt(), 24);
    QCOMPARE(model["tokenizer"].toString(), QStringLiteral("vocab.txt"));
    QCOMPARE(model["supported"].toBool(), true);
    QVERIFY(model["parameters"].toInt() > 10000);
    QProcessEnvironment nowhere = bareEnvironment();
    nowhere.insert("HF_HUB_CACHE", "/nowhere");
    nowhere.insert("XDG_DATA_DIRS", "/nowhere");
    QVERIFY(runProgram({"models"}, {}, {}, nowhere).output.contains("/nowhere"));
}

void TestModelCommand::infoOfAModel()
{
    const Outcome text = runProgram({"info", "tiny"}, {}, {}, hub());
    QVERIFY2(text.exitCode == 0, text.errors.constData());
    for (const char* part : {"BERT", "layers:", "heads:", "4 of 8", "24 tokens", "masked tokens",
                             "vocab.txt", "apache-2.0", "config.json"}) {
        QVERIFY2(text.output.contains(part), text.output.constData());
    }
    const QJsonObject json = jsonOf(runProgram({"info", "tiny", "--json"}, {}, {}, hub()));
    QCOMPARE(json["model"].toObject()["family"].toString(), QStringLiteral("bert"));
    QCOMPARE(json["files"].toArray().size(), 1);
    QVERIFY(!json["files"].toArray()[0].toObject()["arrays"].toArray().isEmpty());

    QFile config(m_folder->filePath("config.json"));
    QVERIFY(config.open(QIODevice::WriteOnly));
    config.write(R"({"model_type": "deberta-v2"})");
    config.close();
    QVERIFY(QFile::copy(goldens() + "/bert/model.safetensors",
                        m_folder->filePath("model.safetensors")));
    const Outcome unknown = runProgram({"info", m_folder->path()});
    QCOMPARE(unknown.exitCode, 1);
    QVERIFY2(unknown.output.contains("cannot run") && unknown.output.contains("deberta-v2"),
             unknown.output.constData());
}

void TestModelCommand::shardsAreListedOnce()
{
    for (const char* name : {"/model-00001-of-00003.gguf", "/model-00002-of-00003.gguf",
                             "/model-00003-of-00003.gguf"}) {
        QVERIFY(QFile::copy(goldens() + "/../ggufmodels/gemma" + name, m_folder->path() + name));
    }
    const Outcome outcome = runProgram({"info", m_folder->path(), "--json"});
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    const QJsonArray files = jsonOf(outcome)["files"].toArray();
    QCOMPARE(files.size(), 1);
    QVERIFY(files[0].toObject()["model"].toObject()["supported"].toBool());
}

void TestModelCommand::predictions()
{
    const QStringList source = {"predict", "--model", "tiny"};
    const Outcome text =
        runProgram(source + QStringList{"--text", "the [MASK] sat", "--top", "3"}, {}, {}, hub());
    QVERIFY2(text.exitCode == 0, text.errors.constData());
    QVERIFY2(text.output.contains("at token 2  [MASK]"), text.output.constData());
    QVERIFY(text.output.contains("%"));
    QVERIFY(!text.output.contains("the text has"));

    const Outcome json = runProgram(
        source + QStringList{"--text", "the cat sat", "--at", "2", "--top", "40", "--json"}, {}, {},
        hub());
    const QJsonObject one = jsonOf(json)["predictions"].toArray()[0].toObject();
    double sum = 0;
    double before = 1;
    for (const auto& prediction : one["best"].toArray()) {
        const double probability = prediction.toObject()["probability"].toDouble();
        QVERIFY(probability <= before);
        before = probability;
        sum += probability;
    }
    QVERIFY(std::abs(sum - 1) < 1e-6);
    QCOMPARE(one["actual"].toObject()["token"].toString(), QStringLiteral("cat"));

    const Outcome noMask = runProgram(source + QStringList{"--text", "the cat"}, {}, {}, hub());
    QCOMPARE(noMask.exitCode, 2);
    QVERIFY2(noMask.errors.contains("[MASK]"), noMask.errors.constData());
    QCOMPARE(runProgram(source + QStringList{"--text", "the", "--at", "9"}, {}, {}, hub()).exitCode,
             2);
    QCOMPARE(runProgram({"predict", "--text", "the cat"}).exitCode, 2);
    for (const char* option : {"--layer", "--head", "--mask-layer"}) {
        const Outcome outcome = runProgram(
            source + QStringList{"--text", "the [MASK]", "--mask", "window(2)", option, "0"}, {},
            {}, hub());
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY2(outcome.errors.contains(option), outcome.errors.constData());
    }
    const Outcome blind =
        runProgram(source + QStringList{"--text", "the [MASK]", "--mask", "window(4) & ~window(4)"},
                   {}, {}, hub());
    QCOMPARE(blind.exitCode, 0);
    QVERIFY2(blind.errors.contains("token 2 of item 0 may attend to nothing in layer 0"),
             blind.errors.constData());
}

void TestModelCommand::anIncompleteFolderIsAModelAllTheSame()
{
    QVERIFY(QFile::copy(goldens() + "/bert/config.json", m_folder->filePath("config.json")));
    const Outcome info = runProgram({"info", m_folder->path()});
    QCOMPARE(info.exitCode, 1);
    QVERIFY2(info.output.contains("no weights"), info.output.constData());
    QVERIFY2(info.output.contains("layers:"), info.output.constData());
}

void TestModelCommand::textWithoutAPieceIsTold()
{
    const QStringList source = {"stats", "--model", "tiny", "--text"};
    const Outcome unknown = runProgram(source + QStringList{"the zebra sat: dogs"}, {}, {}, hub());
    QVERIFY2(unknown.errors.contains("note: 2 tokens are [UNK], as the vocabulary has no piece for "
                                     "'zebra', ':'"),
             unknown.errors.constData());
    QVERIFY(runProgram(source + QStringList{"the [UNK] sat"}, {}, {}, hub()).errors.isEmpty());
    const Outcome pair =
        runProgram(source + QStringList{"the", "--text-pair", "zebra"}, {}, {}, hub());
    QVERIFY2(pair.errors.contains("1 token is [UNK]"), pair.errors.constData());
}

void TestModelCommand::predictionsAgreeWithTransformers()
{
    const QString folder = goldens() + "/gpt2";
    const ArrayFilePtr golden = open(folder + "/golden.safetensors");
    const Tensor ids = read(golden, "alone.ids");
    const Tensor logits = read(golden, "alone.logits");
    const Outcome outcome =
        runProgram({"predict", "--model", folder, "--ids", listOf(ids), "--json"});
    QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    const QJsonObject one = jsonOf(outcome)["predictions"].toArray()[0].toObject();
    QCOMPARE(one["position"].toInt(), static_cast<int>(ids.size() - 1));
    const auto last = logits.matrix({0}).row(ids.size() - 1);
    double sum = 0;
    for (const float logit : last) {
        sum += std::exp(double{logit});
    }
    const auto best = std::ranges::max_element(last);
    const QJsonObject first = one["best"].toArray()[0].toObject();
    QCOMPARE(first["id"].toInt(), static_cast<int>(best - last.begin()));
    QVERIFY(std::abs(first["probability"].toDouble() - std::exp(double{*best}) / sum) < 1e-4);
    QVERIFY(!one.contains("actual"));
}

void TestModelCommand::attentionSets()
{
    const QString folder = goldens() + "/bart";
    const ArrayFilePtr golden = open(folder + "/golden.safetensors");
    const QStringList source = {"--model",      folder,
                                "--ids",        listOf(read(golden, "alone.ids")),
                                "--target-ids", listOf(read(golden, "alone.targets"))};
    for (const char* set : {"encoder", "decoder", "cross"}) {
        const QString file = QLatin1String(set) + ".npz";
        const QStringList chosen = {"--attention", set, "-o", file, "--what", "tokens,weights"};
        const Outcome outcome = compute(source + chosen);
        QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
        const Tensor weights = read(open(m_folder->filePath(file)), "weights");
        const std::string prefix =
            set == QLatin1String("encoder") ? "alone." : "alone." + std::string(set) + ".";
        const Tensor last =
            read(golden, prefix + "weights." + std::to_string(weights.extent(0) - 1));
        const std::vector<std::int64_t> real = {last.extent(2)};
        const Difference difference =
            compare(weights.data() + weights.size() - last.size(), last, real, false);
        QVERIFY2(difference.largest <= LargestWeightError, set);
    }
    // A target is there to be attended from.
    const Outcome cross = compute(source + QStringList{"--layer", "0", "--what", "tokens,weights"});
    const QJsonObject metadata = jsonOf(cross)["metadata"].toObject();
    QCOMPARE(metadata["attention"].toString(), QStringLiteral("cross"));
    QVERIFY(metadata["source"].toString().contains("--target-ids"));
    QVERIFY(!metadata["key_tokens"].toString().isEmpty());
    QCOMPARE(jsonOf(cross)["tokens"].toArray()[0].toArray().size(), 5);

    const Outcome next =
        runProgram(QStringList{"predict"} + source + QStringList{"--top", "1", "--json"});
    const auto last = read(golden, "alone.logits");
    const auto row = last.matrix({0}).row(4);
    const auto best = std::ranges::max_element(row) - row.begin();
    const QJsonObject one = jsonOf(next)["predictions"].toArray()[0].toObject();
    QCOMPARE(one["best"].toArray()[0].toObject()["id"].toInt(), static_cast<int>(best));
    QCOMPARE(jsonOf(next)["predicts"].toString(), QStringLiteral("next"));
    QVERIFY(runProgram({"info", folder}).output.contains("the next token"));
    const Outcome stats = runProgram(QStringList{"stats"} + source + QStringList{"--json"});
    QCOMPARE(jsonOf(stats)["heads"].toArray().size(), 6);
    const Outcome figure = runProgram(QStringList{"render"} + source +
                                          QStringList{"--layer", "0", "--head", "0", "-o", "x.svg"},
                                      {}, m_folder->path());
    QVERIFY2(figure.exitCode == 0, figure.errors.constData());
    QFile svg(m_folder->filePath("x.svg"));
    QVERIFY(svg.open(QIODevice::ReadOnly) && svg.readAll().contains("Cross-attention"));
}

void TestModelCommand::refusals_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<int>("exitCode");
    const QString bert = goldens() + "/bert";
    const QStringList ids = {"--model", bert, "--ids", "3,4"};
    for (const char* option : {"--d-model", "--heads", "--kv-heads", "--seed"}) {
        QTest::newRow(option) << ids + QStringList{option, "4"} << QStringList{option, "--model"}
                              << 2;
    }
    QTest::newRow("positions") << ids + QStringList{"--positions", "rope"}
                               << QStringList{"--positions", "--model"} << 2;
    QTest::newRow("no scale") << ids + QStringList{"--no-scale"}
                              << QStringList{"--no-scale", "--model"} << 2;
    QTest::newRow("weights") << ids + QStringList{"--weights", "w.npz"}
                             << QStringList{"--weights", "--model"} << 2;
    QTest::newRow("tokenizer of the sandbox")
        << ids + QStringList{"--tokenizer", "words"} << QStringList{"--tokenizer", "--model"} << 2;
    QTest::newRow("ids and text") << ids + QStringList{"--text", "a"}
                                  << QStringList{"--ids", "--text"} << 2;
    QTest::newRow("no special of ids")
        << ids + QStringList{"--no-special"} << QStringList{"--no-special", "--ids"} << 2;
    QTest::newRow("no special of the sandbox") << QStringList{"--text", "a", "--no-special"}
                                               << QStringList{"--no-special", "--model"} << 2;
    QTest::newRow("ids of the sandbox")
        << QStringList{"--ids", "1,2"} << QStringList{"--ids", "--model"} << 2;
    QTest::newRow("mask layer without a mask")
        << ids + QStringList{"--mask-layer", "1"} << QStringList{"--mask-layer", "--mask"} << 2;
    QTest::newRow("mask layer that is not there")
        << ids + QStringList{"--mask-layer", "2", "--causal"} << QStringList{"0 to 1"} << 2;
    QTest::newRow("ids that are none")
        << QStringList{"--model", bert, "--ids", "3,four"} << QStringList{"four", "--ids"} << 2;
    QTest::newRow("id outside the vocabulary")
        << QStringList{"--model", bert, "--ids", "3,40"} << QStringList{"40"} << 2;
    QTest::newRow("text without a tokenizer")
        << QStringList{"--model", bert, "--text", "a"} << QStringList{"--ids", "tokenizer"} << 3;
    QTest::newRow("no such folder")
        << QStringList{"--model", "/nowhere", "--ids", "1"} << QStringList{"/nowhere"} << 3;
    QTest::newRow("folder without a model")
        << QStringList{"--model", goldens(), "--ids", "1"} << QStringList{"config.json"} << 3;
    QTest::newRow("nothing to run on")
        << QStringList{"--model", bert} << QStringList{"--text", "--ids"} << 2;
    QTest::newRow("x") << ids + QStringList{"--what", "x"} << QStringList{"--what", "hidden"} << 2;
    QTest::newRow("logits without a head")
        << QStringList{"--model", goldens() + "/minilm", "--ids", "3", "--what", "logits"}
        << QStringList{"logits", "head"} << 2;
    for (const QStringList& option :
         {QStringList{"--attention", "encoder"}, QStringList{"--target-ids", "3"}}) {
        QTest::newRow(qPrintable("no decoder for " + option[0]))
            << ids + option << QStringList{option[0], "T5"} << 2;
        QTest::newRow(qPrintable("sandbox without " + option[0]))
            << QStringList{"--text", "a"} + option << QStringList{option[0], "checkpoint"} << 2;
    }
    const QStringList bart = {"--model", goldens() + "/bart", "--ids", "3,4"};
    QTest::newRow("logits of the encoder")
        << bart + QStringList{"--what", "logits"} << QStringList{"decoder", "--attention"} << 2;
    QTest::newRow("two targets for an item")
        << bart + QStringList{"--target-ids", "2", "--target-ids", "2"}
        << QStringList{"2 targets for 1 items"} << 2;
    QTest::newRow("too little memory")
        << ids + QStringList{"--memory", "1KiB"} << QStringList{"KiB"} << 4;
}

void TestModelCommand::refusals()
{
    QFETCH(QStringList, arguments);
    QFETCH(QStringList, words);
    QFETCH(int, exitCode);
    const Outcome outcome = compute(arguments);
    QVERIFY2(outcome.exitCode == exitCode, outcome.errors.constData());
    for (const QString& word : words) {
        QVERIFY2(outcome.errors.contains(word.toUtf8()), outcome.errors.constData());
    }
    QCOMPARE(outcome.errors.count('\n'), 1);
    QVERIFY(outcome.output.isEmpty());
}

QTEST_GUILESS_MAIN(TestModelCommand)
#include "tst_modelcommand.moc"
