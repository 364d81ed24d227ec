// Runs a program on one tile, element by element, with none of the tracer's cleverness. It also
// checks what program.h promises: types of operands, shapes, values that are written before they
// are read.
//
//   const Outcome outcome = run(body_program(...), words, {2, 0, 0});
//   outcome.writes        // (element of the tensor, value), in program order
#pragma once

#include <array>
#include <map>
#include <optional>

#include "kernel/lane.h"

namespace heddle::testing {

using kernel::ValueId;

struct Access {
  std::size_t tensor = 0;
  std::int64_t element = 0;
  double value = 0;
  friend bool operator==(const Access&, const Access&) = default;
};

inline std::ostream& operator<<(std::ostream& out, const Access& access) {
  return out << "tensor " << access.tensor << " [" << access.element << "] " << access.value;
}

struct Outcome {
  std::vector<Access> reads;
  std::vector<Access> writes;  ///< stores and atomics

  Integers written_elements() const {
    Integers result;
    for (const Access& access : writes) result.push_back(access.element);
    return result;
  }
  Integers read_elements() const {
    Integers result;
    for (const Access& access : reads) result.push_back(access.element);
    return result;
  }
  std::vector<double> written_values() const {
    std::vector<double> result;
    for (const Access& access : writes) result.push_back(access.value);
    return result;
  }
};

class ProgramRun {
 public:
  using Lanes = std::vector<Lane>;

  ProgramRun(const KernelProgram& program, const config::Launch& launch,
             std::array<std::int64_t, 3> tile)
      : program_(program),
        launch_(launch),
        tile_(tile),
        values_(kernel::code_of(program).values.size()) {}

  Outcome run() {
    block(0);
    return outcome_;
  }

 private:
  void require(bool holds, const char* what) const {
    if (!holds) malformed(what);
  }

  const Type& type(ValueId value) const {
    return kernel::code_of(program_).values.at(static_cast<std::size_t>(value));
  }
  const Lanes& value(ValueId id) const {
    const auto& lanes = values_.at(static_cast<std::size_t>(id));
    require(lanes.has_value(), "a value is read before it is written");
    return *lanes;
  }
  void set(ValueId id, Lanes lanes) {
    require(static_cast<std::int64_t>(lanes.size()) == type(id).elements(), "a wrong extent");
    values_.at(static_cast<std::size_t>(id)) = std::move(lanes);
  }

  static Integers index_of(std::int64_t element, const Integers& shape) {
    Integers index(shape.size());
    for (std::size_t k = shape.size(); k-- > 0; element /= shape[k]) index[k] = element % shape[k];
    return index;
  }
  static std::int64_t element_of(const Integers& index, const Integers& shape) {
    std::int64_t element = 0;
    for (std::size_t k = 0; k < shape.size(); ++k) element = element * shape[k] + index[k];
    return element;
  }

  /// The element of an operand that meets one of the result; rule 2 of program.h.
  Lane lane(ValueId operand, std::int64_t element, const Integers& shape) const {
    const Integers& own = type(operand).shape;
    if (own.empty()) return value(operand)[0];
    require(own.size() == shape.size(), "operands of different rank");
    Integers index = index_of(element, shape);
    for (std::size_t k = 0; k < own.size(); ++k) {
      require(own[k] == 1 || own[k] == shape[k], "operands that do not fit");
      if (own[k] == 1) index[k] = 0;
    }
    return value(operand)[static_cast<std::size_t>(element_of(index, own))];
  }

  void element_wise(const Instruction& one) {
    const ValueId result = one.results.at(0);
    const Type& of = type(result);
    const bool compares = one.op >= Opcode::equal && one.op <= Opcode::greater_equal;
    if (one.operands.size() >= 2 && one.op != Opcode::add_pointer && one.op != Opcode::select)
      for (const ValueId operand : one.operands)
        require(type(operand).element == type(one.operands[0]).element &&
                    type(operand).pointer == type(one.operands[0]).pointer,
                "operands of different types");
    if (compares) require(of.element == DType::boolean, "a comparison that gives no boolean");
    Lanes lanes;
    for (std::int64_t i = 0; i < of.elements(); ++i) {
      std::vector<Lane> in;
      for (const ValueId operand : one.operands) in.push_back(lane(operand, i, of.shape));
      lanes.push_back(fitted(of, element(one, of, in)));
    }
    set(result, std::move(lanes));
  }

  Lane element(const Instruction& one, const Type& of, const std::vector<Lane>& in) const {
    const Type& first = type(one.operands[0]);
    switch (one.op) {
      case Opcode::copy:
        require(first == of, "a copy that changes the type");
        return in[0];
      case Opcode::negate:
      case Opcode::bit_not:
      case Opcode::absolute:
        return unary(one, of, in[0]);
      case Opcode::cast:
        return converted(first, of, in[0]);
      case Opcode::broadcast:
        return in[0];
      case Opcode::select:
        require(first.element == DType::boolean && !first.pointer, "a select without a condition");
        return in[0].whole != 0 ? in[1] : in[2];
      case Opcode::fused_multiply_add:
        return {in[0].whole * in[1].whole + in[2].whole, in[0].real * in[1].real + in[2].real};
      case Opcode::math:
        return {0, math(one.integers[0], in[0].real, in.size() > 1 ? in[1].real : 0)};
      case Opcode::add_pointer:
        require(first.pointer && !type(one.operands[1]).pointer, "no pointer and offset");
        return {in[0].whole + in[1].whole * config::byte_width(of.element), 0};
      default:
        if (one.op >= Opcode::equal && one.op <= Opcode::greater_equal)
          return {holds(one.op, first, in[0], in[1]), 0};
        return binary(one.op, of, in[0], in[1]);
    }
  }

  void shape(const Instruction& one) {
    const Lanes& from = value(one.operands[0]);
    const Integers& own = type(one.operands[0]).shape;
    const Type& of = type(one.results[0]);
    Lanes lanes(static_cast<std::size_t>(of.elements()));
    switch (one.op) {
      case Opcode::expand_dims:
      case Opcode::reshape:
        lanes = from;
        break;
      case Opcode::permute:
        for (std::int64_t i = 0; i < of.elements(); ++i) {
          const Integers index = index_of(i, of.shape);
          Integers source(own.size());
          for (std::size_t k = 0; k < own.size(); ++k)
            source[static_cast<std::size_t>(one.integers[k])] = index[k];
          lanes[static_cast<std::size_t>(i)] =
              from[static_cast<std::size_t>(element_of(source, own))];
        }
        break;
      case Opcode::join:
        require(type(one.operands[1]).shape == own, "joined blocks differ");
        for (std::size_t i = 0; i < from.size(); ++i) {
          lanes[2 * i] = from[i];
          lanes[2 * i + 1] = value(one.operands[1])[i];
        }
        break;
      case Opcode::flip: {
        const auto axis = static_cast<std::size_t>(one.integers[0]);
        for (std::int64_t i = 0; i < of.elements(); ++i) {
          Integers index = index_of(i, of.shape);
          index[axis] = own[axis] - 1 - index[axis];
          lanes[static_cast<std::size_t>(i)] =
              from[static_cast<std::size_t>(element_of(index, own))];
        }
        break;
      }
      default:
        break;
    }
    set(one.results[0], std::move(lanes));
  }

  void split(const Instruction& one) {
    Lanes first;
    Lanes second;
    for (std::size_t i = 0; i < value(one.operands[0]).size(); ++i)
      (i % 2 == 0 ? first : second).push_back(value(one.operands[0])[i]);
    set(one.results[0], std::move(first));
    set(one.results[1], std::move(second));
  }

  void concatenate(const Instruction& one) {
    const Type& of = type(one.results[0]);
    const auto axis = static_cast<std::size_t>(one.integers[0]);
    const std::int64_t first = type(one.operands[0]).shape[axis];
    Lanes lanes;
    for (std::int64_t i = 0; i < of.elements(); ++i) {
      Integers index = index_of(i, of.shape);
      const bool behind = index[axis] >= first;
      if (behind) index[axis] -= first;
      const ValueId from = one.operands[behind ? 1 : 0];
      lanes.push_back(value(from)[static_cast<std::size_t>(element_of(index, type(from).shape))]);
    }
    set(one.results[0], std::move(lanes));
  }

  void across(const Instruction& one) {
    const Type& from = type(one.operands[0]);
    const auto axis = static_cast<std::size_t>(one.integers[1]);
    const auto kind = static_cast<kernel::Reduction>(one.integers[0]);
    const bool index_wanted =
        kind == kernel::Reduction::arg_minimum || kind == kernel::Reduction::arg_maximum;
    const Type& of = type(one.results[0]);
    const bool scans = one.op == Opcode::scan;
    Lanes lanes(static_cast<std::size_t>(of.elements()));
    Integers outer = from.shape;
    outer[axis] = 1;
    std::int64_t lines = 1;
    for (const std::int64_t extent : outer) lines *= extent;
    for (std::int64_t line = 0; line < lines; ++line) {
      Lane best;
      std::int64_t best_at = 0;
      for (std::int64_t step = 0; step < from.shape[axis]; ++step) {
        const bool reverse = scans && one.integers.at(2) == 1;
        Integers index = index_of(line, outer);
        index[axis] = reverse ? from.shape[axis] - 1 - step : step;
        const auto element = static_cast<std::size_t>(element_of(index, from.shape));
        const Lane next = value(one.operands[0])[element];
        if (step == 0) {
          best = next;
        } else if (index_wanted) {
          const Opcode better =
              kind == kernel::Reduction::arg_maximum ? Opcode::greater : Opcode::less;
          if (holds(better, from, next, best)) {
            best = next;
            best_at = step;
          }
        } else {
          best = combined(kind, from, best, next);
        }
        if (scans) lanes[element] = best;
      }
      if (!scans) lanes[static_cast<std::size_t>(line)] = index_wanted ? Lane{best_at, 0} : best;
    }
    set(one.results[0], std::move(lanes));
  }

  void sort(const Instruction& one) {
    Lanes lanes = value(one.operands[0]);
    const Type& of = type(one.results[0]);
    const std::int64_t extent = of.shape.back();
    for (auto row = lanes.begin(); row != lanes.end(); row += extent)
      std::stable_sort(row, row + extent, [&](Lane a, Lane b) {
        return holds(one.integers[1] == 1 ? Opcode::greater : Opcode::less, of, a, b);
      });
    set(one.results[0], std::move(lanes));
  }

  void gather(const Instruction& one) {
    const Type& of = type(one.results[0]);
    const auto axis = static_cast<std::size_t>(one.integers[0]);
    Lanes lanes;
    for (std::int64_t i = 0; i < of.elements(); ++i) {
      Integers index = index_of(i, of.shape);
      index[axis] = value(one.operands[1])[static_cast<std::size_t>(i)].whole;
      lanes.push_back(value(one.operands[0])[static_cast<std::size_t>(
          element_of(index, type(one.operands[0]).shape))]);
    }
    set(one.results[0], std::move(lanes));
  }

  void histogram(const Instruction& one) {
    Lanes lanes(static_cast<std::size_t>(type(one.results[0]).elements()));
    for (std::size_t i = 0; i < value(one.operands[0]).size(); ++i) {
      const bool active = one.operands.size() < 2 || value(one.operands[1])[i].whole != 0;
      const std::int64_t bin = value(one.operands[0])[i].whole;
      if (active && bin >= 0 && bin < static_cast<std::int64_t>(lanes.size()))
        ++lanes[static_cast<std::size_t>(bin)].whole;
    }
    set(one.results[0], std::move(lanes));
  }

  void memory(const Instruction& one) {
    const Type& pointers = type(one.operands[0]);
    require(pointers.pointer, "an access without a pointer");
    const Site& site = program_.sites.at(static_cast<std::size_t>(one.integers[0]));
    require(site.shape == pointers.shape && site.element == pointers.element, "a wrong site");
    const bool reads = one.op == Opcode::load;
    const ValueId mask = one.operands[reads ? 1 : 2];
    const ValueId given = one.operands[reads ? 2 : 1];
    for (const ValueId operand : {mask, given})
      if (operand >= 0 && !pointers.shape.empty() && !type(operand).shape.empty())
        require(type(operand).shape.size() == pointers.shape.size(), "an access of mixed ranks");
    const Type of{pointers.element, false, {}};
    Lanes results;
    for (std::int64_t i = 0; i < pointers.elements(); ++i) {
      const std::int64_t address = lane(one.operands[0], i, pointers.shape).whole;
      const bool active = mask < 0 || lane(mask, i, pointers.shape).whole != 0;
      const Lane operand = given < 0 ? Lane{} : lane(given, i, pointers.shape);
      if (!active) {
        results.push_back(reads ? operand : Lane{});
        continue;
      }
      Lane& cell = cells_[address];
      results.push_back(cell);
      Access access{static_cast<std::size_t>((address >> 32) - 1),
                    (address & 0xffffffff) / config::byte_width(pointers.element),
                    is_real(of) ? operand.real : static_cast<double>(operand.whole)};
      if (reads) {
        access.value = 0;
        outcome_.reads.push_back(access);
      } else {
        outcome_.writes.push_back(access);
        cell = one.op == Opcode::store ? operand : updated(one, of, cell, operand);
      }
    }
    if (!one.results.empty()) set(one.results[0], std::move(results));
  }

  Lane updated(const Instruction& one, const Type& of, Lane old, Lane operand) const {
    using enum kernel::AtomicFunction;
    switch (static_cast<kernel::AtomicFunction>(one.integers[1])) {
      case add:
        return fitted(of, binary(Opcode::add, of, old, operand));
      case maximum:
        return binary(Opcode::maximum, of, old, operand);
      case minimum:
        return binary(Opcode::minimum, of, old, operand);
      case bit_and:
        return binary(Opcode::bit_and, of, old, operand);
      case bit_or:
        return binary(Opcode::bit_or, of, old, operand);
      case bit_xor:
        return binary(Opcode::bit_xor, of, old, operand);
      case exchange:
        return operand;
      case compare_exchange:
        return old.whole == value(one.operands[3])[0].whole ? operand : old;
    }
    return old;
  }

  void block_place(const Instruction& one) {
    const Type& of = type(one.results[0]);
    const std::size_t rank = of.shape.size();
    const bool pointer = one.op == Opcode::block_pointer;
    require(one.operands.size() == 2 * rank + (pointer ? 1 : 0), "a block of the wrong rank");
    Lanes lanes;
    for (std::int64_t i = 0; i < of.elements(); ++i) {
      const Integers index = index_of(i, of.shape);
      std::int64_t address = pointer ? value(one.operands[0])[0].whole : 0;
      bool inside = true;
      for (std::size_t k = 0; k < rank; ++k) {
        const std::size_t first = pointer ? 1 : 0;
        const std::int64_t at = value(one.operands[first + k])[0].whole + index[k];
        const std::int64_t other = value(one.operands[first + rank + k])[0].whole;
        if (pointer)
          address += at * other * config::byte_width(of.element);
        else if (one.integers[k] == 1)
          inside = inside && at >= 0 && at < other;
      }
      lanes.push_back(pointer ? Lane{address, 0} : Lane{inside, 0});
    }
    set(one.results[0], std::move(lanes));
  }

  void source(const Instruction& one) {
    const Type& of = type(one.results.at(0));
    Lanes lanes(static_cast<std::size_t>(of.elements()));
    switch (one.op) {
      case Opcode::constant_int:
        lanes[0].whole = one.integers[0];
        break;
      case Opcode::constant_float:
        lanes[0].real = one.number;
        break;
      case Opcode::parameter: {
        const auto& parameter = program_.parameters.at(static_cast<std::size_t>(one.integers[0]));
        const config::Value* given = &launch_.arguments[parameter.argument].value;
        if (parameter.element >= 0)
          given = &std::get<config::ValueList>(
              given->data)[static_cast<std::size_t>(parameter.element)];
        lanes[0].whole = base_of(std::get<config::TensorReference>(given->data).index);
        break;
      }
      case Opcode::program_id:
        lanes[0].whole = tile_[static_cast<std::size_t>(one.integers[0])];
        break;
      case Opcode::num_programs:
        lanes[0].whole = launch_.grid.extent(static_cast<int>(one.integers[0]));
        break;
      case Opcode::arange:
        for (std::size_t i = 0; i < lanes.size(); ++i)
          lanes[i].whole = one.integers[0] + static_cast<std::int64_t>(i);
        break;
      default:
        break;
    }
    set(one.results[0], std::move(lanes));
  }

  /// How many scopes are to be left.
  std::int64_t block(kernel::BlockId id) {
    for (const Instruction& one :
         kernel::code_of(program_).blocks.at(static_cast<std::size_t>(id)).code) {
      if (++steps_ > 1'000'000) throw std::logic_error("it does not end");
      switch (one.op) {
        case Opcode::leave:
          return one.integers[0];
        case Opcode::scope:
          if (const std::int64_t more = block(one.body); more > 1) return more - 1;
          break;
        case Opcode::if_else: {
          const kernel::BlockId taken = value(one.operands[0])[0].whole != 0 ? one.body : one.other;
          if (taken != kernel::kNoBlock)
            if (const std::int64_t more = block(taken); more > 0) return more;
          break;
        }
        case Opcode::for_range: {
          const std::int64_t upper = value(one.operands[1])[0].whole;
          const std::int64_t step = value(one.operands[2])[0].whole;
          for (std::int64_t i = value(one.operands[0])[0].whole; step > 0 ? i < upper : i > upper;
               i += step) {
            if (!one.results.empty()) set(one.results[0], {Lane{i, 0}});
            if (const std::int64_t more = block(one.body); more > 0) return more;
          }
          break;
        }
        case Opcode::while_loop:
          while (true) {
            block(one.other);
            if (value(one.operands[0])[0].whole == 0) break;
            if (const std::int64_t more = block(one.body); more > 0) return more;
          }
          break;
        default:
          step(one);
      }
    }
    return 0;
  }

  void step(const Instruction& one) {
    switch (one.op) {
      case Opcode::constant_int:
      case Opcode::constant_float:
      case Opcode::parameter:
      case Opcode::program_id:
      case Opcode::num_programs:
      case Opcode::arange:
      case Opcode::bitcast:
      case Opcode::random:
      case Opcode::unknown:
      case Opcode::dot:
        return source(one);
      case Opcode::expand_dims:
      case Opcode::permute:
      case Opcode::reshape:
      case Opcode::join:
      case Opcode::flip:
        return shape(one);
      case Opcode::split:
        return split(one);
      case Opcode::concatenate:
        return concatenate(one);
      case Opcode::reduce:
      case Opcode::scan:
        return across(one);
      case Opcode::sort:
        return sort(one);
      case Opcode::gather:
        return gather(one);
      case Opcode::histogram:
        return histogram(one);
      case Opcode::load:
      case Opcode::store:
      case Opcode::atomic:
        return memory(one);
      case Opcode::block_pointer:
      case Opcode::bounds_mask:
        return block_place(one);
      default:
        return element_wise(one);
    }
  }

  const KernelProgram& program_;
  const config::Launch& launch_;
  std::array<std::int64_t, 3> tile_;
  std::vector<std::optional<Lanes>> values_;
  std::map<std::int64_t, Lane> cells_;
  Outcome outcome_;
  std::int64_t steps_ = 0;
};

inline Outcome run(const KernelProgram& program, const Words& words,
                   std::array<std::int64_t, 3> tile = {0, 0, 0}) {
  const config::Launch launch = launch_of(words);
  return ProgramRun(program, launch, tile).run();
}

/// A body of statements on `o`, a tensor of 64-bit integers, and the given words.
inline Outcome run_body(const std::string& body, Words words = {},
                        std::array<std::int64_t, 3> tile = {0, 0, 0},
                        const std::string& before = "") {
  words.insert(words.begin(), "o: int64[65536]");
  return run(body_program(body, words, before), words, tile);
}

/// The values of integer expressions, each stored to `o`.
inline Integers values_of(const std::vector<std::string>& expressions, const Words& words = {},
                          const std::string& before = "") {
  std::string body;
  for (const std::string& expression : expressions)
    body += "tl.store(o, (" + expression + ").to(tl.int64))\n";
  Integers result;
  for (const double value : run_body(body + "pass", words, {0, 0, 0}, before).written_values())
    result.push_back(static_cast<std::int64_t>(value));
  return result;
}

inline std::int64_t value_of(const std::string& expression, const Words& words = {}) {
  return values_of({expression}, words).at(0);
}

}  // namespace heddle::testing
