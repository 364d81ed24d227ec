# `make install`, and packages: `make package` writes a .deb and a .tar.gz into build-package.
#
#   bin/heddle, bin/heddle-agent     the programs; GPUs, panels, prompts and device headers are in them
#   lib/libheddle.so.1, include/heddle, lib/python3/dist-packages/heddle: tools/libheddle
#   lib/heddle/libz3.so.4, ...       of the .tar.gz alone, with the C++ library that it needs: the .deb depends on
#                                    the distribution's
#   share/heddle/                    examples; JSON Schemas; ci/; GPU files and prompts, to begin one's own from
#   share/doc/heddle/                README, docs/, licence, changelog
#   share/man/man1/, completions of bash, zsh and fish: written by heddle itself
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME heddle)
# The build has the same search path: CMake would fill a shorter one up with colons, and the loader takes an
# empty entry for the current directory.
set_target_properties(heddle PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/heddle"
  BUILD_WITH_INSTALL_RPATH ON)
install(TARGETS heddle heddle-agent RUNTIME)
install(DIRECTORY examples gpus prompts DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle
  PATTERN __pycache__ EXCLUDE)
install(DIRECTORY ci DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle USE_SOURCE_PERMISSIONS
  PATTERN __pycache__ EXCLUDE)
install(DIRECTORY docs/schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle FILES_MATCHING PATTERN *.json)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# What the program says of itself, for those who look elsewhere.
set(manual ${CMAKE_BINARY_DIR}/manual)
add_custom_command(OUTPUT ${manual}/heddle.1 DEPENDS heddle ${PROJECT_SOURCE_DIR}/cmake/manual.cmake
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:heddle> -DFOLDER=${manual}
    -P ${PROJECT_SOURCE_DIR}/cmake/manual.cmake
  VERBATIM)
add_custom_target(heddle_manual ALL DEPENDS ${manual}/heddle.1)
# Everything that is installed.
add_custom_target(heddle_installed)
add_dependencies(heddle_installed heddle heddle-agent heddle_manual)
if(HEDDLE_LIBRARY)
  add_dependencies(heddle_installed libheddle heddle_python)
endif()
install(DIRECTORY ${manual}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN *.1)
install(FILES ${manual}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME heddle)
install(FILES ${manual}/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _heddle)
install(FILES ${manual}/fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME heddle.fish)

if(HEDDLE_STATIC)
  find_library(Z3_LIBRARY z3 REQUIRED)
  file(REAL_PATH ${Z3_LIBRARY} z3_file)
  install(FILES ${z3_file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/heddle COMPONENT z3)
  # Z3 needs a C++ library, which small systems lack. Its own folder is searched for that by way of the program.
  foreach(library libstdc++.so.6 libgcc_s.so.1)
    find_file(${library}_FILE ${library} REQUIRED PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE}
      PATHS /usr/lib /lib NO_DEFAULT_PATH)
    file(REAL_PATH ${${library}_FILE} file)
    install(FILES ${file} RENAME ${library} DESTINATION ${CMAKE_INSTALL_LIBDIR}/heddle COMPONENT z3)
  endforeach()
  target_link_options(heddle PRIVATE -Wl,--disable-new-dtags)
  install(FILES ${CMAKE_SYSROOT}/usr/share/doc/libstdc++6/copyright RENAME libstdc++-copyright
    DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT z3)
  install(FILES ${CMAKE_SYSROOT}/usr/share/doc/libz3-dev/copyright RENAME z3-copyright
    DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT z3)
endif()

# The C library that programs ask for: that of scripts/package_sysroot.sh, or of Debian 12.
set(CPACK_HEDDLE_C_LIBRARY 2.36)
if(CMAKE_SYSROOT)
  set(CPACK_HEDDLE_C_LIBRARY 2.31)
endif()
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_SYSTEM_NAME Linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_CONTACT "the authors of heddle")
set(CPACK_PACKAGE_DESCRIPTION_FILE ${PROJECT_SOURCE_DIR}/cmake/package/description.txt)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package/formats.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package/owner.cmake)
include(CPack)
