// Numbers as maps and colour bars print them.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/backend.h"

#include <QString>

namespace heed::ui {

/// At most five characters, for a cell: ".41" and "1.00" for weights, "−1.20", "12.3", "104" for
/// scores; "−∞" for a masked score, "NaN".
[[nodiscard]] QString cellNumber(float value, Quantity quantity);

/// @p number with a real minus sign, as wide as a plus, instead of a hyphen.
[[nodiscard]] QString withMinusSign(QString number);

/// @p value with the decimals that tell the ends of a colour bar from @p low to @p high apart.
[[nodiscard]] QString rangeNumber(double value, double low, double high);

} // namespace heed::ui
