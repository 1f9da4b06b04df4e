// Finds the modules of this build and opens each alone, so that the best does not hide the others.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "everybackend.h"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace heed::test {
namespace fs = std::filesystem;

std::string folderWithOnly(const std::string& file)
{
    std::string folder = (fs::temp_directory_path() / "heedmap-backend-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) {
        throw std::runtime_error("no temporary folder");
    }
    fs::create_symlink(file, fs::path(folder) / fs::path(file).filename());
    return folder;
}

const std::vector<FoundBackend>& everyBackend()
{
    static const std::vector<FoundBackend> found = [] {
        std::vector<FoundBackend> backends;
        backends.push_back({"reference", BackendRegistry({}).open("reference").value()});
        for (const BackendReport& report : BackendRegistry::instance().reports()) {
            if (!report.usable || report.path.empty()) {
                continue;
            }
            const std::string folder = folderWithOnly(report.path);
            auto opened = BackendRegistry({folder}).open(report.name);
            fs::remove_all(folder);
            // heedmap_backend_cpu_v3.so → cpu_v3
            const std::string stem = fs::path(report.path).stem().string();
            backends.push_back({stem.substr(stem.find("backend_") + 8), opened.value()});
        }
        return backends;
    }();
    return found;
}

} // namespace heed::test
