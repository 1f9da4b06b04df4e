// Both themes are readable: contrast of text and graphics, palettes that agree with the colours.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme.h"

#include "views/colourmap.h"
#include "widgets/flatstyle.h"
#include "widgets/labels.h"
#include "widgets/messagebar.h"

#include <QApplication>
#include <QPainter>
#include <QStyleOption>
#include <QTest>
#include <QVBoxLayout>
#include <algorithm>

using namespace heed::ui;

namespace {
constexpr double TextContrast = 4.5;    // WCAG 2, 1.4.3
constexpr double GraphicContrast = 3.0; // WCAG 2, 1.4.11

double contrastOf(const QColor& a, const QColor& b)
{
    return heed::ui::contrast(a.rgb(), b.rgb());
}
} // namespace

class TestTheme : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void contrastOfKnownPairs();
    void textIsReadable_data();
    void textIsReadable();
    void graphicsAreVisible_data();
    void graphicsAreVisible();
    void paletteTellsItsTheme();
    void modeChangesThePalette();
    void labelsFollowTheTheme();
    void emptyBoxesAreSeen();
    void namesOfModes();
};

void TestTheme::contrastOfKnownPairs()
{
    QCOMPARE(contrastOf(Qt::black, Qt::white), 21.0);
    QCOMPARE(contrastOf(Qt::white, Qt::white), 1.0);
    QVERIFY(qAbs(contrastOf(QColor(0x767676), Qt::white) - 4.54) < 0.01);
}

void TestTheme::textIsReadable_data()
{
    QTest::addColumn<QColor>("text");
    QTest::addColumn<QColor>("surface");
    for (const bool dark : {false, true}) {
        const Colours& c = dark ? darkColours() : lightColours();
        const auto row = [dark](const char* name, const QColor& text, const QColor& surface) {
            QTest::addRow("%s %s", dark ? "dark" : "light", name) << text << surface;
        };
        row("text on panel", c.text, c.panel);
        row("text on background", c.text, c.background);
        row("text on chip", c.text, c.chip);
        row("text on hover", c.text, c.hover);
        row("text on accentSoft", c.text, c.accentSoft);
        row("mute on panel", c.mute, c.panel);
        row("mute on background", c.mute, c.background);
        row("mute on chip", c.mute, c.chip);
        row("mute on accentSoft", c.mute, c.accentSoft);
        row("accent on panel", c.accent, c.panel);
        row("accent on background", c.accent, c.background);
        row("onAccent on accent", c.onAccent, c.accent);
        row("warn on warnSoft", c.warn, c.warnSoft);
        row("warn on panel", c.warn, c.panel);
        row("warn on background", c.warn, c.background);
    }
}

void TestTheme::textIsReadable()
{
    QFETCH(QColor, text);
    QFETCH(QColor, surface);
    const double ratio = contrastOf(text, surface);
    QVERIFY2(ratio >= TextContrast, qPrintable(QString::number(ratio)));
}

void TestTheme::graphicsAreVisible_data()
{
    QTest::addColumn<QColor>("graphic");
    QTest::addColumn<QColor>("surface");
    for (const bool dark : {false, true}) {
        const Colours& c = dark ? darkColours() : lightColours();
        const auto row = [dark](const char* name, const QColor& graphic, const QColor& surface) {
            QTest::addRow("%s %s", dark ? "dark" : "light", name) << graphic << surface;
        };
        row("graphic on panel", c.graphic, c.panel);
        row("graphic on background", c.graphic, c.background);
        row("accent on panel", c.accent, c.panel);
        row("accent on background", c.accent, c.background);
        row("warn on panel", c.warn, c.panel);
        row("knob on switch that is off", Qt::white, c.graphic);
    }
}

void TestTheme::graphicsAreVisible()
{
    QFETCH(QColor, graphic);
    QFETCH(QColor, surface);
    const double ratio = contrastOf(graphic, surface);
    QVERIFY2(ratio >= GraphicContrast, qPrintable(QString::number(ratio)));
}

void TestTheme::paletteTellsItsTheme()
{
    QVERIFY(!isDark(paletteOf(lightColours())));
    QVERIFY(isDark(paletteOf(darkColours())));
    QCOMPARE(coloursOf(paletteOf(darkColours())).accent, darkColours().accent);
    QCOMPARE(paletteOf(lightColours()).color(QPalette::Highlight), lightColours().accent);
}

void TestTheme::modeChangesThePalette()
{
    auto* theme = new Theme(*qApp);
    theme->setMode(ThemeMode::Dark);
    QVERIFY(theme->dark());
    QVERIFY(isDark(QApplication::palette()));
    theme->setMode(ThemeMode::Light);
    QVERIFY(!isDark(QApplication::palette()));
    QCOMPARE(QApplication::palette().color(QPalette::Window), lightColours().panel);
    theme->setMode(ThemeMode::System); // offscreen has a light palette
    QVERIFY(!theme->dark());
    delete theme;
}

void TestTheme::labelsFollowTheTheme()
{
    auto* theme = new Theme(*qApp);
    theme->setMode(ThemeMode::Light);
    QWidget window;
    auto* layout = new QVBoxLayout(&window);
    auto* heading = new SectionHeading(QStringLiteral("Heading"), &window);
    auto* label = new MutedLabel(QStringLiteral("Label"), &window);
    auto* bar = new MessageBar(&window);
    bar->show(QStringLiteral("Look here"));
    for (QWidget* widget : std::initializer_list<QWidget*>{heading, label, bar}) {
        layout->addWidget(widget);
    }
    window.show();
    const auto* warning = bar->findChild<QLabel*>();
    for (const ThemeMode mode : {ThemeMode::Dark, ThemeMode::Light}) {
        theme->setMode(mode);
        const Colours& c = mode == ThemeMode::Dark ? darkColours() : lightColours();
        QTRY_COMPARE(heading->palette().color(QPalette::WindowText), c.mute);
        QTRY_COMPARE(label->palette().color(QPalette::WindowText), c.mute);
        QTRY_COMPARE(warning->palette().color(QPalette::WindowText), c.warn);
    }
    delete theme;
}

void TestTheme::emptyBoxesAreSeen()
{
    const FlatStyle style;
    for (const bool dark : {false, true}) {
        const Colours& c = dark ? darkColours() : lightColours();
        for (const auto element : {QStyle::PE_IndicatorCheckBox, QStyle::PE_IndicatorRadioButton}) {
            QImage image(16, 16, QImage::Format_RGB32);
            image.fill(c.panel);
            QStyleOptionButton option;
            option.rect = image.rect();
            option.palette = paletteOf(c);
            option.state = QStyle::State_Enabled | QStyle::State_Off;
            QPainter painter(&image);
            style.drawPrimitive(element, &option, &painter, nullptr);
            painter.end();
            double most = 0; // along the middle, across the line
            for (int x = 0; x < image.width(); ++x) {
                most = std::max(most, contrastOf(QColor::fromRgb(image.pixel(x, 8)), c.panel));
            }
            QVERIFY2(most >= GraphicContrast * 0.9, qPrintable(QString::number(most)));
        }
    }
}

void TestTheme::namesOfModes()
{
    for (const ThemeMode mode : {ThemeMode::System, ThemeMode::Light, ThemeMode::Dark}) {
        QCOMPARE(parseThemeMode(themeModeName(mode)), mode);
    }
    QCOMPARE(parseThemeMode(QStringLiteral("mauve")), ThemeMode::System);
}

QTEST_MAIN(TestTheme)
#include "tst_theme.moc"
