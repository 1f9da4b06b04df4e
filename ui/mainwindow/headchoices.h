// By which metric the heads are ordered, have bars and are coloured.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/workspace.h"

#include <QWidget>
#include <array>

class QComboBox;
class QGridLayout;
class QLabel;

namespace heed::ui {

class HeadGridView;
class MetricLegend;

/// Beside each other where there is room for their words, else below each other.
class HeadChoices : public QWidget {
    Q_OBJECT
public:
    enum Choice { Order, Bar, Colour };

    /// @param grid whose colours the legend explains.
    HeadChoices(const Workspace& workspace, const HeadGridView* grid, QWidget* parent);
    void open(Choice choice); ///< its list
    [[nodiscard]] QComboBox* box(Choice choice) const { return m_fields[choice].box; }

Q_SIGNALS:
    void rearranged(); ///< another height suits it

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();
    void fill();
    void showSettings();
    void showRange();

    struct Field {
        QLabel* label = nullptr;
        QComboBox* box = nullptr;
        std::string ViewSettings::*setting = nullptr;
    };
    Workspace m_workspace;
    const HeadGridView* m_grid;
    QGridLayout* m_layout;
    std::array<Field, 3> m_fields;
    MetricLegend* m_legend;
    int m_across = 0; ///< fields in a row
};

} // namespace heed::ui
