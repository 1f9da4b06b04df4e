// Time and memory of attention against the length of the text, on logarithmic axes.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/qcp.h"

#include "heed/cost.h"
#include "heed/speed.h"

#include <vector>

namespace heed::ui {

/// Lines: what stored weights would take and what Heedmap takes, of maps of n × n; points: measured
/// time of one map, and the best fit through them.
class CostPlot : public QCustomPlot {
    Q_OBJECT
public:
    explicit CostPlot(QWidget* parent = nullptr);

    /// @p shape of the run; its length is replaced by each n.
    void setShape(const CostShape& shape);
    void setSpeeds(const std::vector<Speed>& speeds);
    /// p of time ~ n^p, NaN for fewer than two sizes.
    [[nodiscard]] double exponent() const;
    [[nodiscard]] QSize sizeHint() const override { return {420, 160}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {260, 110}; }

    /// n at both ends; at shorter ones the picture takes longer than the map.
    static constexpr double Shortest = 1024;
    static constexpr double Longest = 32768;

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void restyle();
    void showNames();
    void showSizes();
    void showLines();

    CostShape m_shape;
    std::vector<Speed> m_speeds;
    QCPGraph* m_stored;
    QCPGraph* m_held;
    QCPGraph* m_points;
    QCPGraph* m_fit;
};

/// "1.2 ms", "3.4 s", "87 µs".
[[nodiscard]] QString timeText(double seconds);

} // namespace heed::ui
