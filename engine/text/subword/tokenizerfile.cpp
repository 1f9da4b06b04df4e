// Reads tokenizers from the files that models come with.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/tokenizerfile.h"

#include "io/jsontree.h"
#include "io/mappedfile.h"
#include "io/source.h"
#include "text/subword/gguftokenizer.h"
#include "text/subword/pipeline.h"
#include "text/subword/sentencepiece.h"
#include "text/subword/vocabularyfiles.h"

namespace heed {
namespace detail {
namespace {

/// Whether the component or one that it consists of is a @p type.
const JsonValue* component(const JsonValue& value, std::string_view type)
{
    const JsonValue* name = value.find("type");
    if (name != nullptr) {
        const auto* text = std::get_if<std::string>(&name->value);
        if (text != nullptr && *text == type) {
            return &value;
        }
    }
    for (const char* list : {"decoders", "pretokenizers", "normalizers"}) {
        const JsonValue* members = value.find(list);
        const auto* parts =
            members == nullptr ? nullptr : std::get_if<JsonValue::Array>(&members->value);
        for (std::size_t i = 0; parts != nullptr && i < parts->size(); ++i) {
            if (const JsonValue* found = component((*parts)[i], type)) {
                return found;
            }
        }
    }
    return nullptr;
}

/// The decoder says how pieces are written; where a file has none, the stage that wrote them so.
PieceSpelling spellingOf(const Settings& root)
{
    PieceSpelling spelling;
    for (const char* stage : {"decoder", "pre_tokenizer", "normalizer"}) {
        const JsonValue* value = root.json().find(stage);
        if (value == nullptr) {
            continue;
        }
        spelling.byteCharacters =
            spelling.byteCharacters || component(*value, "ByteLevel") != nullptr;
        if (component(*value, "Metaspace") != nullptr || component(*value, "Prepend") != nullptr ||
            component(*value, "Replace") != nullptr) {
            spelling.space = "▁";
        }
    }
    if (const auto model = root.find("model")) {
        spelling.bytePieces = model->flag("byte_fallback", false);
    }
    return spelling;
}

VocabularyTokenizerPtr build(const JsonValue& json, const std::string& file)
{
    const Settings root(json, "", file);
    PipelineParts parts;
    parts.name = file;
    if (const auto normalizer = root.find("normalizer")) {
        parts.normalizer = readNormalizer(*normalizer);
    }
    if (const auto preTokenizer = root.find("pre_tokenizer")) {
        parts.preTokenizer = readPreTokenizer(*preTokenizer);
    }
    if (const auto postProcessor = root.find("post_processor")) {
        parts.postProcessor = readPostProcessor(*postProcessor);
    }
    parts.model = readModel(root.at("model"));
    if (const auto added = root.find("added_tokens")) {
        parts.added = readAddedTokens(*added, parts.model->vocabulary());
    }
    parts.spelling = spellingOf(root);
    return makePipeline(std::move(parts));
}

/// Turns a Refusal into an error about @p file.
template <typename Body>
Expected<VocabularyTokenizerPtr> refusable(const std::string& file, const Body& body)
{
    return guarded(file, [&]() -> Expected<VocabularyTokenizerPtr> {
        try {
            return body();
        } catch (const Refusal& refusal) {
            Error error = refusal.error;
            if (error.context.empty()) {
                error.context = file;
            }
            return tl::unexpected<Error>(std::move(error));
        }
    });
}

Expected<VocabularyTokenizerPtr> openJson(const std::filesystem::path& path)
{
    const auto file = MappedFile::open(path);
    if (!file) {
        return tl::unexpected(file.error());
    }
    return readTokenizerJson(asText((*file)->bytes()), path.string());
}

Expected<VocabularyTokenizerPtr> openVocabulary(const std::filesystem::path& path)
{
    return refusable(path.string(), [&] { return makePipeline(readVocabularyFiles(path)); });
}

Expected<VocabularyTokenizerPtr> openSentencePieces(const std::filesystem::path& path)
{
    return refusable(path.string(), [&] { return makePipeline(readSentencePieceFiles(path)); });
}

Expected<VocabularyTokenizerPtr> openGgufTokenizer(const std::filesystem::path& path)
{
    const auto file = openArrays(path);
    if (!file) {
        return tl::unexpected(file.error());
    }
    return readTokenizer(**file, path.string());
}

Expected<VocabularyTokenizerPtr> openFile(const std::filesystem::path& path)
{
    const auto extension = path.extension();
    if (extension == ".txt" || path.filename() == "vocab.json") {
        return openVocabulary(path);
    }
    if (extension == ".model" || extension == ".spm") {
        return openSentencePieces(path);
    }
    return extension == ".gguf" ? openGgufTokenizer(path) : openJson(path);
}

} // namespace
} // namespace detail

Expected<VocabularyTokenizerPtr> readTokenizerJson(std::string_view json, const std::string& name)
{
    const auto tree = detail::readJsonTree(json, name);
    if (!tree) {
        return tl::unexpected(tree.error());
    }
    return detail::refusable(name, [&] { return detail::build(*tree, name); });
}

Expected<VocabularyTokenizerPtr> readSentencePiece(std::string_view bytes, const std::string& name)
{
    return detail::refusable(name, [&] {
        return detail::makePipeline(
            detail::pipelineOf(detail::readSentencePieces(bytes, name), false, name));
    });
}

Expected<VocabularyTokenizerPtr> readTokenizer(const ArrayFile& gguf, const std::string& name)
{
    const GgufMetadata* metadata = ggufMetadata(gguf);
    if (metadata == nullptr) {
        return fail(Code::Unsupported, "The file is no GGUF file, so it holds no tokenizer.", name);
    }
    if (const GgufValue* json = metadata->find("tokenizer.huggingface.json")) {
        const auto text = json->text();
        return text ? readTokenizerJson(*text, name) : tl::unexpected(text.error());
    }
    return detail::refusable(
        name, [&] { return detail::makePipeline(detail::readGgufTokenizer(*metadata, name)); });
}

std::filesystem::path tokenizerFileOf(const std::filesystem::path& path)
{
    std::error_code status;
    if (!std::filesystem::is_directory(path, status)) {
        return path;
    }
    // Marian's vocab.json is no tokenizer without its source.spm.
    for (const char* name : {"tokenizer.json", "source.spm", "vocab.json", "vocab.txt",
                             "tokenizer.model", "spiece.model", "sentencepiece.bpe.model"}) {
        if (std::filesystem::exists(path / name, status)) {
            return path / name;
        }
    }
    return {};
}

Expected<VocabularyTokenizerPtr> openTokenizer(const std::filesystem::path& path)
{
    if (const std::filesystem::path file = tokenizerFileOf(path); !file.empty()) {
        return detail::openFile(file);
    }
    return fail(
        Code::NotFound,
        "There is no tokenizer in this folder. It should hold tokenizer.json, or vocab.json "
        "with merges.txt, or vocab.txt, or source.spm with vocab.json, or tokenizer.model, "
        "spiece.model or sentencepiece.bpe.model.",
        path.string());
}

} // namespace heed
