// Every step of a layer against PyTorch's numbers, on every backend there is.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/backend.h"
#include "heed/run.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <optional>

using namespace heed;

namespace {

/// float32 against PyTorch's; of numbers over 1, relative.
constexpr double Tolerance = 1e-5;

struct Case {
    std::string name;
    std::string file;
    std::string kind; ///< "layer", "torch" or "qkv"
    std::int64_t heads = 1;
    bool scaled = true;
    bool rope = false;
    bool cross = false;
    std::string mask;
};

std::filesystem::path folder()
{
    const char* root = std::getenv("HEED_SOURCE_DIR");
    return std::filesystem::path(root == nullptr ? "." : root) / "tests/golden/layers";
}

std::vector<Case> allCases()
{
    std::ifstream file(folder() / "cases.json");
    const auto json = nlohmann::json::parse(file, nullptr, false);
    std::vector<Case> cases;
    if (json.is_array()) {
        for (const auto& entry : json) {
            cases.push_back({entry.at("name"), entry.at("file"), entry.at("kind"),
                             entry.at("heads"), entry.at("scaled"), entry.at("rope"),
                             entry.at("cross"), entry.at("mask")});
        }
    }
    return cases;
}

Source sourceOf(const Case& golden)
{
    const std::filesystem::path file = folder() / golden.file;
    Source source;
    if (golden.kind == "qkv") {
        source.qkv = file;
    } else {
        source.input = file;
        source.weights = file;
        if (golden.cross) {
            source.context = file;
        }
    }
    source.layer.heads = golden.heads;
    source.layer.scaled = golden.scaled;
    source.layer.positions = golden.rope ? Positions::Rotary : Positions::None;
    source.mask = golden.mask;
    return source;
}

/// The whole of every map of one quantity, [B, H, L, S].
Expected<std::vector<float>> allCells(const AttentionMaps& maps, Quantity quantity)
{
    const MapsShape shape = maps.shape();
    TileSpec spec;
    spec.quantity = quantity;
    spec.rows = shape.queries;
    spec.columns = shape.keys;
    std::vector<float> cells;
    for (std::int64_t item = 0; item < shape.items; ++item) {
        for (std::int64_t head = 0; head < shape.heads; ++head) {
            auto window = maps.window({0, item, head}, spec, {});
            if (!window) {
                return tl::unexpected(window.error());
            }
            cells.insert(cells.end(), window->values.begin(), window->values.end());
        }
    }
    return cells;
}

Expected<std::vector<float>> allLse(const AttentionMaps& maps)
{
    std::vector<float> lse;
    for (std::int64_t item = 0; item < maps.shape().items; ++item) {
        for (std::int64_t head = 0; head < maps.shape().heads; ++head) {
            const auto stats = maps.rowStats({0, item, head}, {});
            if (!stats) {
                return tl::unexpected(stats.error());
            }
            lse.insert(lse.end(), (*stats)->lse.begin(), (*stats)->lse.end());
        }
    }
    return lse;
}

Expected<std::vector<float>> valuesOf(const Expected<Tensor>& tensor)
{
    if (!tensor) {
        return tl::unexpected(tensor.error());
    }
    return std::vector<float>(tensor->values().begin(), tensor->values().end());
}

Expected<std::vector<float>> stage(const Run& run, const std::string& name)
{
    if (name == "lse") {
        return allLse(*run.maps());
    }
    if (name == "head_output") {
        return valuesOf(run.headOutput(0, {}));
    }
    if (name == "output") {
        return valuesOf(run.output(0, {}));
    }
    if (const auto quantity = parseQuantity(name)) {
        return allCells(*run.maps(), *quantity);
    }
    const Tensor* tensor = name == "q" ? run.q(0) : name == "k" ? run.k(0) : run.v(0);
    return valuesOf(*tensor);
}

/// The first number that is too far from PyTorch's, as text; nothing when all are near. Beyond the
/// tolerance, twice the error PyTorch's own float32 makes is allowed, and @p relative of the
/// largest number.
std::optional<std::string> difference(const std::vector<float>& got, const Tensor& exact,
                                      const Tensor& single, double relative)
{
    if (got.size() != exact.values().size()) {
        return std::to_string(got.size()) + " numbers instead of " + toString(exact.shape());
    }
    double plainError = 0;
    double largest = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (std::isfinite(exact.values()[i])) {
            plainError = std::max(plainError, std::abs(static_cast<double>(single.values()[i]) -
                                                       static_cast<double>(exact.values()[i])));
            largest = std::max(largest, std::abs(static_cast<double>(exact.values()[i])));
        }
    }
    for (std::size_t i = 0; i < got.size(); ++i) {
        const double wanted = exact.values()[i];
        const double error = std::abs(static_cast<double>(got[i]) - wanted);
        const double allowed = std::max(
            {Tolerance * std::max(1.0, std::abs(wanted)), 2 * plainError, relative * largest});
        const bool equal = std::isinf(wanted) ? got[i] == exact.values()[i] : error <= allowed;
        if (!equal) {
            return "number " + std::to_string(i) + " of " + toString(exact.shape()) + " is " +
                   std::to_string(got[i]) + ", PyTorch has " + std::to_string(wanted);
        }
    }
    return std::nullopt;
}

/// What softmax makes of the rounding of scores: a score that is off by δ makes a weight that is
/// off by δ of itself. Only scores near 1e3 notice.
double roundingOf(const Tensor& scores)
{
    double largest = 0;
    for (const float score : scores.values()) {
        if (std::isfinite(score)) {
            largest = std::max(largest, std::abs(static_cast<double>(score)));
        }
    }
    return largest * 0x1p-23;
}

class LayerGoldens : public ::testing::TestWithParam<std::size_t> {};

} // namespace

TEST_P(LayerGoldens, agreeAtEveryStage)
{
    const auto cases = allCases();
    ASSERT_LT(GetParam(), cases.size());
    const Case& golden = cases[GetParam()];
    const auto file = openArrays(folder() / golden.file);
    ASSERT_TRUE(file) << describe(file.error());

    const auto scaled = (*file)->read("f64.scaled");
    ASSERT_TRUE(scaled);
    const double rounding = roundingOf(*scaled);

    BackendRegistry& registry = BackendRegistry::instance();
    int backends = 0;
    for (const BackendReport& report : registry.reports()) {
        if (!report.usable) {
            continue;
        }
        ++backends;
        const auto backend = registry.open(report.name);
        ASSERT_TRUE(backend) << describe(backend.error());
        const auto run = compute(sourceOf(golden), *backend, {.threads = 2});
        ASSERT_TRUE(run) << golden.name << ": " << describe(run.error());
        for (const std::string name : {"q", "k", "v", "scores", "scaled", "masked", "weights",
                                       "lse", "head_output", "output"}) {
            if (name == "output" && golden.kind == "qkv") {
                continue; // finished projections have no W_O
            }
            const auto got = stage(**run, name);
            ASSERT_TRUE(got) << golden.name << ", " << name << ": " << describe(got.error());
            const auto exact = (*file)->read("f64." + name);
            const auto single = (*file)->read("f32." + name);
            ASSERT_TRUE(exact && single) << name;
            const bool isAfterSoftmax =
                name == "weights" || name == "head_output" || name == "output";
            if (const auto different =
                    difference(*got, *exact, *single, isAfterSoftmax ? rounding : 0)) {
                FAIL() << "\"" << golden.name << "\" on " << report.name << " differs first at "
                       << name << ": " << *different;
            }
        }
    }
    EXPECT_GE(backends, 1);
}

INSTANTIATE_TEST_SUITE_P(PyTorch, LayerGoldens, ::testing::Range<std::size_t>(0, 53));

TEST(LayerGoldensData, areAllTested)
{
    EXPECT_EQ(allCases().size(), 53U) << "the number in INSTANTIATE_TEST_SUITE_P is another";
}
