// Quantities as people read them.
//
//   decimal_bytes(8591555338)   8.59 GB: by thousands, not by 1024
#pragma once

#include <string>

namespace heddle {

std::string decimal_bytes(double bytes);

}  // namespace heddle
