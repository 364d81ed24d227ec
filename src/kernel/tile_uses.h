// Where a kernel gives its tile coordinates their values: what an order of its own tile space
// replaces, and where its code goes.
//
//   pid_m = first + pid % height          a variable; its site begins at this line
//   pid_n = pid % width // height         another one of the same site
//   m_out, n_out = unpack(done, rows)     another site: the same axes again
//
// Rules
//   1. A site is where code can be added: in front of the first statement that gives one of its
//      variables a value, or at the beginning of a loop's body that counts with it.
//   2. Variables that cannot be replaced are an Error with the place and the reason.
//   3. The new text is the old one, but for the values of the variables, the code of the sites, and
//      index code that nothing reads any more. Calls that may do something else are kept.
//   4. Offsets are into the text of the source, which must outlive this.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/launch.h"
#include "kernel/index_uses.h"
#include "support/error.h"

namespace heddle::kernel {

/// A variable that holds a tile's coordinate.
struct TileVariable {
  std::string name;
  int line = 0;             ///< of the statement that gives it its value
  std::size_t axis = 0;     ///< which coordinate
  bool is_required = true;  ///< false: it counts only if something still reads it in the new text
};

/// A variable or parameter that has a value where code goes.
struct ScopeName {
  std::string name;
  int first_line = 0;  ///< of the statement that gives it this value; 0: a parameter
  int last_line = 0;
  bool is_read = false;  ///< the code that is replaced reads it
};

/// A whole number that can be written where code goes, for one launch.
struct ScopeNumber {
  std::string text;
  std::optional<std::int64_t> value;  ///< nothing: not known for this launch
  bool is_name = false;
  bool is_read = false;  ///< the code that is replaced reads it
};

struct TileSite {
  CodePlace place;
  Position position;
  std::vector<std::size_t> variables;  ///< that get their values here
  std::vector<ScopeName> names;
  std::string counter;  ///< of a loop that counts with a variable: its counter's new name
};

class TileUses {
 public:
  TileUses() = default;
  virtual ~TileUses() = default;
  TileUses(const TileUses&) = delete;
  TileUses& operator=(const TileUses&) = delete;

  std::string path;
  Position position;            ///< of the function
  std::set<std::string> names;  ///< that new ones must differ from
  CodeSpelling spelling;
  std::vector<TileVariable> variables;  ///< those that are replaced
  std::vector<TileSite> sites;          ///< in the order of the text

  /// What can be written at a site; the better of two texts for one number comes first. For other
  /// launches of the kernel the texts are the same, in the same order.
  virtual std::vector<ScopeNumber> numbers(std::size_t site,
                                           const config::Launch& launch) const = 0;
  /// The variable's value is turned into this many bits by the code around it.
  virtual bool keeps_type(std::size_t variable) const = 0;
  /// The whole new text. `code`: per site, lines that end as the file's do and begin with
  /// `place.margin`. `values`: per variable. Throws Error where the text cannot be put together.
  virtual std::string rewritten(const std::vector<std::string>& code,
                                const std::vector<std::string>& values) const = 0;
};

}  // namespace heddle::kernel
