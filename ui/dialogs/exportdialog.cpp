// Fields, preview and file in step; no work of its own.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "dialogs/exportdialog.h"

#include "dialogs/exportform.h"
#include "dialogs/paperview.h"
#include "figure/figurecommand.h"
#include "models/document.h"
#include "models/selection.h"
#include "services/errortext.h"
#include "services/settings.h"
#include "widgets/labels.h"
#include "widgets/messagebar.h"
#include "widgets/textfield.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QDir>
#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QStandardPaths>
#include <QTextOption>
#include <QUrl>
#include <QVBoxLayout>

namespace heed::ui {

namespace {

constexpr QSize InitialSize(1000, 720);
constexpr int FormWidth = 320;
constexpr int CommandLines = 3;

const QStringList& formats()
{
    static const QStringList all = {QStringLiteral("png"), QStringLiteral("svg"),
                                    QStringLiteral("pdf")};
    return all;
}

} // namespace

ExportDialog::ExportDialog(const Models& models, QWidget* parent)
    : QDialog(parent)
    , m_models(models)
{
    build();
    connectModels();
    retranslate();
    resize(InitialSize.boundedTo(screen()->availableSize() * 0.94));
    refresh();
}

void ExportDialog::build()
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(8);

    auto* upper = new QHBoxLayout;
    upper->setSpacing(16);
    upper->addWidget(m_preview = new PaperView(this), 1);
    auto* scroll = new QScrollArea(this);
    m_form = new ExportForm(m_models.settings->exportSettings(), scroll);
    scroll->setWidget(m_form);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setFixedWidth(qMax(FormWidth, m_form->sizeHint().width() +
                                              scroll->verticalScrollBar()->sizeHint().width()));
    upper->addWidget(scroll);
    layout->addLayout(upper, 1);

    layout->addWidget(m_notes = new MutedLabel({}, this));
    m_notes->setWordWrap(true);
    m_notes->setTextInteractionFlags(Qt::TextSelectableByMouse);

    layout->addWidget(m_commandHeading = new SectionHeading({}, this));
    auto* commandRow = new QHBoxLayout;
    commandRow->setSpacing(8);
    commandRow->addWidget(m_command = new TextField(this), 1);
    m_command->setReadOnly(true);
    m_command->setTabChangesFocus(true);
    m_command->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_command->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    m_command->setFont(numberFont(font()));
    m_command->setFixedHeight(CommandLines * m_command->fontMetrics().lineSpacing() + 16);
    commandRow->addWidget(m_copy = new QPushButton(this), 0, Qt::AlignTop);
    layout->addLayout(commandRow);

    layout->addWidget(m_problem = new MessageBar(this));
    auto* lower = new QHBoxLayout;
    lower->setSpacing(8);
    lower->addWidget(m_done = new ElidedLabel(this), 1);
    lower->addWidget(m_showFolder = new QPushButton(this));
    lower->addWidget(m_close = new QPushButton(this));
    lower->addWidget(m_export = new QPushButton(this));
    layout->addSpacing(4);
    layout->addLayout(lower);
    for (QPushButton* button : {m_copy, m_showFolder, m_close}) {
        button->setAutoDefault(false);
    }
    m_export->setDefault(true);
    m_export->setProperty("heedPrimary", true);
    m_showFolder->hide();
    m_notes->hide();
}

void ExportDialog::connectModels()
{
    const EngineService* service = m_models.service;
    connect(m_form, &ExportForm::changed, this, &ExportDialog::refresh);
    connect(m_preview, &PaperView::roomChanged, this, &ExportDialog::ask);
    connect(m_models.document, &Document::runChanged, this, &ExportDialog::refresh);
    connect(m_models.document, &Document::stateChanged, this, [this] {
        if (m_models.document->isEmpty()) {
            close(); // nothing is left to draw
        }
    });
    connect(m_models.selection, &SelectionModel::mapChanged, this, &ExportDialog::refresh);
    connect(m_models.view, &ViewSettingsModel::changed, this, &ExportDialog::refresh);
    connect(service, &EngineService::figureReady, this, &ExportDialog::showFigure);
    connect(service, &EngineService::figureFailed, this, &ExportDialog::showError);
    connect(service, &EngineService::figureWritten, this,
            [this](const QString& path) { finish(path, nullptr); });
    connect(service, &EngineService::figureNotWritten, this,
            [this](const QString& path, const Error& error) { finish(path, &error); });
    connect(m_copy, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(commandLine()); });
    connect(m_export, &QPushButton::clicked, this, &ExportDialog::choosePath);
    connect(m_close, &QPushButton::clicked, this, &QDialog::close);
    connect(m_showFolder, &QPushButton::clicked, this, [this] {
        QDesktopServices::openUrl(QUrl::fromLocalFile(m_models.settings->exportSettings().folder));
    });
}

FigureSpec ExportDialog::spec(const QString& fileName) const
{
    const ExportSettings chosen = m_form->settings();
    FigureSpec spec;
    spec.view = chosen.grid ? FigureView::Grid : FigureView::Heatmap;
    MapIndex map = m_models.selection->map();
    spec.maps = {map};
    if (chosen.grid) {
        spec.maps.clear();
        for (map.head = 0; map.head < m_models.selection->shape().heads; ++map.head) {
            spec.maps.push_back(map);
        }
    }
    spec.settings = m_models.view->settings();
    spec.settings.hatchMasked = chosen.hatch;
    spec.settings.cellNumbers = chosen.cellNumbers;
    spec.widthMm = chosen.widthMm;
    spec.fontPt = chosen.fontPt;
    spec.isRaster = fileName.endsWith(QLatin1String(".png"), Qt::CaseInsensitive);
    if (spec.isRaster) {
        spec.dpi = chosen.dpi;
    }
    spec.title = chosen.title;
    if (chosen.title) {
        spec.titleText = m_form->titleText();
    }
    spec.tokenLabels = chosen.tokenLabels;
    spec.colourBar = chosen.colourBar;
    if (const RunPtr run = m_models.service->current()) {
        spec.commandLine = figureCommand(spec, run->source(), run->maps()->shape(), fileName);
    }
    return spec;
}

QString ExportDialog::commandLine() const
{
    return m_command->toPlainText();
}

QString ExportDialog::fileName() const
{
    QString base = m_baseName;
    if (base.isEmpty()) {
        base = QFileInfo(m_models.document->filePath()).completeBaseName();
    }
    if (base.isEmpty()) {
        base = QStringLiteral("attention");
    }
    return base + QLatin1Char('.') + m_form->settings().format;
}

void ExportDialog::refresh()
{
    m_form->setPlace(m_models.selection->map(), m_models.selection->shape());
    const QString command = spec(fileName()).commandLine;
    if (command != commandLine()) {
        m_command->setPlainText(command);
    }
    ask();
}

void ExportDialog::ask()
{
    if (m_models.service->current() == nullptr || m_preview->room().isEmpty()) {
        return;
    }
    m_preview->setBusy(true);
    m_models.service->previewFigure(spec(fileName()), m_preview->room());
}

void ExportDialog::showFigure(const FigurePreview& preview)
{
    m_preview->setBusy(false);
    m_preview->setPicture(preview.picture, preview.figure->sizeMm());
    m_refused = false;
    const QStringList warnings = preview.figure->warnings();
    m_notes->setText(warnings.join(QLatin1Char('\n')));
    m_notes->setVisible(!warnings.isEmpty());
    if (m_messageIsOfPreview) {
        m_problem->clear();
    }
    enableExport();
}

void ExportDialog::showError(const Error& error)
{
    m_preview->setBusy(false);
    if (error.code == Code::Cancelled) {
        return;
    }
    m_refused = true;
    m_messageIsOfPreview = true;
    const ErrorText text = errorText(error);
    m_problem->show(text.title + QLatin1Char('\n') + text.detail);
    enableExport();
}

void ExportDialog::choosePath()
{
    auto* dialog = new QFileDialog(this, tr("Export figure"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setFileMode(QFileDialog::AnyFile);
    const QString format = m_form->settings().format;
    dialog->setNameFilters(
        {tr("PNG pictures (*.png)"), tr("SVG drawings (*.svg)"), tr("PDF documents (*.pdf)")});
    dialog->selectNameFilter(dialog->nameFilters().value(formats().indexOf(format)));
    dialog->setDefaultSuffix(format);
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        dialog->setDefaultSuffix(formats().value(dialog->nameFilters().indexOf(filter)));
    });
    // Where the last one went, among the pictures, or at home, whichever exists.
    for (const QString& folder :
         {m_models.settings->exportSettings().folder,
          QStandardPaths::writableLocation(QStandardPaths::PicturesLocation), QDir::homePath()}) {
        if (!folder.isEmpty() && QDir(folder).exists()) {
            dialog->setDirectory(folder);
            break;
        }
    }
    dialog->selectFile(fileName());
    connect(dialog, &QFileDialog::fileSelected, this, &ExportDialog::exportTo);
    dialog->open();
}

void ExportDialog::exportTo(const QString& path)
{
    const QString ending = QFileInfo(path).suffix().toLower();
    const bool isKnown = formats().contains(ending);
    const QString whole =
        QFileInfo(isKnown ? path : path + QLatin1Char('.') + m_form->settings().format)
            .absoluteFilePath();
    const QFileInfo file(whole);
    if (isKnown) {
        m_form->setFormat(ending);
    }
    m_baseName = file.completeBaseName();
    refresh();
    m_problem->clear();
    m_messageIsOfPreview = false;
    m_done->setText(tr("Writing %1 …").arg(file.fileName()));
    m_showFolder->hide();
    m_writing = whole;
    enableExport();
    m_models.service->writeFigure(spec(file.fileName()), whole);
}

void ExportDialog::finish(const QString& path, const Error* error)
{
    if (path != m_writing) {
        return;
    }
    m_writing.clear();
    enableExport();
    m_messageIsOfPreview = false;
    if (error != nullptr) {
        m_done->setText({});
        const ErrorText text = errorText(*error);
        m_problem->show(text.title + QLatin1Char('\n') + text.detail);
        Q_EMIT refused(path, *error);
        return;
    }
    ExportSettings settings = m_form->settings();
    settings.folder = QFileInfo(path).absolutePath();
    m_models.settings->setExportSettings(settings);
    m_done->setText(tr("Written: %1").arg(QDir::toNativeSeparators(path)));
    m_showFolder->show();
    Q_EMIT exported(path);
}

void ExportDialog::enableExport()
{
    m_export->setEnabled(!m_refused && m_writing.isEmpty());
}

void ExportDialog::done(int result)
{
    m_models.service->dropPreview();
    ExportSettings settings = m_form->settings();
    settings.folder = m_models.settings->exportSettings().folder;
    m_models.settings->setExportSettings(settings);
    QDialog::done(result);
}

void ExportDialog::retranslate()
{
    setWindowTitle(tr("Export figure"));
    m_commandHeading->setText(tr("The same from the command line"));
    m_command->setAccessibleName(tr("Command line that draws this figure"));
    m_copy->setText(tr("&Copy"));
    m_copy->setToolTip(tr("Copy the command line"));
    m_showFolder->setText(tr("Show &folder"));
    m_close->setText(tr("Close"));
    m_export->setText(tr("&Export…"));
    m_done->setText({}); // in the words of the other language
    m_showFolder->hide();
}

void ExportDialog::changeEvent(QEvent* event)
{
    QDialog::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        refresh(); // the figure has words too
    }
}

} // namespace heed::ui
