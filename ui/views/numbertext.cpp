// Short numbers: as many decimals as there is room for or reason to.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/numbertext.h"

#include <algorithm>
#include <cmath>

namespace heed::ui {

QString cellNumber(float value, Quantity quantity)
{
    if (std::isnan(value)) {
        return QStringLiteral("NaN");
    }
    if (std::isinf(value)) {
        return value < 0 ? QStringLiteral("−∞") : QStringLiteral("∞");
    }
    if (quantity == Quantity::Weights) {
        const QString text = QString::number(static_cast<double>(value), 'f', 2);
        return text.startsWith(QLatin1String("0.")) ? text.mid(1) : text;
    }
    const double size = std::abs(static_cast<double>(value));
    const int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
    return withMinusSign(size < 9999.5 ? QString::number(static_cast<double>(value), 'f', decimals)
                                       : QString::number(static_cast<double>(value), 'e', 0));
}

QString withMinusSign(QString number)
{
    return number.replace(u'-', QChar(0x2212));
}

QString rangeNumber(double value, double low, double high)
{
    const double span = std::abs(high - low);
    const double size = std::max({std::abs(low), std::abs(high), span});
    if (!(size > 0) || size >= 1e5 || size < 1e-3) {
        return withMinusSign(QString::number(value, 'g', 3));
    }
    // Two more digits than the span itself needs, none without use.
    const int decimals =
        std::clamp(2 - static_cast<int>(std::floor(std::log10(span > 0 ? span : size))), 0, 5);
    QString text = QString::number(value, 'f', decimals);
    while (text.contains(u'.') && (text.endsWith(u'0') || text.endsWith(u'.'))) {
        text.chop(1);
    }
    return text == QLatin1String("-0") ? QStringLiteral("0") : withMinusSign(text);
}

} // namespace heed::ui
