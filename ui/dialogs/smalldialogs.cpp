// Dialogs with a few rows each. They are opened with open() or shown without blocking, except where
// a command cannot go on without the answer.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "dialogs/smalldialogs.h"

#include "dialogs/commandpalette.h"
#include "views/viewtext.h"
#include "widgets/labels.h"
#include "widgets/theme.h"

#include <QAction>
#include <QApplication>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QRegularExpression>
#include <QTableWidget>
#include <QVBoxLayout>
#include <cmath>

namespace heed::ui {

namespace {

constexpr int RoomForTitle = 380; // with the name of the program behind it
constexpr double BytesOfGiB = 1 << 30;

QString translated(const char* text)
{
    return QCoreApplication::translate("SmallDialogs", text);
}

QTableWidget* makeTable(QWidget* parent, const QStringList& headers, int rows)
{
    auto* table = new QTableWidget(rows, static_cast<int>(headers.size()), parent);
    table->setHorizontalHeaderLabels(headers);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table->verticalHeader()->hide();
    table->setShowGrid(false);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setTabKeyNavigation(false);
    table->setWordWrap(true);
    return table;
}

/// A dialog with @p content and a Close button; deletes itself.
QDialog* makeWindow(const QString& title, QWidget* parent, QSize size)
{
    auto* dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    dialog->resize(size);
    auto* layout = new QVBoxLayout(dialog);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(12);
    return dialog;
}

void finish(QDialog* dialog)
{
    auto* box = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
    dialog->layout()->addWidget(box);
    QObject::connect(box, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    dialog->show();
}

} // namespace

std::optional<CellRef> parseCell(const QString& text)
{
    static const QRegularExpression pattern(
        QStringLiteral("^\\s*q?(\\d{1,18})\\s*(?:→|->|[,;:/\\s])\\s*k?(\\d{1,18})\\s*$"),
        QRegularExpression::CaseInsensitiveOption);
    const auto match = pattern.match(text);
    if (!match.hasMatch()) {
        return {};
    }
    return CellRef{match.captured(1).toLongLong(), match.captured(2).toLongLong()};
}

GoToCellDialog::GoToCellDialog(const MapsShape& shape, const CellRef& start, QWidget* parent)
    : QDialog(parent)
    , m_shape(shape)
    , m_field(new QLineEdit(this))
    , m_problem(new QLabel(this))
{
    setWindowTitle(tr("Go to cell"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(8);
    auto* label = new QLabel(tr("Query and key, for instance “10 2”:"), this);
    label->setBuddy(m_field);
    layout->addWidget(label);
    layout->addWidget(m_field);
    layout->addWidget(m_problem);
    m_problem->setForegroundRole(QPalette::BrightText);
    m_problem->setMinimumWidth(320);
    auto* box = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    m_accept = box->button(QDialogButtonBox::Ok);
    m_accept->setText(tr("Go"));
    layout->addWidget(box);
    connect(box, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_field, &QLineEdit::textChanged, this, &GoToCellDialog::check);
    m_field->setText(start.isValid() ? QStringLiteral("%1 %2").arg(start.query).arg(start.key)
                                     : QStringLiteral("0 0"));
    m_field->selectAll();
}

void GoToCellDialog::check(const QString& text)
{
    const auto cell = parseCell(text);
    QString problem;
    if (!cell) {
        problem = tr("Two numbers are needed.");
    } else if (cell->query >= m_shape.queries || cell->key >= m_shape.keys) {
        problem = tr("Queries run from 0 to %1, keys from 0 to %2.")
                      .arg(m_shape.queries - 1)
                      .arg(m_shape.keys - 1);
    } else {
        m_cell = *cell;
    }
    m_problem->setText(problem);
    m_field->setProperty("heedInvalid", !problem.isEmpty());
    m_field->update();
    m_accept->setEnabled(problem.isEmpty());
}

MemoryDialog::MemoryDialog(std::int64_t budget, QWidget* parent)
    : QDialog(parent)
    , m_usual(new QRadioButton(this))
    , m_most(new QRadioButton(this))
    , m_size(new QDoubleSpinBox(this))
{
    setWindowTitle(tr("Memory budget"));
    setMinimumWidth(RoomForTitle);
    const std::int64_t usual = usualMemoryBudget();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(10);
    m_usual->setText(usual > 0 ? tr("Three quarters of the free memory, now %1")
                                     .arg(QString::fromStdString(formatBytes(usual)))
                               : tr("Three quarters of the free memory"));
    layout->addWidget(m_usual);
    auto* row = new QHBoxLayout;
    row->addWidget(m_most);
    row->addWidget(m_size);
    row->addStretch(1);
    layout->addLayout(row);
    m_most->setText(tr("At most"));
    m_size->setAccessibleName(m_most->text());
    m_size->setSuffix(QStringLiteral(" GiB"));
    m_size->setDecimals(2);
    m_size->setRange(0.01, 65536);
    m_size->setSingleStep(0.5);
    m_size->setMinimumWidth(120);
    m_size->setValue(static_cast<double>(budget > 0 ? budget : usual) / BytesOfGiB);
    (budget > 0 ? m_most : m_usual)->setChecked(true);
    m_size->setEnabled(budget > 0);
    connect(m_most, &QRadioButton::toggled, m_size, &QWidget::setEnabled);
    auto* note =
        new MutedLabel(tr("A computation that would take more is refused before it begins."), this);
    note->setWordWrap(true);
    layout->addWidget(note);
    auto* box = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    layout->addWidget(box);
    connect(box, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

std::int64_t MemoryDialog::budget() const
{
    return m_most->isChecked() ? static_cast<std::int64_t>(m_size->value() * BytesOfGiB) : 0;
}

std::optional<std::pair<double, double>> askRange(double low, double high, QWidget* parent)
{
    QDialog dialog(parent);
    dialog.setWindowTitle(translated(QT_TRANSLATE_NOOP("SmallDialogs", "Range of the colours")));
    dialog.setMinimumWidth(RoomForTitle);
    auto* layout = new QFormLayout(&dialog);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(10);
    const auto field = [&](double value) {
        auto* spin = new QDoubleSpinBox(&dialog);
        spin->setRange(-1e9, 1e9);
        spin->setDecimals(4);
        spin->setMinimumWidth(140);
        spin->setValue(value);
        return spin;
    };
    QDoubleSpinBox* lowField = field(low);
    QDoubleSpinBox* highField = field(high);
    layout->addRow(translated(QT_TRANSLATE_NOOP("SmallDialogs", "Low end")), lowField);
    layout->addRow(translated(QT_TRANSLATE_NOOP("SmallDialogs", "High end")), highField);
    auto* box = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, &dialog);
    layout->addRow(box);
    QObject::connect(box, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
    QObject::connect(box, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    const auto check = [&] {
        box->button(QDialogButtonBox::Ok)->setEnabled(lowField->value() < highField->value());
    };
    QObject::connect(lowField, &QDoubleSpinBox::valueChanged, &dialog, check);
    QObject::connect(highField, &QDoubleSpinBox::valueChanged, &dialog, check);
    check();
    if (dialog.exec() != QDialog::Accepted) {
        return {};
    }
    return std::pair(lowField->value(), highField->value());
}

void showBackends(const std::vector<BackendReport>& reports, QWidget* parent)
{
    QDialog* dialog =
        makeWindow(translated(QT_TRANSLATE_NOOP("SmallDialogs", "Backends")), parent, {640, 320});
    auto* note = new MutedLabel(
        translated(QT_TRANSLATE_NOOP("SmallDialogs",
                                     "What can compute on this machine. The best score is used.")),
        dialog);
    note->setWordWrap(true);
    dialog->layout()->addWidget(note);
    auto* table =
        makeTable(dialog,
                  {translated(QT_TRANSLATE_NOOP("SmallDialogs", "Backend")),
                   translated(QT_TRANSLATE_NOOP("SmallDialogs", "State")),
                   translated(QT_TRANSLATE_NOOP("SmallDialogs", "Score")),
                   translated(QT_TRANSLATE_NOOP("SmallDialogs", "Description or reason"))},
                  static_cast<int>(reports.size()));
    table->setAccessibleName(dialog->windowTitle());
    for (std::size_t i = 0; i < reports.size(); ++i) {
        const BackendReport& report = reports[i];
        const int row = static_cast<int>(i);
        table->setItem(row, 0, new QTableWidgetItem(QString::fromStdString(report.name)));
        table->setItem(
            row, 1,
            new QTableWidgetItem(report.usable
                                     ? translated(QT_TRANSLATE_NOOP("SmallDialogs", "usable"))
                                     : translated(QT_TRANSLATE_NOOP("SmallDialogs", "refused"))));
        table->setItem(row, 2, new QTableWidgetItem(QString::number(report.score)));
        auto* detail = new QTableWidgetItem(backendText(report.detail));
        detail->setToolTip(QString::fromStdString(report.path));
        table->setItem(row, 3, detail);
    }
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table->horizontalHeader()->setSectionResizeMode(3, QHeaderView::Stretch);
    table->resizeRowsToContents();
    dialog->layout()->addWidget(table);
    finish(dialog);
}

void showShortcuts(const QWidget* window, QWidget* parent)
{
    QDialog* dialog = makeWindow(
        translated(QT_TRANSLATE_NOOP("SmallDialogs", "Keyboard shortcuts")), parent, {560, 640});
    QList<QAction*> commands;
    for (QAction* action : CommandPalette::commandsOf(window)) {
        if (!action->shortcut().isEmpty()) {
            commands += action;
        }
    }
    struct Key {
        QString name;
        QString keys;
    };
    std::vector<Key> rows;
    for (const QAction* action : commands) {
        QStringList keys;
        for (const QKeySequence& sequence : action->shortcuts()) {
            keys += sequence.toString(QKeySequence::NativeText);
        }
        rows.push_back({CommandModel::nameOf(action), keys.join(QStringLiteral(", "))});
    }
    // What a map does with keys of its own.
    for (const auto& [name, keys] :
         {std::pair{QT_TRANSLATE_NOOP("SmallDialogs", "Map: move the cell"), "← → ↑ ↓"},
          std::pair{QT_TRANSLATE_NOOP("SmallDialogs", "Map: pin the cell"), "Enter"},
          std::pair{QT_TRANSLATE_NOOP("SmallDialogs", "Map: unpin"), "Esc"},
          std::pair{QT_TRANSLATE_NOOP("SmallDialogs", "Map: next or previous head"),
                    "Page Up, Page Down"}}) {
        rows.push_back({translated(name), QString::fromUtf8(keys)});
    }
    auto* table = makeTable(dialog,
                            {translated(QT_TRANSLATE_NOOP("SmallDialogs", "Command")),
                             translated(QT_TRANSLATE_NOOP("SmallDialogs", "Keys"))},
                            static_cast<int>(rows.size()));
    table->setAccessibleName(dialog->windowTitle());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const int row = static_cast<int>(i);
        table->setItem(row, 0, new QTableWidgetItem(rows[i].name));
        auto* keys = new QTableWidgetItem(rows[i].keys);
        keys->setFont(numberFont(QApplication::font()));
        table->setItem(row, 1, keys);
    }
    table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    table->horizontalHeader()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    dialog->layout()->addWidget(table);
    finish(dialog);
}

void showAbout(const QString& version, QWidget* parent)
{
    QDialog* dialog = makeWindow(translated(QT_TRANSLATE_NOOP("SmallDialogs", "About Heedmap")),
                                 parent, {420, 220});
    auto* title = new QLabel(QStringLiteral("Heedmap %1").arg(version), dialog);
    QFont large = title->font();
    large.setPointSizeF(large.pointSizeF() * 1.5);
    large.setWeight(QFont::DemiBold);
    title->setFont(large);
    auto* text = new QLabel(
        translated(QT_TRANSLATE_NOOP("SmallDialogs", "Shows what attention does: masks, heads, "
                                                     "maps and numbers.\n\nFree software under the "
                                                     "GNU General Public License, version 3 or "
                                                     "later. It comes with no warranty.\n\nBuilt "
                                                     "with Qt %1, QCustomPlot, Eigen and oneTBB."))
            .arg(QString::fromLatin1(qVersion())),
        dialog);
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    dialog->layout()->addWidget(title);
    dialog->layout()->addWidget(text);
    finish(dialog);
}

} // namespace heed::ui
