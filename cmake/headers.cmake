# What nearly every file includes, compiled once: a third of the build's time is the reading of these.
# Precompiled headers hold for one set of flags: targets that are optimised less have a set of their own,
# and so have those with other headers (report, tools).
file(WRITE ${CMAKE_BINARY_DIR}/headers.cpp "")
foreach(set heddle_headers heddle_plain_headers)
  add_library(${set} OBJECT ${CMAKE_BINARY_DIR}/headers.cpp)
  target_link_libraries(${set} PRIVATE heddle_fmt heddle_warnings)
  target_precompile_headers(${set} PRIVATE <fmt/format.h> <algorithm> <array> <cmath> <cstdint>
    <functional> <map> <memory> <optional> <set> <string> <string_view> <utility> <variant> <vector>)
endforeach()

# Code that takes no time when it runs, but some when it is compiled.
function(heddle_plain target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()
heddle_plain(heddle_plain_headers)

# Tells a target to use them; PLAIN ones are optimised less.
function(heddle_use_headers target)
  if("PLAIN" IN_LIST ARGN)
    heddle_plain(${target})
    target_precompile_headers(${target} REUSE_FROM heddle_plain_headers)
  else()
    target_precompile_headers(${target} REUSE_FROM heddle_headers)
  endif()
endfunction()

# Several sources as one: headers are read, and templates made, once for all of them. Names in unnamed
# namespaces must therefore differ within a folder. HEDDLE_UNITY=OFF compiles each file by itself.
# BATCH is how many, 16 unless told; 0 is all of them.
function(heddle_unity target)
  cmake_parse_arguments(ARG "" "BATCH" "" ${ARGN})
  if(NOT DEFINED ARG_BATCH)
    set(ARG_BATCH 16)
  endif()
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${HEDDLE_UNITY} UNITY_BUILD_BATCH_SIZE ${ARG_BATCH})
endfunction()
