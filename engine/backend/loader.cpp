// Finds modules, opens them and asks the questions of the ABI in order; each "no" is one line.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/loader.h"

#include "backend/adapter.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <system_error>

namespace heed::detail {
namespace {

constexpr std::string_view ModulePrefix = "heedmap_backend_";
constexpr std::string_view ModuleSuffix = ".so";

Candidate refusal(BackendReport report, std::string reason)
{
    // The reasons of other libraries may hold line breaks; a report is one line.
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    report.usable = false;
    report.detail = std::move(reason);
    return {std::move(report), nullptr};
}

std::string orNoReason(const char* text)
{
    return text != nullptr && *text != '\0' ? text : "no reason given";
}

/// Whether the segments of an ELF file lie inside the file. The system's loader maps them without
/// looking, and a module that was copied only in part would end the program with SIGBUS.
/// @return true also for what is no ELF file of this machine: dlopen() says that better.
bool isWhole(const std::string& path)
{
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    std::ifstream file(path, std::ios::binary);
    ElfW(Ehdr) header{};
    if (error || !file.read(reinterpret_cast<char*>(&header), sizeof header) ||
        std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_phentsize != sizeof(ElfW(Phdr))) {
        return true;
    }
    file.seekg(static_cast<std::streamoff>(header.e_phoff));
    for (int i = 0; i < header.e_phnum; ++i) {
        ElfW(Phdr) segment{};
        if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment) ||
            (segment.p_type == PT_LOAD &&
             (segment.p_offset > size || segment.p_filesz > size - segment.p_offset))) {
            return false;
        }
    }
    return true;
}

/// The first required function that @p api lacks; null when it has them all.
const char* missingFunction(const heed_backend_api& api)
{
    struct Entry {
        bool there;
        const char* name;
    };
    const std::array entries = {
        Entry{api.score != nullptr, "score"},
        Entry{api.device_count != nullptr, "device_count"},
        Entry{api.open != nullptr, "open"},
        Entry{api.close != nullptr, "close"},
        Entry{api.run != nullptr, "run"},
        Entry{api.last_error != nullptr, "last_error"},
        Entry{api.describe != nullptr, "describe"},
    };
    const auto* const found = std::find_if(entries.begin(), entries.end(),
                                           [](const Entry& entry) { return !entry.there; });
    return found != entries.end() ? found->name : nullptr;
}

} // namespace

Candidate admit(const heed_backend_api* api, const std::string& path, const Backend* reference)
{
    BackendReport report;
    report.name = std::filesystem::path(path).filename().string();
    report.path = path;
    if (api == nullptr) {
        return refusal(report, "does not speak version " + std::to_string(HEED_ABI_VERSION) +
                                   " of the backend interface");
    }
    // The first eight bytes are the same in every version; nothing else is read before them.
    if (api->abi_version != HEED_ABI_VERSION) {
        return refusal(report, "speaks version " + std::to_string(api->abi_version) +
                                   " of the backend interface, this program speaks " +
                                   std::to_string(HEED_ABI_VERSION) + "; rebuild it");
    }
    if (api->struct_size < sizeof(heed_backend_api)) {
        return refusal(report, "its function table has " + std::to_string(api->struct_size) +
                                   " bytes where " + std::to_string(sizeof(heed_backend_api)) +
                                   " are needed; rebuild it");
    }
    if (api->name == nullptr || *api->name == '\0') {
        return refusal(report, "does not tell its name");
    }
    report.name = api->name;
    if (const char* missing = missingFunction(*api)) {
        return refusal(report, std::string("lacks the function ") + missing + "()");
    }
    report.score = api->score();
    if (report.score <= 0) {
        report.score = 0;
        return refusal(report, "cannot run here: " + orNoReason(api->last_error(nullptr)));
    }
    std::uint32_t devices = 0;
    if (api->device_count(&devices) != HEED_OK) {
        return refusal(report, "cannot count its devices: " + orNoReason(api->last_error(nullptr)));
    }
    if (devices == 0) {
        return refusal(report, "found no device");
    }
    auto backend = openBackend(*api);
    if (!backend) {
        return refusal(report, "could not open its device: " + backend.error().message);
    }
    if (reference != nullptr) {
        if (auto tested = selfTest(**backend, *reference); !tested) {
            return refusal(report, "failed its self-test: " + describe(tested.error()));
        }
    }
    report.usable = true;
    report.detail = (*backend)->description();
    return {std::move(report), std::move(*backend)};
}

Candidate loadModule(const std::string& path, const Backend& reference)
{
    BackendReport report;
    report.name = std::filesystem::path(path).filename().string();
    report.path = path;
    if (std::error_code error;
        std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
        return refusal(report, "cannot be opened: it is no regular file"); // a pipe would wait
    }
    if (!isWhole(path)) {
        return refusal(report, "cannot be opened: the file is cut short");
    }
    void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) {
        return refusal(report, "cannot be opened: " + orNoReason(dlerror()));
    }
    // Never closed: a backend may have started threads or registered destructors.
    void* symbol = dlsym(module, HEED_BACKEND_ENTRY_NAME);
    if (symbol == nullptr) {
        return refusal(report, "is not a backend: it has no symbol " HEED_BACKEND_ENTRY_NAME);
    }
    const auto entry = reinterpret_cast<heed_backend_entry_function>(symbol);
    return admit(entry(HEED_ABI_VERSION), path, &reference);
}

std::vector<std::string> modulesIn(const std::string& folder, bool missingIsWorthALine,
                                   std::vector<Candidate>& refusals)
{
    namespace fs = std::filesystem;
    std::vector<std::string> modules;
    const auto refuse = [&](const std::string& reason) {
        BackendReport report;
        report.name = folder;
        report.path = folder;
        refusals.push_back(refusal(std::move(report), reason));
    };
    if (!fs::path(folder).is_absolute()) {
        refuse("is not an absolute path; backends are never looked for in the current folder");
        return modules;
    }
    std::error_code error;
    fs::directory_iterator files(folder, error);
    if (error) {
        if (missingIsWorthALine) {
            refuse("cannot be read: " + error.message());
        }
        return modules;
    }
    for (; !error && files != fs::directory_iterator(); files.increment(error)) {
        const std::string name = files->path().filename().string();
        if (name.size() > ModulePrefix.size() + ModuleSuffix.size() &&
            name.compare(0, ModulePrefix.size(), ModulePrefix) == 0 &&
            name.compare(name.size() - ModuleSuffix.size(), ModuleSuffix.size(), ModuleSuffix) ==
                0) {
            modules.push_back(files->path().string());
        }
    }
    std::sort(modules.begin(), modules.end()); // the order of a directory is arbitrary
    return modules;
}

std::vector<std::string> defaultFolders()
{
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (error) {
        return {};
    }
    const fs::path prefix = program.parent_path().parent_path();
    std::vector<std::string> folders;
    for (const char* libraries : {"lib", HEED_INSTALL_LIBDIR, "lib/" HEED_MULTIARCH}) {
        const std::string folder =
            (prefix / libraries / "heedmap" / "backends").lexically_normal().string();
        if (std::find(folders.begin(), folders.end(), folder) == folders.end()) {
            folders.push_back(folder);
        }
    }
    return folders;
}

} // namespace heed::detail
