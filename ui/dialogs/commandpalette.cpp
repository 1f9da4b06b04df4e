// Matching, and the popup.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "dialogs/commandpalette.h"

#include "widgets/labels.h"
#include "widgets/theme.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>

namespace heed::ui {

namespace {

constexpr int Width = 520;
constexpr int Height = 380;
constexpr int RowHeight = 30;

class CommandDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override
    {
        return {0, RowHeight}; // as wide as the list
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        const Colours& c = coloursOf(option.palette);
        const bool enabled = index.data(CommandModel::EnabledRole).toBool();
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if ((option.state & QStyle::State_Selected) != 0) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(c.accentSoft);
            painter->drawRoundedRect(option.rect.adjusted(4, 1, -4, -1), 5, 5);
        }
        const QRect text = option.rect.adjusted(14, 0, -14, 0);
        painter->setFont(option.font);
        painter->setPen(enabled ? c.text : c.graphic);
        painter->drawText(text, Qt::AlignVCenter | Qt::AlignLeft, index.data().toString());
        painter->setFont(numberFont(smallFont(option.font)));
        painter->setPen(c.mute);
        painter->drawText(text, Qt::AlignVCenter | Qt::AlignRight,
                          index.data(CommandModel::KeysRole).toString());
        painter->restore();
    }
};

} // namespace

int fuzzyScore(const QString& pattern, const QString& text)
{
    int score = 0;
    qsizetype at = 0;
    qsizetype last = -2;
    for (const QChar letter : pattern) {
        if (letter.isSpace()) {
            continue;
        }
        const qsizetype found = text.indexOf(letter, at, Qt::CaseInsensitive);
        if (found < 0) {
            return -1;
        }
        score += 1;
        if (found == last + 1) {
            score += 4;
        }
        if (found == 0 || !text[found - 1].isLetterOrNumber()) {
            score += 6;
        }
        last = found;
        at = found + 1;
    }
    return score;
}

CommandModel::CommandModel(QObject* parent)
    : QAbstractListModel(parent)
{
}

QString CommandModel::nameOf(const QAction* action)
{
    QString name = withoutMnemonic(action->text());
    if (name.endsWith(QChar(0x2026))) {
        name.chop(1);
    }
    return name;
}

void CommandModel::setActions(const QList<QAction*>& actions)
{
    m_all.clear();
    for (QAction* action : actions) {
        m_all += action;
    }
    setPattern({});
}

void CommandModel::setPattern(const QString& pattern)
{
    struct Match {
        int score;
        QPointer<QAction> action;
    };
    std::vector<Match> matches;
    for (const QPointer<QAction>& action : m_all) {
        if (action == nullptr) {
            continue;
        }
        const QString name = nameOf(action);
        int score = fuzzyScore(pattern, name);
        for (const QString& words : action->property(SearchWords).toStringList()) {
            score = std::max(score, fuzzyScore(pattern, words));
        }
        if (score >= 0) {
            // Among equals the shorter name is the closer answer.
            matches.push_back(
                {pattern.isEmpty() ? 0 : score * 64 - static_cast<int>(name.size()), action});
        }
    }
    std::stable_sort(matches.begin(), matches.end(),
                     [](const Match& a, const Match& b) { return a.score > b.score; });
    beginResetModel();
    m_shown.clear();
    for (const Match& match : matches) {
        m_shown += match.action;
    }
    endResetModel();
}

QAction* CommandModel::action(int row) const
{
    return row >= 0 && row < m_shown.size() ? m_shown[row].data() : nullptr;
}

int CommandModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

QVariant CommandModel::data(const QModelIndex& index, int role) const
{
    const QAction* command = action(index.row());
    if (command == nullptr) {
        return {};
    }
    switch (role) {
    case Qt::DisplayRole:
        return command->isChecked() && command->actionGroup() == nullptr
                   ? nameOf(command) + QStringLiteral("  ✓")
                   : nameOf(command);
    case Qt::ToolTipRole:
        return command->toolTip();
    case KeysRole:
        return command->shortcut().toString(QKeySequence::NativeText);
    case EnabledRole:
        return command->isEnabled();
    default:
        return {};
    }
}

Qt::ItemFlags CommandModel::flags(const QModelIndex& index) const
{
    return action(index.row()) != nullptr ? Qt::ItemIsEnabled | Qt::ItemIsSelectable
                                          : Qt::NoItemFlags;
}

CommandPalette::CommandPalette(QWidget* window)
    : QFrame(window, Qt::Popup)
    , m_window(window)
    , m_field(new QLineEdit(this))
    , m_list(new QListView(this))
    , m_model(new CommandModel(this))
{
    resize(Width, Height);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(6);
    layout->addWidget(m_field);
    layout->addWidget(m_list, 1);
    m_list->setModel(m_model);
    m_list->setItemDelegate(new CommandDelegate(m_list));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setUniformItemSizes(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->viewport()->setBackgroundRole(QPalette::Window);
    m_field->installEventFilter(this);
    setFocusProxy(m_field);
    connect(m_field, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_model->setPattern(text);
        m_list->setCurrentIndex(m_model->index(0));
    });
    connect(m_field, &QLineEdit::returnPressed, this, [this] { run(m_list->currentIndex()); });
    connect(m_list, &QAbstractItemView::clicked, this, &CommandPalette::run);
    retranslate();
}

QList<QAction*> CommandPalette::commandsOf(const QWidget* window)
{
    QList<QAction*> commands;
    for (QAction* action : window->findChildren<QAction*>()) {
        // Submenus are not commands; the actions of text fields (cut, clear) belong to them alone.
        const bool inField = qobject_cast<QLineEdit*>(action->parent()) != nullptr;
        if (!action->text().isEmpty() && !action->isSeparator() && action->menu() == nullptr &&
            action->isVisible() && !inField) {
            commands += action;
        }
    }
    return commands;
}

void CommandPalette::open()
{
    m_model->setActions(commandsOf(m_window));
    m_field->clear();
    m_list->setCurrentIndex(m_model->index(0));
    const QPoint corner((m_window->width() - Width) / 2, 80);
    move(m_window->mapToGlobal(corner));
    show();
    m_field->setFocus();
}

void CommandPalette::run(const QModelIndex& index)
{
    QPointer<QAction> action = m_model->action(index.row());
    if (action != nullptr && action->isEnabled()) {
        hide();
        action->trigger(); // exactly what its menu entry does
    }
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const int rows = m_model->rowCount();
        const int row = m_list->currentIndex().row();
        int next = -1;
        switch (key->key()) {
        case Qt::Key_Down:
            next = rows > 0 ? (row + 1) % rows : -1;
            break;
        case Qt::Key_Up:
            next = rows > 0 ? (row + rows - 1) % rows : -1;
            break;
        case Qt::Key_PageDown:
            next = std::min(row + 10, rows - 1);
            break;
        case Qt::Key_PageUp:
            next = std::max(row - 10, 0);
            break;
        default:
            return QFrame::eventFilter(watched, event);
        }
        if (next >= 0) {
            m_list->setCurrentIndex(m_model->index(next));
        }
        return true;
    }
    return QFrame::eventFilter(watched, event);
}

void CommandPalette::paintEvent(QPaintEvent*)
{
    const Colours& c = coloursOf(palette());
    QPainter painter(this);
    painter.fillRect(rect(), c.panel);
    painter.setPen(c.graphic);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void CommandPalette::retranslate()
{
    setAccessibleName(tr("Commands"));
    m_field->setPlaceholderText(tr("Type some letters of a command"));
    m_field->setAccessibleName(tr("Find a command"));
    m_list->setAccessibleName(tr("Commands"));
}

void CommandPalette::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
}

} // namespace heed::ui
