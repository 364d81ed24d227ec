// Choices for several runs: -k and -d once for all of them, or once for each -p.
//
//   -p before -p after -k 0 -k 1     kernel 0 of the first run, kernel 1 of the second
//   -p before -p after -k 0          kernel 0 of both
//
// Rules
//   1. Each use of a flag is a list. None is an empty list for every run, one holds for every run.
//   2. For one run all lists are one.
//   3. Otherwise there are as many lists as runs; any other number is an Error.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "support/error.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::tool {

using RunLists = std::vector<std::vector<std::string>>;

/// The list of a run. `flag` is what an Error calls it, "-k".
inline std::vector<std::string> list_of_run(const RunLists& lists, std::size_t run,
                                            std::size_t runs, const char* flag) {
  if (lists.empty()) return {};
  if (lists.size() == 1) return lists.front();
  if (runs == 1) {
    std::vector<std::string> all;
    for (const auto& list : lists) append(all, list);
    return all;
  }
  if (lists.size() != runs)
    throw Error(fmt::format("{} is given {} times for {}", flag, lists.size(),
                            count_of(static_cast<std::int64_t>(runs), "folder")),
                fmt::format("give {} once, or once for each -p", flag));
  return lists[run];
}

}  // namespace heddle::tool
