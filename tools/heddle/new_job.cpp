// heddle new-job: a job file to start from.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "config/skeleton.h"
#include "kernel/cxx/source.h"
#include "kernel/cxx/value_type.h"
#include "kernel/triton/outline.h"
#include "output.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kNewJobExamples = R"text(
Examples:
  heddle new-job kernel.py -o kernel.toml
  heddle new-job attention.py --function attention_fwd
  heddle new-job gemm.hip -o gemm.toml
Then fill in sizes and shapes, and try: heddle trace kernel.toml)text";

struct NewJobArguments {
  std::string kernel;
  std::string function;
  std::string file;
};

/// The kernel's path as the job writes it: from the job's own folder.
std::string path_in_job(const NewJobArguments& arguments) {
  if (arguments.file.empty()) return arguments.kernel;
  namespace fs = std::filesystem;
  const fs::path folder = fs::absolute(arguments.file).parent_path();
  return fs::absolute(arguments.kernel)
      .lexically_normal()
      .lexically_relative(folder.lexically_normal())
      .string();
}

config::SkeletonInput triton_input(const NewJobArguments& arguments) {
  namespace triton = kernel::triton;
  triton::TritonSource source(arguments.kernel);
  const triton::Outline outline = triton::outline(source, arguments.function);
  config::SkeletonInput input;
  input.function = outline.function;
  input.configs = outline.configs;
  input.set = outline.set_by_kernel;
  for (const triton::OutlineParameter& parameter : outline.parameters) {
    config::SkeletonParameter entry;
    entry.name = parameter.name;
    entry.is_constexpr = parameter.is_constexpr;
    entry.default_text = parameter.default_text;
    entry.annotation = parameter.annotation;
    if (parameter.is_pointer) entry.guess = config::ParameterGuess::pointer;
    input.parameters.push_back(std::move(entry));
  }
  return input;
}

/// A parameter of a C++ kernel: its type says what it is.
config::SkeletonParameter cxx_parameter(const kernel::cxx::CxxParameter& parameter,
                                        const kernel::cxx::CxxFunction& function) {
  const kernel::cxx::ValueType type = kernel::cxx::value_type(parameter.type);
  const auto& types = function.template_parameters;
  const bool is_open = std::any_of(types.begin(), types.end(), [&](const std::string& one) {
    return one == "typename " + type.name || one == "class " + type.name;
  });
  config::SkeletonParameter entry;
  entry.name = parameter.name;
  entry.annotation = parameter.type;
  if (type.element) entry.dtype = config::dtype_text(*type.element);
  if (type.pointers == 0) {
    entry.is_strange = !is_open && (!type.element || type.elements > 1);
    const auto by_name = config::guess_parameter({parameter.name}, {});
    entry.guess =
        by_name == config::ParameterGuess::stride ? by_name : config::ParameterGuess::scalar;
    return entry;
  }
  entry.guess = config::ParameterGuess::pointer;
  if (type.pointers > 1) {
    entry.dtype = "int64";
    entry.remark = "pointers; add contents = \"addresses(...)\"";
  } else if (!type.element) {
    entry.dtype = type.name == "void" ? "uint8" : "fp32";
    entry.remark = "guess: " + type.name;
  } else if (type.elements > 1) {
    entry.remark = fmt::format("{}: the shape counts single numbers", type.name);
  }
  return entry;
}

config::SkeletonInput cxx_input(const NewJobArguments& arguments) {
  const kernel::cxx::CxxSource source(arguments.kernel);
  const kernel::cxx::CxxFunction& function = source.kernel(arguments.function);
  config::SkeletonInput input;
  input.is_cxx = true;
  input.function = function.scope + function.name;
  input.template_parameters = function.template_parameters;
  for (const kernel::cxx::CxxParameter& parameter : function.parameters)
    input.parameters.push_back(cxx_parameter(parameter, function));
  return input;
}

ExitCode run_new_job(const NewJobArguments& arguments) {
  config::SkeletonInput input =
      kernel::cxx::is_cxx_path(arguments.kernel) ? cxx_input(arguments) : triton_input(arguments);
  input.kernel_path = path_in_job(arguments);
  OutputArguments output;
  output.file = arguments.file;
  output.print(config::job_skeleton(input));
  return ExitCode::good;
}

}  // namespace

void add_new_job(Program& program, Outcome& outcome) {
  Verb verb = program.add_verb("new-job", "write a job file to start from, for a kernel");
  const auto arguments = std::make_shared<NewJobArguments>();
  verb.add_option("KERNEL", arguments->kernel, "the file with the kernel: .py, .hip, .cu, .cpp")
      .required();
  verb.add_option("--function", arguments->function, "which kernel, where the file has several")
      .type_name("NAME");
  verb.add_option("-o,--output", arguments->file, "write to a file").type_name("FILE");
  verb.footer(kNewJobExamples);
  verb.callback([arguments, &outcome] { outcome.code = run_new_job(*arguments); });
}

}  // namespace heddle::tool
