// Where a Triton kernel gives its tile coordinates their values.
//
//   pid_m = pid // num_n                          replaced: pid // num_n
//   pid_m, pid_n = unpack(pid, num_m, num_n)      replaced: the call; the helper stays in the file
//   batch = tl.program_id(1).to(tl.int64)         replaced: tl.program_id(1)
//   for row in tl.range(start, rows, step):       replaced: `row`; it gets its value in the body
//
// Rules
//   1. A variable that branches give different values is replaced in all of them.
//   2. A site holds variables of one list of statements, and those in branches behind it. A second
//      variable of an axis begins another site.
#pragma once

#include <memory>

#include "kernel/tile_uses.h"
#include "kernel/triton/scope_numbers.h"
#include "kernel/triton/source.h"
#include "kernel/triton/statements.h"

namespace heddle::kernel::triton {

class TritonTileUses final : public TileUses {
 public:
  /// Throws Error where a variable cannot be replaced.
  TritonTileUses(TritonSource& source, const std::string& function,
                 const std::vector<TileVariable>& variables);

  std::vector<ScopeNumber> numbers(std::size_t site, const config::Launch& launch) const override;
  bool keeps_type(std::size_t variable) const override;
  std::string rewritten(const std::vector<std::string>& code,
                        const std::vector<std::string>& values) const override;

 private:
  /// A statement that gives variables their values.
  struct Giver {
    const Statement* statement = nullptr;
    std::vector<std::size_t> variables;
  };
  static constexpr std::size_t kNoVariable = static_cast<std::size_t>(-1);
  struct Edit {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string text;
  };

  void add_variable(const TileVariable& variable);
  std::vector<const Statement*> givers_of(const TileVariable& variable) const;
  void add_giver(const Statement& statement, std::size_t variable);
  void check_giver(const Giver& giver) const;
  void find_sites();
  bool continues(const Statement& first, const Giver& giver) const;
  void add_site(const Giver& giver);
  CodePlace place_of(const Statement& statement) const;
  std::vector<ScopeName> scope_of(const Statement& statement) const;
  std::set<std::string> replaced_reads(const TileSite& site) const;
  Liveness liveness(const std::vector<std::string>& code,
                    const std::vector<std::string>& values) const;
  void add_edits(const Giver& giver, const std::vector<std::string>& values,
                 std::vector<Edit>& edits) const;
  static bool is_inside(const Statement& statement, const Statement& outer);
  void add_removals(const Liveness& after, std::vector<Edit>& edits) const;
  std::optional<Edit> removal(const Statement& statement) const;
  std::size_t variable_named(const Giver& giver, const std::string& name) const;
  [[noreturn]] void refuse(const Node& at, const std::string& what, const std::string& hint) const;

  const Module* module_ = nullptr;
  const Node* function_ = nullptr;
  std::deque<Statement> statements_;
  std::unique_ptr<ScopeNumbers> numbers_;
  std::vector<Giver> givers_;                 ///< in the order of the text
  std::vector<std::vector<std::size_t>> of_;  ///< per site: its givers
};

}  // namespace heddle::kernel::triton
