// The tile cache keeps to its budget and spares what is on screen.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "services/tilecache.h"

#include <QTest>

using namespace heed;
using namespace heed::ui;

namespace {

TilePtr tileOf(int texels)
{
    auto tile = std::make_shared<Tile>();
    tile->texels = {1, texels, TexelValues(static_cast<std::size_t>(texels), 0.0F),
                    TexelValues(static_cast<std::size_t>(texels), 0.0F)};
    return tile;
}

TileRequest at(std::int64_t column)
{
    TileRequest request;
    request.tileColumn = column;
    return request;
}

const std::int64_t OneTile = TileCache::bytesOf(*tileOf(100));

} // namespace

class TileCacheTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void dropsTheLeastRecentlyUsed();
    void neverDropsAVisibleTile();
    void replacingATileDoesNotCountItTwice();
    void everyFieldOfARequestCounts();
};

void TileCacheTest::dropsTheLeastRecentlyUsed()
{
    TileCache cache(2 * OneTile);
    cache.insert(at(0), tileOf(100));
    cache.insert(at(1), tileOf(100));
    QVERIFY(cache.find(at(0)));
    cache.insert(at(2), tileOf(100));
    QVERIFY(cache.find(at(0)));
    QVERIFY(!cache.find(at(1)));
    QVERIFY(cache.find(at(2)));
    QCOMPARE(cache.bytes(), 2 * OneTile);
}

void TileCacheTest::neverDropsAVisibleTile()
{
    TileCache cache(OneTile);
    cache.setProtected({at(0), at(1)});
    for (int column = 0; column < 5; ++column) {
        cache.insert(at(column), tileOf(100));
    }
    QVERIFY(cache.find(at(0)));
    QVERIFY(cache.find(at(1)));
    QVERIFY(!cache.find(at(4)));
    cache.setProtected({});
    QVERIFY(cache.bytes() <= OneTile);
}

void TileCacheTest::replacingATileDoesNotCountItTwice()
{
    TileCache cache(10 * OneTile);
    cache.insert(at(0), tileOf(100));
    cache.insert(at(0), tileOf(100));
    QCOMPARE(cache.bytes(), OneTile);
    cache.clear();
    QCOMPARE(cache.bytes(), 0);
}

void TileCacheTest::everyFieldOfARequestCounts()
{
    TileCache cache(100 * OneTile);
    std::vector<TileRequest> requests(9);
    requests[1].map.layer = 1;
    requests[2].map.item = 1;
    requests[3].map.head = 1;
    requests[4].quantity = Quantity::Scores;
    requests[5].pooling = Pooling::Mean;
    requests[6].level = 1;
    requests[7].tileRow = 1;
    requests[8].tileColumn = 1;
    for (const TileRequest& request : requests) {
        cache.insert(request, tileOf(100));
    }
    QCOMPARE(cache.bytes(), 9 * OneTile);
}

QTEST_GUILESS_MAIN(TileCacheTest)
#include "tst_tilecache.moc"
