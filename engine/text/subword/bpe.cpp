// Byte pair encoding.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/subword/alignedtext.h"
#include "text/subword/piecemodel.h"

#include <algorithm>
#include <array>
#include <queue>
#include <unordered_map>

namespace heed::detail {
namespace {

struct Merge {
    std::uint32_t rank = 0;
    std::uint32_t result = 0;
};

constexpr std::uint64_t pairKey(std::uint32_t left, std::uint32_t right)
{
    return std::uint64_t{left} << 32U | right;
}

struct PairHash {
    std::size_t operator()(std::uint64_t pair) const
    {
        pair *= 0x9E3779B97F4A7C15U; // the golden ratio: neighbours in number spread
        return static_cast<std::size_t>(pair ^ (pair >> 32U));
    }
};

/// A token in the list of a word under construction.
struct Symbol {
    std::uint32_t id = 0;
    std::size_t bytes = 0; ///< 0 when it was merged into the one before
    std::int64_t previous = -1;
    std::int64_t next = -1;
};

/// A merge that may still apply.
struct Candidate {
    std::uint32_t rank;
    std::uint32_t result;
    std::size_t position;
    /// The queue keeps the greatest on top: the lowest rank, then the leftmost.
    bool operator<(const Candidate& other) const
    {
        return rank != other.rank ? rank > other.rank : position > other.position;
    }
};

class Bpe final : public PieceModel {
public:
    Bpe(Vocabulary vocabulary, const Merges& merges, BpeSettings settings)
        : PieceModel(std::move(vocabulary))
        , m_settings(std::move(settings))
    {
        m_merges.reserve(merges.size());
        for (std::size_t rank = 0; rank < merges.size(); ++rank) {
            const auto& [left, right] = merges[rank];
            const auto leftId = this->vocabulary().find(left);
            const auto rightId = this->vocabulary().find(right);
            if (!leftId || !rightId || right.size() < m_settings.prefix.size()) {
                continue;
            }
            const auto result =
                this->vocabulary().find(left + right.substr(m_settings.prefix.size()));
            if (result) {
                m_merges[pairKey(*leftId, *rightId)] = {static_cast<std::uint32_t>(rank), *result};
            }
        }
        for (unsigned byte = 0; byte < m_bytes.size(); ++byte) {
            m_bytes[byte] = this->vocabulary().find(bytePiece(static_cast<unsigned char>(byte)));
        }
    }

    void tokenize(std::string_view word, std::vector<Piece>& pieces) const override
    {
        if (m_settings.ignoresMerges) {
            if (const auto id = vocabulary().find(word)) {
                pieces.push_back({*id, 0, word.size()});
                return;
            }
        }
        std::vector<Symbol> symbols = start(word);
        merge(symbols);
        std::size_t at = 0;
        for (const Symbol& symbol : symbols) {
            if (symbol.bytes > 0) {
                pieces.push_back({symbol.id, at, at + symbol.bytes});
                at += symbol.bytes;
            }
        }
    }
    std::optional<std::uint32_t> unknown() const override
    {
        return vocabulary().find(m_settings.unknown);
    }

private:
    static void add(std::vector<Symbol>& symbols, std::uint32_t id, std::size_t bytes)
    {
        const auto at = static_cast<std::int64_t>(symbols.size());
        if (!symbols.empty()) {
            symbols.back().next = at;
        }
        symbols.push_back({id, bytes, at - 1, -1});
    }

    /// The word by character.
    std::vector<Symbol> start(std::string_view word) const
    {
        std::vector<Symbol> symbols;
        symbols.reserve(word.size());
        std::size_t unknownBytes = 0; ///< of unknown characters not added yet
        const auto flush = [&] {
            if (unknownBytes > 0) {
                add(symbols, unknownId(word), unknownBytes);
                unknownBytes = 0;
            }
        };
        std::string dressed;
        for (std::size_t begin = 0; begin < word.size();) {
            const std::size_t bytes = characterBytes(word, begin);
            std::string_view character = word.substr(begin, bytes);
            const bool isLast = begin + bytes == word.size();
            if ((begin > 0 && !m_settings.prefix.empty()) ||
                (isLast && !m_settings.suffix.empty())) {
                dressed = (begin > 0 ? m_settings.prefix : std::string()) + std::string(character) +
                          (isLast ? m_settings.suffix : std::string());
                character = dressed;
            }
            begin += bytes;
            if (const auto id = vocabulary().find(character)) {
                flush();
                add(symbols, *id, bytes);
            } else if (hasBytes(character)) {
                // What is unknown before them comes after them: so does the package.
                for (const char byte : character) {
                    add(symbols, *m_bytes[static_cast<unsigned char>(byte)], 1);
                }
            } else if (!m_settings.unknown.empty()) {
                if (!m_settings.fusesUnknown) {
                    flush();
                }
                unknownBytes += bytes;
            }
        }
        flush();
        return symbols;
    }

    bool hasBytes(std::string_view character) const
    {
        return m_settings.byteFallback && std::ranges::all_of(character, [&](char byte) {
                   return m_bytes[static_cast<unsigned char>(byte)].has_value();
               });
    }

    std::uint32_t unknownId(std::string_view word) const
    {
        const auto id = unknown();
        if (!id) {
            refuseUnknownText(word, m_settings.unknown);
        }
        return *id;
    }

    const Merge* find(std::uint32_t left, std::uint32_t right) const
    {
        const auto at = m_merges.find(pairKey(left, right));
        return at == m_merges.end() ? nullptr : &at->second;
    }

    void merge(std::vector<Symbol>& symbols) const
    {
        std::priority_queue<Candidate> queue;
        const auto consider = [&](std::int64_t left) {
            if (left < 0) {
                return;
            }
            const Symbol& symbol = symbols[static_cast<std::size_t>(left)];
            if (symbol.next < 0) {
                return;
            }
            const Merge* found = find(symbol.id, symbols[static_cast<std::size_t>(symbol.next)].id);
            if (found != nullptr) {
                queue.push({found->rank, found->result, static_cast<std::size_t>(left)});
            }
        };
        for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
            consider(static_cast<std::int64_t>(i));
        }
        while (!queue.empty()) {
            const Candidate top = queue.top();
            queue.pop();
            Symbol& left = symbols[top.position];
            if (left.bytes == 0 || left.next < 0) {
                continue;
            }
            Symbol& right = symbols[static_cast<std::size_t>(left.next)];
            // The neighbours may have been merged since.
            const Merge* still = find(left.id, right.id);
            if (still == nullptr || still->result != top.result) {
                continue;
            }
            left.id = top.result;
            left.bytes += right.bytes;
            left.next = right.next;
            right.bytes = 0;
            if (left.next >= 0) {
                symbols[static_cast<std::size_t>(left.next)].previous =
                    static_cast<std::int64_t>(top.position);
            }
            consider(left.previous);
            consider(static_cast<std::int64_t>(top.position));
        }
    }

    BpeSettings m_settings;
    std::unordered_map<std::uint64_t, Merge, PairHash> m_merges;
    std::array<std::optional<std::uint32_t>, 256> m_bytes;
};

} // namespace

PieceModelPtr bpeModel(Vocabulary vocabulary, const Merges& merges, BpeSettings settings)
{
    return std::make_unique<const Bpe>(std::move(vocabulary), merges, std::move(settings));
}

} // namespace heed::detail
