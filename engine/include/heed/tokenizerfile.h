// Tokenizers with a vocabulary, as models come with them.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/arrayfile.h"
#include "heed/text.h"

#include <filesystem>
#include <optional>

namespace heed {

/// Tokens, and which of the two texts each belongs to in the model's eyes.
struct Encoding {
    std::vector<Token> tokens;
    std::vector<std::int32_t> segments; ///< token type numbers, one for each token
    std::size_t second = 0;             ///< the first token of the second text; behind all without
};

/// Whether a model's own tokens ([CLS], </s>, …) are put around the text.
enum class SpecialTokens { Add, LeaveOut };

/// A tokenizer whose token numbers are rows of a model's embedding. Token::text is the piece as
/// people read it: "Ġthe" is " the", and a piece that is part of a character holds its bytes, which
/// are no UTF-8. Ranges are those of the `tokenizers` package, in bytes of the line: a piece of a
/// character has the range of the character. Tokens that were put around the text have the range
/// [0, 0).
class VocabularyTokenizer : public Tokenizer {
public:
    /// With special tokens.
    [[nodiscard]] Expected<std::vector<Token>>
    encode(std::string_view line,
           std::int64_t most = std::numeric_limits<std::int64_t>::max()) const final;

    /// @param second  the second text of a pair, when there is one.
    /// @return as Tokenizer::encode(), with "second text" as context for the second;
    /// Code::BadFormat also when the text has something the vocabulary has no piece for;
    /// Code::Unsupported when a pattern of the tokenizer takes too many steps on the text.
    /// @complexity O(n log n) in the bytes of a line without a place to cut, else O(n).
    [[nodiscard]] virtual Expected<Encoding>
    encodeTexts(std::string_view line, std::optional<std::string_view> second,
                SpecialTokens special,
                std::int64_t most = std::numeric_limits<std::int64_t>::max()) const = 0;

    /// The piece as the file has it: "Ġthe", "##ing", "<0x0A>". "" for a number without a piece.
    [[nodiscard]] virtual std::string_view piece(std::uint64_t id) const = 0;
    [[nodiscard]] virtual std::optional<std::uint64_t> find(std::string_view piece) const = 0;
    /// The token of a number as encode() gives it, with the range [0, 0); isSpecial where the file
    /// says that it stands for no text. "" and no more for a number without a piece.
    [[nodiscard]] virtual Token token(std::uint64_t id) const = 0;
    /// The number of the token for text without a piece, where there is one.
    [[nodiscard]] virtual std::optional<std::uint64_t> unknown() const = 0;
    /// One more than the greatest number of a piece.
    [[nodiscard]] virtual std::int64_t size() const = 0;
};

using VocabularyTokenizerPtr = std::shared_ptr<const VocabularyTokenizer>;

/// The file that openTokenizer() reads for @p path: itself, or one of the folder; "" where the
/// folder has none.
[[nodiscard]] std::filesystem::path tokenizerFileOf(const std::filesystem::path& path);

/// Reads a tokenizer from a file or from the folder of a model: tokenizer.json, or vocab.txt
/// (BERT; or SMILES, when every piece is a token of that notation or tokenizer_config.json names
/// the class SmilesTokenizer), or vocab.json with merges.txt (GPT-2), or tokenizer.model,
/// spiece.model or sentencepiece.bpe.model (SentencePiece), or source.spm with vocab.json (Marian);
/// all but the first obey tokenizer_config.json beside them. Or from
/// a .gguf file. Truncation, padding and dropout that a file asks for are left out: what is shown
/// is the text.
/// @return Code::NotFound, Code::Io; Code::BadFormat with the byte where a file is wrong;
///         Code::Unsupported for a component this program does not know, with its name and the
///         known ones; Code::OutOfMemory.
[[nodiscard]] Expected<VocabularyTokenizerPtr> openTokenizer(const std::filesystem::path& path);

/// The tokenizer inside a GGUF file.
/// @param name  what to call it, in errors and as Tokenizer::name().
/// @return Code::NotFound when it has none; Code::Unsupported for a kind, or a rule of cutting,
/// that
///         this program does not know, with its name and the known ones; Code::BadFormat naming
///         the value that is wrong.
[[nodiscard]] Expected<VocabularyTokenizerPtr> readTokenizer(const ArrayFile& gguf,
                                                             const std::string& name);

/// Reads the bytes of a SentencePiece model. Nothing is put around a text.
/// @param name  as above.
/// @return Code::BadFormat with the byte; Code::Unsupported for models of words and characters.
[[nodiscard]] Expected<VocabularyTokenizerPtr> readSentencePiece(std::string_view bytes,
                                                                 const std::string& name);

/// Reads the text of a tokenizer.json.
/// @param name  what to call it, in errors and as Tokenizer::name().
[[nodiscard]] Expected<VocabularyTokenizerPtr> readTokenizerJson(std::string_view json,
                                                                 const std::string& name);

} // namespace heed
