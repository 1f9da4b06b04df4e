// The parsed form of a mask expression, and the table of the families it may name.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed::detail {

enum class MaskFamily {
    None,
    Causal,
    Padding,
    Window,
    Symmetric,
    Documents,
    Prefix,
    Sink,
    Chunk,
    Dilated,
    Strided,
    Fixed,
    Longformer,
    BigBird,
    Groups,
    Blocks,
    Tree,
    Swin,
    Rule,
    File,
};

enum class MaskValueKind { Integer, Integers, Lists, Rule, Word, Text };

/// Numbers in expressions lie within ± this, so that sums of a few of them cannot overflow.
constexpr std::int64_t largestMaskNumber = 2'147'483'647;

/// One parameter of a family, in the order in which it may be given without its name.
struct MaskParameter {
    std::string_view name;
    MaskValueKind kind = MaskValueKind::Integer;
    bool isRequired = true;
    std::int64_t smallest = 0;                 ///< Integer, and each of Integers and Lists
    std::span<const std::string_view> words{}; ///< allowed values of a Word
    bool isNamed = false;                      ///< printed with its name in the normal form
    std::int64_t largest = largestMaskNumber;
};

struct MaskFamilyInfo {
    std::string_view name;
    MaskFamily family;
    std::span<const MaskParameter> parameters;
    std::string_view usage; ///< an example for error messages
};

[[nodiscard]] const MaskFamilyInfo& familyInfo(MaskFamily family);
/// nullptr when there is no such family.
[[nodiscard]] const MaskFamilyInfo* findFamily(std::string_view name);
[[nodiscard]] std::span<const std::string_view> familyNames();

struct MaskRule;

struct MaskValue {
    std::int64_t integer = 0;
    std::vector<std::int64_t> integers = {}; ///< of Integers, and of Lists one list after the other
    std::vector<std::size_t> listEnds = {};  ///< of Lists: where each ends
    std::string text;                        ///< a Text or a Word
    std::shared_ptr<const MaskRule> rule = {};
    std::size_t column = 0;
};

struct MaskLeaf {
    MaskFamily family = MaskFamily::None;
    /// One for each parameter of the family; empty where the expression does not give it.
    std::vector<std::optional<MaskValue>> values;
    std::size_t column = 1; ///< of the name, counted in characters from 1

    [[nodiscard]] std::int64_t integer(std::size_t parameter, std::int64_t otherwise = 0) const
    {
        return values[parameter] ? values[parameter]->integer : otherwise;
    }
};

/// And and Or have two or more children, none of the same kind as themselves; Not has one, which is
/// no Not.
struct MaskNode {
    enum class Kind { Leaf, Not, And, Or };
    Kind kind = Kind::Leaf;
    MaskLeaf leaf;
    std::vector<MaskNode> children;
};

/// @return Code::InvalidArgument or Code::Unsupported; the context names the column.
[[nodiscard]] Expected<MaskNode> parseMask(std::string_view expression);

/// The normal form; parses to an equal tree.
[[nodiscard]] std::string printMask(const MaskNode& node);

/// Puts @p folder before every relative file name.
void prependFolder(MaskNode& node, const std::string& folder);

/// Where file("@p name") lies when relative names start at @p folder ("" = the working folder).
[[nodiscard]] std::filesystem::path fileInFolder(const std::string& folder,
                                                 const std::string& name);

/// The error at @p column of the expression.
[[nodiscard]] tl::unexpected<Error> failAtColumn(Code code, std::size_t column,
                                                 std::string message);

} // namespace heed::detail
