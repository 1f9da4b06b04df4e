// From a source to a run: every kind of source, what is kept from an earlier run, what is refused.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "arraysonfile.h"
#include "attention/projection.h"
#include "heed/backend.h"
#include "heed/run.h"
#include "memoryfile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace heed;
using heed::test::counting;
using heed::test::TemporaryFolder;

namespace {

BackendPtr reference()
{
    static BackendRegistry registry({});
    return registry.open("reference").value_or(nullptr);
}

Source textSource(std::vector<std::string> lines)
{
    Source source;
    source.lines = std::move(lines);
    source.layer.modelWidth = 16;
    source.layer.heads = 4;
    return source;
}

RunPtr run(const Source& source, const RunPtr& previous = nullptr)
{
    auto result = compute(source, reference(), {.threads = 2}, previous);
    EXPECT_TRUE(result) << describe(result.error());
    return result.value_or(nullptr);
}

Error refusal(const Source& source, const Execution& execution = {.threads = 1})
{
    auto result = compute(source, reference(), execution);
    EXPECT_FALSE(result);
    return result ? Error{} : result.error();
}

bool mentions(const Error& error, const std::string& text)
{
    return describe(error).find(text) != std::string::npos;
}

TexelValues cells(const Run& from, const MapIndex& map, Quantity quantity = Quantity::Weights)
{
    TileSpec spec;
    spec.quantity = quantity;
    spec.rows = from.maps()->shape().queries;
    spec.columns = from.maps()->shape().keys;
    auto window = from.maps()->window(map, spec, {.threads = 1});
    EXPECT_TRUE(window) << describe(window.error());
    return window ? window->values : TexelValues{};
}

bool equal(const Tensor* a, const Tensor* b)
{
    return a != nullptr && b != nullptr && a->shape() == b->shape() &&
           std::ranges::equal(a->values(), b->values());
}

/// q [1,2,2,3,2], k and v for 4 keys, one key head.
std::map<std::string, Tensor> projections()
{
    return {{"q", counting({1, 2, 3, 2}, 0.1F, 0.1F)},
            {"k", counting({1, 1, 4, 2}, -0.3F, 0.1F)},
            {"v", counting({1, 1, 4, 3})}};
}

} // namespace

TEST(Run, ofTextHasTheShapesTheFieldWrites)
{
    Source source = textSource({"I like eating apple", "Hi"});
    source.padding = source.causal = true;
    source.layer.kvHeads = 2;
    const RunPtr made = run(source);
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(made->source(), source);
    EXPECT_EQ(made->queryTokens().length, 4);
    EXPECT_EQ(made->queryTokens().lengths, (std::vector<std::int64_t>{4, 1}));
    EXPECT_EQ(&made->keyTokens(), &made->queryTokens());
    EXPECT_EQ(made->x()->shape(), (Shape{2, 4, 16}));
    EXPECT_EQ(made->q(0)->shape(), (Shape{2, 4, 4, 4}));
    EXPECT_EQ(made->k(0)->shape(), (Shape{2, 2, 4, 4}));
    EXPECT_EQ(made->v(0)->shape(), (Shape{2, 2, 4, 4}));
    EXPECT_EQ(made->maps()->shape(), (MapsShape{1, 2, 4, 4, 4}));
    EXPECT_EQ(made->scale(0), 0.5F);
    EXPECT_EQ(made->backend(), reference());
    EXPECT_EQ(made->mask(0)->expression(), "padding & causal");
    EXPECT_EQ(made->headOutput(0, {})->shape(), (Shape{2, 4, 4, 4}));
    EXPECT_EQ(made->output(0, {})->shape(), (Shape{2, 4, 16}));
    // Item 1 has one real token, so every row looks at key 0 alone.
    const auto weights = cells(*made, {0, 1, 3});
    for (std::size_t i = 0; i < weights.size(); ++i) {
        EXPECT_EQ(weights[i], i % 4 == 0 ? 1.0F : 0.0F);
    }
}

TEST(Run, headOutputIsWeightsTimesValues)
{
    Source source = textSource({"a b c d e"});
    source.layer.kvHeads = 2;
    source.causal = true;
    const RunPtr made = run(source);
    const Tensor heads = made->headOutput(0, {.threads = 3}).value();
    for (std::int64_t head = 0; head < 4; ++head) {
        const auto weights = cells(*made, {0, 0, head});
        const auto values = made->v(0)->matrix({0, head / 2});
        for (std::int64_t i = 0; i < 5; ++i) {
            for (std::int64_t c = 0; c < 4; ++c) {
                double sum = 0;
                for (std::int64_t j = 0; j < 5; ++j) {
                    sum += static_cast<double>(weights[static_cast<std::size_t>(i * 5 + j)]) *
                           static_cast<double>(values(j, c));
                }
                EXPECT_NEAR(heads.matrix({0, head})(i, c), sum, 1e-5);
            }
        }
    }
}

TEST(Run, rowsWithNothingAllowedAreZeros)
{
    Source source = textSource({"a b c", "a"});
    source.padSide = PadSide::Left;
    source.padding = source.causal = true;
    const RunPtr made = run(source);
    const Tensor heads = made->headOutput(0, {}).value();
    for (std::int64_t i = 0; i < 2; ++i) {
        EXPECT_EQ((*made->maps()->rowStats({0, 1, 0}, {}))->kept[static_cast<std::size_t>(i)], 0);
        for (const float value : heads.matrix({1, 0}).row(i)) {
            EXPECT_EQ(value, 0.0F);
        }
    }
}

TEST(Run, ofAChangedMaskKeepsQKAndV)
{
    Source source = textSource({"one two three", "four"});
    const RunPtr before = run(source);
    source.causal = source.padding = true;
    source.mask = "window(2)";
    const RunPtr after = run(source, before);
    EXPECT_EQ(after->q(0), before->q(0));
    EXPECT_EQ(after->k(0), before->k(0));
    EXPECT_EQ(after->v(0), before->v(0));
    EXPECT_EQ(after->x(), before->x());
    EXPECT_EQ(cells(*after, {}), cells(*run(source), {}));
    EXPECT_NE(cells(*after, {}), cells(*before, {}));

    source.layer.scaled = false;
    const RunPtr unscaled = run(source, after);
    EXPECT_EQ(unscaled->q(0), before->q(0));
    EXPECT_EQ(unscaled->scale(0), 1.0F);
    EXPECT_FALSE(unscaled->layer().scaled);
    EXPECT_EQ(before->scale(0), 0.5F) << "the earlier run must not change";
}

TEST(Run, afterAnyOtherChangeEqualsAFreshOne)
{
    const Source source = textSource({"one two three", "four"});
    const RunPtr before = run(source);
    std::vector<Source> changes(10, source);
    changes[0].lines = {"one two"};
    changes[1].layer.seed = 5;
    changes[2].layer.heads = 2;
    changes[3].layer.kvHeads = 1;
    changes[4].layer.modelWidth = 32;
    changes[5].layer.biased = false;
    changes[6].layer.positions = Positions::Rotary;
    changes[7].padSide = PadSide::Left;
    changes[8].tokenizer = "chars";
    changes[9].contextLines = {"a b c", "d"};
    for (const Source& change : changes) {
        const RunPtr after = run(change, before);
        const RunPtr fresh = run(change);
        EXPECT_TRUE(equal(after->q(0), fresh->q(0)));
        EXPECT_TRUE(equal(after->k(0), fresh->k(0)));
        EXPECT_TRUE(equal(after->v(0), fresh->v(0)));
        EXPECT_FALSE(equal(after->k(0), before->k(0)));
    }
}

TEST(Projection, ofAnotherTextKeepsTheWeights)
{
    const Source first = textSource({"one two three"});
    Source second = textSource({"four"});
    const auto before = project(first, SourceKind::Text, reference(), {}, nullptr, nullptr).value();
    const auto weightsAfter = [&](const Source& source) {
        return project(source, SourceKind::Text, reference(), {}, &first, before).value()->weights;
    };
    EXPECT_EQ(weightsAfter(second), before->weights);
    second.layer.heads = 2; // the same matrices, split otherwise
    EXPECT_EQ(weightsAfter(second), before->weights);
    second.layer.seed = 1;
    EXPECT_NE(weightsAfter(second), before->weights);
}

TEST(Run, crossAttentionTakesKeysAndPaddingFromTheContext)
{
    Source source = textSource({"a b", "c d"});
    source.contextLines = {"one two three four five", "six"};
    source.padding = true;
    const RunPtr made = run(source);
    EXPECT_EQ(made->maps()->shape(), (MapsShape{1, 2, 4, 2, 5}));
    EXPECT_EQ(made->queryTokens().length, 2);
    EXPECT_EQ(made->keyTokens().length, 5);
    EXPECT_EQ((*made->maps()->rowStats({0, 1, 0}, {}))->kept[0], 1);
    EXPECT_EQ(made->output(0, {})->shape(), (Shape{2, 2, 16}));

    source.contextLines.pop_back();
    EXPECT_TRUE(mentions(refusal(source), "1 batch items, the queries have 2"));
}

TEST(Run, ofArraysTakesTheModelWidthFromThem)
{
    const TemporaryFolder folder;
    Source source;
    source.input = folder.write("x.npy", {{"", counting({2, 3, 8}, -1, 0.05F)}});
    source.layer.heads = 2;
    const RunPtr made = run(source);
    EXPECT_EQ(made->layer().modelWidth, 8);
    EXPECT_EQ(made->x()->shape(), (Shape{2, 3, 8}));
    EXPECT_EQ(made->x()->values()[1], -0.95F) << "no positions are added to finished vectors";
    EXPECT_EQ(made->queryTokens().items[1][2].text, "2");
    EXPECT_EQ(made->queryTokens().lengths, (std::vector<std::int64_t>{3, 3}));

    source.input = folder.write("flat.npy", {{"", counting({3, 8}, -1, 0.05F)}});
    source.context =
        folder.write("context.npz", {{"other", counting({4})}, {"context", counting({1, 5, 8})}});
    EXPECT_EQ(run(source)->maps()->shape(), (MapsShape{1, 1, 2, 3, 5}));
}

TEST(Run, ofAFileThatChangedReadsItAgain)
{
    const TemporaryFolder folder;
    Source source;
    source.layer.heads = 2;
    source.input = folder.write("x.npy", {{"", counting({2, 3, 8})}});
    const RunPtr before = run(source);
    EXPECT_EQ(run(source, before)->q(0), before->q(0));
    folder.write("x.npy", {{"", counting({2, 5, 8})}});
    EXPECT_EQ(run(source, before)->x()->shape(), (Shape{2, 5, 8}));
}

TEST(Run, ofFinishedProjectionsSkipsTheLayer)
{
    const TemporaryFolder folder;
    Source source;
    source.qkv = folder.write("qkv.npz", projections());
    source.layer.positions = Positions::Rotary;
    const RunPtr made = run(source);
    EXPECT_EQ(made->maps()->shape(), (MapsShape{1, 1, 2, 3, 4}));
    EXPECT_TRUE(std::ranges::equal(made->q(0)->values(), projections()["q"].values()));
    EXPECT_EQ(made->layer().heads, 2);
    EXPECT_EQ(made->layer().keyValueHeads(), 1);
    EXPECT_EQ(made->x(), nullptr);
    EXPECT_FLOAT_EQ(made->scale(0), 1 / std::sqrt(2.0F));
    EXPECT_EQ(made->headOutput(0, {})->shape(), (Shape{1, 2, 3, 3}));
    EXPECT_EQ(made->output(0, {}).error().code, Code::Unsupported);

    auto arrays = projections();
    arrays.erase("v");
    source.qkv = folder.write("qk.safetensors", arrays);
    const RunPtr withoutValues = run(source);
    EXPECT_EQ(withoutValues->v(0), nullptr);
    EXPECT_EQ(withoutValues->headOutput(0, {}).error().code, Code::Unsupported);

    // Rank 3 is one item; rank 5 is what `compute` writes for one layer.
    source.qkv = folder.write("flat.npz", {{"q", counting({2, 3, 2})}, {"k", counting({2, 4, 2})}});
    EXPECT_EQ(run(source)->maps()->shape(), (MapsShape{1, 1, 2, 3, 4}));
    source.qkv = folder.write("five.npz",
                              {{"q", counting({1, 2, 2, 3, 2})}, {"k", counting({1, 2, 1, 4, 2})}});
    EXPECT_EQ(run(source)->maps()->shape(), (MapsShape{1, 2, 2, 3, 4}));
}

TEST(Run, ofProjectionsThatDoNotFitNamesTheShapes)
{
    const TemporaryFolder folder;
    const std::vector<std::pair<const char*, Shape>> rows = {
        {"k", {1, 1, 4, 3}}, {"k", {2, 1, 4, 2}}, {"q", {1, 3, 3, 5}},    {"v", {1, 1, 5, 3}},
        {"v", {1, 2, 4, 3}}, {"q", {2}},          {"q", {3, 1, 2, 3, 2}}, {"k", {1, 1, 0, 2}}};
    for (const auto& [name, shape] : rows) {
        auto arrays = projections();
        arrays[name] = Tensor(shape);
        Source source;
        source.qkv = folder.write("bad.npz", arrays);
        const Error error = refusal(source);
        EXPECT_EQ(error.code, Code::InvalidShape) << name << toString(shape);
        EXPECT_TRUE(mentions(error, "bad.npz"));
    }
    auto arrays = projections();
    arrays.erase("k");
    Source source;
    source.qkv = folder.write("none.npz", arrays);
    EXPECT_EQ(refusal(source).code, Code::NotFound);
}

TEST(Run, ofStoredMapsShowsTheirFile)
{
    const TemporaryFolder folder;
    Source source;
    source.maps = folder.write("maps.npz", {{"weights", counting({2, 1, 3, 4, 5})},
                                            {"scores", counting({2, 1, 3, 4, 5})}});
    const RunPtr made = run(source);
    EXPECT_EQ(made->maps()->shape(), (MapsShape{2, 1, 3, 4, 5}));
    EXPECT_TRUE(made->maps()->offers(Quantity::Weights));
    EXPECT_EQ(made->mask(0), nullptr);
    EXPECT_EQ(made->q(0), nullptr);
    EXPECT_EQ(made->keyTokens().items[0][4].text, "4");
    EXPECT_EQ(made->queryTokens().length, 4);
    EXPECT_EQ(made->layer().heads, 3);
    EXPECT_EQ(made->headOutput(0, {}).error().code, Code::Unsupported);
    EXPECT_EQ(made->output(0, {}).error().code, Code::Unsupported);

    source.maps = folder.write("scaled.npz", {{"scaled", counting({4, 5})}});
    EXPECT_TRUE(run(source)->maps()->offers(Quantity::Scaled));
    source.maps = folder.write("one.npy", {{"", counting({4, 5})}});
    EXPECT_TRUE(run(source)->maps()->offers(Quantity::Weights));
    source.maps = folder.write("two.npz", {{"a", counting({4, 5})}, {"b", counting({4, 5})}});
    EXPECT_TRUE(mentions(refusal(source), "\"a\", \"b\""));
}

TEST(Run, mapsOfItsOwnFileKeepTokensAndMask)
{
    const TemporaryFolder folder;
    const Tensor weights({1, 2, 1, 2, 2}, {1, 0, 0.5F, 0.5F, 1, 0, 1, 0});
    const std::vector<std::uint8_t> kept = {1, 0, 1, 1, 1, 0, 1, 0};
    const std::vector<ArrayToWrite> arrays = {
        {"mask", ElementType::Bool, weights.shape(), std::as_bytes(std::span(kept))},
        {"weights", ElementType::Float32, weights.shape(), std::as_bytes(weights.values())}};
    for (const bool isOurs : {true, false}) {
        for (const char* name : {"m.npz", "m.safetensors", "m.json"}) {
            SCOPED_TRACE(name);
            ArrayFileNotes notes;
            notes.tokens = {{"I", "like"}, {"我", "<pad>"}};
            if (isOurs) {
                notes.metadata = {{"program", "heedmap 0"}};
            }
            Source source;
            source.maps = folder.path() / name;
            ASSERT_TRUE(writeArrays(source.maps, arrays, notes));
            const RunPtr made = run(source);
            ASSERT_TRUE(made);
            EXPECT_EQ(made->queryTokens().items[0][1].text, "like");
            EXPECT_EQ(made->keyTokens().items[1][0].text, "我");
            EXPECT_TRUE(made->keyTokens().items[1][1].isPadding);
            EXPECT_EQ(made->keyTokens().lengths, (std::vector<std::int64_t>{2, 1}));
            // What "mask" means in a file of another program is not known.
            ASSERT_EQ(made->mask(0) != nullptr, isOurs);
            const auto tile = made->maps()->tile({{0, 1, 0}, Quantity::Weights}, {});
            ASSERT_TRUE(tile);
            const TexelValues shares = isOurs ? TexelValues{0, 1, 0, 1} : TexelValues(4, 0.0F);
            EXPECT_EQ(tile->texels.maskedShare, shares);
            EXPECT_EQ(tile->reasons[1], isOurs ? static_cast<MaskReasons>(MaskReason::File) : 0);
        }
    }
}

TEST(Run, namesBothOptionsThatExcludeEachOther)
{
    struct Row {
        void (*set)(Source&);
        const char* name;
    };
    const std::array<Row, 10> rows = {{
        {[](Source& s) { s.lines = {"a"}; }, "--text"},
        {[](Source& s) { s.input = "x.npy"; }, "--input"},
        {[](Source& s) { s.qkv = "qkv.npz"; }, "--qkv"},
        {[](Source& s) { s.maps = "maps.npy"; }, "--maps"},
        {[](Source& s) { s.contextLines = {"b"}; }, "--context-text"},
        {[](Source& s) { s.context = "c.npy"; }, "--context"},
        {[](Source& s) { s.weights = "w.npz"; }, "--weights"},
        {[](Source& s) { s.padding = true; }, "--padding"},
        {[](Source& s) { s.causal = true; }, "--causal"},
        {[](Source& s) { s.mask = "none"; }, "--mask"},
    }};
    const std::vector<std::pair<int, int>> pairs = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3},
                                                    {4, 5}, {2, 4}, {2, 5}, {2, 6}, {3, 4}, {3, 5},
                                                    {3, 6}, {3, 7}, {3, 8}, {3, 9}};
    for (const auto& [a, b] : pairs) {
        const Row& first = rows[static_cast<std::size_t>(a)];
        const Row& second = rows[static_cast<std::size_t>(b)];
        Source source;
        first.set(source);
        second.set(source);
        const Error error = refusal(source);
        EXPECT_EQ(error.code, Code::InvalidArgument);
        EXPECT_TRUE(mentions(error, first.name) && mentions(error, second.name)) << describe(error);
    }
    EXPECT_TRUE(mentions(refusal({}), "nothing to compute"));
}

TEST(Run, refusesWhatItsPartsRefuse)
{
    Source source = textSource({"a b"});
    source.tokenizer = "letters";
    EXPECT_EQ(refusal(source).code, Code::InvalidArgument);
    source = textSource({"a", " "});
    EXPECT_EQ(refusal(source).code, Code::InvalidArgument);
    source = textSource({"a b"});
    source.layer.heads = 5;
    EXPECT_TRUE(mentions(refusal(source), "cannot be split into 5 heads"));
    source = textSource({"a b"});
    source.mask = "causal &";
    EXPECT_EQ(refusal(source).code, Code::InvalidArgument);
    source.padding = true;
    source.mask = "none) | (none";
    EXPECT_EQ(refusal(source).code, Code::InvalidArgument);
    source = textSource({"a b"});
    source.weights = "/nowhere/w.npz";
    EXPECT_EQ(refusal(source).code, Code::NotFound);
    EXPECT_TRUE(mentions(refusal(source), "w.npz"));
    source = textSource({"a b"});
    source.padTo = 1;
    EXPECT_EQ(refusal(source).code, Code::InvalidArgument);
    EXPECT_EQ(compute(textSource({"a"}), nullptr, {}).error().code, Code::InvalidArgument);
}

TEST(Run, ofArraysOfAnotherWidthNamesBoth)
{
    const TemporaryFolder folder;
    Source source = textSource({"a b"});
    source.context = folder.write("c.npy", {{"", counting({1, 3, 8})}});
    EXPECT_TRUE(mentions(refusal(source), "d_model is 8")) << describe(refusal(source));

    source = {};
    source.input = folder.write("x.npy", {{"", counting({1, 3, 8})}});
    source.weights = folder.write(
        "w.npz", {{"in_proj_weight", counting({12, 4})}, {"out_proj.weight", counting({4, 4})}});
    source.layer.heads = 2;
    const Error error = refusal(source);
    EXPECT_EQ(error.code, Code::InvalidShape);
    EXPECT_TRUE(mentions(error, "x.npy") && mentions(error, "w.npz")) << describe(error);
    source.input = folder.write("y.npy", {{"", counting({8})}});
    EXPECT_EQ(refusal(source).code, Code::InvalidShape);
    source.input = folder.write("z.npy", {{"", Tensor(Shape{0, 4})}});
    EXPECT_EQ(refusal(source).code, Code::InvalidShape);
}

TEST(Run, keepsNaNInItsOwnRows)
{
    const TemporaryFolder folder;
    Tensor x = counting({1, 4, 8}, -1, 0.07F);
    x.matrix()(3, 2) = std::numeric_limits<float>::quiet_NaN();
    Source source;
    source.input = folder.write("x.npy", {{"", x}});
    source.layer.heads = 2;
    source.causal = true; // rows before 3 never see key 3
    const RunPtr made = run(source);
    const auto weights = cells(*made, {});
    const Tensor output = made->output(0, {}).value();
    for (std::int64_t row = 0; row < 4; ++row) {
        EXPECT_EQ(std::isnan(weights[static_cast<std::size_t>(row * 4)]), row == 3);
        EXPECT_EQ(std::isnan(output.matrix({0})(row, 0)), row == 3);
    }
}

TEST(Run, ofALongTextTakesMemoryByTheTokenOnly)
{
    Source source;
    std::string text;
    for (int i = 0; i < 20000; ++i) {
        text += i % 7 == 0 ? "the " : "word" + std::to_string(i % 500) + " ";
    }
    source.lines = {text};
    source.layer.modelWidth = 16;
    source.layer.heads = 2;
    source.causal = true;
    // All maps would be 2 · 20000² · 4 = 3.2 GB.
    const auto made =
        compute(source, reference(), {.threads = 2, .memoryBudget = std::int64_t{16} << 20});
    ASSERT_TRUE(made) << describe(made.error());
    EXPECT_EQ((*made)->maps()->shape().queries, 20000);
    TileSpec spec;
    spec.quantity = Quantity::Masked;
    spec.row = 19968;
    spec.rows = 32;
    spec.columns = 64;
    EXPECT_TRUE((*made)->maps()->window({}, spec, {}));
}

TEST(Run, stopsWhenAsked)
{
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(refusal(textSource({"a b c"}), {.stop = stop.get_token()}).code, Code::Cancelled);
    const RunPtr made = run(textSource({"a b c"}));
    EXPECT_EQ(made->output(0, {.stop = stop.get_token()}).error().code, Code::Cancelled);
    EXPECT_EQ(made->headOutput(0, {.memoryBudget = 1}).error().code, Code::OutOfMemory);
}

TEST(MaskExpression, joinsTheSwitchesAndTheWords)
{
    Source source;
    EXPECT_EQ(maskExpression(source), "none");
    source.mask = "window(3) | prefix(1)";
    EXPECT_EQ(maskExpression(source), "window(3) | prefix(1)");
    source.padding = source.causal = true;
    EXPECT_EQ(maskExpression(source), "padding & causal & (window(3) | prefix(1))");
    source.mask = "  ";
    EXPECT_EQ(maskExpression(source), "padding & causal");
}
