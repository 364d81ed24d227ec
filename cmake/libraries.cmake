# The libraries that heddle links: heddle_fmt, heddle_sqlite, heddle_zlib, heddle_seccomp, heddle_context.
# With HEDDLE_STATIC (packages) all that Debian has as archives are linked in, fmt from its headers, and
# the program needs only the C library and Z3, whose SONAME is the same in every distribution.
find_package(fmt REQUIRED)
find_package(ZLIB REQUIRED)
find_package(SQLite3 REQUIRED)
foreach(name fmt sqlite zlib seccomp context)
  add_library(heddle_${name} INTERFACE)
endforeach()
find_library(BOOST_CONTEXT_LIBRARY NAMES libboost_context.a boost_context REQUIRED)
target_link_libraries(heddle_context INTERFACE ${BOOST_CONTEXT_LIBRARY})
if(HEDDLE_STATIC)
  find_library(SECCOMP_ARCHIVE libseccomp.a REQUIRED)
  find_library(SQLITE_ARCHIVE libsqlite3.a REQUIRED)
  find_library(ZLIB_ARCHIVE libz.a REQUIRED)
  target_link_libraries(heddle_fmt INTERFACE fmt::fmt-header-only)
  target_link_libraries(heddle_seccomp INTERFACE ${SECCOMP_ARCHIVE})
  target_link_libraries(heddle_sqlite INTERFACE ${SQLITE_ARCHIVE} m ${CMAKE_DL_LIBS})
  target_link_libraries(heddle_zlib INTERFACE ${ZLIB_ARCHIVE})
  # Z3 brings a C++ library of its own. The program's must not take its place, so it is not exported.
  add_link_options(-static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL -Wl,--gc-sections)
  # No path of the machine that built it.
  add_compile_options(-ffunction-sections -fdata-sections
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${CMAKE_BINARY_DIR}=.)
else()
  find_library(SECCOMP_LIBRARY seccomp REQUIRED)
  target_link_libraries(heddle_fmt INTERFACE fmt::fmt)
  target_link_libraries(heddle_seccomp INTERFACE ${SECCOMP_LIBRARY})
  target_link_libraries(heddle_sqlite INTERFACE SQLite::SQLite3)
  target_link_libraries(heddle_zlib INTERFACE ZLIB::ZLIB)
endif()
