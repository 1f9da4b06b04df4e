// Facts at the left, the measurement at the right.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/costpanel.h"

#include "services/errortext.h"
#include "views/costplot.h"
#include "widgets/keyvaluetable.h"
#include "widgets/labels.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPushButton>
#include <array>
#include <cmath>
#include <map>

namespace heed::ui {

namespace {

constexpr int FactsDelayMs = 200;

CostShape shapeOf(const Run& run)
{
    const MapsShape maps = run.maps()->shape();
    CostShape shape{.layers = maps.layers,
                    .items = maps.items,
                    .heads = maps.heads,
                    .queries = maps.queries,
                    .keys = maps.keys};
    const Tensor* q = run.q(0);
    const Tensor* k = run.k(0);
    const Tensor* v = run.v(0);
    if (q != nullptr && k != nullptr) {
        shape.width = q->extent(3);
        shape.keyHeads = k->extent(1);
    }
    if (v != nullptr) {
        shape.valueWidth = v->extent(3);
    }
    return shape;
}

/// Of all layers; layers that share a mask share its memory.
MaskCost masksOf(const Run& run)
{
    MaskCost sum;
    std::map<MaskPtr, MaskCost> known;
    for (std::int64_t layer = 0; layer < run.maps()->shape().layers; ++layer) {
        const MaskPtr mask = run.mask(layer);
        if (mask == nullptr) {
            continue;
        }
        const auto [cost, isNew] = known.try_emplace(mask);
        if (isNew) {
            cost->second = costOf(*mask);
            sum.bytes += cost->second.bytes;
        }
        sum.keptCells += cost->second.keptCells;
    }
    return sum;
}

QString bytesText(std::int64_t bytes)
{
    return QString::fromStdString(formatBytes(bytes));
}

/// "8.59 G": three figures are enough for work.
QString countText(double count)
{
    static constexpr std::array<const char*, 6> units = {"", " k", " M", " G", " T", " P"};
    std::size_t unit = 0;
    while (count >= 999.5 && unit + 1 < units.size()) {
        count /= 1000;
        ++unit;
    }
    return QString::number(count, 'g', 3) + QLatin1String(units[unit]);
}

std::vector<std::int64_t> sides()
{
    std::vector<std::int64_t> all;
    for (auto side = static_cast<std::int64_t>(CostPlot::Shortest);
         side <= static_cast<std::int64_t>(CostPlot::Longest); side *= 2) {
        all.push_back(side);
    }
    return all;
}

} // namespace

CostPanel::CostPanel(const Workspace& workspace, QWidget* parent)
    : QScrollArea(parent)
    , m_workspace(workspace)
{
    build();
    m_delay.setSingleShot(true);
    m_delay.setInterval(FactsDelayMs);
    EngineService* service = m_workspace.service;
    connect(&m_delay, &QTimer::timeout, this, &CostPanel::showFacts);
    connect(m_workspace.document, &Document::runChanged, this, [this] {
        if (isVisible()) {
            showRun();
        }
    });
    const auto showSoon = [this] {
        if (isVisible() && !m_delay.isActive()) {
            m_delay.start();
        }
    };
    connect(service, &EngineService::tileReady, this, showSoon);
    connect(m_workspace.selection, &SelectionModel::mapChanged, this, showSoon);
    connect(m_workspace.view, &ViewSettingsModel::changed, this, showSoon);
    connect(m_measure, &QPushButton::clicked, this, &CostPanel::measureOrStop);
    connect(service, &EngineService::speedMeasured, this, &CostPanel::onSpeed);
    connect(service, &EngineService::measuringEnded, this,
            [this](const std::optional<Error>& error) {
                showMeasuring();
                if (error && error->code != Code::Cancelled) {
                    m_state->setText(errorText(*error).detail);
                }
            });
    retranslate();
    showRun();
}

CostPanel::~CostPanel() = default;

void CostPanel::build()
{
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setFocusPolicy(Qt::NoFocus);
    auto* content = new QWidget(this);
    m_halves = new QBoxLayout(QBoxLayout::LeftToRight, content);
    m_halves->setContentsMargins(14, 10, 14, 10);
    m_halves->setSpacing(24);
    auto* left = new QVBoxLayout;
    left->setSpacing(10);
    left->addWidget(m_facts = new KeyValueTable(content));
    left->addStretch(1);
    m_halves->addLayout(left);
    auto* right = new QVBoxLayout;
    right->setSpacing(6);
    auto* row = new QHBoxLayout;
    row->setSpacing(10);
    row->addWidget(m_measure = new QPushButton(content));
    row->addWidget(m_state = new MutedLabel({}, content), 1);
    right->addLayout(row);
    right->addWidget(m_plot = new CostPlot(content), 1);
    m_halves->addLayout(right, 1);
    setWidget(content);
}

void CostPanel::showRun()
{
    const RunPtr run = m_workspace.document->run();
    if (run != m_run) {
        m_run = run;
        const std::int64_t width = m_shape.width;
        m_shape = run != nullptr ? shapeOf(*run) : CostShape{};
        m_mask = run != nullptr ? masksOf(*run) : MaskCost{};
        if (width != m_shape.width) {
            m_workspace.service->stopMeasuring(); // it is of another head
            m_speeds.clear();
            m_stopped = false;
            m_plot->setSpeeds({});
        }
        m_plot->setShape(m_shape);
    }
    showFacts();
    showMeasuring();
}

void CostPanel::showFacts()
{
    if (m_run == nullptr) {
        m_facts->setRows({{tr("Nothing is computed yet."), {}}});
        return;
    }
    const Cost cost = costOf(m_shape);
    const std::int64_t tiles = m_workspace.service->cachedBytes();
    const double kept = m_run->mask(0) != nullptr ? m_mask.keptCells : cost.cells;
    const double share = cost.cells > 0 ? kept / cost.cells * 100 : 0;
    const Source& source = m_run->source();
    const bool isComputed = source.qkv.empty() && source.maps.empty();
    const auto ofMap = m_workspace.service->mapMs(m_workspace.selection->map(),
                                                  m_workspace.view->settings().quantity);
    m_facts->setRows(
        {{tr("Stored weights would take"), bytesText(cost.storedWeights), true},
         {tr("Heedmap takes"), bytesText(cost.projections + cost.rowStats + tiles + m_mask.bytes),
          true},
         {tr("q, k and v"), bytesText(cost.projections)},
         {tr("statistics of all rows"), bytesText(cost.rowStats)},
         {tr("tiles kept for the screen"), bytesText(tiles)},
         {tr("mask"), bytesText(m_mask.bytes)},
         {tr("cells kept"), tr("%1 %").arg(share, 0, 'f', share < 99.95 ? 1 : 0)},
         {tr("Multiply-adds of one pass"), countText(kept * static_cast<double>(m_shape.width))},
         {isComputed ? tr("Computing q, k and v") : tr("Reading the file"),
          timeText(m_workspace.document->computeMs() / 1e3)},
         {tr("Computing this map"), ofMap ? timeText(*ofMap / 1e3) : QStringLiteral("…")}});
    arrange();
}

/// Side by side where there is room, else one below the other.
void CostPanel::arrange()
{
    const int facts = m_facts->sizeHint().width();
    m_facts->setMinimumWidth(facts); // no name is cut
    const QMargins margins = m_halves->contentsMargins();
    const bool beside = facts + m_halves->spacing() + m_plot->minimumSizeHint().width() +
                            margins.left() + margins.right() <=
                        viewport()->width();
    m_halves->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void CostPanel::showMeasuring()
{
    const bool measuring = m_workspace.service->isMeasuring();
    m_measure->setText(measuring ? tr("&Stop") : tr("&Measure"));
    m_measure->setEnabled(measuring || m_shape.width > 0);
    if (m_run == nullptr) {
        m_state->setText({});
    } else if (m_shape.width == 0) {
        m_state->setText(tr("Finished maps come without q and k: there is nothing to compute."));
    } else if (measuring) {
        const double next =
            m_speeds.empty() ? CostPlot::Shortest : 2 * static_cast<double>(m_speeds.back().side);
        m_state->setText(tr("Measuring n = %1…").arg(next, 0, 'f', 0));
    } else if (const double p = m_plot->exponent(); std::isfinite(p)) {
        const QString last = QString::number(m_speeds.back().side);
        m_state->setText(tr("%1 × %1 in %2, growing as n^%3; %4 % of the peak")
                             .arg(last, timeText(m_speeds.back().surveySeconds),
                                  QString::number(p, 'f', 2),
                                  QString::number(m_speeds.back().surveyShare * 100, 'f', 0)));
    } else {
        m_state->setText(m_stopped ? tr("Stopped.")
                                   : tr("Times one map of growing n on this machine."));
    }
}

void CostPanel::measureOrStop()
{
    if (m_workspace.service->isMeasuring()) {
        m_stopped = true;
        m_workspace.service->stopMeasuring();
        return;
    }
    m_speeds.clear();
    m_stopped = false;
    m_plot->setSpeeds({});
    SpeedSpec spec;
    spec.width = m_shape.width;
    spec.mask = m_run->source().causal ? "causal" : "none";
    spec.picture = TileSide;
    spec.values = false;
    spec.leastSeconds = 0.05;
    m_workspace.service->measure(spec, sides());
    showMeasuring();
}

void CostPanel::onSpeed(const Speed& speed)
{
    m_speeds.push_back(speed);
    m_plot->setSpeeds(m_speeds);
    showMeasuring();
}

void CostPanel::retranslate()
{
    setAccessibleName(tr("Cost of attention"));
    m_plot->setAccessibleName(tr("Time and memory against the number of tokens"));
    m_measure->setToolTip(tr("Times row statistics and the picture of one map of made-up numbers, "
                             "for growing n"));
    m_facts->setAccessibleName(tr("Memory and work of this run"));
}

void CostPanel::changeEvent(QEvent* event)
{
    QScrollArea::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        showRun();
    }
}

void CostPanel::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    arrange();
}

void CostPanel::showEvent(QShowEvent* event)
{
    QScrollArea::showEvent(event);
    showRun(); // nothing was counted while nobody looked
}

} // namespace heed::ui
