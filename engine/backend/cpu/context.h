// What one opened CPU keeps, and how a call divides its work between threads.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend_abi.h"
#include "core/arenas.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

struct heed_buffer {
    const float* data = nullptr; ///< the host's own memory, alive until release
    std::int64_t count = 0;
};

namespace heed::cpu {

/// A float32 matrix with adjacent columns, wherever it lies.
struct MatrixRef {
    const float* data;
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t rowStride;

    explicit MatrixRef(const heed_matrix& matrix)
        : data((matrix.buffer != nullptr ? matrix.buffer->data
                                         : static_cast<const float*>(matrix.data)) +
               matrix.offset)
        , rows(matrix.rows)
        , columns(matrix.columns)
        , rowStride(matrix.row_stride)
    {
    }
    [[nodiscard]] const float* row(std::int64_t r) const { return data + r * rowStride; }
};

/// One call: its threads, its stop flag, its progress.
class Call {
public:
    Call(Arenas& arenas, const heed_control* control, int hostThreads);
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    /// True once the host asked to stop; cheap enough to ask for every block.
    [[nodiscard]] bool stopped();
    [[nodiscard]] int threads() const { return m_threads; }
    [[nodiscard]] heed_status status() const { return m_stopped ? HEED_CANCELLED : HEED_OK; }

    /// body(block) for every block, on the threads of the call. @param work multiply-adds
    /// altogether: little work stays on the calling thread. Results must not depend on the order.
    template <typename Body>
    void forBlocks(std::int64_t blocks, double work, bool reportProgress, const Body& body)
    {
        std::int64_t done = 0;
        const auto runBlock = [&](std::int64_t block) {
            if (stopped()) {
                return;
            }
            body(block);
            if (reportProgress && m_control != nullptr && m_control->progress != nullptr) {
                const std::scoped_lock lock(m_progressMutex);
                m_control->progress(m_control->user, ++done, blocks);
            }
        };
        if (m_threads == 1 || blocks <= 1 || work < SerialWork) {
            for (std::int64_t block = 0; block < blocks; ++block) {
                runBlock(block);
            }
            return;
        }
        m_arenas.run(m_threads, blocks, runBlock);
    }

private:
    /// Below this many multiply-adds (some 20 µs) waking a thread costs more than it gives.
    static constexpr double SerialWork = 500'000;

    Arenas& m_arenas;
    const heed_control* m_control;
    int m_threads;
    std::atomic<bool> m_stopped = false;
    std::mutex m_progressMutex;
};

/// What the units of one call work with, made once a thread and handed on: the memory of a unit is
/// large, and fresh pages cost as much as the work in them.
template <typename Unit>
class UnitPool {
public:
    /// Runs use(unit) with an idle unit, or one that @p make returns.
    template <typename Make, typename Use>
    void with(const Make& make, const Use& use)
    {
        std::unique_ptr<Unit> unit;
        {
            const std::scoped_lock lock(m_mutex);
            if (!m_idle.empty()) {
                unit = std::move(m_idle.back());
                m_idle.pop_back();
            }
        }
        if (unit == nullptr) {
            unit = make();
        }
        use(*unit);
        const std::scoped_lock lock(m_mutex);
        m_idle.push_back(std::move(unit));
    }

private:
    std::mutex m_mutex;
    std::vector<std::unique_ptr<Unit>> m_idle;
};

heed_status linear(const heed_op_linear& op, Call& call);
heed_status rowStats(const heed_op_row_stats& op, Call& call);
heed_status tile(const heed_op_tile& op, Call& call);
heed_status attend(const heed_op_attend& op, Call& call);

} // namespace heed::cpu

struct heed_context {
    heed::Arenas arenas;
    int threads = 1;
    std::string description;
};
