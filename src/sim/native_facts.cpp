#include "sim/native_facts.h"

#include "kernel/cxx/compile.h"

namespace heddle::sim {

std::string compiler_target(const config::Gpu& gpu) {
  if (gpu.vendor == config::Vendor::amd) return gpu.target;
  return gpu.target == "sm_80" ? "sm_80" : "sm_90";  // Clang 19 knows none beyond
}

std::shared_ptr<const kernel::TargetFacts> native_facts(const kernel::KernelProgram& program,
                                                        const config::Gpu& gpu) {
  if (!program.native) return nullptr;
  return kernel::cxx::target_facts(program, compiler_target(gpu));
}

}  // namespace heddle::sim
