// Translators in and out.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>

namespace heed::ui {

QString systemLanguage()
{
    const QStringList wanted = QLocale::system().uiLanguages();
    if (wanted.isEmpty()) {
        return QStringLiteral("en");
    }
    const QLocale first(wanted.first());
    return first.language() == QLocale::Chinese && first.script() != QLocale::TraditionalHanScript
               ? QStringLiteral("zh_CN")
               : QStringLiteral("en");
}

QString Language::effective() const
{
    return m_code == QLatin1String("zh_CN") || m_code == QLatin1String("en") ? m_code
                                                                             : systemLanguage();
}

void Language::setCode(const QString& code)
{
    m_code = code;
    const QString language = effective();
    if (language == m_installed) {
        return;
    }
    QCoreApplication::removeTranslator(&m_program);
    QCoreApplication::removeTranslator(&m_qt);
    m_installed = language;
    if (m_qt.load(QStringLiteral("qtbase_") + language,
                  QLibraryInfo::path(QLibraryInfo::TranslationsPath))) {
        QCoreApplication::installTranslator(&m_qt);
    }
    // English has a file too: it holds the plurals.
    if (m_program.load(QStringLiteral(":/i18n/heedmap_") + language)) {
        QCoreApplication::installTranslator(&m_program);
    }
}

} // namespace heed::ui
