// Measures text, shares out the width, thins labels that would overlap.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "figure/figurelayout.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QTextBoundaryFinder>
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace heed::ui {

namespace {

constexpr double Mm = UnitsPerMm;
constexpr double Margin = 1.0 * Mm;
constexpr double Gap = 1.2 * Mm;
constexpr double BarWidth = 2.4 * Mm;
constexpr double BarPad = 0.5 * Mm; // between the bar, its numbers and its name
constexpr double SmallestMap = 8 * Mm;
constexpr double SmallestInTable = 3 * Mm; // the form of a map is seen, not its cells
constexpr double LeastStrip = 5 * Mm;      // the short side of a map of few queries or few keys
constexpr double PointsPerMm = 72 / 25.4;
constexpr double SmallestPrintPt = 6;
constexpr double TallestToWidth = 2.5; // a map of many queries and few keys still fits a page
constexpr double LabelShare = 0.26;    // of the width, at most, for the labels at the left

/// A warning in the language of the window; it is not part of the figure.
QString translated(const char* text)
{
    return QCoreApplication::translate("heed::ui::Figure", text);
}

QStringList labelsOf(const Batch& batch, std::int64_t item)
{
    QStringList labels;
    for (const Token& token : batch.items[static_cast<std::size_t>(item)]) {
        labels.append(QString::fromStdString(displayText(token)));
    }
    return labels;
}

double widest(const QStringList& labels, const QFontMetricsF& metrics)
{
    double width = 0;
    for (const QString& label : labels) {
        width = std::max(width, metrics.horizontalAdvance(label));
    }
    return width;
}

/// Height of labels along the top: turned ones need their length, upright ones a line a character.
double tallest(const QStringList& labels, const QFontMetricsF& metrics)
{
    double height = 0;
    for (const QString& label : labels) {
        height = std::max(height, isUprightLabel(label)
                                      ? static_cast<double>(label.size()) * metrics.height() * 0.9
                                      : metrics.horizontalAdvance(label));
    }
    return height;
}

int stepFor(double cell, const QFontMetricsF& metrics)
{
    return std::max(1, static_cast<int>(std::ceil(metrics.height() * 0.92 / cell)));
}

/// How many layers, items or heads occur among @p maps.
std::size_t countOf(const std::vector<MapIndex>& maps, std::int64_t MapIndex::*member)
{
    std::set<std::int64_t> found;
    for (const MapIndex& map : maps) {
        found.insert(map.*member);
    }
    return found.size();
}

QString rowName(std::int64_t layer)
{
    return QString("L%1").arg(layer);
}

/// What the title does not say for all panels.
QString panelCaption(const MapIndex& index, const MapsShape& shape, bool severalItems)
{
    const QString head = QString("H%1").arg(index.head);
    const QString map = shape.layers > 1 ? QString("L%1 %2").arg(index.layer).arg(head) : head;
    return severalItems ? QString("Item %1 · %2").arg(index.item).arg(map) : map;
}

QString defaultTitle(const FigureSpec& spec, const FigureContent& content)
{
    const MapIndex& first = spec.maps.front();
    QStringList parts;
    const auto add = [&](const QString& one, const QString& several,
                         std::int64_t MapIndex::*member) {
        const std::size_t count = countOf(spec.maps, member);
        parts << (count == 1 ? one.arg(first.*member) : several.arg(count));
    };
    if (!content.attention.isEmpty()) {
        parts << content.attention;
    }
    add("Layer %1", "%1 layers", &MapIndex::layer);
    add("Head %1", "%1 heads", &MapIndex::head);
    if (content.shape.items > 1) {
        add("Item %1", "%1 items", &MapIndex::item);
    }
    parts << QString::fromUtf8(quantityName(spec.settings.quantity).data());
    if (const FigureMap& map = content.maps->front(); map.level > 0) {
        const std::int64_t side = std::int64_t{1} << map.level;
        parts << QString("%1×%2 %3")
                     .arg(std::min(side, map.queries))
                     .arg(std::min(side, map.keys))
                     .arg(QString::fromUtf8(poolingName(spec.settings.effectivePooling()).data()));
    }
    return parts.join(" · ");
}

/// The entries for what was found, placed in lines from @p origin on.
std::vector<LegendEntry> layOutLegend(const TileContents& found, QPointF origin, double right,
                                      const QFontMetricsF& metrics)
{
    const std::array<std::pair<MaskReason, const char*>, 7> words = {
        {{MaskReason::Padding, "masked: padding"},
         {MaskReason::Causal, "masked: causal"},
         {MaskReason::Window, "masked: window"},
         {MaskReason::Documents, "masked: documents"},
         {MaskReason::Prefix, "masked: prefix"},
         {MaskReason::File, "masked: file"},
         {MaskReason::Other, "masked: other"}}};
    std::vector<LegendEntry> entries;
    for (const auto& [reason, text] : words) {
        if ((found.reasons & static_cast<MaskReasons>(reason)) != 0) {
            entries.push_back({reason, QString::fromLatin1(text), {}, {}});
        }
    }
    if (found.notANumber) {
        entries.push_back({MaskReason::None, QStringLiteral("not a number"), {}, {}});
    }
    const double side = metrics.height();
    double x = origin.x();
    double y = origin.y();
    for (LegendEntry& entry : entries) {
        const double textWidth = metrics.horizontalAdvance(entry.words);
        if (x + side * 1.4 + textWidth > right && x > origin.x()) {
            x = origin.x();
            y += side * 1.25;
        }
        entry.swatch = QRectF(x, y, side, side);
        entry.textArea = QRectF(x + side * 1.4, y, textWidth, side);
        x = entry.textArea.right() + 2 * Gap;
    }
    return entries;
}

/// Where each panel stands: rows are filled in reading order, and another item begins a new row,
/// so that labels at the left and above hold for all that stands beside and below them.
struct GridPlaces {
    std::vector<int> row;
    std::vector<bool> beginsItem; ///< by row
};

GridPlaces placesOf(const std::vector<MapIndex>& maps, int columns)
{
    GridPlaces places;
    int column = 0;
    for (std::size_t i = 0; i < maps.size(); ++i) {
        const bool isOtherItem = i == 0 || maps[i].item != maps[i - 1].item;
        if (isOtherItem || column == columns) {
            places.beginsItem.push_back(isOtherItem);
            column = 0;
        }
        places.row.push_back(static_cast<int>(places.beginsItem.size()) - 1);
        ++column;
    }
    return places;
}

/// How many heads each of several layers has among @p maps; 0 when these are no table.
int headsOfTable(const std::vector<MapIndex>& maps)
{
    const std::size_t heads = countOf(maps, &MapIndex::head);
    if (maps.size() == heads || countOf(maps, &MapIndex::item) > 1) {
        return 0;
    }
    for (std::size_t i = 0; i < maps.size(); ++i) {
        const bool sameRow = maps[i].layer == maps[i - i % heads].layer;
        if (!sameRow || maps[i].head != maps[i % heads].head) {
            return 0;
        }
    }
    return maps.size() % heads == 0 ? static_cast<int>(heads) : 0;
}

/// Columns that make the page a little wider than tall.
int gridColumns(const std::vector<MapIndex>& maps)
{
    if (const int heads = headsOfTable(maps); heads > 0) {
        return heads;
    }
    const int panels = static_cast<int>(maps.size());
    int best = 1;
    double bestError = 1e9;
    for (int columns = 1; columns <= panels; ++columns) {
        const int rows = static_cast<int>(placesOf(maps, columns).beginsItem.size());
        const int empty = rows * columns - panels;
        const double error = std::abs(static_cast<double>(columns) / rows - 1.6) + 0.6 * empty;
        if (error < bestError) {
            bestError = error;
            best = columns;
        }
    }
    return best;
}

} // namespace

QFont figureFont(double points, bool bold)
{
    // Nothing of the window's font: the command line has none.
    QFont font(QStringLiteral("Inter"), -1, QFont::Normal);
    font.setFamilies({"Inter", "DejaVu Sans", "Noto Sans", "Noto Sans CJK SC", "Source Han Sans SC",
                      "Microsoft YaHei", "PingFang SC"});
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(points / PointsPerMm * Mm))));
    font.setHintingPreference(QFont::PreferNoHinting);
    font.setBold(bold);
    return font;
}

bool isUprightLabel(const QString& text)
{
    return !text.isEmpty() && std::all_of(text.begin(), text.end(), [](QChar c) {
        const QChar::Script script = c.script();
        return script == QChar::Script_Han || script == QChar::Script_Hiragana ||
               script == QChar::Script_Katakana || script == QChar::Script_Hangul;
    });
}

namespace {

/// Small panels: labels would be noise, the captions stay.
Expected<FigureLayout> withoutLabels(FigureSpec spec, const FigureContent& content)
{
    spec.tokenLabels = false;
    auto layout = layOutFigure(spec, content);
    if (layout) {
        layout->warnings << translated(
            QT_TRANSLATE_NOOP("heed::ui::Figure", "The panels are too small for token labels."));
    }
    return layout;
}

} // namespace

Expected<FigureLayout> layOutFigure(const FigureSpec& spec, const FigureContent& content)
{
    FigureLayout layout;
    layout.fontPt = spec.fontPt;
    const double width = spec.widthMm * Mm;
    const QFontMetricsF text(figureFont(spec.fontPt));
    const QFontMetricsF small(figureFont(spec.fontPt * SmallTextShare));
    const MapsShape& shape = content.shape;
    const bool grid = spec.view == FigureView::Grid;
    const int columns = grid ? gridColumns(spec.maps) : 1;
    const GridPlaces places = placesOf(spec.maps, columns);
    const bool severalItems = countOf(spec.maps, &MapIndex::item) > 1;

    if (spec.fontPt < SmallestPrintPt) {
        layout.warnings << translated(
            QT_TRANSLATE_NOOP("heed::ui::Figure", "Text under 6 pt is hard to read in print."));
    }

    double top = Margin;
    if (spec.title) {
        layout.title = spec.titleText.isEmpty() ? defaultTitle(spec, content) : spec.titleText;
        const QFontMetricsF bold(figureFont(spec.fontPt, true));
        layout.titleArea = QRectF(Margin, top, width - 2 * Margin, bold.height());
        top += bold.height() + 0.6 * Gap;
    }

    // The right edge: colour bar, its numbers, its name upright.
    double right = width - Margin;
    if (spec.colourBar) {
        layout.colourBarName = content.rangeName;
        layout.colourBarNumbers = content.rangeNumbers;
        right -=
            Gap + BarWidth + BarPad + widest(content.rangeNumbers, small) + BarPad + small.height();
    }

    // The left edge and the top: labels, when a cell has room for a line or thinning helps.
    const bool isTable = grid && !spec.tokenLabels && headsOfTable(spec.maps) > 0;
    double left = Margin;
    double labels = 0; // what the widest would take
    if (spec.tokenLabels) {
        for (const MapIndex& map : spec.maps) {
            labels = std::max(labels, widest(labelsOf(*content.queries, map.item), text));
            layout.columnLabelHeight = std::max(layout.columnLabelHeight,
                                                tallest(labelsOf(*content.keys, map.item), text));
        }
        layout.rowLabelWidth = std::min(labels, width * LabelShare);
        layout.columnLabelHeight = std::min(layout.columnLabelHeight, width * LabelShare);
        left += layout.rowLabelWidth + 0.5 * Gap;
    } else if (isTable) {
        layout.rowNameWidth = small.horizontalAdvance(rowName(spec.maps.back().layer));
        left += layout.rowNameWidth + 0.5 * Gap;
    }
    const double panelGap = grid ? (isTable ? 0.6 : 1.5) * Gap : 0;
    const double mapWidth = (right - left - panelGap * (columns - 1)) / columns;
    const double least = isTable ? SmallestInTable : std::min(SmallestMap, width * 0.3);
    if (mapWidth < least || mapWidth <= 0) {
        if (grid && spec.tokenLabels) {
            return withoutLabels(spec, content);
        }
        const double beside = width - (right - left) - layout.rowLabelWidth + labels;
        const double all = (isTable ? SmallestInTable : SmallestMap) * columns;
        const double needed = beside + panelGap * (columns - 1) + all;
        return fail(Code::InvalidArgument,
                    "A width of " + std::to_string(std::lround(spec.widthMm)) +
                        " mm leaves no room for the cells beside labels and colour bar: " +
                        std::to_string(std::lround(std::ceil(needed / Mm))) +
                        " mm is enough. Use a larger width, a smaller font or fewer maps, or "
                        "leave out the labels or the colour bar.");
    }
    const auto queries = static_cast<double>(shape.queries);
    const auto keys = static_cast<double>(shape.keys);
    const auto panelRows = static_cast<double>(places.beginsItem.size());
    // Cells are square, but for a strip that would be a hairline.
    const double square = std::min(mapWidth / keys, width * TallestToWidth / (queries * panelRows));
    const double strip = std::min({LeastStrip, mapWidth, width * TallestToWidth / panelRows});
    const QSizeF mapSize(std::max(square * keys, strip), std::max(square * queries, strip));
    const QSizeF cell(mapSize.width() / keys, mapSize.height() / queries);

    if (spec.tokenLabels) {
        layout.rowLabelStep = stepFor(cell.height(), text);
        layout.columnLabelStep = stepFor(cell.width(), text);
        const int step = std::max(layout.rowLabelStep, layout.columnLabelStep);
        if (grid && step > 1) {
            return withoutLabels(spec, content);
        }
        if (step > 1) {
            layout.warnings << translated(QT_TRANSLATE_NOOP("heed::ui::Figure",
                                                            "Only one token label in %1 fits."))
                                   .arg(step);
        }
    }

    const double captionHeight = grid ? small.height() + 0.3 * Gap : 0;
    const double labelHeight = spec.tokenLabels ? layout.columnLabelHeight + 0.5 * Gap : 0;
    double rowTop = top;
    int column = 0;
    for (std::size_t i = 0; i < spec.maps.size(); ++i) {
        const int row = places.row[i];
        const bool beginsRow = i == 0 || row != places.row[i - 1];
        const bool beginsItem = places.beginsItem[static_cast<std::size_t>(row)];
        column = beginsRow ? 0 : column + 1;
        if (beginsRow) {
            rowTop += i == 0 ? 0 : mapSize.height() + panelGap;
            rowTop += (isTable && i > 0 ? 0 : captionHeight) + (beginsItem ? labelHeight : 0);
        }
        FigurePanel panel;
        panel.map = &(*content.maps)[i];
        if (isTable) {
            panel.caption = row == 0 ? QString("H%1").arg(spec.maps[i].head) : QString();
            panel.rowName = beginsRow ? rowName(spec.maps[i].layer) : QString();
        } else if (grid) {
            panel.caption = panelCaption(panel.map->index, shape, severalItems);
        }
        if (spec.tokenLabels && beginsRow) {
            panel.rowTokens = labelsOf(*content.queries, spec.maps[i].item);
        }
        if (spec.tokenLabels && beginsItem) {
            panel.columnTokens = labelsOf(*content.keys, spec.maps[i].item);
        }
        panel.area = QRectF(QPointF(left + column * (mapWidth + panelGap), rowTop), mapSize);
        layout.panels.push_back(panel);
    }
    const double mapsTop = layout.panels.front().area.top();
    double bottom = layout.panels.back().area.bottom();
    if (spec.colourBar) {
        const double shortest = small.height() * static_cast<double>(content.rangeNumbers.size());
        layout.colourBar =
            QRectF(right + Gap, mapsTop, BarWidth, std::max(bottom - mapsTop, shortest));
        // Centred along the bar; a longer name sticks out above, as far as the title, then below.
        const double nameLength = small.horizontalAdvance(layout.colourBarName);
        layout.colourBarNameArea =
            QRectF(width - Margin - small.height(),
                   std::max(top, layout.colourBar.center().y() - nameLength / 2), small.height(),
                   nameLength);
        bottom = std::max({bottom, layout.colourBar.bottom(), layout.colourBarNameArea.bottom()});
    }
    layout.legend = layOutLegend(content.found, QPointF(left, bottom + Gap), width - Margin, small);
    if (!layout.legend.empty()) {
        bottom = layout.legend.back().swatch.bottom();
    }
    layout.size = QSizeF(width, bottom + Margin);

    // Numbers in cells: only exact cells, only where the widest of them fits.
    const QFontMetricsF numbers(figureFont(spec.fontPt * CellNumberShare));
    layout.cellNumbers = spec.settings.cellNumbers && content.maps->front().level == 0 &&
                         numbers.horizontalAdvance("−0.00") < cell.width() * 0.92 &&
                         numbers.height() < cell.height();
    return layout;
}

} // namespace heed::ui
