// A figure on its sheet of paper, as the preview of the export dialog shows it.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QSizeF>
#include <QWidget>

namespace heed::ui {

class Spinner;

class PaperView : public QWidget {
    Q_OBJECT
public:
    explicit PaperView(QWidget* parent = nullptr);

    /// @param sizeMm of the figure on paper.
    void setPicture(const QImage& picture, const QSizeF& sizeMm);
    [[nodiscard]] const QImage& picture() const { return m_picture; }
    /// A newer picture is on its way.
    void setBusy(bool busy);
    /// Room for a picture, in pixels of the screen.
    [[nodiscard]] QSize room() const;
    [[nodiscard]] QSize sizeHint() const override { return {560, 420}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {200, 160}; }

Q_SIGNALS:
    void roomChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void describe();
    [[nodiscard]] int captionHeight() const;
    [[nodiscard]] QString caption(double shownWidth) const;

    QImage m_picture;
    QSizeF m_sizeMm;
    Spinner* m_spinner;
};

} // namespace heed::ui
