// Both kernels of a C++ patch on one launch.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "audit/audit_cxx.h"
#include "audit/patch.h"
#include "kernel/cxx/compile.h"
#include "kernel/cxx/language.h"
#include "support/text.h"

namespace heddle::audit {
namespace {

namespace cxx = kernel::cxx;

/// The new file's kernel: by name, or the only one where that name is gone.
const cxx::CxxFunction& changed_function(const cxx::CxxSource& source, const std::string& asked,
                                         const std::string& original) {
  if (!asked.empty()) return source.kernel(asked);
  const auto& kernels = source.kernels();
  const bool is_there = std::any_of(kernels.begin(), kernels.end(), [&](const auto& one) {
    return one.scope + one.name == original;
  });
  try {
    return source.kernel(is_there ? original : "");
  } catch (const Error& error) {
    throw Error(fmt::format("there is no kernel '{}', and not one that could be meant: {}",
                            original, error.message()),
                "name the new kernel with --after-function NAME")
        .in(source.path());
  }
}

/// "blas::scale" of the original's "blas::scale<float>" with its arguments for the new kernel.
std::string with_arguments(const cxx::CxxFunction& function, const std::string& asked) {
  const std::string name = function.scope + function.name;
  const std::size_t arguments = asked.find('<');
  const bool takes = !function.template_parameters.empty() && arguments != std::string::npos;
  return takes ? name + asked.substr(arguments) : name;
}

void add_numbers(CxxPatchSide& side) {
  for (const config::Argument& argument : side.launch.arguments)
    if (argument.is_constexpr) side.code.numbers.insert(argument.name);
}

/// Whole numbers over 17 that the device code of the new file holds, and the original's does not.
void collect_numbers(const cxx::CxxNode& node, std::set<std::int64_t>& numbers) {
  if (node.is("IntegerLiteral"))
    if (const auto number = parse_integer(node.value)) numbers.insert(*number);
  for (const cxx::CxxNode& child : node.children) collect_numbers(child, numbers);
}

std::vector<std::int64_t> new_constants(const cxx::CxxTree& before, const cxx::CxxTree& after) {
  constexpr std::int64_t kSmall = 17;
  constexpr std::size_t kMost = 6;
  std::set<std::int64_t> olds;
  std::set<std::int64_t> news;
  for (const cxx::CxxNode& node : before.declarations()) collect_numbers(node, olds);
  for (const cxx::CxxNode& node : after.declarations()) collect_numbers(node, news);
  std::vector<std::int64_t> constants;
  for (const std::int64_t number : news)
    if (number > kSmall && olds.count(number) == 0 && constants.size() < kMost)
      constants.push_back(number);
  return constants;
}

struct Launches {
  CxxPatchSide before;
  CxxPatchSide after;
  LaunchJudgement launch;
};

class CxxPatch : public PatchJudge {
 public:
  explicit CxxPatch(const PatchRequest& request) : before_(request.before), after_(request.after) {}

  Grid grid(const PatchRequest& request) override {
    return cxx::launch_of(before_, original_job(request)).launch.grid;
  }

  PatchAudit audit(const PatchRequest& request) override {
    Launches both = launches_of(request);
    both.before.program = cxx::compile(before_, both.before.launch);
    if (both.after.reason.empty()) {
      try {
        both.after.program = cxx::compile(after_, both.after.launch);
      } catch (const Error& error) {
        both.after.reason = reason_of_reading(error);
      }
    }
    compiled_ = {both.before.program, both.after.program};
    const bool is_first = !trees_ && both.after.program;
    if (is_first) keep_trees(both);
    PatchAudit result = audit_cxx(both.before, both.after, both.launch);
    if (is_first && trees_) trees_->is_proved = result.code.verdict == Verdict::proved;
    return result;
  }

  /// By the trees of the first launch, where other sizes are no other macros.
  std::optional<bool> is_permuted(const PatchRequest& request) override {
    if (!trees_) return std::nullopt;
    try {
      const Launches both = launches_of(request);
      if (both.launch.check.verdict != Verdict::proved || !both.after.reason.empty() ||
          both.before.code.numbers != trees_->numbers ||
          macros_of(both.before.launch) != trees_->macros)
        return std::nullopt;
      const CxxChanges changes =
          find_cxx_changes({&both.before.code, trees_->before.get(), &both.before.launch},
                           {&both.after.code, trees_->after.get(), &both.after.launch});
      if (changes.has_other()) return std::nullopt;
      if (changes.doubt.empty()) return true;
      // What the first launch left open is open here as well; else it is the values.
      return trees_->is_proved ? std::optional<bool>(false) : std::nullopt;
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  std::string probe(const PatchRequest& /*request*/) override { return {}; }

  std::vector<std::int64_t> constants() const override {
    return trees_ ? new_constants(*trees_->before, *trees_->after) : std::vector<std::int64_t>();
  }

 private:
  struct Trees {
    std::shared_ptr<const cxx::CxxTree> before;
    std::shared_ptr<const cxx::CxxTree> after;
    std::set<std::string> numbers;
    std::string macros;
    bool is_proved = false;  ///< `code` on the first launch
  };

  static std::string macros_of(const config::Launch& launch) {
    std::string text;
    for (const config::Argument& argument : launch.arguments)
      if (argument.is_constexpr)
        text += fmt::format("{}={};", argument.name, config::value_text(argument.value));
    return text;
  }

  void keep_trees(const Launches& both) {
    try {
      trees_ = Trees{cxx::tree_of(*both.before.program), cxx::tree_of(*both.after.program),
                     both.before.code.numbers, macros_of(both.before.launch), false};
    } catch (const Error&) {
      // Then other sizes are traced.
    }
  }

  Launches launches_of(const PatchRequest& request) {
    config::Job job = original_job(request);
    const cxx::CxxFunction& function = before_.kernel(job.function);
    job.function = with_arguments(function, job.function);
    CxxPatchSide before{request.before, {&before_, &function, {}, {}, {}}, {}, {}, {}};
    before.launch = cxx::launch_of(before_, job).launch;

    const std::string original = function.scope + function.name;
    const cxx::CxxFunction& changed = changed_function(after_, request.after_function, original);
    CxxPatchSide after{request.after, {&after_, &changed, {}, {}, {}}, before.launch, {}, {}};
    LaunchGiven given;
    given.grid = given.new_grid = before.launch.grid;
    given.after_grid = request.after_grid;
    try {
      config::Job new_job = changed_job(request, job);
      new_job.function = with_arguments(
          changed, request.after_function.empty() ? job.function : request.after_function);
      after.launch = cxx::launch_of(after_, new_job).launch;
      given.new_grid = after.launch.grid;
      if (!request.after_job_path.empty() && !given.after_grid)
        given.after_grid = after.launch.grid;
    } catch (const Error& error) {
      after.reason = error.message();
    }
    add_numbers(before);
    add_numbers(after);
    LaunchJudgement launch = judge_cxx_launch(before.code, after.code, given);
    after.launch.grid = launch.after_grid;
    return {std::move(before), std::move(after), std::move(launch)};
  }

  cxx::CxxSource before_;
  cxx::CxxSource after_;
  std::optional<Trees> trees_;
  /// For the last launch. While they are here, other sizes of the same code are not compiled again.
  std::vector<std::optional<kernel::KernelProgram>> compiled_;
};

}  // namespace

std::unique_ptr<PatchJudge> open_cxx_patch(const PatchRequest& request) {
  return std::make_unique<CxxPatch>(request);
}

}  // namespace heddle::audit
