// Token numbers, ranges and segments as the `tokenizers` and `sentencepiece` packages give them
// (tests/oracle/make_tokenizer_goldens.py, make_piece_goldens.py), for small tokenizers of every
// kind; of SMILES, as the `rxnmapper` package does (make_smiles_goldens.py);
// of families that number the pieces of SentencePiece themselves, as `transformers` does
// (make_slow_goldens.py). The texts are those of a file, every character, and 100,000 random ones
// (make_random_goldens.py).
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/arrayfile.h"
#include "heed/tokenizerfile.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <zlib.h>

using namespace heed;

namespace {

std::filesystem::path folder()
{
    const char* root = std::getenv("HEED_SOURCE_DIR");
    return std::filesystem::path(root == nullptr ? "." : root) / "tests/golden/tokenizers";
}

template <typename T>
std::vector<T> numbers(const ArrayFile& file, const std::string& name)
{
    const auto bytes = file.readRaw(name);
    EXPECT_TRUE(bytes) << (bytes ? "" : describe(bytes.error()));
    std::vector<T> values(bytes ? bytes->size() / sizeof(T) : 0);
    if (!values.empty()) {
        std::memcpy(values.data(), bytes->data(), bytes->size());
    }
    return values;
}

/// Texts that are stored one after the other as <prefix>bytes with <prefix>lengths.
std::vector<std::string> storedLines(const ArrayFile& file, const std::string& prefix = {})
{
    std::vector<std::string> lines;
    const auto bytes = numbers<char>(file, prefix + "bytes");
    std::size_t at = 0;
    for (const std::int32_t length : numbers<std::int32_t>(file, prefix + "lengths")) {
        lines.emplace_back(bytes.data() + at, static_cast<std::size_t>(length));
        at += static_cast<std::size_t>(length);
    }
    return lines;
}

struct Texts {
    std::vector<std::string> lines;
    std::vector<char32_t> known; ///< code points assigned before Unicode 13
};

const Texts& texts()
{
    static const Texts all = [] {
        Texts result;
        const ArrayFilePtr file = openArrays(folder() / "texts.npz").value();
        result.lines = storedLines(*file);
        const auto runs = numbers<std::int32_t>(*file, "known");
        for (std::size_t i = 0; i + 1 < runs.size(); i += 2) {
            for (std::int32_t c = runs[i]; c <= runs[i + 1]; ++c) {
                result.known.push_back(static_cast<char32_t>(c));
            }
        }
        return result;
    }();
    return all;
}

void append(std::string& text, char32_t c)
{
    const auto put = [&](char32_t byte) {
        text += static_cast<char>(static_cast<unsigned char>(byte));
    };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xC0 | c >> 6U);
        put(0x80 | (c & 0x3FU));
    } else if (c < 0x10000) {
        put(0xE0 | c >> 12U);
        put(0x80 | (c >> 6U & 0x3FU));
        put(0x80 | (c & 0x3FU));
    } else {
        put(0xF0 | c >> 18U);
        put(0x80 | (c >> 12U & 0x3FU));
        put(0x80 | (c >> 6U & 0x3FU));
        put(0x80 | (c & 0x3FU));
    }
}

/// "7[0,3) 12[3,4)"
std::string written(const std::vector<Token>& tokens)
{
    std::string text;
    for (const Token& token : tokens) {
        text += std::to_string(token.id) + "[" + std::to_string(token.begin) + "," +
                std::to_string(token.end) + ") ";
    }
    return text;
}

/// CRC-32 continued over number, begin and end of each token.
uLong addedTo(uLong sum, const std::vector<Token>& tokens)
{
    for (const Token& token : tokens) {
        const std::int32_t row[] = {static_cast<std::int32_t>(token.id),
                                    static_cast<std::int32_t>(token.begin),
                                    static_cast<std::int32_t>(token.end)};
        sum = crc32(sum, reinterpret_cast<const Bytef*>(row), sizeof row);
    }
    return sum;
}

/// @param prefix  of the arrays in @p golden that hold the tokens of @p lines.
void compare(const VocabularyTokenizer& tokenizer, const ArrayFile& golden,
             const std::string& prefix, const std::vector<std::string>& lines)
{
    const auto counts = numbers<std::int32_t>(golden, prefix + "counts");
    const auto ids = numbers<std::int32_t>(golden, prefix + "ids");
    const auto begins = numbers<std::int32_t>(golden, prefix + "begin");
    const auto sizes = numbers<std::int32_t>(golden, prefix + "size");
    ASSERT_EQ(counts.size(), lines.size());
    int wrong = 0;
    std::size_t at = 0;
    for (std::size_t line = 0; line < counts.size(); ++line) {
        std::vector<Token> expected(static_cast<std::size_t>(counts[line]));
        std::int64_t last = 0;
        for (Token& token : expected) {
            token.id = static_cast<std::uint64_t>(ids[at]);
            token.begin = last + begins[at];
            token.end = token.begin + sizes[at];
            last = token.end;
            ++at;
        }
        const auto tokens = tokenizer.encode(lines[line]);
        const std::string given = tokens ? written(*tokens) : describe(tokens.error());
        if (given != written(expected) && ++wrong <= 10) {
            ADD_FAILURE() << "text " << line << ": " << testing::PrintToString(lines[line])
                          << "\n  expected " << written(expected) << "\n  given    " << given;
        }
    }
    EXPECT_EQ(wrong, 0) << "of " << counts.size();
}

struct Kind {
    const char* name;
    const char* extension = ".json";
    const char* golden = nullptr; ///< where another kind gives the same tokens
};

std::ostream& operator<<(std::ostream& stream, const Kind& kind)
{
    return stream << kind.name;
}

class TokenizerGoldens : public testing::TestWithParam<Kind> {
protected:
    void SetUp() override
    {
        const Kind& kind = GetParam();
        const auto opened = openTokenizer(folder() / (std::string(kind.name) + kind.extension));
        ASSERT_TRUE(opened) << describe(opened.error());
        m_tokenizer = *opened;
        const std::string golden = kind.golden != nullptr ? kind.golden : kind.name;
        m_golden = openArrays(folder() / (golden + ".npz")).value();
    }

    VocabularyTokenizerPtr m_tokenizer;
    ArrayFilePtr m_golden;
};

} // namespace

TEST_P(TokenizerGoldens, everyTextHasTheTokensOfThePackage)
{
    compare(*m_tokenizer, *m_golden, "", texts().lines);
}

TEST_P(TokenizerGoldens, pairsAndBareTextsToo)
{
    const auto pairCounts = numbers<std::int32_t>(*m_golden, "pair_counts");
    const auto pairIds = numbers<std::int32_t>(*m_golden, "pair_ids");
    const auto segments = numbers<std::int32_t>(*m_golden, "pair_segments");
    const auto bareCounts = numbers<std::int32_t>(*m_golden, "bare_counts");
    const auto bareIds = numbers<std::int32_t>(*m_golden, "bare_ids");
    std::size_t at = 0;
    std::size_t bareAt = 0;
    for (std::size_t i = 0; i < pairCounts.size(); ++i) {
        const std::string& line = texts().lines[i];
        const auto pair = m_tokenizer->encodeTexts(line, texts().lines[i + 1], SpecialTokens::Add);
        ASSERT_TRUE(pair) << describe(pair.error());
        ASSERT_EQ(pair->tokens.size(), static_cast<std::size_t>(pairCounts[i])) << "pair " << i;
        for (std::size_t t = 0; t < pair->tokens.size(); ++t, ++at) {
            EXPECT_EQ(pair->tokens[t].id, static_cast<std::uint64_t>(pairIds[at])) << "pair " << i;
            EXPECT_EQ(pair->segments[t], segments[at]) << "pair " << i << " token " << t;
        }
        const auto bare = m_tokenizer->encodeTexts(line, std::nullopt, SpecialTokens::LeaveOut);
        ASSERT_TRUE(bare) << describe(bare.error());
        ASSERT_EQ(bare->tokens.size(), static_cast<std::size_t>(bareCounts[i])) << "text " << i;
        for (const Token& token : bare->tokens) {
            EXPECT_EQ(token.id, static_cast<std::uint64_t>(bareIds[bareAt++])) << "text " << i;
            EXPECT_FALSE(token.isSpecial);
        }
    }
}

TEST_P(TokenizerGoldens, everyCharacterIsTreatedLikeThere)
{
    constexpr std::size_t block = 100;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    constexpr std::size_t step = 10; // minutes otherwise, for code that the others have run
#elif !defined(__OPTIMIZE__)
    constexpr std::size_t step = 5;  // the build without Qt has all
#else
    constexpr std::size_t step = 1;
#endif
    const auto sums = numbers<std::uint32_t>(*m_golden, "sweep");
    ASSERT_EQ(sums.size(), (texts().known.size() + block - 1) / block);
    std::string wrong;
    for (std::size_t i = 0; i < sums.size(); i += step) {
        std::string line;
        const std::size_t end = std::min(texts().known.size(), (i + 1) * block);
        for (std::size_t c = i * block; c < end; ++c) {
            line += " a";
            append(line, texts().known[c]);
            line += 'b';
        }
        const auto tokens = m_tokenizer->encode(line);
        ASSERT_TRUE(tokens) << describe(tokens.error());
        if (addedTo(crc32(0, nullptr, 0), *tokens) != sums[i]) {
            char digits[16];
            std::snprintf(digits, sizeof digits, " U+%04X",
                          static_cast<unsigned>(texts().known[i * block]));
            wrong += digits;
        }
    }
    EXPECT_EQ(wrong, "") << "blocks of a hundred characters that begin with these";
}

namespace {

/// The texts of tests/oracle/random_texts.py, made again from their numbers.
class RandomTexts {
public:
    explicit RandomTexts(const ArrayFile& file)
        : m_words(storedLines(file, "words_"))
        , m_marks(storedLines(file, "marks_"))
        , m_special(storedLines(file, "special_"))
        , m_spaces(storedLines(file, "spaces_"))
    {
        const auto end =
            std::ranges::find_if(texts().known, [](char32_t c) { return c >= 0x3100; });
        m_common = static_cast<std::uint64_t>(end - texts().known.begin());
    }

    std::string text(std::uint64_t number)
    {
        m_state = (number + 1) * 0x2545F4914F6CDD1DU;
        std::string made;
        for (std::uint64_t pieces = 1 + below(6); pieces > 0; --pieces) {
            addPiece(made);
            made += one(m_spaces);
        }
        return made;
    }

private:
    /// SplitMix64.
    std::uint64_t below(std::uint64_t count)
    {
        m_state += 0x9E3779B97F4A7C15U;
        std::uint64_t z = m_state;
        z = (z ^ z >> 30U) * 0xBF58476D1CE4E5B9U;
        z = (z ^ z >> 27U) * 0x94D049BB133111EBU;
        return (z ^ z >> 31U) % count;
    }

    const std::string& one(const std::vector<std::string>& list)
    {
        return list[below(list.size())];
    }

    void addKnown(std::string& text, std::uint64_t among)
    {
        for (std::uint64_t count = 1 + below(3); count > 0; --count) {
            append(text, texts().known[below(among)]);
        }
    }

    void addPiece(std::string& text)
    {
        const std::uint64_t kind = below(100);
        if (kind < 30) {
            text += one(m_words);
        } else if (kind < 40) {
            text += one(m_marks);
        } else if (kind < 48) {
            for (std::uint64_t count = 1 + below(5); count > 0; --count) {
                append(text, static_cast<char32_t>(0x30 + below(10)));
            }
        } else if (kind < 56) {
            text += one(m_special);
        } else if (kind < 76) {
            addKnown(text, m_common);
        } else if (kind < 86) {
            addKnown(text, texts().known.size());
        } else {
            for (std::uint64_t count = 1 + below(6); count > 0; --count) {
                append(text, static_cast<char32_t>(0x20 + below(95)));
            }
        }
    }

    std::vector<std::string> m_words;
    std::vector<std::string> m_marks;
    std::vector<std::string> m_special;
    std::vector<std::string> m_spaces;
    std::uint64_t m_common = 0; ///< known code points below U+3100
    std::uint64_t m_state = 0;
};

} // namespace

TEST_P(TokenizerGoldens, randomTextsHaveTheTokensOfThePackage)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    constexpr std::size_t step = 100; // minutes otherwise, for code that the others have run
#elif !defined(__OPTIMIZE__)
    constexpr std::size_t step = 20; // the build without Qt has all
#else
    constexpr std::size_t step = 1;
#endif
    const std::string golden = GetParam().golden != nullptr ? GetParam().golden : GetParam().name;
    const ArrayFilePtr file = openArrays(folder() / "random.npz").value();
    if (golden == "gguf_llama3") {
        GTEST_SKIP() << "has the tokens of llama3, and others around them";
    }
    const auto sums = numbers<std::uint32_t>(*file, golden);
    const auto block = static_cast<std::size_t>(numbers<std::int32_t>(*file, "block").at(0));
    ASSERT_FALSE(sums.empty());
    RandomTexts made(*file);
    std::string wrong;
    std::string firstWrong;
    for (std::size_t i = 0; i < sums.size(); i += step) {
        uLong sum = crc32(0, nullptr, 0);
        std::string shown;
        for (std::size_t number = i * block; number < (i + 1) * block; ++number) {
            const std::string text = made.text(number);
            const auto tokens = m_tokenizer->encode(text);
            ASSERT_TRUE(tokens) << describe(tokens.error()) << testing::PrintToString(text);
            sum = addedTo(sum, *tokens);
            if (firstWrong.empty()) {
                shown += testing::PrintToString(text) + " " + written(*tokens) + "\n";
            }
        }
        if (sum != sums[i]) {
            wrong += " " + std::to_string(i);
            firstWrong = firstWrong.empty() ? shown : firstWrong;
        }
    }
    EXPECT_EQ(wrong, "") << "blocks; make_random_goldens.py --show " << golden
                         << " BLOCK tells what is expected. The first was given\n"
                         << firstWrong;
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, TokenizerGoldens,
    testing::Values(
        Kind{"gpt2"}, Kind{"bert_uncased"}, Kind{"bert_cased"}, Kind{"roberta"}, Kind{"llama3"},
        Kind{"qwen2"}, Kind{"smollm"}, Kind{"llama2"}, Kind{"metaspace"}, Kind{"t5"},
        Kind{"albert"}, Kind{"word_level"}, Kind{"fairseq"}, Kind{"inner_prefix"},
        Kind{"sp_unigram", ".model"}, Kind{"sp_bytes", ".model"}, Kind{"sp_llama2", ".model"},
        Kind{"sp_suffix", ".model"}, Kind{"gguf_gpt2", ".gguf", "gpt2"},
        Kind{"gguf_qwen2", ".gguf", "qwen2"}, Kind{"gguf_smollm", ".gguf", "smollm"},
        Kind{"gguf_llama3", ".gguf"}, Kind{"gguf_bert_uncased", ".gguf", "bert_uncased"},
        Kind{"gguf_bert_cased", ".gguf", "bert_cased"}, Kind{"gguf_llama2", ".gguf", "sp_llama2"},
        Kind{"gguf_t5", ".gguf", "sp_unigram"}, Kind{"smiles", "/vocab.txt"}, Kind{"xlmr", "/"},
        Kind{"mbart", "/"}, Kind{"mbart50", "/"}, Kind{"marian", "/"}, Kind{"t5_pieces", "/"},
        Kind{"xlmr_fast"}, Kind{"t5_pieces_fast"}),
    [](const auto& kind) { return std::string(kind.param.name); });

TEST(SmilesGoldens, everyReactionHasTheTokensOfThePackage)
{
    const auto tokenizer = openTokenizer(folder() / "smiles");
    ASSERT_TRUE(tokenizer) << describe(tokenizer.error());
    const ArrayFilePtr golden = openArrays(folder() / "smiles.npz").value();
    compare(**tokenizer, *golden, "reaction_", storedLines(*golden, "reaction_"));
}

TEST(FamilyGoldens, tokensOfAFamilyAreThoseOfThePackage)
{
    for (const char* kind : {"xlmr", "mbart", "mbart50", "marian", "t5_pieces"}) {
        SCOPED_TRACE(kind);
        const auto tokenizer = openTokenizer(folder() / kind);
        ASSERT_TRUE(tokenizer) << describe(tokenizer.error());
        const ArrayFilePtr golden = openArrays(folder() / (std::string(kind) + ".npz")).value();
        compare(**tokenizer, *golden, "more_", storedLines(*golden, "more_"));
    }
}
