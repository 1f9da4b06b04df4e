// By which metric the heads are ordered, have bars and are coloured.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/headchoices.h"

#include "views/headgridview.h"
#include "views/metriclegend.h"
#include "views/metrictext.h"
#include "widgets/labels.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <algorithm>

namespace heed::ui {

namespace {

constexpr int LeastChoice = 8; // characters of a box that say which metric it is
constexpr int Gap = 6;

} // namespace

HeadChoices::HeadChoices(const Workspace& workspace, const HeadGridView* grid, QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_grid(grid)
    , m_layout(new QGridLayout(this))
    , m_legend(new MetricLegend(this))
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(Gap);
    const std::array<std::string ViewSettings::*, 3> settings = {
        &ViewSettings::headOrder, &ViewSettings::headBar, &ViewSettings::headColour};
    for (std::size_t i = 0; i < m_fields.size(); ++i) {
        Field& field = m_fields[i];
        field = {new MutedLabel({}, this), new QComboBox(this), settings[i]};
        field.box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        field.box->setMinimumContentsLength(1);
        field.label->setBuddy(field.box);
        connect(field.box, &QComboBox::activated, this, [this, i] {
            ViewSettings chosen = m_workspace.view->settings();
            chosen.*m_fields[i].setting = m_fields[i].box->currentData().toString().toStdString();
            m_workspace.view->setSettings(chosen);
        });
    }
    connect(m_workspace.view, &ViewSettingsModel::changed, this, &HeadChoices::showSettings);
    connect(m_grid, &HeadGridView::frameRangeChanged, this, &HeadChoices::showRange);
    fill();
}

void HeadChoices::open(Choice choice)
{
    box(choice)->setFocus();
    box(choice)->showPopup();
}

void HeadChoices::arrange()
{
    const int letters = fontMetrics().averageCharWidth() * LeastChoice;
    int needed = -Gap;
    for (const Choice choice : {Order, Bar}) {
        const Field& field = m_fields[choice];
        needed += field.label->sizeHint().width() + field.box->minimumSizeHint().width() + letters +
                  2 * Gap;
    }
    const int across = width() >= needed ? 2 : 1;
    if (across != m_across) {
        m_across = across;
        for (const Field& field : m_fields) {
            m_layout->removeWidget(field.label);
            m_layout->removeWidget(field.box);
        }
        m_layout->removeWidget(m_legend);
        for (int i = 0; i < static_cast<int>(m_fields.size()); ++i) {
            const Field& field = m_fields[static_cast<std::size_t>(i)];
            m_layout->addWidget(field.label, i / across, i % across * 2);
            m_layout->addWidget(field.box, i / across, i % across * 2 + 1);
        }
        const int rows = static_cast<int>(m_fields.size()) / across;
        m_layout->addWidget(m_legend, rows, across == 1 ? 1 : 2, 1, across);
        m_layout->setColumnStretch(1, 1);
        m_layout->setColumnStretch(3, across == 1 ? 0 : 1);
        showRange();
        Q_EMIT rearranged();
    }
}

void HeadChoices::fill()
{
    const std::array<QString, 3> names = {tr("Order"), tr("Bar"), tr("Colour")};
    const std::array<QString, 3> spoken = {tr("Order of the heads"), tr("Metric under the heads"),
                                           tr("Metric that colours the heads")};
    const std::array<QString, 3> help = {tr("Sorts the heads by a metric, the largest first"),
                                         tr("Shows a metric of each head as a bar"),
                                         tr("Shows a metric of each head as the colour of its "
                                            "frame")};
    for (std::size_t i = 0; i < m_fields.size(); ++i) {
        const Field& field = m_fields[i];
        field.label->setText(names[i]);
        field.box->setAccessibleName(spoken[i]);
        field.box->setToolTip(help[i]);
        field.box->clear();
        field.box->addItem(i == Order ? tr("number") : tr("none"), QString());
        for (const Metric* metric : shownMetrics()) {
            const MetricText text = metricText(*metric);
            field.box->addItem(text.name, QString::fromUtf8(metric->name.data(),
                                                            static_cast<int>(metric->name.size())));
            field.box->setItemData(field.box->count() - 1, text.meaning, Qt::ToolTipRole);
        }
        int widest = 0;
        for (int index = 0; index < field.box->count(); ++index) {
            widest = std::max(widest, fontMetrics().horizontalAdvance(field.box->itemText(index)));
        }
        field.box->view()->setMinimumWidth(widest + fontMetrics().height() * 3);
    }
    arrange();
    showSettings();
}

void HeadChoices::showSettings()
{
    const ViewSettings& settings = m_workspace.view->settings();
    for (const Field& field : m_fields) {
        field.box->setCurrentIndex(
            std::max(0, field.box->findData(QString::fromStdString(settings.*field.setting))));
    }
    showRange();
}

void HeadChoices::showRange()
{
    m_legend->setRange(m_grid->frameRange());
    // Beside the others its place is kept; a line of its own would push the heads down.
    const bool isShown = m_across != 1 || !m_workspace.view->settings().headColour.empty();
    if (isShown == m_legend->isHidden()) {
        m_legend->setVisible(isShown);
        Q_EMIT rearranged();
    }
}

void HeadChoices::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        fill();
    }
}

void HeadChoices::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

} // namespace heed::ui
