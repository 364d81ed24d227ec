// heddle new-job: a job file to start from.
#include <filesystem>
#include <memory>

#include "config/skeleton.h"
#include "infer/infer.h"
#include "kernel/source.h"
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

ExitCode run_new_job(const NewJobArguments& arguments) {
  OutputArguments output;
  output.file = arguments.file;
  if (arguments.kernel.ends_with(".py")) {
    infer::InferredJob job = infer::infer_job({arguments.kernel, arguments.function});
    job.draft.kernel_path = path_in_job(arguments);
    output.print(config::job_text(job.draft));
    return ExitCode::good;
  }
  config::SkeletonInput input =
      kernel::Source::open(arguments.kernel)->signature(arguments.function);
  input.kernel_path = path_in_job(arguments);
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
