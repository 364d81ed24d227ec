// What host code around a kernel asks of Python, PyTorch and the driver: enough to know the configs
// of an autotuner and the constants of a module. The GPU that answers is the one that the source is
// read for (config/target.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kernel/triton/lowering.h"
#include "support/text.h"

namespace heddle::kernel::triton {
namespace {

Term named(std::vector<std::pair<std::string, Term>> fields) {
  std::vector<std::string> names;
  std::vector<Term> items;
  for (auto& [name, term] : fields) {
    names.push_back(name);
    items.push_back(std::move(term));
  }
  return tuple_term(std::move(items), std::move(names));
}

bool is_amd(Lowering& lowering) {
  return lowering.source().target.vendor == config::Vendor::amd;
}

struct Capability {
  int major = 0;
  int minor = 0;
};

/// sm_90: 9.0; gfx942: 9.4.
Capability capability_of(const config::Target& target) {
  const bool amd = target.vendor == config::Vendor::amd;
  const std::string& name = target.name;
  std::string digits = name.substr(std::min(name.size(), name.find_first_of("0123456789")));
  if (amd && !digits.empty()) digits.pop_back();  // the stepping, a hexadecimal digit
  const auto number = parse_integer(digits.substr(0, digits.find_first_not_of("0123456789")));
  if (!number) return {9, 0};
  return {static_cast<int>(*number / 10), static_cast<int>(*number % 10)};
}

Term target(Lowering& lowering, const BoundCall&) {
  const config::Target& asked = lowering.source().target;
  const Capability capability = capability_of(asked);
  return named({{"backend", text_term(is_amd(lowering) ? "hip" : "cuda")},
                {"arch", is_amd(lowering) ? text_term(asked.name)
                                          : integer_term(capability.major * 10 + capability.minor)},
                {"warp_size", integer_term(asked.wave_lanes)}});
}

Term capability(Lowering& lowering, const BoundCall&) {
  const Capability found = capability_of(lowering.source().target);
  return tuple_term({integer_term(found.major), integer_term(found.minor)});
}

Term is_cuda(Lowering& lowering, const BoundCall&) {
  return Term{!is_amd(lowering)};
}

Term is_hip(Lowering& lowering, const BoundCall&) {
  return Term{is_amd(lowering)};
}

template <int number>
Term is_cdna(Lowering& lowering, const BoundCall&) {
  static const std::array<std::string, 3> kNames = {"gfx90a", "gfx942", "gfx950"};
  return Term{lowering.source().target.name == kNames.at(number - 2)};
}

Term has_capability(Lowering& lowering, const BoundCall& call) {
  if (is_amd(lowering)) return Term{false};
  const Capability found = capability_of(lowering.source().target);
  const Integer major = lowering.integer(call.need("major"), "the major version");
  const Integer minor =
      call.has("minor") ? lowering.integer(call.get("minor"), "the minor version") : Integer{0};
  return Term{found.major > major || (found.major == major && found.minor >= minor)};
}

Term no(Lowering&, const BoundCall&) {
  return Term{false};
}

/// torch.finfo and torch.iinfo.
Term type_limits(Lowering& lowering, const BoundCall& call) {
  const DType type = lowering.type_of(call.need("type")).element;
  if (config::is_integer(type)) {
    const int bits = config::bit_width(type) - (config::is_signed(type) ? 1 : 0);
    const Integer most = (Integer{1} << bits) - 1;
    return named({{"max", integer_term(most)},
                  {"min", integer_term(config::is_signed(type) ? -most - 1 : 0)},
                  {"bits", integer_term(config::bit_width(type))}});
  }
  double most = std::numeric_limits<float>::max();
  double step = std::numeric_limits<float>::epsilon();
  if (type == DType::float64) {
    most = std::numeric_limits<double>::max();
    step = std::numeric_limits<double>::epsilon();
  } else if (type == DType::float16) {
    most = 65504;
    step = std::ldexp(1.0, -10);
  } else if (type == DType::bfloat16) {
    most = std::ldexp(255.0, 120);
    step = std::ldexp(1.0, -7);
  } else if (type == DType::float8_e4m3) {
    most = 448;
    step = 0.125;
  } else if (type == DType::float8_e5m2) {
    most = 57344;
    step = 0.25;
  }
  return named({{"max", Term{most}},
                {"min", Term{-most}},
                {"eps", Term{step}},
                {"bits", integer_term(config::bit_width(type))}});
}

Term python_filter(Lowering& lowering, const BoundCall& call) {
  const Term list = call.need("list");
  if (list.tuple() == nullptr) throw Error("filter takes a list", "list the items");
  std::vector<Term> kept;
  for (const Term& item : list.tuple()->items) {
    const Term keep = lowering.call_term(call.need("function"), {item}, {}, call.node());
    if (lowering.known_truth(keep).value_or(false)) kept.push_back(item);
  }
  return tuple_term(std::move(kept));
}

/// math.sqrt and its like, of numbers that are known.
template <double (*function)(double)>
Term python_math(Lowering&, const BoundCall& call) {
  const double x = *call.need("x").real();
  const double result = function(x);
  if (!std::isfinite(result) && std::isfinite(x))
    throw Error(fmt::format("{} of {} is not possible", call.name(), x), "check the number");
  return Term{result};
}

template <config::Toward toward>
Term python_rounding(Lowering&, const BoundCall& call) {
  const auto number = known_number(call.need("x"));
  if (!number) throw Error(fmt::format("{} takes a number", call.name()), "give a number");
  return integer_term(config::python_integer(*number, toward, config::k100Bits));
}

Term make_dtype(Lowering& lowering, const BoundCall& call) {
  return Term{TypeTerm{lowering.type_of(call.need("name"))}};
}

/// tl.standard._log2 of a power of two.
Term whole_log2(Lowering& lowering, const BoundCall& call) {
  const Integer n = lowering.integer(call.need("i"), "the argument of _log2");
  int log = 0;
  while (log < 62 && (Integer{1} << (log + 1)) <= n) ++log;
  return integer_term(log);
}

Term python_text(Lowering&, const BoundCall& call) {
  const Term x = call.need("x");
  return x.text() != nullptr ? x : text_term(describe(x));
}

}  // namespace

std::vector<Builtin> host_builtins() {
  return {
      {"get_current_target", "", target},
      {"get_device_capability", "device", capability},
      {"current_target", "", target},
      {"is_cuda", "", is_cuda},
      {"is_hip", "", is_hip},
      {"is_hip_cdna2", "", is_cdna<2>},
      {"is_hip_cdna3", "", is_cdna<3>},
      {"is_hip_cdna4", "", is_cdna<4>},
      {"is_xpu", "", no},
      {"cuda_capability_geq", "major minor", has_capability},
      {"finfo", "type", type_limits},
      {"iinfo", "type", type_limits},
      {"dtype", "name", make_dtype},
      {"_log2", "i", whole_log2},
      {"builtins.filter", "function list", python_filter},
      {"builtins.str", "x", python_text},
      {"math.sqrt", "x", python_math<std::sqrt>},
      {"math.exp", "x", python_math<std::exp>},
      {"math.log", "x", python_math<std::log>},
      {"math.log2", "x", python_math<std::log2>},
      {"math.log10", "x", python_math<std::log10>},
      {"math.ceil", "x", python_rounding<config::Toward::above>},
      {"math.floor", "x", python_rounding<config::Toward::below>},
  };
}

}  // namespace heddle::kernel::triton
