// The one place that includes QCustomPlot.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#ifdef QT_NO_KEYWORDS
#error                                                                                             \
    "QCustomPlot's header uses the keywords `signals` and `foreach`: do not define QT_NO_KEYWORDS."
#endif

#include <qcustomplot.h>
