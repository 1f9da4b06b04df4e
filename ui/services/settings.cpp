// Settings kept by QSettings, checked when read.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "services/settings.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace heed::ui {

namespace {

constexpr int MostRecentFiles = 12;

QString oneOf(const QString& value, const QStringList& allowed)
{
    return allowed.contains(value) ? value : allowed.first();
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

QString Settings::recoveryFolder() const
{
    const QString base =
        m_configDir.isEmpty()
            ? QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + "/heedmap"
            : m_configDir;
    return base + "/recovery";
}

} // namespace heed::ui
