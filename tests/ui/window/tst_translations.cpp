// The translation files are complete and up to date.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/language.h"
#include "views/viewtext.h"

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <set>

class TestTranslations : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void chineseIsComplete();
    void placeholdersSurvive();
    void filesKnowEveryText();
    void threadsAreCountedInChinese();
};

namespace {

struct Entry {
    QString context;
    QString source;
    QString comment;
    QStringList translations;
    bool finished = true;
    bool plural = false;
};

QString sourceFile(const char* name)
{
    return qEnvironmentVariable("HEED_SOURCE_DIR") + "/resources/translations/" + name;
}

QList<Entry> read(const QString& path)
{
    QFile file(path);
    QList<Entry> entries;
    if (!file.open(QIODevice::ReadOnly)) {
        return entries;
    }
    QXmlStreamReader xml(&file);
    QString context;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement) {
            continue;
        }
        if (xml.name() == QLatin1String("name")) {
            context = xml.readElementText();
        } else if (xml.name() == QLatin1String("message")) {
            Entry entry;
            entry.context = context;
            entry.plural = xml.attributes().value("numerus") == QLatin1String("yes");
            entries += entry;
        } else if (xml.name() == QLatin1String("source")) {
            entries.last().source = xml.readElementText();
        } else if (xml.name() == QLatin1String("comment")) {
            entries.last().comment = xml.readElementText();
        } else if (xml.name() == QLatin1String("translation")) {
            entries.last().finished = !xml.attributes().hasAttribute("type");
            if (!entries.last().plural) {
                entries.last().translations += xml.readElementText();
            }
        } else if (xml.name() == QLatin1String("numerusform")) {
            entries.last().translations += xml.readElementText();
        }
    }
    return entries;
}

std::set<QString> keys(const QList<Entry>& entries, bool pluralOnly = false)
{
    std::set<QString> result;
    for (const Entry& entry : entries) {
        if (entry.plural || !pluralOnly) {
            result.insert(entry.context + '\x1f' + entry.source + '\x1f' + entry.comment);
        }
    }
    return result;
}

std::set<QString> placeholders(const QString& text)
{
    static const QRegularExpression pattern(QStringLiteral("%(?:n|L?\\d)"));
    std::set<QString> result;
    for (auto match = pattern.globalMatch(text); match.hasNext();) {
        result.insert(match.next().captured());
    }
    return result;
}

} // namespace

void TestTranslations::chineseIsComplete()
{
    const QList<Entry> entries = read(sourceFile("heedmap_zh_CN.ts"));
    QVERIFY(entries.size() > 200);
    for (const Entry& entry : entries) {
        QVERIFY2(entry.finished && !entry.translations.isEmpty() &&
                     !entry.translations.first().isEmpty(),
                 qPrintable(entry.context + ": " + entry.source));
    }
}

void TestTranslations::placeholdersSurvive()
{
    for (const char* name : {"heedmap_zh_CN.ts", "heedmap_en.ts"}) {
        for (const Entry& entry : read(sourceFile(name))) {
            for (const QString& translation : entry.translations) {
                if (!translation.isEmpty()) {
                    QVERIFY2(placeholders(translation) == placeholders(entry.source),
                             qPrintable(translation));
                }
            }
        }
    }
}

void TestTranslations::filesKnowEveryText()
{
    QTemporaryDir folder;
    const QString fresh = folder.filePath(QStringLiteral("fresh.ts"));
    const QString root = qEnvironmentVariable("HEED_SOURCE_DIR");
    QProcess lupdate;
    lupdate.start(
        qEnvironmentVariable("HEED_LUPDATE"),
        {"-silent", "-locations", "none", root + "/ui", "-I", root + "/ui", "-ts", fresh});
    QVERIFY(lupdate.waitForFinished(120000));
    const std::set<QString> wanted = keys(read(fresh));
    QVERIFY(!wanted.empty());
    const std::set<QString> chinese = keys(read(sourceFile("heedmap_zh_CN.ts")));
    for (const QString& key : wanted) {
        QVERIFY2(chinese.contains(key), qPrintable("not in heedmap_zh_CN.ts: " + key));
    }
    for (const QString& key : chinese) {
        QVERIFY2(wanted.contains(key), qPrintable("no longer in the program: " + key));
    }
    QCOMPARE(keys(read(sourceFile("heedmap_en.ts"))), keys(read(fresh), /*pluralOnly=*/true));
}

void TestTranslations::threadsAreCountedInChinese()
{
    heed::ui::Language language;
    language.setCode(QStringLiteral("zh_CN"));
    const QString chinese = heed::ui::backendText("CPU x86-64-v4, 2 threads");
    language.setCode(QStringLiteral("en"));
    QCOMPARE(chinese, QStringLiteral("CPU x86-64-v4，2 个线程"));
    QCOMPARE(heed::ui::backendText("CPU x86-64-v4, 1 thread"),
             QStringLiteral("CPU x86-64-v4, 1 thread"));
    QCOMPARE(heed::ui::backendText("reference"), QStringLiteral("reference"));
}

QTEST_MAIN(TestTranslations)
#include "tst_translations.moc"
