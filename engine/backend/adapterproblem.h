// An opened device, its buffers, and problems as the C side sees them.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/backend_abi.h"
#include "heed/backend.h"

#include <cstdint>
#include <memory>
#include <string>

namespace heed::detail {

template <typename Op>
Op makeOp(std::uint32_t kind)
{
    Op op{};
    op.head = {sizeof(Op), kind};
    return op;
}

/// The device, closed when the last buffer and backend are gone.
class Context {
public:
    Context(const heed_backend_api& api, heed_context* context)
        : m_api(api)
        , m_context(context)
    {
    }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context() { m_api.close(m_context); }

    [[nodiscard]] const heed_backend_api& api() const { return m_api; }
    [[nodiscard]] std::string description() const
    {
        const char* text = m_api.describe(m_context);
        return text != nullptr ? text : "";
    }
    [[nodiscard]] Expected<void> check(heed_status status, const char* operation) const
    {
        if (status == HEED_OK) {
            return {};
        }
        // A status that is not in the list is the backend's mistake.
        const bool known = status >= HEED_INVALID_ARGUMENT && status <= HEED_INTERNAL;
        const Code code = known ? static_cast<Code>(status - 1) : Code::BackendFailed;
        if (code == Code::Cancelled) {
            return fail(code, "Stopped.");
        }
        const char* reason = m_api.last_error(m_context);
        const bool told = reason != nullptr && *reason != '\0';
        return fail(code,
                    told ? std::string(reason)
                         : "The backend gave no reason (status " + std::to_string(status) + ").",
                    std::string("backend ") + m_api.name + ", " + operation);
    }
    [[nodiscard]] Expected<void> run(const heed_op& op, const heed_control* control,
                                     const char* operation) const
    {
        if (m_api.supports != nullptr) {
            if (auto supported = check(m_api.supports(m_context, &op), operation); !supported) {
                return supported;
            }
        }
        return check(m_api.run(m_context, &op, control), operation);
    }

private:
    const heed_backend_api& m_api;
    heed_context* m_context;
};
using ContextPtr = std::shared_ptr<const Context>;

class DeviceBuffer final : public Buffer {
public:
    DeviceBuffer(ContextPtr context, std::shared_ptr<const Tensor> tensor, heed_buffer* handle)
        : m_context(std::move(context))
        , m_tensor(std::move(tensor))
        , m_handle(handle)
    {
    }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    ~DeviceBuffer() override
    {
        auto op = makeOp<heed_op_release>(HEED_OP_RELEASE);
        op.buffer = m_handle;
        (void)m_context->run(op.head, nullptr, "release"); // nobody is left to hear of a failure
    }
    [[nodiscard]] const Shape& shape() const override { return m_tensor->shape(); }
    [[nodiscard]] const Context* context() const { return m_context.get(); }
    [[nodiscard]] const heed_buffer* handle() const { return m_handle; }
    [[nodiscard]] std::int64_t size() const { return m_tensor->size(); }

private:
    ContextPtr m_context;
    std::shared_ptr<const Tensor> m_tensor; ///< kept: the backend may only remember its address
    heed_buffer* m_handle;
};

/// "[3, 4]"
[[nodiscard]] std::string extents(std::int64_t rows, std::int64_t columns);

[[nodiscard]] heed_matrix hostMatrix(ConstMatrixView<float> view);

/// @return Code::InvalidArgument for a buffer of another backend, Code::InvalidShape for a matrix
/// that reaches outside its buffer.
[[nodiscard]] Expected<heed_matrix> bufferMatrix(const Context& context, const BufferMatrix& matrix,
                                                 const char* name);

/// Checks everything a backend may trust; of the mask, rows [firstRow, firstRow + rows). The result
/// points into @p problem.
[[nodiscard]] Expected<heed_problem> makeProblem(const Context& context, const HeadProblem& problem,
                                                 std::int64_t firstRow, std::int64_t rows);

} // namespace heed::detail
