# heddle_folder(NAME [OWN_HEADERS] [PLAIN] SOURCES file... [ALONE file...]
#               USES folder... [PRIVATE_LIBRARIES lib...] [LIBRARIES lib...])
#
# ALONE names the sources that a unity build leaves by themselves.
#
# One target per folder of src/. The layering of docs/architecture.md is enforced here:
#   1. headers are included as "folder/header.h";
#   2. that path exists only inside build/layers/folder/, a directory that holds a single link;
#   3. a target sees that directory only if its USES list names the folder (lists are transitive).
# So an include that breaks the layers does not find its header, and the build fails.
# tests/layers shows that it does.
function(heddle_folder name)
  cmake_parse_arguments(ARG "OWN_HEADERS;PLAIN" "" "SOURCES;ALONE;USES;LIBRARIES;PRIVATE_LIBRARIES" ${ARGN})
  set(view ${CMAKE_BINARY_DIR}/layers/${name})
  file(MAKE_DIRECTORY ${view})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${name} ${view}/${name} SYMBOLIC)
  add_library(heddle_${name} STATIC ${ARG_SOURCES})
  target_include_directories(heddle_${name} PUBLIC ${view})
  foreach(used ${ARG_USES})
    target_link_libraries(heddle_${name} PUBLIC heddle_${used})
  endforeach()
  target_link_libraries(heddle_${name} PUBLIC ${ARG_LIBRARIES}
    PRIVATE heddle_warnings ${ARG_PRIVATE_LIBRARIES})
  heddle_unity(heddle_${name})
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(ARG_PLAIN)
    heddle_use_headers(heddle_${name} PLAIN)
  elseif(NOT ARG_OWN_HEADERS)
    heddle_use_headers(heddle_${name})
  endif()
endfunction()
