// A Document as Markdown: blocks with an empty line between them. Figures are left out.
#pragma once

#include <string>

#include "report/document.h"

namespace heddle::report {

std::string markdown_page(const Document& document);

}  // namespace heddle::report
