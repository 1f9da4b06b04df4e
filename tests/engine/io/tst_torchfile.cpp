// Reading what torch.save() writes: numbers of every type in both forms, and what is refused.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "iofiles.h"

#include "io/pickle.h"

using namespace heed;
using namespace std::string_view_literals;

namespace {

std::filesystem::path torchGolden(const std::string& name)
{
    return golden("../torch/" + name);
}

std::string contents(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

Expected<detail::Pickle> pickleOf(std::string_view text)
{
    return detail::readPickle(std::as_bytes(std::span(text.data(), text.size())), "p");
}

Expected<ArrayFilePtr> openText(const std::string& text)
{
    return openArrays(toBytes(text), "torch");
}

/// @p text with its only @p from replaced.
std::string with(std::string text, std::string_view from, std::string_view to)
{
    const std::size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return at == text.npos ? text : text.replace(at, from.size(), to);
}

void expectRefusal(const Expected<ArrayFilePtr>& file, const std::string& said)
{
    ASSERT_FALSE(file) << said;
    EXPECT_NE(describe(file.error()).find(said), std::string::npos) << describe(file.error());
}

} // namespace

TEST(TorchFile, bothFormsGiveTheNumbersOfTorch)
{
    const auto expected = openArrays(torchGolden("expected.npz")).value();
    for (const char* name : {"zip.pt", "legacy.pt"}) {
        SCOPED_TRACE(name);
        const auto file = openArrays(torchGolden(name));
        ASSERT_TRUE(file) << describe(file.error());
        EXPECT_EQ((*file)->format(), "torch");
        ASSERT_EQ((*file)->arrays().size(), expected->arrays().size());
        for (const ArrayInfo& info : (*file)->arrays()) {
            SCOPED_TRACE(info.name);
            ASSERT_NE(expected->find(info.name), nullptr);
            EXPECT_EQ(info.shape, expected->find(info.name)->shape);
            EXPECT_EQ(floatsOf(*file, info.name), floatsOf(expected, info.name));
            const auto raw = (*file)->readRaw(info.name);
            ASSERT_TRUE(raw) << describe(raw.error());
        }
        EXPECT_EQ((*file)->find("bfloat16")->type, ElementType::BFloat16);
        EXPECT_EQ((*file)->find("bool")->type, ElementType::Bool);
        EXPECT_EQ((*file)->find("int64")->type, ElementType::Int64);
    }
    // Numbers in a zip archive begin at a multiple of 64 bytes.
    EXPECT_EQ(openArrays(torchGolden("zip.pt")).value()->mapped("float32").size(), 24U);
}

TEST(TorchFile, whatStandsBesideTheTensorsIsNotMade)
{
    const auto file = openArrays(torchGolden("nested.pt"));
    ASSERT_TRUE(file) << describe(file.error());
    ASSERT_EQ((*file)->arrays().size(), 1U);
    EXPECT_EQ((*file)->arrays()[0].name, "weight");
    EXPECT_EQ((*file)->arrays()[0].shape, (Shape{4, 6}));
}

TEST(TorchFile, everyBeginningOfAFileIsRefused)
{
    const std::string whole = contents(torchGolden("legacy.pt"));
    for (std::size_t length = 0; length < whole.size(); length += 7) {
        EXPECT_FALSE(openText(whole.substr(0, length))) << length;
    }
}

TEST(TorchFile, liesAreRefused)
{
    const std::string whole = contents(torchGolden("legacy.pt"));
    // The first tensor: storage, offset 0, shape (4, 6), strides (6, 1).
    const std::string shape = "K\x04K\x06\x86";
    expectRefusal(openText(with(whole, shape, "K\xFFK\x06\x86")), "does not fit");
    expectRefusal(openText(with(whole, "K\x06K\x01\x86", "K\xFFK\x01\x86")), "does not fit");
    expectRefusal(openText(with(whole, shape, "K\x04)\x86")), "no proper shape");
    expectRefusal(openText(with(whole, "\0\0\0storage"sv, "\0\0\0stowage"sv)),
                  "does not say where");
    expectRefusal(openText(with(whole, "M\xE9\x03", "M\xE8\x03")), "version of torch.save()");
    std::string huge = whole;
    const std::size_t counts = whole.rfind(std::string("\x18\0\0\0\0\0\0\0", 8));
    ASSERT_NE(counts, whole.npos);
    huge.replace(counts, 8, std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x0F", 8));
    expectRefusal(openText(huge), "numbers, but only");
    const auto other = openText(with(whole, "FloatStorage", "QuickStorage"));
    EXPECT_FALSE(other); // its numbers cannot be counted
    expectRefusal(openText("PK\5\6" + std::string(18, '\0')), "no data.pkl");
}

TEST(Pickle, valuesAreRead)
{
    const auto text = "\x80\x02}q\0(X\x01\0\0\0aJ\xFF\xFF\xFF\xFFX\x01\0\0\0b"
                      "\x8A\x02\xFF\x7F\x88G\x3F\xF8\0\0\0\0\0\0u."sv;
    const auto pickle = pickleOf(text);
    ASSERT_TRUE(pickle) << describe(pickle.error());
    EXPECT_EQ(pickle->size, text.size());
    const auto& items = pickle->root->items;
    ASSERT_EQ(items.size(), 6U);
    EXPECT_EQ(items[0]->text, "a");
    EXPECT_EQ(items[1]->whole, -1);
    EXPECT_EQ(items[3]->whole, 32767);
    EXPECT_EQ(items[5]->real, 1.5);
}

TEST(Pickle, onlyWhatTorchWritesIsRead)
{
    const auto refused = [](std::string_view text, Code code, const std::string& said) {
        const auto pickle = pickleOf(text);
        ASSERT_FALSE(pickle) << said;
        EXPECT_EQ(pickle.error().code, code) << describe(pickle.error());
        EXPECT_NE(describe(pickle.error()).find(said), std::string::npos)
            << describe(pickle.error());
    };
    refused("\x80\x04."sv, Code::Unsupported, "protocol 4");
    refused("\x80\x02\x93."sv, Code::Unsupported, "opcode 0x93");
    refused("cos\nsystem\n(S'true'\ntR."sv, Code::Unsupported, "opcode 0x53");
    refused(""sv, Code::BadFormat, "cut short");
    refused("X\xFF\xFF\xFF\xFF"sv, Code::BadFormat, "4294967295 bytes should follow, 0 do");
    refused("cos"sv, Code::BadFormat, "cut short in a name");
    refused("."sv, Code::BadFormat, "0 values");
    refused("NN."sv, Code::BadFormat, "2 values");
    refused("(."sv, Code::BadFormat, "1 values");
    refused("t."sv, Code::BadFormat, "mark is missing");
    refused("\x85."sv, Code::BadFormat, "value is missing");
    refused("(\x85."sv, Code::BadFormat, "value is missing");
    refused("h\x05."sv, Code::BadFormat, "number 5 was not remembered");
    refused("q\x05."sv, Code::BadFormat, "no value to remember");
    refused("K\x01K\x02R."sv, Code::BadFormat, "no name");
    refused("K\x01K\x02"
            "a."sv,
            Code::BadFormat, "no list");
    refused("}(K\x01u."sv, Code::BadFormat, "do not fit");
    refused("R."sv, Code::BadFormat, "value is missing");
    refused("b."sv, Code::BadFormat, "value is missing");
    // The byte of the opcode, not of what it lacks.
    EXPECT_EQ(pickleOf("NN\x93").error().context, "p, byte 2");
}

TEST(Pickle, aListMayHoldItself)
{
    const auto pickle = pickleOf("]q\x01h\x01"
                                 "a.");
    ASSERT_TRUE(pickle) << describe(pickle.error());
    EXPECT_EQ(pickle->root->items.front(), pickle->root);
}
