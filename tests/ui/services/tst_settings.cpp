// Settings survive, nonsense does not.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "services/settings.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace heed::ui;

class SettingsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void valuesComeBack();
    void nonsenseFallsBackToTheDefaults();
    void recentFilesAreNewestFirstAndDistinct();
    void aLayoutOfAnotherVersionIsIgnored();
    void layoutsHaveNames();
};

void SettingsTest::valuesComeBack()
{
    QTemporaryDir folder;
    const ExportSettings figure{.format = "pdf",
                                .widthMm = 140.5,
                                .fontPt = 8.5,
                                .dpi = 600,
                                .grid = true,
                                .title = false,
                                .tokenLabels = false,
                                .colourBar = false,
                                .hatch = false,
                                .cellNumbers = false,
                                .folder = "/figures"};
    {
        Settings settings(folder.path());
        QCOMPARE(settings.theme(), "system");
        settings.setTheme("dark");
        settings.setLanguage("zh_CN");
        settings.setWheelZooms(false);
        QCOMPARE(settings.memoryBudget(), std::int64_t{0});
        settings.setMemoryBudget(std::int64_t{5} << 30);
        QCOMPARE(settings.exportSettings(), ExportSettings());
        settings.setExportSettings(figure);
    }
    Settings settings(folder.path());
    QCOMPARE(settings.theme(), "dark");
    QCOMPARE(settings.language(), "zh_CN");
    QVERIFY(!settings.wheelZooms());
    QCOMPARE(settings.memoryBudget(), std::int64_t{5} << 30);
    QCOMPARE(settings.exportSettings(), figure);
}

void SettingsTest::nonsenseFallsBackToTheDefaults()
{
    QTemporaryDir folder;
    QFile file(folder.filePath("heedmap.ini"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("[view]\ntheme=neon\nlanguage=xx\n[layout]\nversion=banana\nstate=junk\n"
               "[engine]\nmemory=-7\n[export]\nformat=gif\nwidthMm=-3\nfontPt=nan\ndpi=1e9\n");
    file.close();
    Settings settings(folder.path());
    QCOMPARE(settings.theme(), "system");
    QCOMPARE(settings.language(), "system");
    QCOMPARE(settings.memoryBudget(), std::int64_t{0});
    QVERIFY(settings.layout(1).isEmpty());
    QCOMPARE(settings.exportSettings(), ExportSettings());
}

void SettingsTest::recentFilesAreNewestFirstAndDistinct()
{
    QTemporaryDir folder;
    Settings settings(folder.path());
    for (int i = 0; i < 20; ++i) {
        settings.addRecentFile(QString("/f%1").arg(i));
    }
    settings.addRecentFile("/f15");
    QCOMPARE(settings.recentFiles().size(), 12);
    QCOMPARE(settings.recentFiles().first(), "/f15");
    QCOMPARE(settings.recentFiles().count("/f15"), 1);
    settings.clearRecentFiles();
    QVERIFY(settings.recentFiles().isEmpty());
}

void SettingsTest::aLayoutOfAnotherVersionIsIgnored()
{
    QTemporaryDir folder;
    Settings settings(folder.path());
    settings.saveLayout("g", "s", 3);
    QCOMPARE(settings.layout(3), QByteArray("s"));
    QVERIFY(settings.layout(4).isEmpty());
    settings.resetLayout();
    QVERIFY(settings.layout(3).isEmpty());
    QVERIFY(settings.geometry().isEmpty());
}

void SettingsTest::layoutsHaveNames()
{
    QTemporaryDir folder;
    const std::vector<NamedLayout> layouts{{"one", "state 1"}, {"二/2", QByteArray("\0\1", 2)}};
    {
        Settings settings(folder.path());
        QVERIFY(settings.namedLayouts(1).empty());
        settings.setNamedLayouts({{"old", "x"}, {"older", "x"}, {"oldest", "x"}}, 1);
        settings.setNamedLayouts(layouts, 1);
    }
    Settings settings(folder.path());
    QVERIFY(settings.namedLayouts(1) == layouts);
    QVERIFY(settings.namedLayouts(2).empty());
    settings.setNamedLayouts({{"", "state"}, {"name", ""}}, 1);
    QVERIFY(settings.namedLayouts(1).empty());
}

QTEST_GUILESS_MAIN(SettingsTest)
#include "tst_settings.moc"
