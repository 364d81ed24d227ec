#include <fmt/format.h>

#include <cctype>
#include <optional>

#include "profile/metric/expression_node.h"
#include "profile/workload/counter_table.h"
#include "support/error.h"

namespace heddle::profile {
namespace {

using Node = ExpressionNode;
using Kind = Node::Kind;
using Child = Node::Child;

constexpr std::size_t kMostText = 8 << 10;
/// A bracket is two steps of the parser.
constexpr int kMostDepth = 2 * 64;

Child make(Kind kind, std::vector<Child> children) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->children = std::move(children);
  return node;
}

class Parser {
 public:
  Parser(std::string_view text, const Expression::Let& let, int depth)
      : text_(text), let_(let), depth_(depth) {
    if (text.size() > kMostText) fail("the expression is longer than 8 KiB");
  }

  Child whole() {
    Child node = expression();
    skip();
    if (node->kind == Kind::comparison) fail("a comparison is not a value");
    if (at_ < text_.size()) fail(fmt::format("'{}' is not expected here", text_[at_]));
    return node;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(what, "docs/metrics.md shows what an expression may hold")
        .at("", Position{1, static_cast<int>(at_) + 1});
  }

  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }

  bool take(std::string_view symbol) {
    skip();
    if (text_.substr(at_, symbol.size()) != symbol) return false;
    at_ += symbol.size();
    return true;
  }

  void need(std::string_view symbol) {
    if (!take(symbol)) fail(fmt::format("'{}' is missing", symbol));
  }

  static bool in_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  }

  bool take_word(std::string_view word) {
    skip();
    if (text_.substr(at_, word.size()) != word) return false;
    const std::size_t end = at_ + word.size();
    if (end < text_.size() && in_name(text_[end])) return false;
    at_ = end;
    return true;
  }

  std::string name() {
    skip();
    const std::size_t start = at_;
    while (at_ < text_.size() && in_name(text_[at_])) ++at_;
    if (at_ == start) fail("a name or a number is missing");
    return std::string(text_.substr(start, at_ - start));
  }

  Child expression() {
    if (++depth_ > kMostDepth) fail("brackets are nested too deep");
    Child value = compared();
    if (take_word("if")) {
      const Child test = compared();
      if (test->kind != Kind::comparison) fail("a comparison is missing: == != < <= > >=");
      auto node = std::make_shared<Node>(*test);
      node->kind = Kind::choice;
      node->children.insert(node->children.begin(), value);
      if (take_word("else")) node->children.push_back(expression());
      value = node;
    }
    --depth_;
    return value;
  }

  /// A sum, or two of them with a comparison between.
  Child compared() {
    Child left = sum();
    const auto test = comparison();
    if (!test) return left;
    auto node = std::make_shared<Node>();
    node->kind = Kind::comparison;
    node->test = *test;
    node->children = {left, sum()};
    return node;
  }

  std::optional<Node::Test> comparison() {
    if (take("==")) return Node::Test::equal;
    if (take("!=")) return Node::Test::unequal;
    if (take("<=")) return Node::Test::at_most;
    if (take(">=")) return Node::Test::at_least;
    if (take("<")) return Node::Test::less;
    if (take(">")) return Node::Test::more;
    return std::nullopt;
  }

  Child sum() {
    Child left = product();
    while (true) {
      if (take("+"))
        left = make(Kind::add, {left, product()});
      else if (take("-"))
        left = make(Kind::subtract, {left, product()});
      else
        return left;
    }
  }

  Child product() {
    Child left = factor();
    while (true) {
      if (take("*"))
        left = make(Kind::multiply, {left, factor()});
      else if (take("/"))
        left = make(Kind::divide, {left, factor()});
      else
        return left;
    }
  }

  Child factor() {
    skip();
    if (++depth_ > kMostDepth) fail("brackets are nested too deep");
    Child node;
    if (take("-"))
      node = make(Kind::negative, {factor()});
    else if (take("(")) {
      node = expression();
      need(")");
    } else if (at_ < text_.size() &&
               (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.')) {
      node = number();
    } else {
      node = named();
    }
    --depth_;
    return node;
  }

  Child number() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (in_name(text_[at_]) || text_[at_] == '.')) ++at_;
    const auto value = parse_number(text_.substr(start, at_ - start));
    if (!value) {
      at_ = start;
      fail("this is not a number");
    }
    auto node = std::make_shared<Node>();
    node->number = *value;
    return node;
  }

  Child call(Kind kind, std::size_t arguments) {
    std::vector<Child> children;
    need("(");
    for (std::size_t i = 0; i < arguments; ++i) {
      if (i > 0) need(",");
      children.push_back(expression());
    }
    need(")");
    return make(kind, std::move(children));
  }

  /// MIN(a, b) of each dispatch; MIN(a) of all of them.
  Child call_one_or_two(Kind of_one, Kind of_two) {
    need("(");
    std::vector<Child> children = {expression()};
    if (take(",")) children.push_back(expression());
    need(")");
    const Kind kind = children.size() == 1 ? of_one : of_two;
    return make(kind, std::move(children));
  }

  /// ROUND(a), or ROUND(a, 0), as the original writes it.
  Child rounded() {
    need("(");
    const Child value = expression();
    if (take(",") && expression()->number != 0) fail("ROUND rounds to whole numbers only");
    need(")");
    return make(Kind::round, {value});
  }

  Child named() {
    const std::string word = name();
    if (word == "MIN") return call_one_or_two(Kind::least, Kind::minimum);
    if (word == "MAX") return call_one_or_two(Kind::most, Kind::maximum);
    if (word == "ROUND") return rounded();
    if (word == "NOISE_CLAMP")
      return make(Kind::maximum, {call(Kind::minimum, 2)->children[0], make(Kind::number, {})});
    if (word == "AVG") return call(Kind::mean, 1);
    if (word == "SUM") return call(Kind::total, 1);
    if (word == "MEDIAN") return call(Kind::median, 1);
    if (word == "STD") return call(Kind::deviation, 1);
    if (const std::string* piece = let_ ? let_(word) : nullptr) {
      // A piece may use other pieces; one that uses itself ends at the bound on depth.
      return Parser(*piece, let_, depth_ + 1).whole();
    }
    auto node = std::make_shared<Node>();
    node->kind = Kind::name;
    node->name = word;
    if (word == "CHANNELS") {
      need("(");
      node->kind = Kind::channels_sum;
      node->name = name();
      need(")");
    } else if (take(".")) {
      node->file = word;
      node->name = name();
      // "lts__t_sectors.sum.per_second"
      while (at_ + 1 < text_.size() && text_[at_] == '.' && in_name(text_[at_ + 1])) {
        ++at_;
        node->name += "." + name();
      }
    }
    if (node->kind == Kind::name && take("[")) {
      if (take_word("channel")) {
        node->kind = Kind::channel_name;
      } else {
        node->name += fmt::format("[{}]", name());
      }
      need("]");
    }
    return node;
  }

  std::string_view text_;
  const Expression::Let& let_;
  int depth_ = 0;
  std::size_t at_ = 0;
};

}  // namespace

std::shared_ptr<const ExpressionNode> parse_expression(std::string_view text,
                                                       const Expression::Let& let) {
  return Parser(text, let, 0).whole();
}

}  // namespace heddle::profile
