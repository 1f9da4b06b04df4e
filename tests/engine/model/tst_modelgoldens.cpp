// Every stage of every family against the numbers of Hugging Face transformers, on every backend.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "modelfolders.h"

#include <cmath>
#include <gtest/gtest.h>
#include <optional>
#include <set>

using namespace heed;

namespace {

constexpr double LargestWeightError = 1e-5;
constexpr double LargestHiddenNmse = 1e-10;
constexpr double LargestLogitError = 1e-3;

const std::vector<std::string> Cases = {
    "bert",          "minilm",    "gpt2",       "llama",   "llama_old", "mistral",    "qwen2",
    "qwen3",         "roberta",   "distilbert", "electra", "albert",    "gpt_neox",   "opt",
    "opt_post",      "phi",       "gemma",      "gemma2",  "gemma3",    "modernbert", "gpt_neo",
    "phi3",          "t5",        "t5_gated",   "bart",    "mbart",     "marian",     "llama_yarn",
    "llama_dynamic", "phi3_long", "phi3_short"};

const std::vector<std::string> GgufCases = {"llama",     "qwen2",  "qwen3",   "gemma",
                                            "gemma2",    "gemma3", "phi2",    "phi3",
                                            "phi3_long", "gpt2",   "gptneox", "bert"};

/// One batch of a golden file.
struct Golden {
    const ArrayFile& file;
    std::string batch; ///< "alone", "right" (padding), "left"

    [[nodiscard]] Tensor array(const std::string& name) const
    {
        auto read = file.read(batch + "." + name);
        EXPECT_TRUE(read) << describe(read.error());
        return read ? std::move(*read) : Tensor();
    }
    [[nodiscard]] bool has(const std::string& name) const
    {
        return file.find(batch + "." + name) != nullptr;
    }
    [[nodiscard]] std::vector<std::vector<std::int64_t>> table(const std::string& name) const
    {
        const Tensor numbers = array(name);
        std::vector<std::vector<std::int64_t>> rows;
        for (std::int64_t row = 0; row < numbers.extent(0); ++row) {
            const auto values = numbers.matrix().row(row);
            rows.emplace_back(values.begin(), values.end());
        }
        return rows;
    }
    [[nodiscard]] ModelInput input() const
    {
        ModelInput result;
        result.ids = table("ids");
        const Tensor lengths = array("real");
        for (const float real : lengths.values()) {
            result.lengths.push_back(static_cast<std::int64_t>(real));
        }
        result.padSide = batch == "left" ? PadSide::Left : PadSide::Right;
        if (has("types")) {
            result.types = table("types");
        }
        if (has("targets")) {
            result.targets = table("targets");
            const Tensor reals = array("targets_real");
            for (const float real : reals.values()) {
                result.targetLengths.push_back(static_cast<std::int64_t>(real));
            }
        }
        return result;
    }
};

struct Difference {
    double largest = 0;
    double squares = 0;
    double all = 0;
    [[nodiscard]] double nmse() const { return all > 0 ? squares / all : squares; }
};

/// Compares the rows of real tokens of two [B, .., L, n].
Difference compare(const Tensor& got, const Tensor& wanted, const ModelInput& input,
                   float factor = 1)
{
    Difference difference;
    const std::int64_t columns = wanted.extent(wanted.rank() - 1);
    const std::int64_t length = wanted.extent(wanted.rank() - 2);
    const std::int64_t rows = wanted.size() / columns;
    const std::int64_t rowsPerItem = rows / wanted.extent(0);
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t real = input.lengths[static_cast<std::size_t>(row / rowsPerItem)];
        const std::int64_t token = row % length;
        if (input.padSide == PadSide::Left ? token < length - real : token >= real) {
            continue;
        }
        for (std::int64_t i = row * columns; i < (row + 1) * columns; ++i) {
            const double expected = wanted.data()[i];
            const double error = static_cast<double>(got.data()[i]) * factor - expected;
            difference.largest =
                std::max(difference.largest, std::isnan(error) ? INFINITY : std::abs(error));
            difference.squares += error * error;
            difference.all += expected * expected;
        }
    }
    return difference;
}

/// All weights of one layer, [B, H, L, S].
Tensor weightsOf(const Backend& backend, const LayerCapture& layer)
{
    const std::int64_t items = layer.q->extent(0);
    const std::int64_t heads = layer.q->extent(1);
    const std::int64_t length = layer.q->extent(2);
    const std::int64_t keys = layer.k->extent(2);
    Tensor all({items, heads, length, keys});
    for (std::int64_t map = 0; map < items * heads; ++map) {
        const HeadProblem problem = layer.problem(map / heads, map % heads);
        const auto stats = backend.rowStats(problem, {});
        TileSpec spec;
        spec.rows = length;
        spec.columns = keys;
        const auto tile = stats ? backend.tile(problem, &*stats, spec, {})
                                : Expected<TileTexels>(tl::unexpected(stats.error()));
        EXPECT_TRUE(tile) << describe(tile.error());
        if (tile) {
            std::ranges::copy(tile->values, all.data() + map * length * keys);
        }
    }
    return all;
}

/// Q or K with the numbers of each head in the order of halves instead of pairs.
Tensor asHalves(const Tensor& heads)
{
    Tensor result = heads;
    const std::int64_t size = heads.extent(heads.rank() - 1);
    for (std::int64_t i = 0; i < heads.size(); ++i) {
        const std::int64_t c = i % size;
        result.data()[i - c + c / 2 + c % 2 * (size / 2)] = heads.data()[i];
    }
    return result;
}

std::string tooFar(const std::string& stage, const char* what, double error)
{
    return stage + ": " + what + " " + std::to_string(std::log10(error)) + " (log10)";
}

bool isNear(const Difference& difference)
{
    return difference.nmse() <= LargestHiddenNmse; // false for NaN
}

/// Layers of a run and what is recorded of them under a prefix.
struct Stack {
    std::string prefix; ///< "", "decoder.", "cross."
    const std::vector<LayerCapture>& layers;
    const std::vector<Tensor>* hidden; ///< null where other layers have it
    const ModelInput& rows;            ///< lengths of the queries
};

/// The first stage of a stack that differs, as text.
std::optional<std::string> firstDifference(const Golden& golden, const Backend& backend,
                                           const Stack& stack, bool isAdjacent)
{
    const std::string& prefix = stack.prefix;
    if (stack.hidden != nullptr) {
        const Difference embedded =
            compare(stack.hidden->front(), golden.array(prefix + "hidden.0"), stack.rows);
        if (!isNear(embedded)) {
            return tooFar(prefix + "embedding", "NMSE", embedded.nmse());
        }
    }
    for (std::size_t i = 0; i < stack.layers.size(); ++i) {
        const LayerCapture& layer = stack.layers[i];
        const std::string number = std::to_string(i);
        struct Projected {
            const char* name;
            const Tensor& tensor;
            float factor;
        };
        const Tensor q = isAdjacent ? asHalves(*layer.q) : *layer.q;
        const Tensor k = isAdjacent ? asHalves(*layer.k) : *layer.k;
        for (const Projected& part :
             {Projected{"q", q, layer.scale}, Projected{"k", k, 1}, Projected{"v", *layer.v, 1}}) {
            const std::string name = prefix + part.name + "." + number;
            if (!golden.has(name)) {
                continue;
            }
            const Difference difference =
                compare(part.tensor, golden.array(name), stack.rows, part.factor);
            if (!isNear(difference)) {
                return tooFar(name, "NMSE", difference.nmse());
            }
        }
        const std::string weights = prefix + "weights." + number;
        const Difference map =
            compare(weightsOf(backend, layer), golden.array(weights), stack.rows);
        if (!(map.largest <= LargestWeightError)) {
            return tooFar(weights, "largest error", map.largest);
        }
        const std::string after = prefix + "hidden." + std::to_string(i + 1);
        if (stack.hidden == nullptr || (!golden.has(after) && golden.has("logits"))) {
            continue; // of another width there
        }
        const Difference hidden = compare((*stack.hidden)[i + 1], golden.array(after), stack.rows);
        if (!isNear(hidden)) {
            return tooFar(after, "NMSE", hidden.nmse());
        }
    }
    return std::nullopt;
}

std::optional<std::string> firstDifference(const Golden& golden, const Backend& backend,
                                           const ModelInput& input, const ModelRun& run,
                                           bool isAdjacent)
{
    ModelInput target = input;
    target.lengths = input.targetLengths;
    std::vector<Stack> stacks{{"", run.layers, &run.hidden, input}};
    if (!run.crossLayers.empty()) {
        stacks.push_back({"cross.", run.crossLayers, nullptr, target});
        stacks.push_back({"decoder.", run.decoderLayers, &run.decoderHidden, target});
    }
    for (const Stack& stack : stacks) {
        if (auto different = firstDifference(golden, backend, stack, isAdjacent)) {
            return different;
        }
    }
    const ModelInput& last = run.crossLayers.empty() ? input : target;
    if (golden.has("logits")) {
        if (run.logits.empty()) {
            return "logits: there are none";
        }
        const Difference logits = compare(run.logits, golden.array("logits"), last);
        if (!(logits.largest <= LargestLogitError)) {
            return tooFar("logits", "largest error", logits.largest);
        }
    }
    return std::nullopt;
}

/// Runs the model at @p path on every backend.
void expectAgreement(const std::filesystem::path& path, const std::filesystem::path& folder)
{
    const auto file = openArrays(folder / "golden.safetensors");
    ASSERT_TRUE(file) << describe(file.error());
    BackendRegistry& registry = BackendRegistry::instance();
    int backends = 0;
    for (const BackendReport& report : registry.reports()) {
        if (!report.usable) {
            continue;
        }
        ++backends;
        const auto backend = registry.open(report.name);
        ASSERT_TRUE(backend) << describe(backend.error());
        const auto model = openModel(path, *backend);
        ASSERT_TRUE(model) << describe(model.error());
        for (const char* batch : {"alone", "right", "left"}) {
            const Golden golden{**file, batch};
            const ModelInput input = golden.input();
            const auto run = (*model)->run(input, {.threads = 2});
            ASSERT_TRUE(run) << describe(run.error());
            ASSERT_EQ(static_cast<std::int64_t>((*run)->layers.size()), (*model)->config().layers);
            if (const auto different = firstDifference(golden, **backend, input, **run,
                                                       (*model)->config().rotary.adjacent)) {
                FAIL() << path << " (" << batch << ") on " << report.name << " differs first at "
                       << *different;
            }
        }
    }
    EXPECT_GE(backends, 1);
}

std::set<std::string> entriesOf(const std::filesystem::path& folder)
{
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        names.insert(entry.path().filename().string());
    }
    return names;
}

class ModelGoldens : public ::testing::TestWithParam<std::string> {};
class GgufModelGoldens : public ::testing::TestWithParam<std::string> {};

} // namespace

TEST_P(ModelGoldens, agreeAtEveryStage)
{
    const auto folder = test::modelFolder(GetParam());
    expectAgreement(folder, folder);
}

INSTANTIATE_TEST_SUITE_P(Transformers, ModelGoldens, ::testing::ValuesIn(Cases),
                         [](const auto& row) { return row.param; });

TEST_P(GgufModelGoldens, agreeAtEveryStage)
{
    const auto folder = test::ggufFolder(GetParam());
    const auto whole = folder / "model.gguf";
    expectAgreement(std::filesystem::exists(whole) ? whole : folder / "model-00001-of-00003.gguf",
                    folder);
}

INSTANTIATE_TEST_SUITE_P(Transformers, GgufModelGoldens, ::testing::ValuesIn(GgufCases),
                         [](const auto& row) { return row.param; });

TEST(ModelGoldensData, areAllTested)
{
    EXPECT_EQ(entriesOf(test::modelFolder("")), std::set<std::string>(Cases.begin(), Cases.end()));
    EXPECT_EQ(entriesOf(test::ggufFolder("")),
              std::set<std::string>(GgufCases.begin(), GgufCases.end()));
}
