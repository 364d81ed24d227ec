// Runs lowered code: blocks, loops, branches, limits; adds places to errors.
//
// Rules
//   1. Steps whose operands never change (constants, parameters, aranges and what is made of them)
//      run once, when the machine is made, unless they fail or record a fault: those run in place.
//   2. Every tile starts with unset registers, but for those. Reading an unset register is a fault
//      and gives 0.
#pragma once

#include <array>
#include <vector>

#include "trace/interpreter/lower.h"
#include "trace/tile_runner.h"
#include "trace/tracer.h"

namespace heddle::trace {

class Machine final : public TileRunner {
 public:
  Machine(const kernel::KernelProgram& program, const config::Launch& launch,
          const TraceOptions& options);

  void run(std::array<std::int64_t, 3> tile, AccessSink& sink) override;
  void watch_reads(const std::optional<std::vector<bool>>&) override {}
  std::vector<kernel::ArithmeticCount> arithmetic() const override;
  std::vector<Fault> faults() const override;
  std::int64_t steps() const override {
    return context_.options.limits.steps - context_.steps_left;
  }

 private:
  /// Runs what never changes and takes it out of the block, and of the blocks inside.
  void run_invariants(interpreter::CodeBlock& block);
  bool run_invariant(const interpreter::Step& step);

  /// Number of scopes that are still to be left.
  std::int64_t run_block(interpreter::CodeBlock& block);
  std::int64_t run_control(const interpreter::Step& step);
  std::int64_t run_for(const interpreter::Step& step);
  std::int64_t run_while(const interpreter::Step& step);
  void set_operands(const interpreter::Step& step);
  void show_arithmetic(const interpreter::Step& step);
  bool is_true(const interpreter::Value& condition);
  std::int64_t loop_bound(const interpreter::Value& value);
  Error placed(const Error& error) const;

  interpreter::Context context_;
  interpreter::Code code_;
  std::vector<interpreter::Value*> per_tile_;  ///< registers that are not invariant
};

}  // namespace heddle::trace
