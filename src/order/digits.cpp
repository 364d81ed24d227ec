#include "order/digits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "support/error.h"
#include "support/grid.h"
#include "support/text.h"

namespace heddle::order {
namespace {

constexpr std::string_view kShape = "write digits(x r=8 y die=8 -> y r, die x)";
constexpr std::size_t kLongestName = 24;

[[noreturn]] void fail(const std::string& what, const std::string& hint = std::string(kShape)) {
  throw Error("digits: " + what, hint);
}

bool is_name(std::string_view text) {
  return !text.empty() && std::islower(static_cast<unsigned char>(text[0])) != 0 &&
         std::ranges::all_of(text, [](char c) {
           return std::islower(static_cast<unsigned char>(c)) != 0 ||
                  std::isdigit(static_cast<unsigned char>(c)) != 0;
         });
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (at < text.size()) {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
    const std::size_t start = at;
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) == 0) ++at;
    if (at > start) words.push_back(text.substr(start, at - start));
    if (words.size() > kMostDigits)
      fail(fmt::format("more than {} digits", kMostDigits), "join some of them");
  }
  return words;
}

Digit read_digit(std::string_view word) {
  const std::size_t equals = word.find('=');
  Digit digit{std::string(word.substr(0, equals)), std::nullopt};
  if (!is_name(digit.name) || digit.name.size() > kLongestName)
    fail(fmt::format("'{}' is not the name of a digit", digit.name.substr(0, 2 * kLongestName)),
         "use short names of small letters and numbers, such as x, r, die");
  if (equals == std::string_view::npos) return digit;
  digit.radix = parse_integer(word.substr(equals + 1));
  if (!digit.radix || *digit.radix < 1)
    fail(fmt::format("the radix of '{}' is not a whole number of at least 1", digit.name));
  return digit;
}

// ---- the text of the family ---------------------------------------------------------------

/// Names of the extents, by the number of axes.
const std::vector<std::string>& extents_of(std::size_t axes) {
  static const std::array<std::vector<std::string>, 3> kNames = {
      {{"n"}, {"rows", "cols"}, {"slices", "rows", "cols"}}};
  return kNames[axes - 1];
}

const std::vector<std::string>& indices_of(std::size_t axes) {
  static const std::array<std::vector<std::string>, 3> kNames = {
      {{"tile"}, {"row", "col"}, {"slice", "row", "col"}}};
  return kNames[axes - 1];
}

/// Writes forward and inverse of one digit order in the language of orders.
class FamilyWriter {
 public:
  explicit FamilyWriter(const DigitOrder& digits)
      : digits_(digits),
        axes_(digits.axes.size()),
        extents_(extents_of(axes_)),
        indices_(indices_of(axes_)),
        axis_of_(digits.launch.size()) {
    for (std::size_t axis = 0; axis < axes_; ++axis) {
      std::int64_t product = 1;
      for (const std::size_t digit : digits.axes[axis]) {
        axis_of_[digit] = axis;
        product *= digits.launch[digit].radix.value_or(1);
      }
      constants_.push_back(product);
    }
  }

  std::string forward(std::string_view name) {
    text_ = fmt::format("\ndef {}(t, {}):\n", name, fmt::join(extents_, ", "));
    head();
    if (!covers_all()) line(1, "if t < whole:");
    line(inside(), "rest = t");
    for (std::size_t i = digits_.launch.size(); i-- > 0;) split_off(i, i == 0);
    for (std::size_t axis = 0; axis < axes_; ++axis)
      line(inside(), fmt::format("{} = {}", indices_[axis], joined(digits_.axes[axis])));
    if (!covers_all()) line(1, "else:");
    if (!covers_all()) left_over();
    line(1, fmt::format("return {}", fmt::join(indices_, ", ")));
    return text_;
  }

  std::string inverse(std::string_view name) {
    text_ = fmt::format("\ndef {}_inverse({}, {}):\n", name, fmt::join(indices_, ", "),
                        fmt::join(extents_, ", "));
    head();
    std::vector<std::string> in_whole;
    for (std::size_t axis = 0; axis < axes_; ++axis)
      if (!covers(axis)) in_whole.push_back(fmt::format("{} < {}", indices_[axis], used(axis)));
    if (!covers_all()) line(1, fmt::format("if {}:", fmt::join(in_whole, " and ")));
    for (std::size_t axis = 0; axis < axes_; ++axis) split_axis(axis);
    std::vector<std::size_t> all(digits_.launch.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    line(inside(), "t = " + joined(all));
    if (!covers_all()) line(1, "else:");
    if (!covers_all()) left_over_inverse();
    line(1, "return t");
    return text_;
  }

 private:
  void line(int level, const std::string& statement) {
    text_ += std::string(static_cast<std::size_t>(4 * level), ' ') + statement + "\n";
  }

  /// An axis of one digit leaves nothing over, whatever its extent.
  bool covers(std::size_t axis) const { return constants_[axis] == 1; }
  bool covers_all() const {
    return std::ranges::all_of(constants_, [](std::int64_t constant) { return constant == 1; });
  }
  /// How deep the code of the digits stands.
  int inside() const { return covers_all() ? 1 : 2; }

  /// How much of an axis the digits cover: "whole_cols".
  std::string used(std::size_t axis) const {
    return covers(axis) ? extents_[axis] : "whole_" + extents_[axis];
  }
  std::string variable(std::size_t digit) const { return "digit_" + digits_.launch[digit].name; }
  std::string radix(std::size_t digit) const {
    const Digit& known = digits_.launch[digit];
    const std::size_t axis = axis_of_[digit];
    if (known.radix) return std::to_string(*known.radix);
    return covers(axis) ? extents_[axis] : "many_" + extents_[axis];
  }

  void head() {
    std::vector<std::string> factors;
    for (std::size_t axis = 0; axis < axes_; ++axis) {
      factors.push_back(used(axis));
      if (covers(axis)) continue;
      line(1, fmt::format("many_{0} = {0} // {1}", extents_[axis], constants_[axis]));
      line(1, fmt::format("{} = many_{} * {}", used(axis), extents_[axis], constants_[axis]));
    }
    if (!covers_all()) line(1, fmt::format("whole = {}", fmt::join(factors, " * ")));
  }

  void split_axis(std::size_t axis) {
    const auto& digits = digits_.axes[axis];
    line(inside(), "rest = " + indices_[axis]);
    for (std::size_t i = digits.size(); i-- > 0;) split_off(digits[i], i == 0);
  }

  void split_off(std::size_t digit, bool last) {
    if (last) return line(inside(), fmt::format("{} = rest", variable(digit)));
    line(inside(), fmt::format("{} = rest % {}", variable(digit), radix(digit)));
    line(inside(), fmt::format("rest = rest // {}", radix(digit)));
  }

  std::string joined(const std::vector<std::size_t>& digits) const {
    std::string value = variable(digits[0]);
    for (std::size_t i = 1; i < digits.size(); ++i) {
      if (i > 1) value = "(" + value + ")";
      value = fmt::format("{} * {} + {}", value, radix(digits[i]), variable(digits[i]));
    }
    return value;
  }

  std::size_t rows() const { return axes_ - 2; }
  std::size_t cols() const { return axes_ - 1; }
  bool covers_plane() const { return covers(rows()) && covers(cols()); }

  void left_over() {
    if (axes_ == 1) return line(2, "tile = t");
    line(2, "rest = t - whole");
    if (axes_ == 2) return plane_left_over(2);
    if (covers_plane()) return slices_left_over(2);
    line(2, fmt::format("around = rows * cols - {} * {}", used(rows()), used(cols())));
    if (covers(0)) {
      line(2, "slice = rest // around");
      line(2, "rest = rest % around");
      return plane_left_over(2);
    }
    line(2, "if rest < whole_slices * around:");
    line(3, "slice = rest // around");
    line(3, "rest = rest % around");
    plane_left_over(3);
    line(2, "else:");
    line(3, "rest = rest - whole_slices * around");
    slices_left_over(3);
  }

  void slices_left_over(int level) {
    line(level, "slice = whole_slices + rest // (rows * cols)");
    line(level, "rest = rest % (rows * cols)");
    line(level, "row = rest // cols");
    line(level, "col = rest % cols");
  }

  void plane_left_over(int level) {
    const bool both = !covers(rows()) && !covers(cols());
    const int deep = both ? level + 1 : level;
    if (!covers(cols())) line(level, "beside = cols - whole_cols");
    if (both) line(level, "if rest < whole_rows * beside:");
    if (!covers(cols())) {
      line(deep, "row = rest // beside");
      line(deep, "col = whole_cols + rest % beside");
    }
    if (both) line(level, "else:");
    if (both) line(deep, "rest = rest - whole_rows * beside");
    if (!covers(rows())) {
      line(deep, "row = whole_rows + rest // cols");
      line(deep, "col = rest % cols");
    }
  }

  void left_over_inverse() {
    if (axes_ == 1) return line(2, "t = tile");
    if (axes_ == 2) return plane_left_over_inverse(2, "whole");
    const std::string last = "t = slice * (rows * cols) + row * cols + col";
    if (covers_plane()) return line(2, last);
    line(2, fmt::format("around = rows * cols - {} * {}", used(rows()), used(cols())));
    if (covers(0)) return plane_left_over_inverse(2, "whole + slice * around");
    line(2, "if slice < whole_slices:");
    plane_left_over_inverse(3, "whole + slice * around");
    line(2, "else:");
    line(3, last);
  }

  void plane_left_over_inverse(int level, const std::string& first) {
    const bool both = !covers(rows()) && !covers(cols());
    const int deep = both ? level + 1 : level;
    if (!covers(cols())) line(level, "beside = cols - whole_cols");
    if (both) line(level, "if row < whole_rows:");
    if (!covers(cols()))
      line(deep, fmt::format("t = {} + row * beside + (col - whole_cols)", first));
    if (both) line(level, "else:");
    const std::string above = both ? " + whole_rows * beside" : "";
    if (!covers(rows()))
      line(deep, fmt::format("t = {}{} + (row - whole_rows) * cols + col", first, above));
  }

  const DigitOrder& digits_;
  std::size_t axes_;
  const std::vector<std::string>& extents_;
  const std::vector<std::string>& indices_;
  std::vector<std::size_t> axis_of_;     ///< of each digit
  std::vector<std::int64_t> constants_;  ///< product of the radices of each axis
  std::string text_;
};

constexpr std::string_view kLineArgument =
    "ids from `whole` on map to themselves; below, the digits of the id are split off by their "
    "radices, whose product is `whole`, and joined in another arrangement: one to one, since every "
    "digit is kept. All values are below n";
constexpr std::string_view kSpaceArgument =
    "the digits cover the first extent // radices * radices of each axis, `whole` tiles together; "
    "ids below `whole` are split into digits and each axis is joined from its own: one to one, "
    "since every digit is kept. The remaining tiles come last, one after the other. No count is "
    "larger than the number of tiles";

/// A family and the texts it points to.
struct OwnedFamily {
  std::string name, forward, inverse;
  Family family;
};

FamilyKind kind_of(std::size_t axes) {
  return axes == 1 ? FamilyKind::line : axes == 2 ? FamilyKind::walk : FamilyKind::solid;
}

void check(const DigitOrder& digits) {
  if (digits.launch.size() > kMostDigits)
    fail(fmt::format("more than {} digits", kMostDigits), "join some of them");
  if (digits.axes.empty() || digits.axes.size() > 3)
    fail("one, two or three axes stand right of the arrow, separated by commas");
  std::vector<int> seen(digits.launch.size(), 0);
  std::int64_t product = 1;
  for (const auto& axis : digits.axes) {
    std::size_t open = 0;
    for (const std::size_t digit : axis) {
      ++seen[digit];
      const Digit& known = digits.launch[digit];
      if (!known.radix) ++open;
      if (known.radix.value_or(1) < 1)
        fail(fmt::format("the radix of '{}' is not a whole number of at least 1", known.name));
      if (known.radix.value_or(1) >= kBlockLimit ||
          (product *= known.radix.value_or(1)) >= kBlockLimit)
        fail("the product of the radices is 2^31 or more", "use smaller ones");
    }
    if (open != 1)
      fail(fmt::format("an axis has {} digits without a radix, and needs exactly one", open),
           "write a radix, as in r=8, for all digits of an axis but one");
  }
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i] != 1)
      fail(fmt::format("'{}' occurs {} times right of the arrow, and once left of it",
                       digits.launch[i].name, seen[i]));
}

}  // namespace

std::string DigitOrder::text() const {
  std::vector<std::string> left;
  for (const Digit& digit : launch)
    left.push_back(digit.radix ? fmt::format("{}={}", digit.name, *digit.radix) : digit.name);
  std::vector<std::string> right;
  for (const auto& axis : axes) {
    std::vector<std::string> names;
    for (const std::size_t digit : axis) names.push_back(launch[digit].name);
    right.push_back(fmt::format("{}", fmt::join(names, " ")));
  }
  return fmt::format("{} -> {}", fmt::join(left, " "), fmt::join(right, ", "));
}

DigitOrder read_digits(std::string_view text) {
  const std::size_t arrow = text.find("->");
  if (arrow == std::string_view::npos) fail("there is no '->'");
  DigitOrder digits;
  for (const std::string_view word : words_of(text.substr(0, arrow))) {
    digits.launch.push_back(read_digit(word));
    for (std::size_t i = 0; i + 1 < digits.launch.size(); ++i)
      if (digits.launch[i].name == digits.launch.back().name)
        fail(fmt::format("'{}' stands twice left of the arrow", digits.launch[i].name));
  }
  std::string_view rest = text.substr(arrow + 2);
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    more = comma != std::string_view::npos;
    if (digits.axes.size() == 3) fail("more than three axes", "an order has at most three");
    std::vector<std::size_t>& axis = digits.axes.emplace_back();
    for (const std::string_view word : words_of(rest.substr(0, comma))) {
      const auto found = std::ranges::find(digits.launch, word, &Digit::name);
      if (found == digits.launch.end())
        fail(fmt::format("'{}' is not on the left of the arrow", word.substr(0, 2 * kLongestName)));
      axis.push_back(static_cast<std::size_t>(found - digits.launch.begin()));
    }
    if (more) rest = rest.substr(comma + 1);
  }
  return digits;
}

Stage digit_stage(const DigitOrder& digits) {
  check(digits);
  auto owned = std::make_shared<OwnedFamily>();
  const std::string text = digits.text();
  // The name only has to differ from those of other stages of the same order.
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  owned->name = fmt::format("digits_{:016x}", hash);
  FamilyWriter writer(digits);
  owned->forward = writer.forward(owned->name);
  owned->inverse = writer.inverse(owned->name);
  Family& family = owned->family;
  family.name = owned->name;
  family.kind = kind_of(digits.axes.size());
  family.summary = "the digits of the launch id in another arrangement";
  family.forward = owned->forward;
  family.inverse = owned->inverse;
  family.argument = digits.axes.size() == 1 ? kLineArgument : kSpaceArgument;
  Stage stage;
  stage.family = &owned->family;
  stage.written = "digits(" + text + ")";
  stage.owner = std::move(owned);
  return stage;
}

}  // namespace heddle::order
