// A HIP or CUDA C++ kernel, compiled for this machine so that its blocks can be run and watched.
//
//   examples/kernels/yax_slow.hip ──▶ a shared library, whose loads and stores report themselves
//     site 0   read  8 B   line 14, column 12   A[j * n + i]
//     site 1   read  8 B   line 14, column 35   x[j]        scalar on gfx90a
//
// Rules
//   1. A KernelProgram with `native` has sites, places and parameters, and no instructions.
//   2. The library is a file in a temporary folder, which goes with the last owner.
//   3. What a chip's compiler makes of the kernel is found when first asked for, and kept.
//   4. A trace is complete only if `unseen` is empty: nothing may be PROVED by it otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kernel/cxx/clang.h"
#include "kernel/program.h"
#include "support/error.h"
#include "support/temporary_folder.h"

namespace heddle::kernel {

/// Work of the compiled code that is done whenever a part of the kernel runs.
struct CountedWork {
  std::int32_t counter = 0;  ///< NativeKernel::counters: how often lanes ran that part
  ArithmeticKind kind = ArithmeticKind::add;
  DType type = DType::float32;
  double count = 0;  ///< of operations, for each time
};

/// What the compiler for a chip makes of a kernel.
struct TargetFacts {
  std::string target;                ///< "gfx90a"
  std::string reason;                ///< not empty: the kernel could not be compiled for it
  int registers = 0;                 ///< vector registers of a thread
  int scalar_registers = 0;          ///< of a wave
  int spilled_registers = 0;         ///< vector and scalar
  std::int64_t shared_bytes = 0;     ///< of a block, without what the launch adds
  std::int64_t scratch_bytes = 0;    ///< of a thread
  std::int64_t code_bytes = 0;       ///< of the kernel's instructions
  std::vector<std::uint8_t> scalar;  ///< per site: the load is one for the whole wave
  std::vector<CountedWork> work;
};

/// An atomic of the source, as the compiler for gfx90a sees it.
struct NativeAtomic {
  AtomicFunction function = AtomicFunction::exchange;
  bool is_float = false;
  bool is_unsigned = false;  ///< of minima and maxima
  bool result_used = true;
};

/// Sites first..last lie in a loop.
struct SiteLoop {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

/// A place of the source that a counted part of the code comes from.
struct CountedPlace {
  int line = 0;
  int column = 0;
  std::int32_t counter = 0;
};

/// Something of the compiled code that may touch memory, or keep a value from tile to tile, and
/// that the tracer does not see (kernel/cxx/unseen.h).
struct UnseenAccess {
  Position place;         ///< in the kernel's file; line 0: not in one of its lines
  std::string elsewhere;  ///< "common.h:12", where it stands in another file
  std::string what;       ///< "a store of 32 bytes has no callback"
};

/// "line 12: a store of 32 bytes has no callback, and 2 more like it"; the list has at least one.
std::string unseen_text(const std::vector<UnseenAccess>& unseen);

struct NativeParameter {
  std::string name;
  std::string type;  ///< as written: "const float* __restrict__"
};

struct NativeKernel {
  std::string source_path;
  std::string function;                        ///< as the job names it: "gemm<16>"
  std::unique_ptr<TemporaryFolder> temporary;  ///< of the library and the headers
  cxx::ClangPlace place;                       ///< in it
  std::string library;                         ///< path
  std::string device_text;                     ///< the source without host code, as it is compiled
  std::vector<std::string> defines;            ///< "BLOCK=16"
  std::vector<NativeParameter> parameters;
  std::vector<SiteLoop> loops;
  std::vector<int> bytes;             ///< per site: that a lane moves
  std::vector<NativeAtomic> atomics;  ///< per site
  std::vector<CountedPlace> places;   ///< by line, column, counter
  std::vector<UnseenAccess> unseen;   ///< in the order of the code
  int counters = 0;                   ///< of parts of the code that are run as a whole
  int wave_lanes = 64;                ///< that the source counts on: 32 in CUDA

  NativeKernel() = default;
  NativeKernel(const NativeKernel&) = delete;
  NativeKernel& operator=(const NativeKernel&) = delete;

  mutable std::mutex mutex;
  mutable std::map<std::string, std::shared_ptr<const TargetFacts>> targets;
};

}  // namespace heddle::kernel
