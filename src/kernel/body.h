// What is behind a kernel's sites: the answers that a kind of kernel gives to KernelProgram.
//
//   TileProgram      instructions, which trace interprets        (tile_program.h)
//   NativeKernel     a library, which a runner runs              (native.h)
//
// Rules
//   1. For the folders kernel and trace alone. A new kind of kernel is a class derived from this
//      one, and a TileRunner in trace that runs it.
//   2. `program` is the KernelProgram that the body belongs to; questions are as there.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernel/program.h"

namespace heddle::kernel {

class Body {
 public:
  Body() = default;
  virtual ~Body() = default;

  virtual KernelTraits traits() const = 0;
  virtual std::vector<AtomicUse> atomics(const KernelProgram& program) const = 0;
  virtual std::vector<std::uint8_t> awaited(const KernelProgram& program) const = 0;
  virtual std::vector<PassedArgument> passed(const KernelProgram& program,
                                             const config::Launch& launch) const = 0;
  virtual Needs needs(const KernelProgram& program, const config::Launch& launch,
                      const config::Gpu& gpu) const = 0;
  virtual Work work(const KernelProgram& program, const config::Launch& launch,
                    const config::Gpu& gpu, const std::vector<int>& widths) const = 0;
  virtual int load_depth(const config::Launch& launch, const config::Gpu& gpu) const = 0;
  virtual std::shared_ptr<const TargetFacts> facts(const KernelProgram& program,
                                                   const std::string& target) const = 0;
  /// Without a probe, as here, it says so.
  virtual IndexProbe probe_index(const KernelProgram& program, const config::Launch& launch,
                                 bool all_blocks) const;
  virtual KernelProgram reduced(const KernelProgram& program, Keep keep) const = 0;

  static const std::shared_ptr<Body>& of(const KernelProgram& program) { return program.body_; }
  static void set(KernelProgram& program, std::shared_ptr<Body> body) {
    program.body_ = std::move(body);
  }

 protected:
  Body(const Body&) = default;
  Body& operator=(const Body&) = default;
};

}  // namespace heddle::kernel
