// Tokenizers of the time before tokenizer.json: a list of pieces, and rules that everybody knew.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/subword/vocabularyfiles.h"

#include "io/mappedfile.h"
#include "io/source.h"
#include "text/nearestname.h"
#include "text/subword/renumbered.h"
#include "text/subword/sentencepiece.h"
#include "text/subword/smiles.h"
#include "text/unicode.h"

#include <algorithm>
#include <array>

namespace heed::detail {
namespace {

/// A file that stays mapped while its text is read.
class TextFile {
public:
    explicit TextFile(const std::filesystem::path& path)
        : m_name(path.string())
    {
        auto file = MappedFile::open(path);
        if (!file) {
            throw Refusal{file.error()};
        }
        m_file = std::move(*file);
    }
    [[nodiscard]] std::string_view text() const { return asText(m_file->bytes()); }
    [[nodiscard]] const std::string& name() const { return m_name; }

    /// Calls line(text, offset) for every line.
    template <typename Line>
    void forEachLine(const Line& line) const
    {
        if (auto valid = checkUtf8(text()); !valid) {
            refuse(Code::BadFormat, valid.error().message, m_name + ", " + valid.error().context);
        }
        for (std::size_t begin = 0; begin < text().size();) {
            const std::size_t end = std::min(text().find('\n', begin), text().size());
            std::string_view content = text().substr(begin, end - begin);
            if (content.ends_with('\r')) {
                content.remove_suffix(1);
            }
            line(content, begin);
            begin = end + 1;
        }
    }

private:
    std::string m_name;
    std::shared_ptr<const MappedFile> m_file;
};

JsonValue readTree(const TextFile& file)
{
    auto tree = readJsonTree(file.text(), file.name());
    if (!tree) {
        throw Refusal{tree.error()};
    }
    return std::move(*tree);
}

/// tokenizer_config.json, or nothing. Only single settings are taken from it.
class Configuration {
public:
    explicit Configuration(const std::filesystem::path& folder,
                           const char* name = "tokenizer_config.json")
        : m_name((folder / name).string())
    {
        std::error_code status;
        if (std::filesystem::exists(m_name, status)) {
            m_tree = readTree(TextFile(m_name));
        }
    }
    [[nodiscard]] Settings settings() const { return {m_tree, "", m_name}; }

    /// A token is its text, or an object that holds it.
    [[nodiscard]] std::string token(std::string_view name, std::string_view otherwise) const
    {
        const auto member = settings().find(name);
        if (!member) {
            return std::string(otherwise);
        }
        const bool isText = std::holds_alternative<std::string>(member->json().value);
        return isText ? member->text() : member->at("content").text();
    }

private:
    std::string m_name;
    JsonValue m_tree;
};

/// The special tokens that are in the vocabulary.
std::vector<AddedToken> specialTokens(const Configuration& configuration,
                                      const Vocabulary& vocabulary,
                                      std::span<const std::pair<const char*, const char*>> names)
{
    std::vector<AddedToken> tokens;
    for (const auto& [name, otherwise] : names) {
        AddedToken token{configuration.token(name, otherwise)};
        const auto id = vocabulary.find(token.content);
        if (!id || token.content.empty()) {
            continue;
        }
        token.id = *id;
        token.normalized = false;
        token.special = true;
        tokens.push_back(std::move(token));
    }
    return tokens;
}

/// Words, or tokens of SMILES where the class of the tokenizer or the pieces themselves say so.
PipelineParts readPieceList(const std::filesystem::path& path)
{
    Vocabulary vocabulary;
    std::uint32_t count = 0;
    const TextFile file(path);
    file.forEachLine(
        [&](std::string_view line, std::size_t) { vocabulary.add(std::string(line), count++); });
    const Configuration configuration(path.parent_path());
    const Settings settings = configuration.settings();
    const std::string unknown = configuration.token("unk_token", "[UNK]");
    const std::string begin = configuration.token("cls_token", "[CLS]");
    const std::string end = configuration.token("sep_token", "[SEP]");
    PipelineParts parts;
    parts.name = path.string();
    const auto beginId = vocabulary.find(begin);
    const auto endId = vocabulary.find(end);
    for (const std::string& needed : {unknown, begin, end}) {
        if (!vocabulary.find(needed)) {
            refuse(Code::BadFormat,
                   "The vocabulary has no line " + needed +
                       ", which models of such a list need. If the model calls it otherwise, "
                       "tokenizer_config.json beside it must say so.",
                   file.name());
        }
    }
    surroundLikeBert(parts.postProcessor, *beginId, *endId);
    static constexpr std::array<std::pair<const char*, const char*>, 5> names = {
        {{"unk_token", "[UNK]"},
         {"sep_token", "[SEP]"},
         {"pad_token", "[PAD]"},
         {"cls_token", "[CLS]"},
         {"mask_token", "[MASK]"}}};
    parts.added = specialTokens(configuration, vocabulary, names);
    if (settings.textOr("tokenizer_class", "") == "SmilesTokenizer" ||
        isSmilesVocabulary(vocabulary)) {
        parts.preTokenizer = smilesPreTokenizer();
        parts.model = wordLevelModel(std::move(vocabulary), unknown);
        return parts;
    }
    const auto accents = settings.find("strip_accents");
    parts.normalizer = bertNormalizer(true, settings.flag("tokenize_chinese_chars", true),
                                      accents ? std::optional(accents->boolean()) : std::nullopt,
                                      settings.flag("do_lower_case", true));
    parts.preTokenizer = bertPreTokenizer();
    parts.model = wordPieceModel(std::move(vocabulary), {.unknown = unknown});
    return parts;
}

Vocabulary readPieces(const TextFile& file)
{
    const JsonValue tree = readTree(file);
    const Settings root(tree, "", file.name());
    Vocabulary vocabulary;
    for (const auto& [piece, id] : root.members()) {
        vocabulary.add(piece, Settings(id, piece, file.name()).id());
    }
    return vocabulary;
}

Merges readMerges(const TextFile& file)
{
    Merges merges;
    file.forEachLine([&](std::string_view line, std::size_t offset) {
        if (line.starts_with("#version") || line.empty()) {
            return;
        }
        const std::size_t space = line.find(' ');
        if (space == line.npos || line.find(' ', space + 1) != line.npos) {
            refuse(Code::BadFormat, "A merge must be two pieces with one space between them.",
                   file.name() + ", byte " + std::to_string(offset));
        }
        merges.emplace_back(line.substr(0, space), line.substr(space + 1));
    });
    return merges;
}

PipelineParts readGpt2(const std::filesystem::path& folder)
{
    const TextFile pieces(folder / "vocab.json");
    Vocabulary vocabulary = readPieces(pieces);
    const Merges merges = readMerges(TextFile(folder / "merges.txt"));
    const Configuration configuration(folder);
    const Settings settings = configuration.settings();
    const bool isRoberta =
        settings.textOr("tokenizer_class", "").find("Roberta") != std::string::npos;
    const char* text = isRoberta ? "<s>" : "<|endoftext|>";
    const char* end = isRoberta ? "</s>" : "<|endoftext|>";
    PipelineParts parts;
    parts.name = pieces.name();
    const bool addPrefixSpace = settings.flag("add_prefix_space", false);
    parts.preTokenizer = byteLevelPreTokenizer(addPrefixSpace, true);
    parts.postProcessor.trimsOffsets = isRoberta;
    parts.postProcessor.addPrefixSpace = addPrefixSpace;
    if (isRoberta) {
        const auto beginId = vocabulary.find(configuration.token("cls_token", text));
        const auto endId = vocabulary.find(configuration.token("sep_token", end));
        if (!beginId || !endId) {
            refuse(Code::BadFormat, "The vocabulary lacks <s> or </s>, which RoBERTa needs.",
                   pieces.name());
        }
        surroundLikeRoberta(parts.postProcessor, *beginId, *endId);
    }
    const std::array<std::pair<const char*, const char*>, 5> names = {
        {{"bos_token", text},
         {"eos_token", end},
         {"unk_token", isRoberta ? "<unk>" : "<|endoftext|>"},
         {"pad_token", isRoberta ? "<pad>" : ""},
         {"mask_token", isRoberta ? "<mask>" : ""}}};
    parts.added = specialTokens(configuration, vocabulary, names);
    for (AddedToken& token : parts.added) {
        // RoBERTa's mask takes the place of a word and of the space before it.
        token.stripLeft = isRoberta && token.content == configuration.token("mask_token", "<mask>");
    }
    parts.spelling.byteCharacters = true;
    parts.model = bpeModel(std::move(vocabulary), merges, {});
    return parts;
}

/// What people call the family: "T5Tokenizer", or "t5" where only config.json tells.
std::string familyOf(const Configuration& configuration, const std::filesystem::path& folder)
{
    const std::string name = configuration.settings().textOr("tokenizer_class", "");
    const Configuration model(folder, "config.json");
    std::string family = name.empty() ? model.settings().textOr("model_type", "") : name;
    std::ranges::transform(family, family.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return family;
}

bool isOneOf(const std::string& family, std::initializer_list<std::string_view> names)
{
    return std::ranges::any_of(
        names, [&](std::string_view name) { return family.find(name) != family.npos; });
}

/// T5 counts places that were left out of a text down from the last number.
void addLeftOutPlaces(PipelineParts& parts, const Settings& settings)
{
    constexpr std::uint64_t mostPlaces = 100000;
    const auto given = settings.find("extra_ids");
    const std::uint64_t count = given ? given->natural(mostPlaces) : 100;
    const std::uint64_t last = parts.model->vocabulary().byId().size() + count;
    for (std::uint64_t i = 0; i < count; ++i) {
        AddedToken token{"<extra_id_" + std::to_string(i) + ">",
                         static_cast<std::uint32_t>(last - 1 - i)};
        token.stripLeft = token.stripRight = true;
        token.normalized = false;
        token.special = true;
        parts.added.push_back(std::move(token));
    }
}

} // namespace

PipelineParts readSentencePieceFiles(const std::filesystem::path& path)
{
    const TextFile file(path);
    const std::filesystem::path folder = path.parent_path();
    const Configuration configuration(folder);
    const Settings settings = configuration.settings();
    const std::string family = familyOf(configuration, folder);
    if (path.extension() == ".spm" || isOneOf(family, {"marian"})) {
        const bool isTarget =
            path.filename() == "target.spm" && settings.flag("separate_vocabs", false);
        return marianPipeline(
            readSentencePieces(file.text(), file.name()),
            readPieces(TextFile(folder / (isTarget ? "target_vocab.json" : "vocab.json"))),
            file.name());
    }
    const bool isMbart = isOneOf(family, {"mbart"});
    if (isMbart || isOneOf(family, {"xlm-roberta", "xlmroberta"})) {
        const FairseqFamily kind = !isMbart                       ? FairseqFamily::XlmRoberta
                                   : isOneOf(family, {"mbart50"}) ? FairseqFamily::Mbart50
                                                                  : FairseqFamily::Mbart;
        return fairseqPipeline(readSentencePieces(file.text(), file.name()), kind,
                               settings.textOr("src_lang", "en_XX"), file.name());
    }
    if (isOneOf(family, {"xlm", "camembert", "nllb", "m2m"})) {
        refuse(Code::Unsupported,
               "Tokenizers of the kind " + inQuotes(family, 40) +
                   " number their pieces otherwise than the SentencePiece file. Use a folder with "
                   "tokenizer.json.",
               file.name());
    }
    SentencePieces model = readSentencePieces(file.text(), file.name());
    const auto begin = model.begin;
    const auto end = model.end;
    PipelineParts parts = pipelineOf(std::move(model), !family.empty(), file.name());
    const bool isT5 = isOneOf(family, {"t5"});
    if (isOneOf(family, {"albert"})) {
        const auto first = parts.model->vocabulary().find("[CLS]");
        const auto last = parts.model->vocabulary().find("[SEP]");
        if (!first || !last) {
            refuse(Code::BadFormat,
                   "The file lacks the pieces [CLS] and [SEP], which ALBERT needs.", file.name());
        }
        surroundLikeBert(parts.postProcessor, *first, *last);
    } else {
        const bool isLlama = isOneOf(family, {"llama", "mistral", "gemma"});
        surround(parts.postProcessor,
                 settings.flag("add_bos_token", isLlama) ? begin : std::nullopt,
                 settings.flag("add_eos_token", isT5) ? end : std::nullopt);
    }
    if (isT5) {
        for (TemplateItem& item : parts.postProcessor.pair) {
            item.segment = 0; // both texts are of one type
        }
        addLeftOutPlaces(parts, settings);
    }
    return parts;
}

PipelineParts readVocabularyFiles(const std::filesystem::path& path)
{
    const bool isList = path.extension() == ".txt" && path.filename() != "merges.txt";
    return isList ? readPieceList(path) : readGpt2(path.parent_path());
}

} // namespace heed::detail
