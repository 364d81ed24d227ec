// What a tool call returns: heddle's JSON, short enough for a model to read.
//
//   {"exit_code": 1, "meaning": "refuted", "result": {"verdict": "REFUTED", ...}, "left_out": [],
//    "report": null, "patch": null, "messages": []}
//
// Rules
//   1. Codes 0, 1 and 3 are answers; anything else is an error of the tool, with heddle's message.
//   2. Members of the result are left out, the longest first, until it has at most kLongestResult
//      bytes; the whole one is then a report, to be read as a resource.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "support/child_process.h"

namespace heddle::mcp {

inline constexpr std::size_t kLongestResult = std::size_t{16} << 10;

struct Answer {
  nlohmann::json structured;
  bool is_error = false;
  std::string whole;  ///< heddle's JSON as it was printed, where something was left out; else empty
};

/// `limits` are those that the child ran with, `patch` the text of kernel.patch.
Answer answer_of(const ChildResult& child, const ChildLimits& limits,
                 const std::optional<std::string>& patch);

/// The same for a call that could not be made.
Answer refused(const std::string& message, const std::string& hint);

/// As `tools/call` returns it: structured, and as text. `report`: the address of the whole one.
nlohmann::json call_result(Answer answer, const std::string& report);

}  // namespace heddle::mcp
