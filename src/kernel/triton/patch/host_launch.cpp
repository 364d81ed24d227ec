#include "kernel/triton/patch/host_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <utility>

#include "kernel/triton/bindings.h"
#include "kernel/triton/compile.h"
#include "kernel/triton/patch/syntax_text.h"
#include "support/text.h"

namespace heddle::kernel::triton {
namespace {

bool is_launch(const Node& node, const std::string& kernel) {
  if (!node.is("Call") || !node.at("func").is("Subscript")) return false;
  const Node& launched = node.at("func").at("value");
  return (launched.is("Name") || launched.is("Attribute")) && launched.text == kernel;
}

class HostLaunchSearch {
 public:
  HostLaunchSearch(const Module& module, const std::string& kernel)
      : module_(module), kernel_(kernel) {}

  std::vector<HostLaunch> run() {
    visit_scope(module_.root);
    return std::move(launches_);
  }

 private:
  using Counts = std::map<std::string, int>;

  static void count_target(const Node& target, Counts& counts) {
    if (target.is("Name")) ++counts[target.text];
    for (const Node& item : target.list("elts")) count_target(item, counts);
  }

  /// How often each name is given a value, functions inside left out.
  static void count_targets(const Node& node, Counts& counts) {
    for (const char* field : {"target", "targets", "optional_vars"})
      for (const Node& target : node.list(field)) count_target(target, counts);
    for (const Field& field : node.fields)
      for (const Node& child : field.nodes)
        if (!opens_scope(child)) count_targets(child, counts);
  }

  static bool opens_scope(const Node& node) {
    return node.is("FunctionDef") || node.is("AsyncFunctionDef") || node.is("ClassDef");
  }

  /// Assignments that always happen, and once, say what a name is; others do not.
  void visit_scope(const Node& scope) {
    const std::vector<const Node*> outside = steps_;
    const std::vector<const Node*> functions = std::exchange(functions_, {});
    const Node* outer = scope_;
    scope_ = &scope;
    Counts counts;
    for (const Node& statement : scope.list("body"))
      if (!opens_scope(statement)) count_targets(statement, counts);
    std::erase_if(steps_, [&](const Node* step) {
      return counts.count(step->list("targets").front().text) > 0;
    });
    for (const Node& statement : scope.list("body")) {
      visit(statement);
      const auto& targets = statement.list("targets");
      if (statement.is("Assign") && targets.size() == 1 && targets.front().is("Name") &&
          counts[targets.front().text] == 1)
        steps_.push_back(&statement);
      if (statement.is("FunctionDef")) functions_.push_back(&statement);
    }
    steps_ = outside;
    functions_ = functions;
    scope_ = outer;
  }

  void visit(const Node& node) {
    if (is_launch(node, kernel_)) add(node);
    if (opens_scope(node)) return visit_scope(node);
    for (const Field& field : node.fields)
      for (const Node& child : field.nodes) visit(child);
  }

  void add(const Node& call) {
    HostLaunch launch;
    launch.call = &call;
    launch.steps = steps_;
    launch.grid = &call.at("func").at("slice");
    launch.scope = scope_;
    if (launch.grid->is("Name")) {
      const Node* value = nullptr;
      for (const Node* step : steps_)
        for (const Node& target : step->list("targets"))
          if (target.is("Name") && target.text == launch.grid->text) value = &step->at("value");
      if (const Node* function = grid_function(launch.grid->text)) value = function;
      if (value != nullptr) launch.grid = value;
      if (value != nullptr && !is_within(*value, *scope_)) launch.scope = &module_.root;
    }
    launches_.push_back(std::move(launch));
  }

  /// One that the scope defines before the launch, and gives the name no other value; null: none.
  const Node* grid_function(const std::string& name) const {
    const auto found = std::ranges::find(functions_, name, &Node::text);
    const bool is_one = found != functions_.end() && module_bindings(*scope_).at(name) == 1;
    return is_one && returned_grid(module_, **found) != nullptr ? *found : nullptr;
  }

  static bool is_within(const Node& node, const Node& scope) {
    return scope.is("Module") ||
           (node.begin.line >= scope.begin.line && node.end.line <= scope.end.line);
  }

  const Module& module_;
  const std::string& kernel_;
  const Node* scope_ = nullptr;
  std::vector<const Node*> steps_;
  std::vector<const Node*> functions_;  ///< that the scope defined so far
  std::vector<HostLaunch> launches_;
};

/// How often a name is looked at below a node.
int uses_of(const Node& node, const std::string& name) {
  int uses = node.is("Name") && node.text == name ? 1 : 0;
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes) uses += uses_of(child, name);
  return uses;
}

/// Assignments of a function that serve the grids of its launches alone.
class GridSupport {
 public:
  GridSupport(const Module& module, const Node& scope, std::vector<const Node*> users)
      : module_(module), scope_(scope), users_(std::move(users)) {}

  std::vector<const Node*> run() {
    std::vector<const Node*> found;
    if (declares_outside(scope_)) return found;
    const std::vector<Node>& body = scope_.list("body");
    // What a later statement is for, an earlier one may be for, too.
    for (auto one = body.rbegin(); one != body.rend(); ++one)
      if (serves(*one)) {
        found.push_back(&*one);
        users_.push_back(one->is("Assign") ? &one->at("value") : &*one);
      }
    return found;
  }

 private:
  static bool declares_outside(const Node& node) {
    if (node.is("Global") || node.is("Nonlocal")) return true;
    return std::ranges::any_of(node.fields, [](const Field& field) {
      return std::ranges::any_of(field.nodes, declares_outside);
    });
  }

  bool serves(const Node& statement) const {
    const bool is_function = statement.is("FunctionDef");
    if (!is_function && (!statement.is("Assign") || statement.list("targets").size() != 1))
      return false;
    const Node& target = is_function ? statement : statement.list("targets").front();
    const Node& value = is_function ? statement : statement.at("value");
    if (!(is_function || target.is("Name")) || unlisted_in_grid(module_, value) != nullptr ||
        (is_function && module_bindings(scope_).at(target.text) != 1))
      return false;
    int served = 0;
    for (const Node* user : users_) served += uses_of(*user, target.text);
    const bool is_parameter =
        std::ranges::any_of(scope_.at("args").fields, [&](const Field& field) {
          return std::ranges::any_of(field.nodes,
                                     [&](const Node& one) { return one.text == target.text; });
        });
    const int own = is_function ? 0 : 1;
    return served > 0 && !is_parameter && uses_of(scope_, target.text) == served + own;
  }

  const Module& module_;
  const Node& scope_;
  std::vector<const Node*> users_;  ///< expressions that only grids are made of
};

/// A grid that is known, or why it is not.
struct KnownGrid {
  std::optional<Grid> grid;
  std::string reason;
  bool is_empty = false;  ///< it has an extent of 0
  std::vector<std::int64_t> extents;
};

/// What expressions can name, also as host code calls what it hands over: kernel[grid](a, b).
std::vector<config::NamedValue> host_names(const LaunchSide& side, const Node& call) {
  std::vector<config::NamedValue> names;
  const std::vector<SignatureEntry> parameters = signature(*side.function);
  const auto add = [&](const Node& given, const std::string& parameter) {
    if (!given.is("Name")) return;
    if (const config::Argument* one = side.side->launch.find(parameter))
      names.push_back({given.text, one->value});
  };
  const std::vector<Node>& given = call.list("args");
  for (std::size_t i = 0; i < std::min(given.size(), parameters.size()); ++i)
    add(given[i], parameters[i].name);
  for (const Node& keyword : call.list("keywords")) add(keyword.at("value"), keyword.text);
  names.insert(names.end(), side.side->names.begin(), side.side->names.end());
  return names;
}

KnownGrid evaluate(const LaunchSide& side, const HostLaunch& launch) {
  KnownGrid known;
  try {
    known.extents = host_grid(*side.source, *launch.grid, launch.steps,
                              host_names(side, *launch.call), side.side->launch.tensors);
    known.grid = Grid(known.extents);
  } catch (const Error& error) {
    known.reason = error.message();
    for (const std::int64_t extent : known.extents) known.is_empty = known.is_empty || extent < 1;
  }
  return known;
}

bool is_same_grid(const Grid& a, const Grid& b) {
  return a.extent(0) == b.extent(0) && a.extent(1) == b.extent(1) && a.extent(2) == b.extent(2);
}

class Judge {
 public:
  Judge(const LaunchSide& before, const LaunchSide& after)
      : before_(before),
        after_(after),
        grid_(before.side->launch.grid),
        text_before_(before.source->main(), *before.function, none_),
        text_after_(after.source->main(), *after.function, none_),
        launches_before_(find_launches(before.source->main(), before.function->text)),
        launches_after_(find_launches(after.source->main(), after.function->text)) {}

  LaunchComparison run(const std::optional<Grid>& given) {
    return compare_launches(
        *before_.side, *after_.side, given, places(launches_before_, text_before_),
        places(launches_after_, text_after_), [&](std::size_t i, LaunchComparison& result) {
          const bool is_new = launches_before_.empty();
          return compare(is_new ? nullptr : &launches_before_[i], launches_after_[i], result);
        });
  }

 private:
  static std::vector<HostPlace> places(const std::vector<HostLaunch>& launches,
                                       const SyntaxText& text) {
    std::vector<HostPlace> result;
    for (const HostLaunch& one : launches)
      result.push_back({one.call->begin.line, text.quoted(*one.grid)});
    return result;
  }

  static void finish(LaunchComparison& result, Verdict verdict, std::string finding) {
    result.check.verdict = verdict;
    result.check.finding = std::move(finding);
  }

  /// False if nothing more needs to be looked at.
  bool compare(const HostLaunch* before, const HostLaunch& after, LaunchComparison& result) {
    const std::string quoted = text_after_.quoted(*after.grid);
    const std::string place = fmt::format("line {}: {}", after.call->begin.line, quoted);
    const bool is_same_text =
        before != nullptr && text_before_.exact(*before->grid) == text_after_.exact(*after.grid);
    const KnownGrid now = evaluate(after_, after);
    KnownGrid then;
    if (before != nullptr) then = evaluate(before_, *before);
    const Grid& wanted = then.grid ? *then.grid : grid_;
    if (then.grid && !is_same_grid(*then.grid, grid_)) {
      result.is_of_job = false;
      result.check.notes.push_back(fmt::format("the original's own expression gives {}, the job {}",
                                               then.grid->text(), grid_.text()));
    }
    if (now.grid && !is_same_grid(*now.grid, wanted) && says_otherwise(after, after_.side->launch))
      result.is_of_job = false;
    if (now.is_empty) {
      finish(result, Verdict::refuted,
             fmt::format("the grid [{}] has no blocks ({})", fmt::join(now.extents, ", "), place));
      return false;
    }
    if ((!is_same_text || !same_support(before, after)) &&
        !check_grammar(before, after, place, result))
      return false;
    if (now.grid && !is_same_grid(*now.grid, wanted)) {
      set_other_grid(result, grid_, *now.grid, place);
      return false;
    }
    if (is_same_text && (now.grid || same_steps(*before, after))) {
      finish(result, Verdict::proved, fmt::format("the same launch expression: {}", quoted));
      if (!now.grid)
        result.check.notes.push_back(
            fmt::format("its value is not known here ({}); the job's grid is taken", now.reason));
      return true;
    }
    if (now.grid) {
      finish(result, Verdict::proved,
             fmt::format("{} blocks as before ({})", now.grid->text(), place));
      return true;
    }
    result.is_grid_known = false;
    finish(result, Verdict::unknown,
           fmt::format("the launch expression is another, and its value is not known here: {} ({})",
                       now.reason, place));
    return false;
  }

  /// Whether a grid that changed does nothing but give numbers, and to this kernel alone.
  bool check_grammar(const HostLaunch* before, const HostLaunch& after, const std::string& place,
                     LaunchComparison& result) {
    const Module& module = after_.source->main();
    if (const Node* part = unlisted_in_grid(module, *after.grid)) {
      result.is_grid_known = false;
      finish(result, Verdict::unknown,
             fmt::format("the launch's grid holds '{}', which may do more than give a number ({})",
                         text_after_.quoted(*part), place));
      return false;
    }
    std::set<std::string> sized;
    if (before != nullptr) collect_sized(*before->scope, sized);
    std::set<std::string> needed;
    collect_sized(*after.grid, needed);
    for (const Node* one : after.support) collect_sized(*one, needed);
    for (const std::string& name : needed)
      if (before != nullptr && sized.count(name) == 0) {
        finish(result, Verdict::unknown,
               fmt::format("the original does not ask for the size of '{}' ({})", name, place));
        return false;
      }
    const Node& written = after.call->at("func").at("slice");
    if (!written.is("Name")) return true;
    int launches = 0;
    for (const HostLaunch& launch : launches_after_)
      if (launch.scope == after.scope)
        launches += uses_of(launch.call->at("func").at("slice"), written.text);
    const int own = after.grid->is("FunctionDef") ? 0 : 1;
    if (uses_of(*after.scope, written.text) == launches + own) return true;
    finish(result, Verdict::unknown,
           fmt::format("the grid '{}' changed, and not this launch alone uses it "
                       "({})",
                       written.text, place));
    return false;
  }

  bool same_support(const HostLaunch* before, const HostLaunch& after) const {
    if (before == nullptr) return after.support.empty();
    return std::ranges::equal(before->support, after.support, [this](const Node* a, const Node* b) {
      return text_before_.exact(*a) == text_after_.exact(*b);
    });
  }

  /// What the names of the expression may stand for.
  bool same_steps(const HostLaunch& before, const HostLaunch& after) const {
    if (before.steps.size() != after.steps.size()) return false;
    for (std::size_t i = 0; i < before.steps.size(); ++i)
      if (text_before_.exact(*before.steps[i]) != text_after_.exact(*after.steps[i])) return false;
    return true;
  }

  const LaunchSide& before_;
  const LaunchSide& after_;
  const Grid& grid_;
  const std::set<const Node*> none_;
  SyntaxText text_before_;
  SyntaxText text_after_;
  std::vector<HostLaunch> launches_before_;
  std::vector<HostLaunch> launches_after_;
};

}  // namespace

std::int64_t host_number(const LaunchSide& side, const HostLaunch* launch, const Node& node) {
  const auto extents =
      launch == nullptr
          ? host_grid(*side.source, node, {}, side.side->names, side.side->launch.tensors)
          : host_grid(*side.source, node, launch->steps, host_names(side, *launch->call),
                      side.side->launch.tensors);
  if (extents.size() != 1) throw Error("it is not a whole number", "");
  return extents.front();
}

bool says_otherwise(const HostLaunch& launch, const config::Launch& known) {
  return std::ranges::any_of(launch.call->list("keywords"), [&](const Node& keyword) {
    constexpr int kHexadecimal = 16;
    const config::Argument* given = known.find(keyword.text);
    const Node& value = keyword.at("value");
    if (given == nullptr || !value.is("Constant") || value.constant != ConstantKind::integer)
      return false;
    const auto* number = std::get_if<std::int64_t>(&given->value.data);
    return number != nullptr && *number != std::strtoll(value.text.c_str(), nullptr, kHexadecimal);
  });
}

std::vector<HostLaunch> find_launches(const Module& module, const std::string& kernel) {
  std::vector<HostLaunch> launches = HostLaunchSearch(module, kernel).run();
  std::map<const Node*, std::vector<const Node*>> grids;  // as they are written
  for (const HostLaunch& launch : launches)
    if (launch.scope->is("FunctionDef"))
      grids[launch.scope].push_back(&launch.call->at("func").at("slice"));
  for (HostLaunch& launch : launches)
    if (const auto own = grids.find(launch.scope); own != grids.end())
      launch.support = GridSupport(module, *launch.scope, own->second).run();
  return launches;
}

LaunchComparison judge_launch(const LaunchSide& before, const LaunchSide& after,
                              const std::optional<Grid>& given) {
  return Judge(before, after).run(given);
}

}  // namespace heddle::kernel::triton
