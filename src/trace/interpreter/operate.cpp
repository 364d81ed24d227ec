#include "trace/interpreter/operate.h"

namespace heddle::trace::interpreter {
namespace {

/// For operations that exist for integers, booleans and reals.
Action by_family(const Step& step, Action on_integers) {
  switch (step.out->type->family) {
    case Family::integer:
      return on_integers;
    case Family::boolean:
      return mask_operate;
    case Family::real:
      return real_operate;
  }
  return nullptr;
}

Action comparison(const Step& step) {
  const Family a = step.a->type->family;
  const Family b = step.b->type->family;
  if (a == Family::real || b == Family::real) return real_compare;
  return a == Family::boolean && b == Family::boolean ? mask_operate : integer_compare;
}

Action elementwise(const Step& step) {
  switch (step.op) {
    case Opcode::copy:
      return copy;
    case Opcode::add:
    case Opcode::subtract:
      return by_family(step, integer_sum);
    case Opcode::add_pointer:
      return integer_sum;
    case Opcode::multiply:
      return by_family(step, integer_multiply);
    case Opcode::equal:
    case Opcode::not_equal:
    case Opcode::less:
    case Opcode::less_equal:
    case Opcode::greater:
    case Opcode::greater_equal:
      return comparison(step);
    case Opcode::math:
      return math;
    case Opcode::fused_multiply_add:
      return step.out->type->family == Family::real ? real_operate : integer_fused;
    case Opcode::cast:
      return cast;
    case Opcode::bitcast:
      return bitcast;
    case Opcode::select:
      return select;
    default:
      return by_family(step, integer_operate);
  }
}

Action across(Opcode op) {
  switch (op) {
    case Opcode::reduce:
      return reduce;
    case Opcode::scan:
      return scan;
    case Opcode::sort:
      return sort;
    case Opcode::gather:
      return gather_along;
    case Opcode::histogram:
      return histogram;
    case Opcode::dot:
      return dot;
    case Opcode::random:
      return random;
    case Opcode::load:
      return load;
    case Opcode::store:
      return store;
    case Opcode::atomic:
      return atomic;
    case Opcode::block_pointer:
      return block_pointer;
    case Opcode::bounds_mask:
      return bounds_mask;
    case Opcode::unknown:
      return unknown;
    default:
      return nullptr;  // control flow
  }
}

}  // namespace

Action choose_action(const Step& step) {
  switch (step.op) {
    case Opcode::constant_int:
      return constant_integer;
    case Opcode::constant_float:
      return constant_real;
    case Opcode::parameter:
      return parameter;
    case Opcode::program_id:
      return program_id;
    case Opcode::num_programs:
      return number_of_programs;
    case Opcode::arange:
      return arange;
    case Opcode::broadcast:
    case Opcode::expand_dims:
    case Opcode::permute:
      return rearrange_axes;
    case Opcode::reshape:
      return reshape;
    case Opcode::join:
      return join;
    case Opcode::split:
      return split;
    case Opcode::concatenate:
      return concatenate;
    case Opcode::flip:
      return flip;
    default:
      return step.op <= Opcode::add_pointer ? elementwise(step) : across(step.op);
  }
}

}  // namespace heddle::trace::interpreter
