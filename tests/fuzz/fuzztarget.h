// One entry function, run by libFuzzer or replayed on the stored inputs as a normal test.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

namespace heed::fuzz {

using Entry = void (*)(std::span<const std::byte> input);

struct Target {
    const char* name; ///< of the folder in tests/fuzz/corpus
    Entry entry;
};

/// The targets linked into this program.
inline std::vector<Target>& targets()
{
    static std::vector<Target> all;
    return all;
}

struct Registration {
    Registration(const char* name, Entry entry) { targets().push_back({name, entry}); }
};

/// Ends the program when @p holds is false, in every build: the fuzzer counts it as a crash.
inline void require(bool holds, const char* what)
{
    if (!holds) {
        std::fprintf(stderr, "broken: %s\n", what);
        std::abort();
    }
}

} // namespace heed::fuzz

/// Makes @p entry the target @p name of this file.
#ifdef HEED_FUZZER
#define HEED_FUZZ_TARGET(name, entry)                                                              \
    extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)              \
    {                                                                                              \
        entry(std::as_bytes(std::span(data, size)));                                               \
        return 0;                                                                                  \
    }
#else
#define HEED_FUZZ_TARGET(name, entry)                                                              \
    static const heed::fuzz::Registration registration_##name(#name, entry);
#endif
