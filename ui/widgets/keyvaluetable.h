// Names at the left, numbers at the right, aligned on the last digit.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

class QGridLayout;
class QLabel;

namespace heed::ui {

struct KeyValue {
    QString name = {};
    QString value = {};
    bool strong = false;
    QString note = {}; ///< after the value, in secondary colour
};

class KeyValueTable : public QWidget {
    Q_OBJECT
public:
    explicit KeyValueTable(QWidget* parent = nullptr);
    /// @p monospacedNames for formulas.
    void setRows(const std::vector<KeyValue>& rows, bool monospacedNames = false);

private:
    struct Row {
        QLabel* name;
        QLabel* value;
        QLabel* note;
    };
    QGridLayout* m_layout;
    std::vector<Row> m_rows;
};

} // namespace heed::ui
