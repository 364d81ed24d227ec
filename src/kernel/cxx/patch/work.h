// Pairs the work of two C++ kernels, node by node: everything that is not index code.
//
//   before  x[blockIdx.x * 64 + threadIdx.x] = a;     after  x[tile * 64 + threadIdx.x] = a;
//   equal but for  blockIdx.x * 64  and  tile * 64:   a pair of the cut
//
// Rules
//   1. Kinds, types, operators, literals, casts and every other attribute must be equal, and so
//      must the tokens. Local variables pair up one to one, by declaration.
//   2. Any other declaration must stand at the same place of what both files share, or come from
//      headers of the compiler and of heddle and have the same name and type.
//   3. Where both sides have an index value, the largest ones become part of the cut if they see
//      the block. Those that do not must be the same computation.
//   4. Sums, differences and products of equal numbers of 32 or 64 bits are the same bits, signed or
//      not: where both sides convert them to the same type, they may differ in that. An index value
//      in brackets may have another type: it is compared as a number.
//   5. A number that is its own line's (__LINE__) may differ where it is only printed.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/cxx/patch/index.h"
#include "kernel/cxx/patch/values.h"
#include "kernel/cxx/tree.h"

namespace heddle::kernel::cxx {

inline constexpr std::size_t kNotShared = static_cast<std::size_t>(-1);

/// One kernel, and where its tokens stand in what both files share.
struct CxxWorkSide {
  const CxxTree* tree = nullptr;
  CxxIndex* index = nullptr;
  std::vector<std::size_t> shared;  ///< per token: its number among those that both have
};

/// A token that is its own line's number.
bool is_line_number(const CxxTree& tree, std::size_t token);
/// It is an argument of a function that prints.
bool is_printed(const std::vector<Token>& tokens, std::size_t token);

class CxxWork {
 public:
  /// `same_launch`: gridDim and blockDim are the same numbers in both.
  CxxWork(CxxWorkSide& before, CxxWorkSide& after, bool same_launch);

  /// A statement's form, with index values and local names left open: equal forms may pair up.
  std::string form_before(std::size_t statement);
  std::string form_after(std::size_t statement);
  /// Two statements differ in nothing but the types that integers are computed in.
  bool differ_in_types(const CxxNode& before, const CxxNode& after);
  /// Two loops differ in nothing but statements of their bodies that may be index code (likely.h).
  bool differ_in_turns(const CxxNode& before, const CxxNode& after) const;
  /// Pairs two statements; false: they differ.
  bool pair(std::size_t before, std::size_t after);
  /// Why the last pair differs, if that is not plain: "n / 2 -> n / 4".
  const std::string& reason() const { return reason_; }
  /// Index values of two types, which may be the same numbers all the same.
  const std::string& other_type() const { return other_type_; }
  /// The tokens of both bodies, without index code and what was paired, are the same. Else the
  /// first tokens that are not.
  bool are_tokens_equal(std::size_t& before, std::size_t& after) const;

  /// Tokens of the new body that no index code and no pair takes up; kNotShared for each pair.
  std::vector<std::size_t> rest() const { return rest_of(after_); }
  /// A name of `changed`, or of an index variable that is not the same number in both, in what the
  /// pairs leave of a body: a template's argument, say. Trees do not always show what it gives.
  std::string leftover_name(const std::set<std::string>& changed) const;

  struct Pair {
    PlacedValue before;
    PlacedValue after;
  };
  const std::vector<Pair>& cut() const { return cut_; }
  /// Lines where __LINE__ changes more than what is printed.
  const std::vector<int>& line_numbers() const { return line_numbers_; }

 private:
  using Node = CxxNode;
  struct Half {
    CxxWorkSide* side = nullptr;
    std::set<std::uint64_t> locals;
    std::map<std::uint64_t, std::uint64_t> bound;
    std::map<std::size_t, std::size_t> holes;  ///< first token -> the one behind the last
    std::size_t statement = 0;
  };
  static void find_locals(const Node& node, std::set<std::uint64_t>& locals);
  static std::string form(Half& half, const Node& node);
  static std::string loose_form(Half& half, const Node& node);
  static void add_hole(Half& half, const Node& node);
  static void add_name(Half& half, const Node& node);
  static std::vector<std::size_t> rest_of(const Half& half);
  bool pair(const Node& before, const Node& after);
  bool pair_turns(const Node& before, const Node& after);
  bool pair_nodes(const Node& before, const Node& after);
  bool pair_bits(const Node& before, const Node& after, int bits);
  bool pair_values(const Node& before, int step_before, const Node& after, int step_after,
                   bool is_number = false);
  bool pair_references(const Node& before, const Node& after);
  bool bind(std::uint64_t before, std::uint64_t after);
  bool is_same_line(std::size_t before, std::size_t after);

  Half before_;
  Half after_;
  bool same_launch_;
  bool is_of_bits_ = false;  ///< the two statements differ in types of integers
  std::string reason_;
  std::string other_type_;
  std::vector<Pair> cut_;
  std::set<std::pair<std::string, std::string>> known_;  ///< pairs of the cut, as texts
  std::vector<int> line_numbers_;
};

}  // namespace heddle::kernel::cxx
