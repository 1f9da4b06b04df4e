// The table of commands: name, words, keys.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/actions.h"

#include "dialogs/commandpalette.h"
#include "widgets/labels.h"

#include <QCoreApplication>
#include <QKeySequence>
#include <QWidget>

namespace heed::ui {

namespace {

constexpr auto NoGroup = ActionGroupId::Count;

struct Spec {
    ActionId id;
    const char* name; ///< stable; the object name
    const char* text;
    const char* brief = nullptr; ///< in tool bars and segments; null = text
    const char* tip = nullptr;
    const char* keys = ""; ///< portable text, separated by "; "
    bool checkable = false;
    ActionGroupId group = NoGroup;
};

// clang-format off
const Spec Table[] = {
    {ActionId::StartPage, "file.start", QT_TRANSLATE_NOOP("Actions", "&New"), nullptr, QT_TRANSLATE_NOOP("Actions", "Close what is open and show the start page"), "Ctrl+N"},
    {ActionId::Example, "file.example", QT_TRANSLATE_NOOP("Actions", "Open the &worked example"), nullptr, QT_TRANSLATE_NOOP("Actions", "Six tokens, two heads, real numbers")},
    {ActionId::Open, "file.open", QT_TRANSLATE_NOOP("Actions", "&Open…"), QT_TRANSLATE_NOOP("Actions", "Open…"), QT_TRANSLATE_NOOP("Actions", "Open a session, an array file or a text file"), "Ctrl+O"},
    {ActionId::OpenModel, "file.openmodel", QT_TRANSLATE_NOOP("Actions", "Open &model folder…"), QT_TRANSLATE_NOOP("Actions", "Open…"), QT_TRANSLATE_NOOP("Actions", "A folder with config.json, weights and tokenizer"), "Ctrl+Shift+O"},
    {ActionId::Sandbox, "file.sandbox", QT_TRANSLATE_NOOP("Actions", "Show the text in the san&dbox"), QT_TRANSLATE_NOOP("Actions", "Sandbox"), QT_TRANSLATE_NOOP("Actions", "One layer whose sizes and weights you choose, instead of the model")},
    {ActionId::Save, "file.save", QT_TRANSLATE_NOOP("Actions", "&Save"), nullptr, nullptr, "Ctrl+S"},
    {ActionId::SaveAs, "file.saveas", QT_TRANSLATE_NOOP("Actions", "Save &as…"), nullptr, nullptr, "Ctrl+Shift+S"},
    {ActionId::Export, "file.export", QT_TRANSLATE_NOOP("Actions", "&Export figure…"), QT_TRANSLATE_NOOP("Actions", "Export…"), QT_TRANSLATE_NOOP("Actions", "PNG, SVG or PDF with exact millimetres"), "Ctrl+E"},
    {ActionId::ClearRecent, "file.clearrecent", QT_TRANSLATE_NOOP("Actions", "&Clear recent files")},
    {ActionId::Quit, "file.quit", QT_TRANSLATE_NOOP("Actions", "&Quit"), nullptr, nullptr, "Ctrl+Q"},

    {ActionId::Undo, "edit.undo", QT_TRANSLATE_NOOP("Actions", "&Undo"), nullptr, nullptr, "Ctrl+Z"},
    {ActionId::Redo, "edit.redo", QT_TRANSLATE_NOOP("Actions", "&Redo"), nullptr, nullptr, "Ctrl+Shift+Z; Ctrl+Y"},
    {ActionId::CopyCell, "edit.copycell", QT_TRANSLATE_NOOP("Actions", "&Copy cell"), nullptr, QT_TRANSLATE_NOOP("Actions", "The pinned cell as text and JSON"), "Ctrl+C"},
    {ActionId::CopyRow, "edit.copyrow", QT_TRANSLATE_NOOP("Actions", "Copy ro&w"), nullptr, QT_TRANSLATE_NOOP("Actions", "The row of the pinned cell as a table"), "Ctrl+Shift+C"},
    {ActionId::CopyMatrix, "edit.copymatrix", QT_TRANSLATE_NOOP("Actions", "Copy &matrix"), nullptr, QT_TRANSLATE_NOOP("Actions", "The whole map as a table")},
    {ActionId::CopyImage, "edit.copyimage", QT_TRANSLATE_NOOP("Actions", "Copy &image"), nullptr, QT_TRANSLATE_NOOP("Actions", "The map as it is on screen")},
    {ActionId::EditText, "edit.text", QT_TRANSLATE_NOOP("Actions", "Edit &text"), nullptr, nullptr, "Ctrl+L"},
    {ActionId::FindToken, "edit.find", QT_TRANSLATE_NOOP("Actions", "&Find token…"), nullptr, nullptr, "Ctrl+F"},
    {ActionId::FindNext, "edit.findnext", QT_TRANSLATE_NOOP("Actions", "Find &next"), nullptr, nullptr, "F3"},
    {ActionId::FindPrevious, "edit.findprevious", QT_TRANSLATE_NOOP("Actions", "Find &previous"), nullptr, nullptr, "Shift+F3"},
    {ActionId::GoToCell, "edit.goto", QT_TRANSLATE_NOOP("Actions", "&Go to cell…"), nullptr, nullptr, "Ctrl+G"},
    {ActionId::Unpin, "edit.unpin", QT_TRANSLATE_NOOP("Actions", "Un&pin cell"), nullptr, nullptr, "Ctrl+Shift+U"},
    {ActionId::NewSeed, "edit.seed", QT_TRANSLATE_NOOP("Actions", "New random &seed"), QT_TRANSLATE_NOOP("Actions", "New"), QT_TRANSLATE_NOOP("Actions", "Draw other weights"), "Ctrl+R"},
    {ActionId::Scaled, "edit.scaled", QT_TRANSLATE_NOOP("Actions", "Divide scores by √d_k"), nullptr, QT_TRANSLATE_NOOP("Actions", "Without it the softmax saturates"), "", true},
    {ActionId::Biased, "edit.biased", QT_TRANSLATE_NOOP("Actions", "Projections with bias"), nullptr, nullptr, "", true},
    {ActionId::SpecialTokens, "edit.special", QT_TRANSLATE_NOOP("Actions", "Special tokens around the text"), nullptr, QT_TRANSLATE_NOOP("Actions", "Those the model was trained with: [CLS], </s>, …"), "", true},

    {ActionId::QuantityScores, "view.scores", QT_TRANSLATE_NOOP("Actions", "S&cores"), QT_TRANSLATE_NOOP("Actions", "Scores"), QT_TRANSLATE_NOOP("Actions", "q·k of every pair"), "Ctrl+1", true, ActionGroupId::Quantity},
    {ActionId::QuantityScaled, "view.scaled", QT_TRANSLATE_NOOP("Actions", "Sca&led"), QT_TRANSLATE_NOOP("Actions", "Scaled"), QT_TRANSLATE_NOOP("Actions", "Scores divided by √d_k"), "Ctrl+2", true, ActionGroupId::Quantity},
    {ActionId::QuantityMasked, "view.masked", QT_TRANSLATE_NOOP("Actions", "&Masked"), QT_TRANSLATE_NOOP("Actions", "Masked"), QT_TRANSLATE_NOOP("Actions", "Scaled scores, −∞ where masked"), "Ctrl+3", true, ActionGroupId::Quantity},
    {ActionId::QuantityWeights, "view.weights", QT_TRANSLATE_NOOP("Actions", "&Weights"), QT_TRANSLATE_NOOP("Actions", "Weights"), QT_TRANSLATE_NOOP("Actions", "Softmax of each row"), "Ctrl+4", true, ActionGroupId::Quantity},
    {ActionId::MapDefault, "view.map.default", QT_TRANSLATE_NOOP("Actions", "Colours that suit the quantity"), nullptr, nullptr, "", true, ActionGroupId::ColourMap},
    {ActionId::MapViridis, "view.map.viridis", QT_TRANSLATE_NOOP("Actions", "Colours: viridis"), QT_TRANSLATE_NOOP("Actions", "viridis"), nullptr, "", true, ActionGroupId::ColourMap},
    {ActionId::MapCividis, "view.map.cividis", QT_TRANSLATE_NOOP("Actions", "Colours: cividis (colour-blind safe)"), QT_TRANSLATE_NOOP("Actions", "cividis"), nullptr, "", true, ActionGroupId::ColourMap},
    {ActionId::MapMagma, "view.map.magma", QT_TRANSLATE_NOOP("Actions", "Colours: magma"), QT_TRANSLATE_NOOP("Actions", "magma"), nullptr, "", true, ActionGroupId::ColourMap},
    {ActionId::MapInferno, "view.map.inferno", QT_TRANSLATE_NOOP("Actions", "Colours: inferno"), QT_TRANSLATE_NOOP("Actions", "inferno"), nullptr, "", true, ActionGroupId::ColourMap},
    {ActionId::MapGrey, "view.map.grey", QT_TRANSLATE_NOOP("Actions", "Colours: grey"), QT_TRANSLATE_NOOP("Actions", "grey"), nullptr, "", true, ActionGroupId::ColourMap},
    {ActionId::MapDiverging, "view.map.diverging", QT_TRANSLATE_NOOP("Actions", "Colours: diverging, zero in the middle"), QT_TRANSLATE_NOOP("Actions", "diverging"), nullptr, "", true, ActionGroupId::ColourMap},
    {ActionId::RangeDefault, "view.range.default", QT_TRANSLATE_NOOP("Actions", "Range that suits the quantity"), nullptr, nullptr, "", true, ActionGroupId::Range},
    {ActionId::RangeUnit, "view.range.unit", QT_TRANSLATE_NOOP("Actions", "Range: 0 to 1"), QT_TRANSLATE_NOOP("Actions", "0 – 1"), nullptr, "", true, ActionGroupId::Range},
    {ActionId::RangeMap, "view.range.map", QT_TRANSLATE_NOOP("Actions", "Range: this map"), QT_TRANSLATE_NOOP("Actions", "This map"), QT_TRANSLATE_NOOP("Actions", "The extremes of the kept cells"), "", true, ActionGroupId::Range},
    {ActionId::RangeHeads, "view.range.heads", QT_TRANSLATE_NOOP("Actions", "Range: shared by all heads"), QT_TRANSLATE_NOOP("Actions", "All heads"), QT_TRANSLATE_NOOP("Actions", "The extremes over the heads of this item"), "", true, ActionGroupId::Range},
    {ActionId::RangeManual, "view.range.manual", QT_TRANSLATE_NOOP("Actions", "Range: by hand…"), QT_TRANSLATE_NOOP("Actions", "By hand"), nullptr, "", true, ActionGroupId::Range},
    {ActionId::PoolingDefault, "view.pool.default", QT_TRANSLATE_NOOP("Actions", "Pooling that suits the quantity"), nullptr, nullptr, "", true, ActionGroupId::Pooling},
    {ActionId::PoolingMax, "view.pool.max", QT_TRANSLATE_NOOP("Actions", "Pooling: largest value"), QT_TRANSLATE_NOOP("Actions", "max"), nullptr, "", true, ActionGroupId::Pooling},
    {ActionId::PoolingAbsMax, "view.pool.absmax", QT_TRANSLATE_NOOP("Actions", "Pooling: largest magnitude"), QT_TRANSLATE_NOOP("Actions", "absmax"), nullptr, "", true, ActionGroupId::Pooling},
    {ActionId::PoolingMass, "view.pool.mass", QT_TRANSLATE_NOOP("Actions", "Pooling: sum"), QT_TRANSLATE_NOOP("Actions", "mass"), nullptr, "", true, ActionGroupId::Pooling},
    {ActionId::PoolingMean, "view.pool.mean", QT_TRANSLATE_NOOP("Actions", "Pooling: mean"), QT_TRANSLATE_NOOP("Actions", "mean"), nullptr, "", true, ActionGroupId::Pooling},
    {ActionId::HatchMasked, "view.hatch", QT_TRANSLATE_NOOP("Actions", "&Hatch masked cells"), nullptr, nullptr, "", true},
    {ActionId::CellNumbers, "view.numbers", QT_TRANSLATE_NOOP("Actions", "&Numbers in cells"), nullptr, QT_TRANSLATE_NOOP("Actions", "When there is room for them"), "", true},
    {ActionId::HeadOrder, "view.heads.order", QT_TRANSLATE_NOOP("Actions", "&Order heads by metric…"), nullptr, QT_TRANSLATE_NOOP("Actions", "The largest first")},
    {ActionId::HeadBar, "view.heads.bar", QT_TRANSLATE_NOOP("Actions", "Metric as a &bar under the heads…")},
    {ActionId::HeadColour, "view.heads.colour", QT_TRANSLATE_NOOP("Actions", "&Colour heads by metric…"), nullptr, QT_TRANSLATE_NOOP("Actions", "The frame of each head")},
    {ActionId::HeadMetrics, "view.heads.metrics", QT_TRANSLATE_NOOP("Actions", "Head &metrics"), nullptr, QT_TRANSLATE_NOOP("Actions", "The table under the heads")},
    {ActionId::ZoomIn, "view.zoomin", QT_TRANSLATE_NOOP("Actions", "Zoom &in"), nullptr, nullptr, "Ctrl++; Ctrl+="},
    {ActionId::ZoomOut, "view.zoomout", QT_TRANSLATE_NOOP("Actions", "Zoom &out"), nullptr, nullptr, "Ctrl+-"},
    {ActionId::Fit, "view.fit", QT_TRANSLATE_NOOP("Actions", "&Fit"), nullptr, QT_TRANSLATE_NOOP("Actions", "Show the whole map"), "Ctrl+0"},
    {ActionId::Back, "view.back", QT_TRANSLATE_NOOP("Actions", "&Back"), nullptr, QT_TRANSLATE_NOOP("Actions", "The view before"), "Alt+Left"},
    {ActionId::Forward, "view.forward", QT_TRANSLATE_NOOP("Actions", "F&orward"), nullptr, QT_TRANSLATE_NOOP("Actions", "The view after"), "Alt+Right"},
    {ActionId::NextHead, "view.nexthead", QT_TRANSLATE_NOOP("Actions", "Next h&ead"), nullptr, nullptr, "Alt+Down"},
    {ActionId::PreviousHead, "view.previoushead", QT_TRANSLATE_NOOP("Actions", "Previous he&ad"), nullptr, nullptr, "Alt+Up"},
    {ActionId::NextItem, "view.nextitem", QT_TRANSLATE_NOOP("Actions", "Next line of the batch"), nullptr, nullptr, "Alt+PgDown"},
    {ActionId::PreviousItem, "view.previousitem", QT_TRANSLATE_NOOP("Actions", "Previous line of the batch"), nullptr, nullptr, "Alt+PgUp"},
    {ActionId::ThemeSystem, "view.theme.system", QT_TRANSLATE_NOOP("Actions", "Theme: as the system"), nullptr, nullptr, "", true, ActionGroupId::Theme},
    {ActionId::ThemeLight, "view.theme.light", QT_TRANSLATE_NOOP("Actions", "Theme: light"), nullptr, nullptr, "", true, ActionGroupId::Theme},
    {ActionId::ThemeDark, "view.theme.dark", QT_TRANSLATE_NOOP("Actions", "Theme: dark"), nullptr, nullptr, "", true, ActionGroupId::Theme},
    {ActionId::LanguageSystem, "view.language.system", QT_TRANSLATE_NOOP("Actions", "Language: as the system"), nullptr, nullptr, "", true, ActionGroupId::Language},
    {ActionId::LanguageEnglish, "view.language.en", "English", nullptr, nullptr, "", true, ActionGroupId::Language},
    {ActionId::LanguageChinese, "view.language.zh_CN", "简体中文", nullptr, nullptr, "", true, ActionGroupId::Language},
    {ActionId::FullScreen, "view.fullscreen", QT_TRANSLATE_NOOP("Actions", "F&ull screen"), nullptr, nullptr, "F11", true},

    {ActionId::Padding, "mask.padding", QT_TRANSLATE_NOOP("Actions", "&Padding mask"), QT_TRANSLATE_NOOP("Actions", "Padding"), QT_TRANSLATE_NOOP("Actions", "Hide keys that only fill up a line"), "Ctrl+Shift+J", true},
    {ActionId::Causal, "mask.causal", QT_TRANSLATE_NOOP("Actions", "&Causal mask"), QT_TRANSLATE_NOOP("Actions", "Causal"), QT_TRANSLATE_NOOP("Actions", "Hide keys that come after the query"), "Ctrl+Shift+K", true},
    {ActionId::PadLeft, "mask.padleft", QT_TRANSLATE_NOOP("Actions", "Pad on the &left"), QT_TRANSLATE_NOOP("Actions", "left"), nullptr, "", true, ActionGroupId::PadSide},
    {ActionId::PadRight, "mask.padright", QT_TRANSLATE_NOOP("Actions", "Pad on the &right"), QT_TRANSLATE_NOOP("Actions", "right"), nullptr, "", true, ActionGroupId::PadSide},
    {ActionId::EditExpression, "mask.expression", QT_TRANSLATE_NOOP("Actions", "&Edit mask expression"), nullptr, nullptr, "Ctrl+Shift+E"},
    {ActionId::NoMask, "mask.none", QT_TRANSLATE_NOOP("Actions", "&Remove all masks")},

    {ActionId::Palette, "window.palette", QT_TRANSLATE_NOOP("Actions", "&Find a command…"), QT_TRANSLATE_NOOP("Actions", "Find"), nullptr, "Ctrl+Shift+P"},
    {ActionId::NextPanel, "window.nextpanel", QT_TRANSLATE_NOOP("Actions", "&Next panel"), nullptr, nullptr, "F6"},
    {ActionId::PreviousPanel, "window.previouspanel", QT_TRANSLATE_NOOP("Actions", "&Previous panel"), nullptr, nullptr, "Shift+F6"},
    {ActionId::LayoutLearn, "window.layout.learn", QT_TRANSLATE_NOOP("Actions", "Layout: &Learn"), nullptr, QT_TRANSLATE_NOOP("Actions", "Input and inspector")},
    {ActionId::LayoutDebug, "window.layout.debug", QT_TRANSLATE_NOOP("Actions", "Layout: &Debug"), nullptr, QT_TRANSLATE_NOOP("Actions", "Every panel, with the table")},
    {ActionId::LayoutFigure, "window.layout.figure", QT_TRANSLATE_NOOP("Actions", "Layout: &Figure"), nullptr, QT_TRANSLATE_NOOP("Actions", "Only the heads and the map")},
    {ActionId::SaveLayout, "window.layout.save", QT_TRANSLATE_NOOP("Actions", "&Save layout…"), nullptr, QT_TRANSLATE_NOOP("Actions", "Keep the panels as they are, under a name")},
    {ActionId::ResetLayout, "window.reset", QT_TRANSLATE_NOOP("Actions", "&Reset layout")},
    {ActionId::CancelWork, "window.cancel", QT_TRANSLATE_NOOP("Actions", "&Stop computing"), QT_TRANSLATE_NOOP("Actions", "Cancel"), nullptr, "Ctrl+."},
    {ActionId::MemoryBudget, "window.memory", QT_TRANSLATE_NOOP("Actions", "&Memory budget…"), nullptr, QT_TRANSLATE_NOOP("Actions", "How much a computation may take")},

    {ActionId::Shortcuts, "help.shortcuts", QT_TRANSLATE_NOOP("Actions", "&Keyboard shortcuts"), nullptr, nullptr, "F1"},
    {ActionId::Backends, "help.backends", QT_TRANSLATE_NOOP("Actions", "&Backends"), nullptr, QT_TRANSLATE_NOOP("Actions", "What can compute on this machine, and why not")},
    {ActionId::About, "help.about", QT_TRANSLATE_NOOP("Actions", "&About Heedmap")},
    {ActionId::AboutQt, "help.aboutqt", QT_TRANSLATE_NOOP("Actions", "About &Qt")},
};
// clang-format on

QString translated(const char* text)
{
    return text == nullptr ? QString() : QCoreApplication::translate("Actions", text);
}

QAction::MenuRole menuRole(ActionId id)
{
    switch (id) {
    case ActionId::Quit:
        return QAction::QuitRole;
    case ActionId::About:
        return QAction::AboutRole;
    case ActionId::AboutQt:
        return QAction::AboutQtRole;
    default:
        return QAction::NoRole;
    }
}

} // namespace

Actions::Actions(QWidget* window)
    : QObject(window)
{
    for (QActionGroup*& group : m_groups) {
        group = new QActionGroup(this);
    }
    for (const Spec& spec : Table) {
        auto* action = new QAction(window);
        action->setObjectName(QString::fromLatin1(spec.name));
        action->setCheckable(spec.checkable);
        action->setMenuRole(menuRole(spec.id));
        if (*spec.keys != '\0') {
            action->setShortcuts(QKeySequence::listFromString(QString::fromLatin1(spec.keys)));
        }
        if (spec.group != NoGroup) {
            group(spec.group)->addAction(action);
        }
        // Also found by its English name, and what has no word in its name by that.
        QStringList words{withoutMnemonic(QString::fromUtf8(spec.text))};
        if (spec.group == ActionGroupId::Theme) {
            words += QStringLiteral("主题");
        } else if (spec.group == ActionGroupId::Language) {
            words += {QStringLiteral("language"), QStringLiteral("语言")};
        }
        action->setProperty(SearchWords, words);
        window->addAction(action); // the shortcut works whatever menu is shown
        m_actions[static_cast<std::size_t>(spec.id)] = action;
    }
    retranslate();
}

void Actions::retranslate()
{
    for (const Spec& spec : Table) {
        QAction* action = (*this)[spec.id];
        action->setText(translated(spec.text));
        action->setIconText(spec.brief != nullptr ? translated(spec.brief)
                                                  : withoutMnemonic(translated(spec.text)));
        QString tip =
            spec.tip != nullptr ? translated(spec.tip) : withoutMnemonic(translated(spec.text));
        if (!action->shortcut().isEmpty()) {
            tip +=
                QStringLiteral(" (%1)").arg(action->shortcut().toString(QKeySequence::NativeText));
        }
        action->setToolTip(tip);
    }
    setUndoTexts(m_undoText, m_redoText);
}

void Actions::setUndoTexts(const QString& undo, const QString& redo)
{
    m_undoText = undo;
    m_redoText = redo;
    const auto set = [this](ActionId id, const QString& plain, const QString& named,
                            const QString& what) {
        QAction* action = (*this)[id];
        action->setText(what.isEmpty() ? plain : named.arg(what));
        action->setToolTip(
            QStringLiteral("%1 (%2)").arg(withoutMnemonic(action->text()),
                                          action->shortcut().toString(QKeySequence::NativeText)));
    };
    set(ActionId::Undo, translated("&Undo"), tr("&Undo: %1"), undo);
    set(ActionId::Redo, translated("&Redo"), tr("&Redo: %1"), redo);
}

} // namespace heed::ui
