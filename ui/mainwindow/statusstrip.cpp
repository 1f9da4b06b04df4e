// Numbers that change with the work, and the button that stops it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow/statusstrip.h"

#include "mainwindow/actions.h"
#include "views/costplot.h"
#include "views/viewtext.h"
#include "widgets/labels.h"
#include "widgets/spinner.h"
#include "widgets/theme.h"

#include <QEvent>
#include <QFile>
#include <QToolButton>

#ifdef Q_OS_LINUX
#include <unistd.h>
#endif

namespace heed::ui {

namespace {
constexpr int BusyDelayMs = 200;
}

std::int64_t residentBytes()
{
#ifdef Q_OS_LINUX
    QFile file(QStringLiteral("/proc/self/statm"));
    if (file.open(QIODevice::ReadOnly)) {
        const QList<QByteArray> fields = file.readAll().split(' ');
        return fields.size() > 1 ? fields[1].toLongLong() * sysconf(_SC_PAGESIZE) : 0;
    }
#endif
    return 0;
}

StatusStrip::StatusStrip(const Workspace& workspace, QWidget* parent)
    : QStatusBar(parent)
    , m_workspace(workspace)
    , m_cell(new ElidedLabel(this))
    , m_pooling(new MutedLabel({}, this))
    , m_map(new MutedLabel({}, this))
    , m_spinner(new Spinner(this))
    , m_cancel(new QToolButton(this))
    , m_timings(new MutedLabel({}, this))
    , m_backend(new MutedLabel({}, this))
    , m_memory(new MutedLabel({}, this))
{
    setSizeGripEnabled(false);
    setContentsMargins(8, 0, 8, 0);
    const QFont small = smallFont(font());
    m_cell->setFont(numberFont(small));
    for (QLabel* label : {m_pooling, m_map, m_timings, m_backend, m_memory}) {
        label->setFont(small);
        label->setContentsMargins(6, 0, 6, 0);
    }
    m_cancel->setDefaultAction((*workspace.actions)[ActionId::CancelWork]);
    m_cancel->setFont(small);
    m_cancel->setProperty("heedBoxed", true);
    m_cancel->setMaximumHeight(22);
    addWidget(m_cell);
    addWidget(m_pooling);
    addWidget(m_map);
    addPermanentWidget(m_spinner);
    addPermanentWidget(m_cancel);
    addPermanentWidget(m_timings);
    addPermanentWidget(m_backend);
    addPermanentWidget(m_memory);
    m_delay.setSingleShot(true);
    m_delay.setInterval(BusyDelayMs);
    connect(&m_delay, &QTimer::timeout, this, [this] {
        m_spinner->show();
        m_cancel->show();
    });
    showBusy(0, 0);

    connect(workspace.service, &EngineService::busyChanged, this, &StatusStrip::showBusy);
    connect(workspace.document, &Document::runChanged, this, &StatusStrip::showBackend);
    const auto showPlaceAndTime = [this] {
        showMap();
        showTimings();
    };
    connect(workspace.selection, &SelectionModel::mapChanged, this, showPlaceAndTime);
    connect(workspace.view, &ViewSettingsModel::changed, this, showPlaceAndTime);
    connect(workspace.document, &Document::runChanged, this, showPlaceAndTime);
    connect(workspace.document, &Document::stateChanged, this, showPlaceAndTime);
    connect(workspace.service, &EngineService::tileReady, this, [this](const TileRequest& tile) {
        if (tile.map == m_workspace.selection->map()) {
            showTimings();
        }
    });
}

void StatusStrip::showMap()
{
    const MapIndex& map = m_workspace.selection->map();
    m_map->setText(m_workspace.document->run() == nullptr || m_workspace.document->isRefused()
                       ? QString()
                       : QStringLiteral("L%1 H%2 %3")
                             .arg(map.layer)
                             .arg(map.head)
                             .arg(quantityText(m_workspace.view->settings().quantity)));
}

void StatusStrip::setPlace(const QString& cell, const QString& pooling)
{
    m_cell->setText(cell);
    m_pooling->setText(pooling);
}

void StatusStrip::setPaintMs(double milliseconds)
{
    m_paintMs = milliseconds;
    showTimings();
}

void StatusStrip::showTimings()
{
    if (m_workspace.document->run() == nullptr || m_workspace.document->isRefused()) {
        m_timings->clear();
        return;
    }
    const Source& source = m_workspace.document->run()->source();
    // The run is q, k and v alone: its maps come later, each when it is looked at.
    const QString run = timeText(m_workspace.document->computeMs() / 1e3);
    const QString paint = timeText(m_paintMs / 1e3);
    const auto map = m_workspace.service->mapMs(m_workspace.selection->map(),
                                                m_workspace.view->settings().quantity);
    const QString ofMap = map ? timeText(*map / 1e3) : QStringLiteral("…");
    m_timings->setText(source.qkv.empty() && source.maps.empty()
                           ? tr("q, k, v %1 · this map %2 · paint %3").arg(run, ofMap, paint)
                           : tr("reading %1 · this map %2 · paint %3").arg(run, ofMap, paint));
}

void StatusStrip::showBackend()
{
    const RunPtr run = m_workspace.document->run();
    m_backend->setText(run != nullptr && run->backend() != nullptr
                           ? backendText(run->backend()->description())
                           : QString());
    const std::int64_t bytes = residentBytes();
    m_memory->setText(bytes > 0 ? QString::fromStdString(formatBytes(bytes)) : QString());
    m_memory->setToolTip(
        tr("Memory of this program; tiles kept: %1")
            .arg(QString::fromStdString(formatBytes(m_workspace.service->cachedBytes()))));
}

void StatusStrip::showBusy(int running, int queued)
{
    const bool busy = running + queued > 0;
    (*m_workspace.actions)[ActionId::CancelWork]->setEnabled(busy);
    // Work of a moment needs no sign.
    if (!busy) {
        m_delay.stop();
        m_spinner->hide();
        m_cancel->hide();
    } else if (!m_spinner->isVisible() && !m_delay.isActive()) {
        m_delay.start();
    }
    if (busy) {
        m_spinner->setToolTip(tr("%n request(s) waiting", nullptr, queued));
        m_spinner->setAccessibleName(tr("Computing"));
    } else {
        showBackend();
    }
}

void StatusStrip::changeEvent(QEvent* event)
{
    QStatusBar::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        showMap();
        showTimings();
        showBackend();
    }
}

} // namespace heed::ui
