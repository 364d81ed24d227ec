#include "measure/launch_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "config/dtype.h"
#include "support/error.h"

namespace heddle::measure {
namespace {

using config::Contents;
using config::DType;

std::string type_text(DType type) {
  return type == DType::boolean ? "bool" : std::string(config::dtype_text(type));
}

/// Whether a tensor is among those that a parameter can point to.
bool is_of(const BundleLaunch& launch, int parameter, std::size_t tensor) {
  const kernel::Parameter& taken = launch.program->parameters[static_cast<std::size_t>(parameter)];
  const config::Value& value = launch.launch.arguments[taken.argument].value;
  const auto* reference = std::get_if<config::TensorReference>(&value.data);
  // Of a list, any element.
  if (reference == nullptr) return true;
  return reference->index == tensor;
}

struct Use {
  bool reads = false;
  bool writes = false;
};

Use use_in_sites(const BundleLaunch& launch, std::size_t tensor) {
  Use use;
  for (const kernel::Site& site : launch.program->sites) {
    const bool touches =
        site.parameters.empty() || std::ranges::any_of(site.parameters, [&](int parameter) {
          return is_of(launch, parameter, tensor);
        });
    if (!touches) continue;
    use.reads |= site.kind != kernel::MemoryKind::write;
    use.writes |= site.kind != kernel::MemoryKind::read;
  }
  return use;
}

Use use_in_trace(const TraceReport& memory, const std::string& name) {
  Use use;
  for (const AccessSummary& access : memory.accesses) {
    if (access.tensor != name && !access.tensor.empty()) continue;
    use.reads |= access.kind != AccessKind::write;
    use.writes |= access.kind != AccessKind::read;
  }
  return use;
}

std::string contents_text(const BundleLaunch& launch, const config::Tensor& tensor) {
  const Contents& contents = tensor.contents;
  switch (contents.kind) {
    case Contents::Kind::unspecified:
      return "random";
    case Contents::Kind::zeros:
      return "zeros";
    case Contents::Kind::constant:
      return fmt::format("constant {}", contents.lo);
    case Contents::Kind::normal:
      return "normal";
    case Contents::Kind::uniform:
      return fmt::format("uniform {} {}", contents.lo, contents.hi);
    case Contents::Kind::range:
      return "range";
    case Contents::Kind::addresses:
      return fmt::format("addresses {}", fmt::join(contents.tensors, " "));
    default:
      return "file " + data_path(launch, tensor);
  }
}

std::string tensor_text(const BundleLaunch& launch, std::size_t index) {
  const config::Tensor& tensor = launch.launch.tensors[index];
  std::string text =
      fmt::format("tensor {} {} {} {} {}\n", tensor.name, type_text(tensor.dtype), tensor.bytes,
                  tensor_use(launch, index), contents_text(launch, tensor));
  text += fmt::format("shape {} {}\n", tensor.name, fmt::join(tensor.shape, " "));
  text += fmt::format("strides {} {}\n", tensor.name, fmt::join(tensor.strides, " "));
  if (!tensor.block.empty())
    text += fmt::format("block {} {}\n", tensor.name, fmt::join(tensor.block, " "));
  return text;
}

std::string number_text(const std::string& name, const config::Value& value,
                        std::optional<DType> type) {
  if (const auto* flag = std::get_if<bool>(&value.data))
    return fmt::format("{} {}", type_text(type.value_or(DType::boolean)), *flag ? 1 : 0);
  if (const auto* whole = std::get_if<std::int64_t>(&value.data)) {
    const bool is_small = *whole >= INT32_MIN && *whole <= INT32_MAX;
    const DType usual = is_small ? DType::int32 : DType::int64;
    return fmt::format("{} {}", type_text(type.value_or(usual)), *whole);
  }
  if (const auto* real = std::get_if<double>(&value.data))
    return fmt::format("{} {}", type_text(type.value_or(DType::float32)), *real);
  throw Error(
      fmt::format("a bundle cannot carry the argument '{}', {}", name, config::value_text(value)),
      "numbers, tensors and None can be measured");
}

std::string argument_text(const config::Launch& launch, const config::Argument& argument,
                          std::optional<DType> type) {
  if (const auto* tensor = std::get_if<config::TensorReference>(&argument.value.data))
    return fmt::format("argument {} tensor {}\n", argument.name,
                       launch.tensors[tensor->index].name);
  if (std::holds_alternative<std::monostate>(argument.value.data))
    return fmt::format("argument {} none\n", argument.name);
  return fmt::format("argument {} {}\n", argument.name,
                     number_text(argument.name, argument.value, type));
}

/// "tl.fp16" is heddle's word for what Python has as tl.float16; others stay as they are.
std::string type_text(const std::string& text) {
  const std::string name = text.substr(3);
  const auto type = config::dtype_from_text(name);
  return "type tl." + (type && name == config::dtype_text(*type)
                           ? std::string(config::language_text(*type))
                           : name);
}

std::string constexpr_text(const config::Argument& argument) {
  struct Printer {
    const config::Argument& argument;
    std::string operator()(std::monostate) const { return "none"; }
    std::string operator()(bool flag) const { return flag ? "bool 1" : "bool 0"; }
    std::string operator()(std::int64_t number) const { return fmt::format("int {}", number); }
    std::string operator()(double number) const { return fmt::format("float {}", number); }
    std::string operator()(const std::string& text) const {
      return text.starts_with("tl.") ? type_text(text) : "text " + text;
    }
    std::string operator()(const config::TensorReference&) const { return refuse(); }
    std::string operator()(const config::ValueList&) const { return refuse(); }
    [[noreturn]] std::string refuse() const {
      throw Error(fmt::format("a bundle cannot carry the constexpr '{}', {}", argument.name,
                              config::value_text(argument.value)),
                  "numbers, texts and None can be measured");
    }
  };
  return fmt::format("constexpr {} {}\n", argument.name,
                     std::visit(Printer{argument}, argument.value.data));
}

std::string passed_text(const config::Launch& launch, const kernel::PassedArgument& passed) {
  const config::Argument& argument = launch.arguments[passed.argument];
  if (!passed.unsupported_type.empty())
    throw Error(fmt::format("a bundle cannot carry the parameter '{}' of type '{}'", argument.name,
                            passed.unsupported_type),
                "numbers and pointers can be measured");
  return passed.is_constexpr ? constexpr_text(argument)
                             : argument_text(launch, argument, passed.type);
}

}  // namespace

std::string tensor_use(const BundleLaunch& launch, std::size_t tensor) {
  const Use use = launch.program->traits().knows_pointers
                      ? use_in_sites(launch, tensor)
                      : use_in_trace(*launch.memory, launch.launch.tensors[tensor].name);
  if (!use.writes) return "read";
  return use.reads ? "update" : "write";
}

std::string data_path(const BundleLaunch& launch, const config::Tensor& tensor) {
  switch (tensor.contents.kind) {
    case Contents::Kind::csr_offsets:
    case Contents::Kind::csr_columns:
    case Contents::Kind::file:
    case Contents::Kind::permutation:
    case Contents::Kind::values:
      return fmt::format("data/{}.{}.bin", launch.name, tensor.name);
    default:
      return {};
  }
}

std::string launch_text(const BundleLaunch& launch) {
  const config::Launch& one = launch.launch;
  std::string text = fmt::format("launch {}\ngrid", launch.name);
  for (int axis = 0; axis < 3; ++axis)
    text += fmt::format(" {}", axis < one.grid.axes() ? one.grid.extent(axis) : 1);
  const bool adds = launch.program->traits().adds_shared_bytes;
  text += fmt::format("\nthreads {} {} {}\nshared_bytes {}\nwarps {}\nstages {}\n", one.threads[0],
                      one.threads[1], one.threads[2], adds ? one.shared_bytes.value_or(0) : 0,
                      one.warps, one.stages);
  for (std::size_t i = 0; i < one.tensors.size(); ++i) text += tensor_text(launch, i);
  for (const kernel::PassedArgument& passed : launch.program->passed(one))
    text += passed_text(one, passed);
  return text + "end\n";
}

}  // namespace heddle::measure
