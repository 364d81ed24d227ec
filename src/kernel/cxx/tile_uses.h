// Where a C++ kernel gives its tile coordinates their values.
//
//   const int tile_m = blockIdx.x / tiles_n;            replaced: blockIdx.x / tiles_n
//   const int tm = t / tiles_n, tn = t % tiles_n;       replaced: both values
//   block /= m_tiles;                                   replaced: the statement, by block = ...
//   const TileCoord tile = grouped(blockIdx.x, ...);    replaced: the call, by {row, column}
//
// Rules
//   1. Statements are read as tokens of the file. A value that a macro hides is refused.
//   2. A variable is known for a launch where it is declared once, with a value that is made of
//      parameters, macros and sizes of the launch by arithmetic.
//   3. Declarations go that only held index code, and whose names nothing reads any more.
#pragma once

#include <map>
#include <string_view>

#include "kernel/cxx/outline.h"
#include "kernel/cxx/source.h"
#include "kernel/tile_uses.h"

namespace heddle::kernel::cxx {

class CxxTileUses final : public TileUses {
 public:
  /// The source must outlive this. Throws Error where a variable cannot be replaced.
  CxxTileUses(const CxxSource& source, const config::Launch& launch,
              const std::vector<TileVariable>& variables);

  std::vector<ScopeNumber> numbers(std::size_t site, const config::Launch& launch) const override;
  /// A declaration has its type.
  bool keeps_type(std::size_t) const override { return true; }
  std::string rewritten(const std::vector<std::string>& code,
                        const std::vector<std::string>& values) const override;

 private:
  /// A name that gets a value: its tokens.
  struct Giver {
    std::size_t name = 0;
    std::size_t first = 0;  ///< of the value
    std::size_t last = 0;
    std::size_t statement = 0;  ///< the first token of its statement
    bool is_declaration = false;
    bool is_compound = false;                 ///< block /= n
    bool is_in_head = false;                  ///< of a for
    std::vector<std::size_t> variables = {};  ///< that it gives; the members of a struct
  };

  struct Edit {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string text;
  };

  std::string_view text(std::size_t i) const;
  void find_givers();
  void add_giver(std::size_t name, std::size_t statement, bool is_declaration);
  std::size_t end_of_value(std::size_t first) const;
  bool is_in_scope(std::size_t token, std::size_t at) const;
  void add_variable(const TileVariable& variable);
  void find_sites();
  CodePlace place_of(const Giver& giver) const;
  std::vector<ScopeName> scope_of(const Giver& giver) const;
  std::vector<std::string> fields_of(const Giver& giver) const;
  std::string value_of(const Giver& giver, const std::vector<std::string>& values) const;
  std::optional<Edit> removal(const Giver& giver, const std::vector<bool>& is_gone) const;
  std::string text_of(std::size_t first, std::size_t last) const;
  std::size_t end_of(std::size_t i) const { return tokens_[i].offset + tokens_[i].text.size(); }
  [[noreturn]] void refuse(std::size_t at, const std::string& what, const std::string& hint) const;

  const CxxSource& source_;
  const std::vector<Token>& tokens_;
  const CxxFunction& function_;
  Outline outline_;
  std::vector<std::string> template_values_;
  std::vector<Giver> givers_;                 ///< of the body, in the order of the text
  std::vector<std::vector<std::size_t>> of_;  ///< per site: its givers
};

}  // namespace heddle::kernel::cxx
