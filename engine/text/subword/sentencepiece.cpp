// Tokenizers made of pieces with scores: SentencePiece's own files, and the same in GGUF.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/subword/sentencepiece.h"

#include "text/subword/protobuf.h"
#include "text/unicode.h"

#include <cmath>
#include <limits>

namespace heed::detail {
namespace {

// Numbers of fields in sentencepiece_model.proto.
enum ModelField : std::uint64_t { PieceList = 1, TrainerSpec = 2, NormalizerSpec = 3 };
enum PieceField : std::uint64_t { Text = 1, Score = 2, Type = 3 };
enum TrainerField : std::uint64_t {
    ModelType = 3,
    SpaceAsSuffix = 24,
    ByteFallback = 35,
    BeginId = 41,
    EndId = 42
};
enum NormalizerField : std::uint64_t {
    Charsmap = 2,
    DummyPrefix = 3,
    RemoveExtra = 4,
    WriteSpaces = 5
};

ScoredPiece readPiece(ProtoFields fields)
{
    ScoredPiece piece;
    while (fields.next()) {
        switch (fields.number()) {
        case Text:
            piece.text = fields.bytes();
            break;
        case Score:
            piece.score = fields.real();
            break;
        case Type: {
            const std::uint64_t type = fields.natural();
            if (type < 1 || type > static_cast<std::uint64_t>(PieceType::Byte)) {
                fields.refuse("A piece is of type " + std::to_string(type) + "; there are 1 to 6.");
            }
            piece.type = static_cast<PieceType>(type);
            break;
        }
        default:
            break;
        }
    }
    return piece;
}

/// A number of a piece; a negative one, stored as 64 bits, says that there is none.
std::optional<std::uint32_t> optionalId(std::uint64_t value)
{
    return value > std::numeric_limits<std::int32_t>::max()
               ? std::nullopt
               : std::optional(static_cast<std::uint32_t>(value));
}

void readTrainer(ProtoFields fields, SentencePieces& model)
{
    while (fields.next()) {
        switch (fields.number()) {
        case ModelType: {
            constexpr std::uint64_t unigram = 1;
            constexpr std::uint64_t bpe = 2;
            const std::uint64_t type = fields.natural();
            if (type != unigram && type != bpe) {
                refuse(Code::Unsupported, "SentencePiece models of words or characters (type " +
                                              std::to_string(type) +
                                              ") are not supported; unigram and BPE are.");
            }
            model.isBpe = type == bpe;
            break;
        }
        case SpaceAsSuffix:
            model.spacing.asSuffix = fields.boolean();
            break;
        case ByteFallback:
            model.byteFallback = fields.boolean();
            break;
        case BeginId:
            model.begin = optionalId(fields.natural());
            break;
        case EndId:
            model.end = optionalId(fields.natural());
            break;
        default:
            break;
        }
    }
}

void readNormalizer(ProtoFields fields, SpacingSettings& spacing)
{
    while (fields.next()) {
        switch (fields.number()) {
        case Charsmap:
            spacing.charsMap = fields.bytes();
            break;
        case DummyPrefix:
            spacing.dummyPrefix = fields.boolean();
            break;
        case RemoveExtra:
            spacing.removeExtra = fields.boolean();
            break;
        case WriteSpaces:
            spacing.writesSpaces = fields.boolean();
            break;
        default:
            break;
        }
    }
}

void checkPieces(const SentencePieces& model, const std::string& file)
{
    if (model.pieces.empty() || model.pieces.size() > std::numeric_limits<std::int32_t>::max()) {
        refuse(Code::BadFormat, "The file holds no pieces, so it is no tokenizer.", file);
    }
    for (std::size_t id = 0; id < model.pieces.size(); ++id) {
        const ScoredPiece& piece = model.pieces[id];
        const char* problem = piece.text.empty()        ? "is empty"
                              : !checkUtf8(piece.text)  ? "is not UTF-8"
                              : std::isnan(piece.score) ? "has a score that is no number"
                                                        : nullptr;
        if (problem != nullptr) {
            refuse(Code::BadFormat, "Piece " + std::to_string(id) + " " + problem + ".", file);
        }
    }
}

} // namespace

SentencePieces readSentencePieces(std::string_view bytes, const std::string& file)
{
    SentencePieces model;
    model.begin = 1; // what trainers write only when it differs
    model.end = 2;
    ProtoFields fields(bytes, 0, file);
    while (fields.next()) {
        switch (fields.number()) {
        case PieceList:
            model.pieces.push_back(readPiece(fields.message()));
            break;
        case TrainerSpec:
            readTrainer(fields.message(), model);
            break;
        case NormalizerSpec:
            readNormalizer(fields.message(), model.spacing);
            break;
        default:
            break;
        }
    }
    checkPieces(model, file);
    for (auto* id : {&model.begin, &model.end}) {
        if (*id && (**id >= model.pieces.size() || model.pieces[**id].type != PieceType::Control)) {
            id->reset();
        }
    }
    return model;
}

PipelineParts pipelineOf(SentencePieces model, bool findsControls, const std::string& file)
{
    checkPieces(model, file);
    PipelineParts parts;
    parts.name = file;
    try {
        parts.normalizer = spacingNormalizer(model.spacing, model.pieces);
    } catch (const Refusal& refusal) {
        refuse(refusal.error.code, refusal.error.message, file);
    }
    for (std::size_t id = 0; id < model.pieces.size() && findsControls; ++id) {
        const ScoredPiece& piece = model.pieces[id];
        if (piece.type == PieceType::Control || piece.type == PieceType::Unknown) {
            AddedToken token{piece.text, static_cast<std::uint32_t>(id)};
            token.normalized = false;
            token.special = true;
            parts.added.push_back(std::move(token));
        }
    }
    parts.spelling.space = model.spacing.writesSpaces ? "▁" : "";
    parts.spelling.bytePieces = model.byteFallback;
    parts.model = model.isBpe ? scoredBpeModel(std::move(model.pieces), model.byteFallback)
                              : scoredUnigramModel(std::move(model.pieces), model.byteFallback);
    return parts;
}

void surround(PostProcessor& processor, std::optional<std::uint32_t> begin,
              std::optional<std::uint32_t> end)
{
    using Kind = TemplateItem::Kind;
    const auto add = [&](std::vector<TemplateItem>& items, Kind kind, std::int32_t segment) {
        if (begin) {
            items.push_back({Kind::Special, {*begin}, segment});
        }
        items.push_back({kind, {}, segment});
        if (end) {
            items.push_back({Kind::Special, {*end}, segment});
        }
    };
    processor.single.clear();
    processor.pair.clear();
    add(processor.single, Kind::First, 0);
    add(processor.pair, Kind::First, 0);
    add(processor.pair, Kind::Second, 1);
}

} // namespace heed::detail
