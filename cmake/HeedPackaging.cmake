# Packages: a .deb with computed dependencies, and a .tar.gz that runs from where it is unpacked.
# SPDX-License-Identifier: GPL-3.0-or-later
if(NOT HEED_BUILD_UI)
    return()
endif()

# Debian's policy wants a copyright file; in the archive it is the licence notice.
configure_file("${PROJECT_SOURCE_DIR}/cmake/copyright.in" "${PROJECT_BINARY_DIR}/copyright" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/copyright" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/heedmap" COMPONENT Runtime)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME heedmap)
set(CPACK_PACKAGE_VENDOR "The Heedmap contributors")
set(CPACK_PACKAGE_CONTACT "The Heedmap contributors <maintainers@heedmap.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "Heedmap is a native desktop program that shows what the attention of a
transformer does with your own sentence: type it, switch padding and causal
masks, choose heads, look at every map with exact numbers, and export figures.
It needs no Python, no browser and no network.")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

# One package: a program without its backends would help nobody. Development files stay out.
set(CPACK_COMPONENTS_ALL Runtime Backends)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_FILE_NAME "heedmap-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_NAME heedmap)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# No library names fonts or the icon engine, so these two cannot be computed.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "fonts-dejavu-core | fonts-inter | fonts-noto-core, libqt6svg6")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-inter, fonts-noto-cjk, qt6-translations-l10n")
# Run by CPack for each generator.
set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_SOURCE_DIR}/cmake/PackageGenerators.cmake")
include(CPack)
