// Settings kept by QSettings, checked when read.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "services/settings.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <algorithm>

namespace heed::ui {

namespace {

constexpr int MostRecentFiles = 12;

QString oneOf(const QString& value, const QStringList& allowed)
{
    return allowed.contains(value) ? value : allowed.first();
}

/// The two ends as FigureSpec allows them; anything else, and what is no number, is the default.
template <typename Number>
Number within(const QVariant& value, Number low, Number high, Number usual)
{
    bool isNumber = false;
    const double number = value.toDouble(&isNumber);
    return isNumber && number >= low && number <= high ? static_cast<Number>(number) : usual;
}

} // namespace

Settings::Settings(const QString& configDir)
    : m_configDir(configDir)
{
    const QString folder =
        configDir.isEmpty()
            ? QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + "/heedmap"
            : configDir;
    m_store = std::make_unique<QSettings>(folder + "/heedmap.ini", QSettings::IniFormat);
}

QString Settings::theme() const
{
    return oneOf(m_store->value("view/theme").toString(), {"system", "light", "dark"});
}

void Settings::setTheme(const QString& theme)
{
    m_store->setValue("view/theme", theme);
}

QString Settings::language() const
{
    return oneOf(m_store->value("view/language").toString(), {"system", "en", "zh_CN"});
}

void Settings::setLanguage(const QString& language)
{
    m_store->setValue("view/language", language);
}

bool Settings::wheelZooms() const
{
    return m_store->value("view/wheelZooms", true).toBool();
}

void Settings::setWheelZooms(bool on)
{
    m_store->setValue("view/wheelZooms", on);
}

std::int64_t Settings::memoryBudget() const
{
    return std::max<std::int64_t>(0, m_store->value("engine/memory").toLongLong());
}

void Settings::setMemoryBudget(std::int64_t bytes)
{
    m_store->setValue("engine/memory", static_cast<qlonglong>(bytes));
}

QStringList Settings::recentFiles() const
{
    return m_store->value("recent/files").toStringList().mid(0, MostRecentFiles);
}

void Settings::addRecentFile(const QString& path)
{
    const QString whole = QFileInfo(path).absoluteFilePath();
    QStringList files = recentFiles();
    files.removeAll(whole);
    files.prepend(whole);
    m_store->setValue("recent/files", files.mid(0, MostRecentFiles));
}

void Settings::clearRecentFiles()
{
    m_store->remove("recent/files");
}

ExportSettings Settings::exportSettings() const
{
    const ExportSettings usual;
    const auto value = [this](const char* name) {
        return m_store->value(QStringLiteral("export/") + QLatin1String(name));
    };
    const auto flag = [&](const char* name, bool standard) {
        const QVariant found = value(name);
        return found.isValid() ? found.toBool() : standard;
    };
    ExportSettings settings;
    settings.format = oneOf(value("format").toString(), {"png", "svg", "pdf"});
    settings.widthMm = within(value("widthMm"), 20.0, 1000.0, usual.widthMm);
    settings.fontPt = within(value("fontPt"), 4.0, 72.0, usual.fontPt);
    settings.dpi = within(value("dpi"), 50, 2400, usual.dpi);
    settings.grid = flag("grid", usual.grid);
    settings.title = flag("title", usual.title);
    settings.tokenLabels = flag("tokenLabels", usual.tokenLabels);
    settings.colourBar = flag("colourBar", usual.colourBar);
    settings.hatch = flag("hatch", usual.hatch);
    settings.cellNumbers = flag("cellNumbers", usual.cellNumbers);
    settings.folder = value("folder").toString();
    return settings;
}

void Settings::setExportSettings(const ExportSettings& settings)
{
    m_store->beginGroup("export");
    m_store->setValue("format", settings.format);
    m_store->setValue("widthMm", settings.widthMm);
    m_store->setValue("fontPt", settings.fontPt);
    m_store->setValue("dpi", settings.dpi);
    m_store->setValue("grid", settings.grid);
    m_store->setValue("title", settings.title);
    m_store->setValue("tokenLabels", settings.tokenLabels);
    m_store->setValue("colourBar", settings.colourBar);
    m_store->setValue("hatch", settings.hatch);
    m_store->setValue("cellNumbers", settings.cellNumbers);
    m_store->setValue("folder", settings.folder);
    m_store->endGroup();
}

QByteArray Settings::geometry() const
{
    return m_store->value("layout/geometry").toByteArray();
}

QByteArray Settings::layout(int version) const
{
    return m_store->value("layout/version").toInt() == version
               ? m_store->value("layout/state").toByteArray()
               : QByteArray();
}

void Settings::saveLayout(const QByteArray& geometry, const QByteArray& layout, int version)
{
    m_store->setValue("layout/geometry", geometry);
    m_store->setValue("layout/state", layout);
    m_store->setValue("layout/version", version);
}

void Settings::resetLayout()
{
    m_store->remove("layout");
}

std::vector<NamedLayout> Settings::namedLayouts(int version) const
{
    std::vector<NamedLayout> layouts;
    const int count = m_store->beginReadArray("layouts");
    for (int i = 0; i < count; ++i) {
        m_store->setArrayIndex(i);
        NamedLayout layout{m_store->value("name").toString(),
                           m_store->value("state").toByteArray()};
        if (m_store->value("version").toInt() == version && !layout.name.isEmpty() &&
            !layout.state.isEmpty()) {
            layouts.push_back(std::move(layout));
        }
    }
    m_store->endArray();
    return layouts;
}

void Settings::setNamedLayouts(const std::vector<NamedLayout>& layouts, int version)
{
    m_store->remove("layouts");
    m_store->beginWriteArray("layouts", static_cast<int>(layouts.size()));
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        m_store->setArrayIndex(static_cast<int>(i));
        m_store->setValue("name", layouts[i].name);
        m_store->setValue("state", layouts[i].state);
        m_store->setValue("version", version);
    }
    m_store->endArray();
}

QString Settings::recoveryFolder() const
{
    const QString base =
        m_configDir.isEmpty()
            ? QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + "/heedmap"
            : m_configDir;
    return base + "/recovery";
}

} // namespace heed::ui
