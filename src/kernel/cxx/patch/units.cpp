#include "kernel/cxx/patch/units.h"

#include <algorithm>
#include <map>
#include <set>

#include "kernel/cxx/patch/index_nodes.h"
#include "kernel/cxx/token.h"

namespace heddle::kernel::cxx {
namespace {

bool is_end(const Token& token) {
  return token.kind == TokenKind::directive || token.text == ";" || token.text == "}" ||
         token.text == "{";
}

class Units {
 public:
  Units(const CxxTree& tree, CxxIndex& index) : tree_(tree), index_(index) {}

  std::vector<CxxUnit> run() {
    for (const CxxNode& one : tree_.declarations()) count(one);
    for (const CxxNode& one : tree_.declarations()) visit(one);
    // Declarations without a body go with the function.
    std::set<std::string> names;
    for (const CxxUnit& unit : units_) names.insert(unit.name);
    for (const CxxNode* const one : heads_)
      if (names.count(one->name) != 0) add(*one, one->name, false);
    std::sort(units_.begin(), units_.end(),
              [](const CxxUnit& a, const CxxUnit& b) { return a.first < b.first; });
    return std::move(units_);
  }

 private:
  void count(const CxxNode& node) {
    ++starting_[node.begin];
    if (node.is("NamespaceDecl"))
      for (const CxxNode& child : node.children) count(child);
  }

  /// True if all of it is units.
  bool visit(const CxxNode& node) {
    const std::size_t known = units_.size();
    if (node.is("NamespaceDecl")) {
      bool is_all = !node.children.empty() && !node.name.empty();
      bool sees_block = false;
      for (const CxxNode& child : node.children) is_all = visit(child) && is_all;
      for (std::size_t i = known; i < units_.size(); ++i)
        sees_block = sees_block || units_[i].sees_block;
      if (is_all) add(node, node.name, sees_block);
      return is_all;
    }
    if (starting_[node.begin] != 1) return false;  // `const int a = 1, b = f();`
    const bool has_body =
        std::any_of(node.children.begin(), node.children.end(),
                    [](const CxxNode& child) { return child.is("CompoundStmt"); });
    if (node.is("FunctionDecl") && !has_body) heads_.push_back(&node);
    if (node.is("FunctionDecl") && index_.is_function(node))
      add(node, node.name, (index_.function_sees(node) & kSeesBlock) != 0);
    if (node.is("VarDecl") && index_.is_constant(node)) add(node, node.name, false);
    if (node.is("FunctionTemplateDecl")) visit_template(node);
    if (node.is("EnumDecl")) visit_enumeration(node);
    if (node.is("CXXRecordDecl") && !node.name.empty() && index_.group_of(node.name) != nullptr)
      add(node, node.name, false);
    return units_.size() > known;
  }

  void visit_enumeration(const CxxNode& node) {
    const bool is_plain =
        !node.children.empty() &&
        std::all_of(node.children.begin(), node.children.end(),
                    [&](const CxxNode& child) { return index_.is_enumerator(child); });
    if (!is_plain) return;
    for (const CxxNode& child : node.children) add(node, child.name, false);
    if (!node.name.empty()) add(node, node.name, false);
  }

  void visit_template(const CxxNode& node) {
    int used = 0;
    bool is_index = true;
    bool sees_block = false;
    for (const CxxNode& child : node.children) {
      if (!child.is("FunctionDecl")) {
        is_index = is_index && child.children.empty();  // a default may be anything
        continue;
      }
      const bool is_used =
          std::any_of(child.children.begin(), child.children.end(),
                      [](const CxxNode& one) { return one.is("TemplateArgument"); });
      if (!is_used) continue;
      ++used;
      is_index = is_index && index_.is_function(child);
      sees_block = sees_block || (index_.function_sees(child) & kSeesBlock) != 0;
    }
    if (is_index && used > 0) add(node, node.name, sees_block);
  }

  void add(const CxxNode& node, const std::string& name, bool sees_block) {
    CxxUnit unit;
    unit.name = name;
    unit.sees_block = sees_block;
    unit.is_scope = node.is("NamespaceDecl");
    unit.first = tree_.first_token(node);
    unit.behind = tree_.last_token(node);
    const auto& tokens = tree_.tokens();
    while (unit.first > tree_.user_begin() && !is_end(tokens[unit.first - 1])) --unit.first;
    if (unit.behind == 0 || unit.behind > tokens.size()) return;
    if (tokens[unit.behind - 1].text != "}" || node.is("EnumDecl") || node.is("CXXRecordDecl")) {
      if (unit.behind >= tokens.size() || tokens[unit.behind].text != ";") return;
      ++unit.behind;
    }
    for (std::size_t i = unit.first; i < unit.behind; ++i) {
      unit.text += tokens[i].text;
      unit.text += ' ';
    }
    units_.push_back(std::move(unit));
  }

  const CxxTree& tree_;
  CxxIndex& index_;
  std::map<std::size_t, int> starting_;
  std::vector<const CxxNode*> heads_;
  std::vector<CxxUnit> units_;
};

}  // namespace

std::vector<CxxUnit> index_units(const CxxTree& tree, CxxIndex& index) {
  return Units(tree, index).run();
}

}  // namespace heddle::kernel::cxx
