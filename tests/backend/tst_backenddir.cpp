// HEED_BACKEND_DIR beside the folders of the program: a folder full of bad modules harms nothing.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heed/backend.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>

using namespace heed;

TEST(BackendDir, isSearchedAfterTheFoldersOfTheProgram)
{
    ASSERT_EQ(setenv("HEED_BACKEND_DIR", HEED_FAKE_FOLDER, 1), 0);
    auto& registry = BackendRegistry::instance();
    const auto& reports = registry.reports();
    const auto fakes = std::count_if(reports.begin(), reports.end(), [](const auto& report) {
        return report.path.rfind(HEED_FAKE_FOLDER, 0) == 0;
    });
    EXPECT_EQ(fakes, 15);
    for (const BackendReport& report : reports) {
        if (report.path.rfind(HEED_FAKE_FOLDER, 0) == 0) {
            EXPECT_FALSE(report.usable) << report.name;
        }
        EXPECT_FALSE(report.detail.empty()) << report.name;
    }
    EXPECT_EQ(registry.open().value()->name().rfind("cpu-", 0), 0U);
    const auto refused = registry.open("fake");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("found no device"), std::string::npos)
        << refused.error().message;
}
