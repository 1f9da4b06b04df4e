// Labels are reused: the table changes with every move of the pointer.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/keyvaluetable.h"

#include "widgets/labels.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QGridLayout>

namespace heed::ui {

KeyValueTable::KeyValueTable(QWidget* parent)
    : QWidget(parent)
    , m_layout(new QGridLayout(this))
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setHorizontalSpacing(8);
    m_layout->setVerticalSpacing(4);
    m_layout->setColumnStretch(2, 1);
}

void KeyValueTable::setRows(const std::vector<KeyValue>& rows, bool monospacedNames)
{
    while (m_rows.size() < rows.size()) {
        const int at = static_cast<int>(m_rows.size());
        Row row{new MutedLabel({}, this), new QLabel(this), new MutedLabel({}, this)};
        row.value->setTextInteractionFlags(Qt::TextSelectableByMouse);
        row.value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        m_layout->addWidget(row.name, at, 0);
        m_layout->addWidget(row.value, at, monospacedNames ? 1 : 3);
        m_layout->addWidget(row.note, at, monospacedNames ? 2 : 4);
        m_rows.push_back(row);
    }
    QFont number = numberFont(QApplication::font());
    QFont strong = number;
    strong.setWeight(QFont::DemiBold);
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const bool used = i < rows.size();
        m_rows[i].name->setVisible(used);
        m_rows[i].value->setVisible(used);
        m_rows[i].note->setVisible(used && !rows[i].note.isEmpty());
        if (!used) {
            continue;
        }
        m_rows[i].name->setText(rows[i].name);
        if (monospacedNames) {
            m_rows[i].name->setFont(number);
        }
        m_rows[i].value->setText(rows[i].value);
        m_rows[i].value->setFont(rows[i].strong ? strong : number);
        m_rows[i].value->setAccessibleName(rows[i].name + QLatin1Char(' ') + rows[i].value);
        m_rows[i].note->setText(rows[i].note);
    }
}

} // namespace heed::ui
