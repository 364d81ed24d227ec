#include "kernel/triton/patch/patch.h"

#include <algorithm>

#include "kernel/decisions.h"
#include "kernel/guards.h"
#include "kernel/index_program.h"
#include "kernel/program_match.h"
#include "kernel/triton/compile.h"
#include "kernel/triton/patch/code_changes.h"
#include "kernel/triton/patch/handed_numbers.h"
#include "kernel/triton/patch/host_launch.h"
#include "kernel/triton/patch/new_modules.h"
#include "kernel/triton/patch/tuned_configs.h"

namespace heddle::kernel::triton {
namespace {

bool is_comparison(Opcode op) {
  return op == Opcode::equal || op == Opcode::not_equal || op == Opcode::less ||
         op == Opcode::less_equal || op == Opcode::greater || op == Opcode::greater_equal;
}

/// c and d: of numbers 0 and 1, at least.
bool is_of_truths(const Decision& one) {
  const auto is_bit = [](std::int64_t number) { return number == 0 || number == 1; };
  return (one.op == Opcode::bit_and || one.op == Opcode::bit_or) && is_bit(one.a) && is_bit(one.b);
}

class TritonPatch final : public Patch {
 public:
  TritonPatch(TritonSource& before, TritonSource& after) : before_(before), after_(after) {}

  LaunchComparison compare_launches(const PatchSide& before, const PatchSide& after,
                                    const std::optional<Grid>& given) override {
    return judge_launch({&before_, &before_.kernel(before.function), &before},
                        {&after_, &after_.kernel(after.function), &after}, given);
  }

  HandedValues handed_values(const PatchSide& before, const std::string& after) override {
    return values_of(handed_by(before, after),
                     {&before_, &before_.kernel(before.function), &before},
                     {&after_, &after_.kernel(after), &before});
  }

  std::optional<std::string> whole_text() const override {
    return with_new_modules(before_.main(), after_.main());
  }

  std::vector<ConfigPartner> config_partners(const std::string& before,
                                             const std::string& after) override {
    return tuned_by(before, after).partners;
  }

  CodeComparison compare_code(const PatchSide& before, const PatchSide& after) override {
    if (!changes_) {
      const HandedNumbers& handed = handed_by(before, after.function);
      CodeSide old_side = code_side(before_, before);
      CodeSide new_side = code_side(after_, after);
      old_side.ignored.insert(handed.before.begin(), handed.before.end());
      new_side.ignored.insert(handed.after.begin(), handed.after.end());
      new_side.handed = handed.shown;
      if (const TunedConfigs& tuned = tuned_by(before.function, after.function);
          tuned.before != nullptr) {
        old_side.ignored.insert(tuned.before);
        new_side.ignored.insert(tuned.after);
        new_side.tuned = &tuned;
      }
      changes_ = find_changes(old_side, new_side);
    }
    CodeComparison result;
    result.changes = changes_->changes;
    result.doubts = changes_->doubts;
    result.constants = changes_->constants;
    result.guards = changes_->guards;
    result.hints = changes_->implied;
    result.index_lines = changes_->index_lines;
    result.renamed = static_cast<std::int64_t>(changes_->renamed.size());
    result.is_other_inside = changes_->is_other_inside;
    result.is_same_text = before_.main().text == after_.main().text;
    result.has_launches = !find_launches(after_.main(), after.function).empty();
    if (!after.program) return result;
    for (const Decision& one : find_decisions(*after.program, after.launch)) {
      const Place& place = after.program->places.at(static_cast<std::size_t>(one.place));
      result.decisions.push_back({place.position.line, place.position.column,
                                  case_number(place, static_cast<int>(one.op)), one.a, one.b,
                                  one.outcome, is_comparison(one.op) || is_of_truths(one)});
    }
    try {
      compare_programs(before, after, result);
    } catch (const Error& error) {
      result.reason = error.message();
    }
    return result;
  }

  std::vector<LaunchQuotient> quotients(const PatchSide& side) override {
    std::vector<LaunchQuotient> result;
    for (const Decision& one : find_decisions(*side.program, side.launch)) {
      if (one.op != Opcode::divide && one.op != Opcode::remainder) continue;
      const Place& place = side.program->places.at(static_cast<std::size_t>(one.place));
      result.push_back(
          {place.position.line, place.position.column, one.a, one.b, one.op == Opcode::remainder});
    }
    return result;
  }

 private:
  const TunedConfigs& tuned_by(const std::string& before, const std::string& after) {
    if (!tuned_) tuned_ = find_tuned_configs(before_, before, after_, after);
    return *tuned_;
  }

  const HandedNumbers& handed_by(const PatchSide& before, const std::string& after) {
    if (!handed_)
      handed_ = find_handed_numbers({&before_, &before_.kernel(before.function), nullptr},
                                    {&after_, &after_.kernel(after), nullptr});
    return *handed_;
  }

  static CodeSide code_side(TritonSource& source, const PatchSide& side) {
    const Node& function = source.kernel(side.function);
    CodeSide code{&source, &function, &side.launch, {}, {}, nullptr};
    for (const HostLaunch& launch : find_launches(source.main(), function.text)) {
      code.ignored.insert(launch.grid);
      if (launch.support.empty()) continue;
      code.ignored.insert(launch.support.begin(), launch.support.end());
      code.ignored.insert(&launch.call->at("func").at("slice"));
    }
    return code;
  }

  /// The new kernel with the original's names for its variables, and guards for hints.
  KernelProgram renamed_program(const PatchSide& after) const {
    if (changes_->renamed.empty() && changes_->hints.empty()) return *after.program;
    const Module& module = after_.main();
    TritonSource source(module.path,
                        renamed_root(module, after_.kernel(after.function), *changes_));
    return triton::compile(source, after.launch);
  }

  void compare_programs(const PatchSide& before, const PatchSide& after,
                        CodeComparison& result) const {
    const KernelProgram original = with_guards(*before.program);
    const KernelProgram program = with_guards(renamed_program(after));
    const bool is_same_grid = before.launch.grid == after.launch.grid;
    const Turns turns = before.is_persistent ? Turns::apart : Turns::together;
    ProgramMatch match = match_programs(original, program, is_same_grid, turns);
    result.reason = match.reason;
    result.line_before = match.line_before;
    result.line_after = match.line_after;
    // What looks at blocks alone may know them all the same.
    if (!match.is_match && turns == Turns::apart)
      match = match_programs(original, program, is_same_grid);
    if (!match.is_match) return;
    result.index = index_programs(original, before.launch, program, after.launch, match);
  }

  /// Of two programs that match, each of its launch.
  static IndexPrograms index_programs(const KernelProgram& before,
                                      const config::Launch& launch_before,
                                      const KernelProgram& after, const config::Launch& launch,
                                      const ProgramMatch& match) {
    std::vector<ValueId> olds;
    std::vector<ValueId> news;
    for (const auto& [old_value, new_value] : match.cut) {
      olds.push_back(old_value);
      news.push_back(new_value);
    }
    std::vector<ReadValue> old_reads;
    std::vector<ReadValue> new_reads;
    for (const TurnCut& one : match.turns) {
      old_reads.push_back({one.before, one.position_before});
      new_reads.push_back({one.after, one.position_after});
    }
    const bool has_turns = match.loops > 0;
    IndexProgram old_index = has_turns ? index_program(before, launch_before, olds, old_reads)
                                       : index_program(before, launch_before, olds);
    IndexProgram new_index = has_turns ? index_program(after, launch, news, new_reads)
                                       : index_program(after, launch, news);
    return IndexPrograms{std::move(old_index.program),
                         std::move(new_index.program),
                         std::move(old_index.launch),
                         std::move(new_index.launch),
                         match.by_ids,
                         {},
                         std::move(old_index.turns),
                         !match.cut.empty()};
  }

  TritonSource& before_;
  TritonSource& after_;
  std::optional<HandedNumbers> handed_;
  std::optional<TunedConfigs> tuned_;
  std::optional<CodeChanges> changes_;
};

}  // namespace

std::unique_ptr<Patch> make_patch(TritonSource& before, TritonSource& after) {
  return std::make_unique<TritonPatch>(before, after);
}

}  // namespace heddle::kernel::triton
