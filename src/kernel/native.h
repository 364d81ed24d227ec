// A HIP or CUDA C++ kernel, compiled for this machine so that its blocks can be run and watched.
// For the folders kernel and trace; others ask KernelProgram (program.h).
//
//   examples/kernels/yax_slow.hip ──▶ a shared library, whose loads and stores report themselves
//     site 0   read  8 B   line 14, column 12   A[j * n + i]
//     site 1   read  8 B   line 14, column 35   x[j]        scalar on gfx90a
//
// Rules
//   1. The library is a file in a temporary folder, which goes with the last owner.
//   2. What a chip's compiler makes of the kernel is found when first asked for, and kept; several
//      threads may ask.
//   3. A trace is complete only if `unseen` is empty, and is the user's kernel's only if `doubt` is:
//      nothing may be PROVED by it otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kernel/body.h"
#include "kernel/cxx/clang.h"
#include "kernel/program.h"
#include "support/error.h"
#include "support/temporary_folder.h"

namespace heddle::kernel {

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

/// What was compiled, and what its code says.
struct NativeCode {
  std::string source_path;
  std::string function;  ///< as the job names it: "gemm<16>"
  std::shared_ptr<const TemporaryFolder>
      temporary;                       ///< of the library and the headers; may be null
  cxx::ClangPlace place;               ///< in it
  std::string library;                 ///< path
  std::string device_text;             ///< the source without host code, as it is compiled
  std::vector<std::string> defines;    ///< "BLOCK=16"
  std::vector<std::string> undefined;  ///< macros that are undefined
  std::vector<std::string> headers;    ///< that are included first
  std::string entry;           ///< how the runner calls the kernel: "HEDDLE_ENTRY(&gemm<16>)"
  std::string callee;          ///< its address: "&gemm<16>"
  std::string overload = {};   ///< what `callee` needs where several kernels have the name
  std::string signature = {};  ///< "(const float*, int)", there
  std::vector<SiteLoop> loops;
  std::vector<int> bytes;             ///< per site: that a lane moves
  std::vector<NativeAtomic> atomics;  ///< per site
  std::vector<CountedPlace> places;   ///< by line, column, counter
  std::vector<UnseenAccess> unseen;   ///< in the order of the code
  std::string doubt;                  ///< why it may not be the user's kernel; empty: it is
  int counters = 0;                   ///< of parts of the code that are run as a whole
  int wave_lanes = 64;                ///< that the source counts on: 32 in CUDA
};

using FactsByTarget = std::map<std::string, std::shared_ptr<const TargetFacts>>;

class NativeKernel final : public Body {
 public:
  /// `known` are facts that were found already.
  explicit NativeKernel(NativeCode code, FactsByTarget known = {})
      : code_(std::move(code)), facts_(std::move(known)) {}

  const NativeCode& code() const { return code_; }

  KernelTraits traits() const override;
  std::vector<AtomicUse> atomics(const KernelProgram& program) const override;
  std::vector<std::uint8_t> awaited(const KernelProgram& program) const override;
  std::vector<PassedArgument> passed(const KernelProgram& program,
                                     const config::Launch& launch) const override;
  Needs needs(const KernelProgram& program, const config::Launch& launch,
              const config::Gpu& gpu) const override;
  Work work(const KernelProgram& program, const config::Launch& launch, const config::Gpu& gpu,
            const std::vector<int>& widths) const override;
  int load_depth(const config::Launch& launch, const config::Gpu& gpu) const override;
  std::shared_ptr<const TargetFacts> facts(const KernelProgram& program,
                                           const std::string& target) const override;
  KernelProgram reduced(const KernelProgram& program, Keep keep) const override;
  IndexProbe probe_index(const KernelProgram& program, const config::Launch& launch,
                         bool all_blocks) const override;

 private:
  const NativeCode code_;
  mutable std::mutex mutex_;
  mutable FactsByTarget facts_;
};

/// The compiled kernel behind a program; null where it is another kind.
const NativeKernel* native_of(const KernelProgram& program);

}  // namespace heddle::kernel
