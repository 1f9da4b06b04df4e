// The small widgets: they follow their actions, by mouse and by keyboard, and have names.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/messagebar.h"
#include "widgets/segmentedcontrol.h"
#include "widgets/switchbutton.h"
#include "widgets/textfield.h"
#include "widgets/tokenmodel.h"
#include "widgets/tokenstrip.h"

#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QAction>
#include <QActionGroup>
#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

using namespace heed;
using namespace heed::ui;

class TestControls : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void segmentsFollowTheirActions();
    void arrowKeysMoveTheChoice();
    void switchTriggersItsAction();
    void controlsHaveRolesAndNames();
    void messageBarCallsItsButtons();
    void tokensAreAModel();
    void chipsWrapAndAnswer();
    void anEmptyClipboardIsPastedAsNothing();
};

namespace {

struct Choice {
    QActionGroup group{nullptr};
    QAction* left = group.addAction(QStringLiteral("&Left"));
    QAction* right = group.addAction(QStringLiteral("&Right"));
    Choice()
    {
        left->setCheckable(true);
        right->setCheckable(true);
        left->setChecked(true);
    }
};

Token token(const char* text, bool padding = false)
{
    Token made;
    made.text = text;
    made.isPadding = padding;
    made.isSpecial = padding;
    return made;
}

} // namespace

void TestControls::segmentsFollowTheirActions()
{
    Choice choice;
    SegmentedControl control(&choice.group);
    QVERIFY(control.segments()[0]->isChecked());
    QSignalSpy spy(choice.right, &QAction::triggered);
    QTest::mouseClick(control.segments()[1], Qt::LeftButton);
    QCOMPARE(spy.size(), 1);
    QVERIFY(choice.right->isChecked());
    QVERIFY(!control.segments()[0]->isChecked());
    QTest::mouseClick(control.segments()[1], Qt::LeftButton); // already chosen: nothing happens
    QCOMPARE(spy.size(), 1);
    choice.left->setChecked(true);
    QVERIFY(control.segments()[0]->isChecked());
    choice.left->setText(QStringLiteral("&Links"));
    QCOMPARE(control.segments()[0]->text(), QStringLiteral("Links"));
    choice.left->setEnabled(false);
    QVERIFY(!control.segments()[0]->isEnabled());
}

void TestControls::arrowKeysMoveTheChoice()
{
    Choice choice;
    SegmentedControl control(&choice.group);
    control.show();
    QVERIFY(QTest::qWaitForWindowExposed(&control));
    control.segments()[0]->setFocus();
    QTest::keyClick(control.segments()[0], Qt::Key_Right);
    QVERIFY(choice.right->isChecked());
}

void TestControls::switchTriggersItsAction()
{
    QAction action(QStringLiteral("&Causal"));
    action.setCheckable(true);
    SwitchButton button(&action);
    QTest::mouseClick(&button, Qt::LeftButton);
    QVERIFY(action.isChecked());
    QVERIFY(button.isChecked());
    action.setChecked(false);
    QVERIFY(!button.isChecked());
    QTest::keyClick(&button, Qt::Key_Space);
    QVERIFY(action.isChecked());
}

void TestControls::controlsHaveRolesAndNames()
{
    QAction action(QStringLiteral("&Causal mask"));
    action.setCheckable(true);
    SwitchButton button(&action);
    QAccessibleInterface* face = QAccessible::queryAccessibleInterface(&button);
    QVERIFY(face != nullptr);
    QCOMPARE(face->role(), QAccessible::CheckBox);
    QCOMPARE(face->text(QAccessible::Name), QStringLiteral("Causal mask"));
    Choice choice;
    SegmentedControl control(&choice.group);
    face = QAccessible::queryAccessibleInterface(control.segments()[1]);
    QCOMPARE(face->role(), QAccessible::RadioButton);
    QCOMPARE(face->text(QAccessible::Name), QStringLiteral("Right"));
}

void TestControls::messageBarCallsItsButtons()
{
    MessageBar bar;
    QVERIFY(bar.isHidden());
    int calls = 0;
    bar.show(QStringLiteral("48 heads do not fit"),
             {{QStringLiteral("Use 25"), [&] {
                   ++calls;
                   bar.clear(); // the message goes while its button is being clicked
               }}});
    QVERIFY(!bar.isHidden());
    QTest::mouseClick(bar.findChild<QPushButton*>(), Qt::LeftButton);
    QCOMPARE(calls, 1);
    QVERIFY(bar.isHidden());
}

void TestControls::tokensAreAModel()
{
    TokenModel model;
    QAbstractItemModelTester tester(&model);
    model.setTokens({token("cat"), token("<pad>", true)});
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(0, TokenModel::Piece).data().toString(), QStringLiteral("cat"));
    QVERIFY(model.index(1, TokenModel::Piece).data(TokenModel::PaddingRole).toBool());
    model.setTokens({});
    QCOMPARE(model.rowCount(), 0);
}

void TestControls::chipsWrapAndAnswer()
{
    TokenModel model;
    TokenStrip strip(&model);
    std::vector<Token> tokens;
    for (int i = 0; i < 30; ++i) {
        tokens.push_back(token("animal"));
    }
    model.setTokens(tokens);
    strip.resize(260, 160);
    strip.show();
    QVERIFY(QTest::qWaitForWindowExposed(&strip));
    const QRect first = strip.visualRect(model.index(0, TokenModel::Piece));
    QTRY_VERIFY(strip.visualRect(model.index(10, TokenModel::Piece)).top() > first.bottom());
    QSignalSpy spy(&strip, &TokenStrip::tokenActivated);
    QTest::mouseClick(strip.viewport(), Qt::LeftButton, {}, first.center());
    QCOMPARE(spy.size(), 1);
    QCOMPARE(spy[0][0].toInt(), 0);
    strip.setChosen(3);
    QCOMPARE(strip.chosen(), 3);
}

void TestControls::anEmptyClipboardIsPastedAsNothing()
{
    QGuiApplication::clipboard()->setMimeData(new QMimeData); // as on X11
    TextField field;
    field.setPlainText(QStringLiteral("kept"));
    field.show();
    QTest::keyClick(&field, Qt::Key_V, Qt::ControlModifier);
    QVERIFY(!field.canPaste());
    QCOMPARE(field.toPlainText(), QStringLiteral("kept"));
    QGuiApplication::clipboard()->setText(QStringLiteral("new"));
    field.selectAll();
    QTest::keyClick(&field, Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(field.toPlainText(), QStringLiteral("new"));
}

QTEST_MAIN(TestControls)
#include "tst_controls.moc"
