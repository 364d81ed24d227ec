#include "trace/interpreter/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace heddle::trace::interpreter {
namespace {

PatternAxis& axis_of(AccessPattern& pattern, int axis) {
  return pattern.axis[static_cast<std::size_t>(axis)];
}

std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

void fill_mask(Context& context, MemoryStep& memory) {
  AccessPattern& pattern = memory.pattern;
  const BlockType& shape = *memory.shape;
  pattern.active = nullptr;
  pattern.scalar_active = true;
  const bool has_windows = memory.mask != nullptr && memory.mask->form == Form::mask;
  for (int k = 0; k < pattern.axes; ++k) {
    PatternAxis& axis = axis_of(pattern, k);
    const bool narrowed =
        has_windows && k < memory.mask->type->axes && memory.mask->type->extents[k] == axis.extent;
    if (narrowed) {
      const Window& window = memory.mask->windows[k];
      axis.first = window.first;
      axis.last = window.last;
      axis.flags = window.flags;
    } else {
      axis.first = 0;
      axis.last = axis.extent;
      axis.flags = nullptr;
    }
  }
  if (has_windows) {
    pattern.scalar_active = memory.mask->truth;
  } else if (memory.mask != nullptr) {
    pattern.active = read_flags(context, *memory.mask, shape, whole_of(shape), kMaskSlot);
  }
}

void fill_addresses(Context& context, MemoryStep& memory) {
  AccessPattern& pattern = memory.pattern;
  const Value& pointer = *memory.pointer;
  pattern.tensor = pointer.tensor;
  pattern.addresses = nullptr;
  if (pointer.is_separable()) {
    pattern.base = pointer.base;
    for (int k = 0; k < pattern.axes; ++k) {
      axis_of(pattern, k).stride = pointer.terms[k].stride;
      axis_of(pattern, k).table = pointer.terms[k].table;
    }
    return;
  }
  pattern.base = 0;
  for (int k = 0; k < pattern.axes; ++k) {
    axis_of(pattern, k).stride = 0;
    axis_of(pattern, k).table = nullptr;
  }
  const BlockType& shape = *memory.shape;
  pattern.addresses = read_integers(context, pointer, shape, whole_of(shape), kPointerSlot);
}

/// Smallest and largest address of the windows; of a table whatever the window is.
struct Range {
  std::int64_t low;
  std::int64_t high;
};
Range active_range_of(const MemoryStep& memory) {
  const AccessPattern& pattern = memory.pattern;
  Range range{pattern.base, pattern.base};
  for (int k = 0; k < pattern.axes; ++k) {
    const PatternAxis& axis = pattern.axis[static_cast<std::size_t>(k)];
    const Term& term = memory.pointer->terms[k];
    std::int64_t one_end = term.low;
    std::int64_t other_end = term.high;
    if (axis.table == nullptr) {
      one_end = axis.stride * axis.first;
      other_end = axis.stride * (axis.last - 1);
    }
    range.low = wrapping_add(range.low, std::min(one_end, other_end));
    range.high = wrapping_add(range.high, std::max(one_end, other_end));
  }
  return range;
}

/// Whether the windows lie in one tensor; finds out which where the pointer does not tell.
bool is_inside(Context& context, MemoryStep& memory) {
  AccessPattern& pattern = memory.pattern;
  if (pattern.addresses != nullptr) return false;
  const Range range = active_range_of(memory);
  const int tensor = pattern.tensor >= 0 ? pattern.tensor : context.memory.find(range.low);
  if (tensor < 0 || !context.memory.holds(tensor, range.low, range.high, pattern.element_bytes))
    return false;
  pattern.tensor = tensor;
  return true;
}

/// What an element-by-element check has found outside.
struct Outside {
  std::int64_t count = 0;
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = std::numeric_limits<std::int64_t>::min();

  void add(std::int64_t address) {
    ++count;
    low = std::min(low, address);
    high = std::max(high, address);
  }
};

std::string describe(const Context& context, const MemoryStep& memory, const Outside& outside) {
  const char* verb = "reads";
  if (memory.kind == kernel::MemoryKind::write) verb = "writes";
  if (memory.kind == kernel::MemoryKind::atomic) verb = "updates";
  const std::int32_t tensor = memory.pattern.tensor;
  if (tensor < 0) {
    return fmt::format("{} address {:#x}, which no tensor holds", verb,
                       static_cast<std::uint64_t>(outside.low));
  }
  const config::Tensor& described = context.launch.tensors[static_cast<std::size_t>(tensor)];
  const Wide first = Wide{outside.low} - static_cast<std::int64_t>(described.address);
  const Wide last = Wide{outside.high} - static_cast<std::int64_t>(described.address) +
                    memory.pattern.element_bytes - 1;
  const char* where = "outside its bytes up to";
  if (first >= 0) where = "past its end at";
  if (last < 0) where = "before its start; it ends at";
  return fmt::format("{} bytes {}..{} {} {}", verb, first, last, where, described.bytes);
}

void report(Context& context, const MemoryStep& memory, const Outside& outside) {
  Fault fault;
  fault.kind = Fault::Kind::out_of_bounds;
  fault.place = context.current->place;
  fault.site = memory.pattern.site;
  fault.tensor = memory.pattern.tensor;
  if (fault.tensor >= 0)
    fault.end_byte = outside.high + memory.pattern.element_bytes -
                     static_cast<std::int64_t>(
                         context.launch.tensors[static_cast<std::size_t>(fault.tensor)].address);
  if (context.options.strict) {
    const std::string name =
        fault.tensor < 0
            ? std::string("a tensor that is not known")
            : "'" + context.launch.tensors[static_cast<std::size_t>(fault.tensor)].name + "'";
    throw Error(fmt::format("out of bounds of {}: {}", name, describe(context, memory, outside)),
                "mask the access, or make the tensor larger in the job", ExitCode::refuted);
  }
  context.faults.record(fault, [&] { return describe(context, memory, outside); });
}

/// Looks at every active element; takes those out that lie outside.
bool check_each(Context& context, MemoryStep& memory) {
  AccessPattern& pattern = memory.pattern;
  const BlockType& shape = *memory.shape;
  const Domain whole = whole_of(shape);
  context.spend_elements(shape.elements);
  const std::int64_t* addresses =
      read_integers(context, *memory.pointer, shape, whole, kPointerSlot);
  const std::uint8_t* active =
      memory.mask == nullptr ? nullptr : read_flags(context, *memory.mask, shape, whole, kMaskSlot);
  std::uint8_t* kept = context.scratch.flags(kKeptSlot, shape.elements);
  Outside outside;
  const bool known = pattern.tensor >= 0;
  int tensor = pattern.tensor;
  bool several = false;
  for (std::int64_t i = 0; i < shape.elements; ++i) {
    kept[i] = 0;
    if (active != nullptr && active[i] == 0) continue;
    const std::int64_t address = addresses[i];
    bool inside =
        tensor >= 0 && context.memory.holds(tensor, address, address, pattern.element_bytes);
    if (!inside && !known) {
      const int found = context.memory.find(address);
      inside = found >= 0 && context.memory.holds(found, address, address, pattern.element_bytes);
      several |= inside && tensor >= 0;
      if (inside) tensor = found;
    }
    kept[i] = inside;
    if (!inside) outside.add(address);
  }
  pattern.tensor = several ? -1 : tensor;
  if (outside.count == 0) return false;
  pattern.active = kept;
  report(context, memory, outside);
  return true;
}

}  // namespace

bool touch(Context& context, MemoryStep& memory) {
  fill_mask(context, memory);
  fill_addresses(context, memory);
  bool taken_out = false;
  if (memory.pattern.scalar_active && !is_inside(context, memory))
    taken_out = check_each(context, memory);
  memory.pattern.entries = context.entries;
  if (context.sink != nullptr) context.sink->access(memory.pattern);
  return taken_out;
}

}  // namespace heddle::trace::interpreter
