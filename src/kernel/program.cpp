#include "kernel/program.h"

#include "kernel/index_probe.h"
#include "kernel/tile_program.h"

namespace heddle::kernel {
namespace {

const Body& body_of(const KernelProgram& program) {
  static const TileProgram none;
  const Body* body = Body::of(program).get();
  return body != nullptr ? *body : none;
}

}  // namespace

std::string compiler_target(const config::Gpu& gpu) {
  if (gpu.vendor == config::Vendor::amd) return gpu.target;
  return gpu.target == "sm_80" ? "sm_80" : "sm_90";  // Clang 19 knows none beyond
}

KernelTraits KernelProgram::traits() const {
  return body_of(*this).traits();
}

std::vector<AtomicUse> KernelProgram::atomics() const {
  return body_of(*this).atomics(*this);
}

std::vector<std::uint8_t> KernelProgram::awaited() const {
  return body_of(*this).awaited(*this);
}

std::vector<PassedArgument> KernelProgram::passed(const config::Launch& launch) const {
  return body_of(*this).passed(*this, launch);
}

Needs KernelProgram::needs(const config::Launch& launch, const config::Gpu& gpu) const {
  return body_of(*this).needs(*this, launch, gpu);
}

Work KernelProgram::work(const config::Launch& launch, const config::Gpu& gpu,
                         const std::vector<int>& widths) const {
  return body_of(*this).work(*this, launch, gpu, widths);
}

int KernelProgram::load_depth(const config::Launch& launch, const config::Gpu& gpu) const {
  return body_of(*this).load_depth(launch, gpu);
}

std::shared_ptr<const TargetFacts> KernelProgram::facts(const std::string& target) const {
  return body_of(*this).facts(*this, target);
}

std::shared_ptr<const TargetFacts> KernelProgram::facts(const config::Gpu& gpu) const {
  return facts(compiler_target(gpu));
}

IndexProbe KernelProgram::probe_index(const config::Launch& launch, bool all_blocks) const {
  return body_of(*this).probe_index(*this, launch, all_blocks);
}

IndexProbe Body::probe_index(const KernelProgram& /*program*/, const config::Launch& /*launch*/,
                             bool /*all_blocks*/) const {
  IndexProbe probe;
  probe.reason = "the index of such a kernel is not read";
  return probe;
}

KernelProgram remove_unneeded(const KernelProgram& program, Keep keep) {
  return body_of(program).reduced(program, keep);
}

}  // namespace heddle::kernel
