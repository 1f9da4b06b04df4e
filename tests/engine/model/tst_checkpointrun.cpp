// A checkpoint as a source: tokens, maps of every layer, and what a change keeps.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/arraysonfile.h"
#include "modelfolders.h"

#include "heed/run.h"
#include "heed/session.h"
#include "heed/tokenizerfile.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>

using namespace heed;
namespace fs = std::filesystem;

namespace {

Source sourceOf(const fs::path& model)
{
    Source source;
    source.model = model;
    return source;
}

Source idsOf(const fs::path& model, std::vector<std::vector<std::int64_t>> ids)
{
    Source source = sourceOf(model);
    source.ids = std::move(ids);
    return source;
}

RunPtr run(const Source& source, const RunPtr& previous = nullptr)
{
    auto made = compute(source, test::referenceBackend(), {.threads = 2}, previous);
    EXPECT_TRUE(made) << describe(made.error());
    return made.value_or(nullptr);
}

Error refusal(const Source& source)
{
    const auto made = compute(source, test::referenceBackend(), {.threads = 2});
    EXPECT_FALSE(made);
    return made ? Error{} : made.error();
}

bool mentions(const Error& error, const std::string& text)
{
    return describe(error).find(text) != std::string::npos;
}

TexelValues cells(const Run& run, const MapIndex& map, Quantity quantity = Quantity::Weights)
{
    TileSpec spec;
    spec.quantity = quantity;
    spec.rows = run.maps()->shape().queries;
    spec.columns = run.maps()->shape().keys;
    const auto texels = run.maps()->window(map, spec, {});
    EXPECT_TRUE(texels) << describe(texels.error());
    return texels ? texels->values : TexelValues();
}

std::vector<std::string> texts(const Run& run, std::size_t item = 0)
{
    std::vector<std::string> result;
    for (const Token& token : run.queryTokens().items[item]) {
        result.push_back(token.text);
    }
    return result;
}

/// The BERT of the goldens with a vocabulary of words.
class WithVocabulary : public testing::Test {
protected:
    void SetUp() override
    {
        for (const char* name : {"config.json", "model.safetensors"}) {
            fs::copy_file(test::modelFolder("bert") / name, m_folder.path() / name);
        }
        std::ofstream vocabulary(m_folder.path() / "vocab.txt");
        vocabulary << "[CLS]\n[PAD]\n[SEP]\n[UNK]\n[MASK]\nthe\ncat\nsat\n##s\ndog\n";
        for (int i = 10; i < 40; ++i) {
            vocabulary << "w" << i << "\n";
        }
    }

    [[nodiscard]] Source text(const std::string& line) const
    {
        Source source = sourceOf(m_folder.path());
        source.lines = {line};
        return source;
    }

    test::TemporaryFolder m_folder;
};

} // namespace

TEST_F(WithVocabulary, tokensAreThoseOfItsTokenizer)
{
    Source source = text("The cats");
    source.lines.push_back("dog");
    const RunPtr made = run(source);
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(texts(*made), (std::vector<std::string>{"[CLS]", "the", "cat", "##s", "[SEP]"}));
    EXPECT_EQ(texts(*made, 1),
              (std::vector<std::string>{"[CLS]", "dog", "[SEP]", "<pad>", "<pad>"}));
    const auto& tokens = made->queryTokens().items[0];
    EXPECT_TRUE(tokens[0].isSpecial && tokens[4].isSpecial && !tokens[1].isSpecial);
    EXPECT_EQ(tokens[1].begin, 0);
    EXPECT_EQ(tokens[1].end, 3);
    EXPECT_TRUE(made->queryTokens().items[1][3].isPadding);
    EXPECT_EQ(made->queryTokens().items[1][3].id, 1U);
    EXPECT_EQ(made->queryTokens().lengths, (std::vector<std::int64_t>{5, 3}));
    EXPECT_EQ(made->maps()->shape(), (MapsShape{2, 2, 4, 5, 5}));
    EXPECT_EQ(made->mask(0)->expression(), "padding");
    EXPECT_EQ(cells(*made, {1, 1, 0})[3], 0) << "padding is hidden without being asked";
    ASSERT_NE(made->model(), nullptr);
    EXPECT_EQ(made->model()->family, "bert");
    ASSERT_NE(made->tokenizer(), nullptr);
    EXPECT_EQ(made->tokenizer()->piece(9), "dog");

    source.specialTokens = false;
    EXPECT_EQ(texts(*run(source)), (std::vector<std::string>{"the", "cat", "##s"}));
}

TEST_F(WithVocabulary, idsAreTheSameTokens)
{
    const RunPtr fromText = run(text("the dog"));
    const RunPtr fromIds = run(idsOf(m_folder.path(), {{0, 5, 9, 2}}));
    ASSERT_TRUE(fromText && fromIds);
    EXPECT_EQ(texts(*fromIds), texts(*fromText));
    EXPECT_TRUE(fromIds->queryTokens().items[0][0].isSpecial);
    EXPECT_EQ(cells(*fromIds, {1, 0, 3}), cells(*fromText, {1, 0, 3}));
}

TEST_F(WithVocabulary, pairsAreTwoSegments)
{
    Source source = text("the dog");
    source.pairLines = {"sat"};
    const RunPtr pair = run(source);
    ASSERT_NE(pair, nullptr);
    EXPECT_EQ(texts(*pair),
              (std::vector<std::string>{"[CLS]", "the", "dog", "[SEP]", "sat", "[SEP]"}));
    const RunPtr ids = run(idsOf(m_folder.path(), {{0, 5, 9, 2, 7, 2}}));
    const auto first = pair->hidden(0)->matrix({0});
    const auto other = ids->hidden(0)->matrix({0});
    EXPECT_EQ(first(2, 0), other(2, 0));
    EXPECT_NE(first(4, 0), other(4, 0)) << "the second text has another segment";
    source.pairLines.emplace_back("one more");
    EXPECT_TRUE(mentions(refusal(source), "--text-pair"));
}

TEST_F(WithVocabulary, emptyTextIsWhatTheTokenizerMakesOfIt)
{
    EXPECT_EQ(texts(*run(text(""))), (std::vector<std::string>{"[CLS]", "[SEP]"}));
    Source bare = text("the");
    bare.lines.emplace_back(" ");
    bare.specialTokens = false;
    const Error error = refusal(bare);
    EXPECT_EQ(error.code, Code::InvalidArgument);
    EXPECT_TRUE(mentions(error, "line 2"));
}

TEST_F(WithVocabulary, aMaskOfAllLayersIsWhatTheModelWouldDo)
{
    const RunPtr before = run(text("the cats sat"));
    Source source = before->source();
    source.causal = true;
    const RunPtr after = run(source, before);
    ASSERT_NE(after, nullptr);
    EXPECT_EQ(after->model(), before->model()) << "the files are not opened again";
    EXPECT_EQ(after->mask(1)->expression(), "padding & causal");
    EXPECT_EQ(cells(*after, {1, 0, 0})[1], 0);
    EXPECT_FALSE(std::ranges::equal(after->q(1)->values(), before->q(1)->values()))
        << "what comes into layer 1 was made under the mask";
    EXPECT_TRUE(std::ranges::equal(after->q(0)->values(), before->q(0)->values()));
}

TEST_F(WithVocabulary, aMaskOfOneLayerLeavesTheRestAsItWas)
{
    const RunPtr before = run(text("the cats sat"));
    Source source = before->source();
    source.mask = "symmetric(1) | causal";
    source.maskLayer = 1;
    const RunPtr after = run(source, before);
    ASSERT_NE(after, nullptr);
    EXPECT_EQ(after->q(1), before->q(1)) << "nothing ran again";
    EXPECT_EQ(after->mask(0)->expression(), "padding");
    EXPECT_EQ(after->mask(1)->expression(), "padding & (symmetric(1) | causal)");
    EXPECT_EQ(cells(*after, {0, 0, 0}), cells(*before, {0, 0, 0}));
    const auto masked = cells(*after, {1, 0, 0});
    EXPECT_EQ(masked[2], 0);
    EXPECT_GT(cells(*before, {1, 0, 0})[2], 0);
    float sum = 0;
    for (std::size_t key = 0; key < 6; ++key) {
        sum += masked[key];
    }
    EXPECT_NEAR(sum, 1, 1e-6);

    source.maskLayer = 2;
    EXPECT_TRUE(mentions(refusal(source), "layers 0 to 1"));
}

TEST_F(WithVocabulary, anotherTextKeepsTheModel)
{
    const RunPtr before = run(text("the cats sat"));
    const RunPtr after = run(text("dog"), before);
    EXPECT_EQ(after->model(), before->model());
    EXPECT_EQ(texts(*after), (std::vector<std::string>{"[CLS]", "dog", "[SEP]"}));
    std::ofstream(m_folder.path() / "vocab.txt", std::ios::app) << "late\n";
    EXPECT_NE(run(text("dog"), before)->model(), before->model()) << "a file changed";
}

TEST_F(WithVocabulary, tokenizerMayBeElsewhere)
{
    const test::TemporaryFolder elsewhere;
    fs::rename(m_folder.path() / "vocab.txt", elsewhere.path() / "vocab.txt");
    Source source = text("dog");
    const Error error = refusal(source);
    EXPECT_EQ(error.code, Code::NotFound);
    EXPECT_TRUE(mentions(error, "--ids") && mentions(error, "tokenizer.json"));
    EXPECT_EQ(texts(*run(idsOf(m_folder.path(), {{0, 9, 2}}))),
              (std::vector<std::string>{"0", "9", "2"}))
        << "ids do without";
    source.tokenizerFile = elsewhere.path() / "vocab.txt";
    EXPECT_EQ(texts(*run(source)), (std::vector<std::string>{"[CLS]", "dog", "[SEP]"}));
    // It cuts text for the sandbox too.
    source.model.clear();
    EXPECT_EQ(texts(*run(source)), (std::vector<std::string>{"[CLS]", "dog", "[SEP]"}));
}

TEST(CheckpointRun, hasQueriesKeysAndHiddenStatesOfEveryLayer)
{
    const RunPtr made = run(idsOf(test::modelFolder("gemma2"), {{3, 4, 5, 6, 7}, {8, 9}}));
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(made->maps()->shape(), (MapsShape{3, 2, 4, 5, 5}));
    for (std::int64_t layer = 0; layer < 3; ++layer) {
        EXPECT_EQ(made->q(layer)->shape(), (Shape{2, 4, 5, 16}));
        EXPECT_EQ(made->k(layer)->shape(), (Shape{2, 2, 5, 16}));
        EXPECT_EQ(made->v(layer)->shape(), (Shape{2, 2, 5, 16}));
        EXPECT_FLOAT_EQ(made->scale(layer), 1 / std::sqrt(24.0F));
        EXPECT_EQ(made->softCap(layer), 5);
        EXPECT_EQ(made->hidden(layer)->shape(), (Shape{2, 5, 32}));
    }
    EXPECT_EQ(made->mask(0)->expression(), "causal & padding & window(4)");
    EXPECT_EQ(made->mask(1)->expression(), "causal & padding");
    EXPECT_NE(made->hidden(3), nullptr);
    EXPECT_EQ(made->hidden(4), nullptr);
    EXPECT_EQ(made->q(3), nullptr);
    EXPECT_EQ(made->x(), nullptr);
    EXPECT_EQ(made->layer().keyValueHeads(), 2);

    const Tensor heads = made->headOutput(2, {}).value();
    const auto weights = cells(*made, {2, 0, 3});
    const auto values = made->v(2)->matrix({0, 1});
    double sum = 0;
    for (std::int64_t key = 0; key < 5; ++key) {
        sum += double{weights[static_cast<std::size_t>(20 + key)]} * double{values(key, 3)};
    }
    EXPECT_NEAR(heads.matrix({0, 3})(4, 3), sum, 1e-5);
    EXPECT_EQ(made->output(0, {}).error().code, Code::Unsupported);
}

TEST(CheckpointRun, hasLogitsOfTheTokensThatAreAskedFor)
{
    const RunPtr made = run(idsOf(test::modelFolder("gpt2"), {{3, 4, 5, 6, 7}}));
    ASSERT_TRUE(made->predicts());
    const Tensor all = made->logits(0, 0, 5, {}).value();
    EXPECT_EQ(all.shape(), (Shape{5, 40}));
    const Tensor some = made->logits(0, 3, 2, {}).value();
    for (std::int64_t id = 0; id < 40; ++id) {
        EXPECT_NEAR(some.matrix()(1, id), all.matrix()(4, id), 1e-4);
    }
    EXPECT_EQ(made->logits(0, 4, 2, {}).error().code, Code::InvalidArgument);
    EXPECT_EQ(made->logits(1, 0, 1, {}).error().code, Code::InvalidArgument);
    EXPECT_EQ(made->logits(0, 0, 5, {.memoryBudget = 16}).error().code, Code::OutOfMemory);

    const RunPtr headless = run(idsOf(test::modelFolder("minilm"), {{3, 4}}));
    EXPECT_FALSE(headless->predicts());
    EXPECT_EQ(headless->logits(0, 0, 1, {}).error().code, Code::Unsupported);
}

TEST(CheckpointRun, layersAfterTheLastThatIsWantedDoNotRun)
{
    Source source = idsOf(test::modelFolder("gemma2"), {{3, 4, 5, 6, 7}});
    const RunPtr whole = run(source);
    source.lastLayer = 1;
    const RunPtr cut = run(source, whole);
    ASSERT_NE(cut, nullptr);
    EXPECT_EQ(cut->maps()->shape().layers, 2);
    EXPECT_EQ(cells(*cut, {1, 0, 3}), cells(*whole, {1, 0, 3}));
    EXPECT_EQ(cut->hidden(3), nullptr);
    EXPECT_TRUE(whole->predicts());
    EXPECT_FALSE(cut->predicts());
    source.lastLayer = 7; // more than there are
    EXPECT_EQ(run(source, cut)->maps()->shape().layers, 3);
}

TEST(CheckpointRun, saysThatATextIsLongerThanTheModelWasMadeFor)
{
    const fs::path llama = test::modelFolder("llama"); // rotary: nothing ends at 24
    EXPECT_TRUE(run(idsOf(llama, {std::vector<std::int64_t>(24, 3)}))->notes().empty());
    const auto notes = run(idsOf(llama, {std::vector<std::int64_t>(25, 3)}))->notes();
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_NE(notes[0].find("25 tokens"), std::string::npos);
    EXPECT_NE(notes[0].find("24"), std::string::npos);
}

TEST(CheckpointRun, refusesWhatDoesNotFit)
{
    const fs::path bert = test::modelFolder("bert");
    EXPECT_TRUE(mentions(refusal(idsOf(bert, {{0, 40}})), "40"));
    EXPECT_EQ(refusal(idsOf(bert, {{0, -1}})).code, Code::InvalidArgument);
    EXPECT_EQ(refusal(idsOf(bert, {{}})).code, Code::InvalidArgument);
    const Error tooLong = refusal(idsOf(bert, {std::vector<std::int64_t>(25, 3)}));
    EXPECT_EQ(tooLong.code, Code::InvalidArgument);
    EXPECT_TRUE(mentions(tooLong, "25") && mentions(tooLong, "24"));
    EXPECT_TRUE(mentions(refusal(sourceOf(bert)), "--ids"));
    Source source = idsOf(bert, {{1, 2, 3}});
    source.padTo = 2;
    EXPECT_EQ(refusal(source).code, Code::InvalidArgument);
    source = idsOf(bert, {{1, 2, 3}});
    source.mask = "none) | (none";
    EXPECT_EQ(refusal(source).code, Code::InvalidArgument);
    source.maskLayer = 0;
    EXPECT_EQ(refusal(source).code, Code::InvalidArgument);
    source = idsOf(bert, {{1}});
    source.weights = "w.npz";
    const Error both = refusal(source);
    EXPECT_TRUE(mentions(both, "--model") && mentions(both, "--weights"));
    source = idsOf({}, {{1}});
    EXPECT_TRUE(mentions(refusal(source), "--model"));
}

TEST(CheckpointRun, namesWhatIsWrongWithAFolder)
{
    const test::TemporaryFolder folder;
    const Source source = idsOf(folder.path(), {{1}});
    EXPECT_TRUE(mentions(refusal(source), "config.json"));
    std::ofstream(folder.path() / "config.json") << R"({"model_type": "bertt"})";
    const Error unknown = refusal(source);
    EXPECT_EQ(unknown.code, Code::Unsupported);
    EXPECT_TRUE(mentions(unknown, "bertt") && mentions(unknown, "bert"));
    fs::remove(folder.path() / "config.json");
    fs::copy_file(test::modelFolder("bert") / "config.json", folder.path() / "config.json");
    EXPECT_TRUE(mentions(refusal(source), "model.safetensors"));
    fs::copy_file(test::modelFolder("gpt2") / "model.safetensors",
                  folder.path() / "model.safetensors");
    const Error missing = refusal(source);
    EXPECT_EQ(missing.code, Code::NotFound);
    EXPECT_TRUE(mentions(missing, "embeddings"));
}

TEST(CheckpointRun, comesBackFromASession)
{
    Session session;
    session.source = idsOf("/data/model", {{1, 2}, {3}});
    session.source.specialTokens = false;
    session.source.maskLayer = 4;
    session.source.mask = "causal";
    session.source.tokenizerFile = "/data/other/tokenizer.json";
    const std::string json = formatSession(session, "/data");
    EXPECT_NE(json.find("\"model\": \"model\""), std::string::npos) << "relative to the session";
    const auto back = parseSession(json, "/data", "s.heed");
    ASSERT_TRUE(back) << describe(back.error());
    session.source.maskFolder = "/data";
    EXPECT_EQ(back->source, session.source);
    EXPECT_EQ(sourceArguments(session.source),
              (std::vector<std::string>{"--ids", "1,2", "--ids", "3", "--model", "/data/model",
                                        "--tokenizer", "/data/other/tokenizer.json", "--mask-layer",
                                        "4", "--mask", "causal"}));
    const auto wrong = parseSession(
        R"({"schema": "heedmap.session/1", "source": {"ids": [[1, -2]]}})", "/data", "s.heed");
    EXPECT_TRUE(mentions(wrong.error(), "source.ids"));
}

TEST(CheckpointRun, stopsWhenAsked)
{
    std::stop_source stop;
    stop.request_stop();
    const auto made = compute(idsOf(test::modelFolder("bert"), {{1, 2}}), test::referenceBackend(),
                              {.stop = stop.get_token()});
    EXPECT_EQ(made.error().code, Code::Cancelled);
}
