# Read by cpack before each generator: refuses to make a .deb whose dependencies cannot be computed.
# SPDX-License-Identifier: GPL-3.0-or-later
if(CPACK_GENERATOR STREQUAL "DEB")
    find_program(HEED_SHLIBDEPS dpkg-shlibdeps)
    if(NOT HEED_SHLIBDEPS)
        message(FATAL_ERROR "dpkg-shlibdeps is needed to compute the dependencies: install dpkg-dev.")
    endif()
endif()
