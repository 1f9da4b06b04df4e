// Facts read off the compiled mask and the batch.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/maskfacts.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

namespace heed::ui {

std::vector<std::int64_t> emptyRows(const CompiledMask& mask, const MapIndex& map,
                                    std::size_t limit)
{
    std::vector<std::int64_t> rows;
    for (std::int64_t row = 0; row < mask.context().queries && rows.size() < limit; ++row) {
        if (mask.keptInRow(map.item, map.head, row) == 0) {
            rows.push_back(row);
        }
    }
    return rows;
}

QString maskHint(const Run& run, const MapIndex& map)
{
    const MaskPtr mask = run.mask(map.layer);
    if (mask == nullptr || map.item >= mask->context().items || map.head >= mask->context().heads) {
        return {};
    }
    constexpr std::size_t Named = 3;
    const std::vector<std::int64_t> rows = emptyRows(*mask, map, Named + 1);
    if (!rows.empty()) {
        QStringList names;
        for (std::size_t i = 0; i < std::min(rows.size(), Named); ++i) {
            names += QString::number(rows[i]);
        }
        if (rows.size() > Named) {
            names += QStringLiteral("…");
        }
        return QCoreApplication::translate(
                   "MaskHint",
                   "Some queries have nothing to attend to (%1). Their weights are zeros here; "
                   "other programs give NaN or equal weights.")
            .arg(names.join(QStringLiteral(", ")));
    }
    const Batch& keys = run.keyTokens();
    const std::int64_t length = map.item < static_cast<std::int64_t>(keys.lengths.size())
                                    ? keys.lengths[static_cast<std::size_t>(map.item)]
                                    : keys.length;
    if (length < keys.length) {
        // Only the padded keys that some real query still sees are worth a word.
        const std::int64_t pad = keys.padSide == PadSide::Right ? keys.length - 1 : 0;
        const std::int64_t query = keys.padSide == PadSide::Right ? length - 1 : keys.length - 1;
        if (query < mask->context().queries && mask->keeps(map.item, map.head, query, pad)) {
            return QCoreApplication::translate(
                "MaskHint", "This line is padded and nothing hides the padding: real tokens attend "
                            "to <pad>.");
        }
    }
    return {};
}

} // namespace heed::ui
