#include <algorithm>

#include "kernel/tile_program.h"
#include "kernel/tile_registers.h"
#include "kernel/tile_shared.h"

namespace heddle::kernel {
namespace {

/// Of a thread: what NVIDIA's instructions can name. AMD's name 256, and as many for accumulators,
/// where compilers put what they have no other room for.
std::int64_t most_registers(const config::Gpu& gpu) {
  return gpu.vendor == config::Vendor::nvidia ? 255 : 512;
}

/// Registers without a limit; a program that is too long is taken to need all there are.
Needs estimate(const KernelProgram& program, const config::Launch& launch, const config::Gpu& gpu) {
  const TileProgram& code = code_of(program);
  const ThreadShape threads{launch.waves(gpu.compute.wave_lanes), gpu.compute.wave_lanes};
  const std::vector<Placed> order = in_order(code);
  if (order.size() > kMostInstructions) {
    Needs all;
    all.registers = most_registers(gpu);
    return all;
  }
  const std::vector<AccessLayout> accesses =
      access_layouts(code, order, axis_facts(program, launch, order), threads);
  Needs needs;
  needs.registers = estimated_registers(
      code, order, accesses, threads,
      [&](const Instruction& dot) { return reads_shared_memory(code, dot, threads, gpu); });
  needs.shared_bytes = estimated_shared_bytes(code, order, accesses, threads, launch.stages, gpu);
  return needs;
}

}  // namespace

/// What the job says, else an estimate.
Needs TileProgram::needs(const KernelProgram& program, const config::Launch& launch,
                         const config::Gpu& gpu) const {
  const Needs guess = estimate(program, launch, gpu);
  const std::int64_t most = most_registers(gpu);
  Needs needs;
  needs.registers = launch.registers ? *launch.registers : std::min(guess.registers, most);
  needs.spills = !launch.registers && guess.registers > most;
  needs.shared_bytes = launch.shared_bytes.value_or(guess.shared_bytes);
  needs.estimated = needs.shared_estimated = !launch.registers || !launch.shared_bytes;
  return needs;
}

int TileProgram::load_depth(const config::Launch& launch, const config::Gpu& gpu) const {
  const bool pipelined = std::any_of(blocks.begin(), blocks.end(), [](const Block& block) {
    return std::any_of(block.code.begin(), block.code.end(),
                       [](const Instruction& i) { return i.op == Opcode::dot; });
  });
  if (!pipelined) return 1;
  const int ahead = gpu.vendor == config::Vendor::amd ? launch.stages : launch.stages - 1;
  return std::clamp(ahead, 1, 8);
}

}  // namespace heddle::kernel
