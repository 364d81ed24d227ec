// heddle new-job: a job file to start from.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "config/skeleton.h"
#include "kernel/triton/outline.h"
#include "output.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kExamples = R"text(
Examples:
  heddle new-job kernel.py -o kernel.toml
  heddle new-job attention.py --function attention_fwd
Then fill in sizes and shapes, and try: heddle trace kernel.toml)text";

struct Arguments {
  std::string kernel;
  std::string function;
  std::string file;
};

/// The kernel's path as the job writes it: from the job's own folder.
std::string path_in_job(const Arguments& arguments) {
  if (arguments.file.empty()) return arguments.kernel;
  namespace fs = std::filesystem;
  const fs::path folder = fs::absolute(arguments.file).parent_path();
  return fs::absolute(arguments.kernel)
      .lexically_normal()
      .lexically_relative(folder.lexically_normal())
      .string();
}

ExitCode run(const Arguments& arguments) {
  namespace triton = kernel::triton;
  triton::TritonSource source(arguments.kernel);
  const triton::Outline outline = triton::outline(source, arguments.function);
  config::SkeletonInput input;
  input.kernel_path = path_in_job(arguments);
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
  OutputArguments output;
  output.file = arguments.file;
  output.print(config::job_skeleton(input));
  return ExitCode::good;
}

}  // namespace

void add_new_job(CLI::App& app, Outcome& outcome) {
  CLI::App* verb =
      app.add_subcommand("new-job", "write a job file to start from, for a Triton kernel");
  const auto arguments = std::make_shared<Arguments>();
  verb->add_option("KERNEL", arguments->kernel, "the Python file with the kernel")->required();
  verb->add_option("--function", arguments->function, "which kernel, where the file has several")
      ->type_name("NAME");
  verb->add_option("-o,--output", arguments->file, "write to a file")->type_name("FILE");
  verb->footer(kExamples);
  verb->callback([arguments, &outcome] { outcome.code = run(*arguments); });
}

}  // namespace heddle::tool
