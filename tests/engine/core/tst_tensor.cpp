// Shapes and tensors.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/tensor.h"

#include <gtest/gtest.h>

using namespace heed;

TEST(Shape, countsElementsAndRefusesOverflow)
{
    EXPECT_EQ(elementCount({2, 3, 4}).value(), 24);
    EXPECT_EQ(elementCount({}).value(), 1);
    EXPECT_EQ(elementCount({5, 0}).value(), 0);
    EXPECT_EQ(elementCount({-1, 2}).error().code, Code::InvalidShape);
    EXPECT_EQ(elementCount({1LL << 40, 1LL << 40}).error().code, Code::OutOfMemory);
}

TEST(Tensor, refusesAShapeNoMemoryCanHold)
{
    const auto tensor = Tensor::make({1LL << 40, 1LL << 20});
    ASSERT_FALSE(tensor);
    EXPECT_EQ(tensor.error().code, Code::OutOfMemory);
    EXPECT_NE(tensor.error().message.find("[1099511627776, 1048576]"), std::string::npos);
}

TEST(Tensor, takesAnotherShapeWithoutCopying)
{
    Tensor tensor({2, 3});
    tensor.values()[4] = 7;
    const float* numbers = tensor.data();
    const Tensor shaped = std::move(tensor).reshaped({1, 3, 2});
    EXPECT_EQ(toString(shaped.shape()), "[1, 3, 2]");
    EXPECT_EQ(shaped.data(), numbers);
    EXPECT_EQ(shaped.values()[4], 7);
}

TEST(Tensor, givesTheMatrixOfTheLastTwoAxes)
{
    Tensor tensor({2, 3, 2, 2});
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
        tensor.values()[static_cast<std::size_t>(i)] = static_cast<float>(i);
    }
    EXPECT_EQ(tensor.matrix({1, 2})(1, 0), 22.0F);
    EXPECT_EQ(tensor.matrix()(0, 1), 1.0F);
    EXPECT_EQ(toString(tensor.shape()), "[2, 3, 2, 2]");
}
