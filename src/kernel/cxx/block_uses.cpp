#include "kernel/cxx/block_uses.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernel/cxx/outline.h"
#include "kernel/cxx/token.h"
#include "kernel/cxx/value_type.h"

namespace heddle::kernel::cxx {
namespace {

/// Other ways to ask for the block's index.
const std::set<std::string_view> kOtherWays = {"this_grid",
                                               "this_cluster",
                                               "group_index",
                                               "block_rank",
                                               "block_index",
                                               "get_group_id",
                                               "__ockl_get_group_id",
                                               "__builtin_amdgcn_workgroup_id_x",
                                               "__builtin_amdgcn_workgroup_id_y",
                                               "__builtin_amdgcn_workgroup_id_z",
                                               "__nvvm_read_ptx_sreg_ctaid_x",
                                               "__nvvm_read_ptx_sreg_ctaid_y",
                                               "__nvvm_read_ptx_sreg_ctaid_z"};

bool is_block_name(std::string_view text) {
  return text == "blockIdx" || text.substr(0, 12) == "hipBlockIdx_";
}

bool is_other_way(const Token& token) {
  if (is_name(token)) return kOtherWays.count(token.text) != 0;
  return token.kind == TokenKind::text && token.text.find("ctaid") != std::string_view::npos;
}

}  // namespace

class BlockFinder {
 public:
  BlockFinder(const CxxSource& source, const CxxFunction& function, BlockUses& blocks)
      : source_(source),
        tokens_(source.tokens()),
        function_(function),
        outline_(outline_of(source.tokens(), source.path())),
        blocks_(blocks) {}

  void run(const std::vector<std::string>& macros) {
    refuse_conditional_head();
    collect_code();
    for (std::size_t i = function_.body_begin; i <= function_.body_end; ++i) i = visit(i);
    if (blocks_.tokens_.empty())
      throw Error(fmt::format("the kernel {} does not use blockIdx", function_.name),
                  "an order changes nothing for it")
          .at(source_.path(), function_.position);
    for (const BlockUse& use : blocks_.tokens_) {
      blocks_.axes = std::max(blocks_.axes, use.axis + 1);
      blocks_.uses.push_back({use.axis, tokens_[use.first].offset,
                              tokens_[use.last].offset + tokens_[use.last].text.size(),
                              tokens_[use.first].position});
    }
    refuse_hidden();
    refuse_out_of_reach();
    collect_names(macros);
  }

 private:
  /// A function or macro of the file: what its code names, and its first use of the block's index.
  struct Code {
    bool is_macro = false;
    std::vector<std::string_view> names;
    std::optional<Token> use;
  };

  static void add_token(const Token& token, Code& code) {
    if (is_name(token)) code.names.push_back(token.text);
    const bool is_use = (is_name(token) && is_block_name(token.text)) || is_other_way(token);
    if (is_use && !code.use) code.use = token;
  }

  [[noreturn]] void refuse(const Token& at, const std::string& what,
                           const std::string& hint) const {
    throw Error(what, hint).at(source_.path(), at.position);
  }

  std::string_view text(std::size_t i) const {
    return i < tokens_.size() ? tokens_[i].text : std::string_view();
  }

  /// `{` inside #if would be one of several.
  void refuse_conditional_head() const {
    int depth = 0;
    for (std::size_t i = function_.begin; i < function_.body_begin; ++i) {
      if (tokens_[i].kind != TokenKind::directive) continue;
      const std::string_view name = directive_name(tokens_[i]);
      if (name.substr(0, 2) == "if") ++depth;
      if (name == "endif") --depth;
    }
    // An #else that belongs to an #if in front of the kernel comes before its #endif.
    bool is_split = depth != 0;
    int inner = 0;
    for (std::size_t i = function_.body_begin; i < function_.body_end && !is_split; ++i) {
      if (tokens_[i].kind != TokenKind::directive) continue;
      const std::string_view name = directive_name(tokens_[i]);
      if (name.substr(0, 2) == "if") ++inner;
      if (name.substr(0, 2) == "el" && inner == 0) is_split = true;
      if (name == "endif" && --inner < 0) is_split = true;
    }
    if (is_split)
      refuse(tokens_[function_.body_begin], "the kernel has several heads, one for each #if",
             "write one head, with the #if inside it or inside the body");
  }

  // ---- what the file defines --------------------------------------------------------------

  void collect_code() {
    for (const Token& token : tokens_) {
      if (token.kind != TokenKind::directive) continue;
      const std::string_view name = directive_name(token);
      const std::string_view rest = directive_rest(token);
      if (name == "include" && !rest.empty() && rest.front() == '"' && !blocks_.unseen_)
        blocks_.unseen_ = token;
      if (name == "define") add_macro(token, rest);
    }
    std::vector<bool> is_function(tokens_.size(), false);
    for (const OutlineItem& item : outline_.items) {
      if (!item.is_function || !item.body || !item.name) continue;
      for (std::size_t i = item.all.begin; i <= item.body->end; ++i) is_function[i] = true;
      if (item.body->begin == function_.body_begin) continue;
      Code code;
      for (std::size_t i = item.all.begin; i <= item.body->end; ++i) add_token(tokens_[i], code);
      // Operators are called without their name.
      const bool is_operator = text(item.name->begin) == "operator";
      if (is_operator && code.use) refuse_helper("an operator", *code.use);
      code_.emplace(text(item.name->begin), std::move(code));
    }
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      if (!is_function[i] && is_name(tokens_[i]) && tokens_[i].text == "blockIdx")
        refuse(tokens_[i], "blockIdx stands outside every function: a kernel may use it unseen",
               "write a function, and pass the index to it");
  }

  void add_macro(const Token& directive, std::string_view rest) {
    std::vector<Token> words;
    try {
      words = tokenize(rest, source_.path());
    } catch (const Error&) {
      return;
    }
    if (words.empty()) return;
    Code code;
    code.is_macro = true;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i].text == "##" && !blocks_.unseen_) blocks_.unseen_ = directive;
      add_token(words[i], code);
      macro_names_.insert(words[i].text);
    }
    if (code.use) code.use->position = directive.position;
    macros_.insert(words.front().text);
    if (words.size() == 2 && words[1].kind == TokenKind::number)
      blocks_.known.emplace(words.front().text);
    code_.emplace(words.front().text, std::move(code));
  }

  // ---- uses in the kernel -----------------------------------------------------------------

  /// Records a use that begins at a token of the body; its last token, or the token itself.
  std::size_t visit(std::size_t i) {
    const Token& token = tokens_[i];
    if (is_other_way(token))
      refuse(token,
             fmt::format("{} gives the block's index by other means than blockIdx",
                         is_name(token) ? std::string(token.text) : "this code"),
             "use blockIdx.x, blockIdx.y and blockIdx.z");
    if (!is_name(token) || !is_block_name(token.text)) return i;
    const std::string_view before = i > 0 ? text(i - 1) : std::string_view();
    if (before == "." || before == "->") return i;  // somebody's member
    const std::string_view axes = "xyz";
    if (token.text != "blockIdx") {
      const std::size_t axis = axes.find(token.text.back());
      if (token.text.size() != 13 || axis == std::string_view::npos || before == "::") return i;
      blocks_.tokens_.push_back({static_cast<int>(axis), i, i});
      return i;
    }
    const std::string_view member = text(i + 2);
    const std::size_t axis = member.size() == 1 ? axes.find(member) : std::string_view::npos;
    if (text(i + 1) != "." || axis == std::string_view::npos || before == "::" ||
        i + 2 > function_.body_end)
      refuse(token, "blockIdx is used as a whole", "write blockIdx.x, blockIdx.y and blockIdx.z");
    blocks_.tokens_.push_back({static_cast<int>(axis), i, i + 2});
    return i + 2;
  }

  // ---- uses that cannot be replaced ---------------------------------------------------------

  [[noreturn]] void refuse_helper(const std::string& name, const Token& use) const {
    refuse(use, fmt::format("{}, which the kernel can call, uses the block's index", name),
           "give it the index as a parameter, and use blockIdx in the kernel alone");
  }

  /// Functions and macros of the file that the body reaches.
  void refuse_hidden() const {
    std::set<std::string_view> seen;
    std::vector<std::pair<std::string_view, std::size_t>> reached;  // and where in the body
    for (std::size_t i = function_.body_begin; i <= function_.body_end; ++i)
      if (is_name(tokens_[i]) && seen.insert(tokens_[i].text).second)
        reached.emplace_back(tokens_[i].text, i);
    for (std::size_t k = 0; k < reached.size(); ++k) {
      const auto [name, at] = reached[k];
      const auto [first, last] = code_.equal_range(name);
      for (auto found = first; found != last; ++found) {
        const Code& code = found->second;
        if (code.use && code.is_macro)
          refuse(tokens_[at], fmt::format("the macro {} holds the block's index", name),
                 "write blockIdx in the kernel itself");
        if (code.use) refuse_helper(std::string(name), *code.use);
        for (const std::string_view next : code.names)
          if (seen.insert(next).second) reached.emplace_back(next, at);
      }
    }
  }

  /// A variable of the kernel is not seen inside local classes and lambdas that capture
  /// nothing by default.
  void refuse_out_of_reach() const {
    for (std::size_t i = function_.body_begin + 1; i < function_.body_end; ++i) {
      if (!outline_.is_read[i]) continue;
      if (text(i) == "[" && begins_lambda(i)) refuse_in_lambda(i);
      const bool is_class = text(i) == "struct" || text(i) == "class" || text(i) == "union";
      if (!is_class) continue;
      std::size_t open = i;
      while (open < function_.body_end && text(open) != "{" && text(open) != ";" &&
             text(open) != "(" && text(open) != ")" && text(open) != ">")
        ++open;
      if (text(open) == "{")
        refuse_between(open, outline_.partner[open], "a local class cannot see the tile's index",
                       "give the index to the class's functions as a parameter");
    }
  }

  bool begins_lambda(std::size_t i) const {
    const Token& before = tokens_[i - 1];
    if (before.text == "return" || before.text == "case") return true;
    return before.kind != TokenKind::name && before.kind != TokenKind::text && before.text != ")" &&
           before.text != "]" && text(i + 1) != "[" && before.text != "[";
  }

  void refuse_in_lambda(std::size_t i) const {
    const bool captures =
        text(i + 1) == "=" || (text(i + 1) == "&" && (text(i + 2) == "]" || text(i + 2) == ","));
    if (captures) return;
    std::size_t open = outline_.partner[i] + 1;
    while (open < function_.body_end && text(open) != "{" && text(open) != ";")
      open = text(open) == "(" ? outline_.partner[open] + 1 : open + 1;
    if (text(open) == "{")
      refuse_between(open, outline_.partner[open], "the lambda does not capture the tile's index",
                     "begin it with [=] or [&]");
  }

  void refuse_between(std::size_t begin, std::size_t end, const char* what,
                      const char* hint) const {
    for (const BlockUse& use : blocks_.tokens_)
      if (use.first > begin && use.first < end) refuse(tokens_[use.first], what, hint);
  }

  // ---- names --------------------------------------------------------------------------------

  void collect_names(const std::vector<std::string>& macros) {
    for (const Token& token : tokens_)
      if (is_name(token)) blocks_.names.emplace(token.text);
    for (const std::string_view name : macros_) blocks_.names.emplace(name);
    for (const std::string_view name : macro_names_) blocks_.names.emplace(name);
    blocks_.names.insert(macros.begin(), macros.end());
    blocks_.known.insert(macros.begin(), macros.end());
    for (const CxxParameter& parameter : function_.parameters) {
      const auto type = value_type(parameter.type);
      if (type.pointers == 0 && type.element == config::DType::int32 && type.elements == 1)
        blocks_.known.insert(parameter.name);
    }
    for (const std::string& parameter : function_.template_parameters)
      if (parameter.substr(0, 4) == "int ") blocks_.known.insert(parameter.substr(4));
    blocks_.known.erase("");
  }

  const CxxSource& source_;
  const std::vector<Token>& tokens_;
  const CxxFunction& function_;
  Outline outline_;
  std::multimap<std::string_view, Code> code_;
  std::set<std::string_view> macros_;
  std::set<std::string_view> macro_names_;
  BlockUses& blocks_;
};

BlockUses::BlockUses(const CxxSource& source, const std::string& function,
                     const std::vector<std::string>& macros)
    : source_(source), function_(source.kernel(function)) {
  path = source.path();
  position = known_at = function_.position;
  known_are = "an int of the kernel with a value where its body begins";
  spelling.dialect = source.is_cuda() ? "cuda" : "hip";
  spelling.declares = "const unsigned int ";
  spelling.ends = ";";
  spelling.own_minimum =
      std::any_of(function_.parameters.begin(), function_.parameters.end(),
                  [](const CxxParameter& one) { return one.name == "min" || one.name == "max"; });
  BlockFinder(source, function_, *this).run(macros);
}

void BlockUses::refuse_unseen() const {
  if (!unseen_) return;
  const bool is_include = directive_name(*unseen_) == "include";
  throw Error(is_include ? "a file that is included is not read, and could use the block's index"
                         : "a macro that glues words together could use the block's index",
              "add --job JOB.toml: both kernels are traced")
      .at(path, unseen_->position);
}

}  // namespace heddle::kernel::cxx
