// How much shared memory a block of a Triton kernel needs, estimated from the program.
//
//   gemm, 128 x 128 x 64 of fp16, 3 stages, H200      (16 KiB + 16 KiB) x 3 = 96 KiB
//   attention, 128 x 64, head size 128, 2 stages      q 32 KiB + (k 16 KiB + v 16 KiB) x 2 = 96 KiB
//   sum over rows, 8 waves share one row              8 waves x 4 B = 32 B
//
// Rules (NVIDIA)
//   1. A load in a loop that reaches a product of that loop is pipelined: it has a buffer for each
//      stage in flight. Stages are shared with the loads that its address needs. A product that
//      reads the buffer by itself, without waiting, needs one more.
//   2. Loads narrower than 4 B a lane are not asynchronous: one buffer, for operands alone.
//   3. Operands that are loaded outside loops have one buffer each. A computed second operand has
//      one too; a computed first operand stays in registers. Of small products, which read
//      registers, it goes through shared memory once.
//   4. In kernels without products, shared memory is for what threads exchange: sums over waves,
//      lists that are spread otherwise than the blocks they meet, blocks that are stored in another
//      layout than they were loaded in. These share one place; the largest counts. Lists of fewer
//      elements than threads are loaded again instead.
//
// On AMD's GPUs operands of a product are there once for each stage but one, or, without
// stages, only while their product is made.
//
// Does not model: exchanges between blocks of computed values, padding.
#pragma once

#include <cstdint>
#include <vector>

#include "config/gpu.h"
#include "kernel/tile_layout.h"

namespace heddle::kernel {

/// Matrix units read both operands of it from shared memory, and run by themselves.
bool reads_shared_memory(const TileProgram& code, const Instruction& dot,
                         const ThreadShape& threads, const config::Gpu& gpu);

/// What threads of a kernel without products exchange (rule 4).
std::int64_t exchanged_bytes(const TileProgram& code, const std::vector<Placed>& order,
                             const std::vector<AccessLayout>& accesses, const ThreadShape& threads);

/// Per site: lines that all warps of a block look up, where every thread loads again what it needs
/// of a short list (rule 4); 0 for others.
std::vector<std::int64_t> repeated_lookups(const KernelProgram& program,
                                           const config::Launch& launch,
                                           const ThreadShape& threads);

std::int64_t estimated_shared_bytes(const TileProgram& code, const std::vector<Placed>& order,
                                    const std::vector<AccessLayout>& accesses,
                                    const ThreadShape& threads, int stages, const config::Gpu& gpu);

}  // namespace heddle::kernel
