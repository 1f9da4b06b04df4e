// What the colours of the frames of heads stand for.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/colourmap.h"

#include <QWidget>
#include <optional>

namespace heed::ui {

/// A strip of metricColour() between the numbers of its ends.
class MetricLegend : public QWidget {
    Q_OBJECT
public:
    explicit MetricLegend(QWidget* parent = nullptr);
    /// Paints nothing while there is no range.
    void setRange(const std::optional<ValueRange>& range);
    [[nodiscard]] const std::optional<ValueRange>& range() const { return m_range; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void describe();

    std::optional<ValueRange> m_range;
};

} // namespace heed::ui
