// Palettes on Fusion, derived from one table of colours.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme.h"

#include "widgets/flatstyle.h"

#include <QApplication>
#include <QEvent>
#include <QFontDatabase>
#include <QFontInfo>
#include <algorithm>
#include <cmath>

namespace heed::ui {

const Colours& lightColours()
{
    static const Colours colours{
        .background = QColor(0xf6f7f8),
        .panel = QColor(0xffffff),
        .line = QColor(0xdfe3e6),
        .text = QColor(0x1b2126),
        .mute = QColor(0x626d77),
        .accent = QColor(0x0f7b8a),
        .onAccent = QColor(0xffffff),
        .accentSoft = QColor(0xe0f1f3),
        .hover = QColor(0xeef2f4),
        .warn = QColor(0xa84c08),
        .warnSoft = QColor(0xfdf3e4),
        .chip = QColor(0xeef1f3),
        .graphic = QColor(0x808b94),
    };
    return colours;
}

const Colours& darkColours()
{
    static const Colours colours{
        .background = QColor(0x15191d),
        .panel = QColor(0x1c2126),
        .line = QColor(0x2d343b),
        .text = QColor(0xe4e9ed),
        .mute = QColor(0x93a0ab),
        .accent = QColor(0x39b3c2),
        .onAccent = QColor(0x0b1a1d),
        .accentSoft = QColor(0x173339),
        .hover = QColor(0x242b31),
        .warn = QColor(0xe0a13c),
        .warnSoft = QColor(0x2e2617),
        .chip = QColor(0x273038),
        .graphic = QColor(0x6f7d88),
    };
    return colours;
}

QPalette paletteOf(const Colours& c)
{
    QPalette palette;
    const auto set = [&palette](QPalette::ColorRole role, const QColor& colour) {
        palette.setColor(QPalette::Active, role, colour);
        palette.setColor(QPalette::Inactive, role, colour);
        palette.setColor(QPalette::Disabled, role, colour);
    };
    set(QPalette::Window, c.panel);
    set(QPalette::WindowText, c.text);
    set(QPalette::Base, c.background);
    set(QPalette::AlternateBase, c.hover);
    set(QPalette::Text, c.text);
    set(QPalette::PlaceholderText, c.mute);
    set(QPalette::Button, c.panel);
    set(QPalette::ButtonText, c.text);
    set(QPalette::BrightText, c.warn);
    set(QPalette::Highlight, c.accent);
    set(QPalette::HighlightedText, c.onAccent);
    set(QPalette::Link, c.accent);
    set(QPalette::LinkVisited, c.accent);
    set(QPalette::ToolTipBase, c.panel);
    set(QPalette::ToolTipText, c.text);
    set(QPalette::Light, c.panel);
    set(QPalette::Midlight, c.hover);
    set(QPalette::Mid, c.line);
    set(QPalette::Dark, c.graphic);
    set(QPalette::Shadow, c.line);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, c.graphic);
    }
    palette.setColor(QPalette::Disabled, QPalette::Highlight, c.line);
    palette.setColor(QPalette::Disabled, QPalette::HighlightedText, c.mute);
    return palette;
}

bool isDark(const QPalette& palette)
{
    return palette.color(QPalette::Window).lightnessF() <
           palette.color(QPalette::WindowText).lightnessF();
}

const Colours& coloursOf(const QPalette& palette)
{
    return isDark(palette) ? darkColours() : lightColours();
}

QFont withChineseFallback(QFont font)
{
    // A list takes no generic name ("Sans Serif"), so the face that answers to it stands first.
    QStringList families{QFontInfo(font).family()};
    // Left to itself, font matching may take a bold or a Japanese face.
    for (const char* family : {"Noto Sans CJK SC", "Source Han Sans SC", "Microsoft YaHei",
                               "PingFang SC", "WenQuanYi Micro Hei"}) {
        families += QLatin1String(family);
    }
    font.setFamilies(families);
    return font;
}

QFont numberFont(const QFont& base, double scale)
{
    // Preferred faces first; the system's monospaced face always ends the list.
    QFont font = base;
    font.setFamilies({QStringLiteral("JetBrains Mono"), QStringLiteral("Cascadia Mono"),
                      QStringLiteral("DejaVu Sans Mono"),
                      QFontDatabase::systemFont(QFontDatabase::FixedFont).family(),
                      QStringLiteral("Noto Sans CJK SC")});
    font.setStyleHint(QFont::Monospace);
    font.setFixedPitch(true);
    font.setPointSizeF(QFontInfo(base).pointSizeF() * scale * 0.95); // monospaced faces look larger
    return font;
}

QFont smallFont(const QFont& base)
{
    QFont font = base;
    font.setPointSizeF(QFontInfo(base).pointSizeF() * 0.9);
    return font;
}

Theme::Theme(QApplication& application)
    : QObject(&application)
{
    QApplication::setStyle(new FlatStyle);
    QApplication::setFont(withChineseFallback(QApplication::font()));
    application.installEventFilter(this);
    apply();
}

void Theme::setMode(ThemeMode mode)
{
    if (mode != m_mode) {
        m_mode = mode;
        apply();
    }
}

void Theme::apply()
{
    m_applying = true;
    if (m_mode == ThemeMode::System) {
        QApplication::setPalette(QPalette()); // lets the platform's own palette through
        m_dark = isDark(QApplication::palette());
    } else {
        m_dark = m_mode == ThemeMode::Dark;
    }
    QApplication::setPalette(paletteOf(m_dark ? darkColours() : lightColours()));
    m_applying = false;
    Q_EMIT changed();
}

bool Theme::eventFilter(QObject* watched, QEvent* event)
{
    // Windows hear of a change of the desktop's theme; the application's palette, being set by
    // apply(), hides it from everybody else.
    if (event->type() == QEvent::ThemeChange && m_mode == ThemeMode::System && !m_applying) {
        apply();
    }
    return QObject::eventFilter(watched, event);
}

QString themeModeName(ThemeMode mode)
{
    switch (mode) {
    case ThemeMode::Light:
        return QStringLiteral("light");
    case ThemeMode::Dark:
        return QStringLiteral("dark");
    case ThemeMode::System:
        break;
    }
    return QStringLiteral("system");
}

ThemeMode parseThemeMode(const QString& name)
{
    if (name == QLatin1String("light")) {
        return ThemeMode::Light;
    }
    return name == QLatin1String("dark") ? ThemeMode::Dark : ThemeMode::System;
}

} // namespace heed::ui
