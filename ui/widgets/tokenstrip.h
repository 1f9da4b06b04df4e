// Tokens as chips that wrap.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/tokenmodel.h"

#include <QListView>

namespace heed::ui {

/// Padding chips are hatched; the chosen query is outlined. As tall as its chips, up to a limit,
/// then it scrolls.
class TokenStrip : public QListView {
    Q_OBJECT
public:
    explicit TokenStrip(TokenModel* model, QWidget* parent = nullptr);
    /// @param token −1 for none.
    void setChosen(int token);
    [[nodiscard]] int chosen() const { return m_chosen; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void tokenActivated(int token);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void doItemsLayout() override;
    void changeEvent(QEvent* event) override;

private:
    int m_chosen = -1;
};

} // namespace heed::ui
