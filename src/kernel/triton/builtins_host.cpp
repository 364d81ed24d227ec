// What host code around a kernel asks of Python, PyTorch and the driver: enough to know the configs
// of an autotuner and the constants of a module. The GPU that answers is an NVIDIA one with 32
// lanes a warp; a job that means another one gives the values itself.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "kernel/triton/lowering.h"

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

Term target(Lowering&, const BoundCall&) {
  return named({{"backend", text_term("cuda")},
                {"arch", integer_term(90)},
                {"warp_size", integer_term(32)}});
}

Term capability(Lowering&, const BoundCall&) {
  return tuple_term({integer_term(9), integer_term(0)});
}

Term yes(Lowering&, const BoundCall&) {
  return Term{true};
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
      {"is_cuda", "", yes},
      {"is_hip", "", no},
      {"is_xpu", "", no},
      {"cuda_capability_geq", "major minor", yes},
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
