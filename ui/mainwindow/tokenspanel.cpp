// A table of tokens with a search field over it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/tokenspanel.h"

#include "mainwindow/actions.h"
#include "widgets/labels.h"
#include "widgets/theme.h"
#include "widgets/tokenmodel.h"

#include <QEvent>
#include <QHeaderView>
#include <QLineEdit>
#include <QTableView>
#include <QVBoxLayout>

namespace heed::ui {

TokensPanel::TokensPanel(const Workspace& workspace, QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_find(new QLineEdit(this))
    , m_count(new MutedLabel({}, this))
    , m_table(new QTableView(this))
    , m_model(new TokenModel(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(14, 12, 14, 14);
    layout->setSpacing(8);
    layout->addWidget(m_find);
    layout->addWidget(m_count);
    layout->addWidget(m_table, 1);
    m_find->setClearButtonEnabled(true);
    m_table->setModel(m_model);
    m_table->setShowGrid(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(TokenModel::Piece, QHeaderView::Stretch);
    // Identities are 16 digits; they are of use to few and cost the width of the panel.
    m_table->setColumnHidden(TokenModel::Identity, true);
    connect(m_find, &QLineEdit::textChanged, this, &TokensPanel::showMatches);
    connect(m_find, &QLineEdit::returnPressed, this, [this] { findNext(1); });
    connect(m_table, &QAbstractItemView::clicked, this,
            [this](const QModelIndex& index) { pin(index.row()); });
    connect(m_table, &QAbstractItemView::activated, this,
            [this](const QModelIndex& index) { pin(index.row()); });
    connect(m_workspace.document, &Document::runChanged, this, &TokensPanel::showTokens);
    connect(m_workspace.selection, &SelectionModel::mapChanged, this, &TokensPanel::showTokens);
    retranslate();
    showTokens();
}

void TokensPanel::focusFind()
{
    m_find->setFocus(Qt::ShortcutFocusReason);
    m_find->selectAll();
}

void TokensPanel::showTokens()
{
    const RunPtr run = m_workspace.document->run();
    const std::int64_t item = m_workspace.selection->map().item;
    if (run == nullptr || item >= run->queryTokens().size()) {
        m_model->setTokens({});
    } else {
        m_model->setTokens(run->queryTokens().items[static_cast<std::size_t>(item)]);
    }
    showMatches();
}

std::vector<int> TokensPanel::matches() const
{
    std::vector<int> rows;
    const QString wanted = m_find->text();
    if (wanted.isEmpty()) {
        return rows;
    }
    const auto& tokens = m_model->tokens();
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (QString::fromStdString(tokens[i].text).contains(wanted, Qt::CaseInsensitive)) {
            rows.push_back(static_cast<int>(i));
        }
    }
    return rows;
}

void TokensPanel::showMatches()
{
    const std::vector<int> rows = matches();
    m_count->setText(m_find->text().isEmpty()
                         ? tr("%n token(s)", nullptr, m_model->rowCount())
                         : tr("%n match(es)", nullptr, static_cast<int>(rows.size())));
    if (!rows.empty()) {
        m_table->selectRow(rows.front());
        m_table->scrollTo(m_model->index(rows.front(), 0));
    } else {
        m_table->clearSelection();
    }
}

void TokensPanel::findNext(int step)
{
    const std::vector<int> rows = matches();
    if (rows.empty()) {
        focusFind();
        return;
    }
    const int current = static_cast<int>(m_workspace.selection->pinned().query);
    int next = step > 0 ? rows.front() : rows.back(); // around the end
    if (step > 0) {
        if (const auto found = std::upper_bound(rows.begin(), rows.end(), current);
            found != rows.end()) {
            next = *found;
        }
    } else if (const auto found = std::lower_bound(rows.begin(), rows.end(), current);
               found != rows.begin()) {
        next = *std::prev(found);
    }
    pin(next);
}

void TokensPanel::pin(int token)
{
    SelectionModel& selection = *m_workspace.selection;
    m_table->selectRow(token);
    m_table->scrollTo(m_model->index(token, 0));
    const qint64 key = selection.pinned().isValid() ? selection.pinned().key : token;
    selection.pin({token, std::min<qint64>(key, selection.shape().keys - 1)});
}

void TokensPanel::retranslate()
{
    m_find->setPlaceholderText(tr("Find token"));
    m_find->setAccessibleName(tr("Find token"));
    m_table->setAccessibleName(tr("Tokens of the line"));
    m_model->retranslate();
    showMatches();
}

void TokensPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
}

} // namespace heed::ui
