// Checkpoints are found where Hugging Face and Heedmap keep them, and called by name.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/arraysonfile.h"
#include "modelfolders.h"

#include "heed/modelfinder.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

using namespace heed;
namespace fs = std::filesystem;

namespace {

void put(const fs::path& path, const std::string& text)
{
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
}

/// A revision in the form of the hub's cache: links to blobs.
fs::path fetch(const fs::path& hub, const std::string& repository, const std::string& revision,
               const std::string& golden)
{
    const fs::path folder = hub / repository;
    const fs::path snapshot = folder / "snapshots" / revision;
    fs::create_directories(snapshot);
    fs::create_directories(folder / "blobs");
    for (const char* name : {"config.json", "model.safetensors"}) {
        const fs::path blob = folder / "blobs" / (revision + name);
        fs::copy_file(test::modelFolder(golden) / name, blob);
        fs::create_symlink(fs::path("../../blobs") / blob.filename(), snapshot / name);
    }
    return snapshot;
}

std::vector<std::string> namesOf(const std::vector<FoundModel>& models)
{
    std::vector<std::string> names;
    std::ranges::transform(models, std::back_inserter(names), &FoundModel::name);
    return names;
}

/// Sets a variable for the time of a test.
class Variable {
public:
    Variable(const char* name, const std::string& value)
        : m_name(name)
    {
        if (const char* before = std::getenv(name)) {
            m_before = before;
        }
        value.empty() ? unsetenv(name) : setenv(name, value.c_str(), 1);
    }
    ~Variable() { m_before ? setenv(m_name, m_before->c_str(), 1) : unsetenv(m_name); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* m_name;
    std::optional<std::string> m_before;
};

class ModelFinder : public testing::Test {
protected:
    void SetUp() override
    {
        m_places.hubCache = m_folder.path() / "hub";
        m_places.folders = {m_folder.path() / "models"};
        m_main = fetch(m_places.hubCache, "models--someone--tiny-bert", "1234abcd", "minilm");
        fetch(m_places.hubCache, "models--someone--tiny-bert", "zzzz", "gpt2");
        put(m_places.hubCache / "models--someone--tiny-bert/refs/main", "1234abcd\n");
        fetch(m_places.hubCache, "models--gpt2", "77", "gpt2");
        fs::create_directories(m_places.hubCache / "models--empty--repository/snapshots");
        fs::create_directories(m_places.hubCache / "datasets--someone--texts/snapshots/1");
        fs::create_directories(m_places.folders[0] / "notes");
        fs::create_directory_symlink(test::modelFolder("llama"), m_places.folders[0] / "llama");
    }

    test::TemporaryFolder m_folder;
    ModelPlaces m_places;
    fs::path m_main;
};

} // namespace

TEST_F(ModelFinder, listsEveryModelOnce)
{
    EXPECT_EQ(namesOf(findModels(m_places)),
              (std::vector<std::string>{"llama", "gpt2", "someone/tiny-bert"}));
    m_places.recent = {test::modelFolder("llama"), test::modelFolder("opt") / "config.json",
                       m_folder.path(), "/nowhere"};
    const auto models = findModels(m_places);
    ASSERT_EQ(models.size(), 4U) << "llama is known";
    EXPECT_EQ(models.back().path, test::modelFolder("opt"));
    EXPECT_EQ(models.back().place, ModelPlace::Recent);
    EXPECT_TRUE(findModels({}).empty());
}

TEST_F(ModelFinder, listsEveryFileOfQuantisedModels)
{
    for (const char* name : {"small.gguf", "smaller.gguf"}) {
        put(m_places.folders[0] / "chat" / name, "");
        put(m_main / name, "");
    }
    put(m_places.folders[0] / "chat" / "LICENSE", "");
    put(m_places.folders[0] / "alone.gguf", "");
    put(m_places.folders[0] / "talk" / "talk-q4.gguf", "");
    EXPECT_EQ(
        namesOf(findModels(m_places)),
        (std::vector<std::string>{"alone", "chat/small.gguf", "chat/smaller.gguf", "llama", "talk",
                                  "gpt2", "someone/tiny-bert", "someone/tiny-bert/small.gguf",
                                  "someone/tiny-bert/smaller.gguf"}));
    for (const std::string& wanted :
         {(m_places.folders[0] / "talk").string(), std::string("talk")}) {
        const auto talk = resolveModel(wanted, m_places);
        ASSERT_TRUE(talk) << describe(talk.error());
        EXPECT_EQ(*talk, m_places.folders[0] / "talk" / "talk-q4.gguf");
    }
    const auto small = resolveModel("chat/small.gguf", m_places);
    ASSERT_TRUE(small) << describe(small.error());
    EXPECT_EQ(*small, m_places.folders[0] / "chat" / "small.gguf");
}

TEST_F(ModelFinder, takesTheMainRevisionElseTheLatest)
{
    EXPECT_EQ(findModels(m_places)[2].path, m_main);
    const fs::path repository = m_places.hubCache / "models--someone--tiny-bert";
    const fs::path other = repository / "snapshots" / "zzzz";
    fs::last_write_time(other, fs::last_write_time(m_main) + std::chrono::seconds(9));
    for (const char* main : {"", "unknown", "../../../somewhere", "../snapshots/1234abcd"}) {
        put(repository / "refs" / "main", main);
        EXPECT_EQ(findModels(m_places)[2].path, other) << main;
    }
}

TEST_F(ModelFinder, understandsNamesAndPaths)
{
    const auto found = [this](const std::string& wanted) {
        const auto path = resolveModel(wanted, m_places);
        return path ? *path : fs::path(describe(path.error()));
    };
    EXPECT_EQ(found("someone/tiny-bert"), m_main);
    EXPECT_EQ(found("tiny-bert"), m_main);
    EXPECT_EQ(found("Tiny-BERT"), m_main);
    EXPECT_EQ(found(m_main.string()), m_main);
    EXPECT_EQ(found((m_main / "config.json").string()), m_main);
    EXPECT_EQ(found((m_main / "model.safetensors").string()), m_main);
    EXPECT_EQ(found((m_places.hubCache / "models--someone--tiny-bert").string()), m_main);
    const auto nothing = resolveModel("tiny", m_places);
    EXPECT_EQ(nothing.error().code, Code::NotFound);
    EXPECT_NE(describe(nothing.error()).find("someone/tiny-bert"), std::string::npos);

    fetch(m_places.hubCache, "models--other--tiny-bert", "1", "minilm");
    const auto two = resolveModel("tiny-bert", m_places);
    EXPECT_EQ(two.error().code, Code::InvalidArgument);
    EXPECT_NE(describe(two.error()).find("other/tiny-bert, someone/tiny-bert"), std::string::npos);
}

TEST_F(ModelFinder, obeysTheVariablesOfHuggingFace)
{
    const Variable home("HOME", "/home/somebody");
    const Variable cache("XDG_CACHE_HOME", "");
    const Variable data("XDG_DATA_HOME", "/data");
    const Variable shared("XDG_DATA_DIRS", "/a:/b");
    const Variable hubCache("HF_HUB_CACHE", "");
    const Variable oldCache("HUGGINGFACE_HUB_CACHE", "");
    const Variable hfHome("HF_HOME", "");
    EXPECT_EQ(standardModelPlaces().hubCache, "/home/somebody/.cache/huggingface/hub");
    const Variable cache2("XDG_CACHE_HOME", "/cache");
    EXPECT_EQ(standardModelPlaces().hubCache, "/cache/huggingface/hub");
    const Variable hfHome2("HF_HOME", "/hf");
    EXPECT_EQ(standardModelPlaces().hubCache, "/hf/hub");
    const Variable hubCache2("HF_HUB_CACHE", "/hub");
    EXPECT_EQ(standardModelPlaces().hubCache, "/hub");
    const auto folders = standardModelPlaces().folders;
    EXPECT_EQ(folders.front(), "/data/heedmap/models");
    EXPECT_NE(std::ranges::find(folders, "/b/heedmap/models"), folders.end());
}

TEST(ModelFacts, sayWhatACheckpointIs)
{
    const ModelFacts facts = modelFacts(test::modelFolder("gemma3"));
    EXPECT_FALSE(facts.problem);
    ASSERT_TRUE(facts.config);
    EXPECT_EQ(facts.config->kvHeads, 2);
    EXPECT_EQ(facts.family, "gemma3_text");
    EXPECT_EQ(facts.weightType, "F16");
    EXPECT_TRUE(facts.predicts);
    EXPECT_GT(facts.parameters, 10000);
    EXPECT_GT(facts.bytes, 2 * facts.parameters);
    EXPECT_EQ(facts.tokenizer, "");
    EXPECT_TRUE(facts.tokenizerProblem);
    EXPECT_FALSE(modelFacts(test::modelFolder("minilm")).predicts);

    const ModelFacts gguf = modelFacts(test::ggufFolder("llama") / "model.gguf");
    EXPECT_FALSE(gguf.problem) << describe(*gguf.problem);
    EXPECT_EQ(gguf.config->layers, 2);
}

TEST(ModelFacts, sayWhyOneCannotRun)
{
    const test::TemporaryFolder folder;
    put(folder.path() / "config.json", R"({"model_type": "deberta-v2", "hidden_size": 8})");
    put(folder.path() / "README.md",
        "---\nlanguage: en\nlicense: \"mit\"\r\n---\nlicense: other\n");
    ModelFacts facts = modelFacts(folder.path());
    EXPECT_EQ(facts.family, "deberta-v2");
    EXPECT_EQ(facts.licence, "mit");
    ASSERT_TRUE(facts.problem);
    EXPECT_EQ(facts.problem->code, Code::Unsupported);
    fs::copy_file(test::modelFolder("bert") / "config.json", folder.path() / "config.json",
                  fs::copy_options::overwrite_existing);
    facts = modelFacts(folder.path());
    EXPECT_EQ(facts.problem->code, Code::NotFound);
    ASSERT_TRUE(facts.config) << "the settings are fine";
    EXPECT_EQ(facts.config->layers, 2);
    EXPECT_NE(facts.problem->message.find("pytorch_model.bin"), std::string::npos);
    EXPECT_TRUE(modelFacts("/nowhere").problem);
}

TEST(ModelFacts, countOldWeightsAndLeaveOutWhatTrainingLeft)
{
    const test::TemporaryFolder folder;
    fs::copy_file(test::modelFolder("minilm") / "config.json", folder.path() / "config.json");
    fs::copy_file(test::modelFolder("../torch") / "minilm.bin",
                  folder.path() / "pytorch_model.bin");
    put(folder.path() / "training_args.bin", "arguments");
    put(folder.path() / "LICENSE", "\n                  Apache License\n  Version 2.0\n");
    const ModelFacts facts = modelFacts(folder.path());
    EXPECT_FALSE(facts.problem);
    EXPECT_EQ(facts.parameters, modelFacts(test::modelFolder("minilm")).parameters);
    ASSERT_EQ(facts.weights.size(), 1U);
    EXPECT_EQ(facts.weights[0].filename(), "pytorch_model.bin");
    EXPECT_EQ(facts.licence, "Apache License");
    put(folder.path() / "LICENSE", "Copyright 2020 Somebody\n\nPermission is hereby granted\n");
    EXPECT_EQ(modelFacts(folder.path()).licence, "see LICENSE");
}
