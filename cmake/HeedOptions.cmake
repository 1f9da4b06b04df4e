# Every option is declared here, once, and printed at the end of the configuration.
# SPDX-License-Identifier: GPL-3.0-or-later
option(HEED_BUILD_UI "Build the window and the heedmap program (needs Qt 6)" ON)
option(HEED_BUILD_TESTS "Build the tests" ON)
option(HEED_BUILD_BENCH "Build the benchmarks (needs Google Benchmark)" OFF)
option(HEED_BUILD_FUZZERS "Build the libFuzzer targets (needs Clang)" OFF)
option(HEED_WERROR "Treat warnings as errors" OFF)
option(HEED_DEVELOPER "Stop at a failed HEED_CHECK" OFF)
set(HEED_CUDA AUTO CACHE STRING "CUDA backend: AUTO, ON or OFF")
set_property(CACHE HEED_CUDA PROPERTY STRINGS AUTO ON OFF)
set(HEED_SANITIZE "" CACHE STRING "Sanitizers, for instance address;undefined")

foreach(option IN ITEMS HEED_BUILD_UI HEED_BUILD_TESTS HEED_BUILD_BENCH HEED_BUILD_FUZZERS
                        HEED_WERROR HEED_DEVELOPER HEED_CUDA HEED_SANITIZE)
    message(STATUS "${option} = ${${option}}")
endforeach()

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

add_library(heed_options INTERFACE)
target_compile_features(heed_options INTERFACE cxx_std_20)
# Contraction would let one machine fuse a*b+c and another not; the sandbox promises equal numbers.
# Targets with HEED_FUSES set go without the promise: these options come after a target's own, so
# that -ffp-contract=fast there would have no effect.
target_compile_options(heed_options INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
        -Wold-style-cast -Wcast-qual -Woverloaded-virtual>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-ffp-contract=$<IF:$<BOOL:$<TARGET_PROPERTY:HEED_FUSES>>,fast,off>>
    # Optimising, GCC 12 sees overlaps in "literal" + std::string (its bug 105651), vectors freed at an
    # offset, and unset members of an empty std::optional, none of which are there.
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict -Wno-free-nonheap-object
        -Wno-maybe-uninitialized>
    $<$<AND:$<BOOL:${HEED_WERROR}>,$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>>:-Werror>)
if(HEED_SANITIZE)
    string(REPLACE ";" "," sanitizers "${HEED_SANITIZE}")
    target_compile_options(heed_options INTERFACE -fsanitize=${sanitizers} -fno-omit-frame-pointer
                                                  -fno-sanitize-recover=all)
    target_link_options(heed_options INTERFACE -fsanitize=${sanitizers})
endif()
