// Runs every rule on a case.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/masklint.h"

#include "mask/lint/lintcontext.h"

#include <algorithm>
#include <new>

namespace heed {

namespace {

/// The rules of all groups in the order of their numbers.
const std::vector<detail::LintRule>& allRules()
{
    static const std::vector<detail::LintRule> rules = [] {
        std::vector<detail::LintRule> all;
        for (const auto& group :
             {detail::shapeRules(), detail::numberRules(), detail::causalRules(),
              detail::patternRules(), detail::factRules(), detail::weightRules()}) {
            all.insert(all.end(), group.begin(), group.end());
        }
        std::ranges::sort(all, {}, [](const detail::LintRule& rule) { return rule.info.id; });
        return all;
    }();
    return rules;
}

/// A mask that is read as something else than was meant has every other fault, too, and one that
/// runs along queries leaves the keys of padding open: these rules name the cause, and those after
/// them are not looked at.
struct Cause {
    std::string_view rule;
    std::vector<std::string_view> hides;
};

const std::vector<Cause>& causes()
{
    static const std::vector<std::string_view> consequences = {
        "R06", "R07", "R13", "R14", "R15", "R18", "R20", "R21", "R23", "R24",
        "R25", "R26", "R27", "R30", "R33", "R37", "R38", "R39", "R40", "R41"};
    static const std::vector<Cause> all = {{"R01", consequences},
                                           {"R03", consequences},
                                           {"R04", consequences},
                                           {"R05", consequences},
                                           {"R18", {"R20", "R21"}}};
    return all;
}

/// The cause that hides @p rule; "" where none was found.
std::string_view hiddenBy(std::string_view rule, const LintReport& report)
{
    for (const Cause& cause : causes()) {
        const bool isFound = std::ranges::find(report.findings, cause.rule, &LintFinding::rule) !=
                             report.findings.end();
        if (isFound && std::ranges::find(cause.hides, rule) != cause.hides.end()) {
            return cause.rule;
        }
    }
    return "";
}

Expected<LintReport> judge(const MaskCase& given, const detail::MaskReading& reading,
                           const Execution& execution)
{
    const auto context = detail::LintContext::make(given, reading, execution);
    if (!context) {
        return tl::unexpected(context.error());
    }
    LintReport report;
    report.kept = reading.kept;
    for (const detail::LintRule& rule : allRules()) {
        if (execution.cancelled()) {
            return fail(Code::Cancelled, "Stopped.");
        }
        if (const std::string_view cause = hiddenBy(rule.info.id, report); !cause.empty()) {
            report.notChecked.push_back(
                {rule.info.id, "a mask without the fault of " + std::string(cause)});
            continue;
        }
        if (std::string lacks = rule.lacks(*context); !lacks.empty()) {
            report.notChecked.push_back({rule.info.id, std::move(lacks)});
            continue;
        }
        auto found = rule.check(*context);
        if (found && found->cells.count > 0) {
            auto& cells = found->cells.cells;
            cells.resize(std::min(cells.size(), detail::MostCells));
            report.findings.push_back({rule.info.id, rule.info.name, found->severity,
                                       found->cells.count, std::move(found->cells.cells),
                                       std::move(found->text), std::move(found->fix)});
        }
    }
    return report;
}

} // namespace

bool LintReport::hasErrors() const
{
    return std::ranges::any_of(findings, [](const LintFinding& finding) {
        return finding.severity == LintSeverity::Error;
    });
}

std::span<const LintRuleInfo> lintRules()
{
    static const std::vector<LintRuleInfo> infos = [] {
        std::vector<LintRuleInfo> all;
        for (const detail::LintRule& rule : allRules()) {
            all.push_back(rule.info);
        }
        return all;
    }();
    return infos;
}

Expected<LintReport> lintMask(const MaskCase& given, const Execution& execution)
{
    try {
        const auto reading = detail::readMasks(given, execution);
        if (!reading) {
            return tl::unexpected(reading.error());
        }
        return judge(given, *reading, execution);
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, "There is no memory to judge this mask.");
    }
}

Expected<LintReport> lintMask(const MaskPtr& mask, const MaskCase& given,
                              const Execution& execution)
{
    try {
        detail::MaskReading reading;
        const MaskContext& context = mask->context();
        reading.extents = {context.items, context.heads, context.queries, context.keys};
        reading.kept = mask;
        reading.varies = {!mask->sameForAllItems(), !mask->sameForAllHeads(), true, true};
        return judge(given, reading, execution);
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, "There is no memory to judge this mask.");
    }
}

} // namespace heed
