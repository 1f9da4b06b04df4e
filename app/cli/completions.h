// Shell completions made from the tree of options, so that they cannot disagree with it.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace heed::cli {

[[nodiscard]] std::string bashCompletion(const CLI::App& root);
[[nodiscard]] std::string zshCompletion(const CLI::App& root);

} // namespace heed::cli
