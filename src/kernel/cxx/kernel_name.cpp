#include "kernel/cxx/kernel_name.h"

#include <fmt/format.h>

#include "support/error.h"

namespace heddle::kernel::cxx {
namespace {

std::string plain_name(const CxxFunction& function) {
  return function.scope + function.name;
}

/// Which of several kernels of one name is meant: a type for its address, where its own names mean
/// what they do in its declaration.
std::string overload_type(const CxxFunction& function) {
  std::string text = fmt::format("using HeddleOverload = void (*){};", signature_of(function));
  if (!function.template_parameters.empty())
    text = fmt::format("template <{}> {}", fmt::join(function.template_parameters, ", "), text);
  const std::string scope = function.scope.substr(0, function.scope.rfind("::"));
  return scope.empty() ? text : fmt::format("namespace {} {{ {} }}", scope, text);
}

}  // namespace

std::string full_name(const CxxFunction& function, const std::string& asked,
                      const std::string& path) {
  const std::string plain = without_signature(asked);
  const std::size_t bracket = plain.find('<');
  const std::size_t open = function.scope.find("<>");  // of the class that it is a member of
  if (open != std::string::npos) {
    const std::size_t close = plain.rfind(">::");
    if (bracket < close && close != std::string::npos && close > bracket + 1)
      return fmt::format("{}{}{}{}", function.scope.substr(0, open),
                         plain.substr(bracket, close + 1 - bracket),
                         function.scope.substr(open + 2), function.name);
    throw Error(
        fmt::format("'{}' is a member of a template of {}", function.name,
                    fmt::join(function.template_parameters, ", ")),
        fmt::format("name its instantiation in the job: function = \"{}<...>{}{}\"",
                    function.scope.substr(0, open), function.scope.substr(open + 2), function.name))
        .at(path, function.position);
  }
  if (bracket != std::string::npos) return plain_name(function) + plain.substr(bracket);
  if (!function.template_parameters.empty())
    throw Error(
        fmt::format("'{}' is a template of {}", function.name,
                    fmt::join(function.template_parameters, ", ")),
        fmt::format("name its instantiation in the job: function = \"{}<...>\"", function.name))
        .at(path, function.position);
  return plain_name(function);
}

void name_callee(const CxxFunction& function, NativeCode& native) {
  native.callee = "&" + native.function;
  if (!function.is_overloaded || function.scope.find('<') != std::string::npos) return;
  native.signature = signature_of(function);
  native.overload = overload_type(function) + "\n";
  const std::size_t bracket = native.function.find('<');
  native.callee = fmt::format("static_cast<{}HeddleOverload{}>(&{})", function.scope,
                              bracket != std::string::npos ? native.function.substr(bracket) : "",
                              native.function);
}

}  // namespace heddle::kernel::cxx
