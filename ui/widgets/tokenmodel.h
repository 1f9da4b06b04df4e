// The tokens of one batch item as a list.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/text.h"

#include <QAbstractTableModel>
#include <vector>

namespace heed::ui {

/// Columns: position, piece, identity, bytes in the line. In a list view only the piece shows.
class TokenModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Position, Piece, Identity, Bytes, ColumnCount };
    enum Role { PaddingRole = Qt::UserRole, SpecialRole };

    explicit TokenModel(QObject* parent = nullptr);
    /// Copies them only when they are others.
    void setTokens(const std::vector<Token>& tokens);
    [[nodiscard]] const std::vector<Token>& tokens() const { return m_tokens; }
    void retranslate();

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

private:
    std::vector<Token> m_tokens;
};

} // namespace heed::ui
