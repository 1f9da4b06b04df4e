// A mask drawn small: what is kept, and why the rest is not.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/mask.h"

#include <QImage>
#include <QWidget>

namespace heed::ui {

/// One plane with its legend. Small masks are drawn cell by cell with hatches; large ones in
/// blocks, partly kept blocks in between.
class MaskPicture : public QWidget {
    Q_OBJECT
public:
    explicit MaskPicture(QWidget* parent = nullptr);
    void setMask(MaskPtr mask, std::int64_t item, std::int64_t head);
    [[nodiscard]] QSize sizeHint() const override;
    /// The reasons that occur, for the legend.
    [[nodiscard]] MaskReasons reasons() const { return m_reasons; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Block {
        BlockClass kind;
        MaskReasons reasons;
    };
    void sample();
    void describe();

    MaskPtr m_mask;
    std::int64_t m_item = 0;
    std::int64_t m_head = 0;
    std::int64_t m_rows = 0; ///< blocks drawn
    std::int64_t m_columns = 0;
    std::vector<Block> m_blocks;
    MaskReasons m_reasons = 0;
    std::vector<MaskReasons> m_legend;
};

} // namespace heed::ui
