// The pages of heddle view: a list of runs, and two of them side by side.
//
// A run is a folder with the report.json of heddle optimize. Rules
//   1. Figures are quoted from report.json; one that is missing, or of another kind, is a dash.
//   2. Texts of files are text: the page escapes them.
#pragma once

#include <optional>
#include <string>

#include "view_folder.h"

namespace heddle::tool {

/// Runs, pages and other files, with links to them.
std::string view_index(const ViewFolder& folder, const std::string& name);

/// Two runs side by side. Without `after`: the runs that `before` can be compared with. Nothing if
/// there are no such runs.
std::optional<std::string> view_comparison(const ViewFolder& folder, const std::string& before,
                                           const std::optional<std::string>& after);

}  // namespace heddle::tool
