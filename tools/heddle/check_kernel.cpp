#include "check_kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "audit/kernel_check.h"
#include "config/job.h"
#include "kernel/source.h"
#include "kernel_job.h"
#include "progress.h"
#include "report/kernel_check_report.h"
#include "support/apply_diff.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle::tool {
namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 24;

bool is_job(const std::string& path) {
  return path.ends_with(".toml");
}
bool is_diff(const std::string& path) {
  return path.ends_with(".diff") || path.ends_with(".patch");
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// A file with code that writes memory: an order has none.
bool is_kernel_text(const std::string& text) {
  const bool is_triton = has(text, "jit") && (has(text, "store(") || has(text, "atomic_"));
  return is_triton || has(text, "__global__") || has(text, "heddle: begin order");
}

bool is_kernel_file(const std::string& path) {
  std::error_code status;
  return kernel::is_kernel_path(path) && std::filesystem::is_regular_file(path, status) &&
         is_kernel_text(read_text(path, kLargestFile));
}

}  // namespace

void CheckedKernel::add(Verb verb) {
  verb.add_option("--job", job, "for a kernel or a diff: the job that launches it")
      .type_name("JOB.toml");
  verb.add_option("--patch", patch, "for a job or a kernel: check it after this unified diff")
      .type_name("FILE.diff");
  verb.add_option("--kernel,--function", function,
                  "for a file with several kernels: the one to check")
      .type_name("NAME");
  verb.add_option("--set", overrides, "for a job: override a size, scalar or constexpr")
      .type_name("NAME=VALUE")
      .allow_extra_args(false);
  verb.add_flag("--launch-only", launch_only, "for a job: check its own sizes only");
}

bool is_kernel_check(const std::string& order, const CheckedKernel& arguments) {
  if (!arguments.job.empty() || !arguments.patch.empty() || !arguments.function.empty() ||
      !arguments.overrides.empty() || arguments.launch_only)
    return true;
  return is_job(order) || is_diff(order) || is_kernel_file(order);
}

std::string index_text(const std::string& order, const CheckedKernel& arguments) {
  const auto source = kernel::Source::open(order);
  const std::string function = source->find(arguments.function).name;
  const kernel::IndexLines lines = source->index_lines(function);
  if (!lines)
    throw Error(fmt::format("the index lines of {} are not found: {}", function, lines.reason),
                "mark them with comments: 'heddle: begin order', 'heddle: end order'")
        .in(order);
  return lines.text;
}

ExitCode run_kernel_check(const OrderArguments& order, const CheckedKernel& arguments,
                          const OutputArguments& output) {
  audit::KernelCheckRequest request;
  request.function = arguments.function;
  request.overrides = arguments.overrides;
  for (const std::string& let : order.lets)
    for (const std::string_view part : split_outside_brackets(let, ','))
      request.lets.emplace_back(part);
  request.results = order.read_options().results;
  request.launch_only = arguments.launch_only;
  request.job_path = is_job(order.order) ? order.order : arguments.job;
  std::string diff = arguments.patch;
  if (is_diff(order.order))
    diff = order.order;
  else if (!is_job(order.order))
    request.kernel_path = order.order;
  if (request.job_path.empty() && request.kernel_path.empty())
    throw Error("a diff alone does not say which kernel it changes", "add --job JOB.toml");
  const bool about_job = !request.overrides.empty() || request.launch_only;
  if (request.job_path.empty() && diff.empty() && about_job) {
    KernelJob inferred;
    inferred.function = arguments.function;
    inferred.infer(request.kernel_path, request.overrides, {});
    request.job_path = std::move(request.kernel_path);
    request.kernel_path.clear();
  }
  if (request.job_path.empty() && about_job)
    throw Error("--set and --launch-only are about a job, and there is none", "add --job JOB.toml");
  if (!diff.empty()) {
    const std::string path = request.kernel_path.empty()
                                 ? config::read_job(request.job_path, request.overrides).kernel_path
                                 : request.kernel_path;
    try {
      const std::string text = read_text(diff, kLargestFile);
      request.text = apply_diff(read_text(path, kLargestFile), text, path);
      if (const auto others = other_files(text, path); !others.empty())
        throw Error(fmt::format("the diff also changes {}, which the kernel may need",
                                fmt::join(others, ", ")),
                    "apply it, and check the kernel's file");
    } catch (const Error& error) {
      throw error.source().empty() ? error.in(display_name(diff)) : error;
    }
  }
  const KernelCheck check = with_progress("checking", [&] { return audit::check_kernel(request); });
  output.print(output.wants_json() ? json_text(report::kernel_check_json(check))
                                   : report::kernel_check_text(check, output.style()));
  return exit_code(check.verdict());
}

}  // namespace heddle::tool
