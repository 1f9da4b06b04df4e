// The three models that ./dev models fetches give the numbers that transformers gives.
//
// HEED_MODELS names their folder (resources/models/fetch --folder); without it each is skipped by
// name.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "modelfolders.h"

#include "heed/modelfinder.h"
#include "heed/run.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace heed;

namespace {

constexpr double LargestWeightError = 1e-5;
constexpr double LargestHiddenNmse = 1e-10;
constexpr double LargestLogitError = 1e-3;

class RealModel : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override
    {
        const char* models = std::getenv("HEED_MODELS");
        if (models == nullptr) {
            GTEST_SKIP() << GetParam() << ": HEED_MODELS does not say where ./dev models put it";
        }
        ModelPlaces places;
        places.folders = {models};
        const auto folder = resolveModel(GetParam(), places);
        ASSERT_TRUE(folder) << describe(folder.error());
        const auto file =
            openArrays(test::goldenFolder("realmodels") / (std::string(GetParam()) + ".npz"));
        ASSERT_TRUE(file) << describe(file.error());
        m_golden = *file;
        m_source.model = *folder;
    }

    [[nodiscard]] Tensor golden(const char* name) const
    {
        auto tensor = m_golden->read(name);
        EXPECT_TRUE(tensor) << describe(tensor.error());
        return tensor ? std::move(*tensor) : Tensor();
    }
    [[nodiscard]] std::vector<std::vector<std::int64_t>> ids() const
    {
        const Tensor all = golden("ids");
        const Tensor lengths = golden("lengths");
        std::vector<std::vector<std::int64_t>> items;
        for (std::int64_t item = 0; item < all.extent(0); ++item) {
            const auto row = all.matrix().row(item);
            items.emplace_back(row.begin(),
                               row.begin() + static_cast<std::int64_t>(lengths.data()[item]));
        }
        return items;
    }
    [[nodiscard]] RunPtr run() const
    {
        const auto backend = BackendRegistry::instance().open("auto");
        EXPECT_TRUE(backend) << describe(backend.error());
        auto made = compute(m_source, *backend, {});
        EXPECT_TRUE(made) << describe(made.error());
        return made.value_or(nullptr);
    }

    Source m_source;
    ArrayFilePtr m_golden;
};

double largestDifference(std::span<const float> got, const float* wanted)
{
    double largest = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        const double error = std::abs(double{got[i]} - double{wanted[i]});
        largest = std::isnan(error) ? INFINITY : std::max(largest, error);
    }
    return largest;
}

} // namespace

TEST_P(RealModel, hasTheNumbersOfTransformers)
{
    m_source.ids = ids();
    const RunPtr made = run();
    ASSERT_NE(made, nullptr);
    const MapsShape shape = made->maps()->shape();
    const Tensor weights = golden("weights");
    ASSERT_EQ(weights.shape(),
              (Shape{shape.layers, shape.items, shape.heads, shape.queries, shape.keys}));
    const Tensor hidden = golden("hidden");
    double squares = 0;
    double all = 0;
    for (std::int64_t item = 0; item < shape.items; ++item) {
        const std::int64_t real = std::ssize(m_source.ids[static_cast<std::size_t>(item)]);
        for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
            for (std::int64_t head = 0; head < shape.heads; ++head) {
                TileSpec rows;
                rows.quantity = Quantity::Weights;
                rows.rows = real; // those of padding mean nothing
                rows.columns = shape.keys;
                const auto texels = made->maps()->window({layer, item, head}, rows, {});
                ASSERT_TRUE(texels) << describe(texels.error());
                EXPECT_LE(largestDifference(texels->values,
                                            weights.matrix({layer, item, head}).row(0).data()),
                          LargestWeightError)
                    << "layer " << layer << ", item " << item << ", head " << head;
            }
        }
        const auto got = made->hidden(shape.layers)->matrix({item});
        for (std::int64_t token = 0; token < real; ++token) {
            for (std::int64_t c = 0; c < hidden.extent(2); ++c) {
                const double wanted = hidden.matrix({item})(token, c);
                squares += std::pow(double{got(token, c)} - wanted, 2);
                all += wanted * wanted;
            }
        }
    }
    EXPECT_LE(squares / all, LargestHiddenNmse);
    if (m_golden->find("logits") != nullptr) {
        const auto logits = made->logits(0, shape.queries - 1, 1, {});
        ASSERT_TRUE(logits) << describe(logits.error());
        EXPECT_LE(largestDifference(logits->values(), golden("logits").data()), LargestLogitError);
    }
}

TEST_P(RealModel, cutsTextAsTransformersDoes)
{
    const auto text = m_golden->readRaw("text");
    ASSERT_TRUE(text) << describe(text.error());
    m_source.lines = {{reinterpret_cast<const char*>(text->data()), text->size()}};
    const RunPtr made = run();
    ASSERT_NE(made, nullptr);
    std::vector<std::int64_t> got;
    for (const Token& token : made->queryTokens().items[0]) {
        got.push_back(token.id);
    }
    EXPECT_EQ(got, ids()[0]);
}

INSTANTIATE_TEST_SUITE_P(All, RealModel,
                         testing::Values("all-MiniLM-L6-v2", "SmolLM2-135M-Instruct", "RXNMapper"));
