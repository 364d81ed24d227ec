#include "kernel/cxx/patch/outside.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernel/alignment.h"
#include "kernel/cxx/clang.h"
#include "kernel/cxx/patch/pieces.h"
#include "kernel/cxx/token.h"

namespace heddle::kernel::cxx {
namespace {

constexpr std::size_t kLongestText = 60;

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
std::vector<std::size_t> kept_tokens(const CxxTree& tree, const std::vector<CxxUnit>& left_out,
                                     const AddedParameters& added = {}) {
  std::map<std::size_t, std::size_t> skipped;
  for (const CxxUnit& unit : left_out) skipped[unit.first] = unit.behind;
  for (const CxxNode& child : tree.kernel().children)
    if (child.is("CompoundStmt")) skipped[tree.first_token(child)] = tree.last_token(child);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < tree.user_end();) {
    const auto found = skipped.find(i);
    if (added.has(i))
      ++i;
    else if (found != skipped.end() && found->second > i)
      i = found->second;
    else
      kept.push_back(i++);
  }
  return kept;
}

/// Units that one side alone has, that differ, or that name such a one.
void find_changed(const CxxWorkSide& before, const CxxWorkSide& after, CxxOutside& result) {
  std::vector<CxxUnit> olds = index_units(*before.tree, *before.index);
  std::vector<CxxUnit> news = index_units(*after.tree, *after.index);
  const auto old_texts = texts_of(olds);
  const auto new_texts = texts_of(news);
  // A namespace that both have is compared piece by piece.
  std::erase_if(news,
                [&](const CxxUnit& one) { return one.is_scope && old_texts.count(one.name) != 0; });
  std::erase_if(olds,
                [&](const CxxUnit& one) { return one.is_scope && new_texts.count(one.name) != 0; });
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

/// Tokens that both should have, cut at outermost ; and }: [begin, end) of them.
struct Piece {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<Piece> pieces_of(const CxxTree& tree, const std::vector<std::size_t>& kept,
                             const AddedParameters& added) {
  std::vector<Piece> pieces;
  int depth = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::string_view text = tree.tokens()[kept[i]].text;
    if (text == "(" || text == "[" || text == "{") ++depth;
    if (text == ")" || text == "]" || text == "}") --depth;
    const bool opens_scope =
        text == "{" && depth == 1 && tree.tokens()[kept[first]].text == "namespace";
    const bool ends = (depth <= 0 && (text == ";" || text == "}")) || opens_scope ||
                      tree.tokens()[kept[i]].kind == TokenKind::directive ||
                      (i + 1 < kept.size() && kept[i + 1] != kept[i] + 1 && depth <= 0 &&
                       !added.has(kept[i] + 1));
    // A ; behind } belongs to it.
    const bool goes_on = text == "}" && i + 1 < kept.size() && kept[i + 1] == kept[i] + 1 &&
                         tree.tokens()[kept[i + 1]].text == ";";
    if (!ends || goes_on) continue;
    pieces.push_back({first, i + 1});
    first = i + 1;
    depth = 0;
  }
  if (first < kept.size()) pieces.push_back({first, kept.size()});
  return pieces;
}

/// Two sides of which every token counts but the kernel's name.
class Alignment {
 public:
  Alignment(CxxWorkSide& before, const std::vector<std::size_t>& olds, CxxWorkSide& after,
            const std::vector<std::size_t>& news, const AddedParameters& added, CxxOutside& result)
      : before_(before), olds_(olds), after_(after), news_(news), added_(added), result_(result) {}

  void run() {
    before_.shared.assign(before_.tree->tokens().size(), kNotShared);
    after_.shared.assign(after_.tree->tokens().size(), kNotShared);
    old_name_ = before_.tree->token_at(before_.tree->kernel().place);
    new_name_ = after_.tree->token_at(after_.tree->kernel().place);
    const auto old_pieces = pieces_of(*before_.tree, olds_, {});
    const auto new_pieces = pieces_of(*after_.tree, news_, added_);
    auto between = gaps(texts(*before_.tree, olds_, old_pieces, old_name_),
                        texts(*after_.tree, news_, new_pieces, new_name_));
    between.push_back({old_pieces.size(), old_pieces.size(), new_pieces.size(), new_pieces.size()});
    std::size_t i = 0;
    std::size_t k = 0;
    for (const Gap& gap : between) {
      for (; i < gap.before_begin; ++i, ++k) share(old_pieces[i], new_pieces[k]);
      // Within a gap, pieces may be the same but for numbers of lines.
      for (; i < gap.before_end; ++i) {
        std::size_t same = k;
        while (same < gap.after_end && !are_alike(old_pieces[i], new_pieces[same])) ++same;
        if (same == gap.after_end) {
          report_gone(old_pieces[i], k < gap.after_end ? new_pieces[k] : Piece());
          continue;
        }
        for (; k < same; ++k) report_new(new_pieces[k]);
        share(old_pieces[i], new_pieces[k++]);
      }
      for (; k < gap.after_end; ++k) report_new(new_pieces[k]);
    }
  }

 private:
  static std::vector<std::string> texts(const CxxTree& tree, const std::vector<std::size_t>& kept,
                                        const std::vector<Piece>& pieces, std::size_t name) {
    std::vector<std::string> result;
    for (const Piece& piece : pieces) {
      std::string text;
      for (std::size_t i = piece.begin; i < piece.end; ++i) {
        text += kept[i] == name ? std::string_view("\x01") : tree.tokens()[kept[i]].text;
        text += ' ';
      }
      result.push_back(std::move(text));
    }
    return result;
  }

  bool is_same(std::size_t old_token, std::size_t new_token) const {
    if (old_token == old_name_ || new_token == new_name_)
      return old_token == old_name_ && new_token == new_name_;
    return before_.tree->tokens()[old_token].text == after_.tree->tokens()[new_token].text ||
           (is_line_number(*before_.tree, old_token) && is_line_number(*after_.tree, new_token));
  }

  bool are_alike(const Piece& old_one, const Piece& new_one) const {
    if (old_one.end - old_one.begin != new_one.end - new_one.begin) return false;
    for (std::size_t i = 0; i < old_one.end - old_one.begin; ++i)
      if (!is_same(olds_[old_one.begin + i], news_[new_one.begin + i])) return false;
    return true;
  }

  void share(const Piece& old_one, const Piece& new_one) {
    for (std::size_t i = 0; i < old_one.end - old_one.begin; ++i) {
      const std::size_t old_token = olds_[old_one.begin + i];
      const std::size_t new_token = news_[new_one.begin + i];
      const Token& token = after_.tree->tokens()[new_token];
      if (old_token != old_name_ && before_.tree->tokens()[old_token].text != token.text &&
          !is_printed(after_.tree->tokens(), new_token))
        result_.line_numbers.push_back(token.position.line);
      before_.shared[old_token] = next_;
      after_.shared[new_token] = next_++;
    }
  }

  /// "swizzle.h, line 3"
  static std::string place_of(const CxxTree& tree, std::size_t token) {
    const std::string& file = tree.file(token);
    const std::string name =
        file == kMainFile ? "" : file.substr(file.find_last_of('/') + 1) + ", ";
    return fmt::format("{}line {}", name, tree.tokens()[token].position.line);
  }

  void report_new(const Piece& piece) {
    const std::size_t first = news_[piece.begin];
    if (after_.tree->is_of_system(first)) {
      result_.has_new_system = true;
      return;
    }
    std::string text;
    for (std::size_t i = piece.begin; i < piece.end && text.size() < kLongestText; ++i)
      text +=
          std::string(text.empty() ? "" : " ") + std::string(after_.tree->tokens()[news_[i]].text);
    if (text.size() > kLongestText) text = text.substr(0, kLongestText) + " ...";
    result_.doubts.push_back(
        fmt::format("{} is new, and is not index code that heddle can read: {}",
                    place_of(*after_.tree, first), text));
  }

  void report_gone(const Piece& piece, const Piece& other) {
    if (is_likely(*before_.tree, olds_[piece.begin], olds_[piece.end - 1])) {
      result_.doubts.push_back(fmt::format(
          "{} of the original is another now, and is not index code that heddle can read",
          place_of(*before_.tree, olds_[piece.begin])));
      return;
    }
    if (!result_.is_same) return;
    result_.is_same = false;
    // The first tokens that are not the same.
    std::size_t i = piece.begin;
    std::size_t k = other.begin;
    while (i + 1 < piece.end && k + 1 < other.end && is_same(olds_[i], news_[k])) ++i, ++k;
    result_.differs_before = olds_[i];
    result_.differs_after =
        k < other.end ? news_[k]
                      : std::min(after_.tree->user_end(), after_.tree->tokens().size()) - 1;
  }

  CxxWorkSide& before_;
  const std::vector<std::size_t>& olds_;
  CxxWorkSide& after_;
  const std::vector<std::size_t>& news_;
  const AddedParameters& added_;
  CxxOutside& result_;
  std::size_t old_name_ = 0;
  std::size_t new_name_ = 0;
  std::size_t next_ = 0;
};

}  // namespace

CxxOutside compare_outside(CxxWorkSide& before, CxxWorkSide& after) {
  CxxOutside result;
  find_changed(before, after, result);
  const auto olds = kept_tokens(*before.tree, result.before);
  const AddedParameters added =
      added_parameters(before.tree->tokens(), before.tree->token_at(before.tree->kernel().place),
                       after.tree->tokens(), after.tree->token_at(after.tree->kernel().place));
  const auto news = kept_tokens(*after.tree, result.after, added);
  Alignment(before, olds, after, news, added, result).run();
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
