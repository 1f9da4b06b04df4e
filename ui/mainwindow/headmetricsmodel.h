// The heads of one batch item as rows, their metrics as columns.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/workspace.h"

#include <QAbstractTableModel>
#include <vector>

namespace heed::ui {

/// The names of the heads are the vertical headers, columns those of shownMetrics(). Metrics are
/// asked for when a row is first looked at; until they come the cell says "…".
class HeadMetricsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    static constexpr int SortRole = Qt::UserRole; ///< a double; NaN until it is known

    explicit HeadMetricsModel(const Workspace& workspace, QObject* parent = nullptr);
    [[nodiscard]] MapIndex mapAt(int row) const;
    [[nodiscard]] int rowOf(const MapIndex& map) const;
    void retranslate();
    /// Whether all rows have their numbers; those that lack are asked for.
    [[nodiscard]] bool askForAll() const;
    /// @p rows with a line of headings, for a spreadsheet; names and numbers as in `stats --csv`.
    [[nodiscard]] QString tabSeparated(const std::vector<int>& rows) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

Q_SIGNALS:
    void arrived(); ///< the numbers of a row

private:
    void rebuild();
    [[nodiscard]] QString headName(int row) const;

    Workspace m_workspace;
    MapsShape m_shape;
    std::int64_t m_item = 0;
    bool m_known = false; ///< there is a run
};

} // namespace heed::ui
