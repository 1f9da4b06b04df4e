// Defaults that depend on the quantity.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/viewsettings.h"

#include "heed/maps.h"

namespace heed::ui {

Pooling ViewSettings::effectivePooling() const
{
    return pooling.value_or(defaultPooling(quantity));
}

ColourMapId ViewSettings::effectiveColourMap() const
{
    return colourMap.value_or(quantity == Quantity::Weights ? ColourMapId::Viridis
                                                            : ColourMapId::Diverging);
}

RangeMode ViewSettings::effectiveRangeMode() const
{
    return rangeMode.value_or(quantity == Quantity::Weights ? RangeMode::Unit : RangeMode::Map);
}

ViewSettingsModel::ViewSettingsModel(QObject* parent)
    : QObject(parent)
{
}

void ViewSettingsModel::setSettings(const ViewSettings& settings)
{
    if (settings != m_settings) {
        m_settings = settings;
        Q_EMIT changed();
    }
}

} // namespace heed::ui
