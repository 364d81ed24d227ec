// Which heddle this is.
//
//   version()       -> "0.2.0"
//   commit()        -> "60fa9ab1c2d3", "60fa9ab1c2d3+changes" of a changed tree, "" where git did not say
//   version_text()  -> "0.2.0 (60fa9ab1c2d3)"
#pragma once

#include <string>

namespace heddle {

const char* version();
const char* commit();
std::string version_text();

}  // namespace heddle
