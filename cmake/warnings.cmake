# One interface target that every target of the project links: warnings are errors here.
add_library(heddle_warnings INTERFACE)
target_compile_options(heddle_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Werror)
# GCC 12 reports -Wrestrict inside its own std::string (GCC bug 105651, mended in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(heddle_warnings INTERFACE -Wno-restrict)
endif()
# GCC sees copies of one element beyond arrays that are never empty (13), and copies of strings of
# negative length where headers are precompiled (12).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(heddle_warnings INTERFACE -Wno-array-bounds -Wno-stringop-overflow
    -Wno-stringop-overread)
endif()
if(HEDDLE_SANITIZE)
  target_compile_options(heddle_warnings INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
    -Wno-maybe-uninitialized)  # <regex> of GCC 12 has false ones with sanitizers
  target_link_options(heddle_warnings INTERFACE -fsanitize=address,undefined)
endif()
if(HEDDLE_SANITIZE_THREADS)
  target_compile_options(heddle_warnings INTERFACE -fsanitize=thread -Wno-maybe-uninitialized)
  target_link_options(heddle_warnings INTERFACE -fsanitize=thread)
endif()
if(HEDDLE_FUZZ)  # coverage for libFuzzer in every folder
  target_compile_options(heddle_warnings INTERFACE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  target_link_options(heddle_warnings INTERFACE -fsanitize=address,undefined)
endif()
