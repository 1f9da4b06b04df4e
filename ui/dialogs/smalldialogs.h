// The short dialogs: go to a cell, a range by hand, memory, backends, shortcuts, about.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/backend.h"
#include "models/selection.h"

#include <QDialog>
#include <optional>
#include <utility>
#include <vector>

class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QRadioButton;

namespace heed::ui {

/// Reads "10 2", "10, 2", "q10 k2" or "10→2". @return nothing when it is not two numbers.
[[nodiscard]] std::optional<CellRef> parseCell(const QString& text);

/// Asks for a query and a key; accepts only a cell of the map.
class GoToCellDialog : public QDialog {
    Q_OBJECT
public:
    GoToCellDialog(const MapsShape& shape, const CellRef& start, QWidget* parent = nullptr);
    [[nodiscard]] CellRef cell() const { return m_cell; }

private:
    void check(const QString& text);

    MapsShape m_shape;
    CellRef m_cell;
    QLineEdit* m_field;
    QLabel* m_problem;
    QPushButton* m_accept;
};

/// Asks how much memory a run may take.
class MemoryDialog : public QDialog {
    Q_OBJECT
public:
    /// @param budget bytes; 0 = what usualMemoryBudget() says.
    explicit MemoryDialog(std::int64_t budget, QWidget* parent = nullptr);
    [[nodiscard]] std::int64_t budget() const;

private:
    QRadioButton* m_usual;
    QRadioButton* m_most;
    QDoubleSpinBox* m_size;
};

/// Asks for the two ends of a colour bar. @return nothing when it was closed.
[[nodiscard]] std::optional<std::pair<double, double>> askRange(double low, double high,
                                                                QWidget* parent);

/// What can compute here, and the reason for each that cannot.
void showBackends(const std::vector<BackendReport>& reports, QWidget* parent);
/// Every command of @p window that has keys.
void showShortcuts(const QWidget* window, QWidget* parent);
void showAbout(const QString& version, QWidget* parent);

} // namespace heed::ui
