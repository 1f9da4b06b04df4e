// Fields and document in step, both ways; the mask drawn as compiled.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/masksection.h"

#include "mainwindow/actions.h"
#include "mainwindow/maskfacts.h"
#include "widgets/labels.h"
#include "widgets/maskpicture.h"
#include "widgets/messagebar.h"
#include "widgets/segmentedcontrol.h"
#include "widgets/switchbutton.h"
#include "widgets/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSpinBox>
#include <QVBoxLayout>

namespace heed::ui {

namespace {
constexpr int MaxPadTo = 1 << 20;
} // namespace

MaskSection::MaskSection(const Workspace& workspace, QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
{
    build();
    connectFields();
    retranslate();
    showSource();
    showMask();
}

void MaskSection::build()
{
    const Actions& actions = *m_workspace.actions;
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addWidget(m_heading = new SectionHeading({}, this));
    auto* switches = new QVBoxLayout;
    switches->setSpacing(2);
    switches->addWidget(fieldRow(m_paddingLabel = new QLabel(this),
                                 new SwitchButton(actions[ActionId::Padding], this), this));
    switches->addWidget(fieldRow(m_causalLabel = new QLabel(this),
                                 new SwitchButton(actions[ActionId::Causal], this), this));
    switches->addWidget(m_legend = new MaskLegend(this));
    switches->addStretch(1);
    auto* drawn = new QHBoxLayout;
    drawn->setSpacing(16);
    drawn->addLayout(switches, 1);
    drawn->addWidget(m_picture = new MaskPicture(this), 0, Qt::AlignTop);
    layout->addLayout(drawn);
    layout->addWidget(m_hint = new MessageBar(this));
    layout->addSpacing(2);
    m_side = new SegmentedControl(actions.group(ActionGroupId::PadSide), this);
    layout->addWidget(fieldRow(m_sideLabel = new MutedLabel({}, this), m_side, this));
    m_padTo = new QSpinBox(this);
    m_padTo->setRange(0, MaxPadTo);
    m_padTo->setFixedWidth(104);
    m_padTo->setAlignment(Qt::AlignRight);
    layout->addWidget(fieldRow(m_padToLabel = new MutedLabel({}, this), m_padTo, this));
    layout->addWidget(m_expressionLabel = new MutedLabel({}, this));
    m_expression = new QLineEdit(this);
    m_expression->setFont(numberFont(font()));
    m_expression->setClearButtonEnabled(true);
    m_expressionLabel->setBuddy(m_expression);
    layout->addWidget(m_expression);
    m_problem = new QLabel(this);
    m_problem->setWordWrap(true);
    m_problem->setForegroundRole(QPalette::BrightText); // the palette's colour for "look here"
    m_problem->hide();
    layout->addWidget(m_problem);
}

void MaskSection::connectFields()
{
    connect(m_padTo, &QSpinBox::valueChanged, this, [this](int value) {
        if (!m_showing) {
            editSource(m_workspace, tr("padded length"), MergeId::PadTo,
                       [&](Source& source) { source.padTo = value; });
        }
    });
    connect(m_expression, &QLineEdit::textEdited, this, &MaskSection::editExpression);
    connect(m_workspace.document, &Document::sourceChanged, this, &MaskSection::showSource);
    connect(m_workspace.document, &Document::runChanged, this, &MaskSection::showMask);
    connect(m_workspace.document, &Document::stateChanged, this, &MaskSection::showMask);
    connect(m_workspace.selection, &SelectionModel::mapChanged, this, &MaskSection::showMask);
}

void MaskSection::focusExpression()
{
    m_expression->setFocus(Qt::ShortcutFocusReason);
    m_expression->selectAll();
}

void MaskSection::editExpression(const QString& text)
{
    const std::string expression = text.trimmed().toStdString();
    if (const auto normal = normaliseMask(expression); !expression.empty() && !normal) {
        showProblem(QString::fromStdString(normal.error().message));
        return;
    }
    showProblem({});
    editSource(m_workspace, tr("mask expression"), MergeId::Mask,
               [&](Source& source) { source.mask = expression; });
}

void MaskSection::showProblem(const QString& problem)
{
    m_expression->setProperty("heedInvalid", !problem.isEmpty());
    m_expression->setAccessibleDescription(problem);
    m_expression->update();
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
}

void MaskSection::showSource()
{
    m_showing = true;
    const Source& source = m_workspace.document->source();
    m_padTo->setValue(static_cast<int>(source.padTo));
    const QString expression = QString::fromStdString(source.mask);
    if (m_expression->text().trimmed() != expression) {
        m_expression->setText(expression);
        showProblem({});
    }
    const bool masks = source.maps.empty(); // finished maps have been masked elsewhere
    m_expression->setEnabled(masks);
    const bool pads = !source.lines.empty();
    m_padTo->setEnabled(pads);
    m_showing = false;
}

void MaskSection::showMask()
{
    const RunPtr run = m_workspace.document->isRefused() ? nullptr : m_workspace.document->run();
    const MapIndex& map = m_workspace.selection->map();
    const MaskPtr mask = run == nullptr ? nullptr : run->mask(map.layer);
    if (mask == nullptr) {
        m_picture->setMask(nullptr, 0, 0);
        m_legend->hide();
        m_hint->clear();
        return;
    }
    m_picture->setMask(mask, map.item, map.head);
    m_legend->setReasons(m_picture->legend());
    m_legend->show();
    m_hint->show(maskHint(*run, map));
}

void MaskSection::retranslate()
{
    m_heading->setText(tr("Masks"));
    m_paddingLabel->setText(tr("Padding"));
    m_causalLabel->setText(tr("Causal"));
    m_sideLabel->setText(tr("Pad side"));
    m_side->setAccessibleName(tr("Pad side"));
    m_padToLabel->setText(tr("Pad to"));
    m_padTo->setSpecialValueText(tr("longest"));
    m_padTo->setAccessibleName(tr("Pad to"));
    m_padTo->setToolTip(tr("Length of the batch in tokens; “longest” adds no more than needed"));
    m_expressionLabel->setText(tr("Expression, combined with AND"));
    m_expression->setAccessibleName(tr("Mask expression"));
    m_expression->setPlaceholderText(QStringLiteral("window(4) | prefix(1)"));
    m_expression->setToolTip(
        tr("none, causal(offset=K), padding(side=…, lengths=[…]), window(W), window(left=A, "
           "right=B), documents([…]), prefix(P), file(\"m.npy\", reads=\"keep\"); combined with "
           "&, |, ~ and parentheses"));
    showMask();
}

void MaskSection::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
}

} // namespace heed::ui
