// What of a kernel's files the kernel can reach, by name; the rest need not compile.
//
//   a.cu   #include "b.h"                             b.h   __device__ float scale(float x);
//          __global__ void k(float* p) { scale(*p); }       inline void report() { cublasCheck(); }
//   reached from k: k, scale
//
// Rules
//   1. A declaration outside classes is reached if a word that it declares (declared_names.h) stands
//      in the kernel, in a declaration that is reached, or in a macro whose name does. All
//      declarations of a word are reached, in whatever scope, so that overloads and specialisations
//      stay together. A class is reached as a whole.
//   2. `using namespace`, begin() and end(), declarations whose heads macros with ## or includes make
//      up are reached always; explicit instantiations never. A static_assert is reached with any of
//      its words. Operators are reached, unless one of their parameters is of a class that is not
//      reached and that nothing converts to, since it has no constructor.
//   3. Where what is reached pastes names together (##), a declaration is reached if its name could
//      be pasted from a word that is reached.
//   4. What is not reached is only left out. It cannot change what the rest means, since nothing in
//      the rest can name it.
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
  std::optional<TokenRange> body;  ///< of a function or class; from initialisers and bases on
  bool is_function = false;
  std::vector<std::string> names = {};   ///< that it declares; "operator+"
  bool is_always = false;                ///< reached, whatever the kernel names
  std::optional<OutlineItem> item = {};  ///< of a function or variable
};

/// Units of which only a declaration, or nothing, is left.
struct LeftOut {
  std::set<std::size_t> bodies;
  std::set<std::size_t> whole;
};

class Reach {
 public:
  /// The first file is the kernel's. They must outlive this.
  explicit Reach(std::vector<const CxxSource*> files);

  /// Follows the words of the kernel, and `words`, through what is not left out.
  void follow(const CxxFunction& kernel, const std::vector<std::string>& words,
              const LeftOut& left_out = {});

  const std::vector<ReachUnit>& units() const { return units_; }
  bool is_reached(std::size_t unit) const { return reached_[unit]; }
  /// Whether a word stands in what is reached.
  bool is_word(const std::string& word) const { return words_.count(word) != 0; }
  const Outline& outline(std::size_t file) const { return outlines_[file]; }
  const std::vector<Token>& tokens(const ReachUnit& unit) const;
  /// #define and the like of all files.
  const std::vector<Token>& directives() const { return directives_; }
  /// A function or variable that counts as the host's although something that is reached names it,
  /// and an unknown word in capitals in front of it: what it is, that word decides.
  struct Doubt {
    std::string name;
    std::string word;
    std::size_t file = 0;
    Position position;
  };
  std::optional<Doubt> doubt() const;
  /// What a file's text loses by what is not reached.
  TextCuts cuts(std::size_t file) const;

 private:
  struct Macro {
    std::set<std::string> words;
    bool pastes = false;
    bool declares = false;  ///< it has a ; or a brace or a comma: it may hold declarations
    bool is_defined = false;
    std::string definition;  ///< what follows #define, where there is one only
  };
  void read_macros();
  void add_units(std::size_t file);
  void add_unit(ReachUnit unit, TokenRange head);
  std::optional<std::vector<std::string>> made_names(std::size_t file,
                                                     const OutlineItem& item) const;
  void add(std::string word);
  void add_words(const CxxSource& file, TokenRange range);
  void add_doubt(std::size_t file, const OutlineItem& item);
  void add_macro(const std::string& name);
  void mark(std::size_t unit, const LeftOut& left_out);
  void follow_words(const LeftOut& left_out);
  bool is_for_nobody(const ReachUnit& unit) const;
  bool add_operators(const LeftOut& left_out);
  bool can_be_pasted(const std::string& name) const;

  std::vector<const CxxSource*> files_;
  std::vector<Token> directives_;
  std::vector<Outline> outlines_;
  std::vector<ReachUnit> units_;
  std::vector<bool> reached_;
  std::map<std::string, std::vector<std::size_t>> declared_;  ///< units, by name
  std::vector<std::size_t> operators_;                        ///< units
  std::map<std::string, Macro> macros_;
  std::vector<Doubt> doubts_;
  std::set<std::string> words_;
  std::vector<std::string> pending_;
  bool pastes_ = false;  ///< something that is reached does
};

}  // namespace heddle::kernel::cxx
