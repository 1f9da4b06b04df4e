// The models of SentencePiece: pieces with scores, as its own files and GGUF files have them.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/subword/scoredpieces.h"

#include "text/subword/charsmap.h"
#include "text/subword/piecetrie.h"

#include <algorithm>
#include <array>
#include <limits>
#include <queue>
#include <unordered_map>

namespace heed::detail {
namespace {

Vocabulary vocabularyOf(const std::vector<ScoredPiece>& pieces)
{
    Vocabulary vocabulary;
    for (std::size_t id = 0; id < pieces.size(); ++id) {
        vocabulary.add(pieces[id].text, static_cast<std::uint32_t>(id));
    }
    return vocabulary;
}

/// A tree of the pieces of some types.
PieceTrie trieOf(const std::vector<ScoredPiece>& pieces, std::initializer_list<PieceType> types)
{
    std::vector<std::pair<std::string_view, std::uint32_t>> entries;
    for (std::size_t id = 0; id < pieces.size(); ++id) {
        if (std::ranges::find(types, pieces[id].type) != types.end()) {
            entries.emplace_back(pieces[id].text, static_cast<std::uint32_t>(id));
        }
    }
    return PieceTrie(std::move(entries));
}

/// Bytes of the longest piece of @p trie that @p text starts with; 0 = none.
std::size_t longestPrefix(const PieceTrie& trie, std::string_view text)
{
    std::size_t longest = 0;
    trie.forEachPrefix(text, [&](std::size_t length, std::uint32_t) { longest = length; });
    return longest;
}

class ScoredModel : public PieceModel {
public:
    std::optional<std::uint32_t> unknown() const override { return m_unknown; }

protected:
    ScoredModel(std::vector<ScoredPiece> pieces, bool byteFallback)
        : PieceModel(vocabularyOf(pieces))
        , m_pieces(std::move(pieces))
        , m_byteFallback(byteFallback)
    {
        for (std::size_t id = 0; id < m_pieces.size(); ++id) {
            if (m_pieces[id].type == PieceType::Unknown && !m_unknown) {
                m_unknown = static_cast<std::uint32_t>(id);
            }
        }
        for (unsigned byte = 0; byte < m_bytes.size(); ++byte) {
            const auto id = vocabulary().find(bytePiece(static_cast<unsigned char>(byte)));
            if (id && m_pieces[*id].type == PieceType::Byte) {
                m_bytes[byte] = id;
            }
        }
    }

    [[nodiscard]] const ScoredPiece& scored(std::uint32_t id) const { return m_pieces[id]; }
    [[nodiscard]] const std::vector<ScoredPiece>& all() const { return m_pieces; }

    /// Adds what bytes [begin, end) of @p word without a piece become.
    void addUnknown(std::string_view word, std::size_t begin, std::size_t end,
                    std::vector<Piece>& pieces) const
    {
        const std::string_view text = word.substr(begin, end - begin);
        if (hasBytes(text)) {
            for (const char byte : text) {
                pieces.push_back({*m_bytes[static_cast<unsigned char>(byte)], begin, end});
            }
            return;
        }
        if (!m_unknown) {
            refuseUnknownText(word, {});
        }
        // Unknown neighbours are one.
        if (!pieces.empty() && pieces.back().id == *m_unknown && pieces.back().end == begin) {
            pieces.back().end = end;
        } else {
            pieces.push_back({*m_unknown, begin, end});
        }
    }

private:
    [[nodiscard]] bool hasBytes(std::string_view text) const
    {
        return m_byteFallback && std::ranges::all_of(text, [&](char byte) {
                   return m_bytes[static_cast<unsigned char>(byte)].has_value();
               });
    }

    std::vector<ScoredPiece> m_pieces;
    bool m_byteFallback;
    std::optional<std::uint32_t> m_unknown;
    std::array<std::optional<std::uint32_t>, 256> m_bytes;
};

class ScoredUnigram final : public ScoredModel {
public:
    ScoredUnigram(std::vector<ScoredPiece> pieces, bool byteFallback)
        : ScoredModel(std::move(pieces), byteFallback)
        , m_trie(trieOf(all(), {PieceType::Normal, PieceType::UserDefined}))
    {
        float least = std::numeric_limits<float>::max();
        for (const ScoredPiece& piece : all()) {
            if (piece.type == PieceType::Normal) {
                least = std::min(least, piece.score);
                m_greatest = std::max(m_greatest, piece.score);
            }
        }
        constexpr float penalty = 10; // SentencePiece's
        m_unknownScore = least - penalty;
    }

    void tokenize(std::string_view word, std::vector<Piece>& pieces) const override
    {
        const std::vector<Best> best = bestEnds(word);
        std::vector<std::size_t> ends; // of the pieces, the last first
        for (std::size_t end = word.size(); end > 0; end = best[end].begin) {
            ends.push_back(end);
        }
        for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
            const Best& last = best[*end];
            if (last.id) {
                pieces.push_back({*last.id, last.begin, *end});
            } else {
                addUnknown(word, last.begin, *end, pieces);
            }
        }
    }

private:
    /// The best pieces that end at a byte.
    struct Best {
        float score = 0;
        bool isReached = false;
        std::size_t begin = 0;           ///< of the last piece
        std::optional<std::uint32_t> id; ///< nothing = unknown

        /// Of equal scores the first stays.
        void offer(double candidate, std::size_t from, std::optional<std::uint32_t> piece)
        {
            if (!isReached || candidate > static_cast<double>(score)) {
                *this = {static_cast<float>(candidate), true, from, piece};
            }
        }
    };

    [[nodiscard]] std::vector<Best> bestEnds(std::string_view word) const
    {
        std::vector<Best> best(word.size() + 1);
        for (std::size_t begin = 0; begin < word.size();) {
            const std::size_t character = characterBytes(word, begin);
            const float before = best[begin].score;
            bool hasCharacter = false;
            m_trie.forEachPrefix(word.substr(begin), [&](std::size_t length, std::uint32_t id) {
                best[begin + length].offer(sum(before, id, length), begin, id);
                hasCharacter = hasCharacter || length == character;
            });
            if (!hasCharacter) {
                best[begin + character].offer(static_cast<double>(m_unknownScore + before), begin,
                                              std::nullopt);
            }
            begin += character;
        }
        return best;
    }

    /// The score with one more piece, rounded where SentencePiece rounds it: pieces of the user are
    /// added in double precision, with a score that beats all others.
    [[nodiscard]] double sum(float before, std::uint32_t id, std::size_t length) const
    {
        const ScoredPiece& piece = scored(id);
        if (piece.type != PieceType::UserDefined) {
            return static_cast<double>(piece.score + before);
        }
        constexpr double lessThanOne = 0.1;
        return static_cast<double>(static_cast<float>(length) * m_greatest) - lessThanOne +
               static_cast<double>(before);
    }

    PieceTrie m_trie;
    float m_greatest = std::numeric_limits<float>::min();
    float m_unknownScore = 0;
};

class ScoredBpe final : public ScoredModel {
public:
    ScoredBpe(std::vector<ScoredPiece> pieces, bool byteFallback)
        : ScoredModel(std::move(pieces), byteFallback)
        , m_frozen(trieOf(all(), {PieceType::UserDefined}))
    {
    }

    void tokenize(std::string_view word, std::vector<Piece>& pieces) const override
    {
        Joining joining{word, {}, {}, {}};
        start(joining);
        join(joining);
        std::size_t begin = 0;
        for (const Symbol& symbol : joining.symbols) {
            if (symbol.bytes > 0) {
                add(joining, begin, symbol.bytes, pieces);
                begin += symbol.bytes;
            }
        }
    }

private:
    /// A piece of a word under construction.
    struct Symbol {
        std::size_t begin = 0;
        std::size_t bytes = 0; ///< 0 when it was joined to the one before
        std::int64_t previous = -1;
        std::int64_t next = -1;
        bool isFrozen = false;
    };
    /// Two neighbours that may be joined.
    struct Pair {
        float score;
        std::size_t left;
        std::size_t right;
        std::size_t bytes; ///< of both when they were looked at
        /// The queue keeps the greatest on top: the best score, then the leftmost.
        bool operator<(const Pair& other) const
        {
            return score != other.score ? score < other.score : left > other.left;
        }
    };
    struct Joining {
        std::string_view word;
        std::vector<Symbol> symbols;
        std::priority_queue<Pair> queue;
        /// Of unused pieces, by text: the bytes of the first of the two that they were made of.
        std::unordered_map<std::string_view, std::size_t> halves;
    };

    /// A piece that @p text may become.
    [[nodiscard]] std::optional<std::uint32_t> find(std::string_view text) const
    {
        const auto id = vocabulary().find(text);
        if (!id) {
            return {};
        }
        const PieceType type = scored(*id).type;
        const bool isText = type == PieceType::Normal || type == PieceType::UserDefined ||
                            type == PieceType::Unused;
        return isText ? id : std::nullopt;
    }

    void start(Joining& joining) const
    {
        const std::string_view word = joining.word;
        for (std::size_t begin = 0; begin < word.size();) {
            const std::size_t frozen = longestPrefix(m_frozen, word.substr(begin));
            const std::size_t bytes = frozen > 0 ? frozen : characterBytes(word, begin);
            const auto at = static_cast<std::int64_t>(joining.symbols.size());
            if (at > 0) {
                joining.symbols.back().next = at;
            }
            joining.symbols.push_back({begin, bytes, at - 1, -1, frozen > 0});
            begin += bytes;
        }
    }

    void consider(Joining& joining, std::int64_t left, std::int64_t right) const
    {
        if (left < 0 || right < 0) {
            return;
        }
        const Symbol& first = joining.symbols[static_cast<std::size_t>(left)];
        const Symbol& second = joining.symbols[static_cast<std::size_t>(right)];
        if (first.isFrozen || second.isFrozen) {
            return;
        }
        const std::string_view both = joining.word.substr(first.begin, first.bytes + second.bytes);
        const auto id = find(both);
        if (!id) {
            return;
        }
        if (scored(*id).type == PieceType::Unused) {
            joining.halves[both] = first.bytes;
        }
        joining.queue.push({scored(*id).score, static_cast<std::size_t>(left),
                            static_cast<std::size_t>(right), both.size()});
    }

    void join(Joining& joining) const
    {
        auto& symbols = joining.symbols;
        for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
            consider(joining, static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) + 1);
        }
        while (!joining.queue.empty()) {
            const Pair top = joining.queue.top();
            joining.queue.pop();
            Symbol& left = symbols[top.left];
            Symbol& right = symbols[top.right];
            // One of them may have been joined since.
            if (left.bytes == 0 || right.bytes == 0 || left.bytes + right.bytes != top.bytes) {
                continue;
            }
            left.bytes = top.bytes;
            left.next = right.next;
            right.bytes = 0;
            if (left.next >= 0) {
                symbols[static_cast<std::size_t>(left.next)].previous =
                    static_cast<std::int64_t>(top.left);
            }
            consider(joining, left.previous, static_cast<std::int64_t>(top.left));
            consider(joining, static_cast<std::int64_t>(top.left), left.next);
        }
    }

    /// Adds the piece at @p first, or what an unused one was made of.
    void add(const Joining& joining, std::size_t first, std::size_t size,
             std::vector<Piece>& pieces) const
    {
        std::vector<std::pair<std::size_t, std::size_t>> waiting{{first, size}};
        while (!waiting.empty()) {
            const auto [begin, bytes] = waiting.back();
            waiting.pop_back();
            const std::string_view text = joining.word.substr(begin, bytes);
            const auto half = joining.halves.find(text);
            const auto id = find(text);
            if (id && scored(*id).type == PieceType::Unused && half != joining.halves.end()) {
                waiting.emplace_back(begin + half->second, bytes - half->second);
                waiting.emplace_back(begin, half->second);
            } else if (id) {
                pieces.push_back({*id, begin, begin + bytes});
            } else {
                addUnknown(joining.word, begin, begin + bytes, pieces);
            }
        }
    }

    PieceTrie m_frozen;
};

/// A space, or what stands for it in pieces.
constexpr std::string_view SpaceMark = "▁";

class Spacing final : public Normalizer {
public:
    Spacing(const SpacingSettings& settings, const std::vector<ScoredPiece>& pieces)
        : m_settings(settings)
        , m_kept(trieOf(pieces, {PieceType::UserDefined}))
    {
        if (!settings.charsMap.empty()) {
            m_map.emplace(settings.charsMap);
        }
    }

    void apply(AlignedText& text) const override
    {
        Result result{text.text()};
        skipSpaces(result);
        if (result.at < result.text.size()) {
            if (m_settings.dummyPrefix && !m_settings.asSuffix) {
                add(result, " ");
            }
            copy(result);
            trimEnd(result);
            if (m_settings.dummyPrefix && m_settings.asSuffix) {
                add(result, " ");
            }
        }
        finish(result, text);
    }

private:
    struct Result {
        std::string_view text; ///< the old one
        std::size_t at = 0;    ///< of it is done
        std::string made = {};
        std::vector<std::uint32_t> begins = {}; ///< of each byte made, in the old text
    };
    struct Step {
        std::size_t bytes;
        std::string_view becomes;
    };

    /// What the text at result.at becomes, a character or more of it.
    [[nodiscard]] Step next(const Result& result) const
    {
        const std::string_view rest = result.text.substr(result.at);
        if (const std::size_t kept = longestPrefix(m_kept, rest); kept > 0) {
            return {kept, rest.substr(0, kept)};
        }
        if (m_map) {
            if (const auto entry = m_map->findLongest(rest)) {
                return {entry->bytes, entry->replacement};
            }
        }
        const std::size_t bytes = characterBytes(rest, 0);
        return {bytes, rest.substr(0, bytes)};
    }

    void skipSpaces(Result& result) const
    {
        while (m_settings.removeExtra && result.at < result.text.size()) {
            const Step step = next(result);
            if (step.becomes != " ") {
                return;
            }
            result.at += step.bytes;
        }
    }

    void add(Result& result, std::string_view text) const
    {
        for (const char c : text) {
            if (c == ' ' && m_settings.writesSpaces) {
                result.made += SpaceMark;
            } else {
                result.made += c;
            }
            result.begins.resize(result.made.size(), static_cast<std::uint32_t>(result.at));
        }
    }

    void copy(Result& result) const
    {
        bool afterSpace = m_settings.removeExtra;
        while (result.at < result.text.size()) {
            auto [bytes, becomes] = next(result);
            while (afterSpace && becomes.starts_with(' ')) {
                becomes.remove_prefix(1);
            }
            if (!becomes.empty()) {
                add(result, becomes);
                afterSpace = m_settings.removeExtra && becomes.ends_with(' ');
            }
            result.at += bytes;
        }
    }

    void trimEnd(Result& result) const
    {
        const std::string_view space = m_settings.writesSpaces ? SpaceMark : " ";
        while (m_settings.removeExtra && result.made.ends_with(space)) {
            result.made.resize(result.made.size() - space.size());
            result.at = result.begins[result.made.size()];
            result.begins.resize(result.made.size());
        }
    }

    /// A byte stands for what lies between its begin and that of the next character.
    static void finish(const Result& result, AlignedText& text)
    {
        std::vector<ByteRange> origins(result.begins.size());
        for (std::size_t i = 0; i < origins.size(); ++i) {
            origins[i] = {result.begins[i], i + 1 < origins.size()
                                                ? result.begins[i + 1]
                                                : static_cast<std::uint32_t>(result.at)};
        }
        text.rewrite(result.made, origins);
    }

    SpacingSettings m_settings;
    PieceTrie m_kept;
    std::optional<CharsMap> m_map;
};

} // namespace

PieceModelPtr scoredUnigramModel(std::vector<ScoredPiece> pieces, bool byteFallback)
{
    return std::make_unique<const ScoredUnigram>(std::move(pieces), byteFallback);
}

PieceModelPtr scoredBpeModel(std::vector<ScoredPiece> pieces, bool byteFallback)
{
    return std::make_unique<const ScoredBpe>(std::move(pieces), byteFallback);
}

NormalizerPtr spacingNormalizer(const SpacingSettings& settings,
                                const std::vector<ScoredPiece>& pieces)
{
    return std::make_unique<const Spacing>(settings, pieces);
}

} // namespace heed::detail
