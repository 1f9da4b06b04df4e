// Sentences about maps; each is one translatable text with places for the parts.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/viewtext.h"

#include "views/numbertext.h"

#include "heed/maps.h"

#include "heed/model.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <cmath>

namespace heed::ui {

namespace {

struct Views {
    Q_DECLARE_TR_FUNCTIONS(heed::ui::Views)
};

QString reasonWord(MaskReason reason)
{
    switch (reason) {
    case MaskReason::Padding:
        return Views::tr("padding");
    case MaskReason::Causal:
        return Views::tr("causal");
    case MaskReason::Window:
        return Views::tr("window");
    case MaskReason::Documents:
        return Views::tr("documents");
    case MaskReason::Prefix:
        return Views::tr("prefix");
    case MaskReason::File:
        return Views::tr("mask file");
    case MaskReason::Other:
        return Views::tr("other rule");
    case MaskReason::None:
        break;
    }
    return {};
}

QString poolingWord(Pooling pooling)
{
    switch (pooling) {
    case Pooling::Max:
        return Views::tr("max");
    case Pooling::AbsMax:
        return Views::tr("absmax");
    case Pooling::Mass:
        return Views::tr("mass");
    case Pooling::Mean:
        return Views::tr("mean");
    }
    return {};
}

} // namespace

QString quantityText(Quantity quantity)
{
    switch (quantity) {
    case Quantity::Scores:
        return Views::tr("scores");
    case Quantity::Scaled:
        return Views::tr("scaled scores");
    case Quantity::Masked:
        return Views::tr("masked scores");
    case Quantity::Weights:
        return Views::tr("weights");
    }
    return {};
}

QString cellNoun(Quantity quantity)
{
    switch (quantity) {
    case Quantity::Scores:
        return Views::tr("score");
    case Quantity::Scaled:
        return Views::tr("scaled score");
    case Quantity::Masked:
        return Views::tr("masked score");
    case Quantity::Weights:
        return Views::tr("weight");
    }
    return {};
}

QString mapTitle(const MapIndex& map, const MapsShape& shape)
{
    const QString title = shape.layers > 1
                              ? Views::tr("Layer %1 · Head %2").arg(map.layer).arg(map.head)
                              : Views::tr("Head %1").arg(map.head);
    return shape.items > 1 ? Views::tr("%1 · Item %2").arg(title).arg(map.item) : title;
}

QString mapTitle(const MapIndex& map, const Run& run)
{
    const QString title = mapTitle(map, run.maps()->shape());
    return hasAttentionSets(run)
               ? QStringLiteral("%1 · %2").arg(attentionSetText(run.source().attention), title)
               : title;
}

QString attentionSetText(AttentionSet set)
{
    switch (set) {
    case AttentionSet::Decoder:
        return Views::tr("Decoder self-attention");
    case AttentionSet::Cross:
        return Views::tr("Cross-attention");
    case AttentionSet::Encoder:
        break;
    }
    return Views::tr("Encoder self-attention");
}

bool hasAttentionSets(const Run& run)
{
    return run.model() != nullptr && run.model()->decoder != nullptr;
}

QString mapSubtitle(Quantity quantity, AttentionSet set)
{
    if (set == AttentionSet::Cross) {
        return quantity == Quantity::Weights
                   ? Views::tr("%1, target ↓ attends to source →").arg(quantityText(quantity))
                   : Views::tr("%1, target ↓ against source →").arg(quantityText(quantity));
    }
    return quantity == Quantity::Weights
               ? Views::tr("%1, query ↓ attends to key →").arg(quantityText(quantity))
               : Views::tr("%1, query ↓ against key →").arg(quantityText(quantity));
}

QString mapDirections(AttentionSet set)
{
    return set == AttentionSet::Cross ? Views::tr("target ↓ source →") : Views::tr("query ↓ key →");
}

QString draftText(const PictureDraft& draft, std::int64_t texelRows)
{
    const std::int64_t percent = 100 * draft.exactRows / std::max<std::int64_t>(1, texelRows);
    return Views::tr("draft, 1 of %1 query rows; %2 % exact").arg(draft.rowStep).arg(percent);
}

QString resolutionText(int level, Pooling pooling, const MapsShape& shape)
{
    const QString size = Views::tr("%1 × %2").arg(shape.queries).arg(shape.keys);
    if (level == 0) {
        return Views::tr("exact · %1").arg(size);
    }
    const qint64 side = qint64{1} << level;
    return Views::tr("%1×%1 %2 · %3").arg(side).arg(poolingWord(pooling), size);
}

QString rangeText(Quantity quantity, RangeMode mode)
{
    QString noun = cellNoun(quantity);
    switch (mode) {
    case RangeMode::Unit:
        return Views::tr("%1 (linear, 0–1 locked)").arg(noun);
    case RangeMode::Map:
        return Views::tr("%1 (linear, this map)").arg(noun);
    case RangeMode::Heads:
        return Views::tr("%1 (linear, all heads)").arg(noun);
    case RangeMode::Manual:
        return Views::tr("%1 (linear, typed range)").arg(noun);
    }
    return noun;
}

QString reasonsText(MaskReasons reasons)
{
    QStringList words;
    for (int bit = 1; bit <= static_cast<int>(MaskReason::Other); bit *= 2) {
        if ((reasons & bit) != 0) {
            words << reasonWord(static_cast<MaskReason>(bit));
        }
    }
    return words.join(QStringLiteral(" + "));
}

QString maskedText(MaskReasons reasons)
{
    return reasons == 0 ? Views::tr("masked") : Views::tr("masked: %1").arg(reasonsText(reasons));
}

QString exactNumber(double value)
{
    if (std::isnan(value)) {
        return Views::tr("not a number");
    }
    if (std::isinf(value)) {
        return value < 0 ? QStringLiteral("−∞") : QStringLiteral("∞");
    }
    const double size = std::abs(value);
    return withMinusSign(size > 0 && (size < 5e-4 || size >= 1e6) ? QString::number(value, 'e', 3)
                                                                  : QString::number(value, 'f', 4));
}

QString metricNumber(double mean)
{
    return std::isnan(mean) ? QStringLiteral("–") : QString::number(mean, 'f', 2);
}

QString cellText(const CellRef& cell, const QString& query, const QString& key,
                 const std::optional<CellReading>& reading, Quantity quantity)
{
    const QString place =
        Views::tr("row %1 '%2' → key %3 '%4'")
            .arg(QString::number(cell.query), query, QString::number(cell.key), key);
    if (!reading) {
        return Views::tr("%1: being computed").arg(place);
    }
    const bool hidden =
        reading->masked && (quantity == Quantity::Weights || quantity == Quantity::Masked);
    const bool padding = (reading->reasons & static_cast<MaskReasons>(MaskReason::Padding)) != 0;
    if (hidden) {
        return padding
                   ? Views::tr("%1: %2 (key %3 is %4)")
                         .arg(place, maskedText(reading->reasons), QString::number(cell.key), key)
                   : Views::tr("%1: %2").arg(place, maskedText(reading->reasons));
    }
    const QString number = exactNumber(double{reading->value});
    return reading->masked
               ? Views::tr("%1: %2, will be %3").arg(place, number, maskedText(reading->reasons))
               : Views::tr("%1: %2").arg(place, number);
}

QString backendText(const std::string& description)
{
    static const QRegularExpression pattern(QStringLiteral("^(.*), (\\d{1,6}) threads?$"));
    const QString whole = QString::fromStdString(description);
    const auto match = pattern.match(whole);
    return match.hasMatch() ? Views::tr("%1, %n thread(s)", nullptr, match.captured(2).toInt())
                                  .arg(match.captured(1))
                            : whole;
}

} // namespace heed::ui
