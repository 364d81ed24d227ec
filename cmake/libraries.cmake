# The libraries that heddle links: heddle_fmt, heddle_sqlite, heddle_zlib, heddle_seccomp, heddle_context; and
# heddle_c_library, for programs.
# With HEDDLE_STATIC (packages) all that Debian has as archives are linked in, fmt compiled from its headers,
# and the program needs only the C library and Z3, whose SONAME is the same in every distribution.
find_package(fmt REQUIRED)
find_package(ZLIB REQUIRED)
find_package(SQLite3 REQUIRED)
foreach(name fmt sqlite zlib seccomp context c_library)
  add_library(heddle_${name} INTERFACE)
endforeach()
find_library(BOOST_CONTEXT_LIBRARY NAMES libboost_context.a boost_context REQUIRED)
target_link_libraries(heddle_context INTERFACE ${BOOST_CONTEXT_LIBRARY})
if(HEDDLE_STATIC)
  find_library(SECCOMP_ARCHIVE libseccomp.a REQUIRED)
  find_library(SQLITE_ARCHIVE libsqlite3.a REQUIRED)
  find_library(ZLIB_ARCHIVE libz.a REQUIRED)
  # Used from its headers alone, fmt would be compiled in every file; this is its library, without a file of it.
  add_library(heddle_fmt_code STATIC cmake/package/fmt.cpp)
  target_link_libraries(heddle_fmt INTERFACE heddle_fmt_code)
  target_link_libraries(heddle_seccomp INTERFACE ${SECCOMP_ARCHIVE})
  target_link_libraries(heddle_sqlite INTERFACE ${SQLITE_ARCHIVE} m ${CMAKE_DL_LIBS})
  target_link_libraries(heddle_zlib INTERFACE ${ZLIB_ARCHIVE})
  if(CMAKE_SYSROOT)  # a native GCC looks into its own folders first
    set(folder ${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
    add_link_options(-B${folder} -L${folder} -L${CMAKE_SYSROOT}/lib/${CMAKE_LIBRARY_ARCHITECTURE})
  endif()
  target_sources(heddle_c_library INTERFACE ${PROJECT_SOURCE_DIR}/cmake/package/c_library.cpp)
  target_link_libraries(heddle_c_library INTERFACE -pthread ${CMAKE_DL_LIBS})
  # Z3 brings a C++ library of its own. The program's must not take its place, so it is not exported.
  add_link_options(-static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL)
else()
  find_library(SECCOMP_LIBRARY seccomp REQUIRED)
  target_link_libraries(heddle_fmt INTERFACE fmt::fmt)
  target_link_libraries(heddle_seccomp INTERFACE ${SECCOMP_LIBRARY})
  target_link_libraries(heddle_sqlite INTERFACE SQLite::SQLite3)
  target_link_libraries(heddle_zlib INTERFACE ZLIB::ZLIB)
endif()
