// The small language in which metrics are written: a number for every dispatch.
//
//   100 * TCC_HIT_sum / (TCC_HIT_sum + TCC_MISS_sum) if TCC_HIT_sum + TCC_MISS_sum != 0
//
//   expression  sum [ "if" test [ "else" expression ] ]
//   test        sum (== != < <= > >=) sum | "(" test ")"
//   sum         product { (+ -) product }
//   product     factor { (* /) factor }
//   factor      number | "-" factor | "(" expression ")" | NAME | NAME "[" number "]"
//               | FILE "." NAME { "." NAME } | FUNCTION "(" ... ")"
//   FUNCTION    MIN(a, b)  MAX(a, b)  ROUND(a)  CHANNELS(NAME)  NOISE_CLAMP(a, b)
//               AVG(a)  SUM(a)  MIN(a)  MAX(a)  MEDIAN(a)  STD(a)
//
// Rules
//   1. A value is one double per dispatch. NaN is "no value"; so is what an "if" without "else"
//      leaves out, and what is divided by zero, unless the source wants it infinite.
//   2. A name is a piece of the panel's [let], a built-in (lower case) or a counter.
//   3. A name that the source does not know makes the whole expression unknown, with the reason.
//   4. ROUND rounds halves to even. AVG, SUM and the others of their line are one number of all
//      dispatches that have a value, for every dispatch.
//      NOISE_CLAMP is a, but not below 0; b is what the original measures the noise against.
//   5. CHANNELS(X) is the sum of X[0] ... X[n-1] for the channels of the L2.
//   6. A text has at most 8 KiB and 64 levels of brackets, an Error with the column otherwise.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::profile {

/// What an expression may ask for. Vectors have one number per dispatch, or one that all have.
class MetricSource {
 public:
  virtual ~MetricSource() = default;
  virtual std::size_t dispatches() const = 0;
  /// A counter ("SQ_WAVES", "TCC_HIT[3]"), of a level file ("SQ_LEVEL_WAVES") where `file` is not
  /// empty, or a built-in. Null if there is none: `why` says so.
  virtual const std::vector<double>* find(const std::string& file, const std::string& name,
                                          std::string& why) = 0;
  virtual int channels() const = 0;
  /// Between two expressions: what find() has given may be forgotten.
  virtual void trim() {}
  /// Whether x/0 is infinite, as in the original; else it is no value.
  virtual bool wants_infinite() const { return false; }
};

struct ExpressionNode;

class Expression {
 public:
  /// Replaces a name by a text of [let]; null if it is not one.
  using Let = std::function<const std::string*(std::string_view)>;

  /// Throws Error with a position in the text.
  static Expression parse(std::string_view text, const Let& let = {});

  /// One number of all dispatches: where a quotient's divisor differs from dispatch to dispatch, the
  /// sum of its dividends over that of its divisors; means of the rest. NaN: no value.
  bool ratio_of_sums(MetricSource& source, int channel, double& result, std::string& why) const;

  /// One number per dispatch, or one that all have; nothing if some name is not known, then `why`
  /// says which. "[channel]" stands for `channel`.
  bool evaluate(MetricSource& source, int channel, std::vector<double>& result,
                std::string& why) const;

 private:
  std::shared_ptr<const ExpressionNode> root_;
};

}  // namespace heddle::profile
