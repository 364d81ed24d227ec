// What compile_commands.json says about the compilation of one file.
//
//   {"file": "k.cu", "directory": "/p", "command": "nvcc -Iinclude -D'N=4' -UFAST -c k.cu"}
//     ->  folders include; defines N=4
//
// Rules
//   1. Only -I, -isystem, -iquote, -D and -U are taken, with their values behind them or joined to
//      them. Nothing else of a command reaches Clang: no plug-in, no response file, no output.
//   2. A command is split as a shell does it: quotes, backslashes; nothing is expanded.
//   3. A macro has a name of letters, digits and underscores, none of heddle's own; its text has no
//      control characters. Others are left out. -U takes a -D before it back.
//   4. Headers that a command includes by itself (-include) are listed as missing.
//   5. Several entries for a file that differ are ambiguous.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::kernel::cxx {

struct CompileCommand {
  bool is_found = false;
  bool is_ambiguous = false;
  std::vector<std::string> folders;   ///< whole paths, in the order of a compiler's search
  std::vector<std::string> defines;   ///< "N=4"
  std::vector<std::string> included;  ///< by -include

  bool operator==(const CompileCommand&) const = default;
};

/// `json` is the whole file's text; `file` is absolute.
CompileCommand command_for(const std::string& json, const std::string& file);

/// "N", "N=4" or "F(x)=x".
bool is_define(std::string_view text);

}  // namespace heddle::kernel::cxx
