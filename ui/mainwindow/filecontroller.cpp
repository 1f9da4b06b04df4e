// Files and what they become.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/filecontroller.h"

#include "services/errortext.h"
#include "services/recovery.h"
#include "services/settings.h"

#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>
#include <QMenu>
#include <QMessageBox>
#include <algorithm>

namespace heed::ui {

namespace {

constexpr int MostOffers = 3; // buttons in a message
constexpr qint64 MaxTextBytes = 4 << 20;
constexpr std::int64_t MaxStampBytes = std::int64_t{256} << 20; // hashed between two frames at most

std::filesystem::path pathOf(const QString& path)
{
    return {path.toStdString()};
}

bool endsWith(const std::string& name, std::string_view end)
{
    return name.size() >= end.size() &&
           name.compare(name.size() - end.size(), end.size(), end) == 0;
}

std::string lower(std::string name)
{
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return name;
}

/// What "it" looks at tells the layers of a model apart.
constexpr const char* ModelSentence = "The animal didn't cross the street because it was too tired";

/// Six tokens, two heads, and a pinned cell, so that the inspector shows at once what it is for.
Session exampleSession()
{
    Session session;
    session.source.lines = {"The cat sat on the mat"};
    session.source.layer.modelWidth = 8;
    session.source.layer.heads = 2;
    session.source.causal = true;
    session.view.pinnedQuery = 5;
    session.view.pinnedKey = 3;
    return session;
}

} // namespace

std::filesystem::path modelOf(const QString& path)
{
    const QFileInfo info(path);
    if (info.isDir() || info.suffix().toLower() == QLatin1String("gguf")) {
        return pathOf(path);
    }
    const bool isPart = info.fileName() == QLatin1String("config.json") ||
                        (info.fileName().startsWith(QLatin1String("model")) &&
                         (info.fileName().endsWith(QLatin1String(".safetensors")) ||
                          info.fileName().endsWith(QLatin1String(".safetensors.index.json"))));
    const QString folder = info.absolutePath();
    return isPart && QFileInfo::exists(folder + QStringLiteral("/config.json"))
               ? pathOf(folder)
               : std::filesystem::path();
}

Expected<Source> sourceOfArrays(const std::filesystem::path& path, const Source& current)
{
    const auto file = openArrays(path);
    if (!file) {
        return tl::unexpected<Error>(file.error());
    }
    bool q = false;
    bool k = false;
    bool weights = false;
    bool input = false;
    for (const ArrayInfo& info : (*file)->arrays()) {
        const std::string name = lower(info.name);
        q = q || name == "q";
        k = k || name == "k";
        for (const std::string_view end : {"w_q.weight", "q_proj.weight", "in_proj_weight"}) {
            weights = weights || endsWith(name, end);
        }
        const std::size_t rank = info.shape.size();
        const bool square = rank >= 2 && info.shape[rank - 1] == info.shape[rank - 2];
        input = input || name == "x" || name == "input" ||
                (name.empty() && (rank == 3 || rank == 2) && !square);
    }
    Source source;
    source.layer = current.layer;
    if (q && k) {
        source.qkv = path;
    } else if (weights) {
        source.weights = path;
        source.lines = current.lines;
        if (source.lines.empty()) {
            source.lines = exampleSession().source.lines;
        }
    } else if (input) {
        source.input = path;
    } else {
        source.maps = path;
    }
    return source;
}

FileController::FileController(const Workspace& workspace, Settings* settings, Recovery* recovery,
                               QWidget* window, Snapshot snapshot, Restore restore)
    : QObject(window)
    , m_workspace(workspace)
    , m_settings(settings)
    , m_recovery(recovery)
    , m_window(window)
    , m_snapshot(std::move(snapshot))
    , m_restore(std::move(restore))
{
    const auto keepCopy = [this] {
        Document& document = *m_workspace.document;
        if (!document.isEmpty() && (document.isModified() || document.filePath().isEmpty())) {
            m_recovery->scheduleCopy(m_snapshot, document.filePath());
        }
    };
    connect(m_workspace.document, &Document::sourceChanged, this, keepCopy);
    // The first change after opening or saving: it counts as one only once it is on the stack.
    connect(m_workspace.document, &Document::fileChanged, this, keepCopy);
    connect(m_recovery, &Recovery::copyFailed, this, [this](const QString& reason) {
        Q_EMIT message(tr("No safety copy of this work could be written: %1").arg(reason), {});
    });
}

void FileController::fail(const Error& error)
{
    const ErrorText text = errorText(error);
    Q_EMIT message(text.title + QStringLiteral("\n") + text.detail, {});
}

bool FileController::mayLeave()
{
    Document& document = *m_workspace.document;
    if (document.isEmpty() || !document.isModified()) {
        return true;
    }
    QMessageBox box(m_window);
    box.setIcon(QMessageBox::Question);
    box.setWindowTitle(tr("Unsaved changes"));
    box.setText(document.filePath().isEmpty()
                    ? tr("This work has not been saved.")
                    : tr("“%1” has changes that are not saved.")
                          .arg(QFileInfo(document.filePath()).fileName()));
    box.setStandardButtons(QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel);
    box.setDefaultButton(QMessageBox::Save);
    switch (box.exec()) {
    case QMessageBox::Save:
        return save();
    case QMessageBox::Discard:
        return true;
    default:
        return false;
    }
}

void FileController::openDialog()
{
    const QString path = QFileDialog::getOpenFileName(
        m_window, tr("Open"), QString(),
        tr("All that can be opened (*.heed *.gguf *.npy *.npz *.safetensors *.json *.csv *.txt "
           "*.md);;Sessions (*.heed);;Models (*.gguf *.safetensors *.json);;"
           "Arrays (*.npy *.npz *.safetensors *.json *.csv);;Text (*.txt *.md);;All files (*)"));
    if (!path.isEmpty()) {
        open(path);
    }
}

void FileController::openModelDialog()
{
    const QString path = QFileDialog::getExistingDirectory(m_window, tr("Open model folder"));
    if (!path.isEmpty()) {
        open(path);
    }
}

void FileController::open(const QString& path)
{
    if (!mayLeave()) {
        return;
    }
    if (const std::filesystem::path model = modelOf(path); !model.empty()) {
        openModel(model);
        return;
    }
    const QString extension = QFileInfo(path).suffix().toLower();
    if (extension == QLatin1String("txt") || extension == QLatin1String("md")) {
        openText(path);
        return;
    }
    if (extension == QLatin1String("heed")) {
        const auto session = readSession(pathOf(path));
        if (!session) {
            fail(session.error());
            return;
        }
        openSession(*session, path);
        return;
    }
    const auto source = sourceOfArrays(pathOf(path), m_workspace.document->source());
    if (!source) {
        fail(source.error());
        return;
    }
    openSource(*source);
    remember(path);
}

void FileController::openFirst(const QStringList& paths)
{
    if (paths.isEmpty()) {
        return;
    }
    QString said;
    const auto heard = connect(this, &FileController::message, this,
                               [&said](const QString& text) { said = text; });
    open(paths.first());
    disconnect(heard);
    if (paths.size() == 1) {
        return;
    }
    std::vector<MessageButton> buttons;
    for (const QString& path : paths.mid(1, MostOffers)) {
        buttons.push_back(
            {tr("Open %1").arg(QFileInfo(path).fileName()), [this, path] { open(path); }});
    }
    said += (said.isEmpty() ? QString() : QStringLiteral("\n")) +
            tr("A window shows one file; %n other(s) came with it.", "",
               static_cast<int>(paths.size()) - 1);
    Q_EMIT message(said, buttons);
}

void FileController::openSession(const Session& session, const QString& path)
{
    m_workspace.document->reset(session.source, path);
    m_restore(restoredView(session.view));
    m_recovery->discardCopy();
    QString changed;
    std::int64_t bytes = 0;
    for (const FileStamp& stamp : session.stamps) {
        bytes += stamp.bytes;
    }
    if (bytes <= MaxStampBytes) {
        for (const std::string& sentence : changedFiles(session)) {
            changed += (changed.isEmpty() ? QString() : QStringLiteral("\n")) +
                       QString::fromStdString(sentence);
        }
    }
    Q_EMIT message(changed, {});
    if (!path.isEmpty()) {
        remember(path);
    }
    Q_EMIT opened();
}

void FileController::openText(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        fail({Code::Io, file.errorString().toStdString(), path.toStdString()});
        return;
    }
    if (file.size() > MaxTextBytes) {
        fail({Code::Unsupported,
              "A text of more than 4 MiB is too long to look at; cut out the part that matters.",
              path.toStdString()});
        return;
    }
    Source source;
    source.layer = m_workspace.document->source().layer;
    for (const QString& line : QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'))) {
        const QString text = line.trimmed();
        if (!text.isEmpty()) {
            source.lines.push_back(text.toStdString());
        }
    }
    openSource(source);
    remember(path);
}

void FileController::openModel(const std::filesystem::path& chosen)
{
    const std::filesystem::path model = resolveModel(chosen.string(), {}).value_or(chosen);
    const bool isFolder = std::filesystem::is_directory(model);
    if (isFolder && !std::filesystem::exists(model / "config.json")) {
        fail({Code::NotFound, "There is no config.json in this folder, so it is no model.",
              model.string()});
        return;
    }
    const Source& current = m_workspace.document->source();
    Source source;
    source.model = model;
    source.layer = current.layer; // for the way back to the sandbox
    source.lines = current.lines;
    if (source.lines.empty()) {
        source.lines = {ModelSentence};
    }
    openSource(source);
    remember(QString::fromStdString(model.string()));
}

void FileController::openSource(const Source& source)
{
    m_workspace.document->reset(source);
    m_recovery->discardCopy();
    Q_EMIT message({}, {});
    Q_EMIT opened();
}

void FileController::openExample()
{
    if (mayLeave()) {
        openSession(exampleSession(), {});
    }
}

void FileController::openSentence()
{
    Source source;
    source.lines = {"I like eating apple"};
    openSource(source);
}

void FileController::closeDocument()
{
    if (mayLeave()) {
        m_workspace.document->close();
        m_recovery->discardCopy();
        Q_EMIT message({}, {});
        Q_EMIT recentChanged();
    }
}

bool FileController::writeTo(const QString& path)
{
    if (const auto written = writeSession(pathOf(path), m_snapshot()); !written) {
        fail(written.error());
        return false;
    }
    m_workspace.document->setSaved(path);
    m_recovery->discardCopy();
    remember(path);
    return true;
}

bool FileController::save()
{
    const QString& path = m_workspace.document->filePath();
    return path.isEmpty() ? saveAs() : writeTo(path);
}

bool FileController::saveAs()
{
    QString path = QFileDialog::getSaveFileName(
        m_window, tr("Save session"), m_workspace.document->filePath(), tr("Sessions (*.heed)"));
    if (path.isEmpty()) {
        return false;
    }
    if (QFileInfo(path).suffix().isEmpty()) {
        path += QStringLiteral(".heed");
    }
    return writeTo(path);
}

void FileController::remember(const QString& path)
{
    m_settings->addRecentFile(path);
    Q_EMIT recentChanged();
}

QStringList FileController::recentFiles() const
{
    return m_settings->recentFiles();
}

void FileController::clearRecentFiles()
{
    m_settings->clearRecentFiles();
    Q_EMIT recentChanged();
}

void FileController::fillModelMenu(QMenu* menu)
{
    menu->clear();
    for (const FoundModel& model : m_models.models()) {
        const QString path = QString::fromStdString(model.path.string());
        QAction* action = menu->addAction(QString::fromStdString(model.name));
        action->setToolTip(path);
        connect(action, &QAction::triggered, this, [this, path] { open(path); });
    }
    menu->setEnabled(!menu->isEmpty());
}

void FileController::fillRecentMenu(QMenu* menu)
{
    menu->clear();
    for (const QString& path : recentFiles()) {
        QAction* action = menu->addAction(QFileInfo(path).fileName());
        action->setToolTip(path);
        connect(action, &QAction::triggered, this, [this, path] { open(path); });
    }
    menu->setEnabled(!menu->isEmpty());
}

void FileController::offerRecovery()
{
    const std::vector<RecoveredCopy> copies = m_recovery->leftovers();
    if (copies.empty()) {
        return;
    }
    const RecoveredCopy& copy = copies.front();
    const QString when = QLocale().toString(copy.written, QLocale::ShortFormat);
    const QString name = QFileInfo(copy.originalPath).fileName();
    std::vector<MessageButton> buttons;
    buttons.push_back({tr("Recover"), [this, copy] {
                           const auto session = readSession(pathOf(copy.copyPath));
                           if (!session) {
                               m_recovery->skip(copy);
                               fail(session.error());
                               return;
                           }
                           // As unsaved work: the user's own file stays until Save is chosen.
                           openSession(*session, copy.originalPath);
                           m_workspace.document->undoStack()->resetClean();
                           m_recovery->scheduleCopy(m_snapshot, copy.originalPath);
                           if (m_recovery->writeNow()) { // never a moment without one
                               m_recovery->remove(copy);
                           }
                       }});
    if (!copy.originalPath.isEmpty() && QFileInfo::exists(copy.originalPath)) {
        buttons.push_back({tr("Open saved"), [this, copy] {
                               m_recovery->skip(copy);
                               open(copy.originalPath);
                           }});
    }
    buttons.push_back({tr("Skip"), [this, copy] {
                           m_recovery->skip(copy);
                           Q_EMIT message({}, {});
                           offerRecovery(); // the next one, if there is one
                       }});
    const QString text =
        copy.kept ? (name.isEmpty() ? tr("Heedmap was told to end. Unsaved work from %1 was kept.")
                                    : tr("Heedmap was told to end. Unsaved changes to “%1” from %2 "
                                         "were kept."))
        : name.isEmpty()
            ? tr("Heedmap ended unexpectedly. Work from %1 that was never saved can be recovered.")
            : tr("Heedmap ended unexpectedly. Changes to “%1” from %2 can be recovered.");
    Q_EMIT message(name.isEmpty() ? text.arg(when) : text.arg(name, when), buttons);
}

} // namespace heed::ui
