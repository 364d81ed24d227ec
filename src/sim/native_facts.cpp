#include "sim/native_facts.h"

#include "kernel/cxx/compile.h"

namespace heddle::sim {

std::string compiler_target(const config::Gpu& gpu) {
  return gpu.vendor == config::Vendor::amd ? gpu.target : "gfx90a";
}

std::shared_ptr<const kernel::TargetFacts> native_facts(const kernel::KernelProgram& program,
                                                        const config::Gpu& gpu) {
  if (!program.native) return nullptr;
  return kernel::cxx::target_facts(program, compiler_target(gpu));
}

}  // namespace heddle::sim
