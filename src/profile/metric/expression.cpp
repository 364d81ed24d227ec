#include "profile/metric/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "profile/workload/counter_table.h"
#include "support/error.h"

namespace heddle::profile {

struct ExpressionNode {
  enum class Kind {
    number,
    name,
    channel_name,
    channels_sum,
    negative,
    add,
    subtract,
    multiply,
    divide,
    minimum,
    maximum,
    round,
    mean,
    total,
    least,
    most,
    median,
    deviation,
    comparison,
    choice
  };
  enum class Test { equal, unequal, less, at_most, more, at_least };
  using Child = std::shared_ptr<const ExpressionNode>;

  Kind kind = Kind::number;
  double number = 0;
  std::string file;  ///< of a name
  std::string name;
  Test test = Test::equal;
  /// comparison: both sides; choice: value, both sides, and what else, if there is one
  std::vector<Child> children;
};

namespace {

using Node = ExpressionNode;
using Kind = Node::Kind;
using Child = Node::Child;

constexpr std::size_t kMostText = 8 << 10;
constexpr int kMostDepth = 64;
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

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

double mean_of(const std::vector<double>& values) {
  double total = 0;
  std::size_t count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    total += value;
    ++count;
  }
  return count == 0 ? kNothing : total / static_cast<double>(count);
}

/// One number of all dispatches that have a value.
double summary_of(Kind kind, const std::vector<double>& all) {
  std::vector<double> values;
  for (const double value : all) {
    if (!std::isnan(value)) values.push_back(value);
  }
  if (values.empty()) return kNothing;
  std::ranges::sort(values);
  const double middle = mean_of(values);
  const auto count = static_cast<double>(values.size());
  switch (kind) {
    case Kind::total:
      return std::accumulate(values.begin(), values.end(), 0.0);
    case Kind::least:
      return values.front();
    case Kind::most:
      return values.back();
    case Kind::median:
      return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
    case Kind::deviation: {
      double squares = 0;
      for (const double value : values) squares += (value - middle) * (value - middle);
      return values.size() < 2 ? kNothing : std::sqrt(squares / (count - 1));
    }
    default:
      return middle;
  }
}

bool is_summary(Kind kind) {
  return kind == Kind::mean || kind == Kind::total || kind == Kind::least || kind == Kind::most ||
         kind == Kind::median || kind == Kind::deviation;
}

bool holds(Node::Test test, double left, double right) {
  switch (test) {
    case Node::Test::equal:
      return left == right;
    case Node::Test::unequal:
      return left != right;
    case Node::Test::less:
      return left < right;
    case Node::Test::at_most:
      return left <= right;
    case Node::Test::more:
      return left > right;
    case Node::Test::at_least:
      return left >= right;
  }
  return false;
}

class Evaluator {
 public:
  Evaluator(MetricSource& source, int channel, std::string& why)
      : source_(source), channel_(channel), why_(why) {}

  std::optional<std::vector<double>> run(const Node& node) {
    switch (node.kind) {
      case Kind::number:
        return std::vector<double>(source_.dispatches(), node.number);
      case Kind::name:
        return look_up(node.file, node.name);
      case Kind::channel_name:
        return look_up(node.file, fmt::format("{}[{}]", node.name, channel_));
      case Kind::channels_sum:
        return sum_channels(node.name);
      default:
        break;
    }
    std::vector<std::vector<double>> values;
    for (const Child& child : node.children) {
      auto value = run(*child);
      if (!value) return std::nullopt;
      values.push_back(std::move(*value));
    }
    if (is_summary(node.kind))
      return std::vector<double>(source_.dispatches(), summary_of(node.kind, values[0]));
    for (std::size_t i = 0; i < values[0].size(); ++i) values[0][i] = combine(node, values, i);
    return std::move(values[0]);
  }

 private:
  std::optional<std::vector<double>> look_up(const std::string& file, const std::string& name) {
    const std::vector<double>* found = source_.find(file, name, why_);
    if (found == nullptr) return std::nullopt;
    return *found;
  }

  std::optional<std::vector<double>> sum_channels(const std::string& name) {
    std::vector<double> total(source_.dispatches(), 0.0);
    for (int channel = 0; channel < source_.channels(); ++channel) {
      const std::vector<double>* one = source_.find("", fmt::format("{}[{}]", name, channel), why_);
      if (one == nullptr) return std::nullopt;
      for (std::size_t i = 0; i < total.size(); ++i) total[i] += (*one)[i];
    }
    return total;
  }

  double combine(const Node& node, const std::vector<std::vector<double>>& values,
                 std::size_t i) const {
    const double a = values[0][i];
    const double b = values.size() > 1 ? values[1][i] : 0;
    switch (node.kind) {
      case Kind::negative:
        return -a;
      case Kind::add:
        return a + b;
      case Kind::subtract:
        return a - b;
      case Kind::multiply:
        return a * b;
      case Kind::divide:
        return b == 0 && !source_.wants_infinite() ? kNothing : a / b;
      case Kind::minimum:
        return std::isnan(a) || std::isnan(b) ? kNothing : std::min(a, b);
      case Kind::maximum:
        return std::isnan(a) || std::isnan(b) ? kNothing : std::max(a, b);
      case Kind::round:
        return std::nearbyint(a);
      case Kind::comparison:
        return holds(node.test, a, b) ? 1 : 0;
      case Kind::choice:
        if (holds(node.test, b, values[2][i])) return a;
        return values.size() > 3 ? values[3][i] : kNothing;
      default:
        return kNothing;
    }
  }

  MetricSource& source_;
  int channel_;
  std::string& why_;
};

/// One number of all dispatches, of sums.
class SumEvaluator {
 public:
  SumEvaluator(MetricSource& source, int channel, std::string& why) : each_(source, channel, why) {}

  std::optional<double> run(const Node& node) {
    switch (node.kind) {
      case Kind::number:
        return node.number;
      case Kind::negative:
        return combined(node, [](double a, double) { return -a; });
      case Kind::add:
        return combined(node, [](double a, double b) { return a + b; });
      case Kind::subtract:
        return combined(node, [](double a, double b) { return a - b; });
      case Kind::round:
        return combined(node, [](double a, double) { return std::nearbyint(a); });
      case Kind::mean:
        return run(*node.children[0]);
      case Kind::choice:
        return choice(node);
      case Kind::multiply:
      case Kind::divide:
        return product(node);
      default:
        return mean(node);
    }
  }

 private:
  template <class Combine>
  std::optional<double> combined(const Node& node, const Combine& combine) {
    const auto first = run(*node.children[0]);
    if (node.children.size() == 1) return first ? std::optional(combine(*first, 0)) : std::nullopt;
    const auto second = run(*node.children[1]);
    return first && second ? std::optional(combine(*first, *second)) : std::nullopt;
  }

  std::optional<double> mean(const Node& node) {
    const auto values = each_.run(node);
    return values ? std::optional(mean_of(*values)) : std::nullopt;
  }

  /// The test guards against a divisor of zero, and the sum of divisors is its own.
  std::optional<double> choice(const Node& node) {
    const auto value = run(*node.children[0]);
    if (!value || !std::isnan(*value) || node.children.size() < 4) return value;
    return run(*node.children[3]);
  }

  /// The one value that all dispatches have; nothing if they differ.
  static std::optional<double> common(const std::vector<double>& values) {
    for (const double value : values) {
      if (std::isnan(value) || value != values[0]) return std::nullopt;
    }
    return values.empty() ? std::nullopt : std::optional(values[0]);
  }

  std::optional<double> product(const Node& node) {
    const auto second = each_.run(*node.children[1]);
    if (!second) return std::nullopt;
    const bool divides = node.kind == Kind::divide;
    if (const auto factor = common(*second)) {
      const auto value = run(*node.children[0]);
      if (!value) return std::nullopt;
      if (!divides) return *value * *factor;
      return *factor == 0 ? kNothing : *value / *factor;
    }
    const auto first = each_.run(*node.children[0]);
    if (!first) return std::nullopt;
    if (!divides) {
      const auto factor = common(*first);
      if (!factor) return mean(node);
      const auto value = run(*node.children[1]);
      return value ? std::optional(*factor * *value) : std::nullopt;
    }
    double above = 0, below = 0;
    for (std::size_t i = 0; i < first->size(); ++i) {
      if (std::isnan((*first)[i]) || std::isnan((*second)[i])) continue;
      above += (*first)[i];
      below += (*second)[i];
    }
    return below == 0 ? kNothing : above / below;
  }

  Evaluator each_;
};

}  // namespace

Expression Expression::parse(std::string_view text, const Let& let) {
  Expression expression;
  expression.root_ = Parser(text, let, 0).whole();
  return expression;
}

bool Expression::ratio_of_sums(MetricSource& source, int channel, double& result,
                               std::string& why) const {
  const auto value = SumEvaluator(source, channel, why).run(*root_);
  if (value) result = *value;
  return value.has_value();
}

bool Expression::evaluate(MetricSource& source, int channel, std::vector<double>& result,
                          std::string& why) const {
  auto values = Evaluator(source, channel, why).run(*root_);
  if (!values) return false;
  result = std::move(*values);
  return true;
}

}  // namespace heddle::profile
