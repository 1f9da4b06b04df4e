// All heads at a glance: one widget that paints every thumbnail.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/selection.h"
#include "models/viewsettings.h"
#include "services/engineservice.h"
#include "views/allheadmetrics.h"
#include "views/headgridlayout.h"
#include "views/headgridmarks.h"
#include "views/tileimage.h"
#include "views/valuerange.h"

#include <QWidget>
#include <optional>
#include <unordered_map>
#include <vector>

namespace heed::ui {

/// Heads of the selected batch item, layers as the selection's run has them: one layer is wrapped
/// into a tidy block, several make a table of layers and heads. Click or arrows select, Enter or a
/// double click opens. Thumbnails keep what they show until the next picture is there. Sorted by a
/// metric, all layers are one block, largest first; a new order waits until every head has its
/// number and the pointer is elsewhere. By number, a line joins heads that share keys and layers
/// that share weights, and layers with a window have a mark; the tool tip has it in words.
class HeadGridView : public QWidget {
    Q_OBJECT
public:
    /// What the thumbnails show at the moment.
    struct Shown {
        /// The one asked for is last; another comes before it while thumbnails still show that.
        std::vector<Quantity> quantities;
        bool hasDrafts = false; ///< those have a mark
        bool operator==(const Shown&) const = default;
    };

    HeadGridView(EngineService* service, SelectionModel* selection, ViewSettingsModel* settings,
                 QWidget* parent = nullptr);
    ~HeadGridView() override;

    void setRun(const RunPtr& run);
    void setStale(bool stale);
    /// Skeleton while there is no run.
    void setLoading(bool loading);

    /// Pixels the owner can give: thumbnails are made as large as lets all of them be seen. 0 =
    /// small ones.
    void setHeightRoom(int height);

    [[nodiscard]] const Shown& shown() const { return m_shown; }
    /// What the palest and the fullest frame stand for; nothing while no metric colours them.
    [[nodiscard]] std::optional<ValueRange> frameRange() const;

    /// How tall it would be with so much room.
    [[nodiscard]] int heightFor(int width, int heightRoom) const;

    /// Where the thumbnail of a head is painted; empty when there is none.
    [[nodiscard]] QRectF thumbnailRect(std::int64_t layer, std::int64_t head) const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;

Q_SIGNALS:
    void opened(const heed::MapIndex& map); ///< Enter, or a double click
    void rearranged();                      ///< another height may suit it
    void shownChanged();
    void frameRangeChanged();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    /// Of the colour of a metric; with the mark of the selected one it stays clear of the label.
    static constexpr double FrameWidth = 2;
    struct Thumbnail {
        TilePtr tile;
        TileRequest request;
        QImage picture;
        bool current = false; ///< tile belongs to the run and settings in force
        bool isDraft = false;
        TileStyle style = {}; ///< of the picture
    };
    /// Puts @p thumbnail in its place.
    void put(Thumbnail thumbnail);
    void updateShown();
    void paintDraftMark(QPainter& painter, const QRectF& rect) const;
    void paintLabels(QPainter& painter, const HeadGridLayout& layout) const;
    void paintGroups(QPainter& painter, const HeadGridLayout& layout) const;
    void refresh();
    [[nodiscard]] int levelOfThumbnails() const;
    void onTileReady(const TileRequest& request);
    void onDraftReady(const TileRequest& request);
    void updateAccessibleText();
    /// Puts the heads in the order asked for, if it is known.
    void sort();
    void rearrange();
    /// Rows and columns stand for layers and heads.
    [[nodiscard]] bool isTable() const { return m_shape.layers > 1 && m_sequence.empty(); }
    /// What the labels say beside the head; null = nothing.
    [[nodiscard]] const Metric* labelMetric() const;
    /// Whether the bars need numbers of their own.
    [[nodiscard]] bool showsBarNumbers() const;
    [[nodiscard]] QString labelOf(std::int64_t layer, std::int64_t head) const;
    [[nodiscard]] HeadGridLayout layoutFor(int width, int heightRoom) const;
    [[nodiscard]] QRectF rectIn(const HeadGridLayout& layout, std::int64_t layer,
                                std::int64_t head) const;
    [[nodiscard]] TileRequest request(std::int64_t layer, std::int64_t head) const;
    [[nodiscard]] std::size_t indexOf(std::int64_t layer, std::int64_t head) const;
    [[nodiscard]] bool at(QPointF position, MapIndex& map) const;
    [[nodiscard]] QString toolTipOf(const MapIndex& map);
    void compose(Thumbnail& thumbnail, const QRectF& rect) const;
    void paintBar(QPainter& painter, const QRectF& rect, double value) const;
    void paintFrame(QPainter& painter, const QRectF& rect, double value) const;
    /// The numbers of the heads, or what colours them, may have changed.
    void updateMetrics();
    /// @return false for keys that do not move.
    bool moveInSequence(int key);
    void select(std::int64_t layer, std::int64_t head);

    EngineService* m_service;
    SelectionModel* m_selection;
    ViewSettingsModel* m_settings;
    ValueRangeSource m_range;
    AllHeadMetrics m_metrics;
    const Metric* m_order = nullptr;    ///< asked for
    const Metric* m_sortedBy = nullptr; ///< in force
    const Metric* m_bar = nullptr;
    const Metric* m_colour = nullptr;
    std::vector<std::size_t> m_sequence; ///< numbers of the heads in order; empty = by number
    std::vector<std::size_t> m_places;   ///< the other way round
    bool m_sortsOnLeave = false;
    RunPtr m_run;
    HeadGridMarks m_marks; ///< of the run
    MapsShape m_shape;
    std::int64_t m_item = 0;
    int m_level = 0; ///< of the tiles of thumbnails
    std::vector<Thumbnail> m_thumbnails;
    std::vector<TileRequest> m_wanted;
    Shown m_shown;
    int m_heightRoom = 0;
    int m_view;
    MapIndex m_hovered{-1, -1, -1};
    bool m_stale = false;
    bool m_loading = false;
    bool m_focusRing = false;
};

} // namespace heed::ui
