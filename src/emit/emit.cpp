#include "emit/emit.h"

#include "emit/print.h"
#include "emit/simplify.h"

namespace heddle::emit {

std::string emit_order(const proof::ProvenOrder& proven, const EmitOptions& options) {
  const order::Program program = proven.order().program(proven.shape(), proven.bindings());
  PrintOptions print;
  print.dialect = options.dialect;
  print.title = proven.order().title();
  print.scope = proven.scope();
  print.shape = proven.shape();
  print.plain_division = proven.plain_division();
  print.tile_extents = options.tile_extents;
  return print_code(simplify(program, proven.plain_integers()), print);
}

}  // namespace heddle::emit
