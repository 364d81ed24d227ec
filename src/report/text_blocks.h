// Blocks of a Document as text for a terminal: an empty line between them, pictures left out.
#pragma once

#include <string>
#include <vector>

#include "report/document.h"
#include "report/style.h"

namespace heddle::report {

std::string text_blocks(const std::vector<Block>& blocks, const Style& style);

}  // namespace heddle::report
