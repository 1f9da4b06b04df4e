// The heads of one batch item as rows, their metrics as columns.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/workspace.h"

#include <QAbstractTableModel>

namespace heed::ui {

/// Metrics are asked for when a row is first looked at; until they come the cell says "…".
class HeadMetricsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Head, Entropy, Previous, Sink, Self, ColumnCount };
    static constexpr int SortRole = Qt::UserRole;

    explicit HeadMetricsModel(const Workspace& workspace, QObject* parent = nullptr);
    [[nodiscard]] MapIndex mapAt(int row) const;
    [[nodiscard]] int rowOf(const MapIndex& map) const;
    void retranslate();

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

private:
    void rebuild();

    Workspace m_workspace;
    MapsShape m_shape;
    std::int64_t m_item = 0;
    bool m_known = false; ///< there is a run
};

} // namespace heed::ui
