// --json, --color and -o, for verbs that print one result.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "flags.h"
#include "report/style.h"
#include "results/verdict.h"
#include "support/error.h"

namespace heddle::tool {

struct OutputArguments {
  bool json = false;
  std::string color = "auto";
  std::string file;

  /// `has_page`: the result can be a page, -o FILE.html.
  void add(Verb verb, bool has_page = false);
  /// True for --json and for -o with a .json ending.
  bool wants_json() const;
  /// True for -o with an .html ending.
  bool wants_page() const { return file.ends_with(".html"); }
  /// Of standard output, or of the file of -o, which is as wide as all files.
  report::Style style() const;
  /// To standard output, or to the file of -o.
  void print(const std::string& text) const;
};

/// For --json. Source lines are quoted as they are; bytes that are no UTF-8 are replaced.
std::string json_text(const nlohmann::json& json);

/// {"version": 1, "error": {"message": ..., "hint": ..., "file": ..., "line": ..., "exit_code": 2}}.
std::string error_json(const Error& error);

ExitCode exit_code(Verdict verdict);

/// What was printed did not get where it goes to.
Error output_error();

}  // namespace heddle::tool
