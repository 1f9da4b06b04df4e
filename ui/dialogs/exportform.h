// The fields of the export dialog.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "services/settings.h"

#include "heed/maps.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace heed::ui {

class SectionHeading;

class ExportForm : public QWidget {
    Q_OBJECT
public:
    explicit ExportForm(const ExportSettings& settings, QWidget* parent = nullptr);

    [[nodiscard]] ExportSettings settings() const;
    [[nodiscard]] QString titleText() const; ///< "" = the automatic one
    void setFormat(const QString& format);   ///< "png", "svg", "pdf"
    /// Names what "one head" and "all heads" are.
    void setPlace(const MapIndex& map, const MapsShape& shape);

Q_SIGNALS:
    void changed();

protected:
    void changeEvent(QEvent* event) override;

private:
    void build();
    void show(const ExportSettings& settings);
    void connectFields();
    void showPreset();
    void enableFields();
    void retranslate();

    MapIndex m_map;
    MapsShape m_shape;
    QString m_folder;
    SectionHeading* m_contentHeading;
    SectionHeading* m_sizeHeading;
    SectionHeading* m_fileHeading;
    SectionHeading* m_partsHeading;
    QLabel* m_viewLabel;
    QComboBox* m_view;
    QLabel* m_presetLabel;
    QComboBox* m_preset;
    QLabel* m_widthLabel;
    QDoubleSpinBox* m_width;
    QLabel* m_fontLabel;
    QDoubleSpinBox* m_font;
    QLabel* m_formatLabel;
    QComboBox* m_format;
    QLabel* m_dpiLabel;
    QSpinBox* m_dpi;
    QCheckBox* m_title;
    QLineEdit* m_titleText;
    QCheckBox* m_labels;
    QCheckBox* m_bar;
    QCheckBox* m_hatch;
    QCheckBox* m_numbers;
};

} // namespace heed::ui
