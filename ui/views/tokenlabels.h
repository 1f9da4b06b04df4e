// The words along both sides of a map: thinned when there is no room, the important ones always.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/text.h"
#include "views/mapviewport.h"
#include "views/viewcolours.h"

#include <QFont>
#include <QString>
#include <memory>
#include <vector>

class QPainter;

namespace heed::ui {

/// Which labels are drawn.
struct LabelChoice {
    std::vector<qint64> indices; ///< ascending
    qint64 step = 1;             ///< every step-th token has its turn; 1 = all
};

/// Labels of [first, last) with room for one each @p needed pixels, tokens @p cell pixels apart.
/// Every step-th (a power of two) is drawn; @p important ones (special tokens) where they do not
/// crowd another. Those in @p taken are drawn by somebody else and keep their place free.
[[nodiscard]] LabelChoice chooseLabels(qint64 first, qint64 last, double cell, double needed,
                                       const std::vector<qint64>& important,
                                       std::vector<qint64> taken = {});

/// Chinese, Japanese and Korean text is stacked upright where Latin text is turned.
[[nodiscard]] bool isStacked(const QString& text);

using TokensPtr = std::shared_ptr<const std::vector<Token>>;

/// The labels of one side. Nothing is made for those that nobody looks at: a text may have hundreds
/// of thousands.
class TokenLabels {
public:
    void setTokens(TokensPtr tokens);
    [[nodiscard]] qint64 count() const
    {
        return m_tokens ? static_cast<qint64>(m_tokens->size()) : 0;
    }
    /// As displayText() gives it; empty outside.
    [[nodiscard]] QString text(qint64 index) const;
    /// Tokens that the tokenizer or padding added.
    [[nodiscard]] const std::vector<qint64>& special() const { return m_special; }

    /// Pixels the longest label takes beside a row or above a column, at most @p most. Measured
    /// once for a font.
    [[nodiscard]] int rowExtent(const QFont& font, int most) const;
    [[nodiscard]] int columnExtent(const QFont& font, int most) const;

private:
    struct Extent {
        QFont font;
        int most = -1;
        int pixels = 0;
    };
    template <typename Measure>
    int extent(Extent& known, const QFont& font, int most, const Measure& measure) const;

    TokensPtr m_tokens;
    std::vector<qint64> m_special;
    mutable Extent m_rowExtent;
    mutable Extent m_columnExtent;
};

/// Paints labels of the visible rows and columns of a viewport.
class TokenLabelPainter {
public:
    TokenLabelPainter(const MapViewport& viewport, const QFont& font, const ViewColours& colours)
        : m_viewport(viewport)
        , m_font(font)
        , m_colours(colours)
    {
    }

    /// @param room pixels left of (above) the map; @param taken labels that paintRow()
    /// (paintColumn()) draws. @return the step, for the note.
    qint64 paintRows(QPainter& painter, const TokenLabels& labels, int room,
                     const std::vector<qint64>& taken) const;
    qint64 paintColumns(QPainter& painter, const TokenLabels& labels, int room,
                        const std::vector<qint64>& taken) const;
    /// One label in the accent colour.
    void paintRow(QPainter& painter, const TokenLabels& labels, qint64 index, int room,
                  bool bold) const;
    void paintColumn(QPainter& painter, const TokenLabels& labels, qint64 index, int room,
                     bool bold) const;

private:
    void drawRow(QPainter& painter, const QString& text, qint64 index, int room) const;
    void drawColumn(QPainter& painter, const QString& text, qint64 index, int room) const;

    const MapViewport& m_viewport;
    QFont m_font;
    const ViewColours& m_colours;
};

} // namespace heed::ui
