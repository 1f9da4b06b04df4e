// Draws the views in many situations into PNG files, to be looked at: viewgallery FOLDER.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "services/engineservice.h"
#include "views/headgridview.h"
#include "views/heatmapview.h"
#include "views/profileview.h"
#include "widgets/theme.h"

#include "fakeengine.h"

#include <QApplication>
#include <QDir>
#include <QEventLoop>
#include <QHBoxLayout>
#include <QTimer>
#include <QVBoxLayout>
#include <cmath>
#include <limits>

using namespace heed;
using namespace heed::ui;
using namespace heed::ui::test;

namespace {

constexpr MaskReasons Padding = static_cast<MaskReasons>(MaskReason::Padding);
constexpr MaskReasons Causal = static_cast<MaskReasons>(MaskReason::Causal);

std::vector<std::string> split(const std::string& text)
{
    std::vector<std::string> words;
    std::string word;
    for (const char c : text + " ") {
        if (c == ' ') {
            words.push_back(std::exchange(word, {}));
        } else {
            word += c;
        }
    }
    return words;
}

double noise(std::int64_t a, std::int64_t b, std::int64_t c)
{
    const double s = std::sin(static_cast<double>(a * 127 + b * 311 + c * 74)) * 43758.5453;
    return s - std::floor(s);
}

/// Rows that look like attention: a sink, the token before, some noise; scores are its logarithm.
CellFunction attention(std::int64_t keys, bool causal, std::int64_t realKeys, bool scores = false)
{
    return [=](const MapIndex& map, std::int64_t q, std::int64_t k) {
        const auto raw = [&](std::int64_t key) {
            double v = 0.15 + std::pow(noise(q, key, map.head), 3);
            v += key == 0 && map.head % 3 == 1 ? 5 : 0;
            v += key == q - 1 && map.head % 3 == 0 ? 4 : 0;
            v += key == q && map.head % 3 == 2 ? 3 : 0;
            return v;
        };
        FakeCell cell;
        cell.reasons = static_cast<MaskReasons>((k >= realKeys ? Padding : 0) |
                                                (causal && k > q ? Causal : 0));
        double sum = 0;
        for (std::int64_t j = 0; j < std::min<std::int64_t>(keys, 64); ++j) {
            sum += j < realKeys && !(causal && j > q) ? raw(j) : 0;
        }
        const double weight = sum > 0 ? raw(k) / sum : 0;
        cell.value = static_cast<float>(scores              ? std::log(weight + 1e-3) * 2 + 4
                                        : cell.reasons != 0 ? 0
                                                            : weight);
        return cell;
    };
}

void wait(int milliseconds)
{
    QEventLoop loop;
    QTimer::singleShot(milliseconds, &loop, &QEventLoop::quit);
    loop.exec();
}

struct Scene {
    explicit Scene(std::shared_ptr<const FakeRun> run, ViewSettings viewSettings = {})
        : engine(std::make_shared<FakeEngine>())
        , service(engine)
    {
        engine->setNext(run);
        settings.setSettings(viewSettings);
        QEventLoop loop;
        QObject::connect(&service, &EngineService::runReady, &loop, &QEventLoop::quit);
        service.compute({});
        loop.exec();
        selection.setShape(run->maps()->shape());
    }
    std::shared_ptr<FakeEngine> engine;
    EngineService service;
    SelectionModel selection;
    ViewSettingsModel settings;
};

class Gallery {
public:
    explicit Gallery(QDir folder)
        : m_folder(std::move(folder))
    {
    }
    void save(QWidget& widget, const QString& name)
    {
        widget.show();
        wait(widget.width() > 700 ? 4000 : 600);
        const QString path = m_folder.filePath(name + QStringLiteral(".png"));
        widget.grab().save(path);
    }
    void map(const QString& name, std::shared_ptr<const FakeRun> run, const ViewSettings& settings,
             QSize size, CellRef pinned = {}, CellRef hovered = {}, double zoom = 1)
    {
        Scene scene(std::move(run), settings);
        HeatmapView view(&scene.service, &scene.selection, &scene.settings);
        view.resize(size);
        view.setRun(scene.service.current());
        view.show();
        wait(150);
        scene.selection.pin(pinned);
        scene.selection.hover(hovered);
        if (zoom != 1) {
            view.zoomBy(zoom);
        }
        save(view, name);
    }
    void grid(const QString& name, std::shared_ptr<const FakeRun> run, QSize size)
    {
        Scene scene(std::move(run));
        HeadGridView view(&scene.service, &scene.selection, &scene.settings);
        view.resize(size);
        scene.selection.setMap({0, 0, 3});
        view.setRun(scene.service.current());
        save(view, name);
    }
    void profile(const QString& name, std::shared_ptr<const FakeRun> run,
                 const ViewSettings& settings, CellRef pinned)
    {
        Scene scene(std::move(run), settings);
        QWidget panel;
        auto* layout = new QVBoxLayout(&panel);
        auto* view = new ProfileView(&scene.service, &scene.selection, &scene.settings);
        auto* bars = new SignedBars;
        layout->addWidget(view);
        layout->addWidget(bars);
        view->setRun(scene.service.current());
        scene.selection.pin(pinned);
        std::vector<float> values;
        for (int i = 0; i < 32; ++i) {
            values.push_back(static_cast<float>(noise(i, 3, 5) - 0.4));
        }
        bars->setValues(values);
        panel.resize(300, 210);
        save(panel, name);
    }

private:
    QDir m_folder;
};

} // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    QDir folder(argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral("."));
    folder.mkpath(QStringLiteral("."));
    QFont font(QStringLiteral("Inter"));
    font.setFamilies({QStringLiteral("Inter"), QStringLiteral("Noto Sans CJK SC")});
    font.setPixelSize(13);
    QApplication::setFont(font);
    Theme theme(application);
    const auto english =
        split("[CLS] the animal didn ' t cross the street because it was too tired [SEP]");
    const auto run = [](std::vector<std::string> words, CellFunction cell, std::int64_t heads = 8) {
        const auto n = static_cast<std::int64_t>(words.size());
        return std::make_shared<const FakeRun>(MapsShape{1, 1, heads, n, n}, std::move(cell),
                                               std::move(words));
    };
    auto padded = english;
    padded.insert(padded.end(), {"<pad>", "<pad>", "<pad>"});
    for (const bool dark : {false, true}) {
        theme.setMode(dark ? ThemeMode::Dark : ThemeMode::Light);
        const QString suffix = dark ? QStringLiteral("-dark") : QStringLiteral("-light");
        Gallery gallery(folder);
        gallery.map(QStringLiteral("causal") + suffix, run(english, attention(15, true, 15)), {},
                    {620, 720}, {10, 2});
        gallery.map(QStringLiteral("both") + suffix, run(padded, attention(18, true, 15)), {},
                    {760, 720}, {10, 2}, {12, 5});
        ViewSettings scores;
        scores.quantity = Quantity::Scaled;
        gallery.map(QStringLiteral("scaled") + suffix, run(padded, attention(18, true, 15, true)),
                    scores, {760, 720}, {10, 2});
        gallery.map(QStringLiteral("long") + suffix,
                    std::make_shared<const FakeRun>(MapsShape{1, 2, 8, 300, 300},
                                                    attention(300, true, 300)),
                    {}, {760, 720}, {100, 52}, {220, 130});
        gallery.grid(QStringLiteral("grid") + suffix, run(english, attention(15, true, 15)),
                     {280, 420});
        gallery.profile(QStringLiteral("profile") + suffix, run(padded, attention(18, true, 15)),
                        {}, {10, 2});
    }
    theme.setMode(ThemeMode::Light);
    Gallery gallery(folder);
    gallery.map(
        QStringLiteral("chinese"),
        run(split("我 在 北京 吃 苹果 ， 因为 注意力 机制 很 有趣 。"), attention(12, false, 12)),
        {}, {620, 680}, {4, 7});
    gallery.map(QStringLiteral("longtokens"),
                run(split("pneumonoultramicroscopicsilicovolcanoconiosis is a "
                          "Donaudampfschifffahrtsgesellschaftskapitän word <b>bold</b> %1"),
                    attention(7, false, 7)),
                {}, {620, 620}, {3, 0});
    gallery.map(QStringLiteral("one"), run({"hello"}, attention(1, false, 1)), {}, {500, 420},
                {0, 0});
    gallery.map(
        QStringLiteral("oblong"),
        std::make_shared<const FakeRun>(MapsShape{1, 1, 2, 3, 40}, attention(40, false, 40)), {},
        {760, 420}, {1, 20});
    gallery.map(
        QStringLiteral("pooled"),
        std::make_shared<const FakeRun>(MapsShape{1, 1, 4, 2000, 2000},
                                        [](const MapIndex&, std::int64_t q, std::int64_t k) {
                                            return FakeCell{(q * 31 + k * 17) % 30011 == 0 ? 1.0F
                                                            : k == q - 1                   ? 0.4F
                                                                                           : 0.001F,
                                                            k > q ? Causal : MaskReasons{0}};
                                        }),
        {}, {760, 760});
    gallery.map(QStringLiteral("zoomed"), run(english, attention(15, true, 15)), {}, {620, 720},
                {10, 2}, {}, 3);
    gallery.map(QStringLiteral("notanumber"),
                run(english,
                    [](const MapIndex&, std::int64_t q, std::int64_t k) {
                        return FakeCell{q == 4   ? std::numeric_limits<float>::quiet_NaN()
                                        : k == 7 ? 0.0F
                                                 : 0.1F,
                                        0};
                    }),
                {}, {620, 720});
    {
        Scene scene(run(english, attention(15, true, 15)));
        scene.engine->closeGate();
        HeatmapView view(&scene.service, &scene.selection, &scene.settings);
        view.resize(620, 720);
        view.setRun(scene.service.current());
        gallery.save(view, QStringLiteral("skeleton"));
        scene.engine->openGate();
        wait(200);
        view.setStale(true);
        gallery.save(view, QStringLiteral("stale"));
        view.setMessage(QStringLiteral("d_model 1600 cannot be split into 48 heads"),
                        QStringLiteral("1600 ÷ 48 = 33 remainder 16. Every head needs the same "
                                       "width. Heads that fit near 48: 40, 50."),
                        {QStringLiteral("Use 40 heads"), QStringLiteral("Use 50 heads")});
        gallery.save(view, QStringLiteral("message"));
    }
    gallery.grid(
        QStringLiteral("gridlayers"),
        std::make_shared<const FakeRun>(MapsShape{6, 1, 12, 15, 15}, attention(15, true, 15)),
        {304, 560});
    ViewSettings scores;
    scores.quantity = Quantity::Masked;
    gallery.profile(QStringLiteral("profilescores"), run(padded, attention(18, true, 15, true)),
                    scores, {10, 2});
    return 0;
}
