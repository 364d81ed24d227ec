#include "kernel/work.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "kernel/arithmetic.h"
#include "kernel/operation_code.h"
#include "kernel/product_work.h"
#include "kernel/tile_program.h"
#include "kernel/tile_shared.h"

namespace heddle::kernel {
namespace {

/// Of a row of a product, which lies in four lanes.
constexpr double kProductHalves = 2;

/// Exchanges of lanes that one through shared memory lasts: written, met at a barrier, read.
constexpr double kAcrossWaves = 4;

/// Cycles of work that a compiler moves in front of other loads.
constexpr double kMoved = 100;

constexpr std::int64_t kInstructionBytes = 8;  ///< most vector instructions of AMD's

class Worker {
 public:
  Worker(const KernelProgram& program, const config::Launch& launch, const config::Gpu& gpu,
         const std::vector<int>& widths)
      : program_(program),
        code_(code_of(program)),
        rates_(gpu.arithmetic),
        products_(code_, {launch.waves(gpu.compute.wave_lanes), gpu.compute.wave_lanes}, gpu),
        is_amd_(gpu.vendor == config::Vendor::amd),
        lanes_(gpu.compute.wave_lanes),
        threads_(std::int64_t{launch.waves(gpu.compute.wave_lanes)} * gpu.compute.wave_lanes),
        constants_(code_.values.size()),
        loaded_(code_.values.size()),
        product_(code_.values.size()),
        width_(code_.values.size(), widths.empty() ? 1 : 0) {
    work_.before.resize(program.sites.size());
    work_.after.resize(program.sites.size());
    work_.wait_before.resize(program.sites.size());
    work_.wait_after.resize(program.sites.size());
    work_.counted.resize(program.sites.size());
    find_constants();
    find_product_shapes();
    find_widths(widths);
  }

  Work find() {
    walk(0);
    close();
    work_.code_bytes = kLeastCodeBytes + kInstructionBytes * std::llround(operations_);
    return std::move(work_);
  }

 private:
  /// Cycles of each pipe.
  struct Pipes {
    double simple = 0;    ///< integers, comparisons
    double multiply = 0;  ///< products and sums of floating point, products of integers
    double special = 0;
    double issue = 0;  ///< 0 where pipes work in turn
    double exchange = 0;
    double cycles() const {
      return issue > 0 ? std::max({simple, multiply, special, issue, exchange})
                       : simple + multiply + special + exchange;
    }
    Pipes& operator+=(const Pipes& more) {
      simple += more.simple;
      multiply += more.multiply;
      special += more.special;
      issue += more.issue;
      exchange += more.exchange;
      return *this;
    }
    Pipes times(double factor) const {
      return {simple * factor, multiply * factor, special * factor, issue * factor,
              exchange * factor};
    }
  };
  struct Cost {
    Pipes vector;
    double matrix = 0;
    double counted = 0;
    double wait = 0;
    double cycles() const { return vector.cycles() + matrix; }
    Cost& operator+=(const Cost& more) {
      vector += more.vector;
      matrix += more.matrix;
      counted += more.counted;
      wait += more.wait;
      return *this;
    }
  };

  /// Takes what needs loads to what does not. Matrix units may run beside the latter, and beside
  /// the addresses of the loads of the next round.
  void join() {
    if (rates_.matrix_beside_vector) {
      double beside = late_.matrix;
      const double vector = early_.vector.cycles();
      if (vector > 0) {
        const double hidden = std::min(beside, vector);
        early_.vector = early_.vector.times(1 - hidden / vector);
        beside -= hidden;
      }
      for (const auto& [site, cycles] : addresses_) {
        const double hidden = std::min(beside, cycles);
        work_.before[site] -= hidden;
        beside -= hidden;
      }
    }
    addresses_.clear();
    early_ += std::exchange(late_, {});
  }

  /// Blocks of these lie in registers as products leave them.
  void find_product_shapes() {
    for (const Block& block : code_.blocks)
      for (const Instruction& one : block.code)
        if (one.op == Opcode::dot) product_shapes_.insert(type_of(one.results[0]).shape);
  }

  /// Values that are written once, by a constant.
  void find_constants() {
    std::vector<int> writes(code_.values.size());
    for (const Block& block : code_.blocks)
      for (const Instruction& instruction : block.code)
        for (const ValueId result : instruction.results) ++writes[static_cast<std::size_t>(result)];
    for (const Block& block : code_.blocks) {
      for (const Instruction& instruction : block.code) {
        if (instruction.op != Opcode::constant_int) continue;
        const auto at = static_cast<std::size_t>(instruction.results[0]);
        if (writes[at] == 1) constants_[at] = instruction.integers[0];
      }
    }
  }

  const Type& type_of(ValueId value) const { return code_.values[static_cast<std::size_t>(value)]; }

  std::optional<std::int64_t> constant(const Instruction& instruction, std::size_t operand) const {
    if (operand >= instruction.operands.size() || instruction.operands[operand] < 0)
      return std::nullopt;
    return constants_[static_cast<std::size_t>(instruction.operands[operand])];
  }

  static bool is_power(std::int64_t value) {
    return value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value));
  }

  /// Integer code that takes more than an operation for each element, or none.
  std::optional<Operations> integer_code(const Instruction& instruction) const {
    switch (instruction.op) {
      case Opcode::add_pointer:
      case Opcode::block_pointer:
        return is_amd_ ? kPointer : kWidePointer;
      case Opcode::random:
        return kRandom;
      case Opcode::divide:
      case Opcode::remainder: {
        const auto by = constant(instruction, 1);
        return !by             ? (is_amd_ ? kDivisionOfAmd : kDivision)
               : is_power(*by) ? kDivisionByPower
                               : kDivisionByConstant;
      }
      case Opcode::multiply: {
        const auto left = constant(instruction, 0);
        const auto right = constant(instruction, 1);
        if ((left && is_power(*left)) || (right && is_power(*right))) return Operations{1, 0};
        return Operations{0, 1};
      }
      default:
        return std::nullopt;
    }
  }

  /// total += dot(..): the matrix units add to what they have.
  bool is_part_of_product(const Instruction& instruction) const {
    return rates_.matrix_beside_vector && instruction.op == Opcode::add &&
           std::any_of(instruction.operands.begin(), instruction.operands.end(),
                       [&](ValueId v) { return v >= 0 && product_[static_cast<std::size_t>(v)]; });
  }

  Cost cost_of(const Instruction& instruction) const {
    if (instruction.results.empty()) return {};
    const Type& result = type_of(instruction.results[0]);
    const auto count = count_of(program_, instruction);
    const std::int64_t elements = count                  ? count->count
                                  : result.shape.empty() ? 0
                                                         : result.elements();
    const bool is_block = !result.shape.empty() || instruction.op == Opcode::dot ||
                          (count && count->count > 1);  // a sum over a block gives a scalar
    if (!is_block) return {};
    const bool is_number = !result.pointer && config::is_float(result.element);
    const int width = is_number ? 1 : width_[static_cast<std::size_t>(instruction.results[0])];
    const auto spread = static_cast<double>(std::max(elements / std::max(1, width), threads_));
    const double counted =
        count ? static_cast<double>(elements) / rate_of(count->kind, count->type, rates_) : 0;
    const bool is_float = !result.pointer && config::is_float(result.element);
    const auto code =
        is_float && instruction.op != Opcode::random ? std::nullopt : integer_code(instruction);
    if (code) {
      const double simple = rate_of(ArithmeticKind::add, config::DType::int32, rates_);
      const double multiply = rate_of(ArithmeticKind::multiply, config::DType::int32, rates_);
      return {pipes(spread * code->simple / simple, spread * code->multiply / multiply, 0,
                    spread * (code->simple + code->multiply)),
              0, counted};
    }
    if (!count && (is_amd_ || rates_.issue > 0) && converts(instruction)) {
      const bool is_special = !is_amd_ && converts_specially(instruction);
      const ArithmeticKind kind = is_special ? ArithmeticKind::transcendental : ArithmeticKind::add;
      const double cycles = spread / rate_of(kind, config::DType::int32, rates_);
      return {pipes(is_special ? 0 : cycles, 0, is_special ? cycles : 0, spread), 0, 0};
    }
    if (!count) return {};
    if (is_part_of_product(instruction)) return {{}, 0, counted};
    if (count->kind == ArithmeticKind::dot)
      return {{}, products_.cycles(instruction, counted), counted};
    const double cycles = spread / rate_of(count->kind, count->type, rates_);
    if (count->kind == ArithmeticKind::transcendental) {
      const Operations each =
          is_amd_ ? function_code_of_amd(instruction, config::byte_width(count->type))
                  : function_code(instruction);
      const double multiply = is_amd_ ? rate_of(ArithmeticKind::add, config::DType::int32, rates_)
                                      : rate_of(ArithmeticKind::fused, count->type, rates_);
      return {pipes(0, spread * each.multiply / multiply, cycles * each.simple,
                    spread * (each.simple + each.multiply)),
              0, counted};
    }
    if ((is_amd_ || rates_.issue > 0) && compares(instruction.op)) {
      const double simple = rate_of(ArithmeticKind::add, config::DType::int32, rates_);
      return {pipes(spread / simple, 0, 0, spread), 0, counted};
    }
    const bool is_simple = !config::is_float(count->type) && count->kind == ArithmeticKind::add;
    return {is_simple ? pipes(cycles, 0, 0, spread) : pipes(0, cycles, 0, spread), 0, counted};
  }

  /// How lanes sum up, compare or scan together.
  struct Together {
    std::int64_t rows = 0;  ///< results; 0: lanes need nothing of each other
    double halves = 0;      ///< exchanges, one after the other
    double turns = 0;       ///< of a wave, for all its rows; 0: they do not lie along lanes
    bool crosses_waves = false;
    bool of_product = false;
  };
  Together together(const Instruction& one) const {
    if (one.op != Opcode::reduce && one.op != Opcode::scan) return {};
    const Type& operand = type_of(one.operands[0]);
    if (operand.shape.empty()) return {};
    const auto axis = static_cast<std::size_t>(one.integers[1]);
    const std::int64_t along = operand.shape[axis];
    if (along <= 1) return {};
    const std::int64_t rows = operand.elements() / along;
    const bool of_product = product_shapes_.contains(operand.shape);
    const double halves =
        of_product ? kProductHalves : std::log2(static_cast<double>(std::min(along, lanes_)));
    const std::int64_t waves = threads_ / lanes_;
    const double at_once = static_cast<double>(lanes_) / std::exp2(halves);
    const double turns =
        std::ceil(static_cast<double>(std::max<std::int64_t>(1, rows / waves)) / at_once);
    return {rows, halves, axis + 1 == operand.shape.size() ? turns : 0, rows < waves, of_product};
  }

  /// Until lanes have what they sum up, compare or scan together: compilers finish one row of a
  /// wave after the other. Rows of products are few, and are exchanged side by side.
  double wait_of(const Instruction& one) const {
    const Together how = together(one);
    if (how.rows == 0) return 0;
    const double turns = how.of_product ? 1 : std::max(1.0, how.turns);
    return rates_.exchange_cycles * (how.halves * turns + (how.crosses_waves ? kAcrossWaves : 0));
  }

  /// Each half sends a value of every lane that has a part of a row; lanes lie along the last axis.
  Pipes exchanges_of(const Instruction& one) const {
    const Together how = together(one);
    if (how.rows == 0 || rates_.exchange == 0) return {};
    const double instructions = static_cast<double>(threads_ / lanes_) * how.halves * how.turns;
    Pipes result;
    result.exchange = instructions * static_cast<double>(lanes_) / rates_.exchange;
    if (rates_.issue > 0)
      result.issue =
          2 * instructions * static_cast<double>(lanes_) / (rates_.issue * rates_.vector_share);
    return result;
  }

  /// To another number, not only to another name.
  bool converts(const Instruction& one) const {
    if (one.op != Opcode::cast || one.operands[0] < 0) return false;
    const Type& from = type_of(one.operands[0]);
    const Type& to = type_of(one.results[0]);
    return !from.pointer && !to.pointer &&
           (config::is_float(from.element) || config::is_float(to.element)) &&
           from.element != to.element;
  }

  /// By the units of special functions: floating point to integers, and 8 or 16 bits of an integer to
  /// floating point. 32 bits are as simple as a sum, and so is what is true or not.
  bool converts_specially(const Instruction& one) const {
    const config::DType from = type_of(one.operands[0]).element;
    const config::DType to = type_of(one.results[0]).element;
    if (from == config::DType::boolean || to == config::DType::boolean) return false;
    return config::is_float(from) ? !config::is_float(to) : config::byte_width(from) < 4;
  }

  Pipes pipes(double simple, double multiply, double special, double instructions) const {
    return {simple, multiply, special,
            rates_.issue > 0 ? instructions / (rates_.issue * rates_.vector_share) : 0};
  }

  /// How many elements share each value: of what only addresses and masks are made of, as many as
  /// a lane accesses at a time.
  void find_widths(const std::vector<int>& widths) {
    const auto note = [&](ValueId value, int width) {
      if (value < 0 || width == 0) return false;
      int& known = width_[static_cast<std::size_t>(value)];
      if (known != 0 && known <= width) return false;
      known = width;
      return true;
    };
    constexpr int kMostRounds = 16;
    bool changed = !widths.empty();
    for (int round = 0; changed && round < kMostRounds; ++round) {
      changed = false;
      for (auto block = code_.blocks.rbegin(); block != code_.blocks.rend(); ++block) {
        for (auto one = block->code.rbegin(); one != block->code.rend(); ++one) {
          for (std::size_t k = 0; k < one->operands.size(); ++k)
            changed |= note(one->operands[k], width_of_use(*one, k, widths));
        }
      }
    }
    if (changed) std::ranges::fill(width_, 1);
  }

  /// Elements of operand k that one of the instruction's serves; 0: not known yet.
  int width_of_use(const Instruction& one, std::size_t k, const std::vector<int>& widths) const {
    if (one.op == Opcode::load || one.op == Opcode::store) {
      const bool is_value = one.op == Opcode::load ? k == 2 : k == 1;
      return is_value ? 1 : widths[static_cast<std::size_t>(one.integers[0])];
    }
    if (one.results.size() != 1 || is_control(one.op) || one.op >= Opcode::reduce) return 1;
    const Type& result = type_of(one.results[0]);
    if (!result.pointer && config::is_float(result.element)) return 1;
    return width_[static_cast<std::size_t>(one.results[0])];
  }

  void walk(BlockId id) {
    for (const Instruction& instruction : code_.blocks[static_cast<std::size_t>(id)].code) {
      switch (instruction.op) {
        case Opcode::load:
        case Opcode::store:
        case Opcode::atomic:
          reach(instruction);
          break;
        case Opcode::for_range:
        case Opcode::while_loop:
          close();
          nested(instruction);
          close();
          break;
        case Opcode::if_else:
        case Opcode::scope:
          nested(instruction);
          break;
        default:
          do_work(instruction);
      }
    }
  }

  void nested(const Instruction& instruction) {
    if (instruction.op == Opcode::while_loop && instruction.other >= 0) walk(instruction.other);
    if (instruction.body >= 0) walk(instruction.body);
    if (instruction.op == Opcode::if_else && instruction.other >= 0) walk(instruction.other);
  }

  void do_work(const Instruction& instruction) {
    count_code(instruction);
    const bool late = depends_on_load(instruction);
    Cost cost = cost_of(instruction);
    cost.vector += exchanges_of(instruction);
    cost.wait = wait_of(instruction);
    (late ? late_ : early_) += cost;
    for (const ValueId result : instruction.results) {
      loaded_[static_cast<std::size_t>(result)] = late ? group_ : 0;
      product_[static_cast<std::size_t>(result)] = instruction.op == Opcode::dot;
      work_.has_products |= instruction.op == Opcode::dot;
    }
  }

  void count_code(const Instruction& instruction) {
    if (instruction.results.empty()) return;
    const Type& type = type_of(instruction.results[0]);
    const bool computes = count_of(program_, instruction) || type.pointer;
    if (!computes) return;
    const double each =
        type.shape.empty()
            ? 1
            : std::ceil(static_cast<double>(type.elements()) / static_cast<double>(threads_));
    const auto code = integer_code(instruction);
    const bool is_float = !type.pointer && config::is_float(type.element);
    operations_ += each * (code && (!is_float || instruction.op == Opcode::random)
                               ? code->simple + code->multiply
                               : 1);
  }

  bool depends_on_load(const Instruction& instruction) const {
    return std::any_of(instruction.operands.begin(), instruction.operands.end(), [&](ValueId v) {
      return v >= 0 && loaded_[static_cast<std::size_t>(v)] == group_;
    });
  }

  void reach(const Instruction& instruction) {
    const auto site = static_cast<std::size_t>(instruction.integers[0]);
    const bool is_load = instruction.op == Opcode::load;
    if (!is_load || !first_ || depends_on_load(instruction)) {
      join();
      ++group_;
      first_.reset();
    }
    const std::size_t place = early_.cycles() <= kMoved ? first_.value_or(site) : site;
    if (is_load && early_.matrix == 0) addresses_.emplace_back(place, early_.vector.cycles());
    add(work_.before, work_.wait_before, place, std::exchange(early_, {}));
    last_ = site;
    if (!is_load) return;
    if (!first_) first_ = site;
    for (const ValueId result : instruction.results)
      loaded_[static_cast<std::size_t>(result)] = group_;
  }

  /// What is open belongs to the last memory instruction; before the first one, to nobody yet.
  void close() {
    join();
    ++group_;
    first_.reset();
    if (last_) add(work_.after, work_.wait_after, *last_, std::exchange(early_, {}));
  }

  void add(std::vector<double>& cycles, std::vector<double>& wait, std::size_t site,
           const Cost& cost) {
    cycles[site] += cost.cycles();
    wait[site] += cost.wait;
    work_.counted[site] += cost.counted;
  }

  const KernelProgram& program_;
  const TileProgram& code_;
  const config::GpuArithmetic& rates_;
  ProductWork products_;
  bool is_amd_;
  std::int64_t lanes_;
  std::int64_t threads_;
  std::vector<std::optional<std::int64_t>> constants_;
  Work work_;
  Cost early_;  ///< that needs nothing of the loads of this group
  Cost late_;   ///< that does
  /// Cycles in front of the loads of this group.
  std::vector<std::pair<std::size_t, double>> addresses_;
  std::optional<std::size_t> first_;  ///< load of the group that is open
  std::optional<std::size_t> last_;   ///< memory instruction of all
  int group_ = 1;
  double operations_ = 0;    ///< of a thread
  std::vector<int> loaded_;  ///< per value: the group of loads that it comes from; 0: none
  std::set<std::vector<std::int64_t>> product_shapes_;
  std::vector<bool> product_;  ///< per value: the result of a dot
  std::vector<int> width_;     ///< per value: elements that one of it serves; 0: nothing needs it
};

}  // namespace

Work TileProgram::work(const KernelProgram& program, const config::Launch& launch,
                       const config::Gpu& gpu, const std::vector<int>& widths) const {
  Work work = Worker(program, launch, gpu, widths).find();
  if (gpu.vendor == config::Vendor::nvidia)
    work.lookups = repeated_lookups(program, launch,
                                    {launch.waves(gpu.compute.wave_lanes), gpu.compute.wave_lanes});
  if (gpu.arithmetic.issue <= 0) return work;
  const double slot = static_cast<double>(gpu.compute.wave_lanes) / gpu.arithmetic.issue;
  for (std::size_t site = 0; site < work.lookups.size(); ++site)
    work.before[site] += static_cast<double>(work.lookups[site]) * slot;
  return work;
}

double arithmetic_cycles(const std::vector<ArithmeticCount>& counts,
                         const config::GpuArithmetic& rates) {
  double cycles = 0;
  for (const ArithmeticCount& count : counts)
    cycles += static_cast<double>(count.count) / rate_of(count.kind, count.type, rates);
  return cycles;
}

}  // namespace heddle::kernel
