// A user's own rule for the cells of a mask: text to steps.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/maskrule.h"

#include "text/nearestname.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace heed::detail {
namespace {

using Operation = RuleOperation;

constexpr int deepestNesting = 64;
constexpr std::size_t mostSteps = 1000;

/// How tightly an operation binds, loosest first.
enum Binding : int { OrBinding, AndBinding, NotBinding, Comparing, Sum, Product, Unary, Whole };

struct Sign {
    std::string_view text;
    Operation operation;
    std::string_view normal; ///< "" = the text
};

// A longer sign stands before its beginnings.
constexpr std::array comparisons = {
    Sign{"<=", Operation::LessEqual, ""}, Sign{">=", Operation::GreaterEqual, ""},
    Sign{"==", Operation::Equal, ""},     Sign{"!=", Operation::NotEqual, ""},
    Sign{"<", Operation::Less, ""},       Sign{">", Operation::Greater, ""}};
constexpr std::array sums = {Sign{"+", Operation::Add, ""}, Sign{"-", Operation::Subtract, ""}};
constexpr std::array products = {
    Sign{"*", Operation::Multiply, ""}, Sign{"//", Operation::Divide, "/"},
    Sign{"/", Operation::Divide, ""}, Sign{"%", Operation::Remainder, ""}};

struct Variable {
    std::string_view name;
    Operation operation;
};
constexpr std::array variables = {
    Variable{"b", Operation::Item},    Variable{"h", Operation::Head},
    Variable{"i", Operation::Query},   Variable{"j", Operation::Key},
    Variable{"L", Operation::Queries}, Variable{"S", Operation::Keys}};
constexpr std::array<std::string_view, 14> names = {
    "b", "h", "i", "j", "L", "S", "min", "max", "abs", "and", "or", "not", "true", "false"};

class RuleParser {
public:
    explicit RuleParser(MaskScanner& scanner)
        : m_in(scanner)
    {
    }

    Expected<std::shared_ptr<const MaskRule>> parse()
    {
        auto whole = parseOr();
        if (!whole) {
            return tl::unexpected<Error>(std::move(whole).error());
        }
        if (m_in.peek() != ',' && m_in.peek() != ')') {
            const char c = m_in.peek();
            return m_in.unexpectedHere("an operator, ) or ,",
                                       c == '&' || c == '|'
                                           ? std::string(" Write ") + c + c + " in a rule."
                                       : c == '=' ? " Write == for \"equal\"."
                                                  : "");
        }
        m_rule.text = std::move(whole->text);
        return std::make_shared<const MaskRule>(std::move(m_rule));
    }

private:
    /// The result of a step, and how it is written.
    struct Operand {
        std::int32_t step = 0;
        std::string text;
        Binding binding = Whole;
    };

    Expected<Operand> put(RuleStep step, std::string text, Binding binding)
    {
        if (m_rule.steps.size() >= mostSteps) {
            return m_in.failHere(Code::InvalidArgument,
                                 "The rule has more than " + std::to_string(mostSteps) +
                                     " steps. Compute the mask elsewhere and use file(…).");
        }
        m_rule.steps.push_back(step);
        return Operand{static_cast<std::int32_t>(m_rule.steps.size()) - 1, std::move(text),
                       binding};
    }

    static std::string written(Operand operand, Binding least)
    {
        return operand.binding < least ? "(" + operand.text + ")" : std::move(operand.text);
    }

    Expected<Operand> join(Operand a, Operand b, Operation operation, std::string_view sign,
                           Binding binding)
    {
        const RuleStep step = {operation, a.step, b.step};
        std::string text = written(std::move(a), binding);
        text += ' ';
        text += sign;
        text += ' ';
        text += written(std::move(b), static_cast<Binding>(binding + 1));
        return put(step, std::move(text), binding);
    }

    bool acceptWord(std::string_view word)
    {
        const std::size_t begin = m_in.position();
        if (m_in.readName() == word) {
            return true;
        }
        m_in.goBackTo(begin);
        return false;
    }

    Expected<Operand> parseOr()
    {
        auto a = parseAnd();
        while (a && (m_in.accept("||") || acceptWord("or"))) {
            auto b = parseAnd();
            a = b ? join(std::move(*a), std::move(*b), Operation::Or, "||", OrBinding) : b;
        }
        return a;
    }

    Expected<Operand> parseAnd()
    {
        auto a = parseNot();
        while (a && (m_in.accept("&&") || acceptWord("and"))) {
            auto b = parseNot();
            a = b ? join(std::move(*a), std::move(*b), Operation::And, "&&", AndBinding) : b;
        }
        return a;
    }

    /// The word binds as in Python, looser than a comparison; the sign as in C.
    Expected<Operand> parseNot()
    {
        const Nesting nesting(*this);
        if (auto fits = nesting.check(); !fits) {
            return tl::unexpected<Error>(std::move(fits).error());
        }
        return acceptWord("not") ? prefixed(Operation::Not, "!", parseNot()) : parseComparison();
    }

    Expected<Operand> prefixed(Operation operation, std::string_view sign, Expected<Operand> a)
    {
        if (!a) {
            return a;
        }
        const RuleStep step = {operation, a->step};
        return put(step, std::string(sign) + written(std::move(*a), Unary), Unary);
    }

    template <std::size_t N>
    const Sign* acceptSign(const std::array<Sign, N>& signs)
    {
        for (const Sign& sign : signs) {
            if (m_in.accept(sign.text)) {
                return &sign;
            }
        }
        return nullptr;
    }

    /// 0 <= i - j < 3 is 0 <= i - j && i - j < 3.
    Expected<Operand> parseComparison()
    {
        auto last = parseSum();
        if (!last) {
            return last;
        }
        Operand all;
        bool isFirst = true;
        while (const Sign* sign = acceptSign(comparisons)) {
            auto next = parseSum();
            if (!next) {
                return next;
            }
            const std::int32_t nextStep = next->step;
            std::string text = isFirst ? written(std::move(*last), Sum) : std::move(all.text);
            text += ' ';
            text += sign->text;
            text += ' ';
            text += written(std::move(*next), Sum);
            auto one = put({sign->operation, last->step, nextStep}, "", Comparing);
            if (one && !isFirst) {
                one = put({Operation::And, all.step, one->step}, "", Comparing);
            }
            if (!one) {
                return one;
            }
            all = {one->step, std::move(text), Comparing};
            last->step = nextStep;
            isFirst = false;
        }
        return isFirst ? std::move(*last) : std::move(all);
    }

    Expected<Operand> parseSum()
    {
        auto a = parseProduct();
        while (a) {
            const Sign* sign = acceptSign(sums);
            if (sign == nullptr) {
                break;
            }
            auto b = parseProduct();
            a = b ? join(std::move(*a), std::move(*b), sign->operation, sign->text, Sum) : b;
        }
        return a;
    }

    Expected<Operand> parseProduct()
    {
        auto a = parseUnary();
        while (a) {
            const Sign* sign = acceptSign(products);
            if (sign == nullptr) {
                break;
            }
            auto b = parseUnary();
            a = b ? join(std::move(*a), std::move(*b), sign->operation,
                         sign->normal.empty() ? sign->text : sign->normal, Product)
                  : b;
        }
        return a;
    }

    Expected<Operand> parseUnary()
    {
        const Nesting nesting(*this);
        if (auto fits = nesting.check(); !fits) {
            return tl::unexpected<Error>(std::move(fits).error());
        }
        if (m_in.accept('-')) {
            return prefixed(Operation::Negate, "-", parseUnary());
        }
        if (m_in.accept('!')) {
            return prefixed(Operation::Not, "!", parseUnary());
        }
        if (m_in.accept('(')) {
            auto inner = parseOr();
            if (inner && !m_in.accept(')')) {
                return m_in.unexpectedHere("an operator or )");
            }
            return inner;
        }
        if (m_in.peek() == '[') {
            return parseElement();
        }
        if (MaskScanner::isDigit(m_in.peek())) {
            auto number = m_in.parseInteger();
            if (!number) {
                return tl::unexpected<Error>(std::move(number).error());
            }
            return put({Operation::Number, -1, -1, *number}, std::to_string(*number), Whole);
        }
        if (MaskScanner::isNameStart(m_in.peek())) {
            return parseNamed();
        }
        return m_in.unexpectedHere("a number, one of b, h, i, j, L, S, or (");
    }

    /// [0, 1, 1][j / 2]
    Expected<Operand> parseElement()
    {
        auto list = m_in.parseIntegers();
        if (!list) {
            return tl::unexpected<Error>(std::move(list).error());
        }
        std::string text;
        for (const std::int64_t number : *list) {
            text += (text.empty() ? "[" : ", ") + std::to_string(number);
        }
        if (list->empty()) {
            return m_in.failHere(Code::InvalidArgument, "A list in a rule needs a number.");
        }
        if (!m_in.accept('[')) {
            return m_in.unexpectedHere("[ and which number of the list, as in [3, 5][i]");
        }
        auto index = parseOr();
        if (index && !m_in.accept(']')) {
            return m_in.unexpectedHere("an operator or ]");
        }
        if (!index) {
            return index;
        }
        m_rule.arrays.push_back(std::move(*list));
        const auto array = static_cast<std::int64_t>(m_rule.arrays.size()) - 1;
        return put({Operation::Element, index->step, -1, array}, text + "][" + index->text + "]",
                   Whole);
    }

    Expected<Operand> parseNamed()
    {
        const std::size_t nameColumn = m_in.column();
        const std::string_view name = m_in.readName();
        const auto* variable = std::find_if(variables.begin(), variables.end(),
                                            [&](const Variable& v) { return v.name == name; });
        if (variable != variables.end()) {
            return put({variable->operation}, std::string(name), Whole);
        }
        if (name == "true" || name == "false") {
            return put({Operation::Number, -1, -1, name == "true" ? 1 : 0},
                       name == "true" ? "1" : "0", Whole);
        }
        if (name == "min" || name == "max" || name == "abs") {
            return parseFunction(name);
        }
        const std::string_view nearest = nearestName(name, names);
        return failAtColumn(
            Code::InvalidArgument, nameColumn,
            "A rule knows no " + inQuotes(name) + ". " +
                (nearest.empty() ? "" : "Did you mean '" + std::string(nearest) + "'? ") +
                "It is made of the item b, the head h, the query i, the key j, their numbers L and "
                "S, min(…), max(…) and abs(…).");
    }

    Expected<Operand> parseFunction(std::string_view name)
    {
        if (!m_in.accept('(')) {
            return m_in.unexpectedHere("( after " + inQuotes(name));
        }
        auto a = parseOr();
        if (!a) {
            return a;
        }
        std::string text = std::string(name) + "(" + a->text;
        if (name == "abs") {
            if (!m_in.accept(')')) {
                return m_in.unexpectedHere("an operator or )");
            }
            return put({Operation::Absolute, a->step}, text + ")", Whole);
        }
        if (m_in.peek() != ',') {
            return m_in.unexpectedHere("a comma: " + inQuotes(name) + " takes two numbers or more");
        }
        while (m_in.accept(',')) {
            auto b = parseOr();
            if (!b) {
                return b;
            }
            text += ", " + b->text;
            a = put({name == "min" ? Operation::Minimum : Operation::Maximum, a->step, b->step}, "",
                    Whole);
            if (!a) {
                return a;
            }
        }
        if (!m_in.accept(')')) {
            return m_in.unexpectedHere(", or )");
        }
        a->text = text + ")";
        return a;
    }

    /// Counts how deep the parser calls itself.
    class Nesting {
    public:
        explicit Nesting(RuleParser& parser)
            : m_parser(parser)
        {
            ++m_parser.m_depth;
        }
        ~Nesting() { --m_parser.m_depth; }
        Nesting(const Nesting&) = delete;
        Nesting& operator=(const Nesting&) = delete;
        Nesting(Nesting&&) = delete;
        Nesting& operator=(Nesting&&) = delete;

        Expected<void> check() const
        {
            if (m_parser.m_depth <= 2 * deepestNesting) { // each level passes here twice
                return {};
            }
            return m_parser.m_in.failHere(Code::InvalidArgument,
                                          "The rule is nested deeper than " +
                                              std::to_string(deepestNesting) +
                                              ". Write it with fewer parentheses.");
        }

    private:
        RuleParser& m_parser;
    };

    MaskScanner& m_in;
    MaskRule m_rule;
    int m_depth = 0;
};

} // namespace

bool MaskRule::uses(RuleOperation operation) const
{
    return std::any_of(steps.begin(), steps.end(),
                       [&](const RuleStep& step) { return step.operation == operation; });
}

Expected<std::shared_ptr<const MaskRule>> parseRule(MaskScanner& scanner)
{
    return RuleParser(scanner).parse();
}

} // namespace heed::detail
