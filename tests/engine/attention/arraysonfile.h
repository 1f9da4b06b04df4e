// Temporary folders with array files in them.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/arrayfile.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <unistd.h>

namespace heed::test {

/// A folder that is gone when the test is.
class TemporaryFolder {
public:
    TemporaryFolder()
        : m_path(std::filesystem::temp_directory_path() /
                 ("heed-test-" + std::to_string(getpid()) + "-" + std::to_string(++s_made)))
    {
        std::filesystem::create_directories(m_path);
    }
    ~TemporaryFolder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    /// Writes @p tensors into @p name (its extension decides the format).
    std::filesystem::path write(const std::string& name,
                                const std::map<std::string, Tensor>& tensors) const
    {
        std::vector<ArrayToWrite> arrays;
        for (const auto& [array, tensor] : tensors) {
            arrays.push_back(
                {array, ElementType::Float32, tensor.shape(), std::as_bytes(tensor.values())});
        }
        const std::filesystem::path path = m_path / name;
        const auto written = writeArrays(path, arrays);
        EXPECT_TRUE(written) << describe(written.error());
        return path;
    }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

private:
    static inline int s_made = 0;
    std::filesystem::path m_path;
};

} // namespace heed::test
