// One query row as bars over the keys, and the contribution of each dimension as signed bars.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/selection.h"
#include "models/viewsettings.h"
#include "services/engineservice.h"
#include "views/tokenlabels.h"

#include <QWidget>
#include <vector>

namespace heed::ui {

/// The row of the hovered cell, else of the pinned one. Bars of magnitude from a base line (scores
/// have a base line at 0); masked keys are hatched; the selected key is in the accent colour; the
/// strongest keys are named. Hover and click work as on the map.
class ProfileView : public QWidget {
    Q_OBJECT
public:
    ProfileView(EngineService* service, SelectionModel* selection, ViewSettingsModel* settings,
                QWidget* parent = nullptr);
    ~ProfileView() override;

    void setRun(const RunPtr& run);
    /// The query shown, −1 when there is none.
    [[nodiscard]] qint64 query() const { return m_query; }
    [[nodiscard]] bool hasRow() const { return m_row != nullptr; }
    [[nodiscard]] QSize sizeHint() const override { return {260, 112}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {120, 80}; }

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void refresh();
    void take(const RowRequest& request, const RowPtr& row);
    [[nodiscard]] QRectF plotRect() const;
    [[nodiscard]] qint64 keyAt(QPointF position) const;
    void paintBars(QPainter& painter, const QRectF& plot) const;
    void paintLabels(QPainter& painter, const QRectF& plot) const;

    EngineService* m_service;
    SelectionModel* m_selection;
    ViewSettingsModel* m_settings;
    RunPtr m_run;
    TokenLabels m_labels;
    TokenLabels m_queryLabels;
    RowPtr m_row;
    RunPtr m_runOfRow;
    RowRequest m_request; ///< of m_row
    qint64 m_query = -1;
};

/// Signed bars about a line: q ⊙ k, one a dimension. The owner gives the values.
class SignedBars : public QWidget {
    Q_OBJECT
public:
    explicit SignedBars(QWidget* parent = nullptr);
    void setValues(const std::vector<float>& values);
    [[nodiscard]] const std::vector<float>& values() const { return m_values; }
    [[nodiscard]] QSize sizeHint() const override { return {260, 56}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {120, 40}; }

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<float> m_values;
};

} // namespace heed::ui
