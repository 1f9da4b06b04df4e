// The places where checkpoints are looked for, those that the window opened lately among them.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recentmodels.h"

#include "services/settings.h"

namespace heed::cli {

ModelPlaces modelPlaces()
{
    ModelPlaces places = standardModelPlaces();
    for (const QString& file : ui::Settings().recentFiles()) {
        places.recent.emplace_back(file.toStdU16String());
    }
    return places;
}

} // namespace heed::cli
