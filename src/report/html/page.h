// A Document as one HTML file that needs nothing else.
//
// Rules
//   1. The page asks for nothing: its policy allows its own style sheet and script, by their hashes,
//      and no address. It is whole without the script, and on paper.
//   2. Every text is escaped: a kernel called <script> stays a name.
//   3. Parts are landmarks with headings, tables have captions, pictures have a label and a table
//      behind them.
//   4. The same document gives the same bytes.
#pragma once

#include <string>

#include "report/document.h"

namespace heddle::report {

std::string html_page(const Document& document);

}  // namespace heddle::report
