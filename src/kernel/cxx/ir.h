// LLVM's intermediate representation as text, read as far as it says what touches memory.
//
//   %3 = load float, ptr %p, align 4, !dbg !7
//     -> result "%3", opcode "load", text "float, ptr %p, align 4, !dbg !7", location 7
//
// Rules
//   1. What Clang 19 prints is read; nothing is resolved or checked.
//   2. Views point into the text that was read, which must outlive the module.
//   3. A place is that of the nearest inlined call that stands in the main file.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/error.h"

namespace heddle::kernel::cxx {

struct IrInstruction {
  std::string_view result;  ///< "%3", or empty
  std::string_view opcode;  ///< "load"; "call" also for tail calls
  std::string_view text;    ///< behind the opcode, to the end of the line
  int location = -1;        ///< number of its !dbg node
};

struct IrBlock {
  std::string_view label;
  std::vector<IrInstruction> instructions;
  std::vector<std::string_view> successors;  ///< labels
};

struct IrFunction {
  std::string name;
  std::string_view head;  ///< the line that declares or defines it
  std::vector<IrBlock> blocks;
};

/// Where an instruction comes from.
struct IrPlace {
  Position position;      ///< in the main file; line 0: in none of its lines
  std::string elsewhere;  ///< "common.h:12", where it is in another file
};

class IrModule {
 public:
  explicit IrModule(std::string_view text);

  std::vector<IrFunction> functions;                     ///< that are defined
  std::map<std::string, std::string_view> declarations;  ///< the whole line
  std::map<std::string, std::string_view> globals;       ///< behind "@name = "
  std::vector<std::string_view> assembly;                ///< of `module asm` lines
  /// The text of the attribute group that a line names last, "#7"; empty if it names none.
  std::string_view attributes_of(std::string_view line) const;
  IrPlace place(const IrFunction& function, const IrInstruction& instruction,
                const std::string& main_file) const;

 private:
  void read_line(std::string_view line);
  void read_body_line(std::string_view line);
  std::string_view node(int number) const;
  std::string file_of(int scope) const;

  std::map<int, std::string_view> attributes_;
  std::map<int, std::string_view> nodes_;  ///< of metadata
  bool in_function_ = false;
};

/// A call taken apart: callee "@frexpf" or "%fp", empty where it is an expression.
struct IrCall {
  std::string_view callee;
  bool is_assembly = false;
  std::string_view assembly;  ///< the text in quotes
  std::vector<std::string_view> arguments;
};
IrCall read_call(std::string_view text);

/// Parts of a list between the commas that stand outside brackets and quotes; trimmed.
std::vector<std::string_view> split_operands(std::string_view text);

/// The name behind an @ or a % at the start of the text, without quotes: "@f(i32 1)" gives "f".
std::string_view ir_name(std::string_view text);

/// Bytes that a value of a type takes in memory: 4 for "float", 32 for "<8 x float>"; 0 where the
/// type is something else.
int ir_type_bytes(std::string_view type);

}  // namespace heddle::kernel::cxx
