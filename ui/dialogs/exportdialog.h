// A figure for paper: what it shows, how large, in which format, with the picture beside.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "services/engineservice.h"

#include <QDialog>

class QPushButton;

namespace heed::ui {

class Document;
class ElidedLabel;
class ExportForm;
class MessageBar;
class MutedLabel;
class PaperView;
class SectionHeading;
class SelectionModel;
class Settings;
class TextField;
class ViewSettingsModel;

/// Stays open beside the window and follows its selection. Everything is drawn and written by the
/// service; the dialog only asks.
class ExportDialog : public QDialog {
    Q_OBJECT
public:
    struct Models {
        EngineService* service = nullptr;
        Document* document = nullptr;
        SelectionModel* selection = nullptr;
        ViewSettingsModel* view = nullptr;
        Settings* settings = nullptr;
    };
    /// @param models outlive the dialog.
    explicit ExportDialog(const Models& models, QWidget* parent = nullptr);

    /// The figure as the fields describe it, with the command line for @p fileName.
    [[nodiscard]] FigureSpec spec(const QString& fileName) const;
    [[nodiscard]] QString commandLine() const; ///< as shown
    /// Writes to @p path; its ending decides the format, without one the chosen format is added.
    /// exported() or refused() tells the end.
    void exportTo(const QString& path);
    [[nodiscard]] ExportForm* form() const { return m_form; }
    [[nodiscard]] PaperView* preview() const { return m_preview; }
    [[nodiscard]] MessageBar* messages() const { return m_problem; }

public Q_SLOTS:
    void done(int result) override;

Q_SIGNALS:
    void exported(const QString& path);
    void refused(const QString& path, const heed::Error& error);

protected:
    void changeEvent(QEvent* event) override;

private:
    void build();
    void connectModels();
    void refresh();
    void ask();
    void showFigure(const FigurePreview& preview);
    void showError(const Error& error);
    void choosePath();
    void finish(const QString& path, const Error* error);
    void enableExport();
    void retranslate();
    [[nodiscard]] QString fileName() const;

    Models m_models;
    QString m_baseName; ///< of the file that was written last
    QString m_writing;  ///< the path, while it is written
    bool m_refused = false;
    bool m_messageIsOfPreview = false;

    ExportForm* m_form;
    PaperView* m_preview;
    MutedLabel* m_notes;
    SectionHeading* m_commandHeading;
    TextField* m_command;
    QPushButton* m_copy;
    MessageBar* m_problem;
    ElidedLabel* m_done;
    QPushButton* m_showFolder;
    QPushButton* m_export;
    QPushButton* m_close;
};

} // namespace heed::ui
