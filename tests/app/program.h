// Runs the built heedmap the way a shell does, with no display and no settings of the person
// testing. SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>

struct Outcome {
    int exitCode = -1; ///< −1 when it crashed or did not end in time
    QByteArray output;
    QByteArray errors;
};

/// The built executable.
QString programPath();

/// An environment without a display, in which the toolkit cannot start: a command that starts it
/// all the same fails.
QProcessEnvironment bareEnvironment();

Outcome runProgram(const QStringList& arguments, const QByteArray& input = {},
                   const QString& folder = {},
                   const QProcessEnvironment& environment = bareEnvironment());

/// Runs @p line with sh, in which $HEEDMAP is the built executable. For redirections and limits.
Outcome runInShell(const QString& line, const QString& folder = {});

/// The output as a JSON object; empty when it is none.
QJsonObject jsonOf(const Outcome& outcome);
