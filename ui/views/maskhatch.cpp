// Hatch lines as geometry for files and swatches, as pixel coverage for the screen.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/maskhatch.h"

#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace heed::ui {

namespace {

constexpr std::array Families = {
    HatchFamily{MaskReason::Padding, -1, 1}, HatchFamily{MaskReason::Causal, 1, 1},
    HatchFamily{MaskReason::Window, 1, 0},   HatchFamily{MaskReason::Documents, 0, 1},
    HatchFamily{MaskReason::Prefix, 2, 1},   HatchFamily{MaskReason::File, 1, 2},
    HatchFamily{MaskReason::Other, -2, 1},
};

constexpr double MostLines = 2000; // a family in one area

bool has(MaskReasons reasons, MaskReason reason)
{
    return (reasons & static_cast<MaskReasons>(reason)) != 0;
}

double length(const HatchFamily& family)
{
    return std::hypot(family.across, family.down);
}

/// A line of a family: which one, and from where to where along it.
struct Piece {
    long long index = 0;
    double begin = 0;
    double end = 0;
};

/// Where the line number @p index of @p family is inside @p area (relative to the origin).
std::optional<Piece> clip(const HatchFamily& family, long long index, double spacing,
                          const QRectF& area)
{
    const double norm = length(family);
    // A point of the line and its direction.
    const QPointF foot =
        QPointF(family.across, family.down) * (static_cast<double>(index) * spacing / norm);
    const QPointF along(-family.down / norm, family.across / norm);
    double begin = -1e18;
    double end = 1e18;
    const auto cut = [&](double start, double step, double low, double high) {
        if (std::abs(step) < 1e-12) {
            return start >= low && start <= high;
        }
        double t0 = (low - start) / step;
        double t1 = (high - start) / step;
        if (t0 > t1) {
            std::swap(t0, t1);
        }
        begin = std::max(begin, t0);
        end = std::min(end, t1);
        return true;
    };
    if (!cut(foot.x(), along.x(), area.left(), area.right()) ||
        !cut(foot.y(), along.y(), area.top(), area.bottom()) || !(end > begin)) {
        return std::nullopt;
    }
    return Piece{index, begin, end};
}

std::vector<Piece> pieces(const HatchFamily& family, double spacing, const QRectF& area)
{
    std::vector<Piece> found;
    if (area.isEmpty() || !(spacing > 0)) {
        return found;
    }
    const auto value = [&](QPointF p) { return family.across * p.x() + family.down * p.y(); };
    const auto [low, high] = std::minmax({value(area.topLeft()), value(area.topRight()),
                                          value(area.bottomLeft()), value(area.bottomRight())});
    const double step = spacing * length(family);
    if ((high - low) / step > MostLines) {
        return pieces(family, spacing * 2, area);
    }
    for (double k = std::ceil(low / step); k * step <= high; ++k) {
        if (const auto piece = clip(family, std::llround(k), spacing, area)) {
            found.push_back(*piece);
        }
    }
    return found;
}

QLineF toLine(const HatchFamily& family, const Piece& piece, double spacing, QPointF origin)
{
    const double norm = length(family);
    const QPointF foot =
        QPointF(family.across, family.down) * (static_cast<double>(piece.index) * spacing / norm);
    const QPointF along(-family.down / norm, family.across / norm);
    return {origin + foot + along * piece.begin, origin + foot + along * piece.end};
}

} // namespace

std::span<const HatchFamily> hatchFamilies()
{
    return Families;
}

std::vector<QLineF> hatchLines(const QRectF& area, MaskReasons reasons, double spacing,
                               QPointF origin)
{
    std::vector<QLineF> lines;
    for (const HatchFamily& family : Families) {
        if (!has(reasons, family.reason)) {
            continue;
        }
        for (const Piece& piece : pieces(family, spacing, area.translated(-origin))) {
            lines.push_back(toLine(family, piece, spacing, origin));
        }
    }
    return lines;
}

std::vector<QLineF> hatchLines(std::span<const HatchArea> areas, double spacing, QPointF origin)
{
    std::vector<QLineF> lines;
    for (const HatchFamily& family : Families) {
        std::vector<Piece> all;
        for (const HatchArea& area : areas) {
            if (has(area.reasons, family.reason)) {
                const auto part = pieces(family, spacing, area.area.translated(-origin));
                all.insert(all.end(), part.begin(), part.end());
            }
        }
        std::sort(all.begin(), all.end(), [](const Piece& a, const Piece& b) {
            return std::tie(a.index, a.begin) < std::tie(b.index, b.begin);
        });
        const double touching = spacing * 1e-6;
        for (std::size_t i = 0; i < all.size();) {
            Piece joined = all[i++];
            while (i < all.size() && all[i].index == joined.index &&
                   all[i].begin <= joined.end + touching) {
                joined.end = std::max(joined.end, all[i++].end);
            }
            lines.push_back(toLine(family, joined, spacing, origin));
        }
    }
    return lines;
}

void paintHatch(QPainter& painter, std::span<const HatchArea> areas, const HatchStyle& style,
                QPointF origin)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    std::vector<HatchArea> whole;
    std::vector<HatchArea> partly;
    for (const HatchArea& area : areas) {
        if (!area.partly && style.paper.alpha() > 0) {
            painter.fillRect(area.area, style.paper);
        }
        (area.partly ? partly : whole).push_back(area);
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
    const auto draw = [&](const std::vector<HatchArea>& group, double opacity) {
        const std::vector<QLineF> lines = hatchLines(group, style.spacing, origin);
        const auto stroke = [&](QColor colour, double width) {
            if (colour.alpha() > 0) {
                colour.setAlphaF(static_cast<float>(colour.alphaF() * opacity));
                painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::FlatCap));
                painter.drawLines(lines.data(), static_cast<int>(lines.size()));
            }
        };
        stroke(style.casing, 3 * style.lineWidth);
        stroke(style.ink, style.lineWidth);
    };
    draw(whole, 1);
    draw(partly, 0.5);
    painter.restore();
}

HatchRaster::HatchRaster(double spacing, double lineWidth)
{
    static_assert(Families == std::tuple_size_v<decltype(heed::ui::Families)>);
    for (std::size_t f = 0; f < Families; ++f) {
        const HatchFamily& family = heed::ui::Families[f];
        const double norm = length(family);
        // Whole pixels, so that the pattern repeats exactly and every line looks alike.
        const int period = std::max(2, static_cast<int>(std::lround(spacing * norm)));
        Period& p = m_periods[f];
        p.across = family.across;
        p.down = family.down;
        p.coverage.resize(static_cast<std::size_t>(period));
        for (int phase = 0; phase < period; ++phase) {
            // The centre of the pixel is half a step on; its distance to the nearest line.
            const int nearest = std::min(phase, period - phase);
            const double distance = nearest / norm;
            const double covered = std::clamp(lineWidth / 2 + 0.5 - distance, 0.0, 1.0);
            p.coverage[static_cast<std::size_t>(phase)] =
                static_cast<unsigned char>(std::lround(255 * covered));
        }
    }
}

int HatchRaster::coverage(int x, int y, MaskReasons reasons) const
{
    int most = 0;
    for (std::size_t f = 0; f < Families; ++f) {
        if (!has(reasons, heed::ui::Families[f].reason)) {
            continue;
        }
        const Period& p = m_periods[f];
        const int period = static_cast<int>(p.coverage.size());
        int phase = (p.across * x + p.down * y) % period;
        phase += phase < 0 ? period : 0;
        most = std::max<int>(most, p.coverage[static_cast<std::size_t>(phase)]);
    }
    return most;
}

} // namespace heed::ui
