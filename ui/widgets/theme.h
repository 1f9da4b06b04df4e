// The two looks of the program, and the switch between them.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QObject>
#include <QPalette>

class QApplication;

namespace heed::ui {

/// Every colour of the window. Text colours reach 4.5:1 on the surfaces they are used on, graphics
/// 3:1 (tests/ui/widgets/tst_theme.cpp).
struct Colours {
    QColor background; ///< behind the maps; inside fields
    QColor panel;      ///< side panels, bars
    QColor line;       ///< separators; carries no information
    QColor text;
    QColor mute;       ///< secondary text
    QColor accent;     ///< selected or active, nothing else
    QColor onAccent;   ///< text on accent
    QColor accentSoft; ///< fill of something active
    QColor hover;
    QColor warn; ///< look here
    QColor warnSoft;
    QColor chip;
    QColor graphic; ///< bars, hatches, switches that are off
};

[[nodiscard]] const Colours& lightColours();
[[nodiscard]] const Colours& darkColours();
[[nodiscard]] QPalette paletteOf(const Colours& colours);

/// Whether @p palette is a dark one (Qt 6.4 does not say).
[[nodiscard]] bool isDark(const QPalette& palette);
/// The colours that belong to @p palette. Painting code asks at each paint, so that a change of
/// theme needs no bookkeeping.
[[nodiscard]] const Colours& coloursOf(const QPalette& palette);

/// @p font with faces for simplified Chinese at the end of its list.
[[nodiscard]] QFont withChineseFallback(QFont font);
/// Monospaced with tabular figures, at @p scale times the size of @p base.
[[nodiscard]] QFont numberFont(const QFont& base, double scale = 1.0);
/// Smaller text: headings of sections, notes.
[[nodiscard]] QFont smallFont(const QFont& base);

enum class ThemeMode { System, Light, Dark };

/// Applies style and palette to the application and follows the system when asked to.
class Theme : public QObject {
    Q_OBJECT
public:
    explicit Theme(QApplication& application);

    [[nodiscard]] ThemeMode mode() const { return m_mode; }
    void setMode(ThemeMode mode);
    [[nodiscard]] bool dark() const { return m_dark; }

Q_SIGNALS:
    void changed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void apply();

    ThemeMode m_mode = ThemeMode::System;
    bool m_dark = false;
    bool m_applying = false;
};

/// "system", "light", "dark".
[[nodiscard]] QString themeModeName(ThemeMode mode);
/// Anything unknown is System.
[[nodiscard]] ThemeMode parseThemeMode(const QString& name);

} // namespace heed::ui
