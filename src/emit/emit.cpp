#include "emit/emit.h"

#include <map>

#include "emit/print.h"
#include "emit/simplify.h"

namespace heddle::emit {

namespace {

Code code_of(const proof::ProvenOrder& proven) {
  const order::Program program = proven.order().program(proven.shape(), proven.bindings());
  return simplify(program, proven.plain_integers());
}

}  // namespace

std::optional<Dialect> find_dialect(std::string_view name) {
  static const std::map<std::string_view, Dialect> kDialects = {
      {"triton", Dialect::triton}, {"python", Dialect::triton}, {"py", Dialect::triton},
      {"hip", Dialect::hip},       {"cuda", Dialect::cuda},     {"cu", Dialect::cuda},
      {"opencl", Dialect::opencl}, {"cl", Dialect::opencl},     {"cpp", Dialect::cpp},
      {"c++", Dialect::cpp},       {"cc", Dialect::cpp},        {"h", Dialect::cpp},
      {"hpp", Dialect::cpp}};
  const auto found = kDialects.find(name);
  return found != kDialects.end() ? std::optional(found->second) : std::nullopt;
}

std::string emit_order(const proof::ProvenOrder& proven, const EmitOptions& options) {
  PrintOptions print;
  print.dialect = options.dialect;
  print.title = proven.order().title();
  print.scope = proven.scope();
  print.shape = proven.shape();
  print.plain_division = proven.plain_division();
  print.tile_extents = options.tile_extents;
  return print_code(code_of(proven), print);
}

std::vector<std::string> emitted_results(const proof::ProvenOrder& proven) {
  return result_names(code_of(proven), {});
}

}  // namespace heddle::emit
