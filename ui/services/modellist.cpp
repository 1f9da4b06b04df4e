// A search on a pool of its own: network folders may take their time.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "services/modellist.h"

#include <utility>

namespace heed::ui {

ModelList::ModelList(QObject* parent)
    : QObject(parent)
{
    m_pool.setThreads(1);
}

ModelList::~ModelList()
{
    m_pool.waitForDone();
}

void ModelList::refresh()
{
    if (std::exchange(m_searching, true)) {
        return;
    }
    m_pool.start([this] {
        auto found = findModels(standardModelPlaces());
        QMetaObject::invokeMethod(
            this,
            [this, found = std::move(found)] {
                m_searching = false;
                if (found != m_models) {
                    m_models = found;
                    Q_EMIT changed();
                }
            },
            Qt::QueuedConnection);
    });
}

} // namespace heed::ui
