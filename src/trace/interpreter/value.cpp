#include "trace/interpreter/value.h"

#include "support/error.h"

namespace heddle::trace::interpreter {
namespace {

template <class T>
T* room(std::vector<T>& storage, std::int64_t count, StorageBudget& budget) {
  if (static_cast<std::int64_t>(storage.size()) < count) {
    const auto grown = count - static_cast<std::int64_t>(storage.size());
    budget.take(grown * static_cast<std::int64_t>(sizeof(T)));
    storage.resize(static_cast<std::size_t>(count));
  }
  return storage.data();
}

}  // namespace

void StorageBudget::take(std::int64_t bytes) {
  if (bytes > left_) {
    throw Error("the blocks of this kernel that are not affine need too much memory",
                "make the blocks smaller");
  }
  left_ -= bytes;
}

void Value::set_integer(std::int64_t value) {
  form = Form::integer;
  tensor = -1;
  base = low = high = value;
  for (int axis = 0; axis < type->axes; ++axis) terms[axis] = {};
}

void Value::set_truth(bool value) {
  form = Form::mask;
  truth = value;
  for (int axis = 0; axis < type->axes; ++axis) windows[axis] = {0, type->extents[axis], nullptr};
}

void Value::set_real(double value) {
  form = Form::real;
  real = value;
}

void Value::set_zero() {
  switch (type->family) {
    case Family::integer:
      return set_integer(0);
    case Family::boolean:
      return set_truth(false);
    case Family::real:
      return set_real(0);
  }
}

// The storage holds either tables or a dense block, and a register is always written as a whole: no
// table that a term points to is in use when the storage grows.
std::int64_t* Value::axis_table(int axis) {
  return room(integers, type->table_elements, *budget) + type->table_at[axis];
}
std::uint8_t* Value::axis_flags(int axis) {
  return room(flags, type->table_elements, *budget) + type->table_at[axis];
}
std::int64_t* Value::dense_integers() {
  return room(integers, type->elements, *budget);
}
std::uint8_t* Value::dense_flags() {
  return room(flags, type->elements, *budget);
}
double* Value::dense_reals() {
  return room(reals, type->elements, *budget);
}

bool is_all_true(const Value& mask) {
  if (mask.form != Form::mask || !mask.truth) return false;
  for (int axis = 0; axis < mask.type->axes; ++axis) {
    if (!is_full(mask.windows[axis], mask.type->extents[axis])) return false;
  }
  return true;
}

}  // namespace heddle::trace::interpreter
