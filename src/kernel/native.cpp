#include "kernel/native.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "kernel/cxx/skeleton.h"
#include "kernel/cxx/target.h"
#include "kernel/cxx/value_type.h"
#include "kernel/doubt.h"
#include "kernel/index_probe.h"

namespace heddle::kernel {
namespace {

constexpr std::int64_t kMostCompiledRegisters = 256;
constexpr std::int64_t kUnknownRegisters = 64;  ///< of a kernel that could not be compiled

}  // namespace

const NativeKernel* native_of(const KernelProgram& program) {
  return dynamic_cast<const NativeKernel*>(Body::of(program).get());
}

std::string doubt_of(const KernelProgram& program) {
  const NativeKernel* const native = native_of(program);
  return native == nullptr ? std::string() : native->code().doubt;
}

KernelTraits NativeKernel::traits() const {
  KernelTraits traits;
  traits.has_lanes = true;
  traits.runs = true;
  traits.knows_pointers = false;
  traits.adds_shared_bytes = true;
  traits.block_unit = "threads";
  if (!code_.unseen.empty()) traits.unseen = unseen_text(code_.unseen);
  if (traits.unseen.empty()) traits.unseen = code_.doubt;
  return traits;
}

std::vector<AtomicUse> NativeKernel::atomics(const KernelProgram&) const {
  std::vector<AtomicUse> uses;
  for (const NativeAtomic& atomic : code_.atomics)
    uses.push_back({atomic.function, atomic.result_used});
  return uses;
}

/// Compiled code does not show what waits for a load; of atomics its compiler says.
std::vector<std::uint8_t> NativeKernel::awaited(const KernelProgram& program) const {
  std::vector<std::uint8_t> awaited(program.sites.size(), 0);
  for (std::size_t site = 0; site < std::min(awaited.size(), code_.atomics.size()); ++site)
    awaited[site] =
        program.sites[site].kind == MemoryKind::atomic && code_.atomics[site].result_used ? 1 : 0;
  return awaited;
}

/// Each parameter in its own type; constexprs are macros.
std::vector<PassedArgument> NativeKernel::passed(const KernelProgram& program,
                                                 const config::Launch&) const {
  std::vector<PassedArgument> passed;
  for (const Parameter& parameter : program.parameters) {
    const cxx::ValueType type = cxx::value_type(parameter.type);
    PassedArgument one{parameter.argument};
    if (type.pointers == 0) one.type = type.element;
    if (type.pointers == 0 && !type.element) one.unsupported_type = parameter.type;
    passed.push_back(std::move(one));
  }
  return passed;
}

/// What its compiler says, and what the launch adds.
Needs NativeKernel::needs(const KernelProgram& program, const config::Launch& launch,
                          const config::Gpu& gpu) const {
  const auto found = facts(program, compiler_target(gpu));
  const bool known = found->reason.empty();
  Needs needs;
  needs.registers = launch.registers ? *launch.registers
                    : known          ? found->registers
                                     : kUnknownRegisters;
  needs.shared_bytes = (known ? found->shared_bytes : 0) + launch.shared_bytes.value_or(0);
  const bool own = gpu.vendor == config::Vendor::amd;  // and not those of another chip
  if (!own && !launch.registers)
    needs.registers = std::min(needs.registers, kMostCompiledRegisters);
  needs.estimated = !known || (!own && !launch.registers);
  return needs;
}

/// Where the work of compiled code stands is not known: it is all in the counts of the tracer.
Work NativeKernel::work(const KernelProgram& program, const config::Launch&, const config::Gpu& gpu,
                        const std::vector<int>&) const {
  Work work;
  work.before.resize(program.sites.size());
  work.after.resize(program.sites.size());
  work.wait_before.resize(program.sites.size());
  work.wait_after.resize(program.sites.size());
  work.counted.resize(program.sites.size());
  const auto found = facts(program, compiler_target(gpu));
  work.code_bytes = found->reason.empty() ? found->code_bytes : kLeastCodeBytes;
  return work;
}

int NativeKernel::load_depth(const config::Launch&, const config::Gpu&) const {
  return 1;
}

std::shared_ptr<const TargetFacts> NativeKernel::facts(const KernelProgram& program,
                                                       const std::string& target) const {
  {
    const std::lock_guard guard(mutex_);
    const auto known = facts_.find(target);
    if (known != facts_.end()) return known->second;
  }
  const auto found = cxx::find_facts(program, code_, target);
  const std::lock_guard guard(mutex_);
  return facts_.emplace(target, found).first->second;
}

/// The compiler has taken out what nobody needs.
IndexProbe NativeKernel::probe_index(const KernelProgram& program, const config::Launch& launch,
                                     bool all_blocks) const {
  const std::shared_ptr<const cxx::CxxTree> tree = cxx::tree_of(program);
  cxx::Skeleton skeleton(*tree, program, launch);
  IndexProbe probe = skeleton.run().probe_index(launch, all_blocks);
  if (skeleton.strided_loop() > 0 && probe.reason.empty())
    probe.reason = fmt::format(
        "threads step by the size of the whole launch in the loop of line {} (a grid-stride loop)",
        skeleton.strided_loop());
  return probe;
}

KernelProgram NativeKernel::reduced(const KernelProgram& program, Keep) const {
  return program;
}

}  // namespace heddle::kernel
