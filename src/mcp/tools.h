// The tools that a client can call: verbs of heddle, with their arguments.
//
// Rules
//   1. A tool is a command line of heddle with --json. It runs in a process of its own (server.h).
//   2. No tool changes anything but the folder that `output` of optimize names.
//   3. To add one: an entry in tools.cpp, a row in docs/mcp.md, a call in tests/mcp/run.py.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mcp/arguments.h"

namespace heddle::mcp {

struct Tool {
  std::string name;
  std::string title;
  std::string description;
  std::vector<std::string> words;  ///< the command line begins with these
  std::vector<Argument> arguments;
  /// Exactly one of these has to be given; may be empty.
  std::vector<std::string> one_of = {};
  bool writes = false;  ///< with `output`
};

const std::vector<Tool>& tools();
/// Null where there is none of that name.
const Tool* find_tool(const std::string& name);

/// As `tools/list` has it.
nlohmann::json tool_json(const Tool& tool);

/// Throws Error; OutsideRoots for a path.
Command command_of(const Tool& tool, const nlohmann::json& given, const Roots& roots);

}  // namespace heddle::mcp
