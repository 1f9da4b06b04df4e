// Small labels: section headings, elided text, numbers.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace heed::ui {

/// Secondary text in the colour of secondary text, whatever the theme. One line is cut at its end
/// when there is no room; the tool tip then has it in full.
class MutedLabel : public QLabel {
    Q_OBJECT
public:
    explicit MutedLabel(const QString& text = {}, QWidget* parent = nullptr);
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    virtual void restyle();

private:
    [[nodiscard]] bool isCut() const;
    bool m_restyling = false;
};

/// "HOW THIS NUMBER CAME ABOUT": small, spaced, secondary colour. Keeps the text as given for
/// assistive technology and draws it in capitals.
class SectionHeading : public MutedLabel {
    Q_OBJECT
public:
    explicit SectionHeading(const QString& text = {}, QWidget* parent = nullptr);

protected:
    void restyle() override;
};

/// One line, cut in the middle when there is no room; the tool tip has it in full.
class ElidedLabel : public QWidget {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent = nullptr);
    void setText(const QString& text);
    [[nodiscard]] const QString& text() const { return m_text; }
    void setMuted(bool muted);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QString m_text;
    bool m_muted = false;
};

/// The words of a menu entry or caption without the mark of its key: "&Save" and "保存(&S)" are
/// "Save" and "保存"; "&&" is "&".
[[nodiscard]] QString withoutMnemonic(QString text);

/// Lays a caption at the left and a field at the right of a row of the panel.
QWidget* fieldRow(QLabel* caption, QWidget* field, QWidget* parent = nullptr);

} // namespace heed::ui
