// SentencePiece models whose pieces have other numbers in the model than in their own file.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/subword/renumbered.h"

#include "text/nearestname.h"

#include <algorithm>
#include <array>
#include <span>

namespace heed::detail {
namespace {

/// In the order of mBART-50; mBART has the first 25.
constexpr std::array<std::string_view, 52> Languages = {
    "ar_AR", "cs_CZ", "de_DE", "en_XX", "es_XX", "et_EE", "fi_FI", "fr_XX", "gu_IN",
    "hi_IN", "it_IT", "ja_XX", "kk_KZ", "ko_KR", "lt_LT", "lv_LV", "my_MM", "ne_NP",
    "nl_XX", "ro_RO", "ru_RU", "si_LK", "tr_TR", "vi_VN", "zh_CN", "af_ZA", "az_AZ",
    "bn_IN", "fa_IR", "he_IL", "hr_HR", "id_ID", "ka_GE", "km_KH", "mk_MK", "ml_IN",
    "mn_MN", "mr_IN", "pl_PL", "ps_AF", "pt_XX", "sv_SE", "sw_KE", "ta_IN", "te_IN",
    "th_TH", "tl_XX", "uk_UA", "ur_PK", "xh_ZA", "gl_ES", "sl_SI"};
constexpr std::size_t MbartLanguages = 25;

/// Cuts with one model and numbers with another vocabulary.
class Renumbered final : public PieceModel {
public:
    Renumbered(PieceModelPtr cutter, Vocabulary vocabulary, std::uint32_t unknown)
        : PieceModel(std::move(vocabulary))
        , m_cutter(std::move(cutter))
        , m_unknown(unknown)
    {
    }

    void tokenize(std::string_view word, std::vector<Piece>& pieces) const override
    {
        const std::size_t before = pieces.size();
        m_cutter->tokenize(word, pieces);
        for (std::size_t i = before; i < pieces.size(); ++i) {
            Piece& piece = pieces[i];
            const std::string_view text = piece.id == m_cutter->unknown()
                                              ? word.substr(piece.begin, piece.end - piece.begin)
                                              : m_cutter->vocabulary().piece(piece.id);
            piece.id = vocabulary().find(text).value_or(m_unknown);
        }
    }
    std::optional<std::uint32_t> unknown() const override { return m_unknown; }

private:
    PieceModelPtr m_cutter;
    std::uint32_t m_unknown;
};

AddedToken special(std::string_view content, std::uint32_t id)
{
    AddedToken token{std::string(content), id};
    token.normalized = false;
    token.special = true;
    return token;
}

using Kind = TemplateItem::Kind;

/// @p before A @p after, and with a second text B right behind A.
void putAround(PostProcessor& processor, const std::vector<std::uint32_t>& before,
               const std::vector<std::uint32_t>& after)
{
    processor.single = {
        {Kind::Special, before, 0}, {Kind::First, {}, 0}, {Kind::Special, after, 0}};
    processor.pair = processor.single;
    processor.pair.insert(processor.pair.end() - 1, {Kind::Second, {}, 0});
}

} // namespace

PipelineParts fairseqPipeline(SentencePieces model, FairseqFamily family,
                              const std::string& language, const std::string& file)
{
    constexpr std::array<std::string_view, 4> first = {"<s>", "<pad>", "</s>", "<unk>"};
    constexpr std::uint32_t end = 2;
    constexpr std::uint32_t unknown = 3;
    const auto pieces = static_cast<std::uint32_t>(model.pieces.size());
    Vocabulary vocabulary;
    // The file's own <unk>, <s> and </s> give their places to four tokens, so the rest moves by 1.
    for (std::uint32_t id = 1; id < pieces; ++id) {
        vocabulary.add(model.pieces[id].text, id + 1);
    }
    PipelineParts parts = pipelineOf(std::move(model), false, file);
    const auto add = [&](std::string_view content, std::uint32_t id) {
        vocabulary.add(std::string(content), id);
        parts.added.push_back(special(content, id));
    };
    for (std::uint32_t id = 0; id < first.size(); ++id) {
        add(first[id], id);
    }
    std::span<const std::string_view> languages;
    if (family != FairseqFamily::XlmRoberta) {
        languages = Languages;
        languages =
            languages.first(family == FairseqFamily::Mbart ? MbartLanguages : Languages.size());
    }
    std::uint32_t next = pieces + 1;
    for (const std::string_view code : languages) {
        add(code, next++);
    }
    add("<mask>", next);
    parts.added.back().stripLeft = true; // takes the place of a word and of the space before it
    if (family == FairseqFamily::XlmRoberta) {
        surroundLikeRoberta(parts.postProcessor, 0, end);
    } else {
        const auto at = std::ranges::find(languages, std::string_view(language));
        if (at == languages.end()) {
            refuse(Code::Unsupported,
                   "The language of the text, src_lang, is " + inQuotes(language, 40) +
                       ", which the model does not know. Known: " + listNames(languages) + ".",
                   file);
        }
        const auto code = pieces + 1 + static_cast<std::uint32_t>(at - languages.begin());
        if (family == FairseqFamily::Mbart) {
            putAround(parts.postProcessor, {}, {end, code});
        } else {
            putAround(parts.postProcessor, {code}, {end});
        }
    }
    parts.model =
        std::make_unique<const Renumbered>(std::move(parts.model), std::move(vocabulary), unknown);
    return parts;
}

PipelineParts marianPipeline(SentencePieces model, Vocabulary vocabulary, const std::string& file)
{
    PipelineParts parts = pipelineOf(std::move(model), false, file);
    const auto end = vocabulary.find("</s>");
    const auto unknown = vocabulary.find("<unk>");
    if (!end || !unknown) {
        refuse(Code::BadFormat,
               "The vocabulary beside this file lacks </s> or <unk>, which Marian needs.", file);
    }
    for (const auto& [id, piece] : vocabulary.byId()) {
        if (piece->starts_with(">>") && piece->ends_with("<<")) {
            parts.added.push_back(special(*piece, id));
            parts.added.back().special = false;
        }
    }
    for (const char* content : {"</s>", "<unk>", "<pad>"}) {
        if (const auto id = vocabulary.find(content)) {
            parts.added.push_back(special(content, *id));
        }
    }
    putAround(parts.postProcessor, {}, {*end});
    parts.model =
        std::make_unique<const Renumbered>(std::move(parts.model), std::move(vocabulary), *unknown);
    return parts;
}

} // namespace heed::detail
