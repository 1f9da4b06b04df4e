// Fields and document in step, both ways.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/sourcesection.h"

#include "mainwindow/actions.h"
#include "mainwindow/waysout.h"
#include "services/errortext.h"
#include "widgets/labels.h"
#include "widgets/messagebar.h"
#include "widgets/switchbutton.h"
#include "widgets/theme.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QRegularExpressionValidator>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

namespace heed::ui {

namespace {

constexpr int FieldWidth = 104;
constexpr int MaxWidth = 65536; // as the engine allows

QSpinBox* makeSpin(int low, int high, QWidget* parent)
{
    auto* spin = new QSpinBox(parent);
    spin->setRange(low, high);
    spin->setFixedWidth(FieldWidth);
    spin->setAlignment(Qt::AlignRight);
    spin->setFont(numberFont(parent->font()));
    spin->setStepType(QAbstractSpinBox::DefaultStepType);
    return spin;
}

QString fileName(const std::filesystem::path& path)
{
    return QString::fromStdString(path.filename().string());
}

} // namespace

SourceSection::SourceSection(const Workspace& workspace, QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
{
    build();
    connectFields();
    retranslate();
    showSource();
}

void SourceSection::build()
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addWidget(m_heading = new SectionHeading({}, this));
    layout->addWidget(m_file = new MutedLabel({}, this));
    m_file->setWordWrap(true);
    const auto row = [this, layout](QLabel*& label, QWidget* field) {
        label = new MutedLabel({}, this);
        layout->addWidget(fieldRow(label, field, this));
    };
    row(m_widthLabel, m_width = makeSpin(1, MaxWidth, this));
    row(m_headsLabel, m_heads = makeSpin(1, MaxWidth, this));
    m_headWidth = new MutedLabel({}, this);
    m_headWidth->setFont(numberFont(font()));
    if (auto* line = qobject_cast<QHBoxLayout*>(m_heads->parentWidget()->layout())) {
        line->insertWidget(2, m_headWidth);
    }
    row(m_kvLabel, m_kvHeads = makeSpin(0, MaxWidth, this));

    auto* seedRow = new QWidget(this);
    auto* seedLayout = new QHBoxLayout(seedRow);
    seedLayout->setContentsMargins(0, 0, 0, 0);
    seedLayout->setSpacing(4);
    m_seed = new QLineEdit(seedRow);
    m_seed->setFixedWidth(FieldWidth);
    m_seed->setAlignment(Qt::AlignRight);
    m_seed->setFont(numberFont(font()));
    m_seed->setValidator(
        new QRegularExpressionValidator(QRegularExpression(QStringLiteral("\\d{0,20}")), m_seed));
    auto* newSeed = new QToolButton(seedRow);
    newSeed->setDefaultAction((*m_workspace.actions)[ActionId::NewSeed]);
    newSeed->setProperty("heedBoxed", true);
    seedLayout->addWidget(newSeed);
    seedLayout->addWidget(m_seed);
    row(m_seedLabel, seedRow);
    m_seedLabel->setBuddy(m_seed);

    m_positions = new QComboBox(this);
    m_positions->addItems({QString(), QString(), QString()});
    m_tokenizer = new QComboBox(this);
    m_tokenizer->addItem(QString(), QStringLiteral("words"));
    m_tokenizer->addItem(QString(), QStringLiteral("chars"));
    for (QComboBox* box : {m_positions, m_tokenizer}) {
        box->setMinimumWidth(FieldWidth);
    }
    row(m_positionsLabel, m_positions);
    row(m_tokenizerLabel, m_tokenizer);
    row(m_scaledLabel, new SwitchButton((*m_workspace.actions)[ActionId::Scaled], this));
    row(m_biasedLabel, new SwitchButton((*m_workspace.actions)[ActionId::Biased], this));
    layout->addSpacing(4);
    layout->addWidget(m_problem = new MessageBar(this));
}

void SourceSection::connectFields()
{
    const auto number = [this](QSpinBox* spin, MergeId merge, auto text, auto assign) {
        connect(spin, &QSpinBox::valueChanged, this, [this, merge, text, assign](int value) {
            if (!m_showing) {
                editSource(m_workspace, text(), merge,
                           [&](Source& source) { assign(source.layer, value); });
            }
        });
    };
    number(
        m_width, MergeId::ModelWidth, [] { return tr("model width"); },
        [](LayerConfig& layer, int value) { layer.modelWidth = value; });
    number(
        m_heads, MergeId::Heads, [] { return tr("number of heads"); },
        [](LayerConfig& layer, int value) { layer.heads = value; });
    number(
        m_kvHeads, MergeId::KeyValueHeads, [] { return tr("number of key/value heads"); },
        [](LayerConfig& layer, int value) { layer.kvHeads = value; });
    connect(m_seed, &QLineEdit::textEdited, this, &SourceSection::editSeed);
    connect(m_positions, &QComboBox::activated, this, [this](int index) {
        editSource(m_workspace, tr("positions"),
                   [&](Source& source) { source.layer.positions = static_cast<Positions>(index); });
    });
    connect(m_tokenizer, &QComboBox::activated, this, [this](int index) {
        editSource(m_workspace, tr("tokenizer"), [&](Source& source) {
            source.tokenizer = m_tokenizer->itemData(index).toString().toStdString();
        });
    });
    connect(m_workspace.document, &Document::sourceChanged, this, &SourceSection::showSource);
    connect(m_workspace.document, &Document::stateChanged, this, &SourceSection::showState);
    connect(m_workspace.document, &Document::runChanged, this, &SourceSection::showSource);
}

void SourceSection::editSeed(const QString& text)
{
    bool fits = false;
    const std::uint64_t seed = text.toULongLong(&fits);
    m_seed->setProperty("heedInvalid", !fits);
    m_seed->update();
    if (fits) {
        editSource(m_workspace, tr("seed"), MergeId::Seed,
                   [&](Source& source) { source.layer.seed = seed; });
    }
}

void SourceSection::showSource()
{
    m_showing = true;
    const Source& source = m_workspace.document->source();
    const LayerConfig layer = layerInForce();
    m_width->setValue(static_cast<int>(layer.modelWidth));
    m_heads->setValue(static_cast<int>(layer.heads));
    m_kvHeads->setValue(static_cast<int>(layer.kvHeads));
    const QString seed = QString::number(layer.seed);
    if (m_seed->text() != seed) {
        m_seed->setText(seed);
    }
    m_seed->setProperty("heedInvalid", false);
    m_positions->setCurrentIndex(static_cast<int>(layer.positions));
    m_tokenizer->setCurrentIndex(m_tokenizer->findData(QString::fromStdString(source.tokenizer)));

    // What a file brings cannot be set here.
    const bool projected = source.qkv.empty() && source.maps.empty();
    const bool drawn = projected && source.weights.empty();
    const bool hasWidth = source.maps.empty(); // maps tell nothing of the layer behind them
    m_width->setEnabled(drawn && source.input.empty());
    m_width->setSpecialValueText(hasWidth ? QString() : QStringLiteral("–"));
    m_heads->setEnabled(projected);
    m_kvHeads->setEnabled(drawn);
    m_seed->setEnabled(projected);
    m_positions->setEnabled(projected && source.input.empty());
    m_tokenizer->setEnabled(!source.lines.empty());
    QStringList files;
    for (const auto& path :
         {source.weights, source.input, source.context, source.qkv, source.maps}) {
        if (!path.empty()) {
            files += fileName(path);
        }
    }
    m_file->setText(
        files.isEmpty()
            ? QString()
            : tr("From %1, which decides the greyed fields").arg(files.join(QLatin1String(", "))));
    for (QWidget* field : {static_cast<QWidget*>(m_width), static_cast<QWidget*>(m_heads),
                           static_cast<QWidget*>(m_kvHeads)}) {
        field->setAccessibleDescription(field->isEnabled() ? QString() : m_file->text());
    }
    m_file->setVisible(!files.isEmpty());
    m_showing = false;
    showState();
}

/// What the source asks for, with what its files decide: as the run found it there.
LayerConfig SourceSection::layerInForce() const
{
    const Document& document = *m_workspace.document;
    const Source& source = document.source();
    LayerConfig layer = source.layer;
    const RunPtr run = document.run();
    const bool isOfTheseFiles = run != nullptr && run->source().weights == source.weights &&
                                run->source().input == source.input &&
                                run->source().qkv == source.qkv &&
                                run->source().maps == source.maps;
    if (!isOfTheseFiles) {
        return layer;
    }
    const bool isFinished = !source.qkv.empty() || !source.maps.empty();
    if (isFinished) {
        layer.heads = run->maps()->shape().heads;
        layer.positions = run->layer().positions;
    }
    if (isFinished || !source.weights.empty()) {
        layer.kvHeads = run->layer().kvHeads;
        layer.headSize = run->layer().headSize;
    }
    if (isFinished || !source.weights.empty() || !source.input.empty()) {
        layer.modelWidth = source.maps.empty() ? run->layer().modelWidth : 0; // maps know none
    }
    return layer;
}

void SourceSection::showState()
{
    const LayerConfig layer = layerInForce();
    const bool splits = layer.heads > 0 && layer.modelWidth > 0 &&
                        (layer.headSize > 0 || layer.modelWidth % layer.heads == 0);
    m_headWidth->setText(splits ? QStringLiteral("d_k %1").arg(layer.headWidth()) : QString());
    const auto& error = m_workspace.document->error();
    const bool ours = error && concernsLayer(m_workspace.document->source());
    m_heads->setProperty("heedInvalid", ours && !splits);
    m_heads->update();
    m_kvHeads->setProperty("heedInvalid", ours && splits);
    m_kvHeads->update();
    if (ours) {
        // The ways out are buttons in the place of the map.
        m_problem->show(errorText(*error, m_workspace.document->source()).detail);
    } else {
        m_problem->clear();
    }
}

void SourceSection::retranslate()
{
    m_heading->setText(tr("Source"));
    m_widthLabel->setText(tr("Model width d_model"));
    m_headsLabel->setText(tr("Heads"));
    m_kvLabel->setText(tr("Key/value heads"));
    m_kvHeads->setSpecialValueText(tr("as heads"));
    m_seedLabel->setText(tr("Seed"));
    m_positionsLabel->setText(tr("Positions"));
    m_positions->setItemText(0, tr("none"));
    m_positions->setItemText(1, tr("sinusoidal"));
    m_positions->setItemText(2, tr("rotary"));
    m_tokenizerLabel->setText(tr("Tokens are"));
    m_tokenizer->setItemText(0, tr("words"));
    m_tokenizer->setItemText(1, tr("characters"));
    m_scaledLabel->setText(tr("Scale by 1/√d_k"));
    m_biasedLabel->setText(tr("Bias"));
    for (const auto& [field, label] : {std::pair<QWidget*, QLabel*>{m_width, m_widthLabel},
                                       {m_heads, m_headsLabel},
                                       {m_kvHeads, m_kvLabel},
                                       {m_seed, m_seedLabel},
                                       {m_positions, m_positionsLabel},
                                       {m_tokenizer, m_tokenizerLabel}}) {
        field->setAccessibleName(label->text());
    }
    m_kvHeads->setToolTip(
        tr("Fewer key/value heads than heads: grouped queries. Several heads share keys."));
    showSource();
}

void SourceSection::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
}

} // namespace heed::ui
