// The paths of a source, by the names they have in sessions and on the command line.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/run.h"

#include <array>
#include <type_traits>

namespace heed {

template <typename Path>
struct PathOption {
    const char* name;   ///< in the file
    const char* option; ///< on the command line
    Path* path;
};

template <typename SourceType>
auto pathsOf(SourceType& source)
{
    using Path = std::conditional_t<std::is_const_v<SourceType>, const std::filesystem::path,
                                    std::filesystem::path>;
    return std::array<PathOption<Path>, 7>{
        {{"model", "--model", &source.model},
         {"tokenizer_file", "--tokenizer", &source.tokenizerFile},
         {"weights", "--weights", &source.weights},
         {"input", "--input", &source.input},
         {"context", "--context", &source.context},
         {"qkv", "--qkv", &source.qkv},
         {"maps", "--maps", &source.maps}}};
}

/// As --positions takes it.
[[nodiscard]] std::string_view positionsName(Positions positions);

} // namespace heed
