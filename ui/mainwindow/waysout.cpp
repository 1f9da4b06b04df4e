// Repairs as buttons; each is one undo step.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/waysout.h"

#include "mainwindow/actions.h"

#include <QCoreApplication>
#include <algorithm>

namespace heed::ui {

namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("WaysOut", text);
}

void offerDivisors(std::vector<MessageButton>& buttons, const Workspace& workspace,
                   std::int64_t whole, std::int64_t wanted, std::int64_t LayerConfig::*field,
                   const QString& text, const QString& step)
{
    for (const std::int64_t divisor : nearestDivisors(whole, wanted, 2)) {
        buttons.push_back({text.arg(divisor), [workspace, divisor, field, step] {
                               editSource(workspace, step,
                                          [&](Source& source) { source.layer.*field = divisor; });
                           }});
    }
}

/// The widths on both sides that the heads divide.
void offerWidths(std::vector<MessageButton>& buttons, const Workspace& workspace,
                 const LayerConfig& layer)
{
    const std::int64_t below = layer.modelWidth - layer.modelWidth % layer.heads;
    for (const std::int64_t width : {below, below + layer.heads}) {
        LayerConfig fitting = layer;
        fitting.modelWidth = width;
        if (validate(fitting)) {
            buttons.push_back(
                {translated(QT_TRANSLATE_NOOP("WaysOut", "Use d_model %1")).arg(width),
                 [workspace, width] {
                     editSource(workspace, translated(QT_TRANSLATE_NOOP("WaysOut", "model width")),
                                [&](Source& source) { source.layer.modelWidth = width; });
                 }});
        }
    }
}

/// The usual width, when the layer is what does not fit.
void offerLessMemory(std::vector<MessageButton>& buttons, const Workspace& workspace)
{
    const auto& error = workspace.document->error();
    const LayerConfig& layer = workspace.document->source().layer;
    const std::int64_t usual = LayerConfig{}.modelWidth;
    if (error && error->code == Code::OutOfMemory && layer.modelWidth > usual) {
        LayerConfig fitting = layer;
        fitting.modelWidth = std::max<std::int64_t>(1, usual / layer.heads) * layer.heads;
        if (fitting.modelWidth < layer.modelWidth && validate(fitting)) {
            buttons.push_back(
                {translated(QT_TRANSLATE_NOOP("WaysOut", "Use d_model %1")).arg(fitting.modelWidth),
                 [workspace, width = fitting.modelWidth] {
                     editSource(workspace, translated(QT_TRANSLATE_NOOP("WaysOut", "model width")),
                                [&](Source& source) { source.layer.modelWidth = width; });
                 }});
        }
    }
}

} // namespace

bool concernsLayer(const Source& source)
{
    return source.qkv.empty() && source.maps.empty() && !validate(source.layer);
}

std::vector<MessageButton> waysOut(const Workspace& workspace)
{
    std::vector<MessageButton> buttons;
    const Source& source = workspace.document->source();
    const LayerConfig& layer = source.layer;
    if (concernsLayer(source)) {
        if (layer.heads > 0 && layer.modelWidth > 0 && layer.modelWidth % layer.heads != 0) {
            offerDivisors(buttons, workspace, layer.modelWidth, layer.heads, &LayerConfig::heads,
                          translated(QT_TRANSLATE_NOOP("WaysOut", "Use %1 heads")),
                          translated(QT_TRANSLATE_NOOP("WaysOut", "number of heads")));
            offerWidths(buttons, workspace, layer);
        } else if (layer.kvHeads > 0 && layer.heads % layer.kvHeads != 0) {
            offerDivisors(buttons, workspace, layer.heads, layer.kvHeads, &LayerConfig::kvHeads,
                          translated(QT_TRANSLATE_NOOP("WaysOut", "Use %1")),
                          translated(QT_TRANSLATE_NOOP("WaysOut", "number of key/value heads")));
        } else if (layer.positions == Positions::Rotary) {
            buttons.push_back(
                {translated(QT_TRANSLATE_NOOP("WaysOut", "Use sinusoidal positions")), [workspace] {
                     editSource(workspace, translated(QT_TRANSLATE_NOOP("WaysOut", "positions")),
                                [](Source& s) { s.layer.positions = Positions::Sinusoidal; });
                 }});
        }
    } else {
        offerLessMemory(buttons, workspace);
        if (const auto& error = workspace.document->error();
            error && error->code == Code::OutOfMemory) {
            buttons.push_back(
                {translated(QT_TRANSLATE_NOOP("WaysOut", "Memory budget…")),
                 [workspace] { (*workspace.actions)[ActionId::MemoryBudget]->trigger(); }});
        }
        if (source.padTo > 0) {
            buttons.push_back(
                {translated(QT_TRANSLATE_NOOP("WaysOut", "Pad to the longest line")), [workspace] {
                     editSource(workspace,
                                translated(QT_TRANSLATE_NOOP("WaysOut", "padded length")),
                                [](Source& s) { s.padTo = 0; });
                 }});
        }
        if (!source.mask.empty()) {
            buttons.push_back(
                {translated(QT_TRANSLATE_NOOP("WaysOut", "Remove the expression")), [workspace] {
                     editSource(workspace,
                                translated(QT_TRANSLATE_NOOP("WaysOut", "mask expression")),
                                [](Source& s) { s.mask.clear(); });
                 }});
        }
    }
    if (workspace.document->undoStack()->canUndo()) {
        buttons.push_back({translated(QT_TRANSLATE_NOOP("WaysOut", "Undo")),
                           [workspace] { workspace.document->undoStack()->undo(); }});
    }
    return buttons;
}

} // namespace heed::ui
