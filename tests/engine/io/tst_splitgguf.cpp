// A GGUF model in several files, opened as one.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ggufbytes.h"

using namespace heed;

namespace {

constexpr unsigned UInt16 = 2;

std::string asText(const Bytes& bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// What a file says of its place, and one tensor of a number.
struct Part {
    std::string tensor;
    int number; ///< split.no
    int count = 2;
    int tensors = 2;
};

class Model : public TemporaryFolder {
public:
    void write(const std::string& name, const Part& part) const
    {
        writeBytes(
            *this / name,
            asText(gguf(
                {.values = {ggufValue("split.no", UInt16, ggufNumber(part.number, 2)),
                            ggufValue("split.count", UInt16, ggufNumber(part.count, 2)),
                            ggufValue("split.tensors.count", UInt16, ggufNumber(part.tensors, 2))},
                 .tensors = {ggufTensor(part.tensor, {1}, 0, 0)},
                 .data = std::string("\0\0\x80\x3F", 4)})));
    }
    [[nodiscard]] Expected<ArrayFilePtr> open(const std::string& name) const
    {
        return openArrays(*this / name);
    }
    void expectRefusal(const std::string& said) const
    {
        const auto file = open("m-00001-of-00002.gguf");
        ASSERT_FALSE(file);
        EXPECT_NE(describe(file.error()).find(said), std::string::npos) << describe(file.error());
    }
};

} // namespace

TEST(SplitGguf, anyPartOpensTheWhole)
{
    const Model model;
    model.write("m-00001-of-00002.gguf", {"a", 0});
    model.write("m-00002-of-00002.gguf", {"b", 1});
    for (const char* name : {"m-00001-of-00002.gguf", "m-00002-of-00002.gguf"}) {
        const auto file = model.open(name);
        ASSERT_TRUE(file) << describe(file.error());
        EXPECT_EQ((*file)->format(), "gguf");
        ASSERT_EQ((*file)->arrays().size(), 2U);
        EXPECT_EQ(floatsOf(*file, "b"), std::vector<float>{1});
        const GgufMetadata* values = ggufMetadata(**file);
        ASSERT_NE(values, nullptr);
        EXPECT_EQ(values->value("split.no").value().integer().value(), 0);
        EXPECT_EQ((*file)->metadata().size(), 3U);
    }
}

TEST(SplitGguf, otherNamesAreSingleFiles)
{
    const Model model;
    for (const char* name :
         {"m-00001-of-00001.gguf", "m-00003-of-00002.gguf", "m-0001-of-0002.gguf",
          "m-00000-of-00002.gguf", "m_00001-of-00002.gguf", "00001-of-00002.gguf"}) {
        model.write(name, {"a", 0});
        const auto file = model.open(name);
        ASSERT_TRUE(file) << name << ": " << describe(file.error());
        EXPECT_EQ((*file)->arrays().size(), 1U) << name;
    }
}

TEST(SplitGguf, partsThatDoNotFitAreRefused)
{
    const Model model;
    model.write("m-00001-of-00002.gguf", {"a", 0});
    model.expectRefusal("\"m-00002-of-00002.gguf\" of the model is not beside it");
    model.write("m-00002-of-00002.gguf", {"b", 0});
    model.expectRefusal("split.no should be 1, but it is 0");
    model.write("m-00002-of-00002.gguf", {"b", 1, 3});
    model.expectRefusal("split.count should be 2, but it is 3");
    model.write("m-00002-of-00002.gguf", {"a", 1});
    model.expectRefusal("\"a\" is in two files");
    model.write("m-00001-of-00002.gguf", {"a", 0, 2, 3});
    model.write("m-00002-of-00002.gguf", {"b", 1});
    model.expectRefusal("have 2 tensors; 3 are promised");
    writeBytes(model / "m-00002-of-00002.gguf", asText(gguf({})));
    model.expectRefusal("split.no");
    writeBytes(model / "m-00002-of-00002.gguf", "GGUF");
    model.expectRefusal("m-00002-of-00002.gguf");
}
