// What the tests of the reader share: a kernel from a text, a launch from a few words, the program
// as text, and the error of a kernel that cannot be read.
//
//   Words of a launch:   "x: fp16[64, 32]"   a tensor      "x: fp16[64, 32]{8, 16}"  ... descriptor
//                        "n = 100"           a scalar      "B := 64"                 a constexpr
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "config/expression.h"
#include "config/job.h"
#include "config/launch.h"
#include "kernel/tile_program.h"
#include "kernel/triton/compile.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::testing {

using kernel::Instruction;
using kernel::Keep;
using kernel::KernelProgram;
using kernel::Opcode;
using kernel::Site;
using Words = std::vector<std::string>;
using Integers = std::vector<std::int64_t>;
using ::testing::HasSubstr;

/// A folder of this test's own.
inline std::string work_folder() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(test->test_suite_name()) + "_" + test->name();
  for (char& letter : name)
    if (letter == '/') letter = '_';
  const std::string folder = std::string(HEDDLE_WORK_DIR) + "/kernel_tests/" + name;
  std::filesystem::create_directories(folder);
  return folder;
}

inline std::string write_file(const std::string& name, const std::string& text) {
  const std::string path = work_folder() + "/" + name;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

inline const std::string kImports = "import triton\nimport triton.language as tl\n";

/// Python's words for the value of an argument: 5, -1.5, True, None, 'relu', tl.float16, [1, 2].
inline config::Value value_from(const std::string& text) {
  class NoNames : public config::Names {
   public:
    std::optional<config::Value> find(const std::string&) override { return std::nullopt; }
    std::vector<std::string> all() const override { return {}; }
    Integers shape(config::TensorReference) override { return {}; }
    Integers strides(config::TensorReference) override { return {}; }
    std::int64_t element_bytes(config::TensorReference) override { return 0; }
    std::int64_t csr_nonzeros(std::int64_t, std::int64_t, double, std::uint64_t) override {
      return 0;
    }
  } names;
  if (text.rfind("tl.", 0) == 0) return config::Value{text};
  return config::evaluate(config::parse_expression(text), names);
}

inline Integers numbers_between(const std::string& text, char open, char close) {
  Integers result;
  const std::size_t from = text.find(open);
  const std::size_t to = text.find(close);
  if (from == std::string::npos || to == std::string::npos) return result;
  const std::string inside = text.substr(from + 1, to - from - 1);
  for (const std::string_view part : split(inside, ','))
    if (const auto number = parse_integer(trim(part))) result.push_back(*number);
  return result;
}

inline config::Tensor tensor_from(const std::string& name, const std::string& text) {
  config::Tensor tensor;
  tensor.name = name;
  tensor.dtype = *config::dtype_from_text(trim(text.substr(0, text.find('['))));
  tensor.shape = numbers_between(text, '[', ']');
  tensor.block = numbers_between(text, '{', '}');
  std::int64_t stride = 1;
  for (std::size_t k = tensor.shape.size(); k-- > 0;) {
    tensor.strides.insert(tensor.strides.begin(), stride);
    stride *= tensor.shape[k];
  }
  tensor.bytes = stride * config::byte_width(tensor.dtype);
  return tensor;
}

/// The first byte of the n-th tensor of a test.
inline std::int64_t base_of(std::size_t tensor) {
  return static_cast<std::int64_t>(tensor + 1) << 32;
}

inline config::Launch launch_of(const Words& words, const std::string& function = "") {
  config::Launch launch;
  launch.function = function;
  launch.grid = Grid({4, 3, 2});
  for (const std::string& word : words) {
    config::Argument argument;
    const std::size_t at = word.find_first_of(":=");
    const bool is_constexpr = word.compare(at, 2, ":=") == 0;
    argument.name = trim(word.substr(0, at));
    const std::string rest(trim(word.substr(at + (is_constexpr ? 2 : 1))));
    if (word[at] == ':' && !is_constexpr) {
      argument.value.data = config::TensorReference{launch.tensors.size()};
      launch.tensors.push_back(tensor_from(argument.name, rest));
      launch.tensors.back().address =
          static_cast<std::uint64_t>(base_of(launch.tensors.size() - 1));
    } else {
      argument.value = value_from(rest);
      argument.is_constexpr = is_constexpr;
    }
    launch.arguments.push_back(std::move(argument));
  }
  return launch;
}

inline KernelProgram program_of_file(const std::string& path, const Words& words,
                                     const std::string& function = "") {
  kernel::triton::TritonSource source(path);
  return kernel::triton::compile(source, launch_of(words, function));
}

/// Compiles a file text (with the usual imports in front).
inline KernelProgram program_of(const std::string& text, const Words& words = {},
                                const std::string& function = "") {
  return program_of_file(write_file("k.py", kImports + text), words, function);
}

/// A kernel `def k(...)` with this body; its parameters are those of the words.
inline std::string kernel_text(const std::string& body, const Words& words,
                               const std::string& before = "") {
  std::string parameters;
  for (const std::string& word : words) {
    const std::size_t at = word.find_first_of(":=");
    parameters += std::string(trim(word.substr(0, at))) +
                  (word.compare(at, 2, ":=") == 0 ? ": tl.constexpr, " : ", ");
  }
  std::string text = before + "@triton.jit\ndef k(" + parameters + "):\n";
  for (const std::string_view line : split(body, '\n')) text += "    " + std::string(line) + "\n";
  return text;
}

inline KernelProgram body_program(const std::string& body, const Words& words,
                                  const std::string& before = "") {
  return program_of(kernel_text(body, words, before), words, "k");
}

/// program_text without line numbers and constants.
inline std::string code_text(const KernelProgram& program) {
  std::string result;
  const std::string text = kernel::program_text(program);
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view code = line.substr(0, line.find("  #"));
    if (!code.empty()) result += std::string(code) + "\n";
  }
  return result;
}

/// All instructions of one kind, in the order of the blocks.
inline std::vector<Instruction> found(const KernelProgram& program, Opcode op) {
  std::vector<Instruction> result;
  for (const kernel::Block& block : kernel::code_of(program).blocks)
    for (const Instruction& one : block.code)
      if (one.op == op) result.push_back(one);
  return result;
}

inline std::size_t count_of(const KernelProgram& program, Opcode op) {
  return found(program, op).size();
}

template <class Action>
Error thrown_by(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return Error("");
}

/// "k.py:4:9: what\n  try: hint", without the folder.
inline std::string error_text(const Error& error) {
  std::string text = error.full_text();
  const std::string folder = work_folder() + "/";
  for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder))
    text.erase(at, folder.size());
  return text;
}

inline std::string error_of(const std::string& text, const Words& words = {},
                            const std::string& function = "") {
  return error_text(thrown_by([&] { program_of(text, words, function); }));
}

inline std::string error_of_body(const std::string& body, const Words& words = {},
                                 const std::string& before = "") {
  return error_of(kernel_text(body, words, before), words, "k");
}

/// The types Triton gives expressions, as it calls them: "int32", "fp16[4]". Each is handed to a
/// line of assembly, which keeps it as it is.
inline std::vector<std::string> types_of(const std::vector<std::string>& expressions,
                                         const Words& words = {}) {
  std::string body;
  for (const std::string& expression : expressions)
    body += "tl.inline_asm_elementwise('', '', [" + expression + "], tl.int32, True, 1)\n";
  const KernelProgram program = body_program(body + "pass", words);
  std::vector<std::string> result;
  for (const Instruction& one : found(program, Opcode::unknown))
    result.push_back(
        kernel::code_of(program).values[static_cast<std::size_t>(one.operands.at(0))].text());
  return result;
}

}  // namespace heddle::testing
