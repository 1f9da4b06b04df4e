// The left part of the centre.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/headspane.h"

#include "mainwindow/headmetricsmodel.h"
#include "views/headgridlayout.h"
#include "views/headgridview.h"
#include "views/viewtext.h"
#include "widgets/labels.h"
#include "widgets/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QScrollArea>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <vector>

namespace heed::ui {

namespace {
constexpr int MinTableRows = 3;
constexpr int UsualTableRows = 8; // what the heads leave free when they can
constexpr int MinGridHeight = 80;
constexpr int MinWidth = 160;
} // namespace

HeadsPane::HeadsPane(const Workspace& workspace, QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_title(new MutedLabel({}, this))
    , m_colourNote(new MutedLabel({}, this))
    , m_scroll(new QScrollArea(this))
    , m_grid(new HeadGridView(workspace.service, workspace.selection, workspace.view, m_scroll))
    , m_metricsHeading(new SectionHeading({}, this))
    , m_model(new HeadMetricsModel(workspace, this))
    , m_sorted(new QSortFilterProxyModel(this))
    , m_table(new QTableView(this))
{
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 12, 12, 8);
    layout->setSpacing(6);
    auto* head = new QHBoxLayout;
    head->addWidget(m_title);
    head->addStretch(1);
    head->addWidget(m_colourNote);
    layout->addLayout(head);
    layout->addWidget(m_scroll, 1000); // all the room it may take
    layout->addWidget(m_metricsHeading);
    layout->addWidget(m_table, 1);
    m_scroll->setWidget(m_grid);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->viewport()->setBackgroundRole(QPalette::Base);
    m_scroll->setMinimumHeight(MinGridHeight);
    setMinimumWidth(MinWidth);

    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(HeadMetricsModel::SortRole);
    m_sorted->setDynamicSortFilter(true);
    m_table->setModel(m_sorted);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(HeadMetricsModel::Head, Qt::AscendingOrder);
    m_table->setShowGrid(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setFont(smallFont(font()));
    m_table->horizontalHeader()->setMinimumSectionSize(30);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(m_table, &QAbstractItemView::clicked, this, &HeadsPane::choose);
    connect(m_table, &QAbstractItemView::activated, this, &HeadsPane::choose);
    connect(m_workspace.selection, &SelectionModel::mapChanged, this, &HeadsPane::showChosen);
    connect(m_workspace.document, &Document::runChanged, this, &HeadsPane::retranslate);
    connect(m_workspace.view, &ViewSettingsModel::changed, this, &HeadsPane::retranslate);
    retranslate();
}

void HeadsPane::setRun(const RunPtr& run)
{
    m_grid->setRun(run);
    fitGrid();
}

void HeadsPane::fitGrid()
{
    // The grid is as tall as its heads, while the table keeps some lines; beyond that it scrolls.
    const auto tableHeight = [&](int rows) {
        return m_table->horizontalHeader()->sizeHint().height() +
               rows * m_table->verticalHeader()->defaultSectionSize() + 2;
    };
    const int rows = std::clamp(m_model->rowCount(), MinTableRows, UsualTableRows);
    const int others = m_title->sizeHint().height() + m_metricsHeading->sizeHint().height() +
                       layout()->contentsMargins().top() + layout()->contentsMargins().bottom() +
                       3 * layout()->spacing();
    m_table->setMinimumHeight(tableHeight(MinTableRows));
    const int room = std::max(MinGridHeight, height() - others - tableHeight(MinTableRows));
    // Seeing every head is worth some lines of the table.
    const int usual = height() - others - tableHeight(rows);
    const HeadGridLayout tried(m_workspace.selection->shape(), m_scroll->width(), usual);
    m_grid->setHeightRoom(tried.totalHeight() <= usual ? usual : room);
    const int wanted = m_grid->heightForWidth(m_scroll->width());
    // Decided here, not by the scroll area: a bar that comes and goes would change the columns.
    m_scroll->setVerticalScrollBarPolicy(wanted <= room ? Qt::ScrollBarAlwaysOff
                                                        : Qt::ScrollBarAlwaysOn);
    m_scroll->setMaximumHeight(std::min(wanted, room));
    m_grid->setMinimumHeight(
        wanted <= room ? 0 : m_grid->heightForWidth(m_scroll->viewport()->width()));
}

void HeadsPane::fitColumns()
{
    // The last columns go first; a thumbnail's tool tip has every number.
    QHeaderView* header = m_table->horizontalHeader();
    const int number = QFontMetrics(numberFont(font())).horizontalAdvance(QStringLiteral("0.00 "));
    std::vector<int> widths;
    int room = m_table->viewport()->width();
    for (int column = 0; column < m_model->columnCount(); ++column) {
        const int width = std::max(header->sectionSizeHint(column), number);
        const bool fits = column == HeadMetricsModel::Head ||
                          (width <= room && column == static_cast<int>(widths.size()));
        m_table->setColumnHidden(column, !fits);
        if (fits) {
            widths.push_back(width);
            room -= width;
        }
    }
    const int spare = std::max(0, room) / static_cast<int>(widths.size());
    for (std::size_t column = 0; column < widths.size(); ++column) {
        header->resizeSection(static_cast<int>(column), widths[column] + spare);
    }
}

void HeadsPane::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitGrid();
    fitColumns();
}

void HeadsPane::choose(const QModelIndex& index)
{
    m_workspace.selection->setMap(m_model->mapAt(m_sorted->mapToSource(index).row()));
}

void HeadsPane::showChosen()
{
    const int row = m_model->rowOf(m_workspace.selection->map());
    const QModelIndex index = m_sorted->mapFromSource(m_model->index(row, 0));
    if (index.isValid()) {
        m_table->setCurrentIndex(index);
        m_table->scrollTo(index);
    }
}

void HeadsPane::retranslate()
{
    const int count = m_model->rowCount();
    const MapsShape& shape = m_workspace.selection->shape();
    m_title->setText(shape.layers > 1 ? tr("Layers × heads") : tr("Heads"));
    m_colourNote->setText(
        tr("colour: %1").arg(quantityText(m_workspace.view->settings().quantity)));
    m_metricsHeading->setText(tr("Head metrics · %n head(s)", nullptr, count));
    m_table->setAccessibleName(tr("Head metrics"));
    m_grid->setAccessibleName(tr("All heads"));
    fitGrid();
    fitColumns();
}

void HeadsPane::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        m_model->retranslate();
        retranslate();
    }
}

} // namespace heed::ui
