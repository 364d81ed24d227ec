#include "pipeline.h"

#include "config/job.h"
#include "kernel/triton/compile.h"

namespace heddle {

LoadedKernel load_kernel(const std::string& job_path, const std::vector<std::string>& overrides) {
  namespace triton = kernel::triton;
  const config::Job job = config::read_job(job_path, overrides);
  triton::TritonSource source(job.kernel_path);
  const auto picked = triton::picked_config(source, job.function, job.config);
  config::Arguments arguments = config::resolve_arguments(job, picked);
  const auto heuristics = triton::heuristics(source, job.function, arguments);
  LoadedKernel loaded;
  loaded.launch = config::make_launch(job, std::move(arguments), heuristics);
  loaded.program = triton::compile(source, loaded.launch);
  return loaded;
}

}  // namespace heddle
