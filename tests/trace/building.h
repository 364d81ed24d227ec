// Kernel programs by hand, and a sink that writes every element down.
//
//   Building kernel({16});
//   const ValueId x = kernel.tensor("x", DType::float16, {64});
//   const ValueId offs = kernel.arange(0, 16);
//   kernel.load(kernel.add_pointer(x, offs));
//   const auto accesses = run(kernel, {0, 0, 0});       // accesses[0].addresses[3] == x + 6
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/launch.h"
#include "kernel/tile_program.h"
#include "trace/pattern.h"
#include "trace/tracer.h"

namespace heddle::trace::testing {

using config::DType;
using kernel::kNoBlock;
using kernel::kNoValue;
using kernel::Opcode;
using kernel::Type;
using kernel::ValueId;
using Shape = std::vector<std::int64_t>;

inline Type block(DType element, Shape shape = {}) {
  return {element, false, std::move(shape)};
}
inline Type pointers(DType element, Shape shape = {}) {
  return {element, true, std::move(shape)};
}

class Building {
 public:
  explicit Building(std::vector<std::int64_t> grid = {1}) {
    launch.grid = Grid(std::move(grid));
    program.source_path = "kernel.py";
    program.function = "kernel";
    kernel::code_of(program).blocks.emplace_back();
    program.places.emplace_back();
  }

  kernel::KernelProgram program;
  config::Launch launch;

  ValueId value(Type type) {
    kernel::code_of(program).values.push_back(std::move(type));
    return static_cast<ValueId>(kernel::code_of(program).values.size()) - 1;
  }

  /// Appends an instruction to the open block; each gets its own line, from 1.
  kernel::Instruction& append(Opcode op, std::vector<ValueId> results,
                              std::vector<ValueId> operands,
                              std::vector<std::int64_t> integers = {}) {
    kernel::Place place;
    place.position = {static_cast<int>(program.places.size()), 1};
    program.places.push_back(place);
    kernel::Instruction instruction;
    instruction.op = op;
    instruction.place = static_cast<std::int32_t>(program.places.size()) - 1;
    instruction.results = std::move(results);
    instruction.operands = std::move(operands);
    instruction.integers = std::move(integers);
    auto& code = kernel::code_of(program).blocks[static_cast<std::size_t>(open_)].code;
    code.push_back(std::move(instruction));
    return code.back();
  }

  ValueId operate(Opcode op, Type type, std::vector<ValueId> operands,
                  std::vector<std::int64_t> integers = {}) {
    const ValueId result = value(std::move(type));
    append(op, {result}, std::move(operands), std::move(integers));
    return result;
  }

  const Type& type_of(ValueId value) const {
    return kernel::code_of(program).values[static_cast<std::size_t>(value)];
  }

  ValueId constant(std::int64_t number, DType type = DType::int32) {
    return operate(Opcode::constant_int, block(type), {}, {number});
  }
  ValueId constant_real(double number, DType type = DType::float32) {
    const ValueId result = value(block(type));
    append(Opcode::constant_float, {result}, {}).number = number;
    return result;
  }
  ValueId arange(std::int64_t first, std::int64_t last, DType type = DType::int32) {
    return operate(Opcode::arange, block(type, {last - first}), {}, {first, last});
  }
  ValueId program_id(int axis) {
    return operate(Opcode::program_id, block(DType::int32), {}, {axis});
  }

  /// Two operands of one element type; the shape is that of the larger.
  ValueId binary(Opcode op, ValueId a, ValueId b) {
    Type type = type_of(a);
    type.shape = broadcast(type_of(a).shape, type_of(b).shape);
    if (op >= Opcode::equal && op <= Opcode::greater_equal) {
      type.element = DType::boolean;
      type.pointer = false;
    }
    return operate(op, type, {a, b});
  }
  ValueId add(ValueId a, ValueId b) { return binary(Opcode::add, a, b); }
  ValueId multiply(ValueId a, ValueId b) { return binary(Opcode::multiply, a, b); }
  ValueId add_pointer(ValueId pointer, ValueId offset) {
    return binary(Opcode::add_pointer, pointer, offset);
  }
  ValueId unary(Opcode op, ValueId a) { return operate(op, type_of(a), {a}); }
  ValueId cast(ValueId a, DType type) {
    return operate(Opcode::cast, block(type, type_of(a).shape), {a});
  }
  ValueId expand(ValueId a, std::int64_t axis) {
    Type type = type_of(a);
    type.shape.insert(type.shape.begin() + axis, 1);
    return operate(Opcode::expand_dims, type, {a}, {axis});
  }
  ValueId broadcast_to(ValueId a, Shape shape) {
    Type type = type_of(a);
    type.shape = std::move(shape);
    return operate(Opcode::broadcast, type, {a});
  }
  ValueId reshape(ValueId a, Shape shape) {
    Type type = type_of(a);
    type.shape = std::move(shape);
    return operate(Opcode::reshape, type, {a});
  }

  /// A tensor and the parameter that points to it.
  ValueId tensor(const std::string& name, DType element, Shape shape,
                 config::Contents contents = {}) {
    config::Tensor tensor;
    tensor.name = name;
    tensor.dtype = element;
    tensor.strides.assign(shape.size(), 1);
    for (std::size_t axis = shape.size(); axis-- > 1;)
      tensor.strides[axis - 1] = tensor.strides[axis] * shape[axis];
    tensor.bytes = config::byte_width(element);
    for (const std::int64_t extent : shape) tensor.bytes *= extent;
    tensor.shape = std::move(shape);
    tensor.address = next_address_;
    tensor.contents = std::move(contents);
    constexpr std::uint64_t kGap = 4096;
    next_address_ += (static_cast<std::uint64_t>(tensor.bytes) / kGap + 2) * kGap;
    launch.tensors.push_back(std::move(tensor));
    return parameter(name, {config::TensorReference{launch.tensors.size() - 1}}, pointers(element));
  }
  ValueId parameter(const std::string& name, config::Value given, Type type) {
    config::Argument argument;
    argument.name = name;
    argument.value = std::move(given);
    launch.arguments.push_back(std::move(argument));
    const ValueId result = value(std::move(type));
    program.parameters.push_back({name, result, launch.arguments.size() - 1, -1});
    append(Opcode::parameter, {result}, {},
           {static_cast<std::int64_t>(program.parameters.size()) - 1});
    return result;
  }

  std::int64_t site(kernel::MemoryKind kind, ValueId pointer) {
    kernel::Site site;
    site.kind = kind;
    site.place = static_cast<std::int32_t>(program.places.size()) - 1;
    site.element = type_of(pointer).element;
    site.shape = type_of(pointer).shape;
    program.sites.push_back(site);
    return static_cast<std::int64_t>(program.sites.size()) - 1;
  }
  void load(ValueId pointer, ValueId mask = kNoValue) {
    append(Opcode::load, {}, {pointer, mask, kNoValue}, {site(kernel::MemoryKind::read, pointer)});
  }
  ValueId load_value(ValueId pointer, ValueId mask = kNoValue, ValueId other = kNoValue) {
    return operate(Opcode::load, block(type_of(pointer).element, type_of(pointer).shape),
                   {pointer, mask, other}, {site(kernel::MemoryKind::read, pointer)});
  }
  void store(ValueId pointer, ValueId value_stored = kNoValue, ValueId mask = kNoValue) {
    append(Opcode::store, {}, {pointer, value_stored, mask},
           {site(kernel::MemoryKind::write, pointer)});
  }
  ValueId atomic(kernel::AtomicFunction function, ValueId pointer, ValueId operand,
                 ValueId mask = kNoValue, ValueId compare = kNoValue) {
    return operate(
        Opcode::atomic, block(type_of(pointer).element, type_of(pointer).shape),
        {pointer, operand, mask, compare},
        {site(kernel::MemoryKind::atomic, pointer), static_cast<std::int64_t>(function)});
  }

  /// Runs `body` with a new block open; returns the block.
  template <class Body>
  kernel::BlockId inside(Body body) {
    const kernel::BlockId before = open_;
    kernel::code_of(program).blocks.emplace_back();
    const auto made = static_cast<kernel::BlockId>(kernel::code_of(program).blocks.size()) - 1;
    open_ = made;
    body();
    open_ = before;
    return made;
  }
  template <class Body>
  void for_range(ValueId lower, ValueId upper, ValueId step, Body body) {
    const ValueId index = value(type_of(lower));
    const kernel::BlockId made = inside([&] { body(index); });
    append(Opcode::for_range, {index}, {lower, upper, step}).body = made;
  }

  static Shape broadcast(const Shape& a, const Shape& b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    Shape result = a;
    for (std::size_t axis = 0; axis < a.size(); ++axis) result[axis] = std::max(a[axis], b[axis]);
    return result;
  }

  std::uint64_t address(const std::string& name) const {
    for (const config::Tensor& tensor : launch.tensors) {
      if (tensor.name == name) return tensor.address;
    }
    return 0;
  }

 private:
  kernel::BlockId open_ = 0;
  std::uint64_t next_address_ = 0x7f0000000000;
};

/// One access, element by element: no value where the element is inactive.
struct WrittenDown {
  int site = 0;
  int tensor = -1;
  int element_bytes = 0;
  bool dense = false;  ///< it had a dense part
  std::vector<std::optional<std::int64_t>> addresses;

  std::vector<std::int64_t> active() const {
    std::vector<std::int64_t> result;
    for (const auto& address : addresses) {
      if (address) result.push_back(*address);
    }
    return result;
  }
};

class WritingSink : public AccessSink {
 public:
  std::vector<WrittenDown> accesses;

  void access(const AccessPattern& pattern) override {
    WrittenDown written;
    written.site = pattern.site;
    written.tensor = pattern.tensor;
    written.element_bytes = pattern.element_bytes;
    written.dense = pattern.addresses != nullptr || pattern.active != nullptr;
    std::vector<std::int64_t> index(kMaxAxes, 0);
    for (std::int64_t element = 0; element < pattern.elements(); ++element) {
      std::int64_t rest = element;
      for (int k = pattern.axes; k-- > 0;) {
        const auto at = static_cast<std::size_t>(k);
        index[at] = rest % pattern.axis[at].extent;
        rest /= pattern.axis[at].extent;
      }
      written.addresses.push_back(element_of(pattern, element, index));
    }
    accesses.push_back(std::move(written));
  }

 private:
  static std::optional<std::int64_t> element_of(const AccessPattern& pattern, std::int64_t element,
                                                const std::vector<std::int64_t>& index) {
    if (!pattern.scalar_active) return {};
    if (pattern.active != nullptr && pattern.active[element] == 0) return {};
    auto address = static_cast<std::uint64_t>(pattern.base);
    for (int k = 0; k < pattern.axes; ++k) {
      const PatternAxis& axis = pattern.axis[static_cast<std::size_t>(k)];
      const std::int64_t i = index[static_cast<std::size_t>(k)];
      if (i < axis.first || i >= axis.last) return {};
      if (axis.flags != nullptr && axis.flags[i] == 0) return {};
      address += axis.table != nullptr
                     ? static_cast<std::uint64_t>(axis.table[i])
                     : static_cast<std::uint64_t>(axis.stride) * static_cast<std::uint64_t>(i);
    }
    if (pattern.addresses != nullptr) return pattern.addresses[element];
    return static_cast<std::int64_t>(address);
  }
};

inline std::vector<WrittenDown> run(Tracer& tracer, std::array<std::int64_t, 3> tile) {
  WritingSink sink;
  tracer.run(tile, sink);
  return sink.accesses;
}

inline std::vector<WrittenDown> run(const Building& kernel, std::array<std::int64_t, 3> tile = {},
                                    TraceOptions options = {}) {
  Tracer tracer(kernel.program, kernel.launch, options);
  return run(tracer, tile);
}

/// What an integer or boolean value is: its elements, read off the addresses of a probe of bytes
/// around 0. Values must lie in -2^40 .. 2^40.
class Probe {
 public:
  explicit Probe(Building& kernel) : kernel_(kernel) {}

  void look(ValueId value) {
    const ValueId wide = kernel_.cast(value, DType::int64);
    const ValueId start = kernel_.operate(Opcode::cast, pointers(DType::int8),
                                          {kernel_.constant(kMiddle, DType::int64)});
    kernel_.load(kernel_.add_pointer(start, wide));
    sites_.insert(static_cast<int>(kernel_.program.sites.size()) - 1);
  }

  /// Runs the kernel; one list of elements per look.
  std::vector<std::vector<std::int64_t>> run(std::array<std::int64_t, 3> tile = {},
                                             std::vector<Fault>* faults = nullptr) {
    config::Launch launch = kernel_.launch;
    config::Tensor everything;
    everything.name = "everything";
    everything.dtype = DType::int8;
    everything.bytes = 2 * kMiddle;
    everything.shape = {2 * kMiddle};
    everything.strides = {1};
    launch.tensors.push_back(everything);
    Tracer tracer(kernel_.program, launch, {});
    std::vector<std::vector<std::int64_t>> result;
    for (const WrittenDown& access : testing::run(tracer, tile)) {
      if (!sites_.contains(access.site)) continue;
      std::vector<std::int64_t> elements;
      for (const auto& address : access.addresses)
        elements.push_back(address.value_or(0) - kMiddle);
      result.push_back(std::move(elements));
    }
    if (faults != nullptr) *faults = tracer.faults();
    return result;
  }

 private:
  static constexpr std::int64_t kMiddle = std::int64_t{1} << 42;
  Building& kernel_;
  std::set<int> sites_;  ///< of the looks
};

}  // namespace heddle::trace::testing
