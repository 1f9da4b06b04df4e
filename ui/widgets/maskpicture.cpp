// Sampling of the mask in blocks, and its picture.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/maskpicture.h"

#include "views/maskhatch.h"
#include "views/viewtext.h"
#include "widgets/theme.h"

#include <QEvent>
#include <QPainter>
#include <algorithm>

namespace heed::ui {

namespace {
constexpr int Side = 84;             // pixels of the picture
constexpr std::int64_t MaxSide = 42; // blocks along a side: two pixels each at least
constexpr int LegendBox = 12;
constexpr int LegendGap = 5;      // between a box and its word
constexpr int LegendSpacing = 10; // between entries

HatchStyle hatchStyle(const Colours& c)
{
    return {.paper = c.background, .ink = c.graphic, .spacing = 4, .lineWidth = 1};
}
} // namespace

MaskPicture::MaskPicture(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void MaskPicture::setMask(MaskPtr mask, std::int64_t item, std::int64_t head)
{
    m_mask = std::move(mask);
    m_item = item;
    m_head = head;
    sample();
    describe();
    setVisible(m_mask != nullptr);
    update();
}

void MaskPicture::sample()
{
    m_blocks.clear();
    m_legend.clear();
    m_reasons = 0;
    if (m_mask == nullptr || m_item >= m_mask->context().items ||
        m_head >= m_mask->context().heads) {
        m_mask = nullptr;
        return;
    }
    const std::int64_t queries = m_mask->context().queries;
    const std::int64_t keys = m_mask->context().keys;
    const std::int64_t cells =
        std::max<std::int64_t>(1, (std::max(queries, keys) + MaxSide - 1) / MaxSide);
    m_rows = (queries + cells - 1) / cells;
    m_columns = (keys + cells - 1) / cells;
    for (std::int64_t r = 0; r < m_rows; ++r) {
        for (std::int64_t c = 0; c < m_columns; ++c) {
            const std::int64_t row = r * cells;
            const std::int64_t column = c * cells;
            Block block{m_mask->classify(m_item, m_head, row, column, cells, cells), 0};
            if (block.kind != BlockClass::AllKept) {
                // The corners tell the reasons of a block well enough for a picture this small.
                const std::int64_t lastRow = std::min(row + cells, queries) - 1;
                const std::int64_t lastColumn = std::min(column + cells, keys) - 1;
                for (const auto& [i, j] :
                     {std::pair(row, column), std::pair(row, lastColumn),
                      std::pair(lastRow, column), std::pair(lastRow, lastColumn)}) {
                    block.reasons = static_cast<MaskReasons>(block.reasons |
                                                             m_mask->reasons(m_item, m_head, i, j));
                }
                if (block.reasons != 0 &&
                    std::find(m_legend.begin(), m_legend.end(), block.reasons) == m_legend.end()) {
                    m_legend.push_back(block.reasons);
                }
                m_reasons = static_cast<MaskReasons>(m_reasons | block.reasons);
            }
            m_blocks.push_back(block);
        }
    }
    std::sort(m_legend.begin(), m_legend.end());
    if (m_legend.size() > 4) {
        m_legend.resize(4); // enough to read; the map's tool tips name every one
    }
}

void MaskPicture::describe()
{
    if (m_mask == nullptr) {
        setAccessibleName(tr("No mask"));
        return;
    }
    setAccessibleName(m_reasons == 0
                          ? tr("Mask picture: every key is kept")
                          : tr("Mask picture: keys are masked by %1").arg(reasonsText(m_reasons)));
    setToolTip(
        tr("Filled cells are kept. Hatched cells are masked. Queries run down, keys across."));
}

QSize MaskPicture::sizeHint() const
{
    return {Side + 2, Side + 2};
}

void MaskPicture::paintEvent(QPaintEvent*)
{
    if (m_mask == nullptr || m_rows == 0 || m_columns == 0) {
        return;
    }
    const Colours& c = coloursOf(palette());
    QPainter painter(this);
    const double step =
        static_cast<double>(Side) / static_cast<double>(std::max(m_rows, m_columns));
    const auto edge = [step](std::int64_t at) {
        return std::round(static_cast<double>(at) * step) + 1;
    };
    const QRectF whole(1, 1, edge(m_columns) - 1, edge(m_rows) - 1);
    painter.fillRect(whole, c.background);
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (std::int64_t r = 0; r < m_rows; ++r) {
        for (std::int64_t col = 0; col < m_columns; ++col) {
            const Block& block = m_blocks[static_cast<std::size_t>(r * m_columns + col)];
            const QRectF cell(QPointF(edge(col), edge(r)), QPointF(edge(col + 1), edge(r + 1)));
            if (block.kind == BlockClass::AllMasked) {
                continue;
            }
            QColor fill = c.accent;
            if (block.kind == BlockClass::Mixed) {
                fill.setAlphaF(0.5F);
            }
            painter.fillRect(step >= 5 ? cell.adjusted(0, 0, -1, -1) : cell, fill);
        }
    }
    std::vector<HatchArea> areas;
    for (std::int64_t r = 0; r < m_rows; ++r) {
        // Runs of equal reasons are hatched in one go.
        for (std::int64_t col = 0; col < m_columns;) {
            const Block& block = m_blocks[static_cast<std::size_t>(r * m_columns + col)];
            std::int64_t end = col + 1;
            while (end < m_columns) {
                const Block& next = m_blocks[static_cast<std::size_t>(r * m_columns + end)];
                if (next.kind != block.kind || next.reasons != block.reasons) {
                    break;
                }
                ++end;
            }
            if (block.kind == BlockClass::AllMasked) {
                areas.push_back(
                    {QRectF(QPointF(edge(col), edge(r)), QPointF(edge(end), edge(r + 1))),
                     block.reasons});
            }
            col = end;
        }
    }
    painter.setRenderHint(QPainter::Antialiasing);
    paintHatch(painter, areas, hatchStyle(c));
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(c.line);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(whole.adjusted(-1, -1, 0, 0));
}

void MaskPicture::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        describe();
        update();
    }
}

MaskLegend::MaskLegend(QWidget* parent)
    : QWidget(parent)
{
    setFont(smallFont(font()));
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void MaskLegend::setReasons(std::vector<MaskReasons> reasons)
{
    if (reasons != m_reasons) {
        m_reasons = std::move(reasons);
        fit();
    }
}

std::vector<MaskLegend::Entry> MaskLegend::entries(int width) const
{
    std::vector<Entry> made;
    const int line = fontMetrics().height() + 2;
    QPoint at;
    const auto add = [&](const QString& text, MaskReasons reasons) {
        const int word = fontMetrics().horizontalAdvance(text) + 1;
        if (at.x() > 0 && at.x() + LegendBox + LegendGap + word > width) {
            at = {0, at.y() + line};
        }
        const QRect box(at.x(), at.y() + (line - LegendBox) / 2, LegendBox, LegendBox);
        made.push_back(
            {box, QRect(box.right() + 1 + LegendGap, at.y(), word, line), text, reasons});
        at.rx() += LegendBox + LegendGap + word + LegendSpacing;
    };
    add(tr("kept"), 0);
    for (const MaskReasons reasons : m_reasons) {
        add(reasonsText(reasons), reasons);
    }
    return made;
}

void MaskLegend::fit()
{
    setFixedHeight(entries(width()).back().label.bottom() + 1);
    update();
}

void MaskLegend::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

void MaskLegend::paintEvent(QPaintEvent*)
{
    const Colours& c = coloursOf(palette());
    QPainter painter(this);
    for (const Entry& entry : entries(width())) {
        if (entry.reasons == 0) {
            painter.fillRect(entry.box, c.accent);
        } else {
            const HatchArea area{QRectF(entry.box), entry.reasons};
            painter.setRenderHint(QPainter::Antialiasing);
            paintHatch(painter, std::span(&area, 1), hatchStyle(c));
            painter.setRenderHint(QPainter::Antialiasing, false);
        }
        painter.setPen(c.line);
        painter.drawRect(entry.box.adjusted(0, 0, -1, -1));
        painter.setPen(c.mute);
        painter.drawText(entry.label, Qt::AlignVCenter | Qt::AlignLeft, entry.text);
    }
}

void MaskLegend::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange || event->type() == QEvent::FontChange) {
        fit();
    }
}

} // namespace heed::ui
