// What the panels of the window work on.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/document.h"
#include "models/selection.h"
#include "models/viewsettings.h"
#include "services/engineservice.h"

namespace heed::ui {

class Actions;

/// All pointers outlive the panels.
struct Workspace {
    EngineService* service = nullptr;
    Document* document = nullptr;
    SelectionModel* selection = nullptr;
    ViewSettingsModel* view = nullptr;
    Actions* actions = nullptr;
};

/// Edits of the same kind that follow each other become one undo step.
enum class MergeId { Text = 1, ModelWidth, Heads, KeyValueHeads, Seed, PadTo, Mask, Pair, Target };

/// Changes the source by @p change as one undo step called @p text.
template <typename Change>
void editSource(const Workspace& workspace, const QString& text, MergeId merge, Change change)
{
    Source source = workspace.document->source();
    change(source);
    workspace.document->edit(source, text, static_cast<int>(merge));
}
template <typename Change>
void editSource(const Workspace& workspace, const QString& text, Change change)
{
    Source source = workspace.document->source();
    change(source);
    workspace.document->edit(source, text);
}

/// The token at @p index as people read it, "" when there is none.
[[nodiscard]] QString tokenText(const Batch& batch, std::int64_t item, std::int64_t index);

} // namespace heed::ui
