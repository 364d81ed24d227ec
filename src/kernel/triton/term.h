// What a Python expression of a kernel stands for while the reader walks over it: a constant that
// is known now, a value of the program, or something in between (a tuple, a function, a block
// pointer, a dtype).
//
//   BLOCK_M * 2          Integer 256            (constexpr arithmetic, Python's rounding)
//   tl.arange(0, 64)     RuntimeValue %7        (an instruction was written)
//   tl.float16           TypeTerm fp16
//   q.shape              Tuple (Integer 128, Integer 64)
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernel/tile_program.h"

namespace heddle::kernel::triton {

struct Node;
struct Module;
struct Term;

__extension__ using Integer = __int128;

struct None {};
struct Ellipsis {};
struct RuntimeValue {
  ValueId id = kNoValue;
};
/// A dtype, a pointer type, or the type of a block.
struct TypeTerm {
  Type type;
};
struct FunctionTerm {
  const Module* module = nullptr;
  const Node* definition = nullptr;  ///< FunctionDef or Lambda
};
/// "triton.language.load": something of a module that is not in the file.
struct ExternalTerm {
  std::string path;
  /// A function or module of Triton or Python: there, and not None.
  bool is_known() const;
};
/// Tuples and dicts are made with tuple_term and dict_term, which bound their size and depth:
/// every walk over a term ends soon.
struct TupleTerm {
  std::vector<Term> items;
  std::vector<std::string> names;  ///< of a named tuple
  std::size_t total = 0;           ///< items, and items of tuples inside
  int depth = 0;                   ///< nested tuples and dicts
};
struct DictTerm {
  std::vector<std::pair<std::string, Term>> items;
  int depth = 0;
};
struct SliceTerm {
  std::vector<Term> bounds;  ///< lower, upper, step; None where absent
};
struct BlockPointer {
  ValueId base = kNoValue;
  std::vector<ValueId> sizes;
  std::vector<ValueId> strides;
  std::vector<ValueId> offsets;
  std::vector<std::int64_t> block;
};
/// As a block pointer without offsets: every load brings its own.
struct Descriptor {
  BlockPointer place;
};
/// `x.to`, `desc.load`: a function of what stands before the dot.
struct MethodTerm {
  std::shared_ptr<const Term> self;
  std::string name;
};

struct Term {
  std::variant<None, bool, Integer, double, std::string, RuntimeValue, TypeTerm, FunctionTerm,
               ExternalTerm, std::shared_ptr<const TupleTerm>, std::shared_ptr<const DictTerm>,
               std::shared_ptr<const SliceTerm>, std::shared_ptr<const BlockPointer>,
               std::shared_ptr<const Descriptor>, MethodTerm, Ellipsis>
      data;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&data);
  }
  const TupleTerm* tuple() const;
  const BlockPointer* block_pointer() const;
  const Descriptor* descriptor() const;
  const DictTerm* dict() const;

  bool is_none() const { return as<None>() != nullptr; }
  bool is_runtime() const { return as<RuntimeValue>() != nullptr; }
  /// A bool, an integer or a float that is known now.
  bool is_number() const;
  /// An int or bool as an integer.
  std::optional<Integer> integer() const;
  std::optional<double> real() const;
  const std::string* text() const { return as<std::string>(); }
};

Term integer_term(Integer value);
/// Items of one tuple, those of tuples inside included.
inline constexpr std::size_t kTupleLimit = 65'536;
Term tuple_term(std::vector<Term> items, std::vector<std::string> names = {});
Term dict_term(std::vector<std::pair<std::string, Term>> items);
Term text_term(std::string text);

/// "3", "'relu'", "None", "fp16", "a block": for messages.
std::string describe(const Term& term);

std::string integer_text(Integer value);

}  // namespace heddle::kernel::triton
