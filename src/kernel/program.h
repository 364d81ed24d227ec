// A kernel, read or compiled for one launch: what it touches, and what can be asked of it.
//
//   const KernelProgram program = source->compile(launch);
//   program.sites[0]                    // read fp16, line 12
//   program.work(launch, gpu)           // cycles between its memory instructions
//   program.needs(launch, gpu)          // registers, shared memory
//
// Rules
//   1. Every load, store and atomic is a site, with its place in the file.
//   2. What is behind the sites, instructions or a compiled library, is the body. It belongs to the
//      folders kernel and trace (body.h); nobody else asks which kind it is.
//   3. A copy shares its body, which nobody changes.
//   4. A kernel without a body touches nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/dtype.h"
#include "config/gpu.h"
#include "config/launch.h"
#include "kernel/target_facts.h"
#include "kernel/work.h"
#include "support/error.h"

namespace heddle::kernel {

using config::DType;

/// A place in the kernel file.
struct Place {
  Position position;
  std::string function;  ///< the function it stands in
  Position end = {};     ///< of a Triton kernel: a & b & c begins where a & b does
};

enum class MemoryKind : std::uint8_t { read, write, atomic };

/// One load, store or atomic of the source (once per inlined copy).
struct Site {
  MemoryKind kind = MemoryKind::read;
  std::int32_t place = 0;
  DType element = DType::float32;
  std::vector<std::int64_t> shape;  ///< [] for a scalar access
  bool commutes = false;            ///< an atomic whose order does not matter (result unused)
  std::string hint;                 ///< cache and eviction hints as written, e.g. ".cg evict_last"
  std::vector<int> parameters;      ///< which parameters the pointer can come from; empty: unknown
};

struct Parameter {
  std::string name;
  std::int32_t value = -1;   ///< of a program that is read: the value it is in
  std::size_t argument = 0;  ///< index into Launch::arguments
  int element = -1;          ///< of a list argument: which element; -1: the argument itself
  std::string type = {};     ///< as written, "const float*"; empty in a language without types

  bool points_to_const() const { return type.starts_with("const "); }
};

enum class AtomicFunction : std::int64_t {
  add,
  maximum,
  minimum,
  bit_and,
  bit_or,
  bit_xor,
  exchange,
  compare_exchange
};

/// An atomic: which function, and whether anybody looks at the old value.
///
///   tl.atomic_add(counts + bin, 1)              commutes with other additions
///   ticket = tl.atomic_add(counter, 1)          does not: the old value tells who came first
///   while tl.atomic_cas(lock, 0, 1) == 1: ...   a lock
struct AtomicUse {
  AtomicFunction function = AtomicFunction::add;
  bool result_used = false;

  /// Exchange and compare-and-exchange: the last one wins.
  bool is_lock() const {
    return function == AtomicFunction::exchange || function == AtomicFunction::compare_exchange;
  }
  /// Its order among others of the same function does not matter.
  bool commutes() const { return !is_lock() && !result_used; }
};

/// An argument as the launch hands it over.
struct PassedArgument {
  std::size_t argument = 0;           ///< index into Launch::arguments
  bool is_constexpr = false;          ///< known when the kernel is compiled
  std::optional<DType> type = {};     ///< of a number, where the kernel says it
  std::string unsupported_type = {};  ///< as written: neither a number nor a pointer
};

/// What a block takes of a compute unit.
struct Needs {
  std::int64_t registers = 0;  ///< of a thread
  std::int64_t shared_bytes = 0;
  bool estimated = false;         ///< neither the job nor a compiler for the GPU says it all
  bool shared_estimated = false;  ///< shared memory as well
  bool spills = false;            ///< the estimate is more than a thread can have
};

/// How kernels of a kind behave, whatever they compute.
struct KernelTraits {
  bool has_lanes = false;      ///< accesses are those of single threads (AccessPattern::by_thread)
  bool runs = false;           ///< its tiles compute values, and quickly
  bool knows_pointers = true;  ///< Site::parameters is known
  bool adds_shared_bytes = false;    ///< the launch's shared_bytes come on top of the kernel's own
  std::string block_unit = "warps";  ///< what a launch gives a block
  std::string unseen = {};           ///< accesses that no trace shows; empty: all are seen
};

/// Which accesses a reduced program keeps.
enum class Keep {
  all,     ///< every load, store and atomic
  writes,  ///< stores and atomics, and loads from parameters that are written (or unknown);
           ///< counts are dropped, and loops that do nothing else
};

class Body;         // body.h
struct IndexProbe;  // index_probe.h

struct KernelProgram {
  std::string source_path;
  std::string function;   ///< "gemm"
  std::string full_name;  ///< as it is launched: "blas::gemm<16>"
  /// Macros that it was compiled with: "BLOCK=16"; of Triton, names of the file that the job sets.
  std::vector<std::string> defines;
  int wave_lanes = 64;  ///< that the source counts on: 32 in CUDA
  std::vector<Parameter> parameters;
  std::vector<Place> places;
  std::vector<Site> sites;

  KernelTraits traits() const;
  /// One per site; those of sites that are no atomics mean nothing. To be asked of the whole
  /// program: a reduced one does not show who used an old value for anything but addresses.
  std::vector<AtomicUse> atomics() const;
  /// One per site: nothing of the tile goes on before its result has come.
  std::vector<std::uint8_t> awaited() const;
  /// In the order in which the launch hands them over.
  std::vector<PassedArgument> passed(const config::Launch& launch) const;
  Needs needs(const config::Launch& launch, const config::Gpu& gpu) const;
  /// `widths`: per site, how many neighbours a lane accesses at a time; empty: one.
  Work work(const config::Launch& launch, const config::Gpu& gpu,
            const std::vector<int>& widths = {}) const;
  /// Rounds of a loop's loads that may be in flight at a time, where matrix units are fed. Of a
  /// loop of two stages AMD's compilers load the next round while they compute with this one;
  /// NVIDIA's wait (seen on an H200: 1.3 us a step of a GEMM whose products take 0.6).
  int load_depth(const config::Launch& launch, const config::Gpu& gpu) const;
  /// What the compiler for "gfx90a", "sm_90", ... makes of it; null where none is asked. Facts that
  /// could not be found have a reason.
  std::shared_ptr<const TargetFacts> facts(const std::string& target) const;
  std::shared_ptr<const TargetFacts> facts(const config::Gpu& gpu) const;
  /// The numbers of a block's index that its work depends on, and a program that shows them. To be
  /// asked of the whole program. `all_blocks`: also of blocks that return early for their index.
  IndexProbe probe_index(const config::Launch& launch, bool all_blocks = false) const;

 private:
  friend class Body;
  std::shared_ptr<Body> body_;
};

/// Takes out every instruction whose value reaches no address, mask, bound or branch of what is
/// kept. Loads that stay only for their address lose their result. Compiled code stays as it is.
KernelProgram remove_unneeded(const KernelProgram& program, Keep keep);

}  // namespace heddle::kernel
