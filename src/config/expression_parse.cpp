#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/expression.h"
#include "config/expression_token.h"
#include "support/error.h"
#include "support/lists.h"

namespace heddle::config {
namespace {

using Kind = Expression::Kind;

constexpr std::size_t kLengthLimitBytes = 1 << 16;
constexpr int kNestingLimit = 192;  // a bracket takes three
constexpr int kHeightLimit = 500;

constexpr std::array<std::string_view, 10> kWords = {"and",  "or",    "not",  "if", "else",
                                                     "True", "False", "None", "is", "in"};

/// Binary operators by how tightly they bind, loosest first; all group to the left.
constexpr std::array<std::array<std::string_view, 4>, 6> kLevels = {
    {{"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "//", "%"}}};

Expression make(Kind kind, std::string text, std::vector<Expression> operands) {
  Expression result;
  result.kind = kind;
  result.text = std::move(text);
  for (const Expression& operand : operands) {
    result.height = std::max(result.height, operand.height + 1);
  }
  if (result.height > kHeightLimit) {
    throw Error("the expression has too many operators in one chain",
                "give parts of it names under [sizes]");
  }
  result.operands = std::move(operands);
  return result;
}

template <class... Parts>
std::vector<Expression> parts(Parts&&... items) {
  std::vector<Expression> result;
  result.reserve(sizeof...(items));
  (result.push_back(std::move(items)), ...);
  return result;
}

Expression literal(Value value) {
  Expression result;
  result.value = std::move(value);
  return result;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(split_tokens(text)) {}

  Expression whole() {
    Expression result = expression();
    if (current().kind != Token::Kind::end) throw unexpected();
    return result;
  }

 private:
  /// Counts how deep the parser has called itself.
  class Nesting {
   public:
    explicit Nesting(int& depth) : depth_(depth) {
      if (++depth_ > kNestingLimit) {
        --depth_;
        throw Error("the expression is nested too deeply", "give parts of it names under [sizes]");
      }
    }
    ~Nesting() { --depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    int& depth_;
  };

  const Token& current() const { return tokens_[at_]; }

  bool sees(std::string_view text) const {
    const Token& token = current();
    return (token.kind == Token::Kind::symbol || token.kind == Token::Kind::word) &&
           token.text == text;
  }

  bool take(std::string_view text) {
    if (!sees(text)) return false;
    ++at_;
    return true;
  }

  void need(std::string_view text) {
    if (take(text)) return;
    const std::string found =
        current().kind == Token::Kind::end ? "it ends" : fmt::format("'{}' stands", current().text);
    throw Error(fmt::format("'{}' is missing where {}", text, found), "complete the expression");
  }

  Error unexpected() const {
    if (current().kind == Token::Kind::end) {
      return Error("the expression ends too early", "complete it");
    }
    const bool assignment = sees("=");
    return Error(fmt::format("'{}' was not expected", current().text),
                 assignment ? "compare with ==; arguments have no names here"
                            : "use Python's operators: + - * / // % ** << >> & | and or not");
  }

  Expression expression() {
    const Nesting nesting(depth_);
    Expression value = logical_or();
    if (!take("if")) return value;
    Expression condition = logical_or();
    need("else");
    Expression other = expression();
    return make(Kind::conditional, {}, parts(condition, value, other));
  }

  Expression logical_or() {
    Expression left = logical_and();
    while (take("or")) {
      Expression right = logical_and();
      left = make(Kind::logical_or, {}, parts(left, right));
    }
    return left;
  }

  Expression logical_and() {
    Expression left = logical_not();
    while (take("and")) {
      Expression right = logical_not();
      left = make(Kind::logical_and, {}, parts(left, right));
    }
    return left;
  }

  Expression logical_not() {
    const Nesting nesting(depth_);
    if (!take("not")) return comparison();
    Expression operand = logical_not();
    return make(Kind::unary, "not", parts(operand));
  }

  /// The comparison operator that stands here, taken; empty if there is none.
  std::string comparison_operator() {
    for (const std::string_view text : {"<=", ">=", "==", "!=", "<", ">"}) {
      if (take(text)) return std::string(text);
    }
    if (take("is")) return take("not") ? "is not" : "is";
    return {};
  }

  Expression comparison() {
    Expression first = binary(0);
    std::vector<std::string> operators;
    std::vector<Expression> operands;
    for (std::string text = comparison_operator(); !text.empty(); text = comparison_operator()) {
      operators.push_back(text);
      operands.push_back(binary(0));
    }
    if (operators.empty()) return first;
    operands.insert(operands.begin(), std::move(first));
    Expression result = make(Kind::compare, {}, std::move(operands));
    result.texts = std::move(operators);
    return result;
  }

  Expression binary(std::size_t level) {
    if (level == kLevels.size()) return unary();
    Expression left = binary(level + 1);
    while (true) {
      const auto& operators = kLevels[level];
      const auto found = std::ranges::find_if(
          operators, [&](std::string_view o) { return !o.empty() && take(o); });
      if (found == operators.end()) return left;
      Expression right = binary(level + 1);
      left = make(Kind::binary, std::string(*found), parts(left, right));
    }
  }

  Expression unary() {
    const Nesting nesting(depth_);
    for (const std::string_view text : {"-", "+", "~"}) {
      if (!take(text)) continue;
      Expression operand = unary();
      return make(Kind::unary, std::string(text), parts(operand));
    }
    Expression base = postfix();
    if (!take("**")) return base;
    Expression exponent = unary();  // binds tighter than a minus before the base, and to the right
    return make(Kind::binary, "**", parts(base, exponent));
  }

  Expression postfix() {
    Expression result = primary();
    while (true) {
      if (take(".")) {
        if (current().kind != Token::Kind::word) throw unexpected();
        std::string name = current().text;
        ++at_;
        result = make(Kind::attribute, std::move(name), parts(result));
      } else if (take("(")) {
        std::vector<Expression> operands = parts(result);
        items(")", operands);
        result = make(Kind::call, {}, std::move(operands));
      } else if (take("[")) {
        Expression index = expression();
        if (sees(":")) throw Error("slices are not supported", "take one element: T.shape[0]");
        need("]");
        result = make(Kind::subscript, {}, parts(result, index));
      } else {
        return result;
      }
    }
  }

  /// Expressions with commas between them, up to and with the closing bracket.
  /// True if a comma stood before it.
  bool items(std::string_view close, std::vector<Expression>& list) {
    bool comma = false;
    while (!take(close)) {
      list.push_back(expression());
      comma = take(",");
      if (!comma && !sees(close)) need(close);
    }
    return comma;
  }

  Expression primary() {
    const Token token = current();
    if (token.kind == Token::Kind::number || token.kind == Token::Kind::text) {
      ++at_;
      return literal(token.value);
    }
    if (take("True")) return literal(Value{true});
    if (take("False")) return literal(Value{false});
    if (take("None")) return literal(Value{});
    if (token.kind == Token::Kind::word && is_plain_name(token.text)) {
      ++at_;
      return make(Kind::name, token.text, {});
    }
    if (take("[")) {
      std::vector<Expression> list;
      items("]", list);
      return make(Kind::list, {}, std::move(list));
    }
    if (!take("(")) throw unexpected();
    std::vector<Expression> list;
    const bool comma = items(")", list);
    if (list.size() == 1 && !comma) return std::move(list.front());
    return make(Kind::list, {}, std::move(list));  // a tuple
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

bool is_plain_name(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && !(c >= '0' && c <= '9')) return false;
  }
  return !is_one_of(text, kWords);
}

bool is_parameter_name(std::string_view text) {
  return text == "in" || text == "is" || is_plain_name(text);
}

Expression parse_expression(std::string_view text) {
  if (text.size() > kLengthLimitBytes) {
    throw Error(fmt::format("the expression is longer than {} characters", kLengthLimitBytes),
                "put the numbers into a .npy file: file('numbers.npy')");
  }
  return Parser(text).whole();
}

}  // namespace heddle::config
