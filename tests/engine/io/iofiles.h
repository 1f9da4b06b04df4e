// Files and bytes for the tests of engine/io.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/arrayfile.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

namespace heed {

using Bytes = std::vector<std::byte>;

/// A file written by NumPy or the safetensors library (tests/oracle/make_io_goldens.py).
inline std::filesystem::path golden(const std::string& name)
{
    const char* root = std::getenv("HEED_SOURCE_DIR");
    return std::filesystem::path(root == nullptr ? "." : root) / "tests/golden/io" / name;
}

inline Bytes toBytes(std::string_view text)
{
    const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
    return {bytes.begin(), bytes.end()};
}

template <typename T>
Bytes bytesOf(const std::vector<T>& values)
{
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}

template <typename T>
std::vector<T> valuesOf(const Bytes& bytes)
{
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
}

inline Bytes readBytes(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return toBytes(text);
}

inline void writeBytes(const std::filesystem::path& path, std::string_view text)
{
    std::ofstream(path, std::ios::binary) << text;
}

/// What writeArrays() sends to its sink.
inline Expected<Bytes> written(ArrayFormat format, const std::vector<ArrayToWrite>& arrays,
                               const ArrayFileNotes& notes = {})
{
    Bytes all;
    const auto sink = [&](std::span<const std::byte> bytes) -> Expected<void> {
        all.insert(all.end(), bytes.begin(), bytes.end());
        return {};
    };
    if (auto result = writeArrays(sink, format, arrays, notes); !result) {
        return tl::unexpected(result.error());
    }
    return all;
}

template <typename T>
ArrayToWrite toWrite(const std::string& name, ElementType type, const Shape& shape,
                     const std::vector<T>& values)
{
    return {name, type, shape, std::as_bytes(std::span(values))};
}

/// @p bytes as an array that is made in pieces of at most @p most bytes.
inline ArrayToWrite inPieces(const std::string& name, ElementType type, const Shape& shape,
                             std::span<const std::byte> bytes, std::size_t most)
{
    const auto open = [bytes, most] {
        return [rest = bytes, most]() mutable {
            const auto piece = rest.first(std::min(most, rest.size()));
            rest = rest.subspan(piece.size());
            return piece;
        };
    };
    return {name, type, shape, {}, open};
}

inline std::vector<float> floatsOf(const ArrayFilePtr& file, const std::string& name)
{
    const auto tensor = file->read(name);
    EXPECT_TRUE(tensor) << describe(tensor.error());
    return tensor ? std::vector<float>(tensor->values().begin(), tensor->values().end())
                  : std::vector<float>{};
}

/// The rule of the oracle script, said again: element @p i of an array of @p type.
inline float goldenValue(ElementType type, std::int64_t i)
{
    switch (type) {
    case ElementType::Bool:
        return i % 3 == 0 ? 1.0F : 0.0F;
    case ElementType::UInt8:
    case ElementType::UInt16:
    case ElementType::UInt32:
    case ElementType::UInt64:
        return static_cast<float>(i % 7);
    case ElementType::Int8:
    case ElementType::Int16:
    case ElementType::Int32:
    case ElementType::Int64:
        return static_cast<float>(i % 7 - 3);
    default:
        return static_cast<float>(i - 5) / 4.0F;
    }
}

inline std::vector<float> goldenValues(ElementType type, std::int64_t count)
{
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i) {
        values.push_back(goldenValue(type, i));
    }
    return values;
}

/// An empty folder for one test, removed at its end.
class TemporaryFolder {
public:
    TemporaryFolder()
    {
        static int count = 0;
        m_path = std::filesystem::temp_directory_path() /
                 ("heed-io-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
        std::filesystem::create_directories(m_path);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    [[nodiscard]] std::filesystem::path operator/(const std::string& name) const
    {
        return m_path / name;
    }
    [[nodiscard]] std::size_t entries() const
    {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(m_path), {}));
    }

private:
    std::filesystem::path m_path;
};

} // namespace heed
