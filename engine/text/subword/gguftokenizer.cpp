// The tokenizer inside a GGUF file.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/subword/gguftokenizer.h"

#include "text/nearestname.h"
#include "text/subword/sentencepiece.h"
#include "text/unicode.h"

#include <algorithm>
#include <array>
#include <limits>

namespace heed::detail {
namespace {

constexpr std::string_view Gpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view Llama3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view Qwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// How byte-level text is cut, by the names that files give it: the expressions themselves are not
/// in them.
struct Rule {
    std::string_view name;
    std::array<std::string_view, 2> expressions; ///< the second may be empty
    bool composes = false;                       ///< NFC first
    bool ignoresMerges = false;
    bool addsBegin = false; ///< where the file does not say
};

constexpr Rule gpt2Rule(std::string_view name)
{
    return {name, {Gpt2Pattern, ""}};
}
constexpr Rule digitsRule(std::string_view name)
{
    return {name, {R"(\p{N})", Gpt2Pattern}};
}
constexpr Rule llama3Rule(std::string_view name)
{
    return {name, {Llama3Pattern, ""}, false, true, true};
}
constexpr Rule qwen2Rule(std::string_view name)
{
    return {name, {Qwen2Pattern, ""}, true};
}

constexpr std::array<Rule, 20> Rules = {
    {gpt2Rule("gpt-2"),       gpt2Rule("phi-2"),       gpt2Rule("roberta-bpe"),
     gpt2Rule("jina-es"),     gpt2Rule("jina-de"),     gpt2Rule("gpt2"),
     gpt2Rule("olmo"),        gpt2Rule("mpt"),         llama3Rule("llama3"),
     llama3Rule("llama-v3"),  llama3Rule("llama-bpe"), llama3Rule("falcon3"),
     qwen2Rule("qwen2"),      qwen2Rule("stablelm2"),  qwen2Rule("deepseek-r1-qwen"),
     digitsRule("smollm"),    digitsRule("starcoder"), digitsRule("refact"),
     digitsRule("command-r"), digitsRule("codeshell")}};

/// Reads the values of one file; what is wrong with one is thrown.
class Reader {
public:
    Reader(const GgufMetadata& metadata, const std::string& file)
        : m_metadata(metadata)
        , m_file(file)
    {
    }

    PipelineParts read() const
    {
        const GgufValue* model = find("model");
        if (model == nullptr) {
            refuse(Code::NotFound, "The file holds no tokenizer (tokenizer.ggml.model).", m_file);
        }
        const std::string_view kind = get(model->text());
        PipelineParts parts;
        if (kind == "gpt2") {
            parts = byteLevel();
        } else if (kind == "llama" || kind == "t5") {
            parts = scored(kind == "llama");
        } else if (kind == "bert") {
            parts = wordPiece();
        } else {
            static constexpr std::array<std::string_view, 4> known = {"gpt2", "llama", "t5",
                                                                      "bert"};
            refuse(Code::Unsupported,
                   "The tokenizer is of the kind " + inQuotes(kind) +
                       ", which is not supported. Supported: " + listNames(known) + ".",
                   m_file);
        }
        parts.name = m_file;
        return parts;
    }

private:
    [[nodiscard]] const GgufValue* find(std::string_view name) const
    {
        return m_metadata.find(std::string("tokenizer.ggml.").append(name));
    }
    template <typename T>
    static T get(Expected<T> value)
    {
        if (!value) {
            throw Refusal{value.error()};
        }
        return std::move(*value);
    }
    [[nodiscard]] bool flag(std::string_view name, bool otherwise) const
    {
        const GgufValue* value = find(name);
        return value == nullptr ? otherwise : get(value->boolean());
    }
    [[noreturn]] void refuseValue(const GgufValue& value, const std::string& message) const
    {
        refuse(Code::BadFormat, std::string(value.name()) + " " + message,
               m_file + ", byte " + std::to_string(value.offset()));
    }
    /// The number of a piece; nothing where the file does not name one.
    [[nodiscard]] std::optional<std::uint32_t> piece(std::string_view name,
                                                     std::size_t pieces) const
    {
        const GgufValue* value = find(name);
        if (value == nullptr) {
            return {};
        }
        const std::int64_t id = get(value->integer());
        if (id < 0 || id >= static_cast<std::int64_t>(pieces)) {
            refuseValue(*value, "is " + std::to_string(id) + ", but there are " +
                                    std::to_string(pieces) + " pieces.");
        }
        return static_cast<std::uint32_t>(id);
    }

    /// The list of pieces with their scores, where there are any, and types.
    [[nodiscard]] std::vector<ScoredPiece> pieces() const
    {
        const GgufValue tokens = get(m_metadata.value("tokenizer.ggml.tokens"));
        const auto texts = get(tokens.texts());
        if (texts.empty() || texts.size() > std::numeric_limits<std::int32_t>::max()) {
            refuseValue(tokens, "holds no pieces.");
        }
        std::vector<ScoredPiece> all(texts.size());
        for (std::size_t id = 0; id < texts.size(); ++id) {
            if (!checkUtf8(texts[id])) {
                refuseValue(tokens,
                            "has a piece that is not UTF-8, number " + std::to_string(id) + ".");
            }
            all[id].text = texts[id];
        }
        if (const GgufValue* scores = find("scores")) {
            const auto numbers = get(scores->numbers());
            requireSize(*scores, numbers.size(), all.size());
            for (std::size_t id = 0; id < all.size(); ++id) {
                all[id].score = static_cast<float>(numbers[id]);
            }
        }
        if (const GgufValue* types = find("token_type")) {
            const auto numbers = get(types->integers());
            requireSize(*types, numbers.size(), all.size());
            for (std::size_t id = 0; id < all.size(); ++id) {
                if (numbers[id] < 1 || numbers[id] > static_cast<int>(PieceType::Byte)) {
                    refuseValue(*types, "has the type " + std::to_string(numbers[id]) +
                                            "; there are 1 to 6.");
                }
                all[id].type = static_cast<PieceType>(numbers[id]);
            }
        }
        return all;
    }

    void requireSize(const GgufValue& value, std::size_t size, std::size_t wanted) const
    {
        if (size != wanted) {
            refuseValue(value, "has " + std::to_string(size) + " elements for " +
                                   std::to_string(wanted) + " pieces.");
        }
    }

    /// Pieces that are found in the text before the model sees it.
    static std::vector<AddedToken> addedTokens(const std::vector<ScoredPiece>& pieces,
                                               bool withUserDefined)
    {
        std::vector<AddedToken> added;
        for (std::size_t id = 0; id < pieces.size(); ++id) {
            const ScoredPiece& piece = pieces[id];
            const bool isControl =
                piece.type == PieceType::Control || piece.type == PieceType::Unknown;
            if (piece.text.empty() ||
                !(isControl || (withUserDefined && piece.type == PieceType::UserDefined))) {
                continue;
            }
            AddedToken token{piece.text, static_cast<std::uint32_t>(id)};
            token.normalized = false;
            token.special = isControl;
            added.push_back(std::move(token));
        }
        return added;
    }

    static Vocabulary vocabularyOf(const std::vector<ScoredPiece>& pieces)
    {
        Vocabulary vocabulary;
        for (std::size_t id = 0; id < pieces.size(); ++id) {
            vocabulary.add(pieces[id].text, static_cast<std::uint32_t>(id));
        }
        return vocabulary;
    }

    [[nodiscard]] const Rule& rule() const
    {
        const GgufValue* pre = find("pre");
        if (pre == nullptr) {
            refuse(Code::Unsupported,
                   "The file does not say how text is cut into words (tokenizer.ggml.pre), so it "
                   "would be tokenized wrongly. Convert the model again with a current program.",
                   m_file);
        }
        const std::string_view name = get(pre->text());
        const auto* const found = std::ranges::find(Rules, name, &Rule::name);
        if (found != Rules.end()) {
            return *found;
        }
        std::array<std::string_view, Rules.size()> known;
        std::ranges::transform(Rules, known.begin(), &Rule::name);
        const std::string_view nearest = nearestName(name, known);
        refuse(Code::Unsupported,
               "Text is cut into words by the rule " + inQuotes(name) +
                   ", which this program does not know. " +
                   (nearest.empty() ? "" : "The nearest is '" + std::string(nearest) + "'. ") +
                   "Known: " + listNames(known) + ".",
               m_file);
    }

    [[nodiscard]] Merges merges() const
    {
        const GgufValue list = get(m_metadata.value("tokenizer.ggml.merges"));
        Merges merges;
        for (const std::string_view both : get(list.texts())) {
            // The first character may be a space, which byte-level pieces never have inside.
            const std::size_t space = both.find(' ', 1);
            if (space == both.npos) {
                refuseValue(list, "has a merge that is not two pieces with a space between them, "
                                  "number " +
                                      std::to_string(merges.size()) + ".");
            }
            merges.emplace_back(both.substr(0, space), both.substr(space + 1));
        }
        return merges;
    }

    [[nodiscard]] PipelineParts byteLevel() const
    {
        const Rule& cut = rule();
        const std::vector<ScoredPiece> all = pieces();
        PipelineParts parts;
        if (cut.composes) {
            parts.normalizer = composingNormalizer();
        }
        const std::size_t count = cut.expressions[1].empty() ? 1 : 2;
        parts.preTokenizer = patternPreTokenizer(std::span(cut.expressions).first(count));
        parts.added = addedTokens(all, true);
        parts.spelling.byteCharacters = true;
        BpeSettings settings;
        settings.ignoresMerges = cut.ignoresMerges;
        parts.model = bpeModel(vocabularyOf(all), merges(), settings);
        surroundAll(parts, cut.addsBegin, all.size());
        return parts;
    }

    /// Begin and end where the file asks for them.
    void surroundAll(PipelineParts& parts, bool addsBegin, std::size_t pieces,
                     bool addsEnd = false) const
    {
        const auto begin = piece("bos_token_id", pieces);
        const auto end = piece("eos_token_id", pieces);
        surround(parts.postProcessor, flag("add_bos_token", addsBegin) ? begin : std::nullopt,
                 flag("add_eos_token", addsEnd) ? end : std::nullopt);
    }

    [[nodiscard]] PipelineParts scored(bool isBpe) const
    {
        SentencePieces model;
        model.pieces = pieces();
        model.isBpe = isBpe;
        const auto isByte = [](const ScoredPiece& piece) { return piece.type == PieceType::Byte; };
        model.byteFallback = std::ranges::any_of(model.pieces, isByte);
        model.spacing.dummyPrefix = flag("add_space_prefix", true);
        model.spacing.removeExtra = flag("remove_extra_whitespaces", !isBpe);
        if (const GgufValue* map = find("precompiled_charsmap")) {
            for (const std::int64_t byte : get(map->integers())) {
                model.spacing.charsMap += static_cast<char>(static_cast<unsigned char>(byte));
            }
        }
        const std::size_t count = model.pieces.size();
        PipelineParts parts = pipelineOf(std::move(model), true, m_file);
        surroundAll(parts, isBpe, count, !isBpe);
        return parts;
    }

    /// Pieces that begin a word are written with "▁", those inside one without anything.
    [[nodiscard]] PipelineParts wordPiece() const
    {
        constexpr std::string_view mark = "▁";
        std::vector<ScoredPiece> all = pieces();
        bool hasCapitals = false;
        for (ScoredPiece& piece : all) {
            if (piece.text.starts_with(mark)) {
                piece.text.erase(0, mark.size());
                hasCapitals = hasCapitals || std::ranges::any_of(piece.text, [](char c) {
                                  return c >= 'A' && c <= 'Z';
                              });
            } else if (piece.type == PieceType::Normal && !piece.text.starts_with('[')) {
                piece.text.insert(0, "##");
            }
        }
        PipelineParts parts;
        // No value tells whether text is put into lower case; a vocabulary with capitals does.
        parts.normalizer = bertNormalizer(true, true, std::nullopt, !hasCapitals);
        parts.preTokenizer = bertPreTokenizer();
        parts.added = addedTokens(all, true);
        const auto begin = special(all, {"cls_token_id", "bos_token_id"}, "[CLS]");
        const auto end = special(all, {"seperator_token_id", "separator_token_id"}, "[SEP]");
        const auto unknown = special(all, {"unknown_token_id"}, "[UNK]");
        surroundLikeBert(parts.postProcessor, begin, end);
        parts.model = wordPieceModel(vocabularyOf(all), {.unknown = all[unknown].text});
        return parts;
    }

    /// A token that BERT needs: by number, or by what it is usually called.
    [[nodiscard]] std::uint32_t special(const std::vector<ScoredPiece>& all,
                                        std::initializer_list<std::string_view> names,
                                        std::string_view usual) const
    {
        for (const std::string_view name : names) {
            if (const auto id = piece(name, all.size())) {
                return *id;
            }
        }
        const auto found = std::ranges::find(
            all, usual, [](const ScoredPiece& piece) { return std::string_view(piece.text); });
        if (found == all.end()) {
            refuse(Code::BadFormat,
                   "The vocabulary has no piece " + std::string(usual) + ", which BERT needs.",
                   m_file);
        }
        return static_cast<std::uint32_t>(found - all.begin());
    }

    const GgufMetadata& m_metadata;
    const std::string& m_file;
};

} // namespace

PipelineParts readGgufTokenizer(const GgufMetadata& metadata, const std::string& file)
{
    return Reader(metadata, file).read();
}

} // namespace heed::detail
