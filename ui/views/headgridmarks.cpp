// Read off the shape of K and the settings of the model.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/headgridmarks.h"

#include "heed/model.h"

#include <QCoreApplication>
#include <algorithm>

namespace heed::ui {

namespace {

struct Views {
    Q_DECLARE_TR_FUNCTIONS(heed::ui::Views)
};

/// The settings of the layers that are shown; null for a layer alone.
const ModelConfig* layersOf(const Run& run)
{
    const ModelConfig* model = run.model();
    const bool isEncoder = run.source().attention == AttentionSet::Encoder;
    return model == nullptr || isEncoder ? model : model->decoder.get();
}

} // namespace

HeadGridMarks::HeadGridMarks(const Run& run)
    : m_heads(run.maps()->shape().heads)
{
    const Tensor* k = run.k(0);
    const std::int64_t shared = k == nullptr || k->rank() != 4 ? m_heads : k->extent(1);
    if (shared > 0 && m_heads % shared == 0) {
        m_headsOfGroup = m_heads / shared;
    }
    const ModelConfig* model = layersOf(run);
    if (model == nullptr) {
        return;
    }
    if (model->layerGroups > 0 && model->layerGroups < model->layers) {
        for (std::int64_t layer = 0; layer < run.maps()->shape().layers; ++layer) {
            m_weights.push_back(model->weightsOf(layer));
        }
    }
    if (run.source().attention != AttentionSet::Cross) { // which sees all of the other text
        m_windows = model->windows;
    }
    m_causal = model->causal;
}

bool HeadGridMarks::shareKeys(std::int64_t head, std::int64_t other) const
{
    return m_headsOfGroup > 1 && head / m_headsOfGroup == other / m_headsOfGroup;
}

bool HeadGridMarks::shareWeights(std::int64_t layer, std::int64_t other) const
{
    const std::int64_t layers = std::ssize(m_weights);
    return layer < layers && other < layers &&
           m_weights[static_cast<std::size_t>(layer)] == m_weights[static_cast<std::size_t>(other)];
}

bool HeadGridMarks::hasWindows() const
{
    return std::ranges::any_of(m_windows, [](std::int64_t window) { return window > 0; });
}

std::int64_t HeadGridMarks::windowOf(std::int64_t layer) const
{
    return layer >= 0 && layer < std::ssize(m_windows) ? m_windows[static_cast<std::size_t>(layer)]
                                                       : 0;
}

QStringList HeadGridMarks::phrases(const MapIndex& map) const
{
    QStringList phrases;
    if (m_headsOfGroup > 1) {
        const std::int64_t first = map.head / m_headsOfGroup * m_headsOfGroup;
        phrases << Views::tr("heads %1–%2 share keys and values")
                       .arg(first)
                       .arg(first + m_headsOfGroup - 1);
    }
    std::int64_t first = map.layer;
    std::int64_t last = map.layer;
    while (first > 0 && shareWeights(first - 1, map.layer)) {
        --first;
    }
    while (shareWeights(last + 1, map.layer)) {
        ++last;
    }
    if (first < last) {
        phrases << Views::tr("layers %1–%2 share weights").arg(first).arg(last);
    }
    if (const std::int64_t window = windowOf(map.layer); window > 0) {
        phrases << (m_causal ? Views::tr("window: the last %1 tokens")
                             : Views::tr("window: %1 tokens to each side"))
                       .arg(window);
    }
    return phrases;
}

} // namespace heed::ui
