// Whole numbers that can be written at a place of a Triton kernel: names, and expressions of the
// kernel's own that are made of names with a value there.
//
//   num_pid_m                        a name
//   tl.cdiv(M, BLOCK_M)              an expression of parameters
//   tl.cdiv((N * P * Q), BLOCK)      names that have no value there yet are written out
//
// Rules
//   1. A number is known where it is made of whole numbers of the launch by arithmetic, tl.cdiv,
//      minimum and maximum. Variables that are bound more than once are not known.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/launch.h"
#include "kernel/tile_uses.h"
#include "kernel/triton/source.h"
#include "kernel/triton/statements.h"

namespace heddle::kernel::triton {

class ScopeNumbers {
 public:
  ScopeNumbers(const Module& module, const Node& function);

  /// `scope`: names with a value at the place; `read`: those that the replaced code reads.
  std::vector<ScopeNumber> at(const std::set<std::string>& scope, const std::set<std::string>& read,
                              const config::Launch& launch) const;
  /// Names that the value of a name is made of, itself included.
  std::set<std::string> behind(const std::set<std::string>& names) const;

 private:
  using Number = std::optional<std::int64_t>;
  void find_values(const Node& statement);
  void find_value(const Node& target, const Node& value);
  void collect(const Node& node);
  Number value(const Node& node, const config::Launch& launch, int depth) const;
  Number value_of_name(const std::string& name, const config::Launch& launch, int depth) const;
  Number value_of_call(const Node& node, const config::Launch& launch, int depth) const;
  std::optional<std::string> text(const Node& node, const std::set<std::string>& scope,
                                  int depth) const;
  void names_in(const Node& node, std::vector<const Node*>& names) const;

  const Module& module_;
  std::map<std::string, const Node*> values_;  ///< of names that are bound once
  std::set<std::string> parameters_;           ///< that keep their value
  std::vector<const Node*> expressions_;       ///< of the kernel, in the order of the text
};

}  // namespace heddle::kernel::triton
