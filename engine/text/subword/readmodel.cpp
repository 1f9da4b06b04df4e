// Reads the model of a tokenizer.json.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/subword/piecemodel.h"

#include <array>
#include <cmath>
#include <limits>

namespace heed::detail {
namespace {

constexpr std::array<std::string_view, 4> Names = {"BPE", "WordPiece", "Unigram", "WordLevel"};

Vocabulary readVocabulary(const Settings& settings)
{
    Vocabulary vocabulary;
    for (const auto& [piece, id] : settings.members()) {
        const auto* number = std::get_if<std::uint64_t>(&id.value);
        if (number == nullptr || *number > std::numeric_limits<std::int32_t>::max()) {
            settings.at(piece).refuse("must be the number of a token.");
        }
        vocabulary.add(piece, static_cast<std::uint32_t>(*number));
    }
    return vocabulary;
}

/// "a b", or ["a", "b"] in files that have pieces with spaces.
std::pair<std::string, std::string> readMerge(const Settings& settings)
{
    if (const auto* both = std::get_if<std::string>(&settings.json().value)) {
        const std::size_t space = both->find(' ');
        if (space == both->npos || both->find(' ', space + 1) != both->npos) {
            settings.refuse("must be two pieces with one space between them.");
        }
        return {both->substr(0, space), both->substr(space + 1)};
    }
    const auto items = settings.items();
    if (items.size() != 2) {
        settings.refuse("must be a list of two pieces.");
    }
    return {items[0].text(), items[1].text()};
}

PieceModelPtr readBpe(const Settings& settings)
{
    Merges merges;
    for (const Settings& merge : settings.at("merges").items()) {
        merges.push_back(readMerge(merge));
    }
    return bpeModel(readVocabulary(settings.at("vocab")), merges,
                    {.unknown = settings.textOr("unk_token", ""),
                     .prefix = settings.textOr("continuing_subword_prefix", ""),
                     .suffix = settings.textOr("end_of_word_suffix", ""),
                     .fusesUnknown = settings.flag("fuse_unk", false),
                     .byteFallback = settings.flag("byte_fallback", false),
                     .ignoresMerges = settings.flag("ignore_merges", false)});
}

PieceModelPtr readUnigram(const Settings& settings)
{
    std::vector<std::pair<std::string, double>> pieces;
    const Settings vocab = settings.at("vocab");
    for (const Settings& entry : vocab.items()) {
        const auto parts = entry.items();
        if (parts.size() != 2) {
            entry.refuse("must be a piece and its score.");
        }
        pieces.emplace_back(parts[0].text(), parts[1].number());
    }
    std::optional<std::uint32_t> unknown;
    if (const auto id = settings.find("unk_id")) {
        unknown = id->id();
        if (*unknown >= pieces.size()) {
            id->refuse("is " + std::to_string(*unknown) + ", but there are " +
                       std::to_string(pieces.size()) + " pieces.");
        }
    }
    return unigramModel(pieces, unknown, settings.flag("byte_fallback", false));
}

/// Files of the first versions do not say what they are.
std::string typeOf(const Settings& settings)
{
    if (const auto type = settings.find("type")) {
        return type->text();
    }
    if (settings.find("merges")) {
        return "BPE";
    }
    if (settings.find("max_input_chars_per_word")) {
        return "WordPiece";
    }
    const bool isList = std::holds_alternative<JsonValue::Array>(settings.at("vocab").json().value);
    return isList ? "Unigram" : "WordLevel";
}

} // namespace

PieceModelPtr readModel(const Settings& settings)
{
    const std::string type = typeOf(settings);
    if (type == "BPE") {
        return readBpe(settings);
    }
    if (type == "WordPiece") {
        WordPieceSettings wordPiece{settings.textOr("unk_token", "[UNK]"),
                                    settings.textOr("continuing_subword_prefix", "##")};
        if (const auto most = settings.find("max_input_chars_per_word")) {
            wordPiece.mostCharacters = most->natural(std::numeric_limits<std::int32_t>::max());
        }
        return wordPieceModel(readVocabulary(settings.at("vocab")), std::move(wordPiece));
    }
    if (type == "Unigram") {
        return readUnigram(settings);
    }
    if (type == "WordLevel") {
        return wordLevelModel(readVocabulary(settings.at("vocab")),
                              settings.textOr("unk_token", ""));
    }
    settings.refuseUnknown("model", type, Names);
}

} // namespace heed::detail
