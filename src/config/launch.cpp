#include "config/launch.h"

#include <fmt/format.h>

#include <cmath>

namespace heddle::config {
namespace {

std::string text_of(double number) {
  if (std::isnan(number)) return "nan";
  std::string text = fmt::format("{}", number);
  // Python's way: a float shows that it is one.
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

const Argument* Launch::find(const std::string& name) const {
  for (const Argument& argument : arguments) {
    if (argument.name == name) return &argument;
  }
  return nullptr;
}

std::string value_text(const Value& value) {
  struct Printer {
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(bool flag) const { return flag ? "True" : "False"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return text_of(number); }
    std::string operator()(const std::string& text) const { return "'" + text + "'"; }
    std::string operator()(const TensorReference& tensor) const {
      return fmt::format("<tensor {}>", tensor.index);
    }
    std::string operator()(const ValueList& list) const {
      std::string text = "[";
      for (const Value& item : list) text += (text.size() > 1 ? ", " : "") + value_text(item);
      return text + "]";
    }
  };
  return std::visit(Printer{}, value.data);
}

}  // namespace heddle::config
