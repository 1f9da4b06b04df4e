// Every command of the program, in one table.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QActionGroup>
#include <QObject>
#include <array>
#include <vector>

namespace heed::ui {

enum class ActionId {
    StartPage,
    Example,
    Open,
    OpenModel,
    Sandbox,
    Save,
    SaveAs,
    Export,
    ClearRecent,
    Quit,
    Undo,
    Redo,
    CopyCell,
    CopyRow,
    CopyMatrix,
    CopyImage,
    EditText,
    FindToken,
    FindNext,
    FindPrevious,
    GoToCell,
    Unpin,
    NewSeed,
    Scaled,
    Biased,
    SpecialTokens,
    QuantityScores,
    QuantityScaled,
    QuantityMasked,
    QuantityWeights,
    MapDefault,
    MapViridis,
    MapCividis,
    MapMagma,
    MapInferno,
    MapGrey,
    MapDiverging,
    RangeDefault,
    RangeUnit,
    RangeMap,
    RangeHeads,
    RangeManual,
    PoolingDefault,
    PoolingMax,
    PoolingAbsMax,
    PoolingMass,
    PoolingMean,
    HatchMasked,
    CellNumbers,
    HeadOrder,
    HeadBar,
    HeadColour,
    HeadMetrics,
    ZoomIn,
    ZoomOut,
    Fit,
    Back,
    Forward,
    NextHead,
    PreviousHead,
    NextItem,
    PreviousItem,
    ThemeSystem,
    ThemeLight,
    ThemeDark,
    LanguageSystem,
    LanguageEnglish,
    LanguageChinese,
    FullScreen,
    Padding,
    Causal,
    PadLeft,
    PadRight,
    EditExpression,
    NoMask,
    Palette,
    NextPanel,
    PreviousPanel,
    LayoutLearn,
    LayoutDebug,
    LayoutFigure,
    SaveLayout,
    ResetLayout,
    CancelWork,
    MemoryBudget,
    Shortcuts,
    Backends,
    About,
    AboutQt,
    Count
};

/// Exclusive choices; the groups own their actions' exclusivity.
enum class ActionGroupId { Quantity, ColourMap, Range, Pooling, Theme, Language, PadSide, Count };

/// Makes the actions and keeps their words in the language in force. Whoever does the work connects
/// to triggered(); checked states are set by whoever owns the state.
class Actions : public QObject {
    Q_OBJECT
public:
    explicit Actions(QWidget* window);

    [[nodiscard]] QAction* operator[](ActionId id) const
    {
        return m_actions[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] QActionGroup* group(ActionGroupId id) const
    {
        return m_groups[static_cast<std::size_t>(id)];
    }
    void retranslate();
    /// The words of Undo and Redo, with what would be undone.
    void setUndoTexts(const QString& undo, const QString& redo);

private:
    std::array<QAction*, static_cast<std::size_t>(ActionId::Count)> m_actions{};
    std::array<QActionGroup*, static_cast<std::size_t>(ActionGroupId::Count)> m_groups{};
    QString m_undoText;
    QString m_redoText;
};

} // namespace heed::ui
