# What nearly every file includes, compiled once: a third of the build's time is the reading of these.
# Targets with other flags (report, tools) have their own.
file(WRITE ${CMAKE_BINARY_DIR}/headers.cpp "")
add_library(heddle_headers OBJECT ${CMAKE_BINARY_DIR}/headers.cpp)
target_link_libraries(heddle_headers PRIVATE fmt::fmt heddle_warnings)
target_precompile_headers(heddle_headers PRIVATE <fmt/format.h> <algorithm> <array> <cmath> <cstdint>
  <functional> <map> <memory> <optional> <set> <string> <string_view> <utility> <variant> <vector>)

# Tells a target to use them.
function(heddle_use_headers target)
  target_precompile_headers(${target} REUSE_FROM heddle_headers)
endfunction()
