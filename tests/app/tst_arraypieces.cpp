// The arrays of compute come in pieces of a bounded size, whatever the size of the result.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/arrays.h"

#include <QTemporaryDir>
#include <QTest>
#include <cstring>

using namespace heed;

class TestArrayPieces : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void piecesStaySmall_data();
    void piecesStaySmall();
    void bandsOfAnySizeGiveTheSameNumbers();
    void stopsWithinAPiece();

private:
    QTemporaryDir m_folder;
    RunPtr m_run;
    cli::Selection m_selection{{0}, {0}, {0, 2}};
};

namespace {

constexpr std::int64_t Length = 1500;
constexpr std::int64_t Heads = 3;

std::vector<std::byte> bytesOf(const ArrayToWrite& array, std::size_t* largest = nullptr)
{
    std::vector<std::byte> all;
    ArrayCursor cursor(array);
    for (auto piece = cursor.nextPiece(); piece && !piece->empty(); piece = cursor.nextPiece()) {
        all.insert(all.end(), piece->begin(), piece->end());
        if (largest != nullptr) {
            *largest = std::max(*largest, piece->size());
        }
    }
    return all;
}

} // namespace

void TestArrayPieces::initTestCase()
{
    Tensor rows({1, Heads, Length, 1});
    for (std::size_t i = 0; i < rows.values().size(); ++i) {
        rows.values()[i] = static_cast<float>(i % 17) / 8 - 1;
    }
    const auto bytes = std::as_bytes(std::as_const(rows).values());
    std::vector<ArrayToWrite> arrays;
    for (const char* name : {"q", "k", "v"}) {
        arrays.push_back({name, ElementType::Float32, rows.shape(), bytes});
    }
    Source source;
    source.qkv = m_folder.filePath("qkv.npz").toStdString();
    source.causal = true;
    QVERIFY(writeArrays(source.qkv, arrays).has_value());
    auto run = compute(source, BackendRegistry::instance().open("reference").value(), {});
    QVERIFY2(run.has_value(), run ? "" : run.error().message.c_str());
    m_run = *run;
}

void TestArrayPieces::piecesStaySmall_data()
{
    QTest::addColumn<qint64>("budget");
    QTest::newRow("no budget") << qint64{0};
    QTest::newRow("1 MiB") << qint64{1 << 20};
}

void TestArrayPieces::piecesStaySmall()
{
    QFETCH(qint64, budget);
    Execution execution;
    execution.memoryBudget = budget;
    cli::Tally tally;
    std::int64_t told = 0;
    execution.progress = [&](std::int64_t done, std::int64_t total) {
        QVERIFY(done > told);
        QCOMPARE(total, tally.cells);
        told = done;
    };
    const auto arrays =
        cli::planArrays(*m_run, {"mask", "scaled", "weights", "q", "rowstats", "head_output"},
                        m_selection, execution, tally);
    QVERIFY2(arrays.has_value(), arrays ? "" : arrays.error().message.c_str());
    QCOMPARE(arrays->size(), std::size_t{10});
    // A row of cells takes 6000 bytes; a band of a budget of 1 MiB is about 64 KiB.
    const std::size_t most = budget == 0 ? std::size_t{8} << 20 : std::size_t{64} << 10;
    std::size_t cells = 0;
    for (const auto& [array, axes] : *arrays) {
        std::size_t largest = 0;
        const std::size_t size = bytesOf(array, &largest).size();
        QVERIFY2(largest <= most, array.name.c_str());
        cells += size / static_cast<std::size_t>(elementSize(array.type));
    }
    QCOMPARE(static_cast<std::int64_t>(cells), tally.cells);
    QCOMPARE(told, tally.cells);
}

void TestArrayPieces::bandsOfAnySizeGiveTheSameNumbers()
{
    cli::Tally tally;
    const Execution free;
    Execution little;
    little.memoryBudget = 1 << 20;
    const std::vector<std::string> what = {"mask", "weights", "masked"};
    const auto large = cli::planArrays(*m_run, what, m_selection, free, tally);
    const auto small = cli::planArrays(*m_run, what, m_selection, little, tally);
    QVERIFY(large.has_value() && small.has_value());
    for (std::size_t i = 0; i < what.size(); ++i) {
        const std::vector<std::byte> one = bytesOf((*large)[i].array);
        const std::size_t size = i == 0 ? 1 : sizeof(float);
        QCOMPARE(one.size(), size * 2 * Length * Length);
        QVERIFY(one == bytesOf((*small)[i].array));
    }
}

void TestArrayPieces::stopsWithinAPiece()
{
    std::stop_source stop;
    Execution execution;
    execution.stop = stop.get_token();
    cli::Tally tally;
    const auto arrays = cli::planArrays(*m_run, {"weights"}, m_selection, execution, tally);
    QVERIFY(arrays.has_value());
    ArrayCursor cursor(arrays->front().array);
    const auto piece = cursor.nextPiece();
    QVERIFY(piece.has_value());
    QVERIFY(!piece->empty() && piece->size() <= 64 << 10); // milliseconds of a CSV file
    stop.request_stop();
    const auto stopped = cursor.nextPiece();
    QVERIFY(!stopped.has_value());
    QCOMPARE(stopped.error().code, Code::Cancelled);
}

QTEST_GUILESS_MAIN(TestArrayPieces)
#include "tst_arraypieces.moc"
