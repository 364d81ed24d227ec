#include "kernel/cxx/patch/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernel/cxx/patch/likely.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

const CxxNode& body_of(const CxxTree& tree) {
  return *std::find_if(tree.kernel().children.begin(), tree.kernel().children.end(),
                       [](const CxxNode& child) { return child.is("CompoundStmt"); });
}

/// A sum, difference or product of integers, or a conversion between them.
bool is_sum(const CxxNode& node) {
  const bool is_cast = node.is("ImplicitCastExpr") && node.cast == "IntegralCast";
  return is_cast || (node.is("BinaryOperator") && node.children.size() == 2 &&
                     (node.opcode == "+" || node.opcode == "-" || node.opcode == "*"));
}

}  // namespace

bool is_line_number(const CxxTree& tree, std::size_t token) {
  const Token& one = tree.tokens()[token];
  return one.kind == TokenKind::number && parse_integer(one.text) == one.position.line;
}

bool is_printed(const std::vector<Token>& tokens, std::size_t token) {
  static const std::set<std::string_view> kPrinting = {"printf", "fprintf", "__assert_fail"};
  int depth = 0;
  for (std::size_t i = token; i-- > 0;) {
    const std::string_view text = tokens[i].text;
    if (text == ")") ++depth;
    if (text == "(" && --depth < 0) return i > 0 && kPrinting.count(tokens[i - 1].text) != 0;
    if (depth == 0 && text == "<<" && i > 0 &&
        (tokens[i - 1].text == "cerr" || tokens[i - 1].text == "cout"))
      return true;
    if (text == ";" || text == "{" || text == "}") return false;
  }
  return false;
}

CxxWork::CxxWork(CxxWorkSide& before, CxxWorkSide& after, bool same_launch)
    : same_launch_(same_launch) {
  before_.side = &before;
  after_.side = &after;
  find_locals(before.tree->kernel(), before_.locals);
  find_locals(after.tree->kernel(), after_.locals);
  // Parameters pair up by their place; the heads are compared as tokens.
  std::vector<std::uint64_t> olds;
  std::vector<std::uint64_t> news;
  for (const CxxNode& child : before.tree->kernel().children)
    if (child.is("ParmVarDecl")) olds.push_back(child.id);
  for (const CxxNode& child : after.tree->kernel().children)
    if (child.is("ParmVarDecl")) news.push_back(child.id);
  for (std::size_t i = 0; i < olds.size() && i < news.size(); ++i) bind(olds[i], news[i]);
}

void CxxWork::find_locals(const Node& node, std::set<std::uint64_t>& locals) {
  if (node.id != 0 && node.is_declaration()) locals.insert(node.id);
  for (const CxxNode& child : node.children) find_locals(child, locals);
}

std::string CxxWork::form_before(std::size_t statement) {
  return form(before_, *before_.side->index->statements()[statement].node);
}
std::string CxxWork::form_after(std::size_t statement) {
  return form(after_, *after_.side->index->statements()[statement].node);
}

std::string CxxWork::form(Half& half, const Node& node) {
  if (half.side->index->value(node) >= 0) return "#";
  const bool is_local = half.locals.count(node.is_declaration() ? node.id : node.refers) != 0;
  std::string text = fmt::format("({} {} {} {}{}{}", node.kind, node.type, node.text, node.value,
                                 node.opcode, node.cast);
  if (!is_local) text += " " + node.name + " " + node.refers_to;
  for (const CxxNode& child : node.children) text += form(half, child);
  return text + ")";
}

/// A form without conversions between integers.
std::string CxxWork::loose_form(Half& half, const Node& node) {
  if (half.side->index->value(node) >= 0) return "#";
  if (node.cast == "IntegralCast" && node.children.size() == 1)
    return loose_form(half, node.children.front());
  if (node.is("ParenExpr") && node.children.size() == 1)
    return loose_form(half, node.children.front());
  const bool is_local = half.locals.count(node.is_declaration() ? node.id : node.refers) != 0;
  const bool is_integer = integer_type(node.type).has_value() && !node.is_declaration();
  std::string text = fmt::format("({} {} {} {}{}{}", node.kind, is_integer ? "integer" : node.type,
                                 is_integer ? "" : node.text, node.value, node.opcode, node.cast);
  if (!is_local) text += " " + node.name + " " + node.refers_to;
  for (const CxxNode& child : node.children) text += loose_form(half, child);
  return text + ")";
}

bool CxxWork::differ_in_types(const CxxNode& before, const CxxNode& after) {
  return form(before_, before) != form(after_, after) &&
         loose_form(before_, before) == loose_form(after_, after);
}

bool CxxWork::differ_in_turns(const CxxNode& before, const CxxNode& after) const {
  static const std::set<std::string_view> kLoops = {"ForStmt", "WhileStmt", "DoStmt"};
  CxxWork trial = *this;
  return kLoops.count(before.kind) > 0 && trial.pair_turns(before, after);
}

bool CxxWork::pair_turns(const Node& before, const Node& after) {
  if (before.kind != after.kind || before.children.size() != after.children.size()) return false;
  const auto work_of = [](const Half& half, const Node& body) {
    std::vector<const Node*> work;
    for (const Node& one : body.children)
      if (!may_be_index(*half.side->tree, one)) work.push_back(&one);
    return work;
  };
  for (std::size_t i = 0; i < before.children.size(); ++i) {
    const Node& old_part = before.children[i];
    const Node& new_part = after.children[i];
    if (!old_part.is("CompoundStmt") || !new_part.is("CompoundStmt")) {
      if (!pair(old_part, new_part)) return false;
      continue;
    }
    const auto same = [&](const Node* a, const Node* b) { return pair(*a, *b); };
    const auto olds = work_of(before_, old_part);
    const auto news = work_of(after_, new_part);
    if (!std::equal(olds.begin(), olds.end(), news.begin(), news.end(), same)) return false;
  }
  return true;
}

bool CxxWork::pair(std::size_t before, std::size_t after) {
  reason_.clear();
  other_type_.clear();
  before_.statement = before;
  after_.statement = after;
  const Node& old_one = *before_.side->index->statements()[before].node;
  const Node& new_one = *after_.side->index->statements()[after].node;
  is_of_bits_ = differ_in_types(old_one, new_one);
  return pair(old_one, new_one);
}

bool CxxWork::bind(std::uint64_t before, std::uint64_t after) {
  const auto old = before_.bound.emplace(before, after);
  const auto fresh = after_.bound.emplace(after, before);
  return old.first->second == after && fresh.first->second == before;
}

void CxxWork::add_hole(Half& half, const Node& node) {
  if (node.begin == 0 && node.end == 0) return;
  const std::size_t first = half.side->tree->first_token(node);
  const std::size_t behind = half.side->tree->last_token(node);
  std::size_t& known = half.holes[first];
  known = std::max(known, behind);
}

void CxxWork::add_name(Half& half, const Node& node) {
  const std::size_t offset = node.is_declaration() ? node.place : node.begin;
  if (offset == 0) return;
  const std::size_t token = half.side->tree->token_at(offset);
  std::size_t& known = half.holes[token];
  known = std::max(known, token + 1);
}

bool CxxWork::pair(const Node& before, const Node& after) {
  const int old_step = before_.side->index->value(before);
  const int new_step = after_.side->index->value(after);
  if (old_step >= 0 && new_step >= 0) return pair_values(before, old_step, after, new_step);
  if (const auto type = integer_type(before.type);
      is_of_bits_ && type && type == integer_type(after.type))
    if ((is_sum(before) || is_sum(after)) && type->bits >= 32)
      return pair_bits(before, after, type->bits);
  return pair_nodes(before, after);
}

bool CxxWork::pair_nodes(const Node& before, const Node& after) {
  if (before.kind != after.kind || before.type != after.type || before.text != after.text ||
      before.value != after.value || before.opcode != after.opcode || before.cast != after.cast ||
      before.children.size() != after.children.size())
    return false;
  const bool is_local = before_.locals.count(before.id) != 0 && before.is_declaration();
  if (is_local) {
    if (after_.locals.count(after.id) == 0 || !bind(before.id, after.id)) return false;
    if (before.name.empty() != after.name.empty()) return false;
    // Fields and functions of local classes keep their names.
    if (before.is("VarDecl")) {
      add_name(before_, before);
      add_name(after_, after);
    } else if (before.name != after.name) {
      return false;
    }
  } else if (before.name != after.name) {
    return false;
  }
  if ((before.refers != 0 || after.refers != 0) && !pair_references(before, after)) return false;
  for (std::size_t i = 0; i < before.children.size(); ++i) {
    const Node& old_part = before.children[i];
    const Node& new_part = after.children[i];
    const int old_index = before_.side->index->value(old_part);
    const int new_index = after_.side->index->value(new_part);
    const bool is_number = before.is("ArraySubscriptExpr") && old_index >= 0 && new_index >= 0;
    if (!(is_number ? pair_values(old_part, old_index, new_part, new_index, true)
                    : pair(old_part, new_part)))
      return false;
  }
  return true;
}

/// Two computations of which only so many low bits matter.
bool CxxWork::pair_bits(const Node& before, const Node& after, int bits) {
  const auto plain = [&](const Node& node) {
    const Node* inner = &node;
    const auto is_kept = [&](const Node& one) {
      const auto type = integer_type(one.type);
      return type && type->bits >= bits;
    };
    while (inner->children.size() == 1 && is_kept(inner->children.front()) &&
           (inner->is("ParenExpr") ||
            (inner->is("ImplicitCastExpr") && inner->cast == "IntegralCast")))
      inner = &inner->children.front();
    return inner;
  };
  const Node& old_one = *plain(before);
  const Node& new_one = *plain(after);
  const int old_step = before_.side->index->value(old_one);
  const int new_step = after_.side->index->value(new_one);
  if (old_step >= 0 && new_step >= 0)
    return pair_values(old_one, old_step, new_one, new_step, true);
  if (!is_sum(old_one) || !is_sum(new_one) || old_one.is("ImplicitCastExpr") ||
      new_one.is("ImplicitCastExpr"))
    return pair_nodes(old_one, new_one);
  return old_one.opcode == new_one.opcode &&
         pair_bits(old_one.children.front(), new_one.children.front(), bits) &&
         pair_bits(old_one.children.back(), new_one.children.back(), bits);
}

bool CxxWork::is_same_line(std::size_t before, std::size_t after) {
  const CxxTree& old_tree = *before_.side->tree;
  const CxxTree& new_tree = *after_.side->tree;
  if (!is_line_number(old_tree, before) || !is_line_number(new_tree, after)) return false;
  if (!is_printed(old_tree.tokens(), before) || !is_printed(new_tree.tokens(), after))
    line_numbers_.push_back(new_tree.tokens()[after].position.line);
  return true;
}

/// `is_number`: the type does not matter where the number is the same.
bool CxxWork::pair_values(const Node& before, int step_before, const Node& after, int step_after,
                          bool is_number) {
  CxxIndex& old_index = *before_.side->index;
  CxxIndex& new_index = *after_.side->index;
  if (before.type != after.type && !is_number) {
    other_type_ = fmt::format("an index value in line {} has type {}, not {}",
                              after_.side->tree->line(after), after.type, before.type);
    return false;
  }
  const unsigned seen = old_index.sees(step_before) | new_index.sees(step_after);
  const bool differs = (seen & kSeesBlock) != 0 || ((seen & kSeesLaunch) != 0 && !same_launch_);
  const std::string old_text = old_index.text(step_before);
  const std::string new_text = new_index.text(step_after);
  if (!differs && old_text != new_text) {
    const CxxTree& old_tree = *before_.side->tree;
    const CxxTree& new_tree = *after_.side->tree;
    if (old_tree.first_token(before) + 1 == old_tree.last_token(before) &&
        new_tree.first_token(after) + 1 == new_tree.last_token(after) &&
        is_same_line(old_tree.first_token(before), new_tree.first_token(after))) {
      add_hole(before_, before);
      add_hole(after_, after);
      return true;
    }
    reason_ = "a computation";
    return false;
  }
  add_hole(before_, before);
  add_hole(after_, after);
  // What is written more than once depends on where it is read, even if it is no block's.
  const bool has_history =
      old_text.find(" ; ") != std::string::npos || new_text.find(" ; ") != std::string::npos;
  if (!differs && !has_history) return true;
  const std::string where_before = has_history ? fmt::format("{} ", before_.statement) : "";
  const std::string where_after = has_history ? fmt::format("{} ", after_.statement) : "";
  if (known_.emplace(where_before + old_text, where_after + new_text).second)
    cut_.push_back({{before_.statement, step_before}, {after_.statement, step_after}});
  return true;
}

bool CxxWork::pair_references(const Node& before, const Node& after) {
  const bool old_local = before_.locals.count(before.refers) != 0;
  const bool new_local = after_.locals.count(after.refers) != 0;
  if (old_local != new_local) return false;
  if (old_local) {
    const CxxNode* const declared = before_.side->tree->declaration(before.refers);
    const bool is_variable = before.is("DeclRefExpr") && declared != nullptr &&
                             (declared->is("VarDecl") || declared->is("ParmVarDecl"));
    if (is_variable) {
      add_name(before_, before);
      add_name(after_, after);
    }
    return bind(before.refers, after.refers);
  }
  if (before.refers_to != after.refers_to) return false;
  const CxxNode* const old_one = before_.side->tree->declaration(before.refers);
  const CxxNode* const new_one = after_.side->tree->declaration(after.refers);
  if ((old_one == nullptr) != (new_one == nullptr)) return false;
  if (old_one == nullptr) return true;
  const auto number = [](const CxxWorkSide& side, const CxxNode& declared) {
    const std::size_t token = side.tree->token_at(declared.place);
    return declared.place != 0 && token < side.shared.size() ? side.shared[token] : kNotShared;
  };
  const std::size_t old_number = number(*before_.side, *old_one);
  if (old_number == kNotShared || old_number != number(*after_.side, *new_one)) {
    reason_ = fmt::format("'{}' is another declaration", new_one->name);
    return false;
  }
  return old_one->kind == new_one->kind && old_one->type == new_one->type;
}

// ---- tokens
// ---------------------------------------------------------------------------------------

/// Tokens of the body that no index code and no hole takes up; a hole leaves kNotShared.
std::vector<std::size_t> CxxWork::rest_of(const Half& half) {
  const CxxTree& tree = *half.side->tree;
  std::map<std::size_t, std::size_t> skipped;  // first -> behind
  for (const CxxIndex::Statement& one : half.side->index->statements()) {
    if (one.step < 0) continue;
    std::size_t first = tree.first_token(*one.node);
    std::size_t behind = tree.last_token(*one.node);
    if (one.is_around) {  // its statements are looked at, its head and its last brace are not
      skipped[first] = tree.first_token(one.node->children.back()) + 1;
      skipped[behind - 1] = behind;
      continue;
    }
    if (behind < tree.tokens().size() && tree.tokens()[behind].text == ";" &&
        tree.tokens()[behind - 1].text != ";" && tree.tokens()[behind - 1].text != "}")
      ++behind;
    const bool is_unrolled = first > 0 && tree.tokens()[first - 1].kind == TokenKind::directive &&
                             tree.tokens()[first - 1].text.compare(0, 14, "#pragma unroll") == 0;
    skipped[is_unrolled ? first - 1 : first] = behind;
  }
  const CxxNode& body = body_of(tree);
  std::vector<std::size_t> rest;
  for (std::size_t i = tree.first_token(body); i < tree.last_token(body);) {
    if (const auto found = skipped.find(i); found != skipped.end() && found->second > i) {
      i = found->second;
    } else if (const auto hole = half.holes.find(i); hole != half.holes.end() && hole->second > i) {
      rest.push_back(kNotShared);
      i = hole->second;
    } else {
      rest.push_back(i++);
    }
  }
  return rest;
}

std::string CxxWork::leftover_name(const std::set<std::string>& changed) const {
  const auto olds = before_.side->index->variable_texts();
  const auto news = after_.side->index->variable_texts();
  const auto is_fixed = [&](const std::string& name) {
    const auto old_one = olds.find(name);
    const auto new_one = news.find(name);
    if (old_one == olds.end() && new_one == news.end()) return true;
    return old_one != olds.end() && new_one != news.end() && !old_one->second.empty() &&
           old_one->second == new_one->second;
  };
  for (const Half* half : {&before_, &after_}) {
    const auto& tokens = half->side->tree->tokens();
    std::size_t last = kNotShared;
    for (const std::size_t i : rest_of(*half)) {
      const std::size_t before = std::exchange(last, i);
      if (i == kNotShared || tokens[i].kind != TokenKind::name) continue;
      const std::string name(tokens[i].text);
      const std::string_view sign = before == kNotShared ? std::string_view() : tokens[before].text;
      const bool is_member = sign == "." || sign == "->" || sign == "::";
      if (changed.count(name) != 0 || (!is_member && !is_fixed(name))) return name;
    }
  }
  return {};
}

bool CxxWork::are_tokens_equal(std::size_t& before, std::size_t& after) const {
  const std::vector<std::size_t> olds = rest_of(before_);
  const std::vector<std::size_t> news = rest_of(after_);
  const auto& old_tokens = before_.side->tree->tokens();
  const auto& new_tokens = after_.side->tree->tokens();
  std::size_t last_before = before_.side->tree->first_token(body_of(*before_.side->tree));
  std::size_t last_after = after_.side->tree->first_token(body_of(*after_.side->tree));
  for (std::size_t i = 0; i < olds.size() || i < news.size(); ++i) {
    if (i < olds.size() && olds[i] != kNotShared) last_before = olds[i];
    if (i < news.size() && news[i] != kNotShared) last_after = news[i];
    const bool is_same = i < olds.size() && i < news.size() &&
                         (olds[i] == kNotShared || news[i] == kNotShared
                              ? olds[i] == news[i]
                              : old_tokens[olds[i]].text == new_tokens[news[i]].text);
    if (is_same) continue;
    before = last_before;
    after = last_after;
    return false;
  }
  return true;
}

}  // namespace heddle::kernel::cxx
