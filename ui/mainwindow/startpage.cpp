// Three ways to begin, recent files, and the key that finds everything.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/startpage.h"

#include "mainwindow/actions.h"
#include "widgets/card.h"
#include "widgets/labels.h"
#include "widgets/messagebar.h"
#include "widgets/theme.h"

#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace heed::ui {

namespace {
constexpr int PageWidth = 520;
constexpr int MaxRecent = 5;
constexpr int MaxModels = 5;

void clearLines(QVBoxLayout* lines)
{
    while (QLayoutItem* item = lines->takeAt(0)) {
        if (item->widget() != nullptr) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
}

/// A line of a list of things to open: its name, then where it is.
QToolButton* addLine(QVBoxLayout* lines, QWidget* parent, const QString& name, const QString& place,
                     const QString& path)
{
    auto* button = new QToolButton(parent);
    button->setText(place.isEmpty() ? name : name + QStringLiteral("   ") + place);
    button->setToolTip(path);
    button->setAccessibleName(name);
    button->setAutoRaise(true);
    lines->addWidget(button, 0, Qt::AlignLeft);
    return button;
}
} // namespace

StartPage::StartPage(const Workspace& workspace, QWidget* parent)
    : QScrollArea(parent)
    , m_workspace(workspace)
{
    viewport()->setBackgroundRole(QPalette::Base);
    // Scrolls where the window is lower than the page.
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    auto* content = new QWidget(this);
    content->setBackgroundRole(QPalette::Base);
    auto* outer = new QGridLayout(content);
    outer->setRowStretch(0, 2);
    outer->setRowStretch(2, 3);
    outer->setColumnStretch(0, 1);
    outer->setColumnStretch(2, 1);
    auto* page = new QWidget(content);
    page->setFixedWidth(PageWidth);
    outer->addWidget(page, 1, 1);

    auto* layout = new QVBoxLayout(page);
    layout->setSpacing(8);
    layout->addWidget(m_title = new QLabel(page));
    QFont large = font();
    large.setPointSizeF(large.pointSizeF() * 1.8);
    large.setWeight(QFont::DemiBold);
    m_title->setFont(large);
    layout->addWidget(m_subtitle = new MutedLabel({}, page));
    m_subtitle->setWordWrap(true);
    layout->addSpacing(8);
    layout->addWidget(m_offers = new MessageBar(page));

    auto* grid = new QGridLayout;
    grid->setVerticalSpacing(10);
    grid->setHorizontalSpacing(14);
    grid->setColumnStretch(1, 1);
    const auto row = [&](int at, QPushButton*& button, QLabel*& note, ActionId id) {
        button = new QPushButton(page);
        button->setMinimumWidth(190);
        note = new MutedLabel({}, page);
        note->setWordWrap(true);
        grid->addWidget(button, at, 0);
        grid->addWidget(note, at, 1);
        connect(button, &QPushButton::clicked, (*m_workspace.actions)[id], &QAction::trigger);
    };
    row(0, m_example, m_exampleNote, ActionId::Example);
    row(1, m_sentence, m_sentenceNote, ActionId::EditText);
    row(2, m_open, m_openNote, ActionId::Open);
    m_example->setProperty("heedPrimary", true);
    layout->addLayout(grid);

    layout->addSpacing(4);
    const auto list = [&](SectionHeading*& heading, QWidget*& box, QVBoxLayout*& lines) {
        layout->addWidget(heading = new SectionHeading({}, page));
        layout->addWidget(box = new QWidget(page));
        lines = new QVBoxLayout(box);
        lines->setContentsMargins(0, 0, 0, 0);
        lines->setSpacing(0);
    };
    list(m_modelsHeading, m_models, m_modelsLayout);
    list(m_recentHeading, m_recent, m_recentLayout);
    setModels({});
    setRecentFiles({});

    layout->addSpacing(12);
    auto* dropCard = new Card(page);
    auto* dropLayout = new QVBoxLayout(dropCard);
    dropLayout->setContentsMargins(16, 16, 16, 16);
    dropLayout->addWidget(m_drop = new MutedLabel({}, dropCard));
    m_drop->setAlignment(Qt::AlignCenter);
    m_drop->setWordWrap(true);
    layout->addWidget(dropCard);
    layout->addSpacing(4);
    layout->addWidget(m_palette = new MutedLabel({}, page));
    m_palette->setAlignment(Qt::AlignCenter);
    setWidget(content);
    retranslate();
}

void StartPage::setModels(const std::vector<FoundModel>& models)
{
    clearLines(m_modelsLayout);
    for (const FoundModel& model : models) {
        if (m_modelsLayout->count() == MaxModels) {
            break; // the menu has them all
        }
        const QString path = QString::fromStdString(model.path.string());
        QToolButton* button =
            addLine(m_modelsLayout, m_models, QString::fromStdString(model.name), QString(), path);
        connect(button, &QToolButton::clicked, this, [this, path] { Q_EMIT modelChosen(path); });
    }
    m_modelsHeading->setVisible(!models.empty());
    m_models->setVisible(!models.empty());
}

void StartPage::setRecentFiles(const QStringList& paths)
{
    clearLines(m_recentLayout);
    for (const QString& path : paths.mid(0, MaxRecent)) {
        QString folder = QFileInfo(path).absolutePath();
        if (folder.startsWith(QDir::homePath())) {
            folder.replace(0, QDir::homePath().size(), QStringLiteral("~"));
        }
        QToolButton* button =
            addLine(m_recentLayout, m_recent, QFileInfo(path).fileName(), folder, path);
        connect(button, &QToolButton::clicked, this, [this, path] { Q_EMIT recentChosen(path); });
    }
    m_recentHeading->setVisible(!paths.isEmpty());
    m_recent->setVisible(!paths.isEmpty());
}

void StartPage::retranslate()
{
    m_title->setText(tr("Heedmap"));
    m_subtitle->setText(
        tr("See what attention does: type a sentence, switch masks and heads, follow "
           "every number."));
    m_example->setText(tr("Worked example"));
    m_exampleNote->setText(tr("Six tokens, two heads, real numbers"));
    m_sentence->setText(tr("Type a sentence"));
    m_sentenceNote->setText(tr("Each line of the text is one item of the batch"));
    m_open->setText(tr("Open a file…"));
    m_openNote->setText(
        tr("Session, model, arrays (.npy, .npz, .safetensors, .json, .csv) or text"));
    m_modelsHeading->setText(tr("Models on this machine"));
    m_recentHeading->setText(tr("Recent"));
    m_drop->setText(tr("Drop a file or the folder of a model here"));
    m_palette->setText(tr("%1 finds every command")
                           .arg((*m_workspace.actions)[ActionId::Palette]->shortcut().toString(
                               QKeySequence::NativeText)));
    setAccessibleName(tr("Start page"));
}

void StartPage::changeEvent(QEvent* event)
{
    QScrollArea::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
}

} // namespace heed::ui
