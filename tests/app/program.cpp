// Runs the built heedmap the way a shell does, with no display and no settings of the person
// testing. SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"

#include <QJsonDocument>
#include <QProcess>

namespace {

constexpr int TimeoutMs = 120000; // sanitizers on a busy machine

Outcome runToItsEnd(const QString& program, const QStringList& arguments, const QByteArray& input,
                    const QString& folder, const QProcessEnvironment& environment)
{
    QProcess process;
    process.setProcessEnvironment(environment);
    if (!folder.isEmpty()) {
        process.setWorkingDirectory(folder);
    }
    process.start(program, arguments);
    process.write(input);
    process.closeWriteChannel();
    Outcome outcome;
    if (process.waitForFinished(TimeoutMs) && process.exitStatus() == QProcess::NormalExit) {
        outcome.exitCode = process.exitCode();
    }
    outcome.output = process.readAllStandardOutput();
    outcome.errors = process.readAllStandardError();
    return outcome;
}

} // namespace

QString programPath()
{
    return qEnvironmentVariable("HEED_BINARY_DIR") + QStringLiteral("/bin/heedmap");
}

QProcessEnvironment bareEnvironment()
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.remove(QStringLiteral("DISPLAY"));
    environment.remove(QStringLiteral("WAYLAND_DISPLAY"));
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("no-such-platform"));
    return environment;
}

Outcome runProgram(const QStringList& arguments, const QByteArray& input, const QString& folder,
                   const QProcessEnvironment& environment)
{
    return runToItsEnd(programPath(), arguments, input, folder, environment);
}

Outcome runInShell(const QString& line, const QString& folder)
{
    QProcessEnvironment environment = bareEnvironment();
    environment.insert(QStringLiteral("HEEDMAP"), programPath());
    return runToItsEnd(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), line}, {}, folder,
                       environment);
}

QJsonObject jsonOf(const Outcome& outcome)
{
    return QJsonDocument::fromJson(outcome.output).object();
}
