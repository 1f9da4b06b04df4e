# Read by cpack before each generator: refuses to make a .deb whose dependencies cannot be computed,
# and puts one folder around what an archive unpacks.
# SPDX-License-Identifier: GPL-3.0-or-later
if(CPACK_GENERATOR STREQUAL "DEB")
    find_program(HEED_SHLIBDEPS dpkg-shlibdeps)
    if(NOT HEED_SHLIBDEPS)
        message(FATAL_ERROR "dpkg-shlibdeps is needed to compute the dependencies: install dpkg-dev.")
    endif()
    set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY OFF)
else()
    set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
