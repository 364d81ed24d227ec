// Compiles emitted C++, HIP, CUDA and OpenCL with the host's compiler, around tests/emit/driver.c.
//
// A kernel's statements become a function in which blockIdx, gridDim, get_group_id and
// get_num_groups mean what they mean on a GPU. Signed overflow and division by zero trap.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "subject.h"

namespace heddle::emit_tests {

/// What the kernel around the emitted code offers besides its launch.
struct Surroundings {
  emit::Dialect dialect = emit::Dialect::cpp;
  bool int_functions = true;  ///< min, max of int alone; else of any type
  std::string before;         ///< more declarations
};

inline std::string kernel_names(const Subject& subject) {
  std::string text;
  const auto& names = subject.program.names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string number = std::to_string(i);
    text +=
        "  const long long heddle_wide_" + number + " = heddle_request->names[" + number + "];\n";
    const bool wide = subject.proven.bindings().wide_names().count(names[i]) > 0;
    text += std::string("  const ") + (wide ? "long long " : "int ") + names[i] + " = (" +
            (wide ? "long long" : "int") + ")heddle_wide_" + number + ";\n  (void)" + names[i] +
            ";\n";
  }
  return text;
}

inline std::string tile_call(const Subject& subject, std::size_t given) {
  const order::Shape& shape = subject.shape();
  return "tile_at(heddle_request, heddle_index, " + std::to_string(given) + ", " +
         std::to_string(shape.tile_axes) + ", " + (shape.own_tiles ? "1" : "0") + ")";
}

/// Plain C++: the emitted function, and a call of it.
inline std::string cpp_unit(const Subject& subject, std::size_t number) {
  std::istringstream lines(subject.emit(emit::Dialect::cpp));
  std::string body;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("#include", 0) != 0) body += line + "\n";
  }
  const order::Shape& shape = subject.shape();
  std::string arguments;
  const auto argument = [&](const std::string& text) {
    arguments += (arguments.empty() ? "" : ", ") + text;
  };
  for (int axis = 0; axis < shape.launch_axes; ++axis)
    argument(std::string("int(blockIdx.") + "xyz"[axis] + ")");
  for (int axis = 0; axis < shape.launch_axes; ++axis)
    argument("heddle_request->g[" + std::to_string(axis) + "]");
  for (int axis = 0; shape.own_tiles && axis < shape.tile_axes; ++axis) {
    argument("heddle_request->t[" + std::to_string(axis) + "]");
  }
  for (const std::string& name : subject.program.names) argument(name);
  const std::string given = std::to_string(subject.program.results.size());
  return "namespace order_" + std::to_string(number) + " {\n" + body +
         "static long long tile(const Request* heddle_request) {\n" + kernel_names(subject) +
         "  const auto heddle_result = heddle_order(" + arguments + ");\n" +
         "  long long heddle_index[3] = {-1, -1, -1};\n" + "  for (int k = 0; k < " + given +
         "; ++k) heddle_index[k] = heddle_result[static_cast<std::size_t>(k)];\n" + "  return " +
         tile_call(subject, subject.program.results.size()) + ";\n}\n}\n";
}

/// A kernel's statements: `return` leaves the index at -1.
inline std::string kernel_unit(const Subject& subject, std::size_t number, emit::Dialect dialect) {
  const std::string name = "order_" + std::to_string(number);
  const auto results = emit::emitted_results(subject.proven);
  std::string text = "static inline void " + name +
                     "_kernel(const struct Request* heddle_request, " +
                     "long long* heddle_index, int rows, int cols, int slices) {\n" +
                     "  (void)heddle_request, (void)rows, (void)cols, (void)slices;\n" +
                     kernel_names(subject) + subject.emit(dialect);
  for (std::size_t i = 0; i < results.size(); ++i) {
    text += "  heddle_index[" + std::to_string(i) + "] = (long long)" + results[i] + ";\n";
  }
  const int axes = subject.shape().tile_axes;
  const auto extent = [&](int from_end) {
    return axes < from_end ? std::string("0")
                           : "heddle_request->t[" + std::to_string(axes - from_end) + "]";
  };
  return text + "}\nstatic long long " + name + "_tile(const struct Request* heddle_request) {\n" +
         "  long long heddle_index[3] = {-1, -1, -1};\n" + "  " + name +
         "_kernel(heddle_request, heddle_index, " + extent(2) + ", " + extent(1) + ", " +
         extent(3) + ");\n  return " + tile_call(subject, results.size()) + ";\n}\n";
}

inline std::string prelude(const Surroundings& around) {
  switch (around.dialect) {
    case emit::Dialect::cpp:
      return "#include <algorithm>\n#include <array>\n#include <cstdlib>\n";
    case emit::Dialect::opencl: {
      const std::string functions =
          around.int_functions ? "static inline int min(int a, int b) { return a < b ? a : b; }\n"
                                 "static inline int max(int a, int b) { return a > b ? a : b; }\n"
                               : "#define min(a, b) ((a) < (b) ? (a) : (b))\n#define max(a, b) "
                                 "((a) > (b) ? (a) : (b))\n";
      // OpenCL's abs gives an unsigned number.
      return "typedef unsigned int uint;\ntypedef unsigned long ulong;\n" + functions +
             "static inline uint opencl_abs(int a) { return a < 0 ? 0u - (uint)a : (uint)a; "
             "}\n#define abs opencl_abs\n";
    }
    default:
      return around.int_functions
                 ? "static inline int min(int a, int b) { return a < b ? a : b; }\n"
                   "static inline int max(int a, int b) { return a > b ? a : b; }\n"
                 : "#include <algorithm>\nusing std::min;\nusing std::max;\n";
  }
}

/// The command that runs the emitted code of all subjects; empty (and a failure) where it does
/// not compile. Files are named after `stem`.
inline std::string build_program(const std::vector<Subject>& subjects, const Surroundings& around,
                                 const std::string& stem) {
  const bool is_cpp = around.dialect == emit::Dialect::cpp;
  const bool is_c = around.dialect == emit::Dialect::opencl;
  std::string text = prelude(around) + around.before;
  std::string table = "static Tile* const kOrders[] = {";
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    text += is_cpp ? cpp_unit(subjects[i], i) : kernel_unit(subjects[i], i, around.dialect);
    table += (i > 0 ? ", " : "") + ("order_" + std::to_string(i)) + (is_cpp ? "::tile" : "_tile");
  }
  write_file(stem + ".table", text + table + "};\n");
  const std::string compiler = HEDDLE_CXX_COMPILER;
  const std::string command =
      "'" + compiler + "' " + (is_c ? "-x c -std=c99" : "-x c++ -std=c++20") +
      " -O1 -Wall -Wextra -Werror -fsanitize=signed-integer-overflow,integer-divide-by-zero"
      " -fsanitize-undefined-trap-on-error -DHEDDLE_TABLE='\"" +
      stem + ".table\"' -o '" + stem + ".program' '" HEDDLE_TESTS_DIR "/emit/driver.c'";
  return output_of(command, stem + ".compile") ? "'" + stem + ".program'" : "";
}

}  // namespace heddle::emit_tests
