#include "kernel/cxx/patch/outside.h"

#include <algorithm>
#include <map>

#include "kernel/cxx/clang.h"
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
      if (names.count(one->name) != 0) add(*one, false);
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

  void visit(const CxxNode& node) {
    if (node.is("NamespaceDecl"))
      for (const CxxNode& child : node.children) visit(child);
    if (starting_[node.begin] != 1) return;  // `const int a = 1, b = f();`
    const bool has_body =
        std::any_of(node.children.begin(), node.children.end(),
                    [](const CxxNode& child) { return child.is("CompoundStmt"); });
    if (node.is("FunctionDecl") && !has_body) heads_.push_back(&node);
    if (node.is("FunctionDecl") && index_.is_function(node))
      add(node, (index_.function_sees(node) & kSeesBlock) != 0);
    if (node.is("VarDecl") && index_.is_constant(node)) add(node, false);
    if (node.is("FunctionTemplateDecl")) visit_template(node);
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
    if (is_index && used > 0) add(node, sees_block);
  }

  void add(const CxxNode& node, bool sees_block) {
    CxxUnit unit;
    unit.name = node.name;
    unit.sees_block = sees_block;
    unit.first = tree_.first_token(node);
    unit.behind = tree_.last_token(node);
    const auto& tokens = tree_.tokens();
    while (unit.first > tree_.user_begin() && !is_end(tokens[unit.first - 1])) --unit.first;
    if (unit.behind == 0 || unit.behind > tokens.size()) return;
    if (tokens[unit.behind - 1].text != "}") {
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

bool mentions(const CxxTree& tree, const CxxUnit& unit, const std::set<std::string>& names) {
  for (std::size_t i = unit.first; i < unit.behind; ++i)
    if (names.count(std::string(tree.tokens()[i].text)) != 0) return true;
  return false;
}

std::map<std::string, std::string> texts_of(const std::vector<CxxUnit>& units) {
  std::map<std::string, std::string> texts;
  for (const CxxUnit& unit : units) texts[unit.name] += unit.text + "\n";
  return texts;
}

/// Tokens that both sides should have; the kernel's name is one of them and may differ.
std::vector<std::size_t> kept_tokens(const CxxTree& tree, const std::vector<CxxUnit>& left_out) {
  std::map<std::size_t, std::size_t> skipped;
  for (const CxxUnit& unit : left_out) skipped[unit.first] = unit.behind;
  for (const CxxNode& child : tree.kernel().children)
    if (child.is("CompoundStmt")) skipped[tree.first_token(child)] = tree.last_token(child);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < tree.user_end();) {
    const auto found = skipped.find(i);
    if (found != skipped.end() && found->second > i)
      i = found->second;
    else
      kept.push_back(i++);
  }
  return kept;
}

}  // namespace

std::vector<CxxUnit> index_units(const CxxTree& tree, CxxIndex& index) {
  return Units(tree, index).run();
}

namespace {

/// Units that one side alone has, that differ, or that name such a one.
void find_changed(const CxxWorkSide& before, const CxxWorkSide& after, CxxOutside& result) {
  const std::vector<CxxUnit> olds = index_units(*before.tree, *before.index);
  const std::vector<CxxUnit> news = index_units(*after.tree, *after.index);
  const auto old_texts = texts_of(olds);
  const auto new_texts = texts_of(news);
  for (const auto& [name, text] : old_texts)
    if (const auto found = new_texts.find(name); found == new_texts.end() || found->second != text)
      result.names.insert(name);
  for (const auto& [name, text] : new_texts)
    if (old_texts.count(name) == 0) result.names.insert(name);
  for (bool is_growing = true; is_growing;) {
    is_growing = false;
    for (const CxxUnit& unit : olds)
      if (mentions(*before.tree, unit, result.names))
        is_growing = result.names.insert(unit.name).second || is_growing;
    for (const CxxUnit& unit : news)
      if (mentions(*after.tree, unit, result.names))
        is_growing = result.names.insert(unit.name).second || is_growing;
  }
  for (const CxxUnit& unit : olds)
    if (result.names.count(unit.name) != 0) result.before.push_back(unit);
  for (const CxxUnit& unit : news)
    if (result.names.count(unit.name) != 0) result.after.push_back(unit);
}

/// Numbers the tokens that both have, up to the first that is not the same.
void number_tokens(CxxWorkSide& before, const std::vector<std::size_t>& olds, CxxWorkSide& after,
                   const std::vector<std::size_t>& news, CxxOutside& result) {
  const auto& old_tokens = before.tree->tokens();
  const auto& new_tokens = after.tree->tokens();
  before.shared.assign(old_tokens.size(), kNotShared);
  after.shared.assign(new_tokens.size(), kNotShared);
  const std::size_t old_name = before.tree->token_at(before.tree->kernel().place);
  const std::size_t new_name = after.tree->token_at(after.tree->kernel().place);
  for (std::size_t i = 0; i < std::max(olds.size(), news.size()); ++i) {
    const std::size_t old_token = i < olds.size() ? olds[i] : before.tree->user_end();
    const std::size_t new_token = i < news.size() ? news[i] : after.tree->user_end();
    bool is_same = i < olds.size() && i < news.size();
    if (is_same && (old_token == old_name || new_token == new_name)) {
      is_same = old_token == old_name && new_token == new_name;
    } else if (is_same && old_tokens[old_token].text != new_tokens[new_token].text) {
      is_same = is_line_number(*before.tree, old_token) && is_line_number(*after.tree, new_token);
      if (is_same && !is_printed(new_tokens, new_token))
        result.line_numbers.push_back(new_tokens[new_token].position.line);
    }
    if (!is_same) {
      result.is_same = false;
      result.differs_before = std::min(old_token, before.tree->user_end() - 1);
      result.differs_after = std::min(new_token, after.tree->user_end() - 1);
      return;
    }
    before.shared[old_token] = i;
    after.shared[new_token] = i;
  }
}

}  // namespace

CxxOutside compare_outside(CxxWorkSide& before, CxxWorkSide& after) {
  CxxOutside result;
  find_changed(before, after, result);
  const auto olds = kept_tokens(*before.tree, result.before);
  const auto news = kept_tokens(*after.tree, result.after);
  number_tokens(before, olds, after, news, result);
  const auto find_misused = [&](const CxxTree& tree, const std::vector<std::size_t>& kept) {
    for (const std::size_t i : kept)
      if (i >= tree.user_begin() && result.names.count(std::string(tree.tokens()[i].text)) != 0)
        result.misused = tree.tokens()[i].text;
  };
  find_misused(*before.tree, olds);
  find_misused(*after.tree, news);
  return result;
}

// ---- the block, seen by others
// --------------------------------------------------------------------

namespace {

/// Names of heddle's device headers that tell the block's index.
const std::set<std::string_view> kBlockNames = {"blockIdx",
                                                "block_index",
                                                "BlockIndex",
                                                "group_index",
                                                "block_rank",
                                                "grid_group",
                                                "this_grid",
                                                "this_cluster",
                                                "cluster_group",
                                                "clusterIdx",
                                                "asm",
                                                "__asm",
                                                "__asm__",
                                                "__builtin_amdgcn_workgroup_id_x",
                                                "__builtin_amdgcn_workgroup_id_y",
                                                "__builtin_amdgcn_workgroup_id_z"};

bool tells_block(std::string_view name) {
  return kBlockNames.count(name) != 0 || name.find("workgroup") != std::string_view::npos ||
         name.find("ctaid") != std::string_view::npos;
}

/// The declaration around a token.
std::string owner_of(const CxxTree& tree, const CxxNode& node, std::size_t token) {
  std::string owner;
  for (const CxxNode& child : node.children)
    if (child.is_declaration() && tree.first_token(child) <= token &&
        token < tree.last_token(child))
      owner = owner_of(tree, child, token);
  return owner.empty() ? node.name : owner;
}

}  // namespace

std::vector<std::string> hidden_uses(const CxxWorkSide& side, const std::set<int>& others,
                                     const std::vector<std::size_t>& rest, bool same_launch) {
  const CxxTree& tree = *side.tree;
  const std::vector<CxxUnit> units = index_units(tree, *side.index);
  std::set<std::string_view> names;
  for (const CxxUnit& unit : units)
    if (unit.sees_block) names.insert(unit.name);
  const auto is_told = [&](std::string_view name) {
    return tells_block(name) || names.count(name) != 0 ||
           (!same_launch && (name == "gridDim" || name == "grid_extent" || name == "GridExtent"));
  };
  std::vector<bool> is_skipped(tree.tokens().size(), false);
  const auto skip = [&](std::size_t first, std::size_t behind) {
    for (std::size_t i = first; i < behind && i < is_skipped.size(); ++i) is_skipped[i] = true;
  };
  for (const CxxUnit& unit : units) skip(unit.first, unit.behind);
  skip(tree.first_token(tree.kernel()), tree.last_token(tree.kernel()));
  std::vector<const CxxNode*> open;
  for (const CxxNode& one : tree.declarations()) open.push_back(&one);
  while (!open.empty()) {
    const CxxNode& one = *open.back();
    open.pop_back();
    if (one.is("NamespaceDecl") || one.is("LinkageSpecDecl"))
      for (const CxxNode& child : one.children) open.push_back(&child);
    const bool is_kernel = (one.is("FunctionDecl") || one.is("FunctionTemplateDecl")) &&
                           others.count(tree.line(one)) != 0 &&
                           tree.file(tree.token_at(one.place)) == kMainFile;
    if (is_kernel) skip(tree.first_token(one), tree.last_token(one));
  }
  std::set<std::string> found;
  for (std::size_t i = tree.user_begin(); i < tree.user_end(); ++i) {
    if (is_skipped[i] || tree.tokens()[i].kind != TokenKind::name ||
        !is_told(tree.tokens()[i].text))
      continue;
    std::string owner;
    for (const CxxNode& one : tree.declarations())
      if (tree.first_token(one) <= i && i < tree.last_token(one)) owner = owner_of(tree, one, i);
    found.insert(owner.empty() ? std::string(tree.tokens()[i].text) : owner);
  }
  for (const std::size_t i : rest)
    if (i != kNotShared && tree.tokens()[i].kind == TokenKind::name &&
        is_told(tree.tokens()[i].text))
      found.insert(std::string(tree.tokens()[i].text));
  return {found.begin(), found.end()};
}

}  // namespace heddle::kernel::cxx
