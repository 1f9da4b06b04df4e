// Cells of a map as text or JSON, and the view as a picture, on the clipboard.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/cellreader.h"
#include "views/heatmapview.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <cmath>

namespace heed::ui {

namespace {

constexpr qint64 MostCells = 4'000'000;

/// A field of a tab-separated line.
QString field(QString text)
{
    return text.replace(u'\t', u' ').replace(u'\n', u' ').replace(u'\r', u' ');
}

/// Enough digits to read the same number back.
QString fullNumber(float value)
{
    return std::isfinite(value) ? QString::number(static_cast<double>(value), 'g', 9)
           : std::isnan(value)  ? QStringLiteral("nan")
           : value < 0          ? QStringLiteral("-inf")
                                : QStringLiteral("inf");
}

QJsonValue jsonNumber(float value)
{
    return std::isfinite(value) ? QJsonValue(static_cast<double>(value)) : QJsonValue();
}

} // namespace

CellRef HeatmapView::copyTarget() const
{
    return m_selection->pinned().isValid() ? m_selection->pinned() : m_selection->current();
}

void HeatmapView::copyCell(CopyFormat format)
{
    const CellRef cell = copyTarget();
    if (!cell.isValid()) {
        Q_EMIT copyRefused(tr("Pin a cell first: click it, or move to it and press Enter."));
        return;
    }
    copyCells(QRect(static_cast<int>(cell.key), static_cast<int>(cell.query), 1, 1), tr("the cell"),
              format);
}

void HeatmapView::copyRow(CopyFormat format)
{
    const CellRef cell = copyTarget();
    if (!cell.isValid()) {
        Q_EMIT copyRefused(tr("Pin a cell of the row first."));
        return;
    }
    copyCells(
        QRect(0, static_cast<int>(cell.query), static_cast<int>(m_picture.viewport.keys()), 1),
        tr("the row"), format);
}

void HeatmapView::copyMatrix(CopyFormat format)
{
    const qint64 queries = m_picture.viewport.queries();
    const qint64 keys = m_picture.viewport.keys();
    if (queries * keys > MostCells) {
        Q_EMIT copyRefused(tr("%1 × %2 is %3 million cells; the clipboard takes at most 4 million. "
                              "Export the matrix to a file instead.")
                               .arg(queries)
                               .arg(keys)
                               .arg(static_cast<double>(queries * keys) / 1e6, 0, 'f', 1));
        return;
    }
    copyCells(QRect(0, 0, static_cast<int>(keys), static_cast<int>(queries)), tr("the matrix"),
              format);
}

void HeatmapView::copyCells(const QRect& cells, const QString& what, CopyFormat format)
{
    if (!m_scene.shown().isValid() || m_scene.shown().run != m_service->current()) {
        Q_EMIT copyRefused(tr("The map is being computed; try again in a moment."));
        return;
    }
    auto* reader = new CellReader(m_service, this);
    const auto text = [this](const CellBlock& block) {
        QString lines = tr("query \\ key");
        for (int k = block.cells.left(); k <= block.cells.right(); ++k) {
            lines += u'\t' + field(keyText(k));
        }
        for (int q = block.cells.top(); q <= block.cells.bottom(); ++q) {
            lines += u'\n' + field(queryText(q));
            for (int k = block.cells.left(); k <= block.cells.right(); ++k) {
                const std::size_t i = block.index(q, k);
                const bool hidden =
                    block.maskedShare[i] > 0 && !valueSurvivesMask(block.target.quantity);
                lines += u'\t' + (hidden ? QStringLiteral("masked") : fullNumber(block.values[i]));
            }
        }
        return lines + u'\n';
    };
    const auto json = [this](const CellBlock& block) {
        QJsonObject object;
        object[QStringLiteral("layer")] = static_cast<double>(block.target.map.layer);
        object[QStringLiteral("item")] = static_cast<double>(block.target.map.item);
        object[QStringLiteral("head")] = static_cast<double>(block.target.map.head);
        const std::string_view name = quantityName(block.target.quantity);
        object[QStringLiteral("quantity")] =
            QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
        QJsonArray keys;
        for (int k = block.cells.left(); k <= block.cells.right(); ++k) {
            keys.append(
                QJsonObject{{QStringLiteral("index"), k}, {QStringLiteral("token"), keyText(k)}});
        }
        object[QStringLiteral("keys")] = keys;
        QJsonArray rows;
        for (int q = block.cells.top(); q <= block.cells.bottom(); ++q) {
            QJsonArray values;
            QJsonArray masked;
            for (int k = block.cells.left(); k <= block.cells.right(); ++k) {
                const std::size_t i = block.index(q, k);
                values.append(jsonNumber(block.values[i]));
                masked.append(block.maskedShare[i] > 0);
            }
            rows.append(QJsonObject{{QStringLiteral("query"), q},
                                    {QStringLiteral("token"), queryText(q)},
                                    {QStringLiteral("values"), values},
                                    {QStringLiteral("masked"), masked}});
        }
        object[QStringLiteral("rows")] = rows;
        return QString::fromUtf8(QJsonDocument(object).toJson(QJsonDocument::Indented));
    };
    const auto cell = [this](const CellBlock& block) {
        const CellRef at{block.cells.top(), block.cells.left()};
        return cellText(at, queryText(at.query), keyText(at.key),
                        CellReading{block.values[0], block.maskedShare[0] > 0, block.reasons[0]},
                        block.target.quantity);
    };
    connect(reader, &CellReader::ready, this,
            [this, reader, what, format, text, json, cell](const CellBlock& block) {
                const bool single = block.values.size() == 1;
                QGuiApplication::clipboard()->setText(format == CopyFormat::Json ? json(block)
                                                      : single                   ? cell(block)
                                                                                 : text(block));
                reader->deleteLater();
                Q_EMIT copied(tr("Copied %1.").arg(what));
            });
    connect(reader, &CellReader::abandoned, this, [this, reader] {
        reader->deleteLater();
        Q_EMIT copyRefused(tr("The map changed before it was copied."));
    });
    reader->read(m_scene.shown(), cells, Priority::Export);
}

void HeatmapView::copyImage()
{
    replot(); // a queued one would come too late
    QGuiApplication::clipboard()->setImage(grab().toImage());
    Q_EMIT copied(tr("Copied the picture."));
}

} // namespace heed::ui
