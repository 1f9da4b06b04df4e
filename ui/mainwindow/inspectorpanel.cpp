// The inspector: text and numbers are selectable, nothing is rounded away silently.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/inspectorpanel.h"

#include "mainwindow/cellstory.h"
#include "mainwindow/predictionsection.h"
#include "views/profileview.h"
#include "views/viewtext.h"
#include "widgets/card.h"
#include "widgets/keyvaluetable.h"
#include "widgets/labels.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QEvent>
#include <QLabel>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace heed::ui {

namespace {

constexpr int Margin = 14;
constexpr int PatienceMs = 120;

/// The score − max. The maximum is a float32, so that of the strongest key leaves a rest
/// that is none.
double belowMax(const CellStory& story)
{
    const double difference = story.capped + story.bias - story.rowMax;
    return std::abs(difference) < 1e-6 * std::max(1.0, std::abs(story.rowMax)) ? 0 : difference;
}

} // namespace

InspectorPanel::InspectorPanel(const Workspace& workspace, QWidget* parent)
    : QScrollArea(parent)
    , m_workspace(workspace)
{
    build();
    retranslate();
    const auto refresh = [this] { showCell(); };
    connect(m_workspace.selection, &SelectionModel::pinChanged, this, refresh);
    connect(m_workspace.selection, &SelectionModel::hoverChanged, this, refresh);
    connect(m_workspace.selection, &SelectionModel::mapChanged, this, [this] {
        showCell();
        showHead();
    });
    connect(m_workspace.document, &Document::runChanged, this, [this] {
        m_profile->setRun(m_workspace.document->run());
        showCell();
        showHead();
    });
    connect(m_workspace.view, &ViewSettingsModel::changed, this, refresh);
    connect(m_workspace.service, &EngineService::rowReady, this, refresh);
    m_patience.setSingleShot(true);
    m_patience.setInterval(PatienceMs);
    connect(&m_patience, &QTimer::timeout, this, [this] {
        m_isBlank = true;
        showCell();
    });
    connect(m_workspace.service, &EngineService::metricsReady, this, [this](const MapIndex& map) {
        if (map == m_workspace.selection->map()) {
            showHead();
        }
    });
}

void InspectorPanel::build()
{
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    auto* content = new QWidget(this);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(Margin, 12, Margin, Margin);
    layout->setSpacing(4);

    m_card = new Card(content);
    auto* card = new QVBoxLayout(m_card);
    card->setContentsMargins(12, 10, 12, 10);
    card->setSpacing(3);
    card->addWidget(m_where = new MutedLabel({}, m_card));
    card->addWidget(m_pair = new ElidedLabel(m_card));
    card->addWidget(m_number = new QLabel(m_card));
    card->addWidget(m_rank = new MutedLabel({}, m_card));
    m_rank->setWordWrap(true);
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    m_pair->setFont(bold);
    QFont large = numberFont(font(), 1.75);
    large.setWeight(QFont::DemiBold);
    m_number->setFont(large);
    m_number->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_number->setFocusPolicy(Qt::StrongFocus); // Tab reaches the panel here
    layout->addWidget(m_card);

    layout->addWidget(m_storyHeading = new SectionHeading({}, content));
    layout->addWidget(m_story = new KeyValueTable(content));
    layout->addWidget(m_storyNote = new MutedLabel({}, content));
    m_storyNote->setWordWrap(true);
    layout->addWidget(m_profileHeading = new SectionHeading({}, content));
    m_profile =
        new ProfileView(m_workspace.service, m_workspace.selection, m_workspace.view, content);
    m_profile->setMinimumHeight(120);
    m_profile->setRun(m_workspace.document->run());
    layout->addWidget(m_profile);
    layout->addWidget(m_productsHeading = new SectionHeading({}, content));
    layout->addWidget(m_products = new SignedBars(content));
    layout->addWidget(m_headHeading = new SectionHeading({}, content));
    layout->addWidget(m_head = new KeyValueTable(content));
    layout->addWidget(new PredictionSection(m_workspace, content));
    layout->addStretch(1);
    setWidget(content);
}

RowRequest InspectorPanel::rowOf(const CellRef& cell) const
{
    return {m_workspace.selection->map(), m_workspace.view->settings().quantity, cell.query};
}

void InspectorPanel::showNothing()
{
    m_isBlank = true;
    m_patience.stop();
    m_where->setText(tr("No cell chosen"));
    m_pair->setText(tr("Point at a cell, click to pin it"));
    m_number->setText(QStringLiteral("—"));
    m_rank->hide();
    for (QWidget* widget :
         {static_cast<QWidget*>(m_storyHeading), static_cast<QWidget*>(m_story),
          static_cast<QWidget*>(m_storyNote), static_cast<QWidget*>(m_profileHeading),
          static_cast<QWidget*>(m_profile), static_cast<QWidget*>(m_productsHeading),
          static_cast<QWidget*>(m_products)}) {
        widget->hide();
    }
}

void InspectorPanel::showCell()
{
    const RunPtr run = m_workspace.document->run();
    const SelectionModel& selection = *m_workspace.selection;
    const CellRef cell = selection.studied();
    const MapIndex& map = selection.map();
    if (run == nullptr || !cell.isValid() || cell.query >= selection.shape().queries ||
        cell.key >= selection.shape().keys) {
        showNothing();
        return;
    }
    if (run != m_workspace.service->current()) {
        return; // the document is about to hear of the new one
    }
    const RowPtr row = m_workspace.service->row(rowOf(cell));
    if (row == nullptr && !m_isBlank) {
        if (!m_patience.isActive()) {
            m_patience.start();
        }
        return;
    }
    if (row != nullptr) {
        m_isBlank = false;
        m_patience.stop();
    }
    const QString query = tokenText(run->queryTokens(), map.item, cell.query);
    const QString key = tokenText(run->keyTokens(), map.item, cell.key);
    const bool pinned = selection.pinned().isValid();
    m_where->setText((pinned ? tr("pinned · query %1 → key %2") : tr("query %1 → key %2"))
                         .arg(cell.query)
                         .arg(cell.key));
    m_pair->setText(QStringLiteral("%1  →  %2").arg(query, key));
    const QString value =
        row != nullptr
            ? exactNumber(double{row->cells.texels.values[static_cast<std::size_t>(cell.key)]})
            : QString();
    m_number->setText(row != nullptr ? value : QStringLiteral("…"));
    m_number->setAccessibleName(
        tr("%1 attends to %2: %3").arg(query, key, row != nullptr ? value : tr("computing")));
    // Without the token, which capitals would change; it is in the card above.
    m_profileHeading->setText(tr("Row profile · query %1").arg(cell.query));
    m_profileHeading->show();
    m_profile->show();
    showStory(row.get(), cell);
}

void InspectorPanel::showStory(const MapRow* row, const CellRef& cell)
{
    const RunPtr run = m_workspace.document->run();
    const MapIndex& map = m_workspace.selection->map();
    const auto story = row != nullptr ? cellStory(*run, row->stats, map, cell) : std::nullopt;
    m_storyHeading->show();
    m_story->setVisible(story.has_value());
    m_productsHeading->setVisible(story.has_value());
    m_products->setVisible(story.has_value());
    m_storyNote->setVisible(!story.has_value());
    m_rank->hide();
    if (!story) {
        m_storyNote->setText(
            row == nullptr ? tr("Computing…")
                           : tr("This map came finished from a file; Q and K are not known."));
        return;
    }
    const bool kept = story->reasons == 0;
    const double width = static_cast<double>(story->products.size());
    const bool isByWidth = std::abs(story->scale * std::sqrt(width) - 1) < 1e-6;
    const QString scaleName = isByWidth ? QStringLiteral("× 1/√%1").arg(width)
                              : story->scale == 1
                                  ? tr("not scaled")
                                  : QStringLiteral("× %1").arg(exactNumber(story->scale));
    std::vector<KeyValue> rows{
        {QStringLiteral("q·k"), exactNumber(story->dot), true, {}},
        {scaleName, exactNumber(story->scaled), false, {}},
    };
    if (story->softCap > 0) {
        rows.push_back({QStringLiteral("%1 · tanh(÷ %1)").arg(story->softCap),
                        exactNumber(story->capped),
                        false,
                        {}});
    }
    if (story->hasBias && kept) {
        rows.push_back({QStringLiteral("+ b(i − j) %1").arg(exactNumber(story->bias)),
                        exactNumber(story->capped + story->bias),
                        false,
                        {}});
    }
    rows.push_back({tr("mask"), kept ? QStringLiteral("+ 0") : QStringLiteral("−∞"), false,
                    kept ? tr("kept") : reasonsText(story->reasons)});
    if (story->kept > 0) {
        rows.push_back({tr("− max %1").arg(exactNumber(story->rowMax)),
                        kept ? exactNumber(belowMax(*story)) : QStringLiteral("−∞"),
                        false,
                        {}});
        rows.push_back({QStringLiteral("exp"), exactNumber(story->exponential), false, {}});
        rows.push_back({QStringLiteral("÷ %1").arg(exactNumber(story->sum)),
                        exactNumber(story->weight), true, tr("weight")});
    } else {
        rows.push_back({tr("weight"), exactNumber(0), true, tr("nothing allowed in this row")});
    }
    m_story->setRows(rows, true);
    m_products->setValues({story->products.begin(), story->products.end()});
    m_products->setAccessibleName(tr("Contribution of each of %n dimension(s)", nullptr,
                                     static_cast<int>(story->products.size())));
    if (!kept) {
        m_rank->setText(tr("masked: %1").arg(reasonsText(story->reasons)));
        m_rank->show();
    } else if (const auto rank = cellRank(*run, row->stats, map, cell)) {
        const double percent = rank->topShare * 100;
        m_rank->setText(tr("rank %1 of %2 visible · top 1 holds %3 %")
                            .arg(rank->rank)
                            .arg(story->kept)
                            .arg(percent, 0, 'f', percent < 10 ? 1 : 0));
        m_rank->show();
    }
}

void InspectorPanel::showHead()
{
    const RunPtr run = m_workspace.document->run();
    m_headHeading->setVisible(run != nullptr);
    m_head->setVisible(run != nullptr);
    if (run == nullptr) {
        return;
    }
    const MetricsPtr metrics =
        m_workspace.service->metrics(m_workspace.selection->map(), Priority::Visible);
    const auto value = [&](double HeadMetrics::*field) {
        return metrics == nullptr ? QStringLiteral("…") : metricNumber(metrics.get()->*field);
    };
    m_head->setRows({{tr("entropy ÷ ln visible"), value(&HeadMetrics::relativeEntropy)},
                     {tr("mean distance"), value(&HeadMetrics::distance)},
                     {tr("first-token sink"), value(&HeadMetrics::firstTokenSink)},
                     {tr("previous token"), value(&HeadMetrics::previousToken)},
                     {tr("itself"), value(&HeadMetrics::self)},
                     {tr("confidence"), value(&HeadMetrics::confidence)}});
}

QSize InspectorPanel::minimumSizeHint() const
{
    const int bar = style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, this);
    return {widget()->minimumSizeHint().width() + bar, 120};
}

void InspectorPanel::retranslate()
{
    m_storyHeading->setText(tr("How this number came about"));
    m_productsHeading->setText(tr("q ⊙ k per dimension"));
    m_headHeading->setText(tr("This head"));
    setAccessibleName(tr("Inspector"));
    showCell();
    showHead();
}

void InspectorPanel::changeEvent(QEvent* event)
{
    QScrollArea::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
}

} // namespace heed::ui
