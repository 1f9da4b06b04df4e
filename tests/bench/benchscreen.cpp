// Offscreen windows: painted in full, shown nowhere.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "benchscreen.h"

#include <QFile>
#include <QTimer>

namespace heed::ui::bench {

namespace {
constexpr int PatienceMs = 60'000;
}

bool ClockedApplication::notify(QObject* receiver, QEvent* event)
{
    if (event->type() != QEvent::UpdateRequest) {
        return QApplication::notify(receiver, event);
    }
    QElapsedTimer timer;
    timer.start();
    const bool done = QApplication::notify(receiver, event);
    paintNs += timer.nsecsElapsed();
    ++paintings;
    lastPainted.start();
    return done;
}

ClockedApplication* application()
{
    return static_cast<ClockedApplication*>(QCoreApplication::instance());
}

Screen::Screen()
{
    theme = new Theme(*application());
    theme->setMode(parseThemeMode(QStringLiteral("light")));
    language.setCode(QStringLiteral("en"));
    window = std::make_unique<MainWindow>(
        WindowServices{&engine, &settings, &recovery, theme, &language});
    window->resize(1440, 900);
    window->show();
    QObject::connect(&engine, &EngineService::busyChanged, window.get(),
                     [this](int running, int queued) { busy = running + queued > 0; });
}

Screen::~Screen()
{
    window.reset();
    delete theme;
}

void Screen::open(const Source& source)
{
    document()->reset(source);
    settle();
}

bool Screen::settle()
{
    QTimer pulse; // looks again, without turning in circles
    pulse.start(5);
    QElapsedTimer patience;
    patience.start();
    while (patience.elapsed() < PatienceMs) {
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        const bool quiet =
            !application()->lastPainted.isValid() || application()->lastPainted.elapsed() > 60;
        if (document()->run() != nullptr && !document()->isStale() && !busy && quiet) {
            return true;
        }
    }
    return false;
}

double residentMiB(qint64 pid)
{
    QFile status(QStringLiteral("/proc/%1/status").arg(pid));
    if (!status.open(QIODevice::ReadOnly)) {
        return 0;
    }
    for (const QByteArray& line : status.readAll().split('\n')) {
        if (line.startsWith("VmRSS:")) {
            return line.mid(6).trimmed().split(' ').first().toDouble() / 1024;
        }
    }
    return 0;
}

} // namespace heed::ui::bench
