// What a checkpoint says when something does not fit, and how a run behaves beside its numbers.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "modelfolders.h"

#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sstream>

using namespace heed;

namespace {

std::string configText(const std::string& name)
{
    std::ifstream file(test::modelFolder(name) / "config.json");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

ArrayFilePtr inMemory(std::span<const ArrayToWrite> arrays)
{
    std::vector<std::byte> written;
    const auto done = writeArrays(
        [&](std::span<const std::byte> piece) -> Expected<void> {
            written.insert(written.end(), piece.begin(), piece.end());
            return {};
        },
        ArrayFormat::Safetensors, arrays);
    EXPECT_TRUE(done) << describe(done.error());
    auto opened = openArrays(std::move(written), "safetensors");
    EXPECT_TRUE(opened) << describe(opened.error());
    return opened.value_or(nullptr);
}

/// The tensors of a checkpoint as a file in memory, each changed by @p change: another name, or ""
/// to leave it out.
ArrayFilePtr tensorsOf(const std::string& name,
                       const std::function<std::string(const std::string&)>& change)
{
    const auto file = openArrays(test::modelFolder(name) / "model.safetensors");
    EXPECT_TRUE(file) << describe(file.error());
    std::vector<std::vector<std::byte>> bytes;
    bytes.reserve((*file)->arrays().size());
    std::vector<ArrayToWrite> arrays;
    for (const ArrayInfo& info : (*file)->arrays()) {
        if (const std::string changed = change(info.name); !changed.empty()) {
            bytes.push_back((*file)->readRaw(info.name).value_or(std::vector<std::byte>()));
            arrays.push_back({changed, info.type, info.shape, bytes.back()});
        }
    }
    return inMemory(arrays);
}

Expected<ModelPtr> modelOf(const std::string& name,
                           const std::function<std::string(const std::string&)>& change)
{
    const auto config = readModelConfig(configText(name), "config.json");
    if (!config) {
        return tl::unexpected(config.error());
    }
    return makeModel(*config, tensorsOf(name, change), test::referenceBackend());
}

ModelPtr opened(const std::string& name)
{
    auto model = openModel(test::modelFolder(name), test::referenceBackend());
    EXPECT_TRUE(model) << describe(model.error());
    return model.value_or(nullptr);
}

ModelRunPtr ran(const ModelPtr& model, const ModelInput& input, const Execution& execution = {})
{
    auto run = model->run(input, execution);
    EXPECT_TRUE(run) << describe(run.error());
    return run.value_or(nullptr);
}

std::string changed(std::string text, const std::string& from, const std::string& to)
{
    if (const auto at = text.find(from); at != text.npos) {
        text.replace(at, from.size(), to);
    }
    return text;
}

bool areEqual(const Tensor& a, const Tensor& b)
{
    return a.shape() == b.shape() && std::ranges::equal(a.values(), b.values());
}

const ModelInput Five{.ids = {{5, 6, 7, 8, 9}}};

} // namespace

TEST(Model, aMissingTensorIsNamed)
{
    const auto model = modelOf("bert", [](const std::string& name) {
        return name == "bert.encoder.layer.1.attention.self.key.bias" ? "" : name;
    });
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, Code::NotFound);
    EXPECT_NE(model.error().message.find("\"bert.encoder.layer.1.attention.self.key.bias\""),
              std::string::npos)
        << describe(model.error());
}

TEST(Model, aMissingTensorIsNamedWithTheNearestThereIs)
{
    const auto model = modelOf("llama", [](const std::string& name) {
        return changed(name, "model.norm.weight", "model.nrom.weight");
    });
    ASSERT_FALSE(model);
    EXPECT_NE(model.error().message.find("'model.nrom.weight'"), std::string::npos)
        << describe(model.error());
}

TEST(Model, aTensorOfAnotherShapeIsNamedWithBoth)
{
    auto config = readModelConfig(configText("llama"), "config.json");
    ASSERT_TRUE(config);
    config->mlpWidth = 64;
    const auto same = [](const std::string& name) { return name; };
    const auto model = makeModel(*config, tensorsOf("llama", same), test::referenceBackend());
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, Code::InvalidShape);
    EXPECT_NE(model.error().message.find("layers.0.mlp.gate_proj.weight\" has shape [48, 32]"),
              std::string::npos)
        << describe(model.error());
}

TEST(Model, aFolderWithoutConfigIsAnError)
{
    const auto model = openModel(test::modelFolder("nothing"), test::referenceBackend());
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, Code::NotFound);
}

TEST(Model, prefixesMayBeThereOrNot)
{
    const auto plain = ran(opened("minilm"), Five);
    for (const char* prefix : {"bert.", "0.auto_model.", "module.bert."}) {
        const auto model = modelOf(
            "minilm", [prefix](const std::string& name) { return std::string(prefix) + name; });
        ASSERT_TRUE(model) << prefix << ": " << describe(model.error());
        EXPECT_TRUE(areEqual(ran(*model, Five)->hidden.back(), plain->hidden.back())) << prefix;
    }
}

TEST(Model, oldNamesOfNormsAreRead)
{
    const auto model = modelOf("minilm", [](const std::string& name) {
        return changed(changed(name, "LayerNorm.weight", "LayerNorm.gamma"), "LayerNorm.bias",
                       "LayerNorm.beta");
    });
    ASSERT_TRUE(model) << describe(model.error());
    EXPECT_TRUE(
        areEqual(ran(*model, Five)->hidden.back(), ran(opened("minilm"), Five)->hidden.back()));
}

TEST(Model, gpt2MatricesMayBeStoredAsInLinear)
{
    // Hugging Face stores [in, out]; minGPT and nanoGPT have [out, in] under the same names.
    const auto file = openArrays(test::modelFolder("gpt2") / "model.safetensors");
    ASSERT_TRUE(file) << describe(file.error());
    std::vector<Tensor> numbers;
    std::vector<ArrayToWrite> arrays;
    numbers.reserve((*file)->arrays().size());
    for (const ArrayInfo& info : (*file)->arrays()) {
        Tensor tensor = (*file)->read(info.name).value_or(Tensor());
        if (info.name.find(".c_") != info.name.npos && info.shape.size() == 2) {
            Tensor turned({tensor.extent(1), tensor.extent(0)});
            for (std::int64_t row = 0; row < turned.extent(0); ++row) {
                for (std::int64_t column = 0; column < turned.extent(1); ++column) {
                    turned.matrix()(row, column) = tensor.matrix()(column, row);
                }
            }
            tensor = std::move(turned);
        }
        numbers.push_back(std::move(tensor));
        arrays.push_back({info.name, ElementType::Float32, numbers.back().shape(),
                          std::as_bytes(std::as_const(numbers.back()).values())});
    }
    const auto config = readModelConfig(configText("gpt2"), "config.json");
    ASSERT_TRUE(config) << describe(config.error());
    const auto model = makeModel(*config, inMemory(arrays), test::referenceBackend());
    ASSERT_TRUE(model) << describe(model.error());
    EXPECT_TRUE(areEqual(ran(*model, Five)->logits, ran(opened("gpt2"), Five)->logits));
}

TEST(Model, aModelInSeveralFilesIsFoundByItsIndex)
{
    const auto folder = std::filesystem::path(::testing::TempDir()) / "heed_sharded_model";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    const auto source = test::modelFolder("minilm");
    std::filesystem::copy_file(source / "config.json", folder / "config.json");
    std::filesystem::copy_file(source / "model.safetensors", folder / "part.safetensors");
    const auto file = openArrays(source / "model.safetensors");
    ASSERT_TRUE(file) << describe(file.error());
    std::string index;
    for (const ArrayInfo& info : (*file)->arrays()) {
        index += (index.empty() ? "\"" : ",\"") + info.name + "\":\"part.safetensors\"";
    }
    std::ofstream(folder / "model.safetensors.index.json") << R"({"weight_map":{)" + index + "}}";
    const auto model = openModel(folder, test::referenceBackend());
    ASSERT_TRUE(model) << describe(model.error());
    EXPECT_TRUE(
        areEqual(ran(*model, Five)->hidden.back(), ran(opened("minilm"), Five)->hidden.back()));
    std::filesystem::remove_all(folder);
}

TEST(Model, weightsMayBeThoseOfTorchSave)
{
    const auto folder = std::filesystem::temp_directory_path() / "heed_torch_model";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    std::filesystem::copy(test::modelFolder("minilm") / "config.json", folder / "config.json");
    std::filesystem::copy(test::goldenFolder("torch") / "minilm.bin", folder / "pytorch_model.bin");
    const auto model = openModel(folder, test::referenceBackend());
    ASSERT_TRUE(model) << describe(model.error());
    EXPECT_TRUE(
        areEqual(ran(*model, Five)->hidden.back(), ran(opened("minilm"), Five)->hidden.back()));
    std::filesystem::remove_all(folder);
}

TEST(Model, aLargeVocabularyIsConvertedInBlocks)
{
    // The same 40 words at the beginning and far behind, in a table of more than one block.
    constexpr std::int64_t vocabulary = 70000;
    constexpr std::int64_t again = 69000;
    constexpr std::int64_t words = 40;
    constexpr std::int64_t width = 32;
    const auto file = openArrays(test::modelFolder("gpt2") / "model.safetensors");
    ASSERT_TRUE(file) << describe(file.error());
    std::vector<std::vector<std::byte>> bytes;
    std::vector<ArrayToWrite> arrays;
    bytes.reserve((*file)->arrays().size());
    for (const ArrayInfo& info : (*file)->arrays()) {
        bytes.push_back((*file)->readRaw(info.name).value_or(std::vector<std::byte>()));
        Shape shape = info.shape;
        if (info.name == "transformer.wte.weight") {
            ASSERT_EQ(info.type, ElementType::Float16);
            const auto few = bytes.back();
            bytes.back().resize(static_cast<std::size_t>(vocabulary * width * 2));
            std::ranges::copy(few, bytes.back().begin() + again * width * 2);
            shape[0] = vocabulary;
        }
        arrays.push_back({info.name, info.type, shape, bytes.back()});
    }
    auto config = readModelConfig(configText("gpt2"), "config.json");
    ASSERT_TRUE(config) << describe(config.error());
    config->vocabulary = vocabulary;
    const auto model = makeModel(*config, inMemory(arrays), test::referenceBackend());
    ASSERT_TRUE(model) << describe(model.error());
    const auto large = ran(*model, Five);
    const auto small = ran(opened("gpt2"), Five);
    for (std::int64_t token = 0; token < 5; ++token) {
        for (std::int64_t word = 0; word < words; ++word) {
            const float wanted = small->logits.matrix({0})(token, word);
            EXPECT_EQ(large->logits.matrix({0})(token, word), wanted);
            EXPECT_EQ(large->logits.matrix({0})(token, again + word), wanted);
        }
    }
}

TEST(Model, withoutAHeadThereAreNoLogits)
{
    const ModelPtr bare = opened("minilm");
    EXPECT_FALSE(bare->hasHead());
    EXPECT_TRUE(ran(bare, Five)->logits.empty());

    const ModelPtr whole = opened("bert");
    EXPECT_TRUE(whole->hasHead());
    EXPECT_EQ(ran(whole, Five)->logits.shape(), (Shape{1, 5, 40}));
    ModelInput quiet = Five;
    quiet.logits = false;
    EXPECT_TRUE(ran(whole, quiet)->logits.empty());
}

TEST(Model, inputThatDoesNotFitIsRefused)
{
    const ModelPtr model = opened("bert");
    const auto refused = [&](const ModelInput& input, const std::string& said) {
        const auto run = model->run(input, {});
        ASSERT_FALSE(run) << said;
        EXPECT_EQ(run.error().code, Code::InvalidArgument) << describe(run.error());
        EXPECT_NE(run.error().message.find(said), std::string::npos) << describe(run.error());
    };
    refused({.ids = {}}, "no token");
    refused({.ids = {{}}}, "no token");
    refused({.ids = {{5, 40}}}, "token id 40 of item 0 is outside the 40 that the model has");
    refused({.ids = {{5, -1}}}, "token id -1");
    refused({.ids = {{5, 6}, {5}}}, "Item 1 has 1 token ids");
    refused({.ids = {std::vector<std::int64_t>(25, 5)}}, "reach 24");
    refused({.ids = {{5, 6}}, .lengths = {2, 2}}, "2 lengths for 1 items");
    refused({.ids = {{5, 6}}, .lengths = {3}}, "length of 3");
    refused({.ids = {{5, 6}}, .lengths = {0}}, "length of 0");
    refused({.ids = {{5, 6}}, .types = {{0, 2}}}, "token type 2");
    refused({.ids = {{5, 6}}, .layers = 3}, "3 layers cannot run");
    refused({.ids = {{5, 6}}, .mask = "none) | (none"}, "");
}

TEST(Model, rotaryModelsTakeTextsLongerThanTheyWereTrainedOn)
{
    const ModelInput input{.ids = {std::vector<std::int64_t>(30, 5)}};
    EXPECT_EQ(ran(opened("llama"), input)->hidden.size(), 3U);
}

TEST(Model, theUsersMaskActsOnTheWholeRun)
{
    const ModelPtr model = opened("bert");
    ModelInput masked = Five;
    masked.mask = "causal";
    const auto run = ran(model, masked);
    EXPECT_EQ(run->layers.front().mask->expression(), "padding & causal");
    EXPECT_FALSE(areEqual(run->hidden.back(), ran(model, Five)->hidden.back()));
    ModelInput shorter = masked;
    shorter.ids[0].resize(3);
    const auto beginning = ran(model, shorter);
    for (std::int64_t i = 0; i < beginning->hidden.back().size(); ++i) {
        EXPECT_NEAR(beginning->hidden.back().data()[i], run->hidden.back().data()[i], 1e-6);
    }
}

TEST(Model, onlyTheLayersAskedForRun)
{
    const ModelPtr model = opened("minilm");
    ModelInput first = Five;
    first.layers = 1;
    const auto run = ran(model, first);
    EXPECT_EQ(run->layers.size(), 1U);
    ASSERT_EQ(run->hidden.size(), 2U);
    EXPECT_TRUE(areEqual(run->hidden[1], ran(model, Five)->hidden[1]));
}

TEST(Model, progressCountsLayers)
{
    std::vector<std::pair<std::int64_t, std::int64_t>> told;
    Execution execution;
    execution.progress = [&](std::int64_t done, std::int64_t total) {
        told.emplace_back(done, total);
    };
    ran(opened("minilm"), Five, execution);
    EXPECT_EQ(told, (std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 3}, {2, 3}, {3, 3}}));
}

TEST(Model, isCancelledBetweenLayers)
{
    std::stop_source stop;
    Execution execution;
    execution.stop = stop.get_token();
    execution.progress = [&](std::int64_t, std::int64_t) { stop.request_stop(); };
    const auto run = opened("minilm")->run(Five, execution);
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().code, Code::Cancelled);
}

TEST(Model, aRunOverTheBudgetIsRefused)
{
    const auto run = opened("minilm")->run(Five, {.memoryBudget = 1000});
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().code, Code::OutOfMemory);
}

TEST(Model, shapesAreThoseOfTheContract)
{
    const auto run = ran(opened("llama"), {.ids = {{5, 6, 7}, {8, 9, 1}}, .lengths = {3, 2}});
    EXPECT_EQ(run->layers[0].q->shape(), (Shape{2, 4, 3, 8}));
    EXPECT_EQ(run->layers[0].k->shape(), (Shape{2, 2, 3, 8}));
    EXPECT_EQ(run->layers[0].v->shape(), (Shape{2, 2, 3, 8}));
    EXPECT_EQ(run->hidden[0].shape(), (Shape{2, 3, 32}));
    EXPECT_EQ(run->logits.shape(), (Shape{2, 3, 40}));
    // Heads 2 and 3 read the second key head.
    EXPECT_EQ(run->layers[0].problem(1, 3).k.offset, 3 * 3 * 8);
}
