#include "kernel/program_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "kernel/carried.h"

namespace heddle::kernel {
namespace {

constexpr int kDepthLimit = 2000;  ///< of expressions

class Pairing {
 public:
  Pairing(const KernelProgram& before, const KernelProgram& after, bool same_grid, Turns turns)
      : before_(before),
        after_(after),
        same_grid_(same_grid),
        index_before_(before, turns),
        index_after_(after, turns) {}

  ProgramMatch run() {
    match_.is_match = pair_blocks(0, 0, true);
    const bool has_guards = index_before_.has_guards() || index_after_.has_guards();
    if (match_.is_match && match_.loops == 0 && !has_guards) match_.by_ids = are_equal_by_ids();
    return std::move(match_);
  }

 private:
  bool fail(const Instruction* before, const Instruction* after, std::string reason) {
    if (!match_.reason.empty()) return false;
    match_.reason = std::move(reason);
    const auto line = [](const KernelProgram& program, const Instruction* one) {
      if (one == nullptr) return 0;
      return program.places.at(static_cast<std::size_t>(one->place)).position.line;
    };
    match_.line_before = line(before_, before);
    match_.line_after = line(after_, after);
    return false;
  }

  static std::vector<const Instruction*> rest_of(const KernelProgram& program,
                                                 const IndexCode& index, BlockId block) {
    std::vector<const Instruction*> rest;
    for (const Instruction& one : code_of(program).blocks[static_cast<std::size_t>(block)].code) {
      if (is_source(one.op) || index.is_index_code(one) || may_move(index, one)) continue;
      if (index.is_plain_scope(one)) {
        const auto inner = rest_of(program, index, one.body);
        rest.insert(rest.end(), inner.begin(), inner.end());
      } else {
        rest.push_back(&one);
      }
    }
    return rest;
  }

  /// Rule 5. What several instructions write, or inner ones, changes with time. Turns are shown
  /// where they read.
  static bool may_move(const IndexCode& index, const Instruction& one) {
    if (index.has_turns() || !is_pure(one.op) || index.position(one) < 0) return false;
    const auto stays = [&](ValueId value) {
      const Instruction* writer = value < 0 ? nullptr : index.writer(value);
      return writer != nullptr && (is_source(writer->op) || index.position(*writer) >= 0);
    };
    return std::all_of(one.results.begin(), one.results.end(), stays) &&
           std::all_of(one.operands.begin(), one.operands.end(), [&](ValueId value) {
             return value == kNoValue || index.is_index(value) || stays(value);
           });
  }

  /// Two values of instructions that may move; nothing: neither is one.
  std::optional<bool> same_moved(ValueId before, ValueId after) {
    const Instruction* old_one = index_before_.writer(before);
    const Instruction* new_one = index_after_.writer(after);
    const bool old_moves = old_one != nullptr && may_move(index_before_, *old_one);
    const bool new_moves = new_one != nullptr && may_move(index_after_, *new_one);
    if (!old_moves && !new_moves) return std::nullopt;
    if (old_moves != new_moves || depth_ > kDepthLimit) return false;
    if (moved_.count({before, after}) > 0) return true;
    const auto place = [](const Instruction& one, ValueId value) {
      return std::find(one.results.begin(), one.results.end(), value) - one.results.begin();
    };
    if (old_one->op != new_one->op || old_one->operands.size() != new_one->operands.size() ||
        old_one->results.size() != new_one->results.size() ||
        place(*old_one, before) != place(*new_one, after) || !same_details(*old_one, *new_one))
      return false;
    const auto positions = std::pair(position_before_, position_after_);
    position_before_ = index_before_.position(*old_one);
    position_after_ = index_after_.position(*new_one);
    ++depth_;
    bool is_same = true;
    for (std::size_t i = 0; i < old_one->operands.size() && is_same; ++i)
      is_same = unify(old_one->operands[i], new_one->operands[i]);
    --depth_;
    std::tie(position_before_, position_after_) = positions;
    if (is_same) moved_.insert({before, after});
    return is_same;
  }

  bool pair_blocks(BlockId before, BlockId after, bool is_outer) {
    if (before == kNoBlock && after == kNoBlock) return true;
    if (before == kNoBlock || after == kNoBlock)
      return fail(nullptr, nullptr, "a branch has one side more");
    const auto old_code = rest_of(before_, index_before_, before);
    const auto new_code = rest_of(after_, index_after_, after);
    for (std::size_t i = 0; i < old_code.size() || i < new_code.size(); ++i) {
      const Instruction* old_one = i < old_code.size() ? old_code[i] : nullptr;
      const Instruction* new_one = i < new_code.size() ? new_code[i] : nullptr;
      if (old_one == nullptr) return fail(nullptr, new_one, "the new kernel does more");
      if (new_one == nullptr) return fail(old_one, nullptr, "the new kernel does less");
      if (!pair(*old_one, *new_one, is_outer)) return false;
    }
    return true;
  }

  bool pair(const Instruction& before, const Instruction& after, bool is_outer) {
    if (before.op != after.op || before.operands.size() != after.operands.size() ||
        before.results.size() != after.results.size() || !same_details(before, after))
      return fail(&before, &after, "they do different things");
    if (is_outer) {
      position_before_ = index_before_.position(before);
      position_after_ = index_after_.position(after);
    }
    const bool is_tile_loop = is_outer && index_before_.is_tile_loop(before);
    if (is_tile_loop != (is_outer && index_after_.is_tile_loop(after)))
      return fail(&before, &after, "one of the loops is not run by index code alone");
    if (is_tile_loop) return pair_turns(before, after);
    if (loop_ && before.op == Opcode::leave)
      return fail(&before, &after, "a turn of the loop over tiles may end early");
    for (std::size_t i = 0; i < before.operands.size(); ++i)
      if (!unify(before.operands[i], after.operands[i]))
        return fail(&before, &after, "they work on different values");
    // A loop's body sees its own results; a while loop computes its condition inside.
    for (std::size_t i = 0; i < before.results.size(); ++i)
      if (!bind(before.results[i], after.results[i]))
        return fail(&before, &after, "they give different values");
    const bool stays_outer = is_outer && before.op == Opcode::scope;
    return pair_blocks(before.other, after.other, stays_outer) &&
           pair_blocks(before.body, after.body, stays_outer);
  }

  /// Loops over tiles: how often they run is part of what is shown, once a turn.
  bool pair_turns(const Instruction& before, const Instruction& after) {
    const Instruction* old_carried = find_carried(before_, index_before_, before);
    const Instruction* new_carried = find_carried(after_, index_after_, after);
    if (old_carried != nullptr || new_carried != nullptr)
      return fail(old_carried, new_carried,
                  "a value other than an index goes from one tile of a block to its next");
    loop_ = match_.loops++;
    const bool is_same = pair_blocks(before.body, after.body, true);
    loop_.reset();
    return is_same;
  }

  bool same_details(const Instruction& before, const Instruction& after) const {
    if (std::bit_cast<std::uint64_t>(before.number) != std::bit_cast<std::uint64_t>(after.number))
      return false;
    if (!is_memory(before.op)) return before.integers == after.integers;
    const auto site = [](const KernelProgram& program, const Instruction& one) -> const auto& {
      return program.sites.at(static_cast<std::size_t>(one.integers.at(0)));
    };
    const Site& old_site = site(before_, before);
    const Site& new_site = site(after_, after);
    return old_site.kind == new_site.kind && old_site.element == new_site.element &&
           old_site.shape == new_site.shape && old_site.hint == new_site.hint &&
           std::equal(before.integers.begin() + 1, before.integers.end(),
                      after.integers.begin() + 1, after.integers.end());
  }

  // ---- values -----------------------------------------------------------------------------

  const Type& type_before(ValueId value) const {
    return code_of(before_).values[static_cast<std::size_t>(value)];
  }
  const Type& type_after(ValueId value) const {
    return code_of(after_).values[static_cast<std::size_t>(value)];
  }

  bool bind(ValueId before, ValueId after) {
    if (!(type_before(before) == type_after(after))) return false;
    if (index_before_.is_index(before) || index_after_.is_index(after)) return false;
    const auto [forth, is_new] = forth_.try_emplace(before, after);
    const auto [back, is_new_too] = back_.try_emplace(after, before);
    return forth->second == after && back->second == before && is_new == is_new_too;
  }

  bool unify(ValueId before, ValueId after) {
    if (before == kNoValue || after == kNoValue) return before == after;
    if (!(type_before(before) == type_after(after))) return false;
    const bool is_index = index_before_.is_index(before);
    if (is_index != index_after_.is_index(after)) return false;
    if (!is_index) {
      if (const auto same = same_source(before, after)) return *same;
      if (const auto same = same_moved(before, after)) return *same;
      return bind(before, after);
    }
    if (!index_before_.is_from_block(before) && !index_after_.is_from_block(after))
      return is_same(before, after, nullptr, 0);
    if (!index_before_.is_from_block(before) || !index_after_.is_from_block(after)) return false;
    if (loop_) return show_in_turn(before, after);
    // What is written after this place may be another value than the one that is seen here.
    if (index_before_.last_write(before) > position_before_ ||
        index_after_.last_write(after) > position_after_)
      return false;
    const std::pair<ValueId, ValueId> both(before, after);
    if (std::find(match_.cut.begin(), match_.cut.end(), both) == match_.cut.end())
      match_.cut.push_back(both);
    return true;
  }

  /// Shown where it is read, in each turn; once, where it cannot change in between.
  bool show_in_turn(ValueId before, ValueId after) {
    if (index_before_.is_written_once(before) && index_after_.is_written_once(after) &&
        !shown_.insert({*loop_, before, after}).second)
      return true;
    match_.turns.push_back({before, after, position_before_, position_after_});
    return true;
  }

  /// Constants and parameters; nothing if neither is one.
  std::optional<bool> same_source(ValueId before, ValueId after) const {
    const Instruction* old_one = index_before_.writer(before);
    const Instruction* new_one = index_after_.writer(after);
    const bool old_source = old_one != nullptr && is_source(old_one->op);
    const bool new_source = new_one != nullptr && is_source(new_one->op);
    if (!old_source && !new_source) return std::nullopt;
    if (old_source != new_source || old_one->op != new_one->op) return false;
    if (old_one->op == Opcode::parameter) {
      const auto& old_parameter =
          before_.parameters.at(static_cast<std::size_t>(old_one->integers.at(0)));
      const auto& new_parameter =
          after_.parameters.at(static_cast<std::size_t>(new_one->integers.at(0)));
      return old_parameter.name == new_parameter.name &&
             old_parameter.element == new_parameter.element;
    }
    return old_one->integers == new_one->integers &&
           std::bit_cast<std::uint64_t>(old_one->number) ==
               std::bit_cast<std::uint64_t>(new_one->number);
  }

  using Ids = std::map<std::int64_t, ValueId>;

  /// Whether two index values are the same formula; `ids`: of whatever stands for the program ids.
  bool is_same(ValueId before, ValueId after, Ids* ids, int depth) const {
    if (depth > kDepthLimit || !(type_before(before) == type_after(after))) return false;
    const Instruction* old_one = index_before_.writer(before);
    const Instruction* new_one = index_after_.writer(after);
    if (old_one == nullptr) return false;
    if (old_one->op == Opcode::program_id && ids != nullptr) {
      const auto [known, is_new] = ids->try_emplace(old_one->integers.at(0), after);
      return is_new || known->second == after;
    }
    if (new_one == nullptr || old_one->body != kNoBlock || new_one->body != kNoBlock) return false;
    if (const auto same = same_source(before, after)) return *same;
    if (old_one->op == Opcode::num_programs && !same_grid_) return false;
    if (old_one->op != new_one->op || old_one->integers != new_one->integers ||
        old_one->operands.size() != new_one->operands.size())
      return false;
    for (std::size_t i = 0; i < old_one->operands.size(); ++i)
      if (!is_same(old_one->operands[i], new_one->operands[i], ids, depth + 1)) return false;
    return true;
  }

  bool are_equal_by_ids() const {
    Ids ids;
    for (const auto& [before, after] : match_.cut)
      if (!is_same(before, after, &ids, 0)) return false;
    return true;
  }

  const KernelProgram& before_;
  const KernelProgram& after_;
  bool same_grid_;
  IndexCode index_before_;
  IndexCode index_after_;
  std::map<ValueId, ValueId> forth_;
  std::map<ValueId, ValueId> back_;
  std::int64_t position_before_ = 0;
  std::int64_t position_after_ = 0;
  std::set<std::pair<ValueId, ValueId>> moved_;  ///< equal, by what they are made of
  int depth_ = 0;                                ///< of expressions that may move
  std::optional<int> loop_;                      ///< over tiles: the one around
  std::set<std::tuple<int, ValueId, ValueId>> shown_;
  ProgramMatch match_;
};

}  // namespace

ProgramMatch match_programs(const KernelProgram& before, const KernelProgram& after, bool same_grid,
                            Turns turns) {
  return Pairing(before, after, same_grid, turns).run();
}

}  // namespace heddle::kernel
