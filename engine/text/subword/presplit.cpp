// The pre-tokenizers of a tokenizer.json: where text is cut before the model sees it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/subword/presplit.h"

#include "text/subword/normalizers.h"
#include "text/subword/pattern.h"
#include "text/subword/unicodeforms.h"
#include "text/unicode.h"

#include <algorithm>
#include <array>
#include <limits>

namespace heed::detail {
namespace {

constexpr std::array<std::string_view, 11> Names = {
    "Sequence",   "BertPreTokenizer",   "ByteLevel",  "Metaspace",
    "Whitespace", "WhitespaceSplit",    "Digits",     "Punctuation",
    "Split",      "CharDelimiterSplit", "FixedLength"};
constexpr std::array<std::string_view, 5> Behaviours = {"Removed", "Isolated", "MergedWithPrevious",
                                                        "MergedWithNext", "Contiguous"};

enum class Behaviour { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };

/// A stretch of text between cuts.
struct Stretch {
    ByteRange range;
    bool isMatch = false;
};

/// The matches and what lies between them, which together are the whole text.
std::vector<Stretch> stretches(const std::vector<ByteRange>& matches, std::size_t bytes)
{
    std::vector<Stretch> all;
    std::uint32_t at = 0;
    for (const ByteRange& match : matches) {
        if (match.begin > at) {
            all.push_back({{at, match.begin}, false});
        }
        all.push_back({match, true});
        at = match.end;
    }
    if (at < bytes) {
        all.push_back({{at, static_cast<std::uint32_t>(bytes)}, false});
    }
    return all;
}

std::vector<ByteRange> pieces(const std::vector<Stretch>& all, Behaviour behaviour)
{
    std::vector<ByteRange> kept;
    bool afterMatch = false;
    const auto forward = [&](bool joins, const ByteRange& range) {
        if (joins && !kept.empty()) {
            kept.back().end = range.end;
        } else {
            kept.push_back(range);
        }
    };
    switch (behaviour) {
    case Behaviour::Removed:
    case Behaviour::Isolated:
        for (const Stretch& stretch : all) {
            if (behaviour == Behaviour::Isolated || !stretch.isMatch) {
                kept.push_back(stretch.range);
            }
        }
        break;
    case Behaviour::Contiguous:
        for (const Stretch& stretch : all) {
            forward(stretch.isMatch == afterMatch, stretch.range);
            afterMatch = stretch.isMatch;
        }
        break;
    case Behaviour::MergedWithPrevious:
        for (const Stretch& stretch : all) {
            forward(stretch.isMatch && !afterMatch, stretch.range);
            afterMatch = stretch.isMatch;
        }
        break;
    case Behaviour::MergedWithNext:
        for (auto stretch = all.rbegin(); stretch != all.rend(); ++stretch) {
            if (stretch->isMatch && !afterMatch && !kept.empty()) {
                kept.back().begin = stretch->range.begin;
            } else {
                kept.push_back(stretch->range);
            }
            afterMatch = stretch->isMatch;
        }
        std::ranges::reverse(kept);
        break;
    }
    return kept;
}

/// Replaces every part that is no added token by the pieces that cut(part) returns.
template <typename Cut>
void cutParts(std::vector<Part>& parts, const Cut& cut)
{
    std::vector<Part> result;
    result.reserve(parts.size());
    for (Part& part : parts) {
        if (part.token) {
            result.push_back(std::move(part));
            continue;
        }
        const std::vector<ByteRange> ranges = cut(part.text);
        if (ranges.size() == 1 && ranges[0].begin == 0 &&
            ranges[0].end == part.text.text().size()) {
            if (!part.text.empty()) {
                result.push_back(std::move(part));
            }
            continue;
        }
        for (const ByteRange& range : ranges) {
            if (range.begin < range.end) {
                result.push_back({part.text.slice(range.begin, range.end), {}});
            }
        }
    }
    parts = std::move(result);
}

ByteRange whole(const AlignedText& text)
{
    return {0, static_cast<std::uint32_t>(text.text().size())};
}

/// Cuts by matches of a pattern, or by what it does not match (@p inverted).
class Splitter final : public PreTokenizer {
public:
    Splitter(Pattern pattern, Behaviour behaviour, bool inverted)
        : m_pattern(std::move(pattern))
        , m_behaviour(behaviour)
        , m_inverted(inverted)
    {
    }
    void apply(std::vector<Part>& parts) const override
    {
        cutParts(parts, [&](const AlignedText& text) {
            auto all = stretches(m_pattern.matches(text.text()), text.text().size());
            for (Stretch& stretch : all) {
                stretch.isMatch = stretch.isMatch != m_inverted;
            }
            return pieces(all, m_behaviour);
        });
    }

private:
    Pattern m_pattern;
    Behaviour m_behaviour;
    bool m_inverted;
};

/// Cuts at the characters for which a function is true.
template <typename Matches>
class CharacterSplitter final : public PreTokenizer {
public:
    CharacterSplitter(Matches matches, Behaviour behaviour)
        : m_matches(std::move(matches))
        , m_behaviour(behaviour)
    {
    }
    void apply(std::vector<Part>& parts) const override
    {
        cutParts(parts, [&](const AlignedText& text) {
            std::vector<ByteRange> matches;
            for (std::size_t position = 0; position < text.text().size();) {
                const auto begin = static_cast<std::uint32_t>(position);
                if (m_matches(nextCodePoint(text.text(), position))) {
                    matches.push_back({begin, static_cast<std::uint32_t>(position)});
                }
            }
            return pieces(stretches(matches, text.text().size()), m_behaviour);
        });
    }

private:
    Matches m_matches;
    Behaviour m_behaviour;
};

template <typename Matches>
PreTokenizerPtr splitAtCharacters(Matches matches, Behaviour behaviour)
{
    return std::make_unique<const CharacterSplitter<Matches>>(std::move(matches), behaviour);
}

class Sequence final : public PreTokenizer {
public:
    explicit Sequence(std::vector<PreTokenizerPtr> stages)
        : m_stages(std::move(stages))
    {
    }
    void apply(std::vector<Part>& parts) const override
    {
        for (const PreTokenizerPtr& stage : m_stages) {
            stage->apply(parts);
        }
    }

private:
    std::vector<PreTokenizerPtr> m_stages;
};

class ByteLevel final : public PreTokenizer {
public:
    ByteLevel(bool addPrefixSpace, bool useRegex)
        : m_addPrefixSpace(addPrefixSpace)
        , m_useRegex(useRegex)
    {
    }
    void apply(std::vector<Part>& parts) const override
    {
        // GPT-2's, which the files of its relatives do not repeat.
        static const Pattern pattern = Pattern::regex(
            R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)");
        if (m_addPrefixSpace) {
            for (Part& part : parts) {
                if (!part.token && !part.text.empty() && !part.text.text().starts_with(' ')) {
                    part.text.prepend(" ");
                }
            }
        }
        cutParts(parts, [&](const AlignedText& text) {
            if (!m_useRegex) {
                return std::vector<ByteRange>{whole(text)};
            }
            return pieces(stretches(pattern.matches(text.text()), text.text().size()),
                          Behaviour::Isolated);
        });
        for (Part& part : parts) {
            if (!part.token) {
                toByteCharacters(part.text);
            }
        }
    }

private:
    bool m_addPrefixSpace;
    bool m_useRegex;
};

enum class Prepend { Always, First, Never };

class Metaspace final : public PreTokenizer {
public:
    Metaspace(std::string replacement, Prepend prepend, bool split)
        : m_replacement(std::move(replacement))
        , m_prepend(prepend)
        , m_split(split)
    {
    }
    void apply(std::vector<Part>& parts) const override
    {
        static const Pattern space = Pattern::literal(" ");
        const Pattern mark = Pattern::literal(m_replacement);
        for (Part& part : parts) {
            if (part.token || part.text.empty()) {
                continue;
            }
            part.text.replace(space.matches(part.text.text()), m_replacement);
            const bool prepends = m_prepend == Prepend::Always ||
                                  (m_prepend == Prepend::First && part.text.cutAt() == 0);
            if (prepends && !part.text.text().starts_with(m_replacement)) {
                part.text.prepend(m_replacement);
            }
        }
        cutParts(parts, [&](const AlignedText& text) {
            return m_split ? pieces(stretches(mark.matches(text.text()), text.text().size()),
                                    Behaviour::MergedWithNext)
                           : std::vector<ByteRange>{whole(text)};
        });
    }

private:
    std::string m_replacement;
    Prepend m_prepend;
    bool m_split;
};

/// Runs of word characters, and runs of what is neither that nor white space.
class Whitespace final : public PreTokenizer {
public:
    void apply(std::vector<Part>& parts) const override
    {
        cutParts(parts, [](const AlignedText& text) {
            std::vector<ByteRange> runs;
            enum class Kind { Space, Word, Other } last = Kind::Space;
            for (std::size_t position = 0; position < text.text().size();) {
                const auto begin = static_cast<std::uint32_t>(position);
                const char32_t c = nextCodePoint(text.text(), position);
                const auto end = static_cast<std::uint32_t>(position);
                const Kind kind = isWordCharacter(c) ? Kind::Word
                                  : isWhiteSpace(c)  ? Kind::Space
                                                     : Kind::Other;
                if (kind != Kind::Space && kind == last) {
                    runs.back().end = end;
                } else if (kind != Kind::Space) {
                    runs.push_back({begin, end});
                }
                last = kind;
            }
            return runs;
        });
    }
};

class FixedLength final : public PreTokenizer {
public:
    explicit FixedLength(std::uint64_t characters)
        : m_characters(characters)
    {
    }
    void apply(std::vector<Part>& parts) const override
    {
        cutParts(parts, [&](const AlignedText& text) {
            std::vector<ByteRange> chunks;
            std::uint64_t count = 0;
            for (std::size_t position = 0; position < text.text().size(); ++count) {
                const auto begin = static_cast<std::uint32_t>(position);
                position += characterBytes(text.text(), position);
                if (count % m_characters == 0) {
                    chunks.push_back({begin, begin});
                }
                chunks.back().end = static_cast<std::uint32_t>(position);
            }
            return chunks;
        });
    }

private:
    std::uint64_t m_characters;
};

Behaviour readBehaviour(const Settings& settings)
{
    const std::string& name = settings.text();
    const auto at = std::ranges::find(Behaviours, name);
    if (at == Behaviours.end()) {
        settings.refuseUnknown("behaviour", name, Behaviours);
    }
    return static_cast<Behaviour>(at - Behaviours.begin());
}

PreTokenizerPtr readMetaspace(const Settings& settings)
{
    static constexpr std::array<std::string_view, 3> schemes = {"always", "first", "never"};
    // Older files say it with a switch.
    const bool adds = settings.flag("add_prefix_space", true);
    const std::string scheme = settings.textOr("prepend_scheme", adds ? "always" : "never");
    const auto at = std::ranges::find(schemes, scheme);
    if (at == schemes.end()) {
        settings.at("prepend_scheme").refuseUnknown("scheme", scheme, schemes);
    }
    const Settings replacement = settings.at("replacement");
    if (replacement.text().empty()) {
        replacement.refuse("is empty.");
    }
    return std::make_unique<const Metaspace>(replacement.text(),
                                             static_cast<Prepend>(at - schemes.begin()),
                                             settings.flag("split", true));
}

PreTokenizerPtr readDelimiter(const Settings& settings)
{
    const std::string& text = settings.text();
    std::size_t position = 0;
    const char32_t delimiter = text.empty() ? 0 : nextCodePoint(text, position);
    if (position == 0 || position != text.size()) {
        settings.refuse("must be one character.");
    }
    return splitAtCharacters([delimiter](char32_t c) { return c == delimiter; },
                             Behaviour::Removed);
}

} // namespace

PreTokenizerPtr bertPreTokenizer()
{
    std::vector<PreTokenizerPtr> stages;
    stages.push_back(splitAtCharacters(isWhiteSpace, Behaviour::Removed));
    stages.push_back(splitAtCharacters(isPunctuationOrSymbol, Behaviour::Isolated));
    return std::make_unique<const Sequence>(std::move(stages));
}

PreTokenizerPtr patternPreTokenizer(std::span<const std::string_view> expressions)
{
    std::vector<PreTokenizerPtr> stages;
    for (const std::string_view expression : expressions) {
        stages.push_back(std::make_unique<const Splitter>(Pattern::regex(std::string(expression)),
                                                          Behaviour::Isolated, false));
    }
    stages.push_back(byteLevelPreTokenizer(false, false));
    return std::make_unique<const Sequence>(std::move(stages));
}

PreTokenizerPtr matchesPreTokenizer(std::string_view expression)
{
    return std::make_unique<const Splitter>(Pattern::regex(std::string(expression)),
                                            Behaviour::Removed, true);
}

PreTokenizerPtr byteLevelPreTokenizer(bool addPrefixSpace, bool useRegex)
{
    return std::make_unique<const ByteLevel>(addPrefixSpace, useRegex);
}

PreTokenizerPtr readPreTokenizer(const Settings& settings)
{
    const std::string type = settings.at("type").text();
    if (type == "Sequence") {
        std::vector<PreTokenizerPtr> stages;
        for (const Settings& stage : settings.at("pretokenizers").items()) {
            stages.push_back(readPreTokenizer(stage));
        }
        return std::make_unique<const Sequence>(std::move(stages));
    }
    if (type == "BertPreTokenizer") {
        return bertPreTokenizer();
    }
    if (type == "ByteLevel") {
        return byteLevelPreTokenizer(settings.flag("add_prefix_space", true),
                                     settings.flag("use_regex", true));
    }
    if (type == "Metaspace") {
        return readMetaspace(settings);
    }
    if (type == "Whitespace") {
        return std::make_unique<const Whitespace>();
    }
    if (type == "WhitespaceSplit") {
        return splitAtCharacters(isWhiteSpace, Behaviour::Removed);
    }
    if (type == "Digits") {
        return splitAtCharacters(isNumeric, settings.flag("individual_digits", false)
                                                ? Behaviour::Isolated
                                                : Behaviour::Contiguous);
    }
    if (type == "Punctuation") {
        const auto behaviour = settings.find("behavior");
        return splitAtCharacters(isPunctuationOrSymbol,
                                 behaviour ? readBehaviour(*behaviour) : Behaviour::Isolated);
    }
    if (type == "Split") {
        return std::make_unique<const Splitter>(readPattern(settings.at("pattern")),
                                                readBehaviour(settings.at("behavior")),
                                                settings.flag("invert", false));
    }
    if (type == "CharDelimiterSplit") {
        return readDelimiter(settings.at("delimiter"));
    }
    if (type == "FixedLength") {
        const auto length = settings.find("length");
        const std::uint64_t characters =
            length ? length->natural(std::numeric_limits<std::int32_t>::max()) : 5;
        if (characters == 0) {
            length->refuse("must be at least 1.");
        }
        return std::make_unique<const FixedLength>(characters);
    }
    settings.refuseUnknown("pre-tokenizer", type, Names);
}

} // namespace heed::detail
