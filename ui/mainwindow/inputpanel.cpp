// The text field and what hangs under it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/inputpanel.h"

#include "mainwindow/masksection.h"
#include "mainwindow/modelsection.h"
#include "mainwindow/sourcesection.h"
#include "widgets/labels.h"
#include "widgets/textfield.h"
#include "widgets/theme.h"
#include "widgets/tokenmodel.h"
#include "widgets/tokenstrip.h"

#include <QAbstractTextDocumentLayout>
#include <QComboBox>
#include <QEvent>
#include <QStyle>
#include <QTextBlock>
#include <QTextLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

namespace heed::ui {

namespace {
constexpr int Margin = 14;
constexpr int MinLines = 3; // of the text field
constexpr int MaxLines = 10;
constexpr int MaxItems = 500; // entries of the chooser; more are reached by the keys

/// Wrapping a word takes a time that grows with the square of its length.
bool hasEndlessWord(const QString& line)
{
    constexpr int Endless = 5000;
    int length = 0;
    for (const QChar c : line) {
        length = c.isSpace() ? 0 : length + 1;
        if (length > Endless) {
            return true;
        }
    }
    return false;
}
} // namespace

std::vector<std::string> linesOf(const QString& text)
{
    QStringList lines = text.split(QLatin1Char('\n'));
    while (!lines.isEmpty() && lines.last().trimmed().isEmpty()) {
        lines.removeLast();
    }
    std::vector<std::string> result;
    for (const QString& line : lines) {
        result.push_back(QString(line).remove(QLatin1Char('\r')).toStdString());
    }
    return result;
}

InputPanel::InputPanel(const Workspace& workspace, QWidget* parent)
    : QScrollArea(parent)
    , m_workspace(workspace)
{
    build();
    retranslate();
    showSource();
    showRun();
    connect(m_workspace.document, &Document::sourceChanged, this, &InputPanel::showSource);
    connect(m_workspace.document, &Document::runChanged, this, &InputPanel::showRun);
    connect(m_workspace.document, &Document::stateChanged, this, &InputPanel::showNotes);
    connect(m_workspace.selection, &SelectionModel::mapChanged, this, &InputPanel::showItem);
    connect(m_workspace.selection, &SelectionModel::pinChanged, this, [this] {
        m_strip->setChosen(static_cast<int>(m_workspace.selection->pinned().query));
    });
}

void InputPanel::build()
{
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    auto* content = new QWidget(this);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(Margin, 4, Margin, Margin);
    layout->setSpacing(2);

    layout->addWidget(m_textHeading = new SectionHeading({}, content));
    m_text = new TextField(content);
    m_text->setTabChangesFocus(true);
    m_text->setUndoRedoEnabled(false); // the document's undo has every step
    m_text->setLineWrapMode(TextField::WidgetWidth);
    m_text->document()->setDocumentMargin(7);
    m_textHeading->setBuddy(m_text);
    layout->addWidget(m_text);
    connect(m_text, &TextField::textChanged, this, &InputPanel::editText);
    connect(m_text->document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged,
            this, &InputPanel::fitText, Qt::QueuedConnection); // once the lines are laid out
    fitText();

    layout->addWidget(m_notes = new MutedLabel({}, content));
    m_notes->setFont(smallFont(font()));
    m_notes->setWordWrap(true);
    m_notes->setMinimumWidth(1); // a long word does not widen the panel
    m_notes->setTextFormat(Qt::PlainText);

    m_item = new QComboBox(content);
    m_item->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_item->setMinimumContentsLength(16);
    m_itemRow = fieldRow(m_itemLabel = new MutedLabel({}, content), m_item, content);
    layout->addSpacing(4);
    layout->addWidget(m_itemRow);
    connect(m_item, &QComboBox::activated, this, [this](int index) {
        MapIndex map = m_workspace.selection->map();
        map.item = index;
        m_workspace.selection->setMap(map);
    });

    layout->addWidget(m_source = new SourceSection(m_workspace, content));
    layout->addWidget(m_model = new ModelSection(m_workspace, content));
    layout->addWidget(m_masks = new MaskSection(m_workspace, content));
    layout->addWidget(m_tokensHeading = new SectionHeading({}, content));
    m_tokens = new TokenModel(this);
    m_strip = new TokenStrip(m_tokens, content);
    m_tokensHeading->setBuddy(m_strip);
    layout->addWidget(m_strip);
    connect(m_strip, &TokenStrip::tokenActivated, this, [this](int token) {
        m_chosen = token;
        pinChosen();
    });
    connect(m_workspace.service, &EngineService::rowReady, this, &InputPanel::pinChosen);
    layout->addStretch(1);
    setWidget(content);

    // The wheel scrolls the panel; a field under the pointer changes only when it has the focus.
    for (QWidget* field : content->findChildren<QWidget*>()) {
        if (field->inherits("QAbstractSpinBox") || field->inherits("QComboBox")) {
            field->setFocusPolicy(Qt::StrongFocus);
            field->installEventFilter(this);
        }
    }
}

bool InputPanel::eventFilter(QObject* watched, QEvent* event)
{
    // The scroll area itself watches its content and its bars with this filter.
    const bool isField = watched->inherits("QAbstractSpinBox") || watched->inherits("QComboBox");
    if (event->type() == QEvent::Wheel && isField && !static_cast<QWidget*>(watched)->hasFocus()) {
        event->ignore();
        return true;
    }
    return QScrollArea::eventFilter(watched, event);
}

void InputPanel::fitText()
{
    // Lines differ in height: Chinese ones are taller than Latin ones.
    const int line = m_text->fontMetrics().lineSpacing();
    double text = 0;
    for (QTextBlock block = m_text->document()->begin(); block.isValid() && text < MaxLines * line;
         block = block.next()) {
        text += std::max<double>(line, block.layout()->boundingRect().height());
    }
    const int height =
        std::clamp(static_cast<int>(std::ceil(text)), MinLines * line, MaxLines * line) +
        2 * static_cast<int>(m_text->document()->documentMargin()) + 4;
    if (height != m_text->height()) {
        m_text->setFixedHeight(height);
    }
}

void InputPanel::focusText(bool select)
{
    m_text->setFocus(Qt::ShortcutFocusReason);
    if (select) {
        m_text->selectAll();
    }
    ensureWidgetVisible(m_text);
}

void InputPanel::focusExpression()
{
    m_masks->focusExpression();
    ensureWidgetVisible(m_masks);
}

void InputPanel::editText()
{
    if (m_showing) {
        return;
    }
    std::vector<std::string> lines = linesOf(m_text->toPlainText());
    if (lines.empty()) {
        lines.emplace_back(); // an error that says so, in place of the map
    }
    editSource(m_workspace, tr("text"), MergeId::Text, [&](Source& source) {
        for (auto* others : {&source.pairLines, &source.targetLines}) {
            if (!others->empty()) {
                others->resize(lines.size());
            }
        }
        source.lines = std::move(lines);
    });
}

void InputPanel::showSource()
{
    m_showing = true;
    const Source& source = m_workspace.document->source();
    if (linesOf(m_text->toPlainText()) != source.lines) {
        QStringList lines;
        for (const std::string& line : source.lines) {
            lines += QString::fromStdString(line);
        }
        const int position = m_text->textCursor().position();
        const bool wraps = std::none_of(lines.begin(), lines.end(), hasEndlessWord);
        m_text->setLineWrapMode(wraps ? TextField::WidgetWidth : TextField::NoWrap);
        m_text->setPlainText(lines.join(QLatin1Char('\n')));
        QTextCursor cursor = m_text->textCursor();
        cursor.setPosition(std::min(position, m_text->document()->characterCount() - 1));
        m_text->setTextCursor(cursor);
    }
    m_text->setEnabled(source.input.empty() && source.qkv.empty() && source.maps.empty() &&
                       source.ids.empty());
    m_source->setVisible(source.model.empty());
    m_model->setVisible(!source.model.empty());
    m_showing = false;
}

void InputPanel::showRun()
{
    m_chosen = -1;
    const RunPtr run = m_workspace.document->run();
    const std::int64_t items = run != nullptr ? run->maps()->shape().items : 0;
    m_item->clear();
    for (std::int64_t item = 0; item < std::min<std::int64_t>(items, MaxItems); ++item) {
        QString words;
        if (const auto& lines = run->source().lines;
            item < static_cast<std::int64_t>(lines.size())) {
            words = QString::fromStdString(lines[static_cast<std::size_t>(item)]).left(40);
        }
        m_item->addItem(tr("%1 of %2", "line of a batch").arg(item + 1).arg(items) +
                        (words.isEmpty() ? QString() : QStringLiteral(" · ") + words));
    }
    m_itemRow->setVisible(items > 1);
    showItem();
    showNotes();
}

void InputPanel::showNotes()
{
    const RunPtr run = m_workspace.document->run();
    QStringList notes;
    if (run != nullptr && !m_workspace.document->isRefused()) {
        for (const std::string& said : run->notes()) {
            const QString note = QString::fromStdString(said);
            notes << note.left(1).toUpper() + note.mid(1);
        }
    }
    m_notes->setText(notes.join(QLatin1Char('\n')));
    m_notes->setVisible(!notes.isEmpty());
}

void InputPanel::showItem()
{
    const RunPtr run = m_workspace.document->run();
    const std::int64_t item = m_workspace.selection->map().item;
    m_item->setCurrentIndex(static_cast<int>(item));
    if (run == nullptr || item >= run->queryTokens().size()) {
        m_tokens->setTokens({});
    } else {
        m_tokens->setTokens(run->queryTokens().items[static_cast<std::size_t>(item)]);
    }
    m_strip->setChosen(static_cast<int>(m_workspace.selection->pinned().query));
    const bool areTargets = run != nullptr && run->source().attention != AttentionSet::Encoder;
    m_tokensHeading->setText(areTargets ? tr("Target tokens") : tr("Tokens"));
    m_strip->setVisible(m_tokens->rowCount() > 0);
    m_tokensHeading->setVisible(m_tokens->rowCount() > 0);
}

void InputPanel::pinChosen()
{
    SelectionModel& selection = *m_workspace.selection;
    if (m_chosen >= selection.shape().queries) {
        m_chosen = -1;
    }
    if (m_chosen < 0) {
        return;
    }
    const RowPtr row = m_workspace.service->row(
        {selection.map(), m_workspace.view->settings().quantity, m_chosen});
    if (row == nullptr) {
        return;
    }
    const qint64 query = std::exchange(m_chosen, -1);
    qint64 key = selection.pinned().isValid() ? selection.pinned().key
                                              : std::min<qint64>(query, selection.shape().keys - 1);
    if (!row->stats.argmax.empty() && row->stats.argmax.front() >= 0) {
        key = row->stats.argmax.front(); // where this query looks most
    }
    selection.pin({query, key});
}

QSize InputPanel::minimumSizeHint() const
{
    const int bar = style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, this);
    return {widget()->minimumSizeHint().width() + bar, 120};
}

void InputPanel::retranslate()
{
    m_textHeading->setText(tr("Text · one line per item"));
    m_text->setAccessibleName(tr("Text, one line per item"));
    m_text->setPlaceholderText(tr("Type a sentence"));
    m_itemLabel->setText(tr("Show line"));
    m_item->setAccessibleName(tr("Line of the batch that is shown"));
    m_strip->setAccessibleName(tr("Tokens; choosing one pins its row"));
    m_tokens->retranslate();
    showRun();
}

void InputPanel::changeEvent(QEvent* event)
{
    QScrollArea::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
}

} // namespace heed::ui
