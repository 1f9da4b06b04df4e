// Fields and settings in step.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "dialogs/exportform.h"

#include "widgets/labels.h"
#include "widgets/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

namespace heed::ui {

namespace {

// What journals ask for: one column 85–90 mm, one and a half 127–140, two columns 178–190.
constexpr double PresetMm[] = {89, 140, 183};
constexpr int FreePreset = 3;
constexpr int FieldWidth = 168;

} // namespace

ExportForm::ExportForm(const ExportSettings& settings, QWidget* parent)
    : QWidget(parent)
    , m_folder(settings.folder)
{
    build();
    show(settings);
    connectFields();
    retranslate();
    enableFields();
}

void ExportForm::build()
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 12, 0); // beside the bar of the scroll area
    layout->setSpacing(4);
    const auto heading = [&](SectionHeading*& made) {
        layout->addWidget(made = new SectionHeading({}, this));
    };
    const auto row = [&](QLabel*& label, QWidget* field) {
        label = new MutedLabel({}, this);
        field->setFixedWidth(FieldWidth);
        layout->addWidget(fieldRow(label, field, this));
    };
    const auto number = [this](auto* spin) {
        spin->setFont(numberFont(font()));
        spin->setAlignment(Qt::AlignRight);
        return spin;
    };

    heading(m_contentHeading);
    row(m_viewLabel, m_view = new QComboBox(this));
    m_view->addItems({{}, {}});

    heading(m_sizeHeading);
    row(m_presetLabel, m_preset = new QComboBox(this));
    m_preset->addItems({{}, {}, {}, {}});
    row(m_widthLabel, m_width = number(new QDoubleSpinBox(this)));
    m_width->setRange(20, 1000);
    m_width->setDecimals(1);
    row(m_fontLabel, m_font = number(new QDoubleSpinBox(this)));
    m_font->setRange(4, 72);
    m_font->setDecimals(1);
    m_font->setSingleStep(0.5);

    heading(m_fileHeading);
    row(m_formatLabel, m_format = new QComboBox(this));
    for (const char* format : {"png", "svg", "pdf"}) {
        m_format->addItem(QString(), QString::fromLatin1(format));
    }
    row(m_dpiLabel, m_dpi = number(new QSpinBox(this)));
    m_dpi->setRange(50, 2400);
    m_dpi->setSingleStep(50);

    heading(m_partsHeading);
    layout->addWidget(m_title = new QCheckBox(this));
    layout->addWidget(m_titleText = new QLineEdit(this));
    m_titleText->setMaxLength(500);
    for (QCheckBox** box : {&m_labels, &m_bar, &m_hatch, &m_numbers}) {
        layout->addWidget(*box = new QCheckBox(this));
    }
    layout->addStretch(1);
}

void ExportForm::show(const ExportSettings& settings)
{
    m_view->setCurrentIndex(settings.grid ? 1 : 0);
    m_width->setValue(settings.widthMm);
    m_font->setValue(settings.fontPt);
    m_format->setCurrentIndex(m_format->findData(settings.format));
    m_dpi->setValue(settings.dpi);
    m_title->setChecked(settings.title);
    m_labels->setChecked(settings.tokenLabels);
    m_bar->setChecked(settings.colourBar);
    m_hatch->setChecked(settings.hatch);
    m_numbers->setChecked(settings.cellNumbers);
    showPreset();
}

void ExportForm::connectFields()
{
    connect(m_preset, &QComboBox::activated, this, [this](int index) {
        if (index < FreePreset) {
            m_width->setValue(PresetMm[index]);
        } else {
            m_width->setFocus();
            m_width->selectAll();
        }
    });
    connect(m_width, &QDoubleSpinBox::valueChanged, this, [this] {
        showPreset();
        Q_EMIT changed();
    });
    connect(m_font, &QDoubleSpinBox::valueChanged, this, &ExportForm::changed);
    connect(m_dpi, &QSpinBox::valueChanged, this, &ExportForm::changed);
    connect(m_titleText, &QLineEdit::textChanged, this, &ExportForm::changed);
    for (QComboBox* box : {m_view, m_format}) {
        connect(box, &QComboBox::currentIndexChanged, this, [this] {
            enableFields();
            Q_EMIT changed();
        });
    }
    for (QCheckBox* box : {m_title, m_labels, m_bar, m_hatch, m_numbers}) {
        connect(box, &QCheckBox::toggled, this, [this] {
            enableFields();
            Q_EMIT changed();
        });
    }
}

void ExportForm::showPreset()
{
    int index = 0;
    while (index < FreePreset && PresetMm[index] != m_width->value()) {
        ++index;
    }
    m_preset->setCurrentIndex(index);
}

void ExportForm::enableFields()
{
    m_titleText->setEnabled(m_title->isChecked());
    const bool hasPixels = m_format->currentData().toString() == QLatin1String("png");
    m_dpi->setEnabled(hasPixels);
    m_dpiLabel->setEnabled(hasPixels);
}

ExportSettings ExportForm::settings() const
{
    ExportSettings settings;
    settings.format = m_format->currentData().toString();
    settings.widthMm = m_width->value();
    settings.fontPt = m_font->value();
    settings.dpi = m_dpi->value();
    settings.grid = m_view->currentIndex() == 1;
    settings.title = m_title->isChecked();
    settings.tokenLabels = m_labels->isChecked();
    settings.colourBar = m_bar->isChecked();
    settings.hatch = m_hatch->isChecked();
    settings.cellNumbers = m_numbers->isChecked();
    settings.folder = m_folder;
    return settings;
}

QString ExportForm::titleText() const
{
    return m_titleText->text().trimmed();
}

void ExportForm::setFormat(const QString& format)
{
    if (const int index = m_format->findData(format); index >= 0) {
        m_format->setCurrentIndex(index);
    }
}

void ExportForm::setPlace(const MapIndex& map, const MapsShape& shape)
{
    m_map = map;
    m_shape = shape;
    m_view->setItemText(0, tr("Head %1 alone").arg(map.head));
    m_view->setItemText(1, tr("All heads (%1)").arg(shape.heads));
    QString where = tr("Layer %1, item %2").arg(map.layer).arg(map.item);
    m_view->setToolTip(where);
    m_view->setAccessibleDescription(where);
}

void ExportForm::retranslate()
{
    m_contentHeading->setText(tr("Content"));
    m_sizeHeading->setText(tr("Size on paper"));
    m_fileHeading->setText(tr("File"));
    m_partsHeading->setText(tr("Parts"));
    const auto name = [](QLabel* label, QWidget* field, const QString& text) {
        label->setText(text);
        field->setAccessibleName(withoutMnemonic(text));
    };
    name(m_viewLabel, m_view, tr("Heads"));
    name(m_presetLabel, m_preset, tr("Fits"));
    name(m_widthLabel, m_width, tr("Width"));
    name(m_fontLabel, m_font, tr("Text size"));
    name(m_formatLabel, m_format, tr("Format"));
    name(m_dpiLabel, m_dpi, tr("Resolution"));
    m_preset->setItemText(0, tr("One column"));
    m_preset->setItemText(1, tr("One and a half columns"));
    m_preset->setItemText(2, tr("Two columns"));
    m_preset->setItemText(FreePreset, tr("Free width"));
    m_width->setSuffix(tr(" mm"));
    m_font->setSuffix(tr(" pt"));
    m_dpi->setSuffix(tr(" dpi"));
    m_format->setItemText(0, tr("PNG, pixels"));
    m_format->setItemText(1, tr("SVG, editable"));
    m_format->setItemText(2, tr("PDF, for print"));
    m_title->setText(tr("Title"));
    m_titleText->setAccessibleName(tr("Text of the title"));
    m_titleText->setPlaceholderText(tr("Layer, head and quantity"));
    m_labels->setText(tr("Token labels"));
    m_bar->setText(tr("Colour bar and range"));
    m_hatch->setText(tr("Hatch masked cells"));
    m_numbers->setText(tr("Numbers in cells, where they fit"));
    setPlace(m_map, m_shape);
}

void ExportForm::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        const QSignalBlocker quiet(this);
        retranslate();
    }
}

} // namespace heed::ui
