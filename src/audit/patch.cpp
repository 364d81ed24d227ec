#include "audit/patch.h"

#include <fmt/format.h>

#include "kernel/source.h"

namespace heddle::audit {

std::unique_ptr<PatchJudge> PatchJudge::open(const PatchRequest& request) {
  const kernel::Language& language = kernel::language_of(request.before);
  if (&language != &kernel::language_of(request.after))
    throw Error("the two kernels are of different languages",
                "give two Triton kernels, or two C++ kernels");
  return language.name() == "Triton" ? open_triton_patch(request) : open_cxx_patch(request);
}

config::Job original_job(const PatchRequest& request) {
  config::Job job = config::read_job(request.job_path, request.overrides);
  job.kernel_path = request.before;
  if (!request.function.empty()) job.function = request.function;
  return job;
}

config::Job changed_job(const PatchRequest& request, const config::Job& original) {
  config::Job job = request.after_job_path.empty()
                        ? original
                        : config::read_job(request.after_job_path, request.overrides);
  job.kernel_path = request.after;
  job.function = original.function;
  return job;
}

std::string reason_of_reading(const Error& error) {
  return error.position().line > 0
             ? fmt::format("line {}: {}", error.position().line, error.message())
             : error.message();
}

PatchAudit audit_launch(const PatchRequest& request) {
  return PatchJudge::open(request)->audit(request);
}

}  // namespace heddle::audit
