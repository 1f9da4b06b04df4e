# Helper functions that give every target the same properties.
# SPDX-License-Identifier: GPL-3.0-or-later

# A static library heed_<name>, alias heed::<name>, with hidden symbols.
function(heed_add_library name)
    add_library(heed_${name} STATIC)
    add_library(heed::${name} ALIAS heed_${name})
    target_link_libraries(heed_${name} PRIVATE heed_options)
    set_target_properties(heed_${name} PROPERTIES
        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# A backend module heedmap_backend_<name>: one exported symbol, loaded at run time, linked by nobody.
function(heed_add_backend name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
    add_library(heed_${name} MODULE ${arg_SOURCES})
    target_link_libraries(heed_${name} PRIVATE heed_options heed_abi ${arg_LIBRARIES})
    if(NOT APPLE AND NOT WIN32)
        target_link_options(heed_${name} PRIVATE
            "LINKER:--version-script=${PROJECT_SOURCE_DIR}/engine/backend/backend.map")
    endif()
    set_target_properties(heed_${name} PROPERTIES
        PREFIX "" OUTPUT_NAME "heedmap_backend_${name}"
        LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib/heedmap/backends"
        C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    set_property(GLOBAL APPEND PROPERTY HEED_BACKEND_MODULES heed_${name})
    install(TARGETS heed_${name} LIBRARY
            DESTINATION "${CMAKE_INSTALL_LIBDIR}/heedmap/backends" COMPONENT Backends)
endfunction()

# A test executable from <name>.cpp. GTEST: Google Test (engine, backend); otherwise Qt Test.
function(heed_add_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "GTEST" "LABEL" "SOURCES;LIBRARIES;ENVIRONMENT")
    add_executable(${name} ${name}.cpp ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE heed_options ${arg_LIBRARIES})
    if(arg_GTEST)
        target_link_libraries(${name} PRIVATE GTest::gtest_main)
    else()
        target_link_libraries(${name} PRIVATE Qt6::Test)
        set_target_properties(${name} PROPERTIES AUTOMOC ON)
    endif()
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABEL}" TIMEOUT 300)
    heed_set_test_environment(${name} ${arg_ENVIRONMENT})
endfunction()

# The same world for every test: no settings of the person who runs it, fixed language and time, and
# sanitizers that know what is not ours. What follows the name is added and wins.
function(heed_set_test_environment name)
    set(home "${PROJECT_BINARY_DIR}/testhome/${name}")
    file(MAKE_DIRECTORY "${home}")
    set(support "${PROJECT_SOURCE_DIR}/tests/support")
    set_tests_properties(${name} PROPERTIES ENVIRONMENT
        "HEED_SOURCE_DIR=${PROJECT_SOURCE_DIR};HEED_BINARY_DIR=${PROJECT_BINARY_DIR};LC_ALL=C.UTF-8;TZ=UTC;QT_QPA_PLATFORM=offscreen;HOME=${home};XDG_CONFIG_HOME=${home}/config;XDG_DATA_HOME=${home}/data;XDG_CACHE_HOME=${home}/cache;XDG_STATE_HOME=${home}/state;ASAN_OPTIONS=detect_leaks=1;LSAN_OPTIONS=suppressions=${support}/lsan.supp:print_suppressions=0;UBSAN_OPTIONS=print_stacktrace=1;TSAN_OPTIONS=suppressions=${support}/tsan.supp;${ARGN}")
endfunction()
