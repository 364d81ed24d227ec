#include "kernel/cxx/patch/doubts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "kernel/cxx/clang.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

class Doubts {
 public:
  Doubts(const CxxDoubtSide& before, const CxxDoubtSide& after, const CxxOutside& outside,
         const std::vector<CodeChange>& changes)
      : before_(before), after_(after), outside_(outside), changes_(changes) {}

  std::vector<std::string> run() {
    doubt_host_uses();
    doubt_places();
    doubt_instantiations();
    return std::move(doubts_);
  }

 private:
  void doubt(std::string text) { doubts_.push_back(std::move(text)); }

  /// Host code is not compiled with the kernel, but may use what changed.
  void doubt_host_uses() {
    const auto find = [&](const CxxDoubtSide& side, const std::vector<CxxUnit>& units) {
      const CxxSource& source = *side.code->source;
      const CxxFunction& kernel = *side.code->function;
      const auto& expanded = side.tree->tokens();
      const auto is_of_unit = [&](int line) {
        return std::any_of(units.begin(), units.end(), [&](const CxxUnit& unit) {
          return side.tree->file(unit.first) == kMainFile &&
                 line >= expanded[unit.first].position.line &&
                 line <= expanded[unit.behind - 1].position.line;
        });
      };
      for (std::size_t i = 0; i < source.tokens().size(); ++i) {
        const Token& token = source.tokens()[i];
        const bool is_in_kernel = i >= kernel.begin && i <= kernel.body_end;
        if (!is_in_kernel && outside_.names.count(std::string(token.text)) != 0 &&
            (side.code->ignored.count(i) != 0 || !is_of_unit(token.position.line)))
          doubt(fmt::format("'{}' changed, and line {} uses it, too", token.text,
                            token.position.line));
      }
    };
    find(before_, outside_.before);
    find(after_, outside_.after);
  }

  /// A place of the text as a value: it moves with every line that is added.
  void doubt_places() {
    static const std::set<std::string_view> kPlaces = {
        "__builtin_LINE", "__builtin_COLUMN", "__builtin_source_location", "source_location"};
    if (before_.code->source->text() == after_.code->source->text()) return;
    const CxxTree& tree = *after_.tree;
    for (std::size_t i = tree.user_begin(); i < tree.user_end(); ++i)
      if (kPlaces.count(tree.tokens()[i].text) != 0)
        return doubt(fmt::format("{} tells where it stands in the text", tree.tokens()[i].text));
  }

  /// Other instantiations of a template are not compiled: index code must depend on its integers as
  /// the original's does, and have no case for one of them.
  void doubt_instantiations() {
    std::set<std::string> olds;
    std::set<std::string> news;
    const std::set<std::string> forms = template_forms(before_);
    for (const CodeChange& one : changes_) {
      if (one.line_before > 0) add_template_names(before_, one.line_before, olds);
      // The tiles along M may be counted as those along N are.
      if (one.line_after > 0 && forms.count(line_form(after_, one.line_after)) == 0) {
        std::set<std::string> here;
        add_template_names(after_, one.line_after, here);
        for (const std::string& name : here) {
          const bool is_count = counts_tiles(one.line_after, name);
          counts_tiles_[name] = is_count && (news.count(name) == 0 || counts_tiles_[name]);
        }
        news.merge(here);
      }
    }
    for (const std::string& name : olds)
      if (news.count(name) == 0)
        doubt(fmt::format("the index code does not depend on the template's {} any more", name));
    const bool is_alone = before_.code->is_only_instance && after_.code->is_only_instance;
    for (const std::string& name : news)
      if (olds.count(name) == 0 && !(is_alone && (is_added(name) || counts_tiles_[name])))
        doubt(fmt::format("the index code depends on the template's {} now", name));
    const std::string settled = settled_case(*after_.index);
    if (!settled.empty() && settled_case(*before_.index).empty())
      doubt(fmt::format("the index code has a case for the template's {}", settled));
  }

  /// A parameter that the original does not have.
  bool is_added(const std::string& name) const {
    return std::ranges::none_of(
        before_.code->function->template_parameters, [&](const std::string& parameter) {
          return parameter.substr(parameter.find_last_of(" *&") + 1) == name;
        });
  }

  /// The line names it in CEIL_DIV(n, TILE) alone, by a macro or function of the original.
  bool counts_tiles(int line, const std::string& name) const {
    const auto& tokens = after_.code->source->tokens();
    const auto& olds = before_.code->source->tokens();
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].position.line != line || tokens[i].text != name) continue;
      std::size_t open = i;
      int depth = 0;
      while (open > 0 && depth >= 0) {
        --open;
        if (tokens[open].text == ")") ++depth;
        if (tokens[open].text == "(") --depth;
        if (tokens[open].text == ";") return false;
      }
      if (open == 0) return false;
      const std::string called = lower_case(tokens[open - 1].text);
      const bool rounds_up =
          called.find("ceil") != std::string::npos || called.find("cdiv") != std::string::npos ||
          called.find("divup") != std::string::npos || called.find("div_up") != std::string::npos;
      const bool is_known = std::ranges::any_of(
          olds, [&](const Token& token) { return token.text == tokens[open - 1].text; });
      if (!rounds_up || !is_known || tokens[i - 1].text != "," || i + 1 >= tokens.size() ||
          tokens[i + 1].text != ")")
        return false;
    }
    return true;
  }

  /// A line with its other names left open: "const int # = ( # + T - 1 ) / T ;".
  static std::string line_form(const CxxDoubtSide& side, int line) {
    std::string form;
    for (const Token& token : side.code->source->tokens()) {
      if (token.position.line != line) continue;
      std::set<std::string> names;
      add_if_template(side, token, names);
      const bool is_open = token.kind == TokenKind::name && names.empty() &&
                           !integer_type(std::string(token.text)) && token.text != "const";
      form += is_open ? "#" : std::string(token.text);
      form += ' ';
    }
    return form;
  }

  /// Of the lines of the kernel that count tiles of a template's integer.
  static std::set<std::string> template_forms(const CxxDoubtSide& side) {
    std::set<std::string> forms;
    const auto& tokens = side.code->source->tokens();
    for (std::size_t i = side.code->function->body_begin; i < side.code->function->body_end; ++i) {
      std::set<std::string> names;
      add_if_template(side, tokens[i], names);
      const std::string form =
          names.empty() ? std::string() : line_form(side, tokens[i].position.line);
      if (!names.empty() && form.ends_with("/ " + *names.begin() + " ; ")) forms.insert(form);
    }
    return forms;
  }

  static void add_if_template(const CxxDoubtSide& side, const Token& token,
                              std::set<std::string>& names) {
    for (const std::string& parameter : side.code->function->template_parameters) {
      const std::string name = parameter.substr(parameter.find_last_of(" *&") + 1);
      if (token.text == name) names.insert(name);
    }
  }

  static void add_template_names(const CxxDoubtSide& side, int line, std::set<std::string>& names) {
    for (const Token& token : side.code->source->tokens())
      if (token.position.line == line) add_if_template(side, token, names);
  }

  /// A comparison of numbers that are known, of which a template's integer is one.
  static std::string settled_case(const CxxIndex& index) {
    for (const IndexStep& step : index.steps()) {
      if (step.op < IndexOp::less || step.op > IndexOp::not_equal) continue;
      std::string name;
      if (is_known(index, step, name) && !name.empty()) return name;
    }
    return {};
  }

  static bool is_known(const CxxIndex& index, const IndexStep& step, std::string& name) {
    if (step.op == IndexOp::constant) {
      if (!step.name.empty()) name = step.name;
      return true;
    }
    if (step.parts.empty()) return false;
    return std::all_of(step.parts.begin(), step.parts.end(), [&](int part) {
      return part >= 0 && is_known(index, index.steps()[static_cast<std::size_t>(part)], name);
    });
  }

  const CxxDoubtSide& before_;
  const CxxDoubtSide& after_;
  const CxxOutside& outside_;
  const std::vector<CodeChange>& changes_;
  std::map<std::string, bool> counts_tiles_;
  std::vector<std::string> doubts_;
};

}  // namespace

std::vector<std::string> doubts_beyond_trees(const CxxDoubtSide& before, const CxxDoubtSide& after,
                                             const CxxOutside& outside,
                                             const std::vector<CodeChange>& changes) {
  return Doubts(before, after, outside, changes).run();
}

}  // namespace heddle::kernel::cxx
