// Computes a rule for the cells of one row after the other.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/ruleevaluator.h"

#include <algorithm>
#include <cmath>

namespace heed::detail {
namespace {

using Operation = RuleOperation;

constexpr std::size_t cellsAtATime = 256; // the steps of a usual rule stay in the second cache

std::int64_t floorDivide(std::int64_t a, std::int64_t b)
{
    const std::int64_t quotient = a / b;
    return quotient - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

template <typename Function>
void each(const std::int64_t* a, const std::int64_t* b, std::int64_t* out, Function function)
{
    for (std::size_t cell = 0; cell < cellsAtATime; ++cell) {
        out[cell] = function(a[cell], b[cell]);
    }
}

/// Of two operands. A division by zero yields 0 here; that it is none is noted elsewhere.
void applyTo(Operation operation, const std::int64_t* a, const std::int64_t* b, std::int64_t* out)
{
    using N = std::int64_t;
    switch (operation) {
    case Operation::Add:
        return each(a, b, out, [](N x, N y) { return x + y; });
    case Operation::Subtract:
        return each(a, b, out, [](N x, N y) { return x - y; });
    case Operation::Multiply:
        return each(a, b, out, [](N x, N y) { return x * y; });
    case Operation::Divide:
        return each(a, b, out, [](N x, N y) { return y == 0 ? 0 : floorDivide(x, y); });
    case Operation::Remainder:
        return each(a, b, out, [](N x, N y) { return y == 0 ? 0 : x - y * floorDivide(x, y); });
    case Operation::Minimum:
        return each(a, b, out, [](N x, N y) { return std::min(x, y); });
    case Operation::Maximum:
        return each(a, b, out, [](N x, N y) { return std::max(x, y); });
    case Operation::Less:
        return each(a, b, out, [](N x, N y) { return N{x < y}; });
    case Operation::LessEqual:
        return each(a, b, out, [](N x, N y) { return N{x <= y}; });
    case Operation::Greater:
        return each(a, b, out, [](N x, N y) { return N{x > y}; });
    case Operation::GreaterEqual:
        return each(a, b, out, [](N x, N y) { return N{x >= y}; });
    case Operation::Equal:
        return each(a, b, out, [](N x, N y) { return N{x == y}; });
    case Operation::NotEqual:
        return each(a, b, out, [](N x, N y) { return N{x != y}; });
    case Operation::And:
        return each(a, b, out, [](N x, N y) { return N{x != 0 && y != 0}; });
    case Operation::Or:
        return each(a, b, out, [](N x, N y) { return N{x != 0 || y != 0}; });
    case Operation::Negate:
        return each(a, a, out, [](N x, N) { return -x; });
    case Operation::Not:
        return each(a, a, out, [](N x, N) { return N{x == 0}; });
    case Operation::Absolute:
        return each(a, a, out, [](N x, N) { return std::abs(x); });
    default: // no operand
        return;
    }
}

bool isDivision(Operation operation)
{
    return operation == Operation::Divide || operation == Operation::Remainder;
}

} // namespace

RuleEvaluator::RuleEvaluator(const MaskRule& rule, const MaskContext& context)
    : m_rule(rule)
    , m_context(context)
    , m_values(rule.steps.size() * cellsAtATime)
    , m_faults(rule.steps.size() * cellsAtATime)
{
    m_facts.reserve(rule.steps.size());
    for (const RuleStep& step : rule.steps) {
        Facts facts;
        facts.varies = step.operation == Operation::Key;
        for (const std::int32_t operand : {step.a, step.b}) {
            if (operand >= 0) {
                const Facts& of = m_facts[static_cast<std::size_t>(operand)];
                facts.varies = facts.varies || of.varies;
                facts.canFault = facts.canFault || of.canFault;
            }
        }
        if (isDivision(step.operation)) {
            const RuleStep& divisor = rule.steps[static_cast<std::size_t>(step.b)];
            facts.canFault =
                facts.canFault || divisor.operation != Operation::Number || divisor.number == 0;
        }
        facts.canFault = facts.canFault || step.operation == Operation::Element;
        m_facts.push_back(facts);
    }
}

std::int64_t RuleEvaluator::bytes(const MaskRule& rule)
{
    return static_cast<std::int64_t>(
        rule.steps.size() *
        (cellsAtATime * (sizeof(std::int64_t) + sizeof(Fault)) + sizeof(Facts)));
}

double RuleEvaluator::largestNumber(const MaskRule& rule, const MaskContext& context)
{
    std::vector<double> largest; // of each step
    double all = 0;
    for (const RuleStep& step : rule.steps) {
        const auto of = [&](std::int32_t operand) {
            return operand < 0 ? 0 : largest[static_cast<std::size_t>(operand)];
        };
        double bound = 1; // of comparisons and of what is true or false
        switch (step.operation) {
        case Operation::Number:
            bound = std::abs(static_cast<double>(step.number));
            break;
        case Operation::Item:
            bound = static_cast<double>(context.items);
            break;
        case Operation::Head:
            bound = static_cast<double>(context.heads);
            break;
        case Operation::Query:
        case Operation::Queries:
            bound = static_cast<double>(context.queries);
            break;
        case Operation::Key:
        case Operation::Keys:
            bound = static_cast<double>(context.keys);
            break;
        case Operation::Element:
            bound = 0;
            for (const std::int64_t n : rule.arrays[static_cast<std::size_t>(step.number)]) {
                bound = std::max(bound, std::abs(static_cast<double>(n)));
            }
            break;
        case Operation::Add:
        case Operation::Subtract:
            bound = of(step.a) + of(step.b);
            break;
        case Operation::Multiply:
            bound = of(step.a) * of(step.b);
            break;
        case Operation::Divide: // rounded down, -1/2 is -1
        case Operation::Negate:
        case Operation::Absolute:
            bound = std::max(1.0, of(step.a));
            break;
        case Operation::Remainder:
            bound = of(step.b);
            break;
        case Operation::Minimum:
        case Operation::Maximum:
            bound = std::max(of(step.a), of(step.b));
            break;
        default:
            break;
        }
        largest.push_back(bound);
        all = std::max(all, bound);
    }
    return all;
}

const std::int64_t* RuleEvaluator::valuesOf(std::int32_t step) const
{
    return m_values.data() + static_cast<std::size_t>(std::max(step, 0)) * cellsAtATime;
}

std::int64_t* RuleEvaluator::valuesOf(std::int32_t step)
{
    return m_values.data() + static_cast<std::size_t>(std::max(step, 0)) * cellsAtATime;
}

RuleEvaluator::Fault RuleEvaluator::faultOf(std::int32_t step, std::size_t cell) const
{
    return step < 0 ? Fault::None : m_faults[static_cast<std::size_t>(step) * cellsAtATime + cell];
}

std::int64_t RuleEvaluator::constant(const RuleStep& step) const
{
    switch (step.operation) {
    case Operation::Item:
        return m_item;
    case Operation::Head:
        return m_head;
    case Operation::Query:
        return m_query;
    case Operation::Queries:
        return m_context.queries;
    case Operation::Keys:
        return m_context.keys;
    default:
        return step.number;
    }
}

void RuleEvaluator::compute(std::size_t index, std::int64_t firstKey)
{
    const RuleStep& step = m_rule.steps[index];
    std::int64_t* out = valuesOf(static_cast<std::int32_t>(index));
    if (step.operation == Operation::Key) {
        for (std::size_t cell = 0; cell < cellsAtATime; ++cell) {
            out[cell] = firstKey + static_cast<std::int64_t>(cell);
        }
    } else if (step.operation == Operation::Element) {
        computeElement(step, out);
    } else if (step.a < 0) {
        std::fill_n(out, cellsAtATime, constant(step));
    } else {
        applyTo(step.operation, valuesOf(step.a), valuesOf(step.b), out);
    }
    if (m_facts[index].canFault) {
        findFaults(index);
    }
}

void RuleEvaluator::computeElement(const RuleStep& step, std::int64_t* out) const
{
    const std::vector<std::int64_t>& array = m_rule.arrays[static_cast<std::size_t>(step.number)];
    const std::int64_t* indices = valuesOf(step.a);
    for (std::size_t cell = 0; cell < cellsAtATime; ++cell) {
        const auto index = static_cast<std::size_t>(indices[cell]); // a negative one is too large
        out[cell] = index < array.size() ? array[index] : 0;
    }
}

void RuleEvaluator::findFaults(std::size_t index)
{
    const RuleStep& step = m_rule.steps[index];
    const std::int64_t* a = valuesOf(step.a);
    const std::int64_t* b = valuesOf(step.b);
    Fault* out = m_faults.data() + index * cellsAtATime;
    for (std::size_t cell = 0; cell < cellsAtATime; ++cell) {
        Fault fault = faultOf(step.a, cell);
        const bool isDecided = (step.operation == Operation::And && a[cell] == 0) ||
                               (step.operation == Operation::Or && a[cell] != 0);
        if (fault == Fault::None && !isDecided) {
            fault = faultOf(step.b, cell);
        }
        if (fault == Fault::None && isDivision(step.operation) && b[cell] == 0) {
            fault = Fault::ZeroDivision;
        }
        if (fault == Fault::None && step.operation == Operation::Element &&
            static_cast<std::size_t>(a[cell]) >=
                m_rule.arrays[static_cast<std::size_t>(step.number)].size()) {
            fault = Fault::NoElement;
        }
        out[cell] = fault;
    }
}

tl::unexpected<Error> RuleEvaluator::faultAt(Fault fault, std::int64_t key) const
{
    return fail(Code::InvalidArgument,
                std::string(fault == Fault::ZeroDivision
                                ? "The rule divides by zero"
                                : "The rule asks a list for a number it does not have") +
                    " at b = " + std::to_string(m_item) + ", h = " + std::to_string(m_head) +
                    ", i = " + std::to_string(m_query) + ", j = " + std::to_string(key) +
                    ". Put a condition and && before it.");
}

Expected<const RowRanges*> RuleEvaluator::row(std::int64_t item, std::int64_t head,
                                              std::int64_t query, const Execution& execution)
{
    m_item = item;
    m_head = head;
    m_query = query;
    m_row.clear();
    const KeyRange keys = {0, static_cast<std::int32_t>(m_context.keys)};
    const auto last = static_cast<std::int32_t>(m_rule.steps.size()) - 1;
    for (std::int64_t first = 0; first < m_context.keys;
         first += static_cast<std::int64_t>(cellsAtATime)) {
        if (execution.cancelled()) {
            return fail(Code::Cancelled, "Stopped.");
        }
        for (std::size_t step = 0; step < m_rule.steps.size(); ++step) {
            if (first == 0 || m_facts[step].varies) {
                compute(step, first);
            }
        }
        const std::int64_t* result = valuesOf(last);
        const auto cells =
            static_cast<std::size_t>(std::min<std::int64_t>(m_context.keys - first, cellsAtATime));
        for (std::size_t cell = 0; cell < cells; ++cell) {
            const std::int64_t key = first + static_cast<std::int64_t>(cell);
            if (const Fault fault = faultOf(last, cell); fault != Fault::None) {
                return faultAt(fault, key);
            }
            if (result[cell] != 0) {
                appendRange(m_row, key, key + 1, keys);
            }
        }
    }
    return &m_row;
}

} // namespace heed::detail
