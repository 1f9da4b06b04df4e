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
    set_target_properties(heed_${name} PROPERTIES
        PREFIX "" OUTPUT_NAME "heedmap_backend_${name}"
        LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib/heedmap/backends"
        C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
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
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABEL}" TIMEOUT 300
        ENVIRONMENT "HEED_SOURCE_DIR=${PROJECT_SOURCE_DIR};HEED_BINARY_DIR=${PROJECT_BINARY_DIR};LC_ALL=C.UTF-8;TZ=UTC;QT_QPA_PLATFORM=offscreen;${arg_ENVIRONMENT}")
endfunction()
