// Text to the tree of a mask expression, with errors that name the column and the way out.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/maskrule.h"
#include "text/nearestname.h"
#include "text/unicode.h"

#include <algorithm>
#include <array>
#include <utility>

namespace heed::detail {
namespace {

constexpr std::size_t longestExpression = std::size_t{1} << 20;
constexpr int deepestNesting = 64;
constexpr int mostTerms = 1000;

struct LaterName {
    std::string_view name;
    std::string_view today;
};

// Names of the mask workshop. They are known so that nobody takes them for typing mistakes.
constexpr std::string_view noBias = "a mask keeps or blocks a cell; biases are not there yet";
constexpr std::array laterNames = {
    LaterName{"alibi", noBias},
    LaterName{"t5", noBias},
    LaterName{"dense", noBias},
    LaterName{"softcap", noBias},
};

std::string_view kindWords(MaskValueKind kind)
{
    switch (kind) {
    case MaskValueKind::Integer:
        return "a whole number";
    case MaskValueKind::Integers:
        return "a list such as [3, 2]";
    case MaskValueKind::Lists:
        return "a list of lists such as [[3], [2, 4]]";
    case MaskValueKind::Rule:
        return "a rule such as j <= i";
    case MaskValueKind::Word:
        return "a word";
    case MaskValueKind::Text:
        return "a text in quotation marks";
    }
    return {};
}

class Parser {
public:
    explicit Parser(std::string_view text)
        : m_in(text)
    {
    }

    Expected<MaskNode> parse()
    {
        m_in.skipSpace();
        if (m_in.atEnd()) {
            return MaskNode{}; // an empty expression is none
        }
        auto node = parseOr(0);
        if (node && !m_in.atEnd()) {
            return unexpectedHere("&, | or the end");
        }
        return node;
    }

private:
    /// With what people write in other languages in mind.
    tl::unexpected<Error> unexpectedHere(const std::string& expected)
    {
        const char c = m_in.peek();
        std::string hint;
        if (c == '!') {
            hint = " Write ~ for \"not\".";
        } else if ((c == '&' || c == '|') && m_in.before() == c) {
            hint = std::string(" Write ") + c + " once.";
        } else if (c == '^' || c == '-' || c == '+' || c == '*') {
            hint = " Masks are combined with ~, & and |.";
        }
        return m_in.unexpectedHere(expected, hint);
    }

    Expected<MaskNode> parseList(MaskNode::Kind kind, char sign, int depth)
    {
        const auto operand = [&] {
            return kind == MaskNode::Kind::Or ? parseList(MaskNode::Kind::And, '&', depth)
                                              : parseNot(depth);
        };
        auto first = operand();
        if (!first || m_in.peek() != sign) {
            return first;
        }
        MaskNode node;
        node.kind = kind;
        add(node, std::move(*first));
        while (m_in.accept(sign)) {
            auto next = operand();
            if (!next) {
                return next;
            }
            add(node, std::move(*next));
        }
        return node;
    }

    Expected<MaskNode> parseOr(int depth) { return parseList(MaskNode::Kind::Or, '|', depth); }

    /// Keeps the tree flat: (a & b) & c has three operands.
    static void add(MaskNode& node, MaskNode child)
    {
        if (child.kind == node.kind) {
            std::move(child.children.begin(), child.children.end(),
                      std::back_inserter(node.children));
        } else {
            node.children.push_back(std::move(child));
        }
    }

    Expected<MaskNode> parseNot(int depth)
    {
        if (depth > deepestNesting) {
            return m_in.failHere(Code::InvalidArgument,
                                 "Parentheses and ~ are nested deeper than " +
                                     std::to_string(deepestNesting) +
                                     ". Write the mask with fewer.");
        }
        if (m_in.accept('~')) {
            auto child = parseNot(depth + 1);
            if (!child) {
                return child;
            }
            if (child->kind == MaskNode::Kind::Not) {
                MaskNode inner = std::move(child->children.front());
                return inner;
            }
            MaskNode node;
            node.kind = MaskNode::Kind::Not;
            node.children.push_back(std::move(*child));
            return node;
        }
        if (m_in.accept('(')) {
            auto node = parseOr(depth + 1);
            if (node && !m_in.accept(')')) {
                return unexpectedHere("), & or |");
            }
            return node;
        }
        return parseLeaf();
    }

    Expected<MaskNode> parseLeaf()
    {
        if (!MaskScanner::isNameStart(m_in.peek())) {
            return unexpectedHere("a mask such as causal, ~ or (");
        }
        const std::size_t nameColumn = m_in.column();
        const std::string_view name = m_in.readName();
        const MaskFamilyInfo* info = findFamily(name);
        if (info == nullptr) {
            return unknownName(name, nameColumn);
        }
        if (++m_terms > mostTerms) {
            return failAtColumn(Code::InvalidArgument, nameColumn,
                                "The expression has more than " + std::to_string(mostTerms) +
                                    " masks. Compute it elsewhere and use file(…).");
        }
        MaskNode node;
        node.leaf.family = info->family;
        node.leaf.column = nameColumn;
        node.leaf.values.resize(info->parameters.size());
        if (m_in.accept('(')) {
            auto done = parseArguments(*info, node.leaf);
            if (!done) {
                return tl::unexpected<Error>(std::move(done).error());
            }
        }
        auto complete = checkComplete(*info, node.leaf);
        if (!complete) {
            return tl::unexpected<Error>(std::move(complete).error());
        }
        return node;
    }

    tl::unexpected<Error> unknownName(std::string_view name, std::size_t nameColumn)
    {
        for (const LaterName& later : laterNames) {
            if (later.name == name) {
                return failAtColumn(Code::InvalidArgument, nameColumn,
                                    inQuotes(name) + " comes with the mask workshop. Today: " +
                                        std::string(later.today) + ".");
            }
        }
        const std::string_view nearest = nearestName(name, familyNames());
        return failAtColumn(
            Code::InvalidArgument, nameColumn,
            "There is no mask " + inQuotes(name) + ". " +
                (nearest.empty() ? "" : "Did you mean '" + std::string(nearest) + "'? ") +
                "Known masks: " + listNames(familyNames()) + ".");
    }

    Expected<void> parseArguments(const MaskFamilyInfo& info, MaskLeaf& leaf)
    {
        if (m_in.accept(')')) {
            return {};
        }
        std::size_t position = 0;
        bool anyNamed = false;
        do {
            const std::size_t begin = m_in.position();
            const std::size_t argumentColumn = m_in.column(begin);
            std::size_t parameter = position;
            bool isNamed = false;
            if (MaskScanner::isNameStart(m_in.peek())) {
                const std::string_view name = m_in.readName();
                // A rule begins with names of its own, and i = j in it is a mistake of another
                // kind.
                const bool isOfRule =
                    info.family == MaskFamily::Rule && name != info.parameters.front().name;
                isNamed = !isOfRule && m_in.accept('=');
                if (!isNamed) {
                    m_in.goBackTo(begin);
                } else {
                    auto index = parameterNamed(info, name, argumentColumn);
                    if (!index) {
                        return tl::unexpected<Error>(std::move(index).error());
                    }
                    parameter = *index;
                }
            }
            if (!isNamed && anyNamed) {
                return failAtColumn(
                    Code::InvalidArgument, argumentColumn,
                    "A value without a name must come before the named ones, as in " +
                        std::string(info.usage) + ".");
            }
            anyNamed = anyNamed || isNamed;
            if (parameter >= info.parameters.size()) {
                return failAtColumn(Code::InvalidArgument, argumentColumn,
                                    inQuotes(info.name) + " takes no " +
                                        (position == 0 ? "value" : "further value") + "; write " +
                                        std::string(info.usage) + ".");
            }
            if (leaf.values[parameter]) {
                return failAtColumn(Code::InvalidArgument, argumentColumn,
                                    inQuotes(info.parameters[parameter].name) + " is given twice.");
            }
            auto value = parseValue(info, info.parameters[parameter]);
            if (!value) {
                return tl::unexpected<Error>(std::move(value).error());
            }
            leaf.values[parameter] = std::move(*value);
            ++position;
        } while (m_in.accept(','));
        if (!m_in.accept(')')) {
            return unexpectedHere(", or ) after a value of " + inQuotes(info.name));
        }
        return {};
    }

    static Expected<std::size_t> parameterNamed(const MaskFamilyInfo& info, std::string_view name,
                                                std::size_t nameColumn)
    {
        std::vector<std::string_view> names;
        for (std::size_t p = 0; p < info.parameters.size(); ++p) {
            if (info.parameters[p].name == name) {
                return p;
            }
            names.push_back(info.parameters[p].name);
        }
        const std::string_view nearest = nearestName(name, names);
        return failAtColumn(
            Code::InvalidArgument, nameColumn,
            inQuotes(info.name) + " has no setting " + inQuotes(name) + ". " +
                (nearest.empty() ? "" : "Did you mean '" + std::string(nearest) + "'? ") +
                "Write " + std::string(info.usage) + ".");
    }

    Expected<MaskValue> parseValue(const MaskFamilyInfo& info, const MaskParameter& parameter)
    {
        const std::size_t valueColumn = m_in.column();
        const std::string what = inQuotes(parameter.name) + " of " + inQuotes(info.name);
        if (parameter.kind == MaskValueKind::Rule) {
            return parseRule(m_in).map([&](std::shared_ptr<const MaskRule> rule) {
                MaskValue value;
                value.rule = std::move(rule);
                value.column = valueColumn;
                return value;
            });
        }
        auto raw = m_in.parseValue(what + " must be " + std::string(kindWords(parameter.kind)));
        if (!raw) {
            return tl::unexpected<Error>(std::move(raw).error());
        }
        raw->value.column = valueColumn;
        // A word may be quoted: side="left" and reads=keep are what people write.
        const bool fits = raw->kind == parameter.kind || (parameter.kind == MaskValueKind::Word &&
                                                          raw->kind == MaskValueKind::Text);
        if (!fits) {
            return failAtColumn(Code::InvalidArgument, valueColumn,
                                what + " must be " + std::string(kindWords(parameter.kind)) +
                                    "; write " + std::string(info.usage) + ".");
        }
        if (parameter.kind == MaskValueKind::Word) {
            return checkWord(parameter, std::move(raw->value), what);
        }
        if (parameter.kind == MaskValueKind::Integer) {
            raw->value.integers.assign(1, raw->value.integer);
        }
        for (const std::int64_t number : raw->value.integers) {
            if (number < parameter.smallest || number > parameter.largest) {
                const bool isSmall = number < parameter.smallest;
                return failAtColumn(
                    Code::InvalidArgument, valueColumn,
                    what + " is " + std::to_string(number) +
                        (isSmall ? "; the smallest is " : "; the largest is ") +
                        std::to_string(isSmall ? parameter.smallest : parameter.largest) + "." +
                        (info.family == MaskFamily::Window && number < 0
                             ? " For no limit on the past write causal."
                             : ""));
            }
        }
        if (parameter.kind == MaskValueKind::Integers && raw->value.integers.empty()) {
            return failAtColumn(Code::InvalidArgument, valueColumn,
                                what + " is an empty list; write " + std::string(info.usage) + ".");
        }
        return std::move(raw->value);
    }

    static Expected<MaskValue> checkWord(const MaskParameter& parameter, MaskValue value,
                                         const std::string& what)
    {
        const auto& words = parameter.words;
        if (std::find(words.begin(), words.end(), value.text) != words.end()) {
            return value;
        }
        const std::string_view nearest = nearestName(value.text, words);
        return failAtColumn(
            Code::InvalidArgument, value.column,
            what + " is " + inQuotes(value.text) + ". " +
                (nearest.empty() ? "" : "Did you mean '" + std::string(nearest) + "'? ") +
                "Known values: " + listNames(words) + ".");
    }

    static Expected<void> checkComplete(const MaskFamilyInfo& info, const MaskLeaf& leaf)
    {
        const std::string usage(info.usage);
        for (std::size_t p = 0; p < info.parameters.size(); ++p) {
            if (info.parameters[p].isRequired && !leaf.values[p]) {
                std::string message = inQuotes(info.name) + " needs " +
                                      inQuotes(info.parameters[p].name) + "; write " + usage + ".";
                if (info.family == MaskFamily::File && p == 1) {
                    message += " It says whether a 1 keeps a cell (keep), blocks it (blocked), or "
                               "numbers are added to the scores (additive).";
                }
                return failAtColumn(Code::InvalidArgument, leaf.column, std::move(message));
            }
        }
        if (info.family == MaskFamily::Window) {
            const bool hasWidth = leaf.values[0].has_value();
            const bool hasBoth = leaf.values[1] && leaf.values[2];
            if (hasWidth == hasBoth || (hasWidth && (leaf.values[1] || leaf.values[2]))) {
                return failAtColumn(Code::InvalidArgument, leaf.column,
                                    "'window' needs either a width, which counts the query itself, "
                                    "or both left= and right=; write " +
                                        usage + ".");
            }
        }
        return checkNumbers(info, leaf);
    }

    /// What the numbers of a family must be to each other.
    static Expected<void> checkNumbers(const MaskFamilyInfo& info, const MaskLeaf& leaf)
    {
        const auto invalid = [&](std::size_t parameter, std::string problem) {
            return failAtColumn(Code::InvalidArgument, leaf.values[parameter]->column,
                                inQuotes(info.parameters[parameter].name) + " of " +
                                    inQuotes(info.name) + " " + std::move(problem));
        };
        const auto isNumber = [&](std::size_t parameter) {
            return "is " + std::to_string(leaf.integer(parameter));
        };
        switch (info.family) {
        case MaskFamily::Fixed:
            if (leaf.integer(1) > leaf.integer(0)) {
                return invalid(1, isNumber(1) + " but a block has only " +
                                      std::to_string(leaf.integer(0)) + " positions.");
            }
            return {};
        case MaskFamily::Longformer:
            if (leaf.integer(0) % 2 != 0) {
                return invalid(0, isNumber(0) +
                                      "; it must be even, for half of it lies on each side.");
            }
            return {};
        case MaskFamily::Tree: {
            const std::vector<std::int64_t>& parents = leaf.values[0]->integers;
            for (std::size_t node = 0; node < parents.size(); ++node) {
                if (parents[node] >= static_cast<std::int64_t>(node)) {
                    return invalid(0, "gives node " + std::to_string(node) + " the parent " +
                                          std::to_string(parents[node]) +
                                          ". Nodes are counted from 0 and a parent comes before "
                                          "its nodes; -1 is none.");
                }
            }
            return {};
        }
        case MaskFamily::Swin:
            for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
                if (leaf.integer(side) % leaf.integer(2) != 0) {
                    return invalid(side, isNumber(side) + ", not a multiple of the window's " +
                                             std::to_string(leaf.integer(2)) + ".");
                }
            }
            if (leaf.integer(3) >= leaf.integer(2)) {
                return invalid(3, isNumber(3) + "; it must be smaller than the window's " +
                                      std::to_string(leaf.integer(2)) + ".");
            }
            return {};
        default:
            return {};
        }
    }

    MaskScanner m_in;
    int m_terms = 0;
};

} // namespace

Expected<MaskNode> parseMask(std::string_view expression)
{
    if (expression.size() > longestExpression) {
        return fail(Code::InvalidArgument,
                    "The expression has " + std::to_string(expression.size()) + " bytes; at most " +
                        std::to_string(longestExpression) +
                        " are read. Use file(…) for a mask that long.",
                    "mask");
    }
    if (auto valid = checkUtf8(expression); !valid) {
        Error error = std::move(valid).error();
        return fail(Code::InvalidArgument, std::move(error.message), "mask, " + error.context);
    }
    return Parser(expression).parse();
}

} // namespace heed::detail
