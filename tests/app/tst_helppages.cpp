// --help, the man page and the shell completions say the same, and help fits a screen.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTest>

class TestHelpPages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void helpFitsAScreen_data();
    void helpFitsAScreen();
    void manPageHasEveryOption();
    void manPageHasNoOtherOption();
    void manPageHasEveryMask();
    void manPageIsClean();
    void completionsAreUpToDate_data();
    void completionsAreUpToDate();
    void completionsHaveEveryOption();
    void bashCompletes_data();
    void bashCompletes();
    void zshReadsItsScript();
};

namespace {

const QList<QStringList> Commands = {
    {},         {"compute"},      {"render"},       {"stats"},
    {"mask"},   {"mask", "show"}, {"mask", "lint"}, {"mask", "recognise"},
    {"info"},   {"backends"},     {"bench"},        {"models"},
    {"predict"}};

QString sourceFile(const QString& name)
{
    return qEnvironmentVariable("HEED_SOURCE_DIR") + '/' + name;
}

QString contents(const QString& name)
{
    QFile file(sourceFile(name));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QString helpOf(const QStringList& command)
{
    return QString::fromUtf8(runProgram(command + QStringList{"--help"}).output);
}

/// Options in the first column of the help of @p command.
QStringList optionsOf(const QStringList& command)
{
    static const QRegularExpression line(QStringLiteral("^  (-.*?)(?:   |  \\S|$)"),
                                         QRegularExpression::MultilineOption);
    static const QRegularExpression name(QStringLiteral("(?<![a-z-])--?[a-z][a-z-]*"));
    QStringList options;
    auto lines = line.globalMatch(helpOf(command));
    while (lines.hasNext()) {
        auto names = name.globalMatch(lines.next().captured(1));
        while (names.hasNext()) {
            options.append(names.next().captured());
        }
    }
    return options;
}

QStringList allOptions()
{
    QStringList options;
    for (const QStringList& command : Commands) {
        options += optionsOf(command);
    }
    options.removeDuplicates();
    return options;
}

QString manText()
{
    return contents(QStringLiteral("docs/man/heedmap.1")).replace("\\-", "-");
}

QString bash()
{
    return QStandardPaths::findExecutable(QStringLiteral("bash"));
}

} // namespace

void TestHelpPages::helpFitsAScreen_data()
{
    QTest::addColumn<QStringList>("command");
    for (const QStringList& command : Commands) {
        QTest::newRow(qPrintable("heedmap " + command.join(' '))) << command;
    }
}

void TestHelpPages::helpFitsAScreen()
{
    QFETCH(QStringList, command);
    const Outcome outcome = runProgram(command + QStringList{"--help"});
    QCOMPARE(outcome.exitCode, 0);
    const QStringList lines = QString::fromUtf8(outcome.output).trimmed().split('\n');
    QVERIFY2(lines.size() <= 50, qPrintable(QString::number(lines.size())));
    for (const QString& line : lines) {
        QVERIFY2(line.size() <= 80, qPrintable(line));
    }
    QVERIFY(lines.first().startsWith(QStringLiteral("Usage: ") +
                                     (QStringList{"heedmap"} + command).join(' ')));
}

void TestHelpPages::manPageHasEveryOption()
{
    const QString man = manText();
    const QStringList options = allOptions();
    QVERIFY(options.size() > 50);
    for (const QString& option : options) {
        const QRegularExpression whole(QRegularExpression::escape(option) +
                                       QStringLiteral("(?![a-z-])"));
        QVERIFY2(whole.match(man).hasMatch(), qPrintable(option + " is not in the man page"));
    }
}

void TestHelpPages::manPageHasNoOtherOption()
{
    static const QRegularExpression pattern(QStringLiteral("(?<![a-z-])--[a-z][a-z-]*"));
    const QStringList known = allOptions();
    auto matches = pattern.globalMatch(manText());
    while (matches.hasNext()) {
        const QString option = matches.next().captured();
        QVERIFY2(known.contains(option), qPrintable(option + " is in the man page only"));
    }
}

void TestHelpPages::manPageHasEveryMask()
{
    const QString page = contents("docs/man/heedmap.1");
    const QString masks = page.section(".SH MASK EXPRESSIONS", 1).section("\n.SH ", 0, 0);
    static const QRegularExpression rowOfTable("^\\| (`.*?) \\|",
                                               QRegularExpression::MultilineOption);
    static const QRegularExpression family("`([a-z]+)");
    const QString rules = contents("docs/masks.md").section("## Rules", 1).section("\n## ", 0, 0);
    int count = 0;
    for (auto rows = rowOfTable.globalMatch(rules); rows.hasNext();) {
        for (auto names = family.globalMatch(rows.next().captured(1)); names.hasNext(); ++count) {
            const QString name = names.next().captured(1);
            QVERIFY2(masks.contains(QRegularExpression("\\b" + name + "\\b")), qPrintable(name));
        }
    }
    QVERIFY(count > 12);
}

void TestHelpPages::manPageIsClean()
{
    const QString man = QStandardPaths::findExecutable(QStringLiteral("man"));
    if (man.isEmpty()) {
        return; // not part of the program, and not on every machine that builds it
    }
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("MANWIDTH"), QStringLiteral("80"));
    environment.insert(QStringLiteral("MANROFFSEQ"), QStringLiteral("t"));
    process.setProcessEnvironment(environment);
    process.start(man, {"--warnings", "-E", "UTF-8", "-l", sourceFile("docs/man/heedmap.1")});
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.exitCode(), 0);
    QCOMPARE(QString::fromUtf8(process.readAllStandardError()), QString());
}

void TestHelpPages::completionsAreUpToDate_data()
{
    QTest::addColumn<QString>("shell");
    QTest::addColumn<QString>("file");
    QTest::newRow("bash") << "bash"
                          << "resources/completions/heedmap.bash";
    QTest::newRow("zsh") << "zsh"
                         << "resources/completions/_heedmap";
}

void TestHelpPages::completionsAreUpToDate()
{
    QFETCH(QString, shell);
    QFETCH(QString, file);
    const Outcome outcome = runProgram({"completions", shell});
    QCOMPARE(outcome.exitCode, 0);
    QVERIFY2(QString::fromUtf8(outcome.output) == contents(file),
             qPrintable("make it again: heedmap completions " + shell + " > " + file));
}

void TestHelpPages::completionsHaveEveryOption()
{
    for (const char* file :
         {"resources/completions/heedmap.bash", "resources/completions/_heedmap"}) {
        const QString script = contents(file);
        for (const QString& option : allOptions()) {
            QVERIFY2(script.contains(option), qPrintable(option + " is not in " + file));
        }
    }
}

void TestHelpPages::bashCompletes_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("expected");
    QTest::newRow("a command") << QStringList{"comp"} << "compute";
    QTest::newRow("an option") << QStringList{"compute", "--caus"} << "--causal";
    QTest::newRow("a choice") << QStringList{"compute", "--positions", "sin"} << "sinusoidal";
    QTest::newRow("a command of a command") << QStringList{"mask", "s"} << "show";
    QTest::newRow("another command of a command") << QStringList{"mask", "r"} << "recognise";
    QTest::newRow("its option") << QStringList{"mask", "show", "--len"} << "--lengths";
    QTest::newRow("after a value") << QStringList{"stats", "--heads", "4", "--lin"} << "--links";
}

void TestHelpPages::bashCompletes()
{
    QFETCH(QStringList, words);
    QFETCH(QString, expected);
    if (bash().isEmpty()) {
        return; // a shell is no build requirement
    }
    QProcess process;
    process.start(bash(),
                  {"-c", QStringLiteral(". '%1'; COMP_WORDS=(heedmap %2); COMP_CWORD=%3; "
                                        "_heedmap; printf '%s\\n' \"${COMPREPLY[@]}\"")
                             .arg(sourceFile("resources/completions/heedmap.bash"), words.join(' '))
                             .arg(words.size())});
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.readAllStandardError(), QByteArray());
    QCOMPARE(QString::fromUtf8(process.readAllStandardOutput()).trimmed(), expected);
}

void TestHelpPages::zshReadsItsScript()
{
    const QString zsh = QStandardPaths::findExecutable(QStringLiteral("zsh"));
    if (zsh.isEmpty()) {
        return; // a shell is no build requirement
    }
    QProcess process;
    process.start(zsh, {"-n", sourceFile("resources/completions/_heedmap")});
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.readAllStandardError(), QByteArray());
    QCOMPARE(process.exitCode(), 0);
}

QTEST_GUILESS_MAIN(TestHelpPages)
#include "tst_helppages.moc"
