#include "profile/metric/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "profile/metric/expression_node.h"

namespace heddle::profile {

namespace {

using Node = ExpressionNode;
using Kind = Node::Kind;
using Child = Node::Child;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

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

/// Numbers of all dispatches; one of them where all have the same.
class Numbers {
 public:
  explicit Numbers(const std::vector<double>* lent) : lent_(lent) {}
  explicit Numbers(std::vector<double> own) : own_(std::move(own)) {}

  std::size_t size() const { return all().size(); }
  double at(std::size_t i) const { return all().size() == 1 ? all()[0] : all()[i]; }
  const std::vector<double>& all() const { return lent_ != nullptr ? *lent_ : own_; }
  /// To write into, where it is of that size and nobody else's.
  std::vector<double>* own(std::size_t size) {
    return lent_ == nullptr && own_.size() == size ? &own_ : nullptr;
  }
  std::vector<double> taken() && { return lent_ != nullptr ? *lent_ : std::move(own_); }
  /// One for each dispatch.
  std::vector<double> spread(std::size_t dispatches) && {
    if (size() == 1) return std::vector<double>(dispatches, all()[0]);
    return std::move(*this).taken();
  }

 private:
  const std::vector<double>* lent_ = nullptr;
  std::vector<double> own_;
};

class Evaluator {
 public:
  Evaluator(MetricSource& source, int channel, std::string& why)
      : source_(source), channel_(channel), why_(why) {}

  /// One for each dispatch.
  std::optional<std::vector<double>> run(const Node& node) {
    auto numbers = numbers_of(node);
    if (!numbers) return std::nullopt;
    return std::move(*numbers).spread(source_.dispatches());
  }

  std::optional<Numbers> numbers_of(const Node& node) {
    switch (node.kind) {
      case Kind::number:
        return Numbers(std::vector<double>{node.number});
      case Kind::name:
        return look_up(node.file, node.name);
      case Kind::channel_name:
        return look_up(node.file, fmt::format("{}[{}]", node.name, channel_));
      case Kind::channels_sum:
        return sum_channels(node.name);
      default:
        break;
    }
    std::vector<Numbers> values;
    for (const Child& child : node.children) {
      auto value = numbers_of(*child);
      if (!value) return std::nullopt;
      values.push_back(std::move(*value));
    }
    if (is_summary(node.kind))
      return Numbers({summary_of(node.kind, std::move(values[0]).spread(source_.dispatches()))});
    return combined(node, values);
  }

 private:
  Numbers combined(const Node& node, std::vector<Numbers>& values) const {
    std::size_t size = 1;
    for (const Numbers& one : values) size = std::max(size, one.size());
    if (source_.dispatches() == 0) return Numbers(std::vector<double>());
    std::vector<double> made;
    std::vector<double>* result = values[0].own(size);
    if (result == nullptr) {
      made.resize(size);
      result = &made;
    }
    for (std::size_t i = 0; i < size; ++i) (*result)[i] = combine(node, values, i);
    return Numbers(std::move(*result));
  }

  std::optional<Numbers> look_up(const std::string& file, const std::string& name) {
    const std::vector<double>* found = source_.find(file, name, why_);
    if (found == nullptr) return std::nullopt;
    return Numbers(found);
  }

  std::optional<Numbers> sum_channels(const std::string& name) {
    std::vector<double> total(source_.dispatches(), 0.0);
    for (int channel = 0; channel < source_.channels(); ++channel) {
      const std::vector<double>* one = source_.find("", fmt::format("{}[{}]", name, channel), why_);
      if (one == nullptr) return std::nullopt;
      for (std::size_t i = 0; i < total.size(); ++i)
        total[i] += one->size() == 1 ? (*one)[0] : (*one)[i];
    }
    return Numbers(std::move(total));
  }

  double combine(const Node& node, const std::vector<Numbers>& values, std::size_t i) const {
    const double a = values[0].at(i);
    const double b = values.size() > 1 ? values[1].at(i) : 0;
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
        if (holds(node.test, b, values[2].at(i))) return a;
        return values.size() > 3 ? values[3].at(i) : kNothing;
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
  expression.root_ = parse_expression(text, let);
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
  auto values = Evaluator(source, channel, why).numbers_of(*root_);
  if (!values) return false;
  result = std::move(*values).taken();
  return true;
}

}  // namespace heddle::profile
