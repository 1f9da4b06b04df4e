// Regular expressions of tokenizer files; the only place that sees Oniguruma.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "text/subword/alignedtext.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heed::detail {

/// A regular expression in the dialect of the `tokenizers` package, or plain text to look for.
/// Immutable and re-entrant.
class Pattern {
public:
    /// @throws Refusal when Oniguruma does not understand it or it is longer than 64 KiB.
    [[nodiscard]] static Pattern regex(const std::string& expression);
    /// @throws Refusal when @p text is empty.
    [[nodiscard]] static Pattern literal(std::string text);

    /// The matches in @p text, valid UTF-8, from left to right. They may be empty.
    /// @throws Refusal when one takes more than ten million steps.
    [[nodiscard]] std::vector<ByteRange> matches(std::string_view text) const;

private:
    struct Compiled;
    std::shared_ptr<const Compiled> m_compiled; ///< null for plain text
    std::string m_text;
};

} // namespace heed::detail
