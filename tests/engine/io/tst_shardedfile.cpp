// A model in several .safetensors files, opened by its index.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "iofiles.h"

using namespace heed;

namespace {

const std::vector<float> six{1, 2, 3, 4, 5, 6};

/// Two files: "a" and "b" in the first, "c" in the second.
class Model : public TemporaryFolder {
public:
    Model()
    {
        EXPECT_TRUE(writeArrays(*this / "model-1.safetensors",
                                std::vector{toWrite("a", ElementType::Float32, {3, 2}, six),
                                            toWrite("b", ElementType::Float32, {6}, six)}));
        EXPECT_TRUE(writeArrays(*this / "model-2.safetensors",
                                std::vector{toWrite("c", ElementType::Float32, {2, 3}, six)}));
    }

    [[nodiscard]] Expected<ArrayFilePtr> open(const std::string& index) const
    {
        writeBytes(*this / "model.safetensors.index.json", index);
        return openArrays(*this / "model.safetensors.index.json");
    }
};

} // namespace

TEST(ShardedFile, readsSeveralFilesAsOne)
{
    const Model model;
    const auto opened = model.open(
        R"({"metadata":{"total_size":72,"x":[{}]},"weight_map":{"c":"model-2.safetensors",)"
        R"("a":"model-1.safetensors"},"other":{"weight_map":{"d":1}}})");
    ASSERT_TRUE(opened) << describe(opened.error());
    const ArrayFilePtr& file = *opened;
    EXPECT_EQ(file->format(), "safetensors");
    ASSERT_EQ(file->arrays().size(), 2U); // "b" is not in the index
    EXPECT_EQ(file->arrays()[0].name, "c");
    EXPECT_EQ(file->arrays()[1].shape, (Shape{3, 2}));
    EXPECT_EQ(floatsOf(file, "a"), six);
    EXPECT_EQ(floatsOf(file, "c"), six);
    EXPECT_EQ(file->readRaw("c").value(), bytesOf(six));
    EXPECT_EQ(file->mapped("a").size(), 6U);
    std::vector<float> rows(4);
    ASSERT_TRUE(file->readRows("a", 1, {rows.data(), 2, 2, 2}));
    EXPECT_EQ(rows, (std::vector<float>{3, 4, 5, 6}));
    EXPECT_EQ(file->read("b").error().code, Code::NotFound);
    EXPECT_EQ(model.open(R"({"weight_map":{}})").value()->arrays().size(), 0U);
}

TEST(ShardedFile, readsFilesOfTorch)
{
    const TemporaryFolder folder;
    const std::filesystem::path torch = golden("../torch/");
    std::filesystem::copy_file(torch / "zip.pt", folder / "pytorch_model-1.bin");
    std::filesystem::copy_file(torch / "nested.pt", folder / "pytorch_model-2.bin");
    const std::filesystem::path index = folder / "pytorch_model.bin.index.json";
    writeBytes(index, R"({"weight_map":{"float32":"pytorch_model-1.bin",)"
                      R"("weight":"pytorch_model-2.bin"}})");
    const auto file = openArrays(index);
    ASSERT_TRUE(file) << describe(file.error());
    EXPECT_EQ((*file)->format(), "torch");
    EXPECT_EQ(floatsOf(*file, "float32"),
              floatsOf(openArrays(torch / "expected.npz").value(), "float32"));
    EXPECT_EQ((*file)->find("weight")->shape, (Shape{4, 6}));
    writeBytes(folder / "pytorch_model-2.bin", "no pickle");
    EXPECT_EQ(openArrays(index).error().code, Code::BadFormat);
}

TEST(ShardedFile, refusesAnIndexThatIsWrong)
{
    const Model model;
    writeBytes(model / "bad.safetensors", "no header");
    const auto mapped = [](const std::string& file) {
        return R"({"weight_map":{"a":)" + file + "}}";
    };
    struct Row {
        std::string index;
        const char* says;
        Code code = Code::BadFormat;
    };
    const std::vector<Row> rows = {
        // A name that leaves the folder, on any system.
        {mapped(R"("../model-1.safetensors")"), "plain name"},
        {mapped(R"("..")"), "plain name"},
        {mapped(R"(".")"), "plain name"},
        {mapped(R"("")"), "plain name"},
        {mapped(R"("/etc/passwd")"), "plain name"},
        {mapped(R"("sub/model-1.safetensors")"), "plain name"},
        {mapped(R"("..\\model-1.safetensors")"), "plain name"},
        {mapped(R"("C:model-1.safetensors")"), "plain name"},
        {mapped(R"("model-1.safetensors\u0000")"), "plain name"},
        {mapped(R"("model-3.safetensors")"), "not beside", Code::NotFound},
        {mapped(R"("model-2.safetensors")"), "is not in"},
        {mapped(R"("bad.safetensors")"), "header"},
        {mapped(R"("model.safetensors.index.json")"), "header"},
        {mapped("1"), "as text"},
        {mapped("null"), "as text"},
        {mapped("[]"), "as text"},
        {mapped("{}"), "as text"},
        {R"({"weight_map":[]})", "as text"},
        {R"({"weight_map":"a"})", "as text"},
        {R"({"weight_map":null})", "as text"},
        {R"({"weight_map":{"a":"model-1.safetensors","a":"model-1.safetensors"}})", "twice"},
        {R"({"weight_map":{},"weight_map":{}})", "twice"},
        {R"({"metadata":{}})", "has none"},
        {R"({"other":{"weight_map":{}}})", "has none"},
        {"[]", "has none"},
        {R"({"weight_map":{)", ""},
        {R"({"x":)" + std::string(40, '[') + std::string(40, ']') + "}", ""},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.index);
        const auto file = model.open(row.index);
        ASSERT_FALSE(file);
        EXPECT_EQ(file.error().code, row.code) << describe(file.error());
        EXPECT_NE(file.error().message.find(row.says), std::string::npos) << describe(file.error());
        EXPECT_FALSE(file.error().context.empty());
    }
}

TEST(ShardedFile, opensAnIndexByItsNameAlone)
{
    const Model model;
    const std::string index = R"({"weight_map":{"a":"model-1.safetensors"},"x":[1,2]})";
    writeBytes(model / "model.json", index);
    EXPECT_EQ(openArrays(model / "model.json").value()->format(), "json");
    // An array file of that name is what its content says.
    std::filesystem::copy_file(model / "model-1.safetensors", model / "b.safetensors.index.json");
    EXPECT_EQ(openArrays(model / "b.safetensors.index.json").value()->arrays().size(), 2U);
}
