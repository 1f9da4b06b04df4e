// The selected map as a table of numbers, fetched as it is scrolled.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mainwindow/workspace.h"

#include <QAbstractTableModel>

namespace heed::ui {

/// Queries down, keys across, every cell exact (level 0). Only what a view asks for is computed.
class CellTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    explicit CellTableModel(const Workspace& workspace, QObject* parent = nullptr);
    void retranslate();

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

private:
    void rebuild();
    [[nodiscard]] TileRequest requestFor(int row, int column) const;

    Workspace m_workspace;
    MapsShape m_shape;
};

} // namespace heed::ui
