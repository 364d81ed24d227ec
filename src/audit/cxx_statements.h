// The statements of a C++ kernel, and which of them only compute where its block works.
//
//   const int p = blockIdx.x;             index, of the block; writes p
//   const int tile = p % 8 * g + p / 8;   index, of the block; writes tile
//   const int half = n / 2;               index, the same in every block; writes half
//   x[tile * 256 + threadIdx.x] = 0;      not index
//
// Rules
//   1. A body is cut at its outermost ; and }. A directive is a statement of its own.
//   2. Index code is integer arithmetic on constants, macros that are numbers, numbers that are
//      passed, blockIdx, gridDim, blockDim and names that index code alone gives a value, once
//      declared; also if, for and while that hold nothing else, min, max and index helpers. No
//      memory, no threads, no pointers.
//   3. An index helper is a __device__ function whose parameters are integers by value, and whose
//      body is such code and returns.
//
// Does not model: what types do to the arithmetic, names that macros hide.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernel/cxx/outline.h"
#include "kernel/cxx/source.h"

namespace heddle::audit {

struct CxxStatement {
  std::size_t begin = 0;  ///< tokens; `end` is the last one
  std::size_t end = 0;
  bool is_index = false;
  bool from_block = false;       ///< index: blockIdx takes part in it
  std::set<std::string> writes;  ///< names that it declares or assigns
  std::set<std::string> reads;   ///< other names in it
};

struct CxxName {
  std::string type;  ///< as declared: "const int"
  int writers = 0;   ///< statements
  bool from_block = false;
  std::size_t statement = 0;  ///< the first that writes it
};

class CxxStatements {
 public:
  /// Both must outlive this. `numbers` are macros that the compiler is given.
  CxxStatements(const kernel::cxx::CxxSource& source, const kernel::cxx::CxxFunction& function,
                const std::set<std::string>& numbers);

  const std::vector<CxxStatement>& all() const { return statements_; }
  /// Local names that are index values.
  const std::map<std::string, CxxName>& names() const { return names_; }
  bool is_index_name(std::string_view name) const { return names_.count(std::string(name)) > 0; }
  bool is_helper(std::string_view name) const { return helpers_.count(std::string(name)) > 0; }
  /// How many tokens the call of an index helper takes that begins here and that depends on the
  /// block; 0 if there is none.
  std::size_t helper_call(std::size_t token) const;
  /// How many tokens a sum or product in brackets takes that begins here, of unsigned index values
  /// that depend on the block and of numbers; 0 if there is none.
  std::size_t bracket_value(std::size_t token) const;
  /// What a helper returns, as written.
  const std::string& helper_type(const std::string& name) const { return helpers_.at(name); }
  /// Macros that are numbers, index helpers and index statements, as a C-like text.
  std::string index_text() const;
  /// Index code of the kernel as such a text: threads of a block are called heddle_threads_x,
  /// numbers that are passed heddle_given_n.
  std::string value_text(std::size_t begin, std::size_t end) const;
  /// Names of functions and macros of the file through which blockIdx or an index name is seen.
  std::set<std::string> hidden_uses() const;
  /// How many tokens a use of blockIdx takes that begins here: 0, 1 (hipBlockIdx_x) or 3.
  std::size_t block_use(std::size_t token) const;
  /// Its axis, 0 to 2.
  int block_axis(std::size_t token) const;

 private:
  void split();
  void find_names();
  void find_helpers();
  void find_index();
  void find_from_block();
  bool is_index_code(std::size_t begin, std::size_t end, const std::set<std::string>& inputs,
                     bool may_return) const;

  const kernel::cxx::CxxSource& source_;
  const kernel::cxx::CxxFunction& function_;
  const std::vector<kernel::cxx::Token>& tokens_;
  kernel::cxx::Outline outline_;
  std::vector<CxxStatement> statements_;
  std::map<std::string, CxxName> names_;
  std::map<std::string, std::string> helpers_;  ///< and what they return
  std::set<std::string> parameters_;            ///< integers that are passed
  std::map<std::string, std::string> passed_;   ///< those of the kernel, and their types
  std::string constants_;                       ///< numbers of the file, as a text
};

/// The name in `constexpr int NAME = 8;` or `#define NAME 8`; empty if the piece is nothing such.
std::string number_name(const std::vector<kernel::cxx::Token>& tokens,
                        kernel::cxx::TokenRange piece);

/// Cuts tokens at the outermost ; and }, and behind the brace of a namespace.
std::vector<kernel::cxx::TokenRange> cut_statements(const std::vector<kernel::cxx::Token>& tokens,
                                                    std::size_t begin, std::size_t end);

/// The tokens with one space between them.
std::string tokens_text(const std::vector<kernel::cxx::Token>& tokens, std::size_t begin,
                        std::size_t end);

}  // namespace heddle::audit
