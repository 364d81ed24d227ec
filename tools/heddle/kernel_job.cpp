#include "kernel_job.h"

#include <fmt/format.h>

#include <filesystem>

#include "config/gpu.h"
#include "config/kept_job.h"
#include "kernel/source.h"
#include "notes.h"
#include "support/file.h"

namespace heddle::tool {
namespace {

namespace fs = std::filesystem;

void say_assumptions(const config::JobDraft& draft, const std::string& path) {
  note("no job is given: one was inferred for {} from {}", config::one_line(draft.function),
       draft.launch.empty() ? "the kernel alone, since no launch of it was found"
                            : "its launch at " + config::one_line(draft.launch));
  for (const std::string& line : config::assumptions(draft)) print_note("  " + line + "\n");
  print_note(fmt::format(
      "  change a value with --set NAME=VALUE, or write the job: heddle new-job {} -o job.toml\n",
      path));
}

/// The values that the user should give: guesses, by name.
std::string open_values(const config::JobDraft& draft) {
  std::string names;
  const auto add = [&](const std::string& name) { names += (names.empty() ? "" : ", ") + name; };
  for (const auto* list : {&draft.constexprs, &draft.scalars, &draft.sizes})
    for (const auto& [name, value] : *list)
      if (value.is_guess()) add(name);
  for (const config::DraftTensor& tensor : draft.tensors)
    if (tensor.dtype.is_guess() || tensor.shape_remark.starts_with("guess")) add(tensor.name);
  return names.empty() ? "its values" : names;
}

}  // namespace

std::string kernel_path_in_job(const std::string& kernel, const std::string& job_file) {
  if (job_file.empty()) return fs::path(kernel).filename().string();
  const fs::path folder = fs::absolute(job_file).parent_path();
  return fs::absolute(kernel)
      .lexically_normal()
      .lexically_relative(folder.lexically_normal())
      .string();
}

void KernelJob::add(Verb verb) {
  verb.add_option("--kernel", function, "the kernel to use, if JOB is a kernel file with several")
      .type_name("NAME");
}

infer::InferredJob keep_inferred_job(const std::string& path, const std::string& function,
                                     const std::vector<std::string>& overrides,
                                     const std::string& gpu) {
  infer::InferRequest request{path, function, {}, overrides};
  if (!gpu.empty()) request.target = config::target_of(config::read_gpu(gpu));
  auto inferred = infer::infer_job(request);
  if (!inferred)
    throw Error("heddle infers the launches of Triton kernels only",
                fmt::format("write a job: heddle new-job {} -o job.toml", path))
        .in(path);
  infer::InferredJob& job = *inferred;
  if (job.draft.launch.empty())
    throw Error(
        fmt::format("no launch of {} was found, in this file or around it",
                    config::one_line(job.draft.function)),
        fmt::format(
            "write a job and check it: heddle new-job {} -o job.toml; it has to give grid, {}",
            path, open_values(job.draft)))
        .in(path);
  if (!job.traces && overrides.empty())
    throw Error(
        fmt::format("a job for {} cannot be inferred whole: {}",
                    config::one_line(job.draft.function), config::one_line(job.problem)),
        fmt::format(
            "give what is guessed, with --set or in a job (heddle new-job {} -o job.toml): {}",
            path, open_values(job.draft)))
        .in(path);
  job.draft.kernel_path = kernel_path_in_job(path, {});
  config::keep_job(path, config::job_text(job.draft));
  return job;
}

void KernelJob::infer(const std::string& path, const std::vector<std::string>& overrides,
                      const std::string& gpu) {
  if (!kernel::is_kernel_path(path)) {
    if (function.empty()) return;
    throw Error("--kernel chooses a kernel of a file, but this is a job", "leave it out");
  }
  const infer::InferredJob job = keep_inferred_job(path, function, overrides, gpu);
  say_assumptions(job.draft, path);
  if (!job.problem.empty()) note("the job is not sound yet: {}", config::one_line(job.problem));
  path_ = path;
}

void KernelJob::keep(const std::string& folder) const {
  const auto text = config::kept_job(path_);
  if (path_.empty() || folder.empty() || !text) return;
  // The kernel's path, from the folder that the job goes to.
  const std::string file = folder + "/job.toml";
  std::string kept = *text;
  const std::string here = "\nkernel = " + config::toml_quoted(kernel_path_in_job(path_, {}));
  const std::size_t at = kept.find(here);
  if (at != std::string::npos)
    kept.replace(at, here.size(),
                 "\nkernel = " + config::toml_quoted(kernel_path_in_job(path_, file)));
  write_text(file, kept);
  note("the job is in {}", file);
}

}  // namespace heddle::tool
