// Text to tokens to a padded batch.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"
#include "heed/execution.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct Token {
    std::string text; ///< the piece itself, UTF-8, exactly as in the input; "<pad>" for padding;
                      ///< what a vocabulary has instead (VocabularyTokenizer)
    std::uint64_t id = 0; ///< stable identity of the piece: equal text, equal id, on every machine
    std::int64_t begin = 0; ///< byte range in the line; begin == end for padding
    std::int64_t end = 0;
    bool isPadding = false;
    bool isSpecial = false; ///< added by the tokenizer or padding; not in the text
    bool operator==(const Token&) const = default;
};

/// Splits a line into tokens. Immutable and re-entrant.
class Tokenizer {
public:
    virtual ~Tokenizer() = default;
    [[nodiscard]] virtual std::string_view name() const = 0;
    /// @param line UTF-8, less than 2^31 bytes.
    /// @return Code::BadFormat with the byte offset when the line is not valid UTF-8;
    /// Code::OutOfMemory when it has more than @p most tokens, before it holds more.
    /// @complexity O(bytes).
    [[nodiscard]] virtual Expected<std::vector<Token>>
    encode(std::string_view line,
           std::int64_t most = std::numeric_limits<std::int64_t>::max()) const = 0;
};

/// `words`: Unicode word boundaries (UAX #29); punctuation is a token of its own; Chinese and
/// Japanese text by character, Hangul by word; white space separates and is no token. `chars`:
/// extended grapheme clusters; a space is a token like any other character (displayText shows it).
/// @return Code::InvalidArgument for another name, listing these.
[[nodiscard]] Expected<std::shared_ptr<const Tokenizer>> makeTokenizer(std::string_view name);

/// Whether the piece separates: nothing but punctuation (Unicode category P), or a symbol between
/// texts such as "[SEP]" and "</s>". White space and the word marks "Ġ" and "▁" before it do not
/// count.
[[nodiscard]] bool isDelimiter(const Token& token);
/// Whether the token stands for no text: added by the tokenizer, or a symbol that begins or ends
/// one, such as "[CLS]" and "</s>".
[[nodiscard]] bool isSpecialSymbol(const Token& token);

enum class PadSide { Right, Left };

/// Several lines of equal padded length.
struct Batch {
    std::vector<std::vector<Token>> items; ///< B × L tokens, padding included
    std::vector<std::int64_t> lengths;     ///< real tokens of each item, 1..L
    PadSide padSide = PadSide::Right;
    std::int64_t length = 0; ///< L

    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(items.size()); }
};

/// Tokenizes @p lines and pads each to the longest, or to @p padTo when that is longer.
/// @return Code::InvalidArgument when there is no line, a line holds no token (says which), or
///         @p padTo is negative or shorter than the longest line (says both numbers);
///         Code::OutOfMemory for a batch of more than 2^24 tokens, or of more than fit the memory
///         budget of @p execution, before they are made; the tokenizer's error with the line
///         number.
[[nodiscard]] Expected<Batch> makeBatch(const std::vector<std::string>& lines,
                                        const Tokenizer& tokenizer, PadSide side,
                                        std::int64_t padTo = 0, const Execution& execution = {});

/// A token as people read it: space `␣`, newline `⏎`, tab `⇥`; other white space, control and text
/// direction characters, and tokens with nothing visible, as code points: `‹1B›`, `‹200B›`; bytes
/// that are part of a character as such: `‹F0›‹9F›`. Cut with `…` after 200 characters: nobody
/// reads more, and whoever measures or paints it should not have to.
[[nodiscard]] std::string displayText(const Token& token);

} // namespace heed
