# heddle_embed(VARIABLE FOLDER folder INCLUDE header SPACE namespace TYPE type FUNCTION function
#              [WITHOUT ending] [HASHED])
#
# Files that travel in the program. VARIABLE becomes a C++ source that is written anew when a file of
# the folder changes: a function that returns a vector of {path inside of the folder, text},
# with HASHED of {path, text, SHA-256}.
function(heddle_embed variable)
  cmake_parse_arguments(ARG "HASHED" "FOLDER;INCLUDE;SPACE;TYPE;FUNCTION;WITHOUT" "" ${ARGN})
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${ARG_FOLDER}/*)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${ARG_FUNCTION}.cpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${ARG_FOLDER} -DOUTPUT=${output} -DINCLUDE=${ARG_INCLUDE}
      -DSPACE=${ARG_SPACE} -DTYPE=${ARG_TYPE} -DFUNCTION=${ARG_FUNCTION} -DWITHOUT=${ARG_WITHOUT}
      -DHASHED=${ARG_HASHED}
      -P ${script}
    DEPENDS ${files} ${script} VERBATIM)
  set(${variable} ${output} PARENT_SCOPE)
endfunction()
