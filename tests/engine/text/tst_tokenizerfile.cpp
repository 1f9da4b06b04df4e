// Files of tokenizers: what is refused and how, what people read, and the older kinds of files.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/tokenizerfile.h"

#include "io/jsonreader.h"
#include "io/jsontree.h"
#include "text/unseentext.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <thread>
#include <unistd.h>

using namespace heed;

namespace {

std::filesystem::path golden(const std::string& name)
{
    const char* root = std::getenv("HEED_SOURCE_DIR");
    return std::filesystem::path(root == nullptr ? "." : root) / "tests/golden/tokenizers" / name;
}

std::string contents(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::filesystem::path& path, const std::string& text)
{
    std::ofstream(path, std::ios::binary) << text;
}

/// A folder that is empty at the start and gone at the end.
class TokenizerFile : public testing::Test {
protected:
    void SetUp() override
    {
        m_folder = std::filesystem::temp_directory_path() /
                   ("heed_tokenizer_" + std::to_string(::getpid()));
        std::filesystem::remove_all(m_folder);
        std::filesystem::create_directories(m_folder);
    }
    void TearDown() override { std::filesystem::remove_all(m_folder); }

    std::filesystem::path m_folder;
};

/// A word-level tokenizer of "a", "b" and "[UNK]", with further members.
std::string small(const std::string& more = {})
{
    return R"({"model":{"type":"WordLevel","vocab":{"a":0,"b":1,"[UNK]":2},"unk_token":"[UNK]"})" +
           (more.empty() ? "" : "," + more) + "}";
}

/// With the tokens that the model puts around a text; texts that are refused count for nothing.
detail::UnseenText unseenText(const VocabularyTokenizer& tokenizer,
                              const std::vector<std::string>& texts, std::size_t most = 5)
{
    detail::UnseenText unseen;
    for (const std::string& text : texts) {
        if (const auto tokens = tokenizer.encode(text)) {
            detail::addUnseen(unseen, tokenizer, text, *tokens, most);
        }
    }
    return unseen;
}

std::vector<std::string> readable(const VocabularyTokenizer& tokenizer, std::string_view line)
{
    std::vector<std::string> texts;
    const auto tokens = tokenizer.encode(line);
    EXPECT_TRUE(tokens) << (tokens ? "" : describe(tokens.error()));
    for (const Token& token : tokens.value_or(std::vector<Token>())) {
        texts.push_back(displayText(token));
    }
    return texts;
}

std::vector<std::pair<std::uint64_t, std::int64_t>> tokensOf(const VocabularyTokenizer& tokenizer,
                                                             std::string_view line)
{
    std::vector<std::pair<std::uint64_t, std::int64_t>> result;
    const std::vector<Token> tokens = tokenizer.encode(line).value();
    for (const Token& token : tokens) {
        result.emplace_back(token.id, token.begin);
    }
    return result;
}

} // namespace

TEST_F(TokenizerFile, refusesWhatIsWrongWithItsPlace)
{
    struct Row {
        const char* name;
        std::string json;
        Code code;
        std::vector<std::string> message;
    };
    const std::string deep(40, '[');
    const std::vector<Row> rows = {
        {"no JSON", "tokenizer", Code::BadFormat, {"not JSON"}},
        {"empty", "", Code::BadFormat, {"not JSON"}},
        {"cut short", small().substr(0, 40), Code::BadFormat, {"not JSON"}},
        {"a list", "[]", Code::BadFormat, {"has no member 'model'"}},
        {"no model", R"({"version":"1.0"})", Code::BadFormat, {"has no member 'model'"}},
        {"a name twice", R"({"model":1,"model":2})", Code::BadFormat, {"occurs twice"}},
        {"a piece twice",
         R"({"model":{"type":"WordLevel","vocab":{"a":0,"a":1},"unk_token":"a"}})",
         Code::BadFormat,
         {"occurs twice"}},
        {"too deep", R"({"model":)" + deep, Code::BadFormat, {"deeper than"}},
        {"unknown model",
         R"({"model":{"type":"WordPeace","vocab":{}}})",
         Code::Unsupported,
         {"model 'WordPeace'", "nearest is 'WordPiece'", "BPE, WordPiece, Unigram, WordLevel"}},
        {"unknown normalizer",
         small(R"("normalizer":{"type":"Sequence","normalizers":[{"type":"Uppercase"}]})"),
         Code::Unsupported,
         {"normalizer.normalizers[0]", "'Uppercase'", "Known: "}},
        {"unknown pre-tokenizer",
         small(R"("pre_tokenizer":{"type":"UnicodeScripts"})"),
         Code::Unsupported,
         {"pre-tokenizer 'UnicodeScripts'"}},
        {"unknown post-processor",
         small(R"("post_processor":{"type":"X"})"),
         Code::Unsupported,
         {"post-processor 'X'"}},
        {"unknown behaviour",
         small(R"("pre_tokenizer":{"type":"Split","pattern":{"String":"a"},"behavior":"Isolate"})"),
         Code::Unsupported,
         {"behaviour 'Isolate'", "'Isolated'"}},
        {"no pattern",
         small(
             R"("pre_tokenizer":{"type":"Split","pattern":{"Regex":"(a"},"behavior":"Isolated"})"),
         Code::BadFormat,
         {"pre_tokenizer.pattern", "no regular expression"}},
        {"table of characters",
         small(R"("normalizer":{"type":"Precompiled","precompiled_charsmap":"////"})"),
         Code::BadFormat,
         {"normalizer.precompiled_charsmap"}},
        {"table that is no base64",
         small(R"("normalizer":{"type":"Precompiled","precompiled_charsmap":"a?b"})"),
         Code::BadFormat,
         {"base64"}},
        {"negative number",
         R"({"model":{"type":"WordLevel","vocab":{"a":-1}}})",
         Code::BadFormat,
         {"model.vocab.a", "number of a token"}},
        {"large number",
         R"({"model":{"type":"WordLevel","vocab":{"a":4294967296}}})",
         Code::BadFormat,
         {"model.vocab.a"}},
        {"unknown piece",
         R"({"model":{"type":"Unigram","vocab":[["a",0.0]],"unk_id":1}})",
         Code::BadFormat,
         {"model.unk_id", "1 pieces"}},
        {"merge",
         R"({"model":{"type":"BPE","vocab":{"a":0},"merges":["a"]}})",
         Code::BadFormat,
         {"model.merges[0]"}},
        {"added token with another number",
         small(R"("added_tokens":[{"id":7,"content":"b"}])"),
         Code::BadFormat,
         {"added_tokens[0]", "'b'", "7", "1"}},
        {"special token that is not there",
         small(
             R"("post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"x","type_id":0}}],"pair":[],"special_tokens":{}})"),
         Code::BadFormat,
         {"has no member 'x'"}},
    };
    for (const Row& row : rows) {
        const auto tokenizer = readTokenizerJson(row.json, "file.json");
        ASSERT_FALSE(tokenizer) << row.name;
        EXPECT_EQ(tokenizer.error().code, row.code) << row.name;
        for (const std::string& part : row.message) {
            EXPECT_NE(tokenizer.error().message.find(part), std::string::npos)
                << row.name << ": " << describe(tokenizer.error());
        }
        EXPECT_TRUE(tokenizer.error().context.starts_with("file.json, byte ")) << row.name;
    }
}

TEST_F(TokenizerFile, patternsHaveALimitOfSteps)
{
    const auto tokenizer = readTokenizerJson(
        small(
            R"("pre_tokenizer":{"type":"Split","pattern":{"Regex":"(a|aa|a)+$"},"behavior":"Isolated"})"),
        "file.json");
    ASSERT_TRUE(tokenizer) << describe(tokenizer.error());
    EXPECT_TRUE((*tokenizer)->encode("aaa"));
    const auto tokens = (*tokenizer)->encode(std::string(200, 'a') + "b");
    ASSERT_FALSE(tokens);
    EXPECT_EQ(tokens.error().code, Code::Unsupported);
    EXPECT_NE(tokens.error().message.find("takes too long"), std::string::npos);
}

TEST_F(TokenizerFile, linesThatCannotBeEncodedSayWhy)
{
    const auto tokenizer =
        readTokenizerJson(small(R"("pre_tokenizer":{"type":"WhitespaceSplit"})"), "file.json")
            .value();
    const auto wrong = tokenizer->encode("a \xFF");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().code, Code::BadFormat);
    EXPECT_EQ(wrong.error().context, "byte 2");
    EXPECT_EQ(tokenizer->encodeTexts("a", "\xFF", SpecialTokens::Add).error().context,
              "second text, byte 0");
    EXPECT_EQ(tokenizer->encode("a b a", 2).error().code, Code::OutOfMemory);
    EXPECT_TRUE(tokenizer->encode("a b a", 3));
    const auto poor =
        readTokenizerJson(R"({"model":{"type":"WordLevel","vocab":{"a":0}}})", "x").value();
    EXPECT_EQ(poor->encode("b").error().code, Code::BadFormat);
}

TEST_F(TokenizerFile, piecesAreWrittenAsPeopleReadThem)
{
    const auto gpt2 = openTokenizer(golden("gpt2.json")).value();
    EXPECT_EQ(readable(*gpt2, "the 🦙\n"),
              (std::vector<std::string>{"t", "he", "␣‹F0›‹9F›", "‹A6›", "‹99›", "⏎"}));
    const auto llama2 = openTokenizer(golden("llama2.json")).value();
    EXPECT_EQ(readable(*llama2, "the ÿ").back(), "‹BF›");
    const auto bert = openTokenizer(golden("bert_uncased.json")).value();
    const auto tokens = bert->encode("Tired").value();
    EXPECT_EQ(tokens.front().text, "[CLS]");
    EXPECT_TRUE(tokens.front().isSpecial);
    EXPECT_FALSE(tokens[1].isSpecial);
    EXPECT_EQ(bert->piece(tokens.back().id), "[SEP]");
    EXPECT_EQ(bert->find("[SEP]"), tokens.back().id);
    EXPECT_EQ(bert->find("no such piece"), std::nullopt);
    EXPECT_EQ(bert->piece(1ULL << 40U), "");
    EXPECT_EQ(bert->size(), 700);
}

TEST_F(TokenizerFile, aVocabularyOfBertIsEnough)
{
    const auto whole = openTokenizer(golden("bert_uncased.json")).value();
    std::string list;
    for (std::int64_t id = 0; id < whole->size(); ++id) {
        list += std::string(whole->piece(static_cast<std::uint64_t>(id))) + "\n";
    }
    write(m_folder / "vocab.txt", list);
    const auto opened = openTokenizer(m_folder);
    ASSERT_TRUE(opened) << describe(opened.error());
    const std::string line = "The [MASK] didn't CROSS the Straße; Čapek 你好 it was too tired";
    EXPECT_EQ(tokensOf(**opened, line), tokensOf(*whole, line));

    // The settings beside it count: this is what the cased golden was made with.
    write(m_folder / "tokenizer_config.json",
          R"({"do_lower_case":false,"strip_accents":false,"unk_token":{"content":"[UNK]"}})");
    EXPECT_EQ((*openTokenizer(m_folder))->encode("[UNK]").value()[1].text, "[UNK]");
    EXPECT_NE(tokensOf(**openTokenizer(m_folder), line), tokensOf(*whole, line));

    write(m_folder / "vocab.txt", "a\nb\n");
    const auto poor = openTokenizer(m_folder);
    ASSERT_FALSE(poor);
    EXPECT_NE(poor.error().message.find("[UNK]"), std::string::npos);
}

TEST_F(TokenizerFile, aVocabularyOfSmilesIsKnownByItsPieces)
{
    const std::string special = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
    using Texts = std::vector<std::string>;
    write(m_folder / "vocab.txt", special + "c\nC\nCl\n>>\n[nH]\n%10\n");
    const auto smiles = openTokenizer(m_folder);
    ASSERT_TRUE(smiles) << describe(smiles.error());
    EXPECT_EQ(readable(**smiles, "CCl%10c[nH]>>C"),
              (Texts{"[CLS]", "C", "Cl", "%10", "c", "[nH]", ">>", "C", "[SEP]"}));
    // A single word makes it a list of words, as long as nothing else is said.
    write(m_folder / "vocab.txt", special + "c\nC\nCl\n##l\n");
    EXPECT_EQ(readable(*openTokenizer(m_folder).value(), "CCl"),
              (Texts{"[CLS]", "[UNK]", "[SEP]"}));
    write(m_folder / "tokenizer_config.json", R"({"tokenizer_class":"SmilesTokenizer"})");
    EXPECT_EQ(readable(*openTokenizer(m_folder).value(), "CCl"),
              (Texts{"[CLS]", "C", "Cl", "[SEP]"}));
}

TEST_F(TokenizerFile, whatAModelDoesNotSeeIsKnown)
{
    using Texts = std::vector<std::string>;
    const auto bert = openTokenizer(golden("bert_uncased.json")).value();
    const Texts lines = {"the \U0001F438 and the \U0001F438 [UNK]", "\u200b ascii \ufffd\ufffd",
                         "\xff"};
    const auto unseen = unseenText(*bert, lines);
    EXPECT_EQ(unseen.unknown.count, 2);
    EXPECT_EQ(unseen.unknown.first, (Texts{"\U0001F438"}));
    EXPECT_EQ(unseen.leftOut.count, 1);
    EXPECT_EQ(unseen.leftOut.first, (Texts{"\ufffd\ufffd"}));
    const auto smiles = openTokenizer(golden("smiles")).value();
    const auto reaction = unseenText(*smiles, Texts{"CAC [Xx] AlA"}, 1);
    EXPECT_EQ(reaction.unknown.first, (Texts{"[Xx]"}));
    EXPECT_EQ(reaction.leftOut.count, 2);
    EXPECT_EQ(reaction.leftOut.first, (Texts{"A"}));
    // Bytes stand in for everything.
    EXPECT_EQ(unseenText(*openTokenizer(golden("gpt2.json")).value(), lines).unknown.count, 0);
    EXPECT_EQ(openTokenizer(golden("sp_unigram.model")).value()->unknown(), 0U);
    EXPECT_EQ(openTokenizer(golden("word_level.json")).value()->unknown(), 0U);
    EXPECT_TRUE(openTokenizer(golden("t5.json")).value()->unknown());
    EXPECT_TRUE(openTokenizer(golden("fairseq.json")).value()->unknown());
}

TEST_F(TokenizerFile, piecesAndMergesOfGpt2AreEnough)
{
    const auto whole = openTokenizer(golden("gpt2.json")).value();
    const auto tree = detail::readJsonTree(contents(golden("gpt2.json")), "gpt2.json").value();
    const auto* model = tree.find("model");
    std::string merges = "#version: 0.2\n";
    for (const auto& merge : std::get<detail::JsonValue::Array>(model->find("merges")->value)) {
        const auto& both = std::get<detail::JsonValue::Array>(merge.value);
        merges += std::get<std::string>(both[0].value) + " " +
                  std::get<std::string>(both[1].value) + "\n";
    }
    std::string pieces;
    for (std::int64_t id = 0; id < whole->size(); ++id) {
        const std::string_view piece = whole->piece(static_cast<std::uint64_t>(id));
        pieces += (id == 0 ? "" : ",") + detail::jsonString(piece) + ":" + std::to_string(id);
    }
    write(m_folder / "vocab.json", "{" + pieces + "}");
    write(m_folder / "merges.txt", merges);
    const auto opened = openTokenizer(m_folder);
    ASSERT_TRUE(opened) << describe(opened.error());
    const std::string line = "The animal's tokens<|endoftext|> didn't, 🦙 Führer  1234\n";
    EXPECT_EQ(tokensOf(**opened, line), tokensOf(*whole, line));

    write(m_folder / "merges.txt", "a b c\n");
    EXPECT_EQ(openTokenizer(m_folder).error().context,
              (m_folder / "merges.txt").string() + ", byte 0");
    std::filesystem::remove(m_folder / "merges.txt");
    EXPECT_EQ(openTokenizer(m_folder).error().code, Code::NotFound);
}

TEST_F(TokenizerFile, aFolderWithoutATokenizerSaysWhatItShouldHold)
{
    const auto opened = openTokenizer(m_folder);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, Code::NotFound);
    EXPECT_NE(opened.error().message.find("tokenizer.json"), std::string::npos);
    EXPECT_EQ(openTokenizer(m_folder / "none.json").error().code, Code::NotFound);
}

TEST_F(TokenizerFile, olderFilesDoNotSayWhatTheirModelIs)
{
    const auto bpe = readTokenizerJson(
        R"({"model":{"vocab":{"a":0,"b":1,"ab":2,"c d":3},"merges":["a b"]}})", "x");
    ASSERT_TRUE(bpe) << describe(bpe.error());
    EXPECT_EQ((*bpe)->encode("abx").value().size(), 1U);
    EXPECT_TRUE(readTokenizerJson(R"({"model":{"vocab":[["a",0.5]],"unk_id":0}})", "x"));
}

TEST_F(TokenizerFile, mergesOfPiecesThatAreNotThereDoNotApply)
{
    const auto bpe = readTokenizerJson(
        R"({"model":{"type":"BPE","vocab":{"a":0,"b":1},"merges":["a b",["b","x"]]}})", "x");
    ASSERT_TRUE(bpe) << describe(bpe.error());
    EXPECT_EQ((*bpe)->encode("ab").value().size(), 2U);
}

TEST_F(TokenizerFile, isReentrant)
{
    const auto tokenizer = openTokenizer(golden("llama3.json")).value();
    const std::string line = "The animal didn't cross the street 你好 1234";
    const auto expected = tokensOf(*tokenizer, line);
    std::vector<std::thread> threads;
    std::vector<int> wrong(4);
    for (std::size_t t = 0; t < wrong.size(); ++t) {
        threads.emplace_back([&, t] {
            for (int round = 0; round < 20; ++round) {
                wrong[t] += tokensOf(*tokenizer, line) == expected ? 0 : 1;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong, std::vector<int>(4));
}
