// Facts of the checkpoint and the three choices it has, in step with the document.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/modelsection.h"

#include "heed/model.h"
#include "heed/tokenizerfile.h"
#include "mainwindow/actions.h"
#include "views/viewtext.h"
#include "widgets/keyvaluetable.h"
#include "widgets/labels.h"
#include "widgets/switchbutton.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QLocale>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace heed::ui {

namespace {

constexpr int ScopeWidth = 128;
enum Scope { EveryLayer, OneLayer };

/// The folder of a model, or its file when that is what was opened.
QString nameOf(const std::filesystem::path& model)
{
    const auto name = model.filename().empty() ? model.parent_path().filename() : model.filename();
    return QString::fromStdString(name.string());
}

/// Whether the tokenizer puts tokens of its own around a text.
bool addsTokens(const Run& run)
{
    if (run.tokenizer() == nullptr) {
        return false;
    }
    const auto empty = run.tokenizer()->encodeTexts({}, std::nullopt, SpecialTokens::Add);
    return empty && !empty->tokens.empty();
}

} // namespace

ModelSection::ModelSection(const Workspace& workspace, QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
{
    build();
    connectFields();
    retranslate();
}

void ModelSection::build()
{
    const Actions& actions = *m_workspace.actions;
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    auto* headingRow = new QHBoxLayout;
    headingRow->setSpacing(4);
    headingRow->addWidget(m_heading = new SectionHeading({}, this), 1);
    for (const auto id : {ActionId::OpenModel, ActionId::Sandbox}) {
        auto* button = new QToolButton(this);
        button->setDefaultAction(actions[id]);
        button->setProperty("heedBoxed", true);
        headingRow->addWidget(button);
    }
    layout->addLayout(headingRow);
    layout->addWidget(m_name = new ElidedLabel(this));
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    m_name->setFont(bold);
    layout->addWidget(m_facts = new KeyValueTable(this));
    layout->addSpacing(2);
    m_specialRow = fieldRow(m_specialLabel = new MutedLabel({}, this),
                            new SwitchButton(actions[ActionId::SpecialTokens], this), this);
    layout->addWidget(m_specialRow);
    layout->addWidget(m_pairLabel = new MutedLabel({}, this));
    layout->addWidget(m_pair = new QLineEdit(this));
    m_pair->setClearButtonEnabled(true);
    m_pairLabel->setBuddy(m_pair);
    buildDecoding();
    layout->addWidget(m_decoding);
    m_scope = new QComboBox(this);
    m_scope->addItems({QString(), QString()});
    m_scope->setMinimumWidth(ScopeWidth);
    layout->addWidget(fieldRow(m_scopeLabel = new MutedLabel({}, this), m_scope, this));
}

void ModelSection::buildDecoding()
{
    m_decoding = new QWidget(this);
    auto* layout = new QVBoxLayout(m_decoding);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addWidget(m_targetLabel = new MutedLabel({}, m_decoding));
    layout->addWidget(m_target = new QLineEdit(m_decoding));
    m_target->setClearButtonEnabled(true);
    m_targetLabel->setBuddy(m_target);
    layout->addWidget(m_attentionLabel = new MutedLabel({}, m_decoding));
    layout->addWidget(m_attention = new QComboBox(m_decoding));
    m_attention->addItems({QString(), QString(), QString()});
    m_attentionLabel->setBuddy(m_attention);
}

void ModelSection::connectFields()
{
    connect(m_pair, &QLineEdit::textEdited, this, &ModelSection::editPair);
    connect(m_target, &QLineEdit::textEdited, this, &ModelSection::editTarget);
    connect(m_attention, &QComboBox::activated, this, &ModelSection::chooseAttention);
    connect(m_scope, &QComboBox::activated, this, &ModelSection::chooseMaskScope);
    connect(m_workspace.document, &Document::sourceChanged, this, &ModelSection::showSource);
    connect(m_workspace.document, &Document::runChanged, this, &ModelSection::showModel);
    connect(m_workspace.selection, &SelectionModel::mapChanged, this, [this] {
        showPair();
        showTarget();
        showMaskScope();
    });
}

void ModelSection::editPair(const QString& text)
{
    editSource(m_workspace, tr("second text"), MergeId::Pair, [&](Source& source) {
        source.pairLines.resize(source.lines.size());
        const auto item = static_cast<std::size_t>(m_workspace.selection->map().item);
        if (item < source.pairLines.size()) {
            source.pairLines[item] = text.toStdString();
        }
        if (std::ranges::all_of(source.pairLines, &std::string::empty)) {
            source.pairLines.clear();
        }
    });
}

void ModelSection::editTarget(const QString& text)
{
    editSource(m_workspace, tr("target text"), MergeId::Target, [&](Source& source) {
        source.targetLines.resize(source.lines.size());
        const auto item = static_cast<std::size_t>(m_workspace.selection->map().item);
        if (item < source.targetLines.size()) {
            source.targetLines[item] = text.toStdString();
        }
        if (std::ranges::all_of(source.targetLines, &std::string::empty)) {
            source.targetLines.clear();
        }
    });
}

void ModelSection::chooseAttention(int index)
{
    editSource(m_workspace, tr("attention"), [index](Source& source) {
        source.attention = AllAttentionSets.at(static_cast<std::size_t>(index));
        source.maskLayer = -1; // the layers are others
    });
}

void ModelSection::chooseMaskScope(int index)
{
    const std::int64_t layer = index == OneLayer ? m_workspace.selection->map().layer : -1;
    editSource(m_workspace, tr("where the mask acts"),
               [layer](Source& source) { source.maskLayer = layer; });
}

void ModelSection::showSource()
{
    const Source& source = m_workspace.document->source();
    m_name->setText(nameOf(source.model));
    m_name->setToolTip(QString::fromStdString(source.model.string()));
    showModel();
    showPair();
    showTarget();
    showMaskScope();
}

void ModelSection::showModel()
{
    const RunPtr run = m_workspace.document->run();
    const bool isOurs = run != nullptr && run->model() != nullptr &&
                        run->source().model == m_workspace.document->source().model;
    m_facts->setVisible(isOurs);
    if (!isOurs) {
        return;
    }
    const ModelConfig& config = *run->model();
    m_specialRow->setVisible(addsTokens(*run));
    const ModelConfig* decoder = config.decoder.get();
    m_decoding->setVisible(decoder != nullptr);
    m_pairLabel->setVisible(decoder == nullptr);
    m_pair->setVisible(decoder == nullptr);
    const QLocale locale;
    const bool isGrouped = config.kvHeads != config.heads;
    std::vector<KeyValue> rows = {
        {tr("Family"), QString::fromStdString(config.title)},
        {tr("Layers"), locale.toString(qint64(config.layers)), false,
         decoder != nullptr ? tr("decoder %1").arg(decoder->layers) : QString()},
        {tr("Heads"), locale.toString(qint64(config.heads)), false,
         isGrouped            ? tr("k/v %1", "number of key/value heads").arg(config.kvHeads)
         : decoder != nullptr ? tr("decoder %1").arg(decoder->heads)
                              : QString()},
        {tr("Width d_model"), locale.toString(qint64(config.width)), false,
         QStringLiteral("d_k %1").arg(config.headSize)},
        {tr("Vocabulary"), locale.toString(qint64(config.vocabulary)), false, tr("tokens")},
    };
    if (config.longest > 0) {
        rows.insert(rows.end() - 1, {tr("Longest text"), locale.toString(qint64(config.longest)),
                                     false, tr("tokens")});
    }
    if (config.layerGroups > 0) {
        rows.push_back({tr("Layers share weights"), locale.toString(qint64(config.layerGroups)),
                        false, tr("groups")});
    }
    if (const auto windows = std::ranges::count_if(config.windows, [](auto w) { return w > 0; });
        windows > 0) {
        rows.push_back({tr("Layers with a window"), locale.toString(qint64(windows))});
    }
    m_facts->setRows(rows);
}

void ModelSection::showPair()
{
    const Source& source = m_workspace.document->source();
    const auto item = static_cast<std::size_t>(m_workspace.selection->map().item);
    const QString pair =
        item < source.pairLines.size() ? QString::fromStdString(source.pairLines[item]) : QString();
    if (m_pair->text() != pair) {
        m_pair->setText(pair);
    }
    m_pair->setEnabled(!source.lines.empty());
}

void ModelSection::showTarget()
{
    const Source& source = m_workspace.document->source();
    const auto item = static_cast<std::size_t>(m_workspace.selection->map().item);
    const QString target = item < source.targetLines.size()
                               ? QString::fromStdString(source.targetLines[item])
                               : QString();
    if (m_target->text() != target) {
        m_target->setText(target);
    }
    m_target->setEnabled(!source.lines.empty() && source.targetIds.empty());
    m_attention->setCurrentIndex(static_cast<int>(source.attention));
}

void ModelSection::showMaskScope()
{
    const std::int64_t chosen = m_workspace.document->source().maskLayer;
    const std::int64_t layer = chosen >= 0 ? chosen : m_workspace.selection->map().layer;
    m_scope->setItemText(OneLayer, tr("layer %1 only").arg(layer));
    m_scope->setCurrentIndex(chosen >= 0 ? OneLayer : EveryLayer);
}

void ModelSection::retranslate()
{
    m_heading->setText(tr("Model"));
    m_specialLabel->setText(tr("Special tokens"));
    m_pairLabel->setText(tr("Second text"));
    m_pair->setAccessibleName(m_pairLabel->text());
    m_pair->setPlaceholderText(tr("none; makes a pair of the line that is shown"));
    m_targetLabel->setText(tr("Target text"));
    m_target->setAccessibleName(m_targetLabel->text());
    m_target->setPlaceholderText(tr("none; the decoder has its start token"));
    m_target->setToolTip(tr("What the decoder is given for the line that is shown. It predicts "
                            "what comes next."));
    m_attentionLabel->setText(tr("Attention"));
    m_attention->setAccessibleName(m_attentionLabel->text());
    for (const AttentionSet set : AllAttentionSets) {
        m_attention->setItemText(static_cast<int>(set), attentionSetText(set));
    }
    m_attention->setItemData(0, tr("source to source"), Qt::ToolTipRole);
    m_attention->setItemData(1, tr("target to target"), Qt::ToolTipRole);
    m_attention->setItemData(2, tr("target to source"), Qt::ToolTipRole);
    m_scopeLabel->setText(tr("Your mask acts on"));
    m_scope->setAccessibleName(m_scopeLabel->text());
    m_scope->setItemText(EveryLayer, tr("every layer"));
    m_scope->setToolTip(tr("Every layer: what the model would do. One layer: what comes into it "
                           "stays as it is without your mask."));
    showSource();
}

void ModelSection::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
}

} // namespace heed::ui
