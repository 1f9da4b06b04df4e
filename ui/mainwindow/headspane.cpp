// The left part of the centre.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/headspane.h"

#include "mainwindow/headchoices.h"
#include "mainwindow/headmetricsmodel.h"
#include "views/headgridview.h"
#include "views/viewtext.h"
#include "widgets/labels.h"
#include "widgets/theme.h"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QScrollArea>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace heed::ui {

namespace {
constexpr int MinTableRows = 3;
constexpr int UsualTableRows = 8; // what the heads leave free when they can
constexpr int MinGridHeight = 80;
constexpr int MinWidth = 160;
} // namespace

/// Rows by number; undefined and missing ones are last in both directions.
class HeadRows : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

protected:
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override
    {
        const double a = left.data(HeadMetricsModel::SortRole).toDouble();
        const double b = right.data(HeadMetricsModel::SortRole).toDouble();
        if (std::isnan(a) || std::isnan(b)) {
            return std::isnan(sortOrder() == Qt::AscendingOrder ? b : a) &&
                   std::isnan(a) != std::isnan(b);
        }
        return a < b;
    }
};

HeadsPane::HeadsPane(const Workspace& workspace, QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_title(new MutedLabel({}, this))
    , m_colourNote(new MutedLabel({}, this))
    , m_scroll(new QScrollArea(this))
    , m_grid(new HeadGridView(workspace.service, workspace.selection, workspace.view, m_scroll))
    , m_choices(new HeadChoices(workspace, m_grid, this))
    , m_metricsHeading(new SectionHeading({}, this))
    , m_model(new HeadMetricsModel(workspace, this))
    , m_sorted(new HeadRows(this))
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
    layout->addWidget(m_choices);
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
    buildTable();
    connect(m_workspace.selection, &SelectionModel::mapChanged, this, &HeadsPane::showChosen);
    connect(m_workspace.document, &Document::runChanged, this, &HeadsPane::retranslate);
    connect(m_workspace.selection, &SelectionModel::shapeChanged, this, &HeadsPane::retranslate);
    connect(m_workspace.view, &ViewSettingsModel::changed, this, &HeadsPane::retranslate);
    connect(m_grid, &HeadGridView::shownChanged, this, &HeadsPane::showColours);
    connect(m_choices, &HeadChoices::rearranged, this, &HeadsPane::fitGrid, Qt::QueuedConnection);
    // Queued: fitting gives the grid another room while it is still arranging itself.
    connect(m_grid, &HeadGridView::rearranged, this, &HeadsPane::fitGrid, Qt::QueuedConnection);
    retranslate();
}

void HeadsPane::buildTable()
{
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(HeadMetricsModel::SortRole);
    m_sorted->setDynamicSortFilter(false); // numbers that come one by one would make rows dance
    m_table->setModel(m_sorted);
    m_table->horizontalHeader()->setSortIndicatorClearable(true); // back to the order of the heads
    m_table->horizontalHeader()->setSortIndicator(-1, Qt::DescendingOrder);
    m_table->setSortingEnabled(true);
    m_table->setShowGrid(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setTabKeyNavigation(false);
    m_table->setCornerButtonEnabled(false);
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setHighlightSections(false);
    m_table->verticalHeader()->setSectionsClickable(true);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setFont(smallFont(font()));
    m_table->horizontalHeader()->setMinimumSectionSize(30);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->installEventFilter(this);
    m_table->viewport()->installEventFilter(this);
    connect(m_table, &QWidget::customContextMenuRequested, this, &HeadsPane::showTableMenu);
    connect(m_table->verticalHeader(), &QHeaderView::sectionClicked, this,
            [this](int row) { choose(m_sorted->index(row, 0)); });
    connect(m_table, &QAbstractItemView::clicked, this, &HeadsPane::choose);
    connect(m_table, &QAbstractItemView::activated, this, &HeadsPane::choose);
    connect(m_table->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this,
            &HeadsPane::sortWhenComplete);
    connect(m_model, &HeadMetricsModel::arrived, this, &HeadsPane::sortWhenComplete);
}

void HeadsPane::showColours()
{
    const HeadGridView::Shown& shown = m_grid->shown();
    QStringList names;
    for (const Quantity quantity : shown.quantities) {
        names += quantityText(quantity);
    }
    const QString note = tr("colour: %1").arg(names.join(QStringLiteral(" → ")));
    m_colourNote->setText(shown.hasDrafts ? tr("≈ draft · %1").arg(note) : note);
}

void HeadsPane::chooseOrder()
{
    m_choices->open(HeadChoices::Order);
}

void HeadsPane::chooseBar()
{
    m_choices->open(HeadChoices::Bar);
}

void HeadsPane::chooseColour()
{
    m_choices->open(HeadChoices::Colour);
}

void HeadsPane::focusMetrics()
{
    m_table->setFocus();
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
               m_table->horizontalScrollBar()->sizeHint().height() +
               rows * m_table->verticalHeader()->defaultSectionSize() + 2;
    };
    const int rows = std::clamp(m_model->rowCount(), MinTableRows, UsualTableRows);
    const int others = m_title->sizeHint().height() + m_metricsHeading->sizeHint().height() +
                       m_choices->sizeHint().height() + layout()->contentsMargins().top() +
                       layout()->contentsMargins().bottom() + 4 * layout()->spacing();
    m_table->setMinimumHeight(tableHeight(MinTableRows));
    const int room = std::max(MinGridHeight, height() - others - tableHeight(MinTableRows));
    // Seeing every head is worth some lines of the table.
    const int usual = height() - others - tableHeight(rows);
    const bool isSeen = m_grid->heightFor(m_scroll->width(), usual) <= usual;
    m_grid->setHeightRoom(isSeen ? usual : room);
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
    // As many whole columns as there is room for; the others are scrolled to.
    QHeaderView* header = m_table->horizontalHeader();
    const int number = QFontMetrics(numberFont(font())).horizontalAdvance(QStringLiteral("00.00 "));
    const int room = m_table->viewport()->width();
    std::vector<int> widths;
    int used = 0;
    int seen = 0;
    for (int column = 0; column < m_model->columnCount(); ++column) {
        widths.push_back(std::max(header->sectionSizeHint(column), number));
        used += widths.back();
        seen += used <= room ? 1 : 0;
    }
    const int taken = std::accumulate(widths.begin(), widths.begin() + seen, 0);
    const int spare = seen > 0 ? (room - taken) / seen : 0;
    for (std::size_t column = 0; column < widths.size(); ++column) {
        header->resizeSection(static_cast<int>(column), widths[column] + spare);
    }
}

void HeadsPane::sortWhenComplete()
{
    const QHeaderView* header = m_table->horizontalHeader();
    if (header->sortIndicatorSection() < 0 || !m_model->askForAll()) {
        return;
    }
    m_sortsOnLeave = m_table->viewport()->underMouse(); // no row moves away under the pointer
    if (!m_sortsOnLeave) {
        m_sorted->invalidate();
    }
}

void HeadsPane::copyRows()
{
    std::vector<int> rows;
    for (int row = 0; row < m_sorted->rowCount(); ++row) {
        if (m_table->selectionModel()->isRowSelected(row)) {
            rows.push_back(m_sorted->mapToSource(m_sorted->index(row, 0)).row());
        }
    }
    if (!rows.empty()) {
        QGuiApplication::clipboard()->setText(m_model->tabSeparated(rows));
    }
}

void HeadsPane::showTableMenu(const QPoint& position)
{
    QMenu menu(this);
    QAction* copy = menu.addAction(tr("&Copy rows"), this, &HeadsPane::copyRows);
    copy->setEnabled(m_table->selectionModel()->hasSelection());
    menu.addAction(tr("Copy &all rows"), this, [this] {
        m_table->selectAll();
        copyRows();
    });
    menu.exec(m_table->viewport()->mapToGlobal(position));
}

bool HeadsPane::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_table->viewport() && event->type() == QEvent::Resize) {
        fitColumns();
    }
    if (watched == m_table->viewport() && event->type() == QEvent::Leave && m_sortsOnLeave) {
        m_sortsOnLeave = false;
        m_sorted->invalidate();
    }
    const bool isKey =
        event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress;
    if (watched == m_table && isKey &&
        static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        event->accept(); // the shortcut of the window copies the pinned cell
        if (event->type() == QEvent::KeyPress) {
            copyRows();
        }
        return true;
    }
    return QWidget::eventFilter(watched, event);
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
    if (!index.isValid()) {
        return;
    }
    if (m_table->currentIndex().row() != index.row()) { // a click may have selected several rows
        m_table->selectionModel()->setCurrentIndex(
            index.siblingAtColumn(std::max(0, m_table->currentIndex().column())),
            QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    }
    m_table->scrollTo(index);
}

void HeadsPane::retranslate()
{
    const int count = m_model->rowCount();
    const MapsShape& shape = m_workspace.selection->shape();
    const RunPtr run = m_workspace.document->run();
    m_title->setText(run != nullptr && hasAttentionSets(*run)
                         ? attentionSetText(run->source().attention)
                     : shape.layers > 1 ? tr("Layers × heads")
                                        : tr("Heads"));
    showColours();
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
