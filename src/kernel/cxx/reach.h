// What of a kernel's files the kernel can reach, by name; the rest need not compile.
//
//   a.cu   #include "b.h"                             b.h   __device__ float scale(float x);
//          __global__ void k(float* p) { scale(*p); }       inline void report() { cublasCheck(); }
//   reached from k: k, scale
//
// Rules
//   1. A declaration outside classes is reached if a word that it declares stands in the kernel, in
//      a declaration that is reached, or in a macro whose name does. All declarations of a word are
//      reached, in whatever scope, so that overloads and specialisations stay together. A class is
//      reached as a whole.
//   2. Operators are reached with one of their parameters' types, and where those are nobody's.
//      `using namespace`, begin() and end() are, always; explicit instantiations never.
//   3. What is not reached is only left out. It cannot change what the rest means, since nothing in
//      the rest can name it: names that macros paste together then are Clang's error.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kernel/cxx/outline.h"
#include "kernel/cxx/source.h"

namespace heddle::kernel::cxx {

/// A declaration outside classes.
struct ReachUnit {
  std::size_t file = 0;
  TokenRange all;
  std::optional<TokenRange> body;  ///< of a function or class; from the initialisers on
  bool is_function = false;
  std::vector<std::string> names;  ///< that it declares
  bool is_always = false;          ///< reached, whatever the kernel names
};

class Reach {
 public:
  /// The first file is the kernel's. They must outlive this.
  explicit Reach(std::vector<const CxxSource*> files);

  /// Follows the words of the kernel, and `words`.
  void follow(const CxxFunction& kernel, const std::vector<std::string>& words);

  const std::vector<ReachUnit>& units() const { return units_; }
  bool is_reached(std::size_t unit) const { return reached_[unit]; }
  const Outline& outline(std::size_t file) const { return outlines_[file]; }
  /// #define and the like of all files.
  const std::vector<Token>& directives() const { return directives_; }
  /// What a file's text loses by what is not reached.
  TextCuts cuts(std::size_t file) const;

 private:
  void add_units(std::size_t file);
  void add(std::string word);
  void add_words(const CxxSource& file, TokenRange range);
  void add_macro(const std::string& name);
  void mark(std::size_t unit);
  bool add_operators();

  std::vector<const CxxSource*> files_;
  std::vector<Token> directives_;
  std::vector<Outline> outlines_;
  std::vector<ReachUnit> units_;
  std::vector<bool> reached_;
  std::vector<std::pair<std::size_t, TokenRange>> operators_;  ///< a unit, its parameters
  std::map<std::string, std::vector<std::size_t>> declared_;   ///< units, by name
  std::map<std::string, std::vector<std::string>> macros_;     ///< the words of each
  std::set<std::string> words_;
  std::vector<std::string> pending_;
};

}  // namespace heddle::kernel::cxx
