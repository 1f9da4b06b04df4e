// Errors in the language of the window.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "services/errortext.h"

#include "heed/layer.h"

#include <QTest>

using namespace heed;
using namespace heed::ui;

class ErrorTextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void settingsAreToldInTheirOwnWords();
    void anEmptyTextIsNoMistake();
    void theRestIsTheEnginesSentence();
};

void ErrorTextTest::settingsAreToldInTheirOwnWords()
{
    Source source;
    source.lines = {"a b"};
    const auto detail = [&] {
        const auto valid = validate(source.layer);
        return valid ? QString() : errorText(valid.error(), source).detail;
    };
    source.layer.heads = 5;
    QVERIFY(detail().startsWith(QStringLiteral("d_model 64 cannot be split evenly over 5 heads")));
    source.layer.heads = 8;
    source.layer.kvHeads = 3;
    QVERIFY(detail().startsWith(QStringLiteral("8 heads cannot share 3 key/value heads")));
    source.layer.kvHeads = 0;
    source.layer.heads = 64;
    source.layer.positions = Positions::Rotary;
    QVERIFY(detail().contains(QStringLiteral("64 ÷ 64 = 1 is odd")));
}

void ErrorTextTest::anEmptyTextIsNoMistake()
{
    Source source;
    source.lines = {"", "  "};
    const Error error{Code::InvalidArgument, "Line 1 of 2 holds no token.", "line 1"};
    QCOMPARE(errorText(error, source).title, QStringLiteral("Nothing to look at yet"));
    source.lines = {"a", ""};
    QVERIFY(errorText(error, source).detail.contains(QStringLiteral("Line 1 of 2")));
}

void ErrorTextTest::theRestIsTheEnginesSentence()
{
    Source source;
    source.lines = {"a"};
    const Error error{Code::NotFound, "There is no such file.", "x.npy"};
    QCOMPARE(errorText(error, source).detail, errorText(error).detail);
    QVERIFY(errorText(error).detail.contains(QStringLiteral("x.npy")));
}

QTEST_GUILESS_MAIN(ErrorTextTest)
#include "tst_errortext.moc"
