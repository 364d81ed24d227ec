// What host code computes, as far as it is known without running it: numbers that remember how a job
// writes them, tensors with their shapes, lists, functions, and what is not known.
//
//   M, K = a.shape          Number 4096 "M", Number 4096 "K"
//   triton.cdiv(M, 128)     Number 32 "cdiv(M, 128)"
//   torch.empty((M, N))     Tensor [M, N]
//
// Rules
//   1. A number always has a value; its text is an expression of the job with that value, or empty.
//   2. A tensor's identity is its pointer: two names of one tensor are one tensor.
//   3. In a text, "\x01ID.stride(0)" stands for the stride of the tensor with that id, which gets its
//      name when it is known which parameter of the kernel it is.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernel/triton/source.h"

namespace heddle::kernel::triton::host {

/// Where something was read: "gemm.py:31".
struct Origin {
  std::string file;
  int line = 0;

  auto operator<=>(const Origin&) const = default;
};

struct Number {
  double real = 0;
  std::int64_t whole = 0;
  bool is_real = false;
  std::string text;  ///< as the job writes it; empty: the number itself

  static Number of(std::int64_t value, std::string text = {}) { return {0, value, false, text}; }
  static Number of_real(double value, std::string text = {}) { return {value, 0, true, text}; }
  double value() const { return is_real ? real : static_cast<double>(whole); }
  /// As the job writes it.
  std::string written() const;
};

struct Tensor {
  int id = 0;
  std::string name;             ///< of the host's variable; empty: none
  std::vector<Number> shape;    ///< may grow while the rank is not known
  std::vector<Number> strides;  ///< empty: row-major
  bool rank_known = false;
  std::string dtype;     ///< "fp16"; empty: not known
  std::string contents;  ///< as a job writes it; empty: not known
  std::string key;       ///< of the unknown that it was made of; empty: host code made it
  Origin origin;
};
using TensorPointer = std::shared_ptr<Tensor>;

struct Value;
using Values = std::vector<Value>;
struct Scope;

struct Unknown {
  std::string key;  ///< "x", "self.weight"; empty: of no name
};
struct Missing {};  ///< None
struct DTypeName {
  std::string name;  ///< "fp16"
};
struct Function {
  const Module* module = nullptr;
  const Node* definition = nullptr;  ///< FunctionDef or Lambda
  std::shared_ptr<Scope> scope;      ///< it closes over
  std::shared_ptr<Value> self;       ///< of a bound method
};
struct External {
  std::string path;  ///< "torch.empty"
};
/// Its block may be set later: two names of one descriptor have one block.
struct DescriptorOf {
  TensorPointer tensor;
  std::shared_ptr<std::vector<Number>> block = std::make_shared<std::vector<Number>>();
};
/// An instance of a class of the file, or the context of an autograd function.
struct Object {
  const Module* module = nullptr;
  const Node* definition = nullptr;  ///< ClassDef; null: of none
  std::string key;
  std::map<std::string, Value> attributes;
};
/// A file that was imported.
struct ModuleName {
  const Module* module = nullptr;
};
struct ClassName {
  const Module* module = nullptr;
  const Node* definition = nullptr;
};
struct Method {
  std::shared_ptr<Value> self;
  std::string name;
};
/// kernel[grid]
struct Launcher {
  Function kernel;
  std::shared_ptr<Value> grid;
};
struct List {
  Values items;
  bool is_tuple = true;
  TensorPointer shape_of;  ///< the shape of this tensor, whose rank may not be known
};
using Dict = std::vector<std::pair<std::string, Value>>;

struct Value {
  std::variant<Unknown, Missing, bool, Number, std::string, DTypeName, TensorPointer, Function,
               External, DescriptorOf, std::shared_ptr<Object>, ModuleName, ClassName, Method,
               Launcher, std::shared_ptr<List>, std::shared_ptr<Dict>>
      data;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&data);
  }
  bool is_unknown() const { return as<Unknown>() != nullptr; }
  bool is_none() const { return as<Missing>() != nullptr; }
  TensorPointer tensor() const {
    const auto* pointer = as<TensorPointer>();
    return pointer == nullptr ? nullptr : *pointer;
  }
  List* list() const {
    const auto* pointer = as<std::shared_ptr<List>>();
    return pointer == nullptr ? nullptr : pointer->get();
  }
  Dict* dict() const {
    const auto* pointer = as<std::shared_ptr<Dict>>();
    return pointer == nullptr ? nullptr : pointer->get();
  }
  Object* object() const {
    const auto* pointer = as<std::shared_ptr<Object>>();
    return pointer == nullptr ? nullptr : pointer->get();
  }
  /// A number or a bool.
  std::optional<Number> number() const;
  /// Whether it counts as true, where that is known.
  std::optional<bool> truth() const;
};

/// The names of a function that runs.
struct Scope {
  const Module* module = nullptr;
  std::map<std::string, Value> names;
  std::shared_ptr<Scope> outer;  ///< of the function around it
  const Node* owner = nullptr;   ///< the class of a method
};

/// The part of a dotted path behind the last dot.
std::string last_part(const std::string& path);
/// A path with another part; empty where it would be too long, or the path is empty.
std::string member_path(const std::string& path, const std::string& name);

/// Python's operators, by their names in its trees ("Add"). Nothing where it is not known.
std::optional<Number> operate(const std::string& op, const Number& a, const Number& b);
std::optional<bool> compare(const std::string& op, const Value& a, const Value& b);
/// "cdiv(a, b)" and its like: the text of a function of numbers.
Number call_text(const std::string& function, const std::vector<Number>& arguments, double real,
                 bool is_real);
/// Row-major, or those it has.
std::vector<Number> strides_of(const Tensor& tensor);
Number product(const std::vector<Number>& factors);

/// A key of a dict as Dict keeps it: a text, a whole number, a dtype. Nothing of another, or of one
/// that is not known.
std::optional<std::string> key_text(const Value& key);
Value key_value(const std::string& text);

bool is_integer_dtype(const std::string& dtype);
/// "fp16" of torch.float16, tl.float16, "half"; empty: no dtype.
std::string dtype_name(const std::string& word);

}  // namespace heddle::kernel::triton::host
