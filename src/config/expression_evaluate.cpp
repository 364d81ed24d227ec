#include <fmt/format.h>

#include "config/arithmetic.h"
#include "config/expression.h"
#include "config/expression_functions.h"
#include "support/error.h"
#include "support/spelling.h"

namespace heddle::config {
namespace {

using Kind = Expression::Kind;

constexpr int kDepthLimit = 1000;
constexpr std::size_t kListLimit = 1 << 10;

/// Values in a list, those in lists within it included.
std::size_t size_of(const Value& value) {
  const auto* list = std::get_if<ValueList>(&value.data);
  if (list == nullptr) return 1;
  std::size_t size = 1;
  for (const Value& item : *list) size += size_of(item);
  return size;
}

Value list_of(const std::vector<std::int64_t>& numbers) {
  ValueList list;
  for (const std::int64_t number : numbers) list.emplace_back().data = number;
  return Value{std::move(list)};
}

Value element(const std::vector<Value>& list, std::int64_t index, std::string_view what) {
  const auto size = static_cast<std::int64_t>(list.size());
  const std::int64_t from_start = index < 0 && index >= -size ? index + size : index;
  if (from_start < 0 || from_start >= size) {
    throw Error(fmt::format("{} has no element {}: it has {}", what, index, size),
                "count from 0, or from the end with -1");
  }
  return list[static_cast<std::size_t>(from_start)];
}

class Evaluator {
 public:
  explicit Evaluator(Names& names) : names_(names) {}

  Value run(const Expression& e) {
    if (names_.depth >= kDepthLimit) {
      throw Error("the expression depends on too many others in a chain", "use fewer steps");
    }
    ++names_.depth;
    struct Leave {
      int& depth;
      ~Leave() { --depth; }
    } leave{names_.depth};
    return dispatch(e);
  }

 private:
  Value dispatch(const Expression& e) {
    switch (e.kind) {
      case Kind::literal:
        return e.value;
      case Kind::name:
        return name(e.text);
      case Kind::attribute:
        return attribute(e);
      case Kind::call:
        return call(e);
      case Kind::subscript:
        return subscript(e);
      case Kind::unary:
        return unary_operation(e.text, run(e.operands[0]));
      case Kind::binary:
        return binary(e);
      case Kind::compare:
        return compare(e);
      case Kind::logical_and:
      case Kind::logical_or: {
        Value left = run(e.operands[0]);
        return is_true(left) == (e.kind == Kind::logical_and) ? run(e.operands[1]) : left;
      }
      case Kind::conditional:
        return run(e.operands[is_true(run(e.operands[0])) ? 1 : 2]);
      case Kind::list:
        return list(e);
    }
    return {};
  }

  Value name(const std::string& text) {
    if (std::optional<Value> found = names_.find(text)) return std::move(*found);
    const std::vector<std::string> known = names_.all();
    throw Error(fmt::format("'{}' is not known", text),
                known.empty() ? "use numbers only"
                              : fmt::format("{}the names are: {}", did_you_mean(text, known),
                                            word_list(known)));
  }

  Value binary(const Expression& e) {
    const Value left = run(e.operands[0]);
    return binary_operation(e.text, left, run(e.operands[1]));
  }

  Value compare(const Expression& e) {
    Value left = run(e.operands[0]);
    for (std::size_t i = 0; i < e.texts.size(); ++i) {
      Value right = run(e.operands[i + 1]);
      if (!compare_values(e.texts[i], left, right)) return Value{false};
      left = std::move(right);
    }
    return Value{true};
  }

  Value list(const Expression& e) {
    ValueList items;
    std::size_t size = 0;
    for (const Expression& operand : e.operands) {
      items.push_back(run(operand));
      // A list of lists of lists could grow without bound.
      size += size_of(items.back());
      if (size > kListLimit) {
        throw Error(fmt::format("a list has more than {} values", kListLimit), "shorten it");
      }
    }
    return Value{std::move(items)};
  }

  Value subscript(const Expression& e) {
    const Value object = run(e.operands[0]);
    const std::int64_t index = integer_of(run(e.operands[1]), "an index");
    const auto* items = std::get_if<ValueList>(&object.data);
    if (items == nullptr) {
      throw Error(fmt::format("{} has no elements to index", kind_text(object)),
                  "index a list or a shape: T.shape[0]");
    }
    return element(*items, index, "the list");
  }

  /// "tl", "triton" or "math": what is known of modules are their names.
  bool is_module(const Expression& e, std::string_view module) {
    return e.kind == Kind::name && e.text == module && !names_.find(e.text);
  }

  Value attribute(const Expression& e) {
    if (is_module(e.operands[0], "tl")) return Value{"tl." + e.text};
    const Value object = run(e.operands[0]);
    if (const auto* tensor = std::get_if<TensorReference>(&object.data)) {
      if (e.text == "shape") return list_of(names_.shape(*tensor));
      if (e.text == "ndim") {
        return Value{static_cast<std::int64_t>(names_.shape(*tensor).size())};
      }
    }
    throw no_member(object, e.text);
  }

  static Error no_member(const Value& object, const std::string& name) {
    return Error(fmt::format("{} has no '{}' here", kind_text(object), name),
                 "a tensor has .shape[i], .ndim, .stride(i), .size(i), .dim(), .numel() and "
                 ".element_size()");
  }

  Value call(const Expression& e) {
    const Expression& callee = e.operands[0];
    std::vector<Value> arguments;
    const auto evaluate_arguments = [&] {
      for (std::size_t i = 1; i < e.operands.size(); ++i) arguments.push_back(run(e.operands[i]));
    };
    if (callee.kind == Kind::name) {
      evaluate_arguments();
      return call_function(callee.text, arguments, names_);
    }
    if (callee.kind != Kind::attribute) {
      throw Error("only functions can be called", "see the list of functions in docs/jobs.md");
    }
    for (const std::string_view module : {"tl", "triton", "math"}) {
      if (!is_module(callee.operands[0], module)) continue;
      evaluate_arguments();
      return call_function(callee.text, arguments, names_);
    }
    const Value object = run(callee.operands[0]);
    evaluate_arguments();
    return method(object, callee.text, arguments);
  }

  Value method(const Value& object, const std::string& name, const std::vector<Value>& arguments) {
    const auto* tensor = std::get_if<TensorReference>(&object.data);
    if (tensor == nullptr) throw no_member(object, name);
    if (name == "stride" || name == "size") {
      const Value numbers =
          list_of(name == "stride" ? names_.strides(*tensor) : names_.shape(*tensor));
      if (arguments.empty()) return numbers;
      if (arguments.size() == 1) {
        return element(std::get<ValueList>(numbers.data), integer_of(arguments[0], "an axis"),
                       fmt::format("the tensor's {}", name));
      }
    } else if (arguments.empty()) {
      if (name == "numel") return numel(*tensor);
      if (name == "dim") return Value{static_cast<std::int64_t>(names_.shape(*tensor).size())};
      if (name == "element_size") return Value{names_.element_bytes(*tensor)};
    }
    throw no_member(object, name);
  }

  Value numel(TensorReference tensor) {
    Value product{std::int64_t{1}};
    for (const std::int64_t extent : names_.shape(tensor)) {
      product = binary_operation("*", product, Value{extent});
    }
    return product;
  }

  Names& names_;
};

}  // namespace

Value evaluate(const Expression& expression, Names& names) {
  return Evaluator(names).run(expression);
}

std::string_view kind_text(const Value& value) {
  constexpr std::string_view kTexts[] = {"None",   "a bool",   "an integer", "a float",
                                         "a text", "a tensor", "a list"};
  return kTexts[value.data.index()];
}

std::int64_t integer_of(const Value& value, std::string_view what) {
  if (const auto* number = std::get_if<std::int64_t>(&value.data)) return *number;
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag ? 1 : 0;
  const bool real = std::holds_alternative<double>(value.data);
  throw Error(fmt::format("{} must be an integer, not {}", what,
                          real ? value_text(value) : std::string(kind_text(value))),
              real ? "use // instead of /, or int(...)" : "give a whole number");
}

double number_of(const Value& value, std::string_view what) {
  if (const auto* number = std::get_if<double>(&value.data)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(&value.data)) {
    return static_cast<double>(*number);
  }
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag ? 1 : 0;
  throw Error(fmt::format("{} must be a number, not {}", what, kind_text(value)), "give a number");
}

}  // namespace heddle::config
