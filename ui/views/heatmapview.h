// The large map of the selected head: looked at, moved over, pinned, copied, read aloud.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/selection.h"
#include "models/viewsettings.h"
#include "services/engineservice.h"
#include "views/heatmapdecoration.h"
#include "views/qcp.h"
#include "views/valuerange.h"
#include "views/viewtext.h"

#include <QElapsedTimer>
#include <QStringList>
#include <optional>

class QNativeGestureEvent;

namespace heed::ui {

class HeatmapPlottable;
class ViewMessage;

enum class CopyFormat { Text, Json };

/// Shows what the shared selection names, as the shared settings say. Rows are queries, columns are
/// keys, (0, 0) top left. Never computes: tiles come from the service; the map before stays until
/// the next one is there.
///
/// Mouse: hover previews, click pins, wheel zooms, Shift+wheel pans sideways, middle or Space drag
/// pans, double click fits. Keys: arrows, Home, End move the cell; Page Up/Down the head, with Ctrl
/// the layer; Enter pins, Esc unpins; Ctrl+plus, Ctrl+minus, Ctrl+0.
class HeatmapView : public QCustomPlot {
    Q_OBJECT
public:
    HeatmapView(EngineService* service, SelectionModel* selection, ViewSettingsModel* settings,
                QWidget* parent = nullptr);
    ~HeatmapView() override;

    /// The run whose maps are shown (the service's current one), or null.
    void setRun(const RunPtr& run);
    /// What is on screen belongs to an older source: dimmed.
    void setStale(bool stale);
    /// While there is no run: a skeleton instead of the empty text.
    void setLoading(bool loading);
    void setEmptyText(const QString& text);
    /// In place of the map: what went wrong and the ways out.
    void setMessage(const QString& title, const QString& text, const QStringList& buttons = {});
    void clearMessage();
    [[nodiscard]] bool hasMessage() const;

    void fit();
    /// About the mouse when it is over the map, else about the middle.
    void zoomBy(double factor);
    [[nodiscard]] bool isFitted() const { return m_picture.viewport.isFitted(); }
    /// x counts keys, y queries.
    [[nodiscard]] QRectF visibleCells() const { return m_picture.viewport.visibleCells(); }
    void setVisibleCells(const QRectF& cells);
    /// Pins @p cell and moves it into view.
    void goToCell(const CellRef& cell);

    [[nodiscard]] const MapViewport& viewport() const { return m_picture.viewport; }
    [[nodiscard]] const MapTarget& shownMap() const { return m_scene.shown(); }
    /// Whether everything on screen is what it will be.
    [[nodiscard]] bool isExact() const
    {
        return !m_stale && !m_scene.isChanging() && !m_scene.isRefining();
    }
    [[nodiscard]] ValueRange valueRange() const { return m_picture.bar.range; }
    [[nodiscard]] QString badge() const { return m_picture.badge; }
    [[nodiscard]] QString queryText(qint64 query) const
    {
        return m_picture.queryLabels.text(query);
    }
    [[nodiscard]] QString keyText(qint64 key) const { return m_picture.keyLabels.text(key); }

    /// What is at hand about a cell of the map on screen; asks for its row otherwise,
    /// readingsChanged() follows.
    [[nodiscard]] std::optional<CellReading> reading(const CellRef& cell);
    /// "row 12 'sat' → key 3 'the': 0.0312".
    [[nodiscard]] QString cellSentence(const CellRef& cell);
    /// "query it, key animal, weight 0.4127", for assistive technology.
    [[nodiscard]] QString cellName(const CellRef& cell);
    [[nodiscard]] const CellRef& pinned() const { return m_picture.pinned; }
    /// Hovered, else pinned.
    [[nodiscard]] CellRef currentCell() const { return m_selection->current(); }
    /// "row 12 'sat': highest weight 0.41 on key 3 'the'; 5 keys masked: padding"; nothing when the
    /// row is not at hand.
    [[nodiscard]] QString rowSentence(qint64 query) const;

    /// To the clipboard, announced by copied() or copyRefused(). Cells that have not been computed
    /// yet are asked for first.
    void copyCell(CopyFormat format = CopyFormat::Text);
    void copyRow(CopyFormat format = CopyFormat::Text);
    void copyMatrix(CopyFormat format = CopyFormat::Text);
    void copyImage();

Q_SIGNALS:
    void viewChanged(); ///< other cells are seen (for the history of views)
    void readingsChanged();
    void painted(double milliseconds);
    void cellMenuRequested(const QPoint& globalPosition, const heed::ui::CellRef& cell);
    void messageButtonClicked(int index);
    void copied(const QString& what);
    void copyRefused(const QString& why);

protected:
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void updateTarget();
    void onShownChanged();
    void onTilesChanged();
    void updateTexts();
    void updateStyle();
    void layOut();
    void applyViewport(bool notify = true);
    void followPixelRatio();
    void redrawCursor();
    void onSelectionChanged();
    void hoverAt(QPointF position);
    void moveCell(qint64 queries, qint64 keys);
    bool moveByKey(const QKeyEvent* event);
    bool zoomByKey(const QKeyEvent* event);
    void nativeGesture(QNativeGestureEvent* event);
    void showToolTip(const QPoint& position, const QPoint& globalPosition);
    void copyCells(const QRect& cells, const QString& what, CopyFormat format);
    [[nodiscard]] CellRef copyTarget() const;

    EngineService* m_service;
    SelectionModel* m_selection;
    ViewSettingsModel* m_settings;
    RunPtr m_run;
    TileScene m_scene;
    ValueRangeSource m_range;
    HeatmapPicture m_picture;
    HeatmapPlottable* m_plottable; // owned by the plot, as the two below
    HeatmapFrame* m_frame;
    HeatmapCursor* m_cursor;
    ViewMessage* m_message;
    QElapsedTimer m_clock;
    QPointF m_pressed;
    CellRef m_pinBefore; ///< the last click
    QPointF m_mouse;
    bool m_mouseHovers = false; ///< the hovered cell is the one at m_mouse
    QPointF m_dragged;
    bool m_panning = false;
    bool m_mayPin = false;
    bool m_spaceHeld = false;
    bool m_stale = false;
    bool m_loading = false;
};

} // namespace heed::ui
