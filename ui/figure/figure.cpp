// From a specification to a laid-out figure, and from there to files.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "figure/figure.h"

#include "figure/figurepainter.h"
#include "views/numbertext.h"

#include "heed/model.h"

#include <QBuffer>
#include <QFileInfo>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSaveFile>
#include <QSvgGenerator>
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace heed::ui {

namespace {

constexpr double InchMm = 25.4;
// A side of a heatmap has as many texels as the page has pixels, in vector formats at least the
// first: 600 dots an inch on 87 mm, fine at any resolution. The second is that on 347 mm.
constexpr std::int64_t LeastTexels = 2048;
constexpr std::int64_t MostTexels = 8192;
constexpr int VectorDpi = 600;                   // of the panels of a grid in vector formats
constexpr std::int64_t MostGridTexels = 512;     // a side of one panel of a grid
constexpr std::int64_t MostPixels = 400'000'000; // of a PNG
constexpr std::size_t MostPanels = 1024;

Error invalid(std::string message)
{
    return Error{Code::InvalidArgument, std::move(message), {}};
}

/// What a side of a map may have before its place on the page is known.
std::int64_t mostTexels(const FigureSpec& spec)
{
    return spec.view == FigureView::Grid
               ? MostGridTexels
               : std::clamp<std::int64_t>(std::llround(spec.widthMm / InchMm * spec.dpi),
                                          spec.isRaster ? 1 : LeastTexels, MostTexels);
}

int levelFor(const MapsShape& shape, std::int64_t most)
{
    return finestLevel(std::max(shape.queries, shape.keys), most);
}

/// "Cross-attention"; "" where the model has one kind.
QString attentionOf(const Run& run)
{
    if (run.model() == nullptr || run.model()->decoder == nullptr) {
        return {};
    }
    switch (run.source().attention) {
    case AttentionSet::Encoder:
        return QStringLiteral("Encoder self-attention");
    case AttentionSet::Decoder:
        return QStringLiteral("Decoder self-attention");
    case AttentionSet::Cross:
        break;
    }
    return QStringLiteral("Cross-attention");
}

/// Takes out what no XML file may hold, wherever it came from: titles and tokens are free text.
void replaceForbidden(QByteArray& xml)
{
    QString text = QString::fromUtf8(xml);
    for (QChar& c : text) {
        const bool allowed = c >= u' ' ? c < QChar(0xFFFE) : c == u'\t' || c == u'\n' || c == u'\r';
        c = allowed ? c : QChar(QChar::ReplacementCharacter);
    }
    xml = text.toUtf8();
}

std::optional<Error> check(const FigureSpec& spec, const MapsShape& shape)
{
    const auto outside = [](double value, double low, double high) {
        return !(value >= low && value <= high);
    };
    if (outside(spec.widthMm, 20, 1000)) {
        return invalid("The width of a figure must lie between 20 mm and 1000 mm.");
    }
    if (outside(spec.fontPt, 4, 72)) {
        return invalid("The text size of a figure must lie between 4 pt and 72 pt.");
    }
    if (spec.dpi < 50 || spec.dpi > 2400) {
        return invalid("The resolution must lie between 50 and 2400 dpi.");
    }
    if (spec.maps.empty() || (spec.view == FigureView::Heatmap && spec.maps.size() != 1)) {
        return invalid("A heatmap shows exactly one head; for several, use the grid view.");
    }
    if (spec.maps.size() > MostPanels) {
        return invalid("A grid shows at most " + std::to_string(MostPanels) + " heads; " +
                       std::to_string(spec.maps.size()) + " are selected.");
    }
    for (const MapIndex& map : spec.maps) {
        if (map.layer < 0 || map.layer >= shape.layers || map.item < 0 || map.item >= shape.items ||
            map.head < 0 || map.head >= shape.heads) {
            return invalid("There is no layer " + std::to_string(map.layer) + ", item " +
                           std::to_string(map.item) + ", head " + std::to_string(map.head) +
                           "; there are " + std::to_string(shape.layers) + " × " +
                           std::to_string(shape.items) + " × " + std::to_string(shape.heads) +
                           ", counted from 0.");
        }
    }
    return std::nullopt;
}

/// The first map of every layer and item among @p maps.
std::vector<MapIndex> placesOf(const std::vector<MapIndex>& maps)
{
    std::set<std::pair<std::int64_t, std::int64_t>> seen;
    std::vector<MapIndex> places;
    for (const MapIndex& map : maps) {
        if (seen.insert({map.layer, map.item}).second) {
            places.push_back(map);
        }
    }
    return places;
}

/// The ends of the colour bar and their name. Words in a figure are English, whatever the window
/// speaks: the command line has no language, and both draw the same figure.
struct NamedRange {
    ValueRange range;
    QString name;
};

/// Heads of one layer and item are heads; beyond that they are maps.
QString sharedBy(const std::vector<MapIndex>& maps, std::size_t count)
{
    const MapIndex& first = maps.front();
    const bool isOnePlace = std::all_of(maps.begin(), maps.end(), [&](const MapIndex& map) {
        return map.layer == first.layer && map.item == first.item;
    });
    return QStringLiteral("linear, shared by %1 %2")
        .arg(count)
        .arg(isOnePlace ? QLatin1String("heads") : QLatin1String("maps"));
}

/// Of all heads in the places of the maps shown; one after the other, as none of them is kept.
Expected<ValueRange> rangeOfHeads(const FigureSpec& spec, const AttentionMaps& maps,
                                  const Execution& execution)
{
    ValueRange range = NoRange;
    for (MapIndex index : placesOf(spec.maps)) {
        for (index.head = 0; index.head < maps.shape().heads; ++index.head) {
            const auto map = readFigureMap(maps, index, spec.settings,
                                           levelFor(maps.shape(), MostGridTexels), execution);
            if (!map) {
                return tl::unexpected(map.error());
            }
            range = joined(range, extremesOf(*map));
        }
    }
    return range;
}

Expected<NamedRange> chooseRange(const FigureSpec& spec, const AttentionMaps& maps,
                                 const std::vector<FigureMap>& shown, const Execution& execution)
{
    const ViewSettings& settings = spec.settings;
    const RangeMode mode = settings.effectiveRangeMode();
    ValueRange range;
    QString how;
    if (mode == RangeMode::Unit) {
        how = QStringLiteral("linear 0–1");
    } else if (mode == RangeMode::Manual) {
        range = {settings.low, settings.high};
        how = QStringLiteral("linear, chosen range");
    } else if (mode == RangeMode::Map) {
        range = NoRange;
        for (const FigureMap& map : shown) {
            range = joined(range, extremesOf(map));
        }
        how = shown.size() > 1 ? sharedBy(spec.maps, shown.size())
                               : QStringLiteral("linear, range of this map");
    } else {
        const auto found = rangeOfHeads(spec, maps, execution);
        if (!found) {
            return tl::unexpected(found.error());
        }
        range = *found;
        how = sharedBy(spec.maps,
                       placesOf(spec.maps).size() * static_cast<std::size_t>(maps.shape().heads));
    }
    if (range == NoRange) {
        range = {0, 0};
    }
    const bool signedMap = settings.effectiveColourMap() == ColourMapId::Diverging;
    if (signedMap && (mode == RangeMode::Map || mode == RangeMode::Heads)) {
        const double most = std::max(std::abs(range.low), std::abs(range.high));
        range = {-most, most}; // the centre must mean zero
    }
    if (!(range.high > range.low)) {
        range.high = range.low + 1;
    }
    return NamedRange{range,
                      QString::fromUtf8(quantityName(settings.quantity).data()) + ", " + how};
}

/// Qt rounds the page to whole points (0.35 mm). Its numbers are written with room for the exact
/// size, which takes their place without moving anything in the file.
void setExactPageSize(QByteArray& pdf, const QSizeF& sizeMm)
{
    static const QRegularExpression box(R"(/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\])");
    const auto found = box.match(QString::fromLatin1(pdf));
    const auto put = [&](int group, double mm) {
        const qsizetype room = found.capturedLength(group);
        const QByteArray exact = QByteArray::number(mm / InchMm * 72, 'f', 6).left(room);
        pdf.replace(found.capturedStart(group), room, exact.leftJustified(room, '0'));
    };
    if (found.hasMatch()) {
        put(1, sizeMm.width());
        put(2, sizeMm.height());
    }
}

class LaidOutFigure : public Figure {
public:
    LaidOutFigure(FigureSpec spec, RunPtr run, std::vector<FigureMap> maps, TileStyle style)
        : m_spec(std::move(spec))
        , m_run(std::move(run))
        , m_maps(std::move(maps))
        , m_style(style)
    {
    }

    Expected<void> layOut(const QString& rangeName)
    {
        FigureContent content;
        content.maps = &m_maps;
        content.queries = &m_run->queryTokens();
        content.keys = &m_run->keyTokens();
        content.shape = m_run->maps()->shape();
        content.attention = attentionOf(*m_run);
        content.rangeName = rangeName;
        const auto [low, high] = m_style.range;
        for (const double value : {low, low + (high - low) / 2, high}) {
            content.rangeNumbers << rangeNumber(value, low, high);
        }
        for (const FigureMap& map : m_maps) {
            content.found |= tileContents(map.tile, m_style.quantity);
        }
        if (!m_style.hatchMasked) {
            content.found.reasons = 0;
        }
        auto layout = layOutFigure(m_spec, content);
        if (!layout) {
            return tl::unexpected(layout.error());
        }
        m_layout = std::move(*layout);
        return {};
    }

    /// The finest level, from @p level on, whose texels all find a pixel; in vector formats those
    /// of a panel of a grid have a print's.
    [[nodiscard]] int levelOfPixels(int level) const
    {
        if (!m_spec.isRaster && m_spec.view == FigureView::Heatmap) {
            return level; // fine at any resolution
        }
        const double pixelsPerUnit =
            (m_spec.isRaster ? m_spec.dpi : VectorDpi) / InchMm / UnitsPerMm;
        for (const FigurePanel& panel : m_layout.panels) {
            const auto pixels = [&](double side) {
                return static_cast<std::int64_t>(side * pixelsPerUnit);
            };
            level = finestLevel(panel.map->keys, pixels(panel.area.width()), level);
            level = finestLevel(panel.map->queries, pixels(panel.area.height()), level);
        }
        return level;
    }

    QSizeF sizeMm() const override { return m_layout.size / UnitsPerMm; }
    QStringList warnings() const override { return m_layout.warnings; }

    void paint(QPainter& painter) const override
    {
        painter.save();
        painter.scale(1 / UnitsPerMm, 1 / UnitsPerMm);
        paintFigure(painter, m_layout, m_style);
        painter.restore();
    }

    QImage image(int dpi) const override
    {
        const QSizeF pixels = sizeMm() * (dpi / InchMm);
        QImage picture(qRound(pixels.width()), qRound(pixels.height()), QImage::Format_RGB32);
        if (picture.isNull()) {
            return picture;
        }
        picture.setDotsPerMeterX(qRound(dpi / InchMm * 1000));
        picture.setDotsPerMeterY(qRound(dpi / InchMm * 1000));
        picture.fill(Qt::white);
        QPainter painter(&picture);
        painter.scale(picture.width() / m_layout.size.width(),
                      picture.height() / m_layout.size.height());
        paintFigure(painter, m_layout, m_style);
        return picture;
    }

    Expected<QByteArray> encode(const QString& format) const override
    {
        if (format == "png") {
            return encodePng();
        }
        if (format == "svg") {
            return encodeSvg();
        }
        if (format == "pdf") {
            return encodePdf();
        }
        return fail(Code::InvalidArgument, "\"" + format.toStdString() +
                                               "\" is not a figure format. Use png, svg or pdf.");
    }

    Expected<void> write(const QString& path) const override
    {
        const auto bytes = encode(QFileInfo(path).suffix().toLower());
        if (!bytes) {
            Error error = bytes.error();
            error.context = path.toStdString();
            return tl::unexpected(error);
        }
        QSaveFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(*bytes) != bytes->size() ||
            !file.commit()) {
            return fail(Code::Io,
                        "The figure cannot be written: " + file.errorString().toStdString() + ".",
                        path.toStdString());
        }
        return {};
    }

private:
    [[nodiscard]] QString creator() const
    {
        return QString("Heedmap %1").arg(QStringLiteral(HEED_VERSION));
    }

    Expected<QByteArray> encodePng() const
    {
        const QSizeF pixels = sizeMm() * (m_spec.dpi / InchMm);
        if (pixels.width() * pixels.height() > static_cast<double>(MostPixels)) {
            return fail(
                Code::OutOfMemory,
                "A picture of " + std::to_string(std::lround(pixels.width())) + " × " +
                    std::to_string(std::lround(pixels.height())) +
                    " pixels is too large. Lower the resolution or the width, or write PDF.");
        }
        QImage picture = image(m_spec.dpi);
        if (picture.isNull()) {
            return fail(Code::OutOfMemory,
                        "There is no memory for the picture. Lower the resolution.");
        }
        picture.setText("Title", m_layout.title);
        picture.setText("Software", creator());
        picture.setText("Description", m_spec.commandLine);
        QByteArray bytes;
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        if (!picture.save(&buffer, "PNG")) {
            return fail(Code::Internal, "The picture could not be encoded as PNG.");
        }
        return bytes;
    }

    Expected<QByteArray> encodeSvg() const
    {
        QByteArray bytes;
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setResolution(
            qRound(UnitsPerMm * InchMm)); // one layout unit is one unit of the file
        generator.setSize(QSize(qRound(m_layout.size.width()), qRound(m_layout.size.height())));
        generator.setViewBox(QRectF(QPointF(0, 0), m_layout.size));
        // Qt 6.4 writes these two as they are.
        generator.setTitle(m_layout.title.toHtmlEscaped());
        generator.setDescription(m_spec.commandLine.toHtmlEscaped());
        QPainter painter(&generator);
        // Every group of the file names a font; the window's own must not be among them.
        painter.setFont(figureFont(m_layout.fontPt));
        paintFigure(painter, m_layout, m_style);
        painter.end();
        // Qt writes no hint for its embedded pictures; without one viewers smooth the cells.
        bytes.replace("<image ",
                      "<image style=\"image-rendering:crisp-edges;image-rendering:pixelated\" ");
        replaceForbidden(bytes);
        return bytes;
    }

    Expected<QByteArray> encodePdf() const
    {
        QByteArray bytes;
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        QPdfWriter writer(&buffer);
        writer.setResolution(qRound(UnitsPerMm * InchMm));
        writer.setPageSize(QPageSize(sizeMm(), QPageSize::Millimeter, {}, QPageSize::ExactMatch));
        writer.setPageMargins(QMarginsF(0, 0, 0, 0));
        writer.setTitle(m_layout.title);
        writer.setCreator(creator());
        writer.addFileAttachment("command-line.txt", m_spec.commandLine.toUtf8() + "\n",
                                 "text/plain");
        QPainter painter(&writer);
        paintFigure(painter, m_layout, m_style);
        painter.end();
        setExactPageSize(bytes, sizeMm());
        return bytes;
    }

    FigureSpec m_spec;
    RunPtr m_run;
    std::vector<FigureMap> m_maps;
    TileStyle m_style;
    FigureLayout m_layout;
};

/// The level of every map on the page. Where the maps go depends on none of their numbers but the
/// ends of the colour bar, so a page without room is refused, and no map is read finer than the
/// page shows it, before anything is computed.
Expected<int> levelOnPage(const FigureSpec& spec, const RunPtr& run)
{
    const MapsShape shape = run->maps()->shape();
    const int level = levelFor(shape, mostTexels(spec));
    std::vector<FigureMap> maps;
    for (const MapIndex& index : spec.maps) {
        maps.push_back({index, level, shape.queries, shape.keys, {}});
    }
    LaidOutFigure page(spec, run, std::move(maps), {});
    if (auto laidOut = page.layOut({}); !laidOut) {
        return tl::unexpected(laidOut.error());
    }
    return page.levelOfPixels(level);
}

Expected<std::shared_ptr<const LaidOutFigure>>
figureAtLevel(const FigureSpec& spec, const RunPtr& run, int level, const Execution& execution)
{
    const AttentionMaps& maps = *run->maps();
    const auto count = static_cast<std::int64_t>(spec.maps.size());
    if (auto fits = checkMemory(count * figureMapBytes(maps.shape(), level), "The figure",
                                execution, "lower the width or the resolution");
        !fits) {
        return tl::unexpected(fits.error());
    }
    std::vector<FigureMap> shown;
    for (const MapIndex& index : spec.maps) {
        auto map = readFigureMap(maps, index, spec.settings, level, execution);
        if (!map) {
            return tl::unexpected(map.error());
        }
        shown.push_back(std::move(*map));
    }
    const auto range = chooseRange(spec, maps, shown, execution);
    if (!range) {
        return tl::unexpected(range.error());
    }
    TileStyle style;
    style.quantity = spec.settings.quantity;
    style.colourMap = spec.settings.effectiveColourMap();
    style.range = range->range;
    style.hatchMasked = spec.settings.hatchMasked;
    auto figure = std::make_shared<LaidOutFigure>(spec, run, std::move(shown), style);
    if (auto laidOut = figure->layOut(range->name); !laidOut) {
        return tl::unexpected(laidOut.error());
    }
    return figure;
}

} // namespace

Expected<std::shared_ptr<const Figure>> makeFigure(const FigureSpec& spec, const RunPtr& run,
                                                   const Execution& execution)
{
    const AttentionMaps& maps = *run->maps();
    if (auto error = check(spec, maps.shape())) {
        return tl::unexpected(std::move(*error));
    }
    if (!maps.offers(spec.settings.quantity)) {
        return fail(Code::Unsupported, "These maps hold no " +
                                           std::string(quantityName(spec.settings.quantity)) +
                                           "; they were stored without them.");
    }
    auto level = levelOnPage(spec, run);
    while (level) {
        auto figure = figureAtLevel(spec, run, *level, execution);
        if (!figure) {
            return tl::unexpected(figure.error());
        }
        const int needed = (*figure)->levelOfPixels(*level);
        if (needed == *level) {
            return std::move(*figure);
        }
        level = needed; // longer numbers at the colour bar have left the maps less room
    }
    return tl::unexpected(level.error());
}

} // namespace heed::ui
