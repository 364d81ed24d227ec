#include "kernel/triton/tile_uses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "kernel/triton/lines.h"
#include "kernel/triton/names.h"
#include "kernel/triton/program_ids.h"

namespace heddle::kernel::triton {
namespace {

bool is_before(const Node& a, const Node& b) {
  return std::pair(a.begin.line, a.begin.column) < std::pair(b.begin.line, b.begin.column);
}

/// The statement binds the name itself, not in nested statements.
bool gives(const Node& statement, const std::string& name) {
  std::set<std::string> names;
  if (statement.is("For"))
    collect_all(statement.at("target"), names);
  else if (statement.is("Assign") || statement.is("AnnAssign") || statement.is("AugAssign"))
    names = bound_by(statement);
  return names.count(name) != 0;
}

/// The branch of the nearest `if` around a statement, and that `if`.
const Statement* branch_around(const Statement& statement) {
  const Statement* parent = statement.parent;
  return parent != nullptr && parent->node->is("If") ? parent : nullptr;
}

}  // namespace

bool TritonTileUses::is_inside(const Statement& statement, const Statement& outer) {
  for (const Statement* up = statement.parent; up != nullptr; up = up->parent)
    if (up == &outer) return true;
  return false;
}

TritonTileUses::TritonTileUses(TritonSource& source, const std::string& function,
                               const std::vector<TileVariable>& asked)
    : module_(&source.main()),
      function_(&source.kernel(function)),
      statements_(statements_of(*function_)),
      numbers_(std::make_unique<ScopeNumbers>(*module_, *function_)) {
  check_kernel(source, *function_);
  path = module_->path;
  position = function_->begin;
  names = names_of(*module_);
  collect_all(*function_, names);
  collect_bound(*function_, names);
  std::set<std::string> own;
  collect_bound(*function_, own);
  spelling.dialect = "triton";
  spelling.language = language_name(*module_, own, function_->begin);
  for (const char* word : {"min", "max", "*"})
    spelling.own_minimum =
        spelling.own_minimum || names_of(*module_).count(word) != 0 || own.count(word) != 0;
  for (const TileVariable& one : asked)
    if (one.is_required) add_variable(one);
  find_sites();
  // Others count where something still reads them.
  for (bool is_more = true; is_more;) {
    is_more = false;
    const Liveness after = liveness(std::vector<std::string>(sites.size()),
                                    std::vector<std::string>(variables.size()));
    for (const TileVariable& one : asked) {
      const bool is_known = std::any_of(variables.begin(), variables.end(), [&](const auto& other) {
        return other.name == one.name && other.line == one.line;
      });
      if (is_known) continue;
      bool is_live = false;
      for (const Statement* giver : givers_of(one)) {
        const bool is_given = std::any_of(givers_.begin(), givers_.end(), [&](const Giver& other) {
          return other.statement == giver && variable_named(other, one.name) != kNoVariable;
        });
        is_live = is_live || (!is_given && !after.is_dead(*giver->node));
      }
      if (!is_live) continue;
      add_variable(one);
      is_more = true;
    }
    if (is_more) find_sites();
  }
}

void TritonTileUses::refuse(const Node& at, const std::string& what,
                            const std::string& hint) const {
  throw Error(what, hint).at(path, at.begin);
}

// ---- variables --------------------------------------------------------------------------------

/// Rule 1.
std::vector<const Statement*> TritonTileUses::givers_of(const TileVariable& variable) const {
  std::vector<const Statement*> result;
  std::vector<const Statement*> all;
  for (const Statement& one : statements_) {
    if (!gives(*one.node, variable.name)) continue;
    all.push_back(&one);
    if (one.node->begin.line == variable.line) result.push_back(&one);
  }
  if (result.empty()) {  // branches or rounds meet there: the one that computes it
    for (const Statement* one : all)
      if (!one->node->has("value") || !one->node->at("value").is("Constant")) result.push_back(one);
    if (result.size() != 1) return {};
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Statement* branch = branch_around(*result[i]);
    if (branch == nullptr) continue;
    for (const Statement* other : all) {
      const bool is_other = is_inside(*other, *branch) && other->list != result[i]->list &&
                            std::find(result.begin(), result.end(), other) == result.end();
      if (is_other) result.push_back(other);
    }
  }
  return result;
}

void TritonTileUses::add_variable(const TileVariable& variable) {
  const std::vector<const Statement*> givers = givers_of(variable);
  if (givers.empty())
    throw Error(fmt::format("'{}', a tile coordinate, has no single statement that gives it its "
                            "value",
                            variable.name),
                "compute it in one statement of the kernel")
        .at(path, {variable.line, 1});
  variables.push_back(variable);
  for (const Statement* one : givers) add_giver(*one, variables.size() - 1);
}

void TritonTileUses::add_giver(const Statement& statement, std::size_t variable) {
  const auto known = std::find_if(givers_.begin(), givers_.end(),
                                  [&](const Giver& one) { return one.statement == &statement; });
  if (known != givers_.end()) {
    known->variables.push_back(variable);
    return;
  }
  const auto behind = std::find_if(givers_.begin(), givers_.end(), [&](const Giver& one) {
    return is_before(*statement.node, *one.statement->node);
  });
  givers_.insert(behind, {&statement, {variable}});
}

std::size_t TritonTileUses::variable_named(const Giver& giver, const std::string& name) const {
  for (const std::size_t one : giver.variables)
    if (variables[one].name == name) return one;
  return kNoVariable;
}

/// Every value that the statement gives can be replaced, or is given as before.
void TritonTileUses::check_giver(const Giver& giver) const {
  const Node& node = *giver.statement->node;
  if (node.is("For")) {
    if (!node.at("target").is("Name"))
      refuse(node, "a loop counts with a coordinate in a tuple", "count with one name");
    return;
  }
  const Node& target = node.list(node.is("Assign") ? "targets" : "target").front();
  if (node.is("Assign") && node.list("targets").size() != 1)
    refuse(node, "one statement gives several names the same coordinate", "write two statements");
  const Node& value = node.at("value");
  if (target.is("Name")) return;
  if (!target.is("Tuple")) refuse(node, "a coordinate is stored in an element", "use a variable");
  const auto& items = target.list("elts");
  if (value.is("Tuple") && value.list("elts").size() == items.size()) return;
  for (const Node& item : items)
    if (!item.is("Name") || variable_named(giver, item.text) == kNoVariable)
      refuse(node,
             fmt::format("'{}' comes with a coordinate from one call, and is not a coordinate",
                         item.is("Name") ? item.text : "an element"),
             "compute it apart");
}

bool TritonTileUses::keeps_type(std::size_t variable) const {
  for (const Giver& giver : givers_) {
    const Node& node = *giver.statement->node;
    if (variable_named(giver, variables[variable].name) == kNoVariable || node.is("For")) continue;
    const Node& target = node.list(node.is("Assign") ? "targets" : "target").front();
    const Node* value = &node.at("value");
    if (target.is("Tuple") && value->is("Tuple"))
      for (std::size_t i = 0; i < target.list("elts").size(); ++i)
        if (target.list("elts")[i].text == variables[variable].name)
          value = &node.at("value").list("elts")[i];
    if (&without_cast(*value) == value) return false;
  }
  return true;
}

// ---- sites ------------------------------------------------------------------------------------

/// Rule 2: it stands behind the site's first statement, in the same round of every loop.
bool TritonTileUses::continues(const Statement& first, const Giver& giver) const {
  const Statement* at = giver.statement;
  if (first.node->is("For") || at->node->is("For")) return false;
  while (at->list != first.list) {
    at = at->parent;
    if (at == nullptr || is_loop(*at->node)) return false;
  }
  return at->index >= first.index;
}

void TritonTileUses::find_sites() {
  sites.clear();
  of_.clear();
  for (std::size_t i = 0; i < givers_.size(); ++i) {
    const Giver& giver = givers_[i];
    check_giver(giver);
    bool is_added = false;
    if (!sites.empty()) {
      const Statement& first = *givers_[of_.back().front()].statement;
      TileSite& site = sites.back();
      const bool is_again =
          std::any_of(giver.variables.begin(), giver.variables.end(), [&](std::size_t one) {
            return std::any_of(site.variables.begin(), site.variables.end(), [&](std::size_t two) {
              return variables[one].axis == variables[two].axis &&
                     variables[one].name != variables[two].name;
            });
          });
      if (!is_again && continues(first, giver)) {
        site.variables.insert(site.variables.end(), giver.variables.begin(), giver.variables.end());
        of_.back().push_back(i);
        is_added = true;
      }
    }
    if (is_added) continue;
    of_.push_back({i});
    add_site(giver);
  }
  for (TileSite& site : sites) {
    const std::set<std::string> read = numbers_->behind(replaced_reads(site));
    for (ScopeName& name : site.names) name.is_read = read.count(name.name) != 0;
  }
}

void TritonTileUses::add_site(const Giver& giver) {
  TileSite site;
  site.variables = giver.variables;
  site.position = giver.statement->node->begin;
  site.place = place_of(*giver.statement);
  site.names = scope_of(*giver.statement);
  if (giver.statement->node->is("For")) {
    site.counter = "turn";
    while (names.count(site.counter) != 0) site.counter += '_';
  }
  sites.push_back(std::move(site));
}

/// In front of the statement; of a loop: at the beginning of its body.
CodePlace TritonTileUses::place_of(const Statement& statement) const {
  const std::string& text = module_->text;
  const Lines lines(text);
  const Node& at =
      statement.node->is("For") ? statement.node->list("body").front() : *statement.node;
  const std::size_t begin = lines.begin_of_line(at.begin.line);
  const std::string margin = text.substr(begin, static_cast<std::size_t>(at.begin.column) - 1);
  if (lines.is_continued(at.begin.line) || margin.find_first_not_of(" \t") != std::string::npos)
    refuse(at, "the statement does not begin its line", "put it on a line of its own");
  CodePlace place;
  place.begin = place.end = begin;
  place.margin = margin;
  place.ending = lines.ending(at.begin.line);
  const Node& first = function_->list("body").front();
  const std::string body = text.substr(lines.begin_of_line(first.begin.line),
                                       static_cast<std::size_t>(first.begin.column) - 1);
  const std::string outer = text.substr(lines.begin_of_line(function_->begin.line),
                                        static_cast<std::size_t>(function_->begin.column) - 1);
  const bool is_deeper = body.size() > outer.size() && body.rfind(outer, 0) == 0 &&
                         body.find_first_not_of(" \t") == std::string::npos;
  place.level = is_deeper ? body.substr(outer.size()) : "    ";
  return place;
}

std::vector<ScopeName> TritonTileUses::scope_of(const Statement& statement) const {
  std::vector<ScopeName> result;
  std::set<std::string> seen;
  const auto add = [&](const std::set<std::string>& bound, int first, int last) {
    for (const std::string& name : bound)
      if (seen.insert(name).second) result.push_back({name, first, last, false});
  };
  const auto add_loop = [&](const Node& loop, bool with_body) {
    std::set<std::string> bound;
    if (loop.is("For")) collect_all(loop.at("target"), bound);
    add(bound, loop.begin.line, loop.begin.line);
    bound.clear();
    for (const Node& inside : loop.list("body"))  // rounds before
      if (with_body) collect_bound(inside, bound);
    for (const std::string& name : bound) {
      const bool is_carried =
          std::any_of(statements_.begin(), statements_.end(), [&](const Statement& other) {
            return is_before(*other.node, loop) && gives(*other.node, name);
          });
      if (is_carried) add({name}, loop.begin.line, loop.begin.line);
      seen.insert(name);
    }
  };
  if (statement.node->is("For")) add_loop(*statement.node, true);
  for (const Statement* at = &statement; at != nullptr; at = at->parent) {
    for (std::size_t i = at->index; i-- > 0;) {
      const Node& before = (*at->list)[i];
      const bool is_sure = !before.has("body") || before.is("If");
      if (is_sure) add(bound_by(before), before.begin.line, before.end.line);
    }
    if (at->parent != nullptr && is_loop(*at->parent->node)) add_loop(*at->parent->node, true);
  }
  for (const SignatureEntry& parameter : signature(*function_)) add({parameter.name}, 0, 0);
  return result;
}

std::set<std::string> TritonTileUses::replaced_reads(const TileSite& site) const {
  std::set<std::string> read;
  for (const Giver& giver : givers_)
    for (const std::size_t variable : giver.variables)
      if (std::find(site.variables.begin(), site.variables.end(), variable) !=
              site.variables.end() &&
          giver.statement->node->has("value"))
        collect_all(giver.statement->node->at("value"), read);
  return read;
}

std::vector<ScopeNumber> TritonTileUses::numbers(std::size_t site,
                                                 const config::Launch& launch) const {
  std::set<std::string> scope;
  for (const ScopeName& name : sites[site].names) scope.insert(name.name);
  return numbers_->at(scope, numbers_->behind(replaced_reads(sites[site])), launch);
}

}  // namespace heddle::kernel::triton
