// Tokens in words for people; the piece as in the text is the tool tip.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tokenmodel.h"

namespace heed::ui {

TokenModel::TokenModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void TokenModel::setTokens(const std::vector<Token>& tokens)
{
    // A reset loses the place in a list and lays it out again; most changes of a run keep the
    // tokens.
    if (tokens == m_tokens) {
        return;
    }
    beginResetModel();
    m_tokens = tokens;
    endResetModel();
}

void TokenModel::retranslate()
{
    Q_EMIT headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1);
    if (!m_tokens.empty()) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    }
}

int TokenModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_tokens.size());
}

int TokenModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant TokenModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const Token& token = m_tokens[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case Position:
            return index.row();
        case Piece:
            return QString::fromStdString(displayText(token));
        case Identity:
            return QString::number(token.id, 16);
        case Bytes:
            return token.begin == token.end
                       ? QString()
                       : QStringLiteral("%1–%2").arg(token.begin).arg(token.end);
        default:
            return {};
        }
    case Qt::ToolTipRole:
        return token.isPadding
                   ? tr("Padding: fills the line up to the length of the batch")
                   : tr("Token %1: “%2”").arg(index.row()).arg(QString::fromStdString(token.text));
    case Qt::AccessibleTextRole:
        return tr("Token %1: “%2”")
            .arg(index.row())
            .arg(QString::fromStdString(displayText(token)));
    case Qt::TextAlignmentRole:
        return index.column() == Piece ? QVariant(Qt::AlignLeft | Qt::AlignVCenter)
                                       : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case PaddingRole:
        return token.isPadding;
    case SpecialRole:
        return token.isSpecial;
    default:
        return {};
    }
}

QVariant TokenModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return section == Piece ? QVariant(Qt::AlignLeft | Qt::AlignVCenter)
                                : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case Position:
        return tr("#", "position of a token");
    case Piece:
        return tr("Token");
    case Identity:
        return tr("Identity");
    case Bytes:
        return tr("Bytes");
    default:
        return {};
    }
}

} // namespace heed::ui
