// Requests, arrivals, and the change of maps without a hole on screen.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tilescene.h"

#include <algorithm>
#include <cmath>

namespace heed::ui {

namespace {

// Longer than this the coarse tile alone is better than the map before.
constexpr int PatienceMs = 120;
constexpr std::size_t MostHeld = 96;

std::shared_ptr<const std::vector<Token>> tokensOf(const RunPtr& run, const Batch& batch,
                                                   std::int64_t item)
{
    return item < batch.size() ? std::shared_ptr<const std::vector<Token>>(
                                     run, &batch.items[static_cast<std::size_t>(item)])
                               : nullptr;
}

} // namespace

MapsShape MapTarget::shape() const
{
    return run && run->maps() ? run->maps()->shape() : MapsShape{};
}

int MapTarget::topLevel() const
{
    return run && run->maps() ? run->maps()->topLevel() : 0;
}

std::shared_ptr<const std::vector<Token>> MapTarget::queryTokens() const
{
    return run ? tokensOf(run, run->queryTokens(), map.item) : nullptr;
}

std::shared_ptr<const std::vector<Token>> MapTarget::keyTokens() const
{
    return run ? tokensOf(run, run->keyTokens(), map.item) : nullptr;
}

TileScene::TileScene(EngineService* service, int view, QObject* parent)
    : QObject(parent)
    , m_service(service)
    , m_view(view)
{
    m_patience.setSingleShot(true);
    m_patience.setInterval(PatienceMs);
    connect(m_service, &EngineService::tileReady, this, &TileScene::onTileReady);
    connect(m_service, &EngineService::draftReady, this, &TileScene::onDraftReady);
    connect(&m_patience, &QTimer::timeout, this, &TileScene::tryToShow);
}

TileScene::~TileScene()
{
    if (m_service) {
        m_service->setVisible(m_view, {});
    }
}

TileRequest TileScene::request(const MapTarget& target, int level, std::int64_t row,
                               std::int64_t column) const
{
    return {.map = target.map,
            .quantity = target.quantity,
            .pooling = target.pooling,
            .level = level,
            .tileRow = row,
            .tileColumn = column};
}

void TileScene::setTarget(const MapTarget& target)
{
    if (target == m_target) {
        return;
    }
    m_target = target;
    m_next.clear();
    m_patience.stop();
    if (!target.isValid()) {
        m_shown = {};
        m_tiles.clear();
        m_service->setVisible(m_view, {});
        Q_EMIT shownChanged();
        return;
    }
    if (!m_shown.isValid() || target == m_shown) {
        if (!m_shown.isValid()) {
            m_shown = target;
            Q_EMIT shownChanged();
        }
        fetch();
        return;
    }
    m_patience.start();
    fetch();
    tryToShow();
}

void TileScene::setVisibleCells(const QRectF& cells, double devicePixels)
{
    if (cells == m_cells && devicePixels == m_devicePixels) {
        return;
    }
    m_cells = cells;
    m_devicePixels = devicePixels;
    m_level = levelFor(devicePixels, m_shown.topLevel());
    fetch();
}

std::vector<TileRequest> TileScene::wantedTiles(const MapTarget& target) const
{
    std::vector<TileRequest> wanted;
    const MapsShape shape = target.shape();
    const int top = target.topLevel();
    if (shape.queries <= 0 || shape.keys <= 0) {
        return wanted;
    }
    wanted.push_back(request(target, top, 0, 0));
    // The cells on screen belong to the map on screen; they say nothing about one of another shape.
    const MapsShape seen = m_shown.shape();
    if (m_cells.isEmpty() || shape.queries != seen.queries || shape.keys != seen.keys) {
        return wanted;
    }
    const int level = levelFor(m_devicePixels, top);
    if (level == top) {
        return wanted;
    }
    const double side = std::ldexp(static_cast<double>(TileSide), level);
    const auto span = [side](double begin, double end, std::int64_t count) {
        const auto last = static_cast<std::int64_t>((static_cast<double>(count) - 1) / side);
        return std::pair{
            std::clamp<std::int64_t>(static_cast<std::int64_t>(begin / side), 0, last),
            std::clamp<std::int64_t>(static_cast<std::int64_t>((end - 1e-9) / side), 0, last)};
    };
    const auto [firstRow, lastRow] = span(m_cells.top(), m_cells.bottom(), shape.queries);
    const auto [firstColumn, lastColumn] = span(m_cells.left(), m_cells.right(), shape.keys);
    for (std::int64_t r = firstRow; r <= lastRow; ++r) {
        for (std::int64_t c = firstColumn; c <= lastColumn; ++c) {
            wanted.push_back(request(target, level, r, c));
        }
    }
    return wanted;
}

bool TileScene::fetchInto(Tiles& tiles, const MapTarget& target)
{
    bool complete = true;
    for (const TileRequest& wanted : wantedTiles(target)) {
        if (isFinished(tiles, wanted)) {
            continue;
        }
        if (TilePtr tile = m_service->tile(wanted, Priority::Visible)) {
            tiles[wanted] = {std::move(tile), {}, {}, {}};
            continue;
        }
        complete = false;
        if (Draft draft = m_service->draft(wanted); draft.tile) {
            tiles[wanted] = {std::move(draft.tile), {}, {}, draft.state};
        }
    }
    return complete;
}

void TileScene::fetch()
{
    std::vector<TileRequest> visible;
    const auto add = [&](const MapTarget& target) {
        // The service answers for its current run only.
        if (target.isValid() && target.run == m_service->current()) {
            const auto wanted = wantedTiles(target);
            visible.insert(visible.end(), wanted.begin(), wanted.end());
            return true;
        }
        return false;
    };
    const bool canShown = add(m_shown);
    const bool canTarget = isChanging() && add(m_target);
    m_service->setVisible(m_view, visible);
    if (canShown) {
        fetchInto(m_tiles, m_shown);
    }
    if (canTarget) {
        fetchInto(m_next, m_target);
    }
}

bool TileScene::isFinished(const Tiles& tiles, const TileRequest& request)
{
    const auto held = tiles.find(request);
    return held != tiles.end() && !held->second.draft;
}

void TileScene::onTileReady(const TileRequest& arrived)
{
    put(arrived, {m_service->cachedTile(arrived), {}, {}, {}});
}

void TileScene::onDraftReady(const TileRequest& arrived)
{
    Draft draft = m_service->draft(arrived);
    put(arrived, {std::move(draft.tile), {}, {}, draft.state});
}

/// Takes a tile that belongs to a map of this view; others pass by.
void TileScene::put(const TileRequest& arrived, Held held)
{
    if (!held.tile) {
        return;
    }
    const auto belongs = [&](const MapTarget& target) {
        return target.isValid() && target.run == m_service->current() &&
               target.map == arrived.map && target.quantity == arrived.quantity &&
               target.pooling == arrived.pooling;
    };
    if (belongs(m_shown)) {
        m_tiles[arrived] = std::move(held);
        prune();
        Q_EMIT tilesChanged();
    } else if (isChanging() && belongs(m_target)) {
        m_next[arrived] = std::move(held);
        tryToShow();
    }
}

void TileScene::tryToShow()
{
    if (!isChanging() || !m_target.isValid()) {
        return;
    }
    const auto wanted = wantedTiles(m_target);
    const bool complete =
        !wanted.empty() && std::all_of(wanted.begin(), wanted.end(),
                                       [&](const TileRequest& w) { return isFinished(m_next, w); });
    const auto coarse = m_next.find(request(m_target, m_target.topLevel(), 0, 0));
    const bool hasCoarse = coarse != m_next.end();
    // A draft says that the exact tile takes long.
    if (complete || (hasCoarse && (coarse->second.draft || !m_patience.isActive()))) {
        show();
    }
}

void TileScene::show()
{
    m_patience.stop();
    m_shown = m_target;
    m_tiles = std::move(m_next);
    m_next.clear();
    m_level = levelFor(m_devicePixels, m_shown.topLevel());
    Q_EMIT shownChanged();
    fetch();
}

void TileScene::prune()
{
    if (m_tiles.size() <= MostHeld) {
        return;
    }
    const auto wanted = wantedTiles(m_shown);
    std::erase_if(m_tiles, [&](const auto& entry) {
        return std::find(wanted.begin(), wanted.end(), entry.first) == wanted.end();
    });
}

bool TileScene::isRefining() const
{
    // The coarse tile of the whole map may still be on its way when those on screen are finished.
    const auto wanted = wantedTiles(m_shown);
    return std::any_of(wanted.begin(), wanted.end(), [&](const TileRequest& w) {
        return w.level == m_level && !isFinished(m_tiles, w);
    });
}

std::optional<PictureDraft> TileScene::draftOnScreen() const
{
    const auto held = m_tiles.find(request(m_shown, m_shown.topLevel(), 0, 0));
    return held != m_tiles.end() && isRefining() ? held->second.draft : std::nullopt;
}

std::vector<PlacedTile> TileScene::placedTiles(const TileStyle& style)
{
    std::vector<PlacedTile> placed;
    const auto wanted = wantedTiles(m_shown);
    // Coarser tiles are needed only where finer ones are missing.
    const bool complete = !isRefining();
    for (auto& [key, held] : m_tiles) {
        if (key.level < m_level || (complete && key.level > m_level)) {
            continue;
        }
        const double side = std::ldexp(static_cast<double>(TileSide), key.level);
        const QRectF area(static_cast<double>(key.tileColumn) * side,
                          static_cast<double>(key.tileRow) * side, side, side);
        if (!m_cells.isEmpty() && !area.intersects(m_cells)) {
            continue;
        }
        if (held.colours.isNull() || held.style != style) {
            held.colours = tileImage(*held.tile, style);
            held.style = style;
        }
        placed.push_back({held.tile.get(), &held.colours, key.level, key.tileRow, key.tileColumn});
    }
    std::sort(placed.begin(), placed.end(),
              [](const PlacedTile& a, const PlacedTile& b) { return a.level > b.level; });
    return placed;
}

TileContents TileScene::contents() const
{
    TileContents contents;
    for (const auto& [key, held] : m_tiles) {
        if (key.level >= m_level) {
            if (!held.contents) {
                held.contents = tileContents(*held.tile, m_shown.quantity);
            }
            contents |= *held.contents;
        }
    }
    return contents;
}

TilePtr TileScene::exactTile(qint64 query, qint64 key) const
{
    const TileRequest wanted = request(m_shown, 0, query / TileSide, key / TileSide);
    if (const auto held = m_tiles.find(wanted); held != m_tiles.end()) {
        return held->second.draft ? nullptr : held->second.tile;
    }
    return m_shown.isValid() && m_shown.run == m_service->current() ? m_service->cachedTile(wanted)
                                                                    : nullptr;
}

} // namespace heed::ui
