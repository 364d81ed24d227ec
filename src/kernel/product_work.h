// How long a product of two blocks keeps a compute unit busy.
//
//   gemm, 128 x 128 x 64 of fp16, 4 waves, H200            cycles
//     products at 0.8 of the matrix rate                     640
//     shared memory: a once, b for each 64 rows, both filled  640
//
// Rules
//   1. Matrix units that read shared memory (tile_shared.h) and shared memory work side by side:
//      the longer of both counts. They read the first operand once for each 256 columns and the
//      second once for each 64 rows; a computed first operand stays in registers, a computed
//      second one is written to shared memory before.
//   2. What is loaded for a product is written to shared memory first.
//   3. Other products read registers, which waves fill from shared memory, each for its part of
//      the result, and run at `register_products` of the rate. Both take turns.
//   4. Where the GPU gives no `shared_bytes` the rate alone counts.
#pragma once

#include "config/gpu.h"
#include "kernel/program_order.h"
#include "kernel/tile_layout.h"

namespace heddle::kernel {

class ProductWork {
 public:
  ProductWork(const TileProgram& code, const ThreadShape& threads, const config::Gpu& gpu);

  /// Of a dot whose multiply-adds take `at_rate` cycles.
  double cycles(const Instruction& dot, double at_rate) const;

 private:
  double bytes_of(ValueId value) const;

  const TileProgram& code_;
  ThreadShape threads_;
  const config::Gpu& gpu_;
  Links links_;
};

}  // namespace heddle::kernel
