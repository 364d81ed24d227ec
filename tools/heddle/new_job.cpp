// heddle new-job: a job file to start from.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "config/skeleton.h"
#include "infer/infer.h"
#include "infer/skeleton.h"
#include "kernel/source.h"
#include "kernel_job.h"
#include "notes.h"
#include "output.h"
#include "report/json_values.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kNewJobExamples = R"text(
Examples:
  heddle new-job kernel.py -o kernel.toml
  heddle new-job attention.py --kernel attention_fwd
  heddle new-job gemm.hip -o gemm.toml
new-job infers the launch, shapes and values of a Triton kernel from the code around it, without running
it; check the values marked 'guess'. It tries the job of a C++ kernel on some blocks, and repairs it.)text";

struct NewJobArguments {
  std::string kernel;
  std::string function;
  std::string file;
  bool json = false;
};

std::string path_of(const NewJobArguments& arguments) {
  return arguments.file.empty() ? arguments.kernel
                                : kernel_path_in_job(arguments.kernel, arguments.file);
}

/// The names of what should be looked at.
std::vector<std::string> guesses(const config::JobDraft& draft) {
  std::vector<std::string> names;
  for (const config::DraftValues* values : {&draft.sizes, &draft.scalars, &draft.constexprs})
    for (const auto& [name, value] : *values)
      if (value.is_guess()) names.push_back(name);
  return names;
}

void print_job(const NewJobArguments& arguments, const std::string& text,
               const std::string& problem, const nlohmann::json& guessed) {
  constexpr int kNewJobVersion = 1;
  OutputArguments output;
  output.file = arguments.file;
  if (!arguments.json || !arguments.file.empty()) output.print(text);
  output.file.clear();
  if (!arguments.json) return;
  output.print(json_text({{"version", kNewJobVersion},
                          {"kernel", arguments.kernel},
                          {"file", report::text_or_null(arguments.file)},
                          {"problem", report::text_or_null(problem)},
                          {"guesses", guessed},
                          {"job", text}}));
}

ExitCode run_new_job(const NewJobArguments& arguments) {
  if (auto job = infer::infer_job({arguments.kernel, arguments.function, {}})) {
    if (!job->problem.empty()) note("the job is not sound yet: {}", config::one_line(job->problem));
    job->draft.kernel_path = path_of(arguments);
    print_job(arguments, config::job_text(job->draft), job->problem, guesses(job->draft));
    return ExitCode::good;
  }
  auto tried = infer::try_skeleton(*kernel::Source::open(arguments.kernel), arguments.function);
  if (!tried.problem.empty()) note("the job is not sound yet: {}", config::one_line(tried.problem));
  tried.input.kernel_path = path_of(arguments);
  print_job(arguments, config::job_skeleton(tried.input), tried.problem, nullptr);
  return ExitCode::good;
}

}  // namespace

void add_new_job(Program& program, Outcome& outcome) {
  Verb verb = program.add_verb("new-job", "write a first job file for a kernel");
  const auto arguments = std::make_shared<NewJobArguments>();
  verb.add_option("KERNEL", arguments->kernel, "the file with the kernel: .py, .hip, .cu, .cpp")
      .required();
  verb.add_option("--kernel,--function", arguments->function, "the kernel, if the file has several")
      .type_name("NAME");
  verb.add_flag("--json", arguments->json, "print the job and its guessed values as JSON");
  verb.add_option("-o,--output", arguments->file, "write to a file").type_name("FILE");
  verb.footer(kNewJobExamples);
  verb.callback([arguments, &outcome] { outcome.code = run_new_job(*arguments); });
}

}  // namespace heddle::tool
