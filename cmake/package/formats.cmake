# What differs between the formats; CPack reads it once for each.
if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_COMPONENTS_ALL heddle)
  # libz3-4 is the name in Debian 11 to 13 and in Ubuntu 20.04 to 24.04.
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= ${CPACK_HEDDLE_C_LIBRARY}), libz3-4")
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3")
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "clang-19, gnuplot-nox, libcurl4")
else()
  set(CPACK_COMPONENTS_ALL heddle z3)
  set(CPACK_PACKAGING_INSTALL_PREFIX /)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
