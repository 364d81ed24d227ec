// A program that does nothing but show numbers that each block computes of its index. For the
// folders kernel and trace: Tracer hands on one access a number, at an address that tells it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernel/body.h"

namespace heddle::kernel {

enum class IndexFault { overflow, division_by_zero, uninitialized };

/// What a block computes, or why that is not defined.
struct IndexValues {
  std::vector<std::int64_t> values;
  std::optional<IndexFault> fault;
  std::int64_t steps = 0;
};

/// A case of index code that is the same in all blocks of a launch: see kernel::Decision.
struct IndexDecision {
  int line = 0;
  int column = 0;
  int number = 0;  ///< which one, of several there
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::int64_t outcome = 0;
  bool is_comparison = false;
};

/// The number of a case of such an operation there.
inline int case_number(const Place& place, int operation) {
  constexpr int kOperations = 2048;
  constexpr int kColumns = 512;
  const int lines = std::clamp(place.end.line - place.position.line, 0, kColumns);
  return operation +
         kOperations * (lines * kColumns + std::clamp(place.end.column, 0, kColumns - 1));
}

class IndexBody : public Body {
 public:
  /// Throws Error where it takes too many steps.
  virtual IndexValues values(const config::Launch& launch,
                             const std::array<std::int64_t, 3>& block) const = 0;

  /// Cases that every block of the launch comes to alike.
  virtual std::vector<IndexDecision> decisions(const config::Launch& launch) const = 0;

  KernelTraits traits() const override { return {}; }
  std::vector<AtomicUse> atomics(const KernelProgram& program) const override {
    return std::vector<AtomicUse>(program.sites.size());
  }
  std::vector<std::uint8_t> awaited(const KernelProgram& program) const override {
    return std::vector<std::uint8_t>(program.sites.size(), 0);
  }
  std::vector<PassedArgument> passed(const KernelProgram&, const config::Launch&) const override {
    return {};
  }
  Needs needs(const KernelProgram&, const config::Launch&, const config::Gpu&) const override {
    return {};
  }
  Work work(const KernelProgram&, const config::Launch&, const config::Gpu&,
            const std::vector<int>&) const override {
    return {};
  }
  int load_depth(const config::Launch&, const config::Gpu&) const override { return 1; }
  std::shared_ptr<const TargetFacts> facts(const KernelProgram&,
                                           const std::string&) const override {
    return nullptr;
  }
  KernelProgram reduced(const KernelProgram& program, Keep) const override { return program; }
};

/// The numbers behind a program; null where it is another kind.
inline const IndexBody* index_values_of(const KernelProgram& program) {
  return dynamic_cast<const IndexBody*>(Body::of(program).get());
}

}  // namespace heddle::kernel
