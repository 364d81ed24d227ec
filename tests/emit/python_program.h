// Runs emitted Triton text as Python, in tests/emit/driver.py.
#pragma once

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "subject.h"

namespace heddle::emit_tests {

inline bool has_python() {
  static const bool found = std::system("python3 -c pass > /dev/null 2>&1") == 0;
  return found;
}

/// One Python function per order; the emitted text is its body.
inline std::string python_unit(const Subject& subject, std::size_t number) {
  std::string parameters = "rows, cols, slices";
  for (const std::string& name : subject.program.names) parameters += ", " + name;
  std::string text = "def order_" + std::to_string(number) + "(" + parameters + "):\n";
  std::istringstream lines(subject.emit(emit::Dialect::triton));
  for (std::string line; std::getline(lines, line);) text += "    " + line + "\n";
  std::string results;
  for (const std::string& name : emit::emitted_results(subject.proven)) results += name + ", ";
  return text + "    return (" + results + ")\n";
}

/// The command that runs the emitted text of all subjects. `typed`: with Triton's types.
inline std::string python_program(const std::vector<Subject>& subjects, bool typed,
                                  const std::string& stem,
                                  const std::set<std::string>& constexprs = {}) {
  const auto quoted = [](const auto& names) {
    std::string list = "[";
    for (const std::string& name : names) list += "'" + name + "', ";
    return list + "]";
  };
  std::string text;
  std::string table = "ORDERS = [\n";
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    text += python_unit(subjects[i], i);
    const order::Shape& shape = subjects[i].shape();
    table += "    (order_" + std::to_string(i) + ", " + std::to_string(shape.tile_axes) + ", " +
             (shape.own_tiles ? "True" : "False") + ", " + quoted(subjects[i].program.names) +
             ", " + quoted(constexprs) + "),\n";
  }
  write_file(stem + ".orders.py", text + table + "]\n");
  return "python3 '" HEDDLE_TESTS_DIR "/emit/driver.py' '" + stem + ".orders.py' " +
         (typed ? "typed" : "plain");
}

}  // namespace heddle::emit_tests
