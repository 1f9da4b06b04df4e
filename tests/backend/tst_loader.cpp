// Every way in which a backend module can be refused, with the line that tells why.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "everybackend.h"
#include "heed/backend.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>

using namespace heed;
using namespace heed::test;
namespace fs = std::filesystem;

namespace {

/// A private folder, removed at the end.
class Folder {
public:
    Folder()
    {
        std::string made = (fs::temp_directory_path() / "heedmap-loader-XXXXXX").string();
        EXPECT_NE(mkdtemp(made.data()), nullptr);
        m_path = made;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { fs::remove_all(m_path); }
    [[nodiscard]] const fs::path& path() const { return m_path; }
    void link(const std::string& fake) const
    {
        const std::string name = "heedmap_backend_" + fake + ".so";
        fs::create_symlink(fs::path(HEED_FAKE_FOLDER) / name, m_path / name);
    }

private:
    fs::path m_path;
};

/// The line about the only module of @p folder; the reference is always there beside it.
BackendReport onlyReport(const std::string& folder)
{
    BackendRegistry registry({folder});
    const auto reports = registry.reports();
    EXPECT_EQ(reports.size(), 2U);
    EXPECT_EQ(reports.front().name, "reference");
    EXPECT_TRUE(reports.front().usable);
    EXPECT_EQ(registry.open("auto").value()->name(), "reference");
    return reports.back();
}

struct Refusal {
    const char* fake;
    const char* name; ///< what the report calls it
    const char* detail;
};

const std::vector<Refusal> refusals = {
    {"no_symbol", "heedmap_backend_no_symbol.so",
     "is not a backend: it has no symbol heed_backend_entry"},
    {"null_table", "heedmap_backend_null_table.so",
     "does not speak version 2 of the backend interface"},
    {"old_abi", "heedmap_backend_old_abi.so",
     "speaks version 1 of the backend interface, this program speaks 2; rebuild it"},
    {"small_struct", "heedmap_backend_small_struct.so",
     "its function table has 24 bytes where 80 are needed; rebuild it"},
    {"no_name", "heedmap_backend_no_name.so", "does not tell its name"},
    {"no_run", "fake", "lacks the function run()"},
    {"score_zero", "fake", "cannot run here: the fake says no"},
    {"silent", "fake", "cannot run here: no reason given"},
    {"count_fails", "fake", "cannot count its devices: the fake says no"},
    {"no_device", "fake", "found no device"},
    {"open_fails", "fake", "could not open its device: the fake says no"},
    {"two_lines", "fake", "could not open its device: first line second line"},
    {"run_fails", "fake", "failed its self-test: backend fake, linear: the fake says no"},
    {"strange_status", "fake", "failed its self-test: backend fake, linear: the fake says no"},
    {"wrong_numbers", "fake", "failed its self-test: linear: number 0 is nan, should be "},
};

class Refused : public ::testing::TestWithParam<Refusal> {};

INSTANTIATE_TEST_SUITE_P(Fakes, Refused, ::testing::ValuesIn(refusals),
                         [](const auto& parameters) { return parameters.param.fake; });

} // namespace

TEST_P(Refused, withItsReasonInOneLine)
{
    const Folder folder;
    folder.link(GetParam().fake);
    const BackendReport report = onlyReport(folder.path());
    EXPECT_FALSE(report.usable);
    EXPECT_EQ(report.name, GetParam().name);
    EXPECT_EQ(report.path,
              folder.path() / ("heedmap_backend_" + std::string(GetParam().fake) + ".so"));
    EXPECT_EQ(report.detail.substr(0, std::string(GetParam().detail).size()), GetParam().detail);
    EXPECT_EQ(report.detail.find('\n'), std::string::npos);
}

TEST(Loader, aFileThatIsNoLibrary)
{
    const Folder folder;
    std::ofstream(folder.path() / "heedmap_backend_text.so") << "not a library\n";
    const BackendReport report = onlyReport(folder.path());
    EXPECT_EQ(report.name, "heedmap_backend_text.so");
    EXPECT_EQ(report.detail.rfind("cannot be opened: ", 0), 0U) << report.detail;
}

TEST(Loader, anEmptyFileAndATruncatedLibrary)
{
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{50}, std::size_t{1000}, std::size_t{9000}}) {
        const Folder folder;
        std::ifstream whole(fs::path(HEED_FAKE_FOLDER) / "heedmap_backend_no_run.so",
                            std::ios::binary);
        std::string bytes(size, '\0');
        whole.read(bytes.data(), static_cast<std::streamsize>(size));
        std::ofstream(folder.path() / "heedmap_backend_cut.so", std::ios::binary) << bytes;
        const BackendReport report = onlyReport(folder.path());
        EXPECT_EQ(report.detail.rfind("cannot be opened: ", 0), 0U) << report.detail;
    }
}

TEST(Loader, aPipeInTheFolder)
{
    const Folder folder;
    const std::string pipe = (folder.path() / "heedmap_backend_pipe.so").string();
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const BackendReport report = onlyReport(folder.path());
    EXPECT_EQ(report.detail, "cannot be opened: it is no regular file");
}

TEST(Loader, aFileThatIsMissing)
{
    const Folder folder;
    fs::create_symlink("/nowhere/at/all.so", folder.path() / "heedmap_backend_gone.so");
    const BackendReport report = onlyReport(folder.path());
    EXPECT_EQ(report.detail.rfind("cannot be opened: ", 0), 0U) << report.detail;
    EXPECT_NE(report.detail.find("No such file"), std::string::npos) << report.detail;
}

TEST(Loader, aFolderThatIsMissing)
{
    const BackendReport report = onlyReport("/nowhere/at/all");
    EXPECT_EQ(report.name, "/nowhere/at/all");
    EXPECT_EQ(report.detail, "cannot be read: No such file or directory");
}

TEST(Loader, theCurrentFolderIsNeverSearched)
{
    const Folder folder;
    folder.link("score_zero");
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    for (const char* relative : {".", "", "./", "sub/.."}) {
        const BackendReport report = onlyReport(relative);
        EXPECT_EQ(report.detail, "is not an absolute path; backends are never looked for in the "
                                 "current folder");
    }
    EXPECT_EQ(BackendRegistry({}).reports().size(), 1U);
    fs::current_path(before);
}

TEST(Loader, otherFilesAreIgnored)
{
    const Folder folder;
    for (const char* name : {"readme.txt", "heedmap_backend_.so", "heedmap_backend_x.so.bak",
                             "backend.so", "heedmap_backend_x"}) {
        std::ofstream(folder.path() / name) << "x";
    }
    EXPECT_EQ(BackendRegistry({folder.path()}).reports().size(), 1U);
}

TEST(Loader, oneFileReachedTwiceIsOneLine)
{
    const Folder first;
    const Folder second;
    first.link("score_zero");
    second.link("score_zero");
    EXPECT_EQ(BackendRegistry({first.path(), second.path(), first.path()}).reports().size(), 2U);
}

TEST(Loader, theBestScoreWinsAndTheListSaysSo)
{
    auto& registry = BackendRegistry::instance();
    const auto& reports = registry.reports();
    ASSERT_GE(reports.size(), 2U);
    for (std::size_t i = 1; i < reports.size(); ++i) {
        if (reports[i].usable) {
            EXPECT_LE(reports[i].score, reports[i - 1].score);
        }
    }
    EXPECT_EQ(registry.open().value()->name(), registry.reports().front().name);
    EXPECT_EQ(registry.open("cpu").value()->name().rfind("cpu-", 0), 0U);
    EXPECT_EQ(registry.open().value()->description(), reports.front().detail);
    EXPECT_EQ(registry.open("reference").value()->name(), "reference");
}

TEST(Loader, anUnusableNameIsAnswedWithItsReasonAndWhatWorks)
{
    const Folder folder;
    folder.link("no_device");
    BackendRegistry registry({folder.path()});
    const auto refused = registry.open("fake");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::NotFound);
    EXPECT_EQ(refused.error().message, "The backend \"fake\" cannot be used. It found no device. "
                                       "These work: auto, reference.");
    EXPECT_EQ(registry.open("quantum").error().message,
              "The backend \"quantum\" cannot be used: there is none of that name here. "
              "These work: auto, reference.");
}

TEST(Loader, manyThreadsLoadOnce)
{
    const Folder folder;
    folder.link("score_zero");
    BackendRegistry registry({folder.path()});
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&registry] {
            EXPECT_TRUE(registry.open());
            EXPECT_EQ(registry.reports().size(), 2U);
        });
    }
}

TEST(Loader, aBackendOutlivesItsRegistry)
{
    BackendPtr backend;
    BufferPtr buffer;
    {
        BackendRegistry registry({});
        backend = registry.open().value();
    }
    buffer = backend->upload(std::make_shared<Tensor>(Shape{2, 2})).value();
    backend.reset();
    EXPECT_EQ(buffer->shape(), (Shape{2, 2}));
}
