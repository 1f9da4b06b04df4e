// Preferences, recent files and the saved layout, in one settings file.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QSettings>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <memory>
#include <vector>

namespace heed::ui {

/// How the last figure was exported.
struct ExportSettings {
    QString format = QStringLiteral("png"); ///< "png", "svg", "pdf"
    double widthMm = 89;
    double fontPt = 7;
    int dpi = 300;
    bool grid = false; ///< all heads, not one
    bool title = true;
    bool tokenLabels = true;
    bool colourBar = true;
    bool hatch = true;
    bool cellNumbers = true;
    QString folder; ///< "" = none yet
    bool operator==(const ExportSettings&) const = default;
};

/// A dock state that was given a name.
struct NamedLayout {
    QString name;
    QByteArray state;
    bool operator==(const NamedLayout&) const = default;
};

/// A thin, typed front of QSettings; values that make no sense fall back to their defaults.
class Settings {
public:
    /// @param configDir folder of the file "heedmap.ini"; "" = the user's standard place.
    explicit Settings(const QString& configDir = {});

    [[nodiscard]] QString theme() const; ///< "system", "light", "dark"
    void setTheme(const QString& theme);
    [[nodiscard]] QString language() const; ///< "system", "en", "zh_CN"
    void setLanguage(const QString& language);
    [[nodiscard]] bool wheelZooms() const; ///< otherwise the wheel scrolls and Ctrl+wheel zooms
    void setWheelZooms(bool on);

    /// Bytes that a run may take; 0 = what usualMemoryBudget() says.
    [[nodiscard]] std::int64_t memoryBudget() const;
    void setMemoryBudget(std::int64_t bytes);

    [[nodiscard]] QStringList recentFiles() const; ///< newest first, absolute paths, at most 12
    void addRecentFile(const QString& path);
    void clearRecentFiles();

    [[nodiscard]] ExportSettings exportSettings() const;
    void setExportSettings(const ExportSettings& settings);

    /// Window geometry and dock state; empty when none were saved by this layout version.
    [[nodiscard]] QByteArray geometry() const;
    [[nodiscard]] QByteArray layout(int version) const;
    void saveLayout(const QByteArray& geometry, const QByteArray& layout, int version);
    void resetLayout();
    /// Layouts saved under a name by this layout version; those without name or state are left out.
    [[nodiscard]] std::vector<NamedLayout> namedLayouts(int version) const;
    void setNamedLayouts(const std::vector<NamedLayout>& layouts, int version);

    /// Where recovery copies live.
    [[nodiscard]] QString recoveryFolder() const;

private:
    QString m_configDir;
    std::unique_ptr<QSettings> m_store;
};

} // namespace heed::ui
