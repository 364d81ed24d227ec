#include "optimize/request.h"

#include <memory>

#include "config/gpu.h"
#include "config/launch_limits.h"
#include "kernel/source.h"
#include "tiles/find.h"
#include "tiles/launch.h"

namespace heddle::optimize {

search::Subject read_subject(const OptimizeRequest& request) {
  const search::Clock::time_point since = search::Clock::now();
  search::Pace(request, since).show("reading the kernel");
  config::Gpu gpu = config::read_gpu(request.gpu);
  const auto kernel = std::make_shared<const kernel::LoadedKernel>(
      kernel::load_kernel(request.job_path, request.overrides, config::target_of(gpu)));
  config::check_limits(kernel->launch, gpu, request.job_path);
  tiles::TileLaunch launch = tiles::unlifted(kernel);
  if (tiles::is_looked_at(kernel->launch))
    launch = tiles::tile_launch(
        kernel, tiles::find_tile_space(request.job_path, request.overrides, *kernel));
  search::Subject subject = search::subject_of(request.job_path, std::move(launch), kernel,
                                               std::move(gpu), request.gpu, since);
  if (subject.launch.is_lifted)
    subject.settings = tiles::knob_settings(subject.launch, request.job_path, request.overrides,
                                            subject.gpu.compute.dies);
  return subject;
}

}  // namespace heddle::optimize
