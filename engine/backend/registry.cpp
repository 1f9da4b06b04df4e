// The list of backends of a process: filled once, on first use, best score first.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/loader.h"
#include "backend/reference/reference.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <set>

namespace heed {

struct BackendRegistry::State {
    std::mutex mutex;
    std::vector<std::string> folders;
    bool useDefaults = false;
    bool loaded = false;
    std::vector<detail::Candidate> candidates; ///< usable first, best score first
    std::vector<BackendReport> reports;        ///< same order

    void load();
};

void BackendRegistry::State::load()
{
    if (loaded) {
        return;
    }
    loaded = true;
    detail::Candidate reference =
        detail::admit(detail::referenceEntry(HEED_ABI_VERSION), "", nullptr);

    std::vector<detail::Candidate> refusals;
    std::vector<std::string> modules;
    const auto search = [&](const std::string& folder, bool asked) {
        auto found = detail::modulesIn(folder, asked, refusals);
        modules.insert(modules.end(), found.begin(), found.end());
    };
    if (useDefaults) {
        for (const std::string& folder : detail::defaultFolders()) {
            search(folder, false);
        }
        const char* wanted = std::getenv("HEED_BACKEND_DIR");
        if (wanted != nullptr && *wanted != '\0') {
            search(wanted, true);
        }
    } else {
        for (const std::string& folder : folders) {
            search(folder, true);
        }
    }
    std::set<std::string> seen; // a folder may be reached by two names
    for (const std::string& module : modules) {
        std::error_code error;
        const std::string real = std::filesystem::weakly_canonical(module, error).string();
        if (reference.backend != nullptr && seen.insert(error ? module : real).second) {
            candidates.push_back(detail::loadModule(module, *reference.backend));
        }
    }
    candidates.push_back(std::move(reference));
    std::move(refusals.begin(), refusals.end(), std::back_inserter(candidates));
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const detail::Candidate& a, const detail::Candidate& b) {
                         return std::pair(a.report.usable, a.report.score) >
                                std::pair(b.report.usable, b.report.score);
                     });
    for (const detail::Candidate& candidate : candidates) {
        reports.push_back(candidate.report);
    }
}

BackendRegistry& BackendRegistry::instance()
{
    // Never destroyed: modules stay loaded and buffers may outlive every static object.
    static BackendRegistry& registry = *[] {
        auto* made = new BackendRegistry(std::vector<std::string>{});
        made->m_state->useDefaults = true;
        return made;
    }();
    return registry;
}

BackendRegistry::BackendRegistry(std::vector<std::string> folders)
    : m_state(std::make_unique<State>())
{
    m_state->folders = std::move(folders);
}

BackendRegistry::~BackendRegistry() = default;

const std::vector<BackendReport>& BackendRegistry::reports()
{
    const std::scoped_lock lock(m_state->mutex);
    m_state->load();
    return m_state->reports;
}

Expected<BackendPtr> BackendRegistry::open(const std::string& name)
{
    const std::scoped_lock lock(m_state->mutex);
    m_state->load();
    std::string reasons;
    std::string working;
    for (const detail::Candidate& candidate : m_state->candidates) {
        const BackendReport& report = candidate.report;
        // "cpu" asks for the best of cpu-v4, cpu-v3, …
        const bool isMeant = name == report.name || report.name.rfind(name + "-", 0) == 0;
        if (report.usable && (name == "auto" || isMeant)) {
            return candidate.backend;
        }
        if (!report.usable && isMeant) {
            reasons += (reasons.empty() ? "It " : "; it ") + report.detail;
        }
        if (report.usable && working.find(report.name) == std::string::npos) {
            working += (working.empty() ? "" : ", ") + report.name;
        }
    }
    return fail(
        Code::NotFound,
        "The backend \"" + name + "\" cannot be used" +
            (reasons.empty() ? ": there is none of that name here. " : ". " + reasons + ". ") +
            (working.empty() ? "None works." : "These work: auto, " + working + "."),
        "--backend");
}

} // namespace heed
