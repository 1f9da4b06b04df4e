// From a source to everything attention computes with it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention/layerrun.h"
#include "attention/storedrun.h"
#include "model/checkpointrun.h"

#include <exception>
#include <new>

namespace heed {

namespace {

Expected<RunPtr> computeRun(const Source& source, const BackendPtr& backend,
                            const Execution& execution, const RunPtr& previous)
{
    const auto kind = kindOf(source);
    if (!kind) {
        return tl::unexpected(kind.error());
    }
    if (*kind == SourceKind::Maps) {
        return openMaps(source, backend, execution);
    }
    if (backend == nullptr) {
        return fail(Code::InvalidArgument, "There is no backend to compute with.");
    }
    if (*kind == SourceKind::Model) {
        return computeModel(source, backend, execution, previous);
    }
    return computeLayer(source, *kind, backend, execution, previous);
}

} // namespace

Expected<RunPtr> compute(const Source& source, const BackendPtr& backend,
                         const Execution& execution, const RunPtr& previous)
{
    try {
        return computeRun(source, backend, execution, previous);
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory,
                    "There is no memory for this source. Choose smaller sizes or less text.");
    } catch (const std::exception& exception) { // e.g. a path the system cannot convert
        return fail(Code::Internal, std::string("Computing failed: ") + exception.what());
    }
}

} // namespace heed
