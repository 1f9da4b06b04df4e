// Regular expressions of tokenizer files; the only place that sees Oniguruma.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text/subword/pattern.h"

#include "text/nearestname.h"
#include "text/subword/refusal.h"

#include <mutex>
#include <new>
#include <oniguruma.h>

namespace heed::detail {
namespace {

// A file from a stranger can hold a pattern that takes years; about a second is allowed.
constexpr unsigned long MostSteps = 10'000'000;
constexpr unsigned int MostStackFrames = 1'000'000;
constexpr std::size_t MostPatternBytes = std::size_t{1} << 16;

const OnigUChar* bytes(const char* text)
{
    return reinterpret_cast<const OnigUChar*>(text);
}

std::string reasonOf(int status, OnigErrorInfo* info = nullptr)
{
    OnigUChar text[ONIG_MAX_ERROR_MESSAGE_LEN];
    const int length = info == nullptr ? onig_error_code_to_str(text, status)
                                       : onig_error_code_to_str(text, status, info);
    return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(length)};
}

struct FreeParameters {
    void operator()(OnigMatchParam* parameters) const { onig_free_match_param(parameters); }
};
struct FreeRegion {
    void operator()(OnigRegion* region) const { onig_region_free(region, 1); }
};

} // namespace

struct Pattern::Compiled {
    explicit Compiled(const std::string& expression)
    {
        static std::once_flag once;
        std::call_once(once, [] {
            OnigEncoding encodings[] = {ONIG_ENCODING_UTF8};
            onig_initialize(encodings, 1);
        });
        OnigErrorInfo info{};
        const int status =
            onig_new(&regex, bytes(expression.data()), bytes(expression.data()) + expression.size(),
                     ONIG_OPTION_NONE, ONIG_ENCODING_UTF8, ONIG_SYNTAX_RUBY, &info);
        if (status != ONIG_NORMAL) {
            refuse(Code::BadFormat, "The pattern " + inQuotes(expression, 80) +
                                        " is no regular expression that this program knows: " +
                                        reasonOf(status, &info) + ".");
        }
    }
    ~Compiled() { onig_free(regex); }
    Compiled(const Compiled&) = delete;
    Compiled& operator=(const Compiled&) = delete;

    regex_t* regex = nullptr;
};

Pattern Pattern::regex(const std::string& expression)
{
    if (expression.size() > MostPatternBytes) {
        refuse(Code::Unsupported, "A pattern of " + std::to_string(expression.size()) +
                                      " bytes is too long; at most " +
                                      std::to_string(MostPatternBytes) + " are read.");
    }
    Pattern pattern;
    pattern.m_compiled = std::make_shared<const Compiled>(expression);
    pattern.m_text = expression;
    return pattern;
}

Pattern Pattern::literal(std::string text)
{
    if (text.empty()) {
        refuse(Code::BadFormat, "The pattern is empty text, which is everywhere.");
    }
    Pattern pattern;
    pattern.m_text = std::move(text);
    return pattern;
}

std::vector<ByteRange> Pattern::matches(std::string_view text) const
{
    std::vector<ByteRange> found;
    const auto add = [&](std::size_t begin, std::size_t end) {
        found.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
    };
    if (m_compiled == nullptr) {
        for (std::size_t at = text.find(m_text); at != text.npos;
             at = text.find(m_text, at + m_text.size())) {
            add(at, at + m_text.size());
        }
        return found;
    }
    const std::unique_ptr<OnigMatchParam, FreeParameters> parameters(onig_new_match_param());
    const std::unique_ptr<OnigRegion, FreeRegion> region(onig_region_new());
    if (parameters == nullptr || region == nullptr) {
        throw std::bad_alloc();
    }
    onig_initialize_match_param(parameters.get());
    onig_set_retry_limit_in_match_of_match_param(parameters.get(), MostSteps);
    onig_set_retry_limit_in_search_of_match_param(parameters.get(), MostSteps);
    onig_set_match_stack_limit_size_of_match_param(parameters.get(), MostStackFrames);
    const OnigUChar* begin = bytes(text.data());
    const OnigUChar* end = begin + text.size();
    std::size_t from = 0;
    bool afterMatch = false; // an empty match right after a match is none
    while (from <= text.size()) {
        const int status = onig_search_with_param(m_compiled->regex, begin, end, begin + from, end,
                                                  region.get(), ONIG_OPTION_NONE, parameters.get());
        if (status == ONIG_MISMATCH) {
            break;
        }
        if (status < 0) {
            refuse(Code::Unsupported, "The pattern " + inQuotes(m_text, 80) +
                                          " of this tokenizer takes too long on this text (" +
                                          reasonOf(status) + "). Cut the text into shorter lines.");
        }
        const auto matchBegin = static_cast<std::size_t>(region->beg[0]);
        const auto matchEnd = static_cast<std::size_t>(region->end[0]);
        const bool isEmpty = matchBegin == matchEnd;
        if (!isEmpty || !afterMatch || found.empty() || found.back().end != matchBegin) {
            add(matchBegin, matchEnd);
        }
        afterMatch = true;
        from = matchEnd;
        if (isEmpty) {
            from += from < text.size() ? characterBytes(text, from) : 1;
        }
    }
    return found;
}

} // namespace heed::detail
