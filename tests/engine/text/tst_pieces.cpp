// SentencePiece models and the tokenizers inside GGUF files: what is refused and how, what is put
// around a text, and what people read.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "../io/ggufbytes.h"

#include "heed/tokenizerfile.h"

#include <functional>

using namespace heed;

namespace {

constexpr unsigned UInt8 = 0;
constexpr unsigned UInt32 = 4;
constexpr unsigned Int32 = 5;
constexpr unsigned Float32 = 6;
constexpr unsigned Bool = 7;
constexpr unsigned Text = 8;
constexpr unsigned List = 9;

std::filesystem::path kind(const std::string& name)
{
    return golden("../tokenizers/" + name);
}

// --- protocol buffers by hand
// ---------------------------------------------------------------------

std::string varint(std::uint64_t value)
{
    std::string bytes;
    for (; value >= 0x80; value >>= 7) {
        bytes += static_cast<char>(value | 0x80);
    }
    return bytes + static_cast<char>(value);
}

std::string field(unsigned number, const std::string& bytes)
{
    return varint(number << 3U | 2) + varint(bytes.size()) + bytes;
}

std::string field(unsigned number, std::uint64_t value)
{
    return varint(number << 3U) + varint(value);
}

std::string pieceOf(const std::string& text, unsigned type = 1,
                    const std::string& score = std::string("\0\0\x80\xBF", 4))
{
    return field(1, field(1, text) + varint(2 << 3U | 5) + score + field(3, type));
}

const std::string few = pieceOf("<unk>", 2) + pieceOf("<s>", 3) + pieceOf("</s>", 3) +
                        pieceOf("a") + pieceOf("▁a") + pieceOf("▁");

std::vector<std::uint64_t> idsOf(const VocabularyTokenizer& tokenizer, std::string_view line)
{
    std::vector<std::uint64_t> ids;
    const auto tokens = tokenizer.encode(line);
    EXPECT_TRUE(tokens) << describe(tokens.error());
    for (const Token& token : tokens.value_or(std::vector<Token>())) {
        ids.push_back(token.id);
    }
    return ids;
}

using Ids = std::vector<std::uint64_t>;

class Model : public TemporaryFolder {
public:
    [[nodiscard]] VocabularyTokenizerPtr open(const std::string& name = "tokenizer.model") const
    {
        const auto tokenizer = openTokenizer(*this / name);
        EXPECT_TRUE(tokenizer) << describe(tokenizer.error());
        return tokenizer.value_or(nullptr);
    }
    void expectRefusal(const std::string& bytes, Code code, const std::string& said) const
    {
        writeBytes(*this / "tokenizer.model", bytes);
        const auto tokenizer = openTokenizer(*this / "tokenizer.model");
        ASSERT_FALSE(tokenizer) << said;
        EXPECT_EQ(tokenizer.error().code, code) << describe(tokenizer.error());
        EXPECT_NE(describe(tokenizer.error()).find(said), std::string::npos)
            << describe(tokenizer.error());
    }
};

// --- GGUF
// -----------------------------------------------------------------------------------------

std::string text(const std::string& name, const std::string& value)
{
    return ggufValue("tokenizer.ggml." + name, Text, ggufText(value));
}

std::string number(const std::string& name, std::uint64_t value)
{
    return ggufValue("tokenizer.ggml." + name, UInt32, ggufNumber(value, 4));
}

std::string flag(const std::string& name, bool value)
{
    return ggufValue("tokenizer.ggml." + name, Bool, ggufNumber(value ? 1 : 0, 1));
}

std::string texts(const std::string& name, const std::vector<std::string>& all)
{
    std::string bytes;
    for (const std::string& one : all) {
        bytes += ggufText(one);
    }
    return ggufValue("tokenizer.ggml." + name, List, ggufList(Text, all.size(), bytes));
}

std::string integers(const std::string& name, const std::vector<std::uint64_t>& all)
{
    std::string bytes;
    for (const std::uint64_t one : all) {
        bytes += ggufNumber(one, 4);
    }
    return ggufValue("tokenizer.ggml." + name, List, ggufList(Int32, all.size(), bytes));
}

Expected<VocabularyTokenizerPtr> inGguf(const std::vector<std::string>& values)
{
    const auto file = openArrays(gguf({.values = values}), "gguf");
    EXPECT_TRUE(file) << describe(file.error());
    return readTokenizer(**file, "m.gguf");
}

void expectRefusal(const std::vector<std::string>& values, Code code, const std::string& said)
{
    const auto tokenizer = inGguf(values);
    ASSERT_FALSE(tokenizer) << said;
    EXPECT_EQ(tokenizer.error().code, code) << describe(tokenizer.error());
    EXPECT_NE(describe(tokenizer.error()).find(said), std::string::npos)
        << describe(tokenizer.error());
}

} // namespace

TEST(SentencePiece, wrongFilesAreRefusedWithTheByte)
{
    const Model model;
    model.expectRefusal("", Code::BadFormat, "holds no pieces");
    model.expectRefusal(few + '\x0A', Code::BadFormat, "byte " + std::to_string(few.size()));
    model.expectRefusal(few + varint(1 << 3U | 2) + varint(1000) + "a", Code::BadFormat,
                        "takes 1000 bytes, but 1 remain");
    model.expectRefusal(varint(1 << 3U | 2) + varint(~std::uint64_t{0}), Code::BadFormat,
                        "18446744073709551615 bytes, but 0 remain");
    model.expectRefusal(std::string(11, '\xFF'), Code::BadFormat, "more than ten bytes");
    model.expectRefusal(varint(1 << 3U | 3), Code::BadFormat, "of kind 3");
    model.expectRefusal(field(1, std::uint64_t{7}), Code::BadFormat, "should be a text or a part");
    model.expectRefusal(few + field(1, field(1, std::uint64_t{7})), Code::BadFormat,
                        "byte " + std::to_string(few.size() + 2));
    model.expectRefusal(pieceOf("a", 7), Code::BadFormat, "of type 7");
    model.expectRefusal(pieceOf(""), Code::BadFormat, "Piece 0 is empty");
    model.expectRefusal(pieceOf("\xFF"), Code::BadFormat, "Piece 0 is not UTF-8");
    model.expectRefusal(pieceOf("a", 1, std::string("\0\0\xC0\x7F", 4)), Code::BadFormat,
                        "no number");
    model.expectRefusal(few + field(2, field(3, std::uint64_t{3})), Code::Unsupported, "type 3");
    model.expectRefusal(few + field(3, field(2, "abc")), Code::BadFormat, "table of characters");
}

TEST(SentencePiece, unknownFieldsAreSkipped)
{
    const Model model;
    writeBytes(model / "tokenizer.model", field(9, "x") + few + varint(10 << 3U | 1) +
                                              std::string(8, 'x') + field(11, std::uint64_t{1}));
    const auto tokenizer = model.open();
    ASSERT_NE(tokenizer, nullptr);
    EXPECT_EQ(tokenizer->size(), 6);
    EXPECT_EQ(idsOf(*tokenizer, "a aa"), (Ids{4, 4, 3}));
    EXPECT_EQ(tokenizer->encode("a").value()[0].text, " a");
}

TEST(SentencePiece, whatHasNoPieceIsUnknown)
{
    const Model model;
    writeBytes(model / "tokenizer.model", few);
    // Neighbours are one token, and text that looks like a control piece is text.
    const std::string line = "xyz<s>a";
    const auto tokens = model.open()->encode(line).value();
    ASSERT_EQ(tokens.size(), 3U);
    EXPECT_EQ(tokens[1].id, 0U);
    EXPECT_EQ(tokens[1].begin, 0);
    EXPECT_EQ(tokens[1].end, 6);
    EXPECT_EQ(tokens[2].id, 3U);

    writeBytes(model / "tokenizer.model", pieceOf("a"));
    const auto refused = model.open()->encode("b");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::BadFormat);
}

TEST(SentencePiece, theFolderTellsWhatIsPutAroundAText)
{
    struct Row {
        const char* file;
        const char* content;
        Ids ids; ///< of "a</s>"
    };
    const std::vector<Row> rows = {
        {"config.json", R"({"model_type":"other"})", {4, 2}},
        {"config.json", R"({"model_type":"llama"})", {1, 4, 2}},
        {"config.json", R"({"model_type":"t5"})", {4, 2, 2}},
        {"tokenizer_config.json", R"({"tokenizer_class":"LlamaTokenizer"})", {1, 4, 2}},
        {"tokenizer_config.json",
         R"({"tokenizer_class":"LlamaTokenizer","add_bos_token":false,"add_eos_token":true})",
         {4, 2, 2}},
        {"tokenizer_config.json", R"({"tokenizer_class":"T5Tokenizer"})", {4, 2, 2}},
    };
    for (const Row& row : rows) {
        const Model model;
        writeBytes(model / "tokenizer.model", few);
        writeBytes(model / row.file, row.content);
        const auto tokenizer = model.open(".");
        ASSERT_NE(tokenizer, nullptr);
        EXPECT_EQ(idsOf(*tokenizer, "a</s>"), row.ids) << row.content;
    }
}

TEST(SentencePiece, t5CountsPlacesDownFromTheEnd)
{
    const Model model;
    writeBytes(model / "spiece.model", few);
    writeBytes(model / "config.json", R"({"model_type":"t5"})");
    const auto tokenizer = model.open(".");
    ASSERT_NE(tokenizer, nullptr);
    EXPECT_EQ(tokenizer->size(), 106);
    EXPECT_EQ(idsOf(*tokenizer, "a <extra_id_0>"), (Ids{4, 105, 2}));
    EXPECT_EQ(tokenizer->find("<extra_id_99>"), 6U);
}

TEST(SentencePiece, familiesThatNumberOtherwiseAreRefused)
{
    const Model model;
    writeBytes(model / "sentencepiece.bpe.model", few);
    writeBytes(model / "config.json", R"({"model_type":"camembert"})");
    const auto tokenizer = openTokenizer(model / ".");
    ASSERT_FALSE(tokenizer);
    EXPECT_EQ(tokenizer.error().code, Code::Unsupported);
    EXPECT_NE(tokenizer.error().message.find("camembert"), std::string::npos);
}

TEST(SentencePiece, languagesThatAFamilyLacksAreRefused)
{
    const Model model;
    writeBytes(model / "sentencepiece.bpe.model", few);
    for (const char* kind : {"MBartTokenizer", "MBart50Tokenizer"}) {
        writeBytes(model / "tokenizer_config.json",
                   std::string(R"({"src_lang":"en_GB","tokenizer_class":")") + kind + "\"}");
        const auto tokenizer = openTokenizer(model / ".");
        ASSERT_FALSE(tokenizer);
        EXPECT_EQ(tokenizer.error().code, Code::Unsupported);
        EXPECT_NE(tokenizer.error().message.find("'en_GB'"), std::string::npos);
        EXPECT_NE(tokenizer.error().message.find("en_XX"), std::string::npos);
    }
}

TEST(SentencePiece, marianTakesItsNumbersFromTheVocabulary)
{
    const Model model;
    writeBytes(model / "source.spm", few);
    writeBytes(model / "config.json", R"({"model_type":"marian"})");
    const auto alone = openTokenizer(model / ".");
    ASSERT_FALSE(alone);
    EXPECT_NE(describe(alone.error()).find("vocab.json"), std::string::npos);
    writeBytes(model / "vocab.json", R"({"</s>":0,"a":1})");
    const auto poor = openTokenizer(model / ".");
    ASSERT_FALSE(poor);
    EXPECT_EQ(poor.error().code, Code::BadFormat);
    EXPECT_NE(poor.error().message.find("<unk>"), std::string::npos);
    writeBytes(model / "vocab.json", R"({"</s>":0,"▁a":7,"<unk>":1,"▁b":9})");
    EXPECT_EQ(idsOf(*model.open("."), "a"), (Ids{7, 0}));
    // The vocabulary of the other language, where there is one.
    writeBytes(model / "target.spm", few);
    writeBytes(model / "target_vocab.json", R"({"</s>":3,"<unk>":2,"▁a":5})");
    EXPECT_EQ(idsOf(*model.open("target.spm"), "a"), (Ids{7, 0}));
    writeBytes(model / "tokenizer_config.json", R"({"separate_vocabs":true})");
    EXPECT_EQ(idsOf(*model.open("target.spm"), "a"), (Ids{5, 3}));
    EXPECT_EQ(idsOf(*model.open("."), "a"), (Ids{7, 0}));
}

TEST(GgufTokenizer, specialTokensAreThoseOfTheFile)
{
    const std::vector<std::string> bare = {
        text("model", "llama"),
        texts("tokens", {"<unk>", "<s>", "</s>", "a", "▁a", "▁"}),
        ggufValue("tokenizer.ggml.scores", List, ggufList(Float32, 6, std::string(24, '\0'))),
        integers("token_type", {2, 3, 3, 1, 1, 1}),
        number("bos_token_id", 1),
        number("eos_token_id", 2)};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), bare.begin(), bare.end());
        return inGguf(more).value();
    };
    EXPECT_EQ(idsOf(*with({}), "a</s>a"), (Ids{1, 4, 2, 4}));
    EXPECT_EQ(idsOf(*with({flag("add_bos_token", false), flag("add_eos_token", true)}), "a"),
              (Ids{4, 2}));
    EXPECT_EQ(idsOf(*with({flag("add_space_prefix", false)}), "a"), (Ids{1, 3}));
    EXPECT_EQ(with({})->encode("a").value()[1].text, " a");
    const auto pair = with({})->encodeTexts("a", "a", SpecialTokens::Add).value();
    EXPECT_EQ(pair.segments, (std::vector<std::int32_t>{0, 0, 1, 1}));
}

TEST(GgufTokenizer, aTokenizerJsonInsideIsPreferred)
{
    const auto tokenizer = inGguf(
        {text("model", "unheard of"),
         ggufValue("tokenizer.huggingface.json", Text,
                   ggufText(R"({"model":{"type":"WordLevel","vocab":{"a":7},"unk_token":"a"}})"))});
    ASSERT_TRUE(tokenizer) << describe(tokenizer.error());
    EXPECT_EQ(idsOf(**tokenizer, "a"), (Ids{7}));
}

TEST(GgufTokenizer, whatIsWrongIsNamed)
{
    const auto gpt2 = text("model", "gpt2");
    const auto pre = text("pre", "gpt-2");
    const auto few = texts("tokens", {"a", "b", "ab"});
    expectRefusal({}, Code::NotFound, "holds no tokenizer");
    expectRefusal({text("model", "rwkv")}, Code::Unsupported,
                  "'rwkv', which is not supported. Supported: gpt2, llama, t5, bert");
    expectRefusal({number("model", 1)}, Code::BadFormat, "tokenizer.ggml.model");
    expectRefusal({gpt2, few}, Code::Unsupported, "tokenizer.ggml.pre");
    expectRefusal({gpt2, few, text("pre", "lama3")}, Code::Unsupported,
                  "'lama3', which this program does not know. The nearest is 'llama3'");
    expectRefusal({gpt2, pre}, Code::NotFound, "tokenizer.ggml.tokens");
    expectRefusal({gpt2, pre, texts("tokens", {})}, Code::BadFormat, "holds no pieces");
    expectRefusal({gpt2, pre, texts("tokens", {"a", "\xFF"})}, Code::BadFormat,
                  "not UTF-8, number 1");
    expectRefusal({gpt2, pre, few}, Code::NotFound, "tokenizer.ggml.merges");
    expectRefusal({gpt2, pre, few, texts("merges", {"a b", "ab"})}, Code::BadFormat, "number 1");
    expectRefusal({gpt2, pre, few, texts("merges", {}), integers("token_type", {1, 1})},
                  Code::BadFormat, "2 elements for 3 pieces");
    expectRefusal({gpt2, pre, few, texts("merges", {}), integers("token_type", {1, 0, 1})},
                  Code::BadFormat, "the type 0");
    expectRefusal({gpt2, pre, few, texts("merges", {}), number("bos_token_id", 3)}, Code::BadFormat,
                  "bos_token_id is 3, but there are 3 pieces");
    expectRefusal({gpt2, pre, few, texts("merges", {}), text("add_bos_token", "yes")},
                  Code::BadFormat, "add_bos_token");
    const auto scores = [](std::size_t size) {
        return ggufValue("tokenizer.ggml.scores", List,
                         ggufList(Float32, size, std::string(4 * size, '\xFF')));
    };
    expectRefusal({text("model", "llama"), few, scores(2)}, Code::BadFormat, "2 elements for 3");
    expectRefusal({text("model", "llama"), few, scores(3)}, Code::BadFormat,
                  "Piece 0 has a score that is no number");
    expectRefusal(
        {text("model", "t5"), few,
         ggufValue("tokenizer.ggml.precompiled_charsmap", List, ggufList(UInt8, 3, "abc"))},
        Code::BadFormat, "table of characters");
    expectRefusal({text("model", "bert"), few}, Code::BadFormat, "no piece [CLS]");
    const auto npz = openArrays(kind("texts.npz")).value();
    EXPECT_EQ(readTokenizer(*npz, "t").error().code, Code::Unsupported);
}

TEST(GgufTokenizer, mergesMayBeginWithASpace)
{
    const auto tokenizer =
        inGguf({text("model", "gpt2"), text("pre", "gpt-2"), texts("tokens", {"a", "b", " ", " b"}),
                texts("merges", {"  b", "a b"})});
    ASSERT_TRUE(tokenizer) << describe(tokenizer.error());
    EXPECT_EQ(idsOf(**tokenizer, "ab"), (Ids{0, 1}));
}
