#include "kernel/cxx/outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "kernel/cxx/branches.h"
#include "kernel/cxx/token.h"

namespace heddle::kernel::cxx {
namespace {

constexpr int kDeepestScope = 200;
constexpr std::size_t kLongestArguments = 500;  ///< tokens of template arguments

/// Names in front of brackets that hold no parameters.
const std::set<std::string_view> kNoFunction = {"__launch_bounds__",
                                                "__attribute__",
                                                "__attribute",
                                                "__declspec",
                                                "alignas",
                                                "__align__",
                                                "decltype",
                                                "noexcept",
                                                "explicit",
                                                "sizeof",
                                                "alignof",
                                                "throw",
                                                "typeof",
                                                "__typeof__",
                                                "requires",
                                                "__cluster_dims__",
                                                "__maxnreg__",
                                                "__asm__",
                                                "__block_size__",
                                                "asm",
                                                "__asm"};
const std::set<std::string_view> kClassKeys = {"struct", "class", "union", "enum"};
const std::set<std::string_view> kNeither = {"using", "typedef", "static_assert", "concept"};

struct Marks {
  bool kernel = false;
  bool device = false;
  bool constant = false;
  bool declares = false;  ///< a macro that makes types, constants or templates
  bool is_whole = false;  ///< one without parameters that makes whole declarations

  void add(const Marks& other) {
    kernel = kernel || other.kernel;
    device = device || other.device;
    constant = constant || other.constant;
    declares = declares || other.declares;
    is_whole = is_whole || other.is_whole;
  }
};

const std::set<std::string_view> kDeclaring = {"struct", "class",   "union",     "enum",
                                               "using",  "typedef", "namespace", "operator",
                                               "const",  "template"};

bool is_capital_device(std::string_view word) {
  const bool is_capital =
      std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return is_capital && word.find("DEVICE") != std::string_view::npos;
}

Marks marks_of(std::string_view word) {
  Marks marks;
  marks.kernel = word == "__global__";
  marks.constant = word == "const" || word == "constexpr" || word == "constinit";
  marks.device = marks.kernel || word == "__device__" || word == "__constant__" ||
                 word == "__shared__" || word == "__managed__" || word == "constexpr" ||
                 word == "consteval" || is_capital_device(word);
  return marks;
}

/// What the macros of the file stand for.
void add_macros(const std::vector<Token>& tokens, std::map<std::string_view, Marks>& macros) {
  static const std::string kNowhere;
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::directive || directive_name(token) != "define") continue;
    const std::string_view rest = directive_rest(token);
    std::vector<Token> words;
    try {
      words = tokenize(rest, kNowhere);
    } catch (const Error&) {
      continue;  // a lone quote: no macro of declarations
    }
    if (words.empty()) continue;
    Marks marks;
    bool instantiates = false;
    int depth = 0;  // what a body declares is its own
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i].text == "{" || words[i].text == "(") ++depth;
      if (words[i].text == "}" || words[i].text == ")") --depth;
      marks.add(marks_of(words[i].text));
      const auto known = macros.find(words[i].text);
      if (known != macros.end()) marks.add(known->second);
      instantiates = instantiates || (words[i].text == "template" &&
                                      (i + 1 == words.size() || words[i + 1].text != "<"));
      marks.declares = marks.declares || (depth <= 0 && kDeclaring.count(words[i].text) != 0);
      marks.is_whole = marks.is_whole || words[i].text == ";" || words[i].text == "}";
    }
    const bool has_parameters =
        words.size() > 1 && words[1].text == "(" && words[1].offset == words[0].text.size();
    marks.declares = marks.declares && !instantiates;
    marks.is_whole = marks.is_whole && marks.declares && !has_parameters;
    macros[words.front().text].add(marks);
  }
}

/// What has been seen of a declaration before its body or end.
struct Head {
  Marks marks;
  bool is_type = false;     ///< struct, class, union, enum
  bool has_bases = false;   ///< `struct A : B`
  bool is_neither = false;  ///< using, typedef, ...
  bool is_friend = false;
  bool in_initialisers = false;  ///< `A() : x(1)`
  bool is_operator = false;      ///< `operator` was read, its parameters not yet
};

class OutlineReader {
 public:
  OutlineReader(const std::vector<Token>& tokens, const std::string& path,
                const std::vector<Token>& defines)
      : tokens_(tokens), path_(path) {
    add_macros(defines, macros_);
    add_macros(tokens, macros_);
    outline_.is_read = tokens_read(tokens);
    outline_.partner.resize(tokens.size());
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      outline_.partner[i] = i;
      if (outline_.is_read[i]) read_.push_back(i);
    }
    match_brackets();
  }

  Outline run() {
    scope(0, read_.size(), "", false, 0);
    return std::move(outline_);
  }

 private:
  // Positions count the tokens that are read; `index` makes them indices into all tokens.
  std::size_t index(std::size_t position) const { return read_[position]; }
  const Token& token(std::size_t position) const { return tokens_[read_[position]]; }
  std::string_view word(std::size_t position) const {
    return position < read_.size() ? token(position).text : std::string_view();
  }
  bool is_name(std::size_t position) const {
    return position < read_.size() && token(position).kind == TokenKind::name;
  }
  TokenRange range(std::size_t begin, std::size_t end) const { return {index(begin), index(end)}; }

  [[noreturn]] void fail(const std::string& what, const std::string& hint, std::size_t at) const {
    throw Error(what, hint).at(path_, token(at).position);
  }

  void match_brackets() {
    partner_.resize(read_.size());
    std::vector<std::size_t> open;
    for (std::size_t p = 0; p < read_.size(); ++p) {
      partner_[p] = p;
      if (token(p).kind != TokenKind::symbol) continue;
      const std::string_view text = word(p);
      if (text == "(" || text == "[" || text == "{") open.push_back(p);
      if (text != ")" && text != "]" && text != "}") continue;
      const std::string_view wanted = text == ")" ? "(" : text == "]" ? "[" : "{";
      if (open.empty() || word(open.back()) != wanted)
        fail(fmt::format("'{}' closes nothing", text),
             open.empty() ? fmt::format("remove it, or write the '{}' that it closes", wanted)
                          : fmt::format("close the '{}' of line {} first", word(open.back()),
                                        token(open.back()).position.line),
             p);
      partner_[p] = open.back();
      partner_[open.back()] = p;
      outline_.partner[index(p)] = index(open.back());
      outline_.partner[index(open.back())] = index(p);
      open.pop_back();
    }
    if (!open.empty())
      fail(fmt::format("'{}' is not closed", word(open.back())), "close it", open.back());
  }

  /// Past a bracketed piece, or past one token.
  std::size_t past(std::size_t p) const {
    const std::string_view text = word(p);
    return text == "(" || text == "[" || text == "{" ? partner_[p] + 1 : p + 1;
  }

  std::size_t semicolon(std::size_t p, std::size_t end) const {
    while (p < end && word(p) != ";") p = past(p);
    return p;
  }

  /// The position of the > that closes the < at p; p if none does.
  std::size_t angle_end(std::size_t p, std::size_t end) const {
    int depth = 0;
    for (std::size_t q = p; q < end; q = past(q)) {
      if (token(q).kind != TokenKind::symbol) continue;
      const std::string_view text = word(q);
      if (text == ";") return p;
      if (text == "<") ++depth;
      if (text == ">" || text == ">>" || text == ">>>") depth -= static_cast<int>(text.size());
      if (depth <= 0) return q;
    }
    return p;
  }

  /// The position of the < that the > at p closes; p if there is none near.
  std::size_t angle_begin(std::size_t p, std::size_t begin) const {
    int depth = 0;
    for (std::size_t q = p; q > begin && p - q < kLongestArguments; --q) {
      const std::string_view text = word(q);
      if (text == ">" || text == ">>" || text == ">>>") depth += static_cast<int>(text.size());
      if (text == "<" && --depth <= 0) return q;
    }
    return p;
  }

  void scope(std::size_t p, std::size_t end, const std::string& name, bool in_class, int depth) {
    if (depth > kDeepestScope)
      fail("namespaces and classes nest too deep", "nest at most 200 of them", p > 0 ? p - 1 : p);
    while (p < end) {
      if (word(p) == ";") {
        ++p;
      } else if (!in_class && enters_namespace(p, end)) {
        p = enter_namespace(p, name, depth);
      } else if (in_class && is_name(p) && word(p + 1) == ":" && p + 1 < end) {
        p += 2;  // public:
      } else if (!in_class && is_macro(p, end)) {
        p = macro(p, end, name);
      } else {
        p = declaration(p, end, name, in_class, depth);
      }
    }
  }

  /// Past the words in front of the brace, to `namespace a::b {` or `extern "C" {`.
  bool enters_namespace(std::size_t p, std::size_t end) const {
    if (word(p) == "extern")
      return p + 2 < end && token(p + 1).kind == TokenKind::text && word(p + 2) == "{";
    if (word(p) == "inline") ++p;
    if (word(p) != "namespace") return false;
    while (p < end && word(p) != "{" && word(p) != ";" && word(p) != "=") p = past(p);
    return p < end && word(p) == "{";
  }

  std::size_t enter_namespace(std::size_t p, const std::string& name, int depth) {
    std::string inner = name;
    while (word(p) != "{") {
      const bool counts = is_name(p) && word(p) != "inline" && word(p) != "namespace" &&
                          word(p) != "extern" && kNoFunction.count(word(p)) == 0;
      if (counts) inner += std::string(word(p)) + "::";
      p = past(p);
    }
    scope(p + 1, partner_[p], inner, false, depth + 1);
    return partner_[p] + 1;
  }

  /// `NAME(...)` with a ; or another line behind it.
  bool is_macro(std::size_t p, std::size_t end) const {
    if (!is_name(p) || word(p + 1) != "(" || kNoFunction.count(word(p)) != 0) return false;
    if (kNeither.count(word(p)) != 0) return false;
    const std::size_t next = partner_[p + 1] + 1;
    if (next >= end || word(next) == ";") return true;
    return token(next).kind == TokenKind::name &&
           token(next).position.line > token(next - 1).position.line && word(next) != "const" &&
           word(next) != "noexcept";
  }

  std::size_t macro(std::size_t p, std::size_t end, const std::string& name) {
    const std::size_t last = partner_[p + 1];
    const std::size_t stop = last + 1 < end && word(last + 1) == ";" ? last + 1 : last;
    OutlineItem item;
    item.is_function = true;
    item.scope = name;
    const auto known = macros_.find(word(p));
    item.is_device = known != macros_.end() && (known->second.device || known->second.declares);
    add(std::move(item), p, stop);
    return stop + 1;
  }

  void add(OutlineItem item, std::size_t begin, std::size_t end) {
    item.all = range(begin, end);
    for (std::size_t i = item.all.begin; i <= item.all.end; ++i)
      if (tokens_[i].text == "<<<") item.holds_launch = true;
    outline_.items.push_back(std::move(item));
  }

  void add_other(std::size_t begin, std::size_t end, std::optional<TokenRange> body,
                 bool in_class) {
    if (!in_class) outline_.others.push_back({range(begin, end), body});
  }

  void add(OutlineItem item, const Head& head, std::size_t begin, std::size_t end) {
    if (head.is_neither) add_other(begin, end, std::nullopt, item.is_member);
    if (head.is_neither || head.is_friend) return;
    item.is_kernel = head.marks.kernel;
    item.is_device = head.marks.device;
    item.is_const = head.marks.constant;
    item.is_function = item.parameters.has_value();
    add(std::move(item), begin, end);
  }

  std::size_t declaration(std::size_t begin, std::size_t end, const std::string& name,
                          bool in_class, int depth) {
    Head head;
    OutlineItem item;
    item.scope = name;
    item.is_member = in_class;
    std::size_t p = begin;
    while (p < end) {
      const std::string_view text = word(p);
      if (text == ";") {
        if (is_guide(begin, p, item)) head.marks.device = true;
        if (!head.is_type || head.is_neither) add(std::move(item), head, begin, p);
        if (head.is_type && !head.is_neither) add_other(begin, p, std::nullopt, in_class);
        return p + 1;
      }
      if (text == "=") {
        const std::size_t stop = semicolon(p, end);
        add(std::move(item), head, begin, std::min(stop, end - 1));
        return stop + 1;
      }
      if (text != "{") {
        p = head_token(p, begin, end, head, item);
        continue;
      }
      const bool initialises = head.in_initialisers && (is_name(p - 1) || word(p - 1) == ">");
      if (!initialises && head.is_type && !item.parameters)
        return class_body(begin, p, end, head, name, in_class, depth);
      if (!initialises && item.parameters) return function_body(begin, p, end, head, item);
      p = past(p);
    }
    return p;  // words without an end: macros
  }

  /// `Pair(float, float) -> Pair<float>;`: a name without a type in front of it.
  bool is_guide(std::size_t begin, std::size_t end, const OutlineItem& item) const {
    if (!item.name || !item.parameters) return false;
    for (std::size_t p = begin; p < end; ++p)
      if (index(p) == item.name->begin) {
        const bool is_first = p == begin || word(p - 1) == ">" || word(p - 1) == "explicit";
        return is_first && word(past(p + 1)) == "->";
      }
    return false;
  }

  /// One token of a head, or a bracketed piece; past it.
  std::size_t head_token(std::size_t p, std::size_t begin, std::size_t end, Head& head,
                         OutlineItem& item) {
    const std::string_view text = word(p);
    if (text == "(") {
      parameters(p, begin, head, item);
    } else if (text == ":" && item.parameters && !head.has_bases) {
      if (!head.in_initialisers) item.head_end = index(p);
      head.in_initialisers = true;
    } else if (text == ":" && head.is_type) {
      head.has_bases = true;
    } else if (text == "template" && word(p + 1) == "<") {
      const std::size_t close = angle_end(p + 1, end);
      if (close == p + 1) fail("the template's '<' is not closed", "write > where it ends", p + 1);
      item.template_parameters = range(p + 1, close);
      return close + 1;
    } else if (text == "operator") {
      return operator_name(p, end, head, item);
    } else if (text == "requires" && word(p + 1) == "requires") {
      p += 2;
      if (p < end && word(p) == "(") p = past(p);
      return p < end && word(p) == "{" ? past(p) : p;
    } else if (is_name(p)) {
      head.marks.add(marks_of(text));
      const auto known = macros_.find(text);
      if (known != macros_.end()) head.marks.add(known->second);
      head.marks.device = head.marks.device || head.marks.is_whole;  // it goes with what follows
      head.is_type = head.is_type || kClassKeys.count(text) != 0;
      head.is_neither = head.is_neither || kNeither.count(text) != 0 || text == "namespace";
      head.is_friend = head.is_friend || text == "friend";
    }
    return past(p);
  }

  std::size_t operator_name(std::size_t p, std::size_t end, Head& head, OutlineItem& item) {
    const std::size_t first = p++;
    if (word(p) == "(" && partner_[p] == p + 1) p += 2;
    while (p < end && word(p) != "(" && word(p) != ";" && word(p) != "{") ++p;
    if (p >= end) return end;
    head.is_operator = true;
    item.name = range(first, p - 1);
    return p;
  }

  /// Takes the brackets at p as the function's parameters if a name stands in front.
  void parameters(std::size_t p, std::size_t begin, Head& head, OutlineItem& item) const {
    if (head.in_initialisers || head.has_bases || p == begin) return;
    if (head.is_operator) {
      head.is_operator = false;
      item.parameters = range(p, partner_[p]);
      return;
    }
    std::size_t first = p - 1;
    const std::string_view before = word(first);
    if (before == ">" || before == ">>" || before == ">>>") {
      const std::size_t open = angle_begin(first, begin);
      if (open == first || open == begin) return;
      first = open - 1;
    }
    if (!is_name(first) || kNoFunction.count(word(first)) != 0) return;
    if (first > begin && kClassKeys.count(word(first - 1)) != 0) return;  // struct ALIGN(16) P
    item.name = range(first, p - 1);
    item.parameters = range(p, partner_[p]);
  }

  std::size_t function_body(std::size_t begin, std::size_t p, std::size_t end, const Head& head,
                            OutlineItem& item) {
    item.body = range(p, partner_[p]);
    if (item.head_end == 0) item.head_end = index(p);
    std::size_t next = partner_[p] + 1;
    while (next < end && word(next) == "catch") {
      ++next;
      if (next < end && word(next) == "(") next = past(next);
      if (next < end && word(next) == "{") next = past(next);
    }
    Head shown = head;
    shown.is_friend = false;
    add(std::move(item), shown, begin, next - 1);
    return next;
  }

  std::size_t class_body(std::size_t begin, std::size_t p, std::size_t end, const Head& head,
                         const std::string& name, bool in_class, int depth) {
    const bool is_enum = std::any_of(read_.begin() + static_cast<std::ptrdiff_t>(begin),
                                     read_.begin() + static_cast<std::ptrdiff_t>(p),
                                     [&](std::size_t i) { return tokens_[i].text == "enum"; });
    const std::size_t close = partner_[p];
    if (!is_enum) scope(p + 1, close, name, true, depth + 1);
    const std::size_t stop = semicolon(close + 1, end);
    add_other(begin, std::min(stop, end - 1), range(p, close), in_class);
    const std::string_view next = word(close + 1);
    const bool declares =
        stop > close + 1 && kNoFunction.count(next) == 0 && next != "[" && !head.is_neither;
    if (declares) {
      OutlineItem item;
      item.scope = name;
      add(std::move(item), head, close + 1, std::min(stop, end) - 1);
    }
    return stop + 1;
  }

  const std::vector<Token>& tokens_;
  const std::string& path_;
  std::map<std::string_view, Marks> macros_;
  std::vector<std::size_t> read_;     ///< indices of the tokens that are read
  std::vector<std::size_t> partner_;  ///< positions
  Outline outline_;
};

}  // namespace

Outline outline_of(const std::vector<Token>& tokens, const std::string& path,
                   const std::vector<Token>& defines) {
  return OutlineReader(tokens, path, defines).run();
}

std::vector<std::vector<std::size_t>> split_at_commas(const std::vector<Token>& tokens,
                                                      const Outline& outline, TokenRange range) {
  std::vector<std::vector<std::size_t>> parts(1);
  int angles = 0;
  bool in_default = false;
  for (std::size_t i = range.begin; i <= range.end && i < tokens.size(); ++i) {
    if (!outline.is_read[i]) continue;
    const std::string_view text = tokens[i].text;
    if (text == "," && angles <= 0) {
      parts.emplace_back();
      angles = 0;
      in_default = false;
      continue;
    }
    if (text == "=") in_default = true;
    const bool after_name = i > 0 && tokens[i - 1].kind == TokenKind::name;
    if (text == "<" && after_name && !in_default) ++angles;
    if (angles > 0 && (text == ">" || text == ">>" || text == ">>>"))
      angles -= static_cast<int>(text.size());
    const std::size_t last = std::min(std::max(i, outline.partner[i]), range.end);
    for (; i <= last; ++i)
      if (outline.is_read[i]) parts.back().push_back(i);
    --i;
  }
  if (parts.size() == 1 && parts.front().empty()) parts.clear();
  return parts;
}

}  // namespace heddle::kernel::cxx
