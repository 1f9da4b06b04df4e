// The table of mask families, and the normal form of expressions.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mask/maskexpression.h"

#include "mask/maskrule.h"

#include <algorithm>
#include <array>

namespace heed::detail {
namespace {

using Kind = MaskValueKind;

constexpr std::array<std::string_view, 2> sides = {"right", "left"};
constexpr std::array<std::string_view, 3> readings = {"keep", "blocked", "additive"};

constexpr std::array causalParameters = {
    MaskParameter{"offset", Kind::Integer, false, -largestMaskNumber, {}, true}};
constexpr std::array paddingParameters = {
    MaskParameter{"side", Kind::Word, false, 0, sides, true},
    MaskParameter{"lengths", Kind::Integers, false, 0, {}, true}};
// Either the width or both bounds; the parser checks which.
constexpr std::array windowParameters = {MaskParameter{"width", Kind::Integer, false, 1},
                                         MaskParameter{"left", Kind::Integer, false, 0, {}, true},
                                         MaskParameter{"right", Kind::Integer, false, 0, {}, true}};
constexpr std::array symmetricParameters = {MaskParameter{"width", Kind::Integer, true, 0}};
constexpr std::array documentsParameters = {MaskParameter{"lengths", Kind::Integers, true, 1}};
constexpr std::array prefixParameters = {MaskParameter{"length", Kind::Integer, true, 0}};
constexpr std::array sinkParameters = {MaskParameter{"count", Kind::Integer, true, 0}};
constexpr std::array chunkParameters = {MaskParameter{"size", Kind::Integer, true, 1}};
constexpr std::array dilatedParameters = {MaskParameter{"steps", Kind::Integer, true, 0},
                                          MaskParameter{"dilation", Kind::Integer, true, 1}};
constexpr std::array stridedParameters = {MaskParameter{"stride", Kind::Integer, true, 1}};
constexpr std::array fixedParameters = {MaskParameter{"block", Kind::Integer, true, 1},
                                        MaskParameter{"summary", Kind::Integer, true, 0}};
constexpr std::array longformerParameters = {
    MaskParameter{"width", Kind::Integer, true, 0},
    MaskParameter{"global", Kind::Integers, false, 0, {}, true}};
constexpr std::array bigbirdParameters = {
    MaskParameter{"block", Kind::Integer, true, 1, {}, true},
    MaskParameter{"global", Kind::Integers, false, 0, {}, true},
    MaskParameter{"random", Kind::Lists, false, 0, {}, true}};
constexpr std::array groupsParameters = {MaskParameter{"ids", Kind::Integers, true, -1}};
constexpr std::array blocksParameters = {
    MaskParameter{"starts", Kind::Integers, true, 0, {}, false, 1}};
constexpr std::array treeParameters = {MaskParameter{"parents", Kind::Integers, true, -1},
                                       MaskParameter{"prefix", Kind::Integer, false, 0, {}, true}};
constexpr std::array swinParameters = {MaskParameter{"height", Kind::Integer, true, 1, {}, true},
                                       MaskParameter{"width", Kind::Integer, true, 1, {}, true},
                                       MaskParameter{"window", Kind::Integer, true, 1, {}, true},
                                       MaskParameter{"shift", Kind::Integer, true, 0, {}, true}};
constexpr std::array ruleParameters = {MaskParameter{"expression", Kind::Rule}};
constexpr std::array fileParameters = {MaskParameter{"path", Kind::Text, true},
                                       MaskParameter{"reads", Kind::Word, true, 0, readings, true},
                                       MaskParameter{"array", Kind::Text, false, 0, {}, true}};

// In the order of the enumeration; the second name of None follows at the end.
constexpr std::array families = {
    MaskFamilyInfo{"none", MaskFamily::None, {}, "none"},
    MaskFamilyInfo{"causal", MaskFamily::Causal, causalParameters, "causal or causal(offset=2)"},
    MaskFamilyInfo{"padding", MaskFamily::Padding, paddingParameters,
                   "padding or padding(side=left, lengths=[5, 3])"},
    MaskFamilyInfo{"window", MaskFamily::Window, windowParameters,
                   "window(4) or window(left=3, right=0)"},
    MaskFamilyInfo{"symmetric", MaskFamily::Symmetric, symmetricParameters, "symmetric(3)"},
    MaskFamilyInfo{"documents", MaskFamily::Documents, documentsParameters, "documents([3, 2, 3])"},
    MaskFamilyInfo{"prefix", MaskFamily::Prefix, prefixParameters, "prefix(3)"},
    MaskFamilyInfo{"sink", MaskFamily::Sink, sinkParameters, "sink(2)"},
    MaskFamilyInfo{"chunk", MaskFamily::Chunk, chunkParameters, "chunk(3)"},
    MaskFamilyInfo{"dilated", MaskFamily::Dilated, dilatedParameters, "dilated(2, 2)"},
    MaskFamilyInfo{"strided", MaskFamily::Strided, stridedParameters, "strided(3)"},
    MaskFamilyInfo{"fixed", MaskFamily::Fixed, fixedParameters, "fixed(4, 1)"},
    MaskFamilyInfo{"longformer", MaskFamily::Longformer, longformerParameters,
                   "longformer(4, global=[0])"},
    MaskFamilyInfo{"bigbird", MaskFamily::BigBird, bigbirdParameters,
                   "bigbird(block=2, global=[0, 3], random=[[2], [3], [0], [1]])"},
    MaskFamilyInfo{"groups", MaskFamily::Groups, groupsParameters, "groups([-1, 0, 0, -1, 1])"},
    MaskFamilyInfo{"blocks", MaskFamily::Blocks, blocksParameters, "blocks([0, 0, 0, 1, 1])"},
    MaskFamilyInfo{"tree", MaskFamily::Tree, treeParameters, "tree([-1, 0, 0, 1], prefix=4)"},
    MaskFamilyInfo{"swin", MaskFamily::Swin, swinParameters,
                   "swin(height=4, width=4, window=2, shift=1)"},
    MaskFamilyInfo{"rule", MaskFamily::Rule, ruleParameters, "rule(j <= i && i - j < 4)"},
    MaskFamilyInfo{"file", MaskFamily::File, fileParameters, "file(\"m.npy\", reads=\"keep\")"},
    MaskFamilyInfo{"true", MaskFamily::None, {}, "true"},
};

constexpr auto names = [] {
    std::array<std::string_view, families.size()> list{};
    for (std::size_t i = 0; i < families.size(); ++i) {
        list[i] = families[i].name;
    }
    return list;
}();

std::string printText(std::string_view text)
{
    std::string quotedText = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            quotedText += '\\';
        }
        quotedText += c;
    }
    return quotedText + "\"";
}

std::string printList(std::span<const std::int64_t> numbers)
{
    std::string list = "[";
    for (const std::int64_t number : numbers) {
        list += (list.size() > 1 ? ", " : "") + std::to_string(number);
    }
    return list + "]";
}

std::string printLists(const MaskValue& value)
{
    std::string lists = "[";
    std::size_t begin = 0;
    for (const std::size_t end : value.listEnds) {
        lists += lists.size() > 1 ? ", " : "";
        lists += printList({value.integers.data() + begin, end - begin});
        begin = end;
    }
    return lists + "]";
}

std::string printValue(const MaskParameter& parameter, const MaskValue& value, bool asText)
{
    switch (parameter.kind) {
    case Kind::Integer:
        return std::to_string(value.integer);
    case Kind::Integers:
        return printList(value.integers);
    case Kind::Lists:
        return printLists(value);
    case Kind::Rule:
        return value.rule->text;
    case Kind::Word:
        return asText ? printText(value.text) : value.text;
    case Kind::Text:
        return printText(value.text);
    }
    return {};
}

std::string printLeaf(const MaskLeaf& leaf)
{
    const MaskFamilyInfo& info = familyInfo(leaf.family);
    std::string arguments;
    for (std::size_t p = 0; p < info.parameters.size(); ++p) {
        if (leaf.values[p]) {
            const MaskParameter& parameter = info.parameters[p];
            arguments += arguments.empty() ? "" : ", ";
            if (parameter.isNamed) {
                arguments += parameter.name;
                arguments += '=';
            }
            arguments += printValue(parameter, *leaf.values[p], leaf.family == MaskFamily::File);
        }
    }
    const std::string name(info.name);
    return arguments.empty() ? name : name + "(" + arguments + ")";
}

std::string printChildren(const MaskNode& node, std::string_view separator)
{
    std::string text;
    for (const MaskNode& child : node.children) {
        text += text.empty() ? "" : separator;
        const bool needsParentheses =
            node.kind == MaskNode::Kind::And && child.kind == MaskNode::Kind::Or;
        text += needsParentheses ? "(" + printMask(child) + ")" : printMask(child);
    }
    return text;
}

} // namespace

const MaskFamilyInfo& familyInfo(MaskFamily family)
{
    return families[static_cast<std::size_t>(family)];
}

const MaskFamilyInfo* findFamily(std::string_view name)
{
    const auto* found = std::find_if(families.begin(), families.end(),
                                     [&](const MaskFamilyInfo& f) { return f.name == name; });
    return found == families.end() ? nullptr : found;
}

std::span<const std::string_view> familyNames()
{
    return names;
}

std::string printMask(const MaskNode& node)
{
    switch (node.kind) {
    case MaskNode::Kind::Leaf:
        return printLeaf(node.leaf);
    case MaskNode::Kind::Not: {
        const MaskNode& child = node.children.front();
        const std::string text = printMask(child);
        return child.kind == MaskNode::Kind::Leaf ? "~" + text : "~(" + text + ")";
    }
    case MaskNode::Kind::And:
        return printChildren(node, " & ");
    case MaskNode::Kind::Or:
        return printChildren(node, " | ");
    }
    return {};
}

tl::unexpected<Error> failAtColumn(Code code, std::size_t column, std::string message)
{
    return fail(code, std::move(message), "mask, column " + std::to_string(column));
}

} // namespace heed::detail
