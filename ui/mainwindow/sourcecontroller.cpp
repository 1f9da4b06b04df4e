// Actions and source in step, both ways.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/sourcecontroller.h"

#include "heed/model.h"
#include "mainwindow/actions.h"

#include <QRandomGenerator>

namespace heed::ui {

namespace {

/// The same text and masks on one layer instead of the model.
Source sandboxOf(const Source& source)
{
    Source sandbox;
    sandbox.lines = source.lines;
    sandbox.padSide = source.padSide;
    sandbox.layer = source.layer;
    sandbox.padding = source.padding;
    sandbox.causal = source.causal;
    sandbox.mask = source.mask;
    sandbox.maskFolder = source.maskFolder;
    return sandbox;
}

} // namespace

SourceController::SourceController(const Workspace& workspace, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
{
    const Actions& actions = *m_workspace.actions;
    const auto bind = [&](ActionId id, auto text, auto change) {
        connect(actions[id], &QAction::triggered, this, [this, text, change](bool on) {
            editSource(m_workspace, text(on), [&](Source& source) { change(source, on); });
        });
    };
    bind(
        ActionId::Padding,
        [](bool on) { return on ? tr("padding mask on") : tr("padding mask off"); },
        [](Source& source, bool on) { source.padding = on; });
    bind(
        ActionId::Causal, [](bool on) { return on ? tr("causal mask on") : tr("causal mask off"); },
        [](Source& source, bool on) { source.causal = on; });
    bind(
        ActionId::PadLeft, [](bool) { return tr("pad side"); },
        [](Source& source, bool) { source.padSide = PadSide::Left; });
    bind(
        ActionId::PadRight, [](bool) { return tr("pad side"); },
        [](Source& source, bool) { source.padSide = PadSide::Right; });
    bind(
        ActionId::NoMask, [](bool) { return tr("remove all masks"); },
        [](Source& source, bool) {
            source.padding = false;
            source.causal = false;
            source.mask.clear();
        });
    bind(
        ActionId::Scaled, [](bool) { return tr("scale"); },
        [](Source& source, bool on) { source.layer.scaled = on; });
    bind(
        ActionId::Biased, [](bool) { return tr("bias"); },
        [](Source& source, bool on) { source.layer.biased = on; });
    bind(
        ActionId::SpecialTokens, [](bool) { return tr("special tokens"); },
        [](Source& source, bool on) { source.specialTokens = on; });
    bind(
        ActionId::Sandbox, [](bool) { return tr("sandbox"); },
        [](Source& source, bool) { source = sandboxOf(source); });
    bind(
        ActionId::NewSeed, [](bool) { return tr("seed"); },
        [](Source& source, bool) {
            source.layer.seed = QRandomGenerator::global()->bounded(10000); // easy to say aloud
        });
    connect(m_workspace.document, &Document::sourceChanged, this, &SourceController::showSource);
    connect(m_workspace.document, &Document::runChanged, this, &SourceController::showSource);
    showSource();
}

void SourceController::showSource()
{
    const Actions& actions = *m_workspace.actions;
    const Source& source = m_workspace.document->source();
    const bool open = !m_workspace.document->isEmpty();
    // A model masks by itself: padding always, later keys when it was trained so.
    const RunPtr run = m_workspace.document->run();
    const bool isModel = !source.model.empty();
    const bool isOfThis =
        isModel && run != nullptr && run->source().model == source.model && run->model() != nullptr;
    const bool isCausalModel =
        isOfThis && (run->model()->causal || source.attention == AttentionSet::Decoder);
    actions[ActionId::Padding]->setChecked(source.padding || isModel);
    actions[ActionId::Causal]->setChecked(source.causal || isCausalModel);
    actions[ActionId::SpecialTokens]->setChecked(source.specialTokens);
    actions[ActionId::SpecialTokens]->setEnabled(isModel && source.ids.empty());
    actions[ActionId::Sandbox]->setEnabled(isModel && !source.lines.empty());
    actions[source.padSide == PadSide::Left ? ActionId::PadLeft : ActionId::PadRight]->setChecked(
        true);
    actions[ActionId::Scaled]->setChecked(source.layer.scaled);
    actions[ActionId::Biased]->setChecked(source.layer.biased);

    // What a file brings cannot be changed: finished maps were masked and scaled elsewhere.
    const bool masks = open && source.maps.empty();
    for (const auto id :
         {ActionId::Padding, ActionId::Causal, ActionId::NoMask, ActionId::EditExpression}) {
        actions[id]->setEnabled(masks);
    }
    actions[ActionId::Padding]->setEnabled(masks && !isModel);
    actions[ActionId::Causal]->setEnabled(masks && !isCausalModel);
    actions.group(ActionGroupId::PadSide)->setEnabled(open && !source.lines.empty());
    actions[ActionId::Scaled]->setEnabled(masks && !isModel);
    const bool projected = masks && source.qkv.empty() && !isModel;
    actions[ActionId::NewSeed]->setEnabled(projected);
    actions[ActionId::Biased]->setEnabled(projected && source.weights.empty());
}

} // namespace heed::ui
