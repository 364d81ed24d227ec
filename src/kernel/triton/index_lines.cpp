#include "kernel/triton/index_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "kernel/triton/names.h"
#include "kernel/triton/outline.h"
#include "kernel/triton/patch/scalar_names.h"
#include "support/text.h"

namespace heddle::kernel::triton {
namespace {

bool has_return(const Node& node) {
  if (node.is("Return")) return true;
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes)
      if (has_return(child)) return true;
  return false;
}

/// A whole number as it is written; its text is hexadecimal.
std::optional<std::int64_t> number_of(const Node& node) {
  constexpr std::size_t kMostDigits = 17;
  if (!node.is("Constant") || node.constant != ConstantKind::integer ||
      node.text.size() > kMostDigits)
    return std::nullopt;
  return std::strtoll(node.text.c_str(), nullptr, 16);
}

class LineFinder {
 public:
  LineFinder(TritonSource& source, const Node& function, std::set<std::string> numbers)
      : module_(source.main()),
        function_(function),
        scalars_(module_, function, std::move(numbers), Grammar::listed),
        lines_(split(module_.text, '\n')),
        taken_(lines_.size()) {}

  IndexLines run() {
    find_values(module_.root);
    for (const SignatureEntry& entry : signature(function_)) {
      if (entry.is_constexpr) result_.constexprs.push_back(entry.name);
      if (entry.default_value != nullptr) add_value(entry.name, *entry.default_value);
    }
    collect(function_.list("body"));
    find_names();
    if (result_.at_work.empty()) {
      result_.reason = "no scalar of the block's index reaches the kernel's work";
      return std::move(result_);
    }
    take_needed();
    for (std::size_t i = 0; i < taken_.size(); ++i)
      if (!taken_[i].empty()) result_.lines.push_back(static_cast<int>(i) + 1);
    result_.text = fmt::format("{}\n", fmt::join(taken_, "\n"));
    take_counts();
    return std::move(result_);
  }

 private:
  // ---- statements

  /// Scalar statements that run once for a tile; all others are work.
  void collect(const std::vector<Node>& body) {
    for (const Node& statement : body) {
      const bool is_end = statement.is("If") && has_return(statement) &&
                          scalars_.is_scalar(statement.at("test")) && is_bare_return(statement);
      if (scalars_.is_scalar_statement(statement) || is_end)
        statements_.push_back(&statement);
      else if (is_tile_loop(statement))
        enter(statement);
      else
        work_.push_back(&statement);
    }
  }

  static bool is_bare_return(const Node& statement) {
    return statement.list("body").size() == 1 && statement.list("orelse").empty() &&
           statement.list("body").front().is("Return") &&
           !statement.list("body").front().has("value");
  }

  /// for tile in range(block, tiles, blocks), and nothing of the block in `tiles` and `blocks`.
  bool is_tile_loop(const Node& statement) const {
    if (!result_.tiles.empty() || !statement.is("For") || !statement.at("target").is("Name"))
      return false;
    const Node& range = statement.at("iter");
    if (!range.is("Call") || range.list("args").size() != 3) return false;
    const std::string path = dotted_path(module_, range.at("func"));
    if (path != "range" && path != "triton.language.range") return false;
    const std::vector<Node>& bounds = range.list("args");
    return is_block(bounds[0]) && scalars_.is_scalar(bounds[1]) && scalars_.is_scalar(bounds[2]) &&
           !scalars_.is_from_block(bounds[1]) && !scalars_.is_from_block(bounds[2]) &&
           bounds[1].begin.line == bounds[1].end.line;
  }

  /// tl.program_id(0), or a name that is given nothing else.
  bool is_block(const Node& node) const {
    if (node.is("Call")) {
      const auto& axis = node.list("args");
      const bool is_first = axis.size() == 1 && number_of(axis.front()) == 0;
      const auto& named = node.list("keywords");
      const bool is_named = axis.empty() && named.size() == 1 && named.front().text == "axis" &&
                            number_of(named.front().at("value")) == 0;
      return dotted_path(module_, node.at("func")) == "triton.language.program_id" &&
             (is_first || is_named);
    }
    if (!node.is("Name")) return false;
    int given = 0;
    bool is_id = false;
    for (const Node* statement : statements_) {
      if (target_names(*statement).count(node.text) == 0) continue;
      ++given;
      is_id = statement->is("Assign") && statement->at("value").is("Call") &&
              is_block(statement->at("value"));
    }
    return given == 1 && is_id;
  }

  void enter(const Node& loop) {
    const Node& stop = loop.at("iter").list("args")[1];
    const auto line = static_cast<std::size_t>(loop.begin.line) - 1;
    result_.tiles = kLoopEnd;
    result_.loop = node_text(loop.at("iter"));
    loop_ = &loop;
    loop_lines_ = {line, fmt::format("{} = tl.program_id(0); {} = {}", loop.at("target").text,
                                     kLoopEnd, node_text(stop))};
    collect_all(stop, loop_reads_);
    collect(loop.list("body"));
  }

  std::string node_text(const Node& node) const {
    if (node.begin.line != node.end.line) return {};
    return std::string(lines_[static_cast<std::size_t>(node.begin.line) - 1].substr(
        static_cast<std::size_t>(node.begin.column - 1),
        static_cast<std::size_t>(node.end.column - node.begin.column)));
  }

  // ---- names

  bool is_index(const std::string& name) const {
    return scalars_.is_index_name(name) || (loop_ != nullptr && loop_->at("target").text == name);
  }

  void find_names() {
    std::map<std::string, IndexName> names;
    std::vector<std::string> order;
    for (const Node* statement : statements_) add_names(*statement, {}, names, order);
    std::set<std::string> read;
    for (const Node* statement : work_) collect_all(*statement, read);
    if (loop_ != nullptr) order.insert(order.begin(), loop_->at("target").text);
    for (const std::string& name : order)
      if (read.count(name) > 0) result_.at_work.push_back(name);
    for (const Node& statement : function_.list("body")) {
      find_scales(statement, names);
      find_divided(statement, names);
    }
    for (const Node* statement : work_)  // given another value by work
      for (const std::string& name : target_names(*statement))
        if (const auto named = names.find(name); named != names.end())
          named->second.is_divided = true;
    for (const Node* statement : work_) find_copied(*statement, names);
    for (const std::string& name : order) result_.names.push_back(names[name]);
    for (std::size_t i = 0; i < order.size(); ++i) result_.names[i].name = order[i];
  }

  /// `tests` are names that decide whether the statement runs.
  void add_names(const Node& statement, std::set<std::string> tests,
                 std::map<std::string, IndexName>& names, std::vector<std::string>& order) const {
    for (const char* field : {"test", "iter"})
      for (const Node& part : statement.list(field)) collect_all(part, tests);
    for (const char* field : {"body", "orelse"})
      for (const Node& inner : statement.list(field)) add_names(inner, tests, names, order);
    if (!statement.has("value") && !statement.is("For")) return;
    std::set<std::string> reads = tests;
    if (statement.has("value")) collect_all(statement.at("value"), reads);
    std::set<std::string> given;
    for (const char* field : {"target", "targets"})
      for (const Node& target : statement.list(field)) collect_all(target, given);
    for (const std::string& name : given) {
      if (!is_index(name)) continue;
      const auto [entry, is_new] = names.try_emplace(name);
      if (is_new) order.push_back(name);
      entry->second.name = name;
      entry->second.is_sum = is_new && statement.is("Assign") && is_sum_of(statement.at("value"));
      for (const std::string& read : reads)
        if (read != name && is_index(read)) entry->second.reads.insert(read);
    }
  }

  /// Sums and products: a value that packs others.
  static bool is_sum_of(const Node& node) {
    if (node.is("Name") || node.is("Constant")) return true;
    if (node.is("BinOp"))
      return (node.text == "Add" || node.text == "Mult") && is_sum_of(node.at("left")) &&
             is_sum_of(node.at("right"));
    return node.is("Call") && node.at("func").is("Attribute") && node.at("func").text == "to" &&
           is_sum_of(node.at("func").at("value"));
  }

  void find_scales(const Node& node, std::map<std::string, IndexName>& names) const {
    if (node.is("BinOp") && node.text == "Mult") {
      for (const auto& [one, other] : {std::pair{"left", "right"}, {"right", "left"}}) {
        const auto named = names.find(node.at(one).is("Name") ? node.at(one).text : "");
        if (named != names.end()) named->second.scales.insert(node_text(node.at(other)));
      }
    }
    for (const Field& field : node.fields)
      for (const Node& child : field.nodes) find_scales(child, names);
  }

  /// Names below a division, a choice or the call of a helper: more than a step of an address is
  /// made of them.
  void find_divided(const Node& node, std::map<std::string, IndexName>& names) const {
    static const std::set<std::string> kLinear = {"Add", "Sub", "Mult"};
    static const std::set<std::string> kChoices = {"min",    "max",   "minimum", "maximum",
                                                   "cdiv",   "where", "range",   "swizzle2d",
                                                   "umulhi", "divmod"};
    bool divides = node.is("BinOp") && kLinear.count(node.text) == 0;
    if (node.is("AugAssign")) divides = kLinear.count(node.text) == 0;
    if (node.is("Call")) {
      const std::string& callee = node.at("func").text;
      divides = kChoices.count(callee) > 0 || module_.functions.count(callee) > 0;
    }
    if (node.is("For") && &node == loop_) divides = false;
    if (divides) {
      std::set<std::string> below;
      for (const char* field : {"left", "args", "keywords", "target"})
        for (const Node& part : node.list(field)) collect_all(part, below);
      for (const std::string& name : below)
        if (const auto named = names.find(name); named != names.end())
          named->second.is_divided = true;
    }
    for (const Field& field : node.fields) {
      if (&node == loop_ && field.name == "iter") continue;
      for (const Node& child : field.nodes) find_divided(child, names);
    }
  }

  /// Work that gives a name a scalar may make anything of it: d = pid in front of an odd loop.
  void find_copied(const Node& node, std::map<std::string, IndexName>& names) const {
    const bool is_given = node.is("Assign") || node.is("AugAssign") || node.is("AnnAssign");
    if (is_given && node.has("value") && scalars_.is_scalar(node.at("value"))) {
      std::set<std::string> read;
      collect_all(node.at("value"), read);
      for (const std::string& name : read)
        if (const auto named = names.find(name); named != names.end())
          named->second.is_divided = true;
    }
    for (const char* field : {"body", "orelse"})
      for (const Node& inner : node.list(field)) find_copied(inner, names);
  }

  void find_values(const Node& node) {
    if (node.is("Dict")) {
      const auto& keys = node.list("keys");
      const auto& values = node.list("values");
      for (std::size_t i = 0; i < keys.size() && i < values.size(); ++i)
        if (keys[i].constant == ConstantKind::text) add_value(keys[i].text, values[i]);
    }
    for (const Node& keyword : node.list("keywords"))
      if (!keyword.text.empty() && keyword.has("value"))
        add_value(keyword.text, keyword.at("value"));
    for (const Field& field : node.fields)
      for (const Node& child : field.nodes) find_values(child);
  }

  void add_value(const std::string& name, const Node& value) {
    if (const auto number = number_of(value); number && *number > 0)
      result_.values[name].insert(*number);
  }

  // ---- lines

  void take_needed() {
    std::set<std::string> needed(result_.at_work.begin(), result_.at_work.end());
    needed.insert(loop_reads_.begin(), loop_reads_.end());
    std::set<const Node*> taken;
    for (bool changed = true; changed;) {
      changed = false;
      for (const Node* statement : statements_) {
        if (taken.count(statement) > 0) continue;
        const std::set<std::string> given = target_names(*statement);
        const bool is_needed =
            has_return(*statement) || std::ranges::any_of(given, [&](const std::string& name) {
              return needed.count(name) > 0;
            });
        if (!is_needed) continue;
        taken.insert(statement);
        collect_all(*statement, needed);
        changed = true;
      }
    }
    for (const Node* statement : taken) take(*statement);
    if (loop_ != nullptr) taken_[loop_lines_.first] = loop_lines_.second;
    take_definitions(needed);
  }

  /// Quotients that are the same in every block.
  void take_counts() {
    const std::vector<std::string> before = taken_;
    std::set<std::string> needed;
    for (const Node* statement : statements_) {
      if (!statement->is("Assign") || scalars_.is_from_block(*statement)) continue;
      if (!has_quotient(statement->at("value"))) continue;
      take(*statement);
      collect_all(*statement, needed);
    }
    take_definitions(needed);
    if (taken_ != before) result_.with_counts = fmt::format("{}\n", fmt::join(taken_, "\n"));
  }

  static bool has_quotient(const Node& node) {
    if (node.is("BinOp") && node.text == "FloorDiv") return true;
    return node.is("Call") && (node.at("func").text == "cdiv" || node.at("func").text == "div_up");
  }

  void take(const Node& statement) {
    for (int line = statement.begin.line; line <= statement.end.line; ++line) {
      const std::string_view whole = lines_[static_cast<std::size_t>(line) - 1];
      const auto cut = static_cast<std::size_t>(statement.begin.column - 1);
      const bool is_margin = trim(whole.substr(0, std::min(cut, whole.size()))).empty();
      taken_[static_cast<std::size_t>(line) - 1] =
          whole.size() > cut && is_margin ? whole.substr(cut) : trim(whole);
    }
  }

  /// Helpers and numbers of the file, and those that they need.
  void take_definitions(std::set<std::string> needed) {
    std::set<std::string> seen;
    for (bool changed = true; changed;) {
      changed = false;
      for (const Node& statement : module_.root.list("body")) {
        const bool is_function = statement.is("FunctionDef");
        const std::set<std::string> given =
            is_function ? std::set<std::string>{statement.text} : target_names(statement);
        for (const std::string& name : given) {
          if (needed.count(name) == 0 || &statement == &function_ || !seen.insert(name).second)
            continue;
          if (!is_function && module_.constants.count(name) == 0) continue;
          take(statement);
          collect_all(statement, needed);
          changed = true;
        }
      }
    }
  }

  const Module& module_;
  const Node& function_;
  const ScalarNames scalars_;
  const std::vector<std::string_view> lines_;
  std::vector<std::string> taken_;  ///< per line of the file
  std::vector<const Node*> statements_;
  std::vector<const Node*> work_;
  const Node* loop_ = nullptr;
  std::pair<std::size_t, std::string> loop_lines_;
  std::set<std::string> loop_reads_;
  IndexLines result_;
};

}  // namespace

IndexLines find_index_lines(TritonSource& source, const std::string& function) {
  IndexLines marked;
  const Node& node = source.kernel(function);
  std::set<std::string> numbers;
  for (const config::SkeletonParameter& parameter : outline(source, node.text).parameters)
    if (parameter.is_constexpr || parameter.guess != config::ParameterGuess::pointer)
      numbers.insert(parameter.name);
  IndexLines found = LineFinder(source, node, std::move(numbers)).run();
  if (!take_marked(source.main().text, "#", marked)) return found;
  marked.constexprs = found.constexprs;
  marked.values = found.values;
  return marked;
}

}  // namespace heddle::kernel::triton
