// Helpers that all panels need.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/workspace.h"

namespace heed::ui {

QString tokenText(const Batch& batch, std::int64_t item, std::int64_t index)
{
    if (item < 0 || item >= batch.size() || index < 0 || index >= batch.length) {
        return {};
    }
    const auto& tokens = batch.items[static_cast<std::size_t>(item)];
    return static_cast<std::size_t>(index) < tokens.size()
               ? QString::fromStdString(displayText(tokens[static_cast<std::size_t>(index)]))
               : QString();
}

} // namespace heed::ui
