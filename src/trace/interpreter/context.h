// What the operations share: where we are, the limits, scratch memory, faults and memory contents.
//
// Rules
//   1. An operation is an Action: it reads step.a, step.b, step.c (or step.operands) and writes
//      step.out (or step.results). Operands are set and none of them is the result.
//   2. Operations throw Errors without a place; the machine adds place and tile.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "config/launch.h"
#include "kernel/tile_program.h"
#include "trace/interpreter/fault_log.h"
#include "trace/interpreter/integers.h"
#include "trace/interpreter/tensor_memory.h"
#include "trace/interpreter/value.h"
#include "trace/tracer.h"

namespace heddle::trace::interpreter {

struct Context;
struct Step;
using Action = void (*)(Context&, const Step&);

/// The extra parts of a load, store or atomic.
struct MemoryStep {
  AccessPattern pattern;             ///< site, element size and extents are filled in once
  const BlockType* shape = nullptr;  ///< what pointer, mask and values are broadcast to
  kernel::MemoryKind kind = kernel::MemoryKind::read;
  DType pointee = DType::float32;
  Value* pointer = nullptr;
  Value* mask = nullptr;     ///< null: all active
  Value* value = nullptr;    ///< store, atomic
  Value* other = nullptr;    ///< load
  Value* compare = nullptr;  ///< atomic
  Value* result = nullptr;
};

struct CodeBlock;

/// One instruction, lowered: operands are registers, types are known.
struct Step {
  Action action = nullptr;  ///< null: control flow
  Opcode op = Opcode::copy;
  std::int32_t place = 0;
  Value* out = nullptr;
  Value* a = nullptr;
  Value* b = nullptr;
  Value* c = nullptr;
  bool is_sole_writer = false;  ///< of all its results
  std::int64_t factor = 1;      ///< add, subtract, add_pointer: a + factor * b
  std::vector<Value*> operands;
  std::vector<Value*> unsure;  ///< operands that may be unset when the step runs
  std::vector<Value*> results;
  std::vector<std::int64_t> integers;
  double number = 0;
  std::vector<int> axis_of;  ///< shape operations: operand axis of each result axis, or kNoAxis
  std::unique_ptr<MemoryStep> memory;
  CodeBlock* body = nullptr;
  CodeBlock* other = nullptr;
};

struct CodeBlock {
  std::vector<Step> steps;
  std::int64_t executions = 0;  ///< in this tile
};

/// Buffers that grow and stay. A slot is good until somebody asks for it again.
class Scratch {
 public:
  explicit Scratch(StorageBudget& budget) : budget_(budget) {}
  std::int64_t* integers(int slot, std::int64_t count) { return room(integers_[at(slot)], count); }
  std::uint8_t* flags(int slot, std::int64_t count) { return room(flags_[at(slot)], count); }
  double* reals(int slot, std::int64_t count) { return room(reals_[at(slot)], count); }

 private:
  static constexpr std::size_t kSlots = 6;
  static std::size_t at(int slot) { return static_cast<std::size_t>(slot); }
  template <class T>
  T* room(std::vector<T>& storage, std::int64_t count) {
    if (static_cast<std::int64_t>(storage.size()) < count) {
      const auto grown = count - static_cast<std::int64_t>(storage.size());
      budget_.take(grown * static_cast<std::int64_t>(sizeof(T)));
      storage.resize(static_cast<std::size_t>(count));
    }
    return storage.data();
  }

  StorageBudget& budget_;
  std::array<std::vector<std::int64_t>, kSlots> integers_;
  std::array<std::vector<std::uint8_t>, kSlots> flags_;
  std::array<std::vector<double>, kSlots> reals_;
};

struct Context {
  Context(const kernel::KernelProgram& kernel_program, const config::Launch& job_launch,
          const TraceOptions& trace_options);

  const kernel::KernelProgram& program;
  const config::Launch& launch;
  TraceOptions options;
  StorageBudget budget;
  Scratch scratch;
  FaultLog faults;
  TensorMemory memory;
  std::array<std::int64_t, 3> tile{};
  std::int64_t entries = 0;  ///< of counted loops, in this tile
  AccessSink* sink = nullptr;
  const Step* current = nullptr;
  std::int64_t steps_left = 0;

  /// Takes steps from the tile's limit; throws Error where it is used up.
  void spend(std::int64_t steps) {
    steps_left -= steps;
    if (steps_left < 0) [[unlikely]]
      out_of_steps();
  }
  /// Element-wise work: an instruction of the GPU does 64 of them, too.
  void spend_elements(std::int64_t elements) { spend(elements / 64); }

  /// detail() gives the text; it is called for the first fault of a place and kind.
  template <class Detail>
  void record(Fault::Kind kind, Detail detail) {
    Fault fault;
    fault.kind = kind;
    fault.place = current->place;
    faults.record(fault, detail);
  }
  /// Overflow and division by zero, if the note has any.
  void record(const ArithmeticNote& note) {
    if (note.overflowed || note.divided_by_zero) [[unlikely]]
      record_note(note);
  }

 private:
  [[noreturn]] void out_of_steps() const;
  void record_note(const ArithmeticNote& note);
};

}  // namespace heddle::trace::interpreter
