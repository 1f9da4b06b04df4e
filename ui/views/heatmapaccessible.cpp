// Table and cells for assistive technology, made when somebody asks for them.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/heatmapaccessible.h"

#include "views/heatmapview.h"

#include <QAccessible>
#include <QAccessibleInterface>
#include <QAccessibleWidget>
#include <QHash>
#include <QPointer>
#include <algorithm>
#include <cmath>

namespace heed::ui {

namespace {

/// A map of more cells shows only what is seen of it, so that a reader never walks millions.
constexpr qint64 MostCells = 65536;

QRect tableCells(const HeatmapView& view)
{
    const MapViewport& port = view.viewport();
    if (port.isEmpty()) {
        return {};
    }
    const QRect all(0, 0, static_cast<int>(port.keys()), static_cast<int>(port.queries()));
    if (port.keys() * port.queries() <= MostCells) {
        return all;
    }
    const QRect seen = port.visibleCells().toAlignedRect().intersected(all);
    return {seen.topLeft(), QSize(std::min(seen.width(), 256), std::min(seen.height(), 256))};
}

class MapCell : public QAccessibleInterface, public QAccessibleTableCellInterface {
public:
    MapCell(HeatmapView* view, const CellRef& cell)
        : m_view(view)
        , m_cell(cell)
    {
    }

    [[nodiscard]] bool isValid() const override
    {
        return m_view && m_cell.query < m_view->viewport().queries() &&
               m_cell.key < m_view->viewport().keys();
    }
    [[nodiscard]] QObject* object() const override { return nullptr; }
    [[nodiscard]] QAccessibleInterface* parent() const override
    {
        return m_view ? QAccessible::queryAccessibleInterface(m_view) : nullptr;
    }
    [[nodiscard]] QAccessibleInterface* child(int) const override { return nullptr; }
    [[nodiscard]] QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    [[nodiscard]] int childCount() const override { return 0; }
    [[nodiscard]] int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    [[nodiscard]] QAccessible::Role role() const override { return QAccessible::Cell; }
    [[nodiscard]] QRect rect() const override
    {
        const QRect cell = m_view->viewport().cellRect(m_cell).toAlignedRect();
        return {m_view->mapToGlobal(cell.topLeft()), cell.size()};
    }
    [[nodiscard]] QAccessible::State state() const override
    {
        QAccessible::State state;
        state.focusable = true;
        state.selectable = true;
        state.selected = isSelected();
        state.readOnly = true;
        return state;
    }
    [[nodiscard]] QString text(QAccessible::Text kind) const override
    {
        if (!isValid()) {
            return {};
        }
        if (kind == QAccessible::Name) {
            return m_view->cellName(m_cell);
        }
        return kind == QAccessible::Description ? m_view->rowSentence(m_cell.query) : QString();
    }
    void setText(QAccessible::Text, const QString&) override {}
    void* interface_cast(QAccessible::InterfaceType type) override
    {
        return type == QAccessible::TableCellInterface
                   ? static_cast<QAccessibleTableCellInterface*>(this)
                   : nullptr;
    }

    [[nodiscard]] int columnExtent() const override { return 1; }
    [[nodiscard]] int rowExtent() const override { return 1; }
    [[nodiscard]] QList<QAccessibleInterface*> columnHeaderCells() const override { return {}; }
    [[nodiscard]] QList<QAccessibleInterface*> rowHeaderCells() const override { return {}; }
    [[nodiscard]] int columnIndex() const override
    {
        return static_cast<int>(m_cell.key) - tableCells(*m_view).left();
    }
    [[nodiscard]] int rowIndex() const override
    {
        return static_cast<int>(m_cell.query) - tableCells(*m_view).top();
    }
    [[nodiscard]] bool isSelected() const override { return m_view && m_view->pinned() == m_cell; }
    [[nodiscard]] QAccessibleInterface* table() const override { return parent(); }

private:
    QPointer<HeatmapView> m_view;
    CellRef m_cell;
};

class MapTable : public QAccessibleWidget, public QAccessibleTableInterface {
public:
    explicit MapTable(HeatmapView* view)
        : QAccessibleWidget(view, QAccessible::Table)
        , m_view(view)
    {
    }
    ~MapTable() override { forget(); }

    void* interface_cast(QAccessible::InterfaceType type) override
    {
        return type == QAccessible::TableInterface ? static_cast<QAccessibleTableInterface*>(this)
                                                   : QAccessibleWidget::interface_cast(type);
    }

    // Cells are the children, row by row; the message in place of the map comes after them.
    [[nodiscard]] int childCount() const override
    {
        const QRect cells = tableCells(*m_view);
        return cells.width() * cells.height() + QAccessibleWidget::childCount();
    }
    [[nodiscard]] QAccessibleInterface* child(int index) const override
    {
        const QRect cells = tableCells(*m_view);
        const int count = cells.width() * cells.height();
        if (index >= 0 && index < count) {
            return cellAt(index / cells.width(), index % cells.width());
        }
        return QAccessibleWidget::child(index - count);
    }
    [[nodiscard]] int indexOfChild(const QAccessibleInterface* child) const override
    {
        const QRect cells = tableCells(*m_view);
        if (child && child->role() == QAccessible::Cell) {
            auto* cell = const_cast<QAccessibleInterface*>(child)->tableCellInterface();
            return cell ? cell->rowIndex() * cells.width() + cell->columnIndex() : -1;
        }
        const int index = QAccessibleWidget::indexOfChild(child);
        return index < 0 ? index : index + cells.width() * cells.height();
    }
    [[nodiscard]] QAccessibleInterface* childAt(int x, int y) const override
    {
        const CellRef cell = m_view->viewport().cellAt(m_view->mapFromGlobal(QPoint(x, y)));
        return cell.isValid() ? cellFor(cell) : QAccessibleWidget::childAt(x, y);
    }
    [[nodiscard]] QAccessibleInterface* focusChild() const override
    {
        const CellRef cell = m_view->currentCell();
        return m_view->hasFocus() && cell.isValid() ? cellFor(cell)
                                                    : QAccessibleWidget::focusChild();
    }

    [[nodiscard]] QAccessibleInterface* caption() const override { return nullptr; }
    [[nodiscard]] QAccessibleInterface* summary() const override { return nullptr; }
    [[nodiscard]] QAccessibleInterface* cellAt(int row, int column) const override
    {
        const QRect cells = tableCells(*m_view);
        if (row < 0 || column < 0 || row >= cells.height() || column >= cells.width()) {
            return nullptr;
        }
        return cellFor({cells.top() + row, cells.left() + column});
    }
    [[nodiscard]] int selectedCellCount() const override { return m_view->pinned().isValid(); }
    [[nodiscard]] QList<QAccessibleInterface*> selectedCells() const override
    {
        QAccessibleInterface* cell =
            m_view->pinned().isValid() ? cellFor(m_view->pinned()) : nullptr;
        return cell ? QList<QAccessibleInterface*>{cell} : QList<QAccessibleInterface*>{};
    }
    [[nodiscard]] QString columnDescription(int column) const override
    {
        return HeatmapView::tr("key %1").arg(m_view->keyText(tableCells(*m_view).left() + column));
    }
    [[nodiscard]] QString rowDescription(int row) const override
    {
        return HeatmapView::tr("query %1").arg(m_view->queryText(tableCells(*m_view).top() + row));
    }
    [[nodiscard]] int selectedColumnCount() const override { return 0; }
    [[nodiscard]] int selectedRowCount() const override { return 0; }
    [[nodiscard]] int columnCount() const override { return tableCells(*m_view).width(); }
    [[nodiscard]] int rowCount() const override { return tableCells(*m_view).height(); }
    [[nodiscard]] QList<int> selectedColumns() const override { return {}; }
    [[nodiscard]] QList<int> selectedRows() const override { return {}; }
    [[nodiscard]] bool isColumnSelected(int) const override { return false; }
    [[nodiscard]] bool isRowSelected(int) const override { return false; }
    bool selectRow(int) override { return false; }
    bool selectColumn(int) override { return false; }
    bool unselectRow(int) override { return false; }
    bool unselectColumn(int) override { return false; }
    void modelChange(QAccessibleTableModelChangeEvent*) override { forget(); }

private:
    QAccessibleInterface* cellFor(const CellRef& cell) const
    {
        const qint64 key = cell.query * m_view->viewport().keys() + cell.key;
        if (const auto known = m_cells.constFind(key); known != m_cells.constEnd()) {
            if (QAccessibleInterface* interface = QAccessible::accessibleInterface(*known)) {
                return interface;
            }
        }
        auto* made = new MapCell(m_view, cell);
        m_cells.insert(key, QAccessible::registerAccessibleInterface(made));
        return made;
    }
    void forget()
    {
        for (const QAccessible::Id id : std::as_const(m_cells)) {
            QAccessible::deleteAccessibleInterface(id);
        }
        m_cells.clear();
    }

    HeatmapView* m_view;
    mutable QHash<qint64, QAccessible::Id> m_cells;
};

QAccessibleInterface* makeInterface(const QString&, QObject* object)
{
    auto* view = qobject_cast<HeatmapView*>(object);
    return view ? new MapTable(view) : nullptr;
}

} // namespace

void registerHeatmapAccessibility()
{
    QAccessible::installFactory(makeInterface); // installing it again changes nothing
}

} // namespace heed::ui
