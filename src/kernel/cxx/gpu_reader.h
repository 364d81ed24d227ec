// The instructions of one statement of assembly, one after the other; see gpu_instructions.h.
//
//   GpuReader reader(statement);
//   GpuCode code = reader.run();
//
// Rules
//   1. A function gives one statement of C++, kNothing for what has nothing to do, or an empty text
//      for what is not known.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/cxx/gpu_instructions.h"

namespace heddle::kernel::cxx {

using Words = std::vector<std::string>;

/// C++ of a type's name: "f32" -> "float"; empty where it is none.
std::string gpu_type(std::string_view name);

/// An instruction taken apart.
struct GpuInstruction {
  std::string predicate;  ///< C++; empty: always
  std::string name;       ///< "ld.global.f32"
  Words words;            ///< "ld", "global", "f32"
  Words operands;
  bool has(std::string_view word) const {
    return std::find(words.begin(), words.end(), word) != words.end();
  }
  std::string type() const {
    for (auto word = words.rbegin(); word != words.rend(); ++word)
      if (std::string found = gpu_type(*word); !found.empty()) return found;
    return {};
  }
  std::size_t types() const {
    return static_cast<std::size_t>(std::count_if(
        words.begin(), words.end(), [](const std::string& one) { return !gpu_type(one).empty(); }));
  }
};

class GpuReader {
 public:
  explicit GpuReader(const AssemblyStatement& statement) : statement_(statement) {}

  GpuCode run();

 private:
  static constexpr std::string_view kNothing = "-";

  Words lines() const;
  GpuCode unknown(std::string_view line, bool is_gpus) const;
  bool declaration(const std::string& line);
  bool take_apart(std::string_view line, GpuInstruction& one);
  std::string operand(std::string_view text);
  std::string address(std::string_view text, bool in_shared);
  std::optional<Words> list(std::string_view text);
  std::string variables() const;

  std::string translated(const GpuInstruction& one);
  std::string amd(const GpuInstruction& one);
  std::string memory(const GpuInstruction& one);
  std::string matrices(const GpuInstruction& one);
  std::string asynchronous(const GpuInstruction& one);

  // gpu_operations.cpp
  std::string atomic(const GpuInstruction& one);
  std::string waves(const GpuInstruction& one);
  std::string move(const GpuInstruction& one);
  std::string conversion(const GpuInstruction& one);
  std::string arithmetic(const GpuInstruction& one);
  std::string vector(const GpuInstruction& one);

  const AssemblyStatement& statement_;
  std::map<std::string, std::string> registers_;  ///< and their types
  std::set<std::string> used_;
};

}  // namespace heddle::kernel::cxx
