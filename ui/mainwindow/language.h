// The language of the window, switched while it runs.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QTranslator>

namespace heed::ui {

/// "zh_CN" when the system's first language is written in simplified Chinese, else "en".
[[nodiscard]] QString systemLanguage();

/// Installs the translations of the program and of Qt; every widget hears of it as LanguageChange.
class Language : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    /// @param code "en", "zh_CN", or "system".
    void setCode(const QString& code);
    [[nodiscard]] const QString& code() const { return m_code; } ///< as set
    [[nodiscard]] QString effective() const;

private:
    QString m_code = QStringLiteral("system");
    QString m_installed;
    QTranslator m_program;
    QTranslator m_qt;
};

} // namespace heed::ui
