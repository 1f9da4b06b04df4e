// The three sets of maps of an encoder with a decoder, as a source: tokens, numbers, masks, words.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/arraysonfile.h"
#include "modelfolders.h"

#include "heed/predictions.h"
#include "heed/run.h"
#include "heed/session.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace heed;
namespace fs = std::filesystem;

namespace {

using Ids = std::vector<std::vector<std::int64_t>>;

RunPtr run(const Source& source, const RunPtr& previous = nullptr)
{
    auto made = compute(source, test::referenceBackend(), {.threads = 2}, previous);
    EXPECT_TRUE(made) << describe(made.error());
    return made.value_or(nullptr);
}

void expectRefusal(const Source& source, const std::string& said)
{
    const auto made = compute(source, test::referenceBackend(), {});
    ASSERT_FALSE(made) << said;
    EXPECT_NE(describe(made.error()).find(said), std::string::npos) << describe(made.error());
}

Source idsOf(const fs::path& model)
{
    Source source;
    source.model = model;
    source.ids = {{5, 6, 7, 8}};
    return source;
}

std::vector<std::string> texts(const Batch& batch, std::size_t item = 0)
{
    std::vector<std::string> result;
    for (const Token& token : batch.items[item]) {
        result.push_back(token.text);
    }
    return result;
}

std::vector<float> cells(const Run& run, const MapIndex& map)
{
    TileSpec spec;
    spec.rows = run.maps()->shape().queries;
    spec.columns = run.maps()->shape().keys;
    const auto texels = run.maps()->window(map, spec, {});
    EXPECT_TRUE(texels) << describe(texels.error());
    return texels ? std::vector<float>(texels->values.begin(), texels->values.end())
                  : std::vector<float>();
}

/// The ids of an array [B, T] without their padding, which is on one side.
Ids realIds(const ArrayFile& file, const std::string& batch, const std::string& name,
            const std::string& real)
{
    const Tensor ids = file.read(batch + "." + name).value();
    const Tensor lengths = file.read(batch + "." + real).value();
    Ids rows;
    for (std::int64_t item = 0; item < ids.extent(0); ++item) {
        const auto row = ids.matrix().row(item);
        const auto count = static_cast<std::size_t>(lengths.data()[item]);
        const auto part = batch == "left" ? row.last(count) : row.first(count);
        rows.emplace_back(part.begin(), part.end());
    }
    return rows;
}

/// The largest difference of the weights of real queries to those of transformers.
float largestError(const ArrayFile& golden, const std::string& batch, const Run& run)
{
    constexpr std::array prefixes = {"", "decoder.", "cross."};
    const std::string prefix = prefixes.at(static_cast<std::size_t>(run.source().attention));
    const MapsShape shape = run.maps()->shape();
    float largest = 0;
    for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
        const Tensor wanted =
            golden.read(batch + "." + prefix + "weights." + std::to_string(layer)).value();
        EXPECT_EQ(wanted.shape(), (Shape{shape.items, shape.heads, shape.queries, shape.keys}));
        for (std::int64_t map = 0; map < shape.items * shape.heads; ++map) {
            const std::int64_t item = map / shape.heads;
            const auto got = cells(run, {layer, item, map % shape.heads});
            for (std::size_t i = 0; i < got.size(); ++i) {
                const auto query = i / static_cast<std::size_t>(shape.keys);
                if (!run.queryTokens().items[static_cast<std::size_t>(item)][query].isPadding) {
                    const float expected =
                        wanted.data()[map * std::ssize(got) + static_cast<std::int64_t>(i)];
                    largest = std::max(largest, std::abs(got[i] - expected));
                }
            }
        }
    }
    return largest;
}

/// A model of the goldens with a vocabulary of words.
class WithWords : public testing::Test {
protected:
    void fill(const std::string& model)
    {
        for (const char* name : {"config.json", "model.safetensors"}) {
            fs::copy_file(test::modelFolder(model) / name, m_folder.path() / name);
        }
        std::ofstream vocabulary(m_folder.path() / "vocab.txt");
        vocabulary << "[CLS]\n[PAD]\n[SEP]\n[UNK]\n[MASK]\nthe\ncat\nsat\n##s\ndog\n";
        for (int i = 10; i < 40; ++i) {
            vocabulary << "w" << i << "\n";
        }
    }
    [[nodiscard]] Source text() const
    {
        Source source;
        source.model = m_folder.path();
        source.lines = {"the cat sat"};
        return source;
    }

    test::TemporaryFolder m_folder;
};

class AttentionSetsAsTransformers : public testing::TestWithParam<const char*> {};

} // namespace

TEST_P(AttentionSetsAsTransformers, haveItsWeights)
{
    const auto folder = test::modelFolder(GetParam());
    const auto golden = openArrays(folder / "golden.safetensors").value();
    for (const char* batch : {"alone", "right", "left"}) {
        Source source;
        source.model = folder;
        source.ids = realIds(*golden, batch, "ids", "real");
        source.targetIds = realIds(*golden, batch, "targets", "targets_real");
        source.padSide = std::string(batch) == "left" ? PadSide::Left : PadSide::Right;
        RunPtr made;
        for (const AttentionSet set : AllAttentionSets) {
            source.attention = set;
            made = run(source, made);
            ASSERT_NE(made, nullptr);
            EXPECT_LE(largestError(*golden, batch, *made), 1e-5F)
                << batch << ", " << attentionSetName(set);
        }
        const Tensor logits = golden->read(std::string(batch) + ".logits").value();
        const std::int64_t last = made->predictingTokens().lengths[0] - 1;
        const auto predicted = made->logits(0, last, 1, {});
        ASSERT_TRUE(predicted) << describe(predicted.error());
        if (source.padSide == PadSide::Right) {
            EXPECT_NEAR(predicted->data()[3], logits.matrix({0}).row(last)[3], 1e-3F);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Families, AttentionSetsAsTransformers,
                         testing::Values("t5", "t5_gated", "bart", "mbart", "marian"),
                         [](const auto& row) { return std::string(row.param); });

TEST(AttentionSets, withoutATargetTheDecoderBeginsWithItsStartToken)
{
    Source source = idsOf(test::modelFolder("bart"));
    EXPECT_EQ(run(source)->maps()->shape(), (MapsShape{2, 1, 4, 4, 4}));
    source.attention = AttentionSet::Cross;
    const RunPtr cross = run(source);
    EXPECT_EQ(cross->maps()->shape(), (MapsShape{3, 1, 2, 1, 4}));
    EXPECT_EQ(cross->queryTokens().items[0][0].id, 2U);
    EXPECT_TRUE(cross->queryTokens().items[0][0].isSpecial);
    EXPECT_FALSE(cross->queryTokens().items[0][0].isPadding);
    EXPECT_EQ(cross->keyTokens().length, 4);
    EXPECT_EQ(cross->layer().heads, 2);
    EXPECT_EQ(cross->hidden(3)->extent(1), 1);
    EXPECT_EQ(cross->hidden(4), nullptr);
    source.attention = AttentionSet::Decoder;
    EXPECT_EQ(run(source)->maps()->shape(), (MapsShape{3, 1, 2, 1, 1}));
}

TEST(AttentionSets, runWholeHoweverFewLayersAreAskedFor)
{
    Source source = idsOf(test::modelFolder("bart")); // 2 layers and 3
    source.attention = AttentionSet::Cross;
    const RunPtr whole = run(source);
    source.lastLayer = 0;
    const RunPtr asked = run(source);
    EXPECT_EQ(asked->maps()->shape(), whole->maps()->shape());
    EXPECT_EQ(cells(*asked, {0, 0, 1}), cells(*whole, {0, 0, 1}));
    EXPECT_TRUE(asked->predicts());
}

TEST(AttentionSets, areOfOnePass)
{
    Source source = idsOf(test::modelFolder("t5"));
    source.targetIds = {{1, 9, 10}};
    const RunPtr encoder = run(source);
    source.attention = AttentionSet::Cross;
    const RunPtr cross = run(source, encoder);
    source.attention = AttentionSet::Encoder;
    EXPECT_EQ(run(source, cross)->q(0), encoder->q(0));
    source.attention = AttentionSet::Cross;
    source.mask = "window(2)";
    const RunPtr masked = run(source, cross);
    EXPECT_NE(masked->q(1), cross->q(1)) << "what comes into later layers differs";
    EXPECT_EQ(masked->mask(0)->expression(), "padding & window(2)");
    source.attention = AttentionSet::Decoder;
    EXPECT_EQ(run(source, masked)->mask(0)->expression(), "causal & padding & window(2)");
}

TEST(AttentionSets, aMaskOnOneLayerLeavesTheOthers)
{
    Source source = idsOf(test::modelFolder("bart"));
    source.targetIds = {{2, 9, 10}};
    source.attention = AttentionSet::Cross;
    source.mask = "window(1)";
    source.maskLayer = 2; // the encoder has two layers
    const RunPtr made = run(source);
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(made->mask(1)->expression(), "padding");
    EXPECT_EQ(made->mask(2)->expression(), "padding & window(1)");
    source.attention = AttentionSet::Encoder;
    expectRefusal(source, "layers 0 to 1");
}

TEST(AttentionSets, theDecoderPredictsWhicheverMapsAreShown)
{
    Source source = idsOf(test::modelFolder("marian"));
    source.targetIds = {{1, 9, 10}};
    const RunPtr encoder = run(source);
    EXPECT_TRUE(encoder->predicts());
    EXPECT_TRUE(predictsNext(*encoder));
    EXPECT_EQ(predictedPositions(*encoder, 0), (std::vector<std::int64_t>{2}));
    const auto found = predictTokens(*encoder, 0, {1}, 3, {});
    ASSERT_TRUE(found) << describe(found.error());
    ASSERT_TRUE(found->front().actual);
    EXPECT_EQ(found->front().actual->token.id, 10U);
    source.attention = AttentionSet::Cross;
    EXPECT_EQ(run(source)->logits(0, 1, 1, {})->data()[0], encoder->logits(0, 1, 1, {})->data()[0]);
}

TEST_F(WithWords, theTargetStandsBehindTheStartTokenAndItsEndIsLeftToPredict)
{
    fill("bart");
    Source source = text();
    source.lines.emplace_back("dog");
    source.targetLines = {"the dogs", " "};
    source.attention = AttentionSet::Cross;
    const RunPtr made = run(source);
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(texts(made->queryTokens()),
              (std::vector<std::string>{"[SEP]", "[CLS]", "the", "dog", "##s"}));
    EXPECT_EQ(texts(made->queryTokens(), 1),
              (std::vector<std::string>{"[SEP]", "<pad>", "<pad>", "<pad>", "<pad>"}));
    EXPECT_EQ(texts(made->keyTokens()),
              (std::vector<std::string>{"[CLS]", "the", "cat", "sat", "[SEP]"}));
    EXPECT_EQ(made->queryTokens().items[0][3].begin, 4);
    EXPECT_EQ(cells(*made, {0, 1, 0})[3], 0) << "padding of the source is hidden";

    source.specialTokens = false;
    EXPECT_EQ(texts(run(source)->queryTokens()),
              (std::vector<std::string>{"[SEP]", "the", "dog", "##s"}));
    source.targetLines.pop_back();
    expectRefusal(source, "1 target texts for 2 lines");
}

TEST_F(WithWords, whatTheModelDoesNotSeeOfTheTargetIsNoted)
{
    fill("t5");
    Source source = text();
    EXPECT_TRUE(run(source)->notes().empty());
    source.targetLines = {"the zebra"};
    source.attention = AttentionSet::Cross;
    EXPECT_EQ(
        run(source)->notes(),
        std::vector<std::string>{"1 token is [UNK], as the vocabulary has no piece for 'zebra'"});
    source.targetLines = {"the"};
    source.ids = {std::vector<std::int64_t>(3, 5)};
    source.lines.clear();
    EXPECT_TRUE(run(source)->notes().empty());

    std::ifstream settings(test::modelFolder("t5") / "config.json");
    std::string json{std::istreambuf_iterator<char>(settings), {}};
    json.insert(json.find('{') + 1, "\"n_positions\": 4, ");
    std::ofstream(m_folder.path() / "config.json") << json;
    EXPECT_TRUE(run(source)->notes().empty());
    source.targetLines = {"the cat sat the cat"};
    const auto notes = run(source)->notes();
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_NE(notes[0].find("The target has"), std::string::npos) << notes[0];
}

TEST_F(WithWords, aModelThatNamesNoStartTokenShowsItsEncoder)
{
    fill("marian");
    std::ifstream settings(test::modelFolder("marian") / "config.json");
    std::string json{std::istreambuf_iterator<char>(settings), {}};
    json.replace(json.find("decoder_start_token_id"), 22, "decoder_start_token_no");
    std::ofstream(m_folder.path() / "config.json") << json;
    Source source = text();
    EXPECT_FALSE(run(source)->predicts());
    source.attention = AttentionSet::Decoder;
    expectRefusal(source, "decoder_start_token_id");
    source.targetIds = {{1, 9}};
    EXPECT_TRUE(run(source)->predicts());
}

TEST(AttentionSets, otherModelsRefuseThem)
{
    Source source = idsOf(test::modelFolder("bert"));
    source.attention = AttentionSet::Cross;
    expectRefusal(source, "BERT has one kind of attention");
    source.attention = AttentionSet::Encoder;
    source.targetIds = {{1, 2}};
    expectRefusal(source, "--target-ids");
    source.model.clear();
    source.ids.clear();
    source.lines = {"I like"};
    expectRefusal(source, "--target-ids belongs to a checkpoint");
    source = idsOf(test::modelFolder("t5"));
    source.targetLines = {"the"};
    expectRefusal(source, "--ids"); // there is no tokenizer
    source.targetIds = {{1}};
    expectRefusal(source, "--target and --target-ids exclude each other");
}

TEST(AttentionSets, sessionsAndCommandLinesKeepThem)
{
    Source source = idsOf("/models/t5");
    source.targetIds = {{1, 9}};
    source.attention = AttentionSet::Decoder;
    EXPECT_EQ(shellCommand(sourceArguments(source)),
              "--ids 5,6,7,8 --target-ids 1,9 --model /models/t5 --attention decoder");
    source.targetIds.clear();
    source.targetLines = {"Das Haus"};
    Session session;
    session.source = source;
    const auto read = parseSession(formatSession(session, "/"), "/", "s");
    ASSERT_TRUE(read) << describe(read.error());
    EXPECT_EQ(read->source.targetLines, source.targetLines);
    EXPECT_EQ(read->source.attention, AttentionSet::Decoder);
    source.attention = AttentionSet::Cross;
    EXPECT_EQ(shellCommand(sourceArguments(source)),
              "--ids 5,6,7,8 --target 'Das Haus' --model /models/t5");
    source.attention = AttentionSet::Encoder;
    EXPECT_NE(shellCommand(sourceArguments(source)).find("--attention encoder"), std::string::npos);
}
