#include "kernel/index_probe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "kernel/index_graph.h"
#include "kernel/shown_numbers.h"
#include "kernel/tile_program.h"

namespace heddle::kernel {
namespace {

constexpr std::size_t kMostNumbers = 400;
constexpr std::size_t kMostAnchors = 8;

/// Finds the numbers, then writes the program that shows them.
class ProbeBuilder {
 public:
  ProbeBuilder(const KernelProgram& program, const config::Launch& launch, bool all_blocks)
      : original_(program), graph_(program), all_blocks_(all_blocks) {
    probe_.program = program;
    probe_.launch = launch;
  }

  IndexProbe run() {
    find_numbers();
    find_divisors();
    choose_anchors();
    if (probe_.reason.empty()) write_program();
    probe_.whole = original_;
    probe_.values.assign(values_.begin(), values_.end());
    return std::move(probe_);
  }

 private:
  // ---- numbers

  /// Numbers behind a scalar, through pointers and real numbers.
  void numbers_behind(ValueId value, std::set<ValueId>& seen, std::vector<ValueId>& out) const {
    if (!seen.insert(value).second) return;
    if (graph_.is_number(value)) {
      if (std::find(out.begin(), out.end(), value) == out.end()) out.push_back(value);
      return;
    }
    for (const ValueId part : graph_.made_of(value)) numbers_behind(part, seen, out);
  }

  std::vector<ValueId> parts(ValueId value) const {
    std::vector<ValueId> out;
    if (graph_.is_loaded(value) && !graph_.is_linear(value)) return out;
    std::set<ValueId> seen = {value};
    for (const ValueId part : graph_.made_of(value)) numbers_behind(part, seen, out);
    return out;
  }

  void find_numbers() {
    std::vector<ValueId> level;
    std::set<ValueId> seen;
    for (const ValueId value : graph_.at_work()) numbers_behind(value, seen, level);
    for (const ValueId value : level) add_number(value, 0, true);
    for (std::size_t i = 0; i < values_.size() && values_.size() < kMostNumbers; ++i) {
      const int distance = probe_.numbers[i].distance;
      for (const ValueId part : parts(values_[i])) {
        const int index = add_number(part, distance + 1, false);
        probe_.numbers[i].made_of.push_back(index);
      }
    }
    if (probe_.numbers.empty())
      probe_.reason = "no work of the kernel depends on its block's index";
  }

  int add_number(ValueId value, int distance, bool is_at_work) {
    const auto known = number_of_.find(value);
    if (known != number_of_.end()) return known->second;
    IndexNumber number;
    const ValueName* name = graph_.name(value);
    const auto& writers = graph_.writers(value);
    const Instruction* writer = writers.empty() ? nullptr : writers.front().instruction;
    std::int32_t place = writer != nullptr ? writer->place : 0;
    if (name != nullptr) place = name->place;
    number.name = name != nullptr ? name->name : text(value);
    number.is_variable = name != nullptr && graph_.is_of_kernel(*name);
    number.is_named = name != nullptr;
    number.is_launch_index = writer != nullptr && writer->op == Opcode::program_id;
    number.is_at_work = is_at_work;
    number.is_linear = graph_.is_linear(value);
    number.is_copy = writers.size() == 1 && writer != nullptr && is_copy(*writer);
    number.is_choice = graph_.is_choice(value);
    number.is_loaded = graph_.is_loaded(value);
    if (number.is_loaded) describe_load(value, number);
    if (static_cast<std::size_t>(place) < original_.places.size())
      number.line = original_.places[static_cast<std::size_t>(place)].position.line;
    const Type& type = code_of(original_).values[static_cast<std::size_t>(value)];
    number.bits = config::bit_width(type.element);
    number.distance = distance;
    const int index = static_cast<int>(probe_.numbers.size());
    probe_.numbers.push_back(std::move(number));
    values_.push_back(value);
    number_of_[value] = index;
    return index;
  }

  /// The value of its only number: y, y + 0 and y * 1, as an unrolled loop has them.
  bool is_copy(const Instruction& one) const {
    if (one.op == Opcode::copy || one.op == Opcode::cast) return true;
    if (one.operands.size() != 2) return false;
    const std::int64_t neutral = one.op == Opcode::multiply ? 1 : 0;
    const bool is_sum = one.op == Opcode::add || one.op == Opcode::multiply;
    if (!is_sum && one.op != Opcode::subtract) return false;
    return whole(one.operands[1]) == neutral || (is_sum && whole(one.operands[0]) == neutral);
  }

  // ---- divisors

  /// The whole number that a value is for this launch, if the source or the launch says so.
  std::optional<std::int64_t> whole(ValueId value) const {
    constexpr int kMostCopies = 8;
    for (int i = 0; i < kMostCopies && value != kNoValue; ++i) {
      const auto& writers = graph_.writers(value);
      if (writers.size() != 1) return std::nullopt;
      const Instruction& one = *writers.front().instruction;
      if (one.op == Opcode::constant_int) return one.integers.at(0);
      if (one.op == Opcode::parameter) return argument(one.integers.at(0));
      if (one.op != Opcode::copy && one.op != Opcode::cast) return std::nullopt;
      value = one.operands.at(0);
    }
    return std::nullopt;
  }

  std::optional<std::int64_t> argument(std::int64_t parameter) const {
    const Parameter& one = original_.parameters[static_cast<std::size_t>(parameter)];
    if (one.argument >= probe_.launch.arguments.size()) return std::nullopt;
    const auto* number =
        std::get_if<std::int64_t>(&probe_.launch.arguments[one.argument].value.data);
    return number != nullptr ? std::optional(*number) : std::nullopt;
  }

  /// pid % 8, pid // 8, pid & 7 and pid >> 3 divide by 8.
  static std::int64_t divisor(Opcode op, std::int64_t number) {
    constexpr std::int64_t kMostShift = 30;
    if (op == Opcode::divide || op == Opcode::remainder) return number;
    if (op == Opcode::bit_and && number >= 0 && (number & (number + 1)) == 0) return number + 1;
    if (op == Opcode::shift_right && number >= 0 && number <= kMostShift)
      return std::int64_t{1} << number;
    return 0;
  }

  void find_divisors() {
    std::set<std::int64_t> found;
    for (const ValueId value : values_)
      for (const IndexGraph::Writer& writer : graph_.writers(value)) {
        const Instruction& one = *writer.instruction;
        if (one.operands.size() != 2 || !graph_.is_from_block(one.operands[0])) continue;
        const auto number = whole(one.operands[1]);
        if (number && divisor(one.op, *number) > 1) found.insert(divisor(one.op, *number));
      }
    probe_.divisors.assign(found.begin(), found.end());
  }

  /// An expression; of one that is too long the variables that it is made of.
  std::string text(ValueId value) const {
    std::string whole = graph_.text(value);
    if (whole.find("...") == std::string::npos) return whole;
    std::vector<std::string> names;
    std::set<ValueId> seen;
    find_names(value, seen, names);
    return names.empty() ? "an expression" : fmt::format("{}", fmt::join(names, ", "));
  }

  void find_names(ValueId value, std::set<ValueId>& seen, std::vector<std::string>& names) const {
    for (const ValueId part : graph_.made_of(value)) {
      if (!seen.insert(part).second) continue;
      const ValueName* known = graph_.name(part);
      if (known == nullptr)
        find_names(part, seen, names);
      else if (std::find(names.begin(), names.end(), known->name) == names.end())
        names.push_back(known->name);
    }
  }

  void describe_load(ValueId value, IndexNumber& number) const {
    const ValueId divisor = graph_.loaded_divisor(value);
    number.loaded_from = graph_.loaded_from(divisor == kNoValue ? value : divisor);
    if (divisor == kNoValue) return;
    const ValueName* name = graph_.name(divisor);
    number.loaded_divisor = name != nullptr ? name->name : graph_.text(divisor);
  }

  // ---- anchors

  std::int64_t elements(const IndexGraph::Writer& anchor) const {
    std::int64_t result = 1;
    for (const std::int64_t extent : site(*anchor.instruction).shape) result *= extent;
    return result;
  }

  const Site& site(const Instruction& one) const {
    return original_.sites[static_cast<std::size_t>(one.integers[0])];
  }

  void choose_anchors() {
    std::vector<IndexGraph::Writer> all = graph_.anchors();
    std::stable_sort(all.begin(), all.end(),
                     [&](const auto& a, const auto& b) { return elements(a) > elements(b); });
    for (const IndexGraph::Writer& one : all) {
      IndexAnchor anchor;
      anchor.line =
          original_.places[static_cast<std::size_t>(one.instruction->place)].position.line;
      anchor.elements = elements(one);
      anchor.tensors = site(*one.instruction).parameters;
      anchor.is_local = site(*one.instruction).hint == kLocalHint;
      anchor.shows_numbers = probe_.anchors.size() < kMostAnchors;
      for (std::size_t i = 0; i < values_.size() && anchor.shows_numbers; ++i)
        if (!probe_.numbers[i].is_loaded && graph_.is_known_at(values_[i], one))
          anchor.numbers.push_back(static_cast<int>(i));
      anchor_of_[one.instruction] = static_cast<int>(probe_.anchors.size());
      probe_.anchors.push_back(std::move(anchor));
    }
    if (probe_.anchors.empty()) probe_.reason = "no store of the kernel was found";
  }

  // ---- the program

  bool has_anchor(BlockId block) const {
    if (block == kNoBlock) return false;
    for (const Instruction& one : code_of(original_).blocks[static_cast<std::size_t>(block)].code)
      if (anchor_of_.count(&one) != 0 || has_anchor(one.body) || has_anchor(one.other)) return true;
    return false;
  }

  /// Ends a scope with an anchor: not only a function that the kernel calls for a number.
  bool leaves(BlockId block) const {
    if (block == kNoBlock) return false;
    for (const Instruction& one : code_of(original_).blocks[static_cast<std::size_t>(block)].code) {
      if (one.op == Opcode::leave && has_anchor(graph_.scope_around(block, one.integers.at(0))))
        return true;
      if (leaves(one.body) || leaves(one.other)) return true;
    }
    return false;
  }

  /// Rule 3: the branch that a condition is taken to choose; false: it stays a branch.
  bool is_decided(const Instruction& one, BlockId& taken) const {
    if (one.op != Opcode::if_else) return false;
    const ValueId condition = one.operands.at(0);
    if (!graph_.is_loaded(condition) && !(all_blocks_ && graph_.is_from_block(condition)))
      return false;
    for (const auto& [here, there] : {std::pair{one.body, one.other}, {one.other, one.body}}) {
      taken = here;
      if (has_anchor(here) && !has_anchor(there)) return true;
      if (!has_anchor(here) && !has_anchor(there) && leaves(there) && !leaves(here)) return true;
    }
    return false;
  }

  void write_program() {
    KernelProgram& program = probe_.program;
    std::vector<Instruction> first;
    shown_.emplace(program, probe_.launch, first);
    probe_.shows.resize(program.sites.size());
    const std::size_t blocks = code_of(original_).blocks.size();
    for (std::size_t b = 0; b < blocks; ++b) {
      std::vector<Instruction> code;
      if (b == 0) code = std::move(first);
      rewrite(static_cast<BlockId>(b), code);
      code_of(program).blocks[b].code = std::move(code);
      code_of(program).blocks[b].counts.clear();
    }
    for (const BlockId block : spliced_)
      if (block != kNoBlock) code_of(program).blocks[static_cast<std::size_t>(block)].code.clear();
    program = remove_unneeded(program, Keep::writes);
    probe_.zero = static_cast<std::int64_t>(kShownAt) + kShownZero;
  }

  /// Where it writes, and which elements, does not depend on what memory holds.
  bool is_address_known(const Instruction& one) const {
    return !graph_.is_loaded(one.operands[0]) &&
           (one.operands.size() < 3 || !graph_.is_loaded(one.operands[2]));
  }

  void rewrite(BlockId block, std::vector<Instruction>& code) {
    for (const Instruction& one : code_of(original_).blocks[static_cast<std::size_t>(block)].code) {
      const auto anchor = anchor_of_.find(&one);
      if (anchor != anchor_of_.end() &&
          !probe_.anchors[static_cast<std::size_t>(anchor->second)].shows_numbers)
        show_begin(anchor->second, code);
      else if (anchor != anchor_of_.end()) {
        show(anchor->second, code);
        if (!is_address_known(one)) {
          if (!one.results.empty())
            code.push_back(made_instruction(Opcode::unknown, one.results, {}));
          continue;
        }
        probe_.shows[static_cast<std::size_t>(one.integers[0])] = {anchor->second,
                                                                   IndexShow::kAddress};
        code.push_back(one);
        continue;
      }
      if (one.op == Opcode::store) continue;
      if (one.op == Opcode::atomic && one.results.empty()) continue;
      BlockId taken = kNoBlock;
      if (is_decided(one, taken)) {
        if (taken != kNoBlock) rewrite(taken, code);
        spliced_.insert(taken);
        continue;
      }
      code.push_back(one);
    }
  }

  void show(int anchor, std::vector<Instruction>& code) {
    show_begin(anchor, code);
    for (const int number : probe_.anchors[static_cast<std::size_t>(anchor)].numbers) {
      shown_->show(values_[static_cast<std::size_t>(number)], code);
      probe_.shows.push_back({anchor, number});
    }
  }

  void show_begin(int anchor, std::vector<Instruction>& code) {
    shown_->show_zero(code);
    probe_.shows.push_back({anchor, IndexShow::kBegin});
  }

  const KernelProgram& original_;
  IndexGraph graph_;
  bool all_blocks_;
  IndexProbe probe_;
  std::vector<ValueId> values_;  ///< per number
  std::map<ValueId, int> number_of_;
  std::map<const Instruction*, int> anchor_of_;
  std::set<BlockId> spliced_;  ///< their code stands in the block around them
  std::optional<ShownNumbers> shown_;
};

}  // namespace

IndexProbe TileProgram::probe_index(const KernelProgram& program, const config::Launch& launch,
                                    bool all_blocks) const {
  return ProbeBuilder(program, launch, all_blocks).run();
}

}  // namespace heddle::kernel
