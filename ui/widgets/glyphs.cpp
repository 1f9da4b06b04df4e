// An icon engine that paints paths.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/glyphs.h"

#include "widgets/theme.h"

#include <QApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPixmap>

namespace heed::ui {

namespace {

class GlyphEngine : public QIconEngine {
public:
    explicit GlyphEngine(Glyph glyph)
        : m_glyph(glyph)
    {
    }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override
    {
        const Colours& c = coloursOf(QApplication::palette());
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        // Drawn on a square of 16 units.
        painter->translate(rect.center() + QPointF(0.5, 0.5));
        const double unit = std::min(rect.width(), rect.height()) / 16.0;
        painter->scale(m_glyph == Glyph::Redo ? -unit : unit, unit);
        painter->translate(-8, -8);
        painter->setPen(QPen(mode == QIcon::Disabled ? c.graphic : c.text, 1.4, Qt::SolidLine,
                             Qt::RoundCap, Qt::RoundJoin));
        QPainterPath path;
        path.moveTo(6, 2.5);
        path.lineTo(2.5, 6);
        path.lineTo(6, 9.5);
        path.moveTo(2.5, 6);
        path.lineTo(9.5, 6);
        path.cubicTo(15.5, 6, 15.5, 13.5, 9.5, 13.5);
        path.lineTo(6.5, 13.5);
        painter->drawPath(path);
        painter->restore();
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap picture(size);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        paint(&painter, picture.rect(), mode, state);
        return picture;
    }

    QIconEngine* clone() const override { return new GlyphEngine(m_glyph); }

private:
    Glyph m_glyph;
};

} // namespace

QIcon glyphIcon(Glyph glyph)
{
    return QIcon(new GlyphEngine(glyph));
}

} // namespace heed::ui
