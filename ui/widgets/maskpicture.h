// A mask drawn small: what is kept, and why the rest is not.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/mask.h"

#include <QWidget>
#include <vector>

namespace heed::ui {

/// One plane of a mask. Small masks are drawn cell by cell with hatches; large ones in blocks,
/// partly kept blocks in between.
class MaskPicture : public QWidget {
    Q_OBJECT
public:
    explicit MaskPicture(QWidget* parent = nullptr);
    void setMask(MaskPtr mask, std::int64_t item, std::int64_t head);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] MaskReasons reasons() const { return m_reasons; } ///< that occur
    /// The combinations of reasons that occur.
    [[nodiscard]] const std::vector<MaskReasons>& legend() const { return m_legend; }

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

/// What the fillings of a mask picture mean, in lines that wrap.
class MaskLegend : public QWidget {
    Q_OBJECT
public:
    explicit MaskLegend(QWidget* parent = nullptr);
    void setReasons(std::vector<MaskReasons> reasons);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Entry {
        QRect box;
        QRect label;
        QString text;
        MaskReasons reasons; ///< 0 = kept
    };
    [[nodiscard]] std::vector<Entry> entries(int width) const;
    void fit();

    std::vector<MaskReasons> m_reasons;
};

} // namespace heed::ui
