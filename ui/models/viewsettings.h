// How maps are shown: quantity, pooling, colours, range.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/backend.h"

#include <QObject>
#include <optional>
#include <string>

namespace heed::ui {

enum class ColourMapId { Viridis, Cividis, Magma, Inferno, Grey, Diverging };

/// What the two ends of the colour bar mean.
enum class RangeMode {
    Unit,   ///< 0 to 1
    Map,    ///< the extremes of the kept cells of this map
    Heads,  ///< the extremes over all heads of this item and layer
    Manual, ///< low and high as typed
};

struct ViewSettings {
    Quantity quantity = Quantity::Weights;
    std::optional<Pooling> pooling;       ///< unset = defaultPooling(quantity)
    std::optional<ColourMapId> colourMap; ///< unset = viridis for weights, diverging for the others
    std::optional<RangeMode> rangeMode;   ///< unset = Unit for weights, Map for the others
    double low = 0;                       ///< Manual only
    double high = 1;
    bool hatchMasked = true;
    bool cellNumbers = true; ///< drawn when there is room
    std::string headOrder;   ///< name of the metric the grid of heads is sorted by; "" = by number
    std::string headBar;     ///< name of the metric under each thumbnail; "" = none
    std::string headColour;  ///< name of the metric in the frame of each thumbnail; "" = none

    [[nodiscard]] Pooling effectivePooling() const;
    [[nodiscard]] ColourMapId effectiveColourMap() const;
    [[nodiscard]] RangeMode effectiveRangeMode() const;
    bool operator==(const ViewSettings&) const = default;
};

/// The view settings in force, shared by all views.
class ViewSettingsModel : public QObject {
    Q_OBJECT
public:
    explicit ViewSettingsModel(QObject* parent = nullptr);
    [[nodiscard]] const ViewSettings& settings() const { return m_settings; }
    void setSettings(const ViewSettings& settings);

Q_SIGNALS:
    void changed();

private:
    ViewSettings m_settings;
};

} // namespace heed::ui
