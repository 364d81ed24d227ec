#include "kernel/cxx/host_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "config/expression.h"
#include "kernel/cxx/token.h"
#include "kernel/cxx/value_type.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

constexpr int kDeepestValue = 24;
constexpr int kMostSteps = 400;
constexpr int kMostReturns = 8;
constexpr std::size_t kLongestDefinition = 300;  ///< tokens
constexpr std::int64_t kMostSize = 1024;
constexpr std::int64_t kGuess = 256;

bool opens(std::string_view text) {
  return text == "(" || text == "[" || text == "{";
}
bool closes(std::string_view text) {
  return text == ")" || text == "]" || text == "}";
}

const std::set<std::string_view> kTypeNames = {
    "int",     "unsigned", "long",     "short",    "size_t", "float", "double", "dim3",
    "int64_t", "int32_t",  "uint32_t", "uint64_t", "char",   "uint",  "const",  "signed"};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Functions that divide and round up.
bool rounds_up(std::string_view name) {
  const std::string lowered = lower_case(name);
  return has(lowered, "ceil") || has(lowered, "cdiv") || has(lowered, "div_up") ||
         has(lowered, "divup") || has(lowered, "div_round_up") || has(lowered, "updiv") ||
         has(lowered, "idivup");
}

}  // namespace

std::int64_t guessed_size(const std::string& name) {
  const std::string lowered = lower_case(name);
  if (has(lowered, "block_size") || has(lowered, "blocksize") || has(lowered, "thread")) return 256;
  if (has(lowered, "blocks") || has(lowered, "grid")) return 16;
  if (has(lowered, "head") || name == "NH" || name == "H") return 4;
  if (has(lowered, "batch") || name == "B" || name == "b") return 4;
  if (has(lowered, "channel")) return 16;
  if (has(lowered, "stride") || has(lowered, "offset") || has(lowered, "radius")) return 1;
  return kGuess;
}

std::vector<TokenRange> parts_of(const std::vector<Token>& tokens, TokenRange range) {
  std::vector<TokenRange> parts;
  int depth = 0;
  std::size_t from = range.begin;
  for (std::size_t i = range.begin; i <= range.end && i < tokens.size(); ++i) {
    if (opens(tokens[i].text)) ++depth;
    if (closes(tokens[i].text)) --depth;
    // f<a, b>(c)
    const bool is_angle = tokens[i].text == "<" && i > range.begin && is_name(tokens[i - 1]);
    if (is_angle) {
      int angles = 0;
      for (std::size_t k = i; k <= range.end && k < i + 60; ++k) {
        if (tokens[k].text == "<") ++angles;
        if (tokens[k].text == ">") --angles;
        if (tokens[k].text == ">>") angles -= 2;
        if (tokens[k].text == ";" || tokens[k].text == "&&") break;
        if (angles <= 0) {
          i = k;
          break;
        }
      }
    }
    if (depth != 0 || tokens[i].text != ",") continue;
    if (i > from) parts.push_back({from, i - 1});
    from = i + 1;
  }
  if (from <= range.end) parts.push_back({from, range.end});
  return parts;
}

/// Reads an expression by precedence.
class HostValues::Reader {
 public:
  Reader(HostValues& values, TokenRange range, std::size_t near, int depth)
      : values_(values),
        tokens_(values.file_.tokens()),
        at_(range.begin),
        end_(range.end + 1),
        near_(near),
        depth_(depth) {}

  std::optional<HostValue> whole() {
    if (depth_ > kDeepestValue) return std::nullopt;
    auto result = binary(0);
    return result && at_ >= end_ ? result : std::nullopt;
  }

 private:
  std::string_view word() const { return at_ < end_ ? tokens_[at_].text : std::string_view(); }

  static int precedence(std::string_view text) {
    if (text == "*" || text == "/" || text == "%") return 3;
    if (text == "+" || text == "-") return 2;
    if (text == "<<" || text == ">>") return 1;
    return 0;
  }

  std::optional<HostValue> binary(int least) {
    auto left = unary();
    while (left && precedence(word()) > least) {
      const std::string sign(word());
      const int level = precedence(sign);
      ++at_;
      const auto right = binary(level);
      if (!right) return std::nullopt;
      left = joined(*left, sign, *right);
    }
    return left;
  }

  /// As it is where it is a word, `(...)` or `cdiv(...)` as a whole, which operators around it cannot
  /// take apart; else in brackets.
  static std::string operand(const std::string& text) {
    const std::size_t open = text.find('(');
    bool is_whole = text.substr(0, open).find(' ') == std::string::npos;
    int depth = 0;
    for (std::size_t i = std::min(open, text.size()); i < text.size(); ++i) {
      depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      is_whole = is_whole && (depth > 0 || i + 1 == text.size());
    }
    return is_whole ? text : "(" + text + ")";
  }

  static std::optional<HostValue> joined(const HostValue& a, const std::string& sign,
                                         const HostValue& b) {
    if ((sign == "/" || sign == "%") && b.number == 0) return std::nullopt;
    if (sign == "*" && a.text == "1") return b;
    if (sign == "*" && b.text == "1") return a;
    const double number = sign == "+"   ? a.number + b.number
                          : sign == "-" ? a.number - b.number
                          : sign == "*" ? a.number * b.number
                          : sign == "/" ? std::floor(a.number / b.number)
                          : sign == "%" ? std::fmod(a.number, b.number)
                          : sign == "<<"
                              ? std::ldexp(a.number, static_cast<int>(b.number))
                              : std::floor(std::ldexp(a.number, -static_cast<int>(b.number)));
    return HostValue{
        fmt::format("{} {} {}", operand(a.text), sign == "/" ? "//" : sign, operand(b.text)),
        number};
  }

  std::optional<HostValue> unary() {
    if (word() == "-" || word() == "+") {
      const std::string sign(word());
      ++at_;
      auto inner = unary();
      if (!inner || sign == "+") return inner;
      return HostValue{"-" + operand(inner->text), -inner->number};
    }
    if (word() == "(") return bracket();
    if (at_ >= end_) return std::nullopt;
    const Token& token = tokens_[at_];
    if (token.kind == TokenKind::number) return number();
    if (token.kind == TokenKind::name) return named();
    return std::nullopt;
  }

  std::size_t partner() const {
    int depth = 0;
    for (std::size_t i = at_; i < end_; ++i) {
      if (opens(tokens_[i].text)) ++depth;
      if (closes(tokens_[i].text) && --depth == 0) return i;
    }
    return end_;
  }

  /// (a + b), or (int) in front of something.
  std::optional<HostValue> bracket() {
    const std::size_t close = partner();
    if (close >= end_ || close == at_ + 1) return std::nullopt;
    const bool is_cast = kTypeNames.count(tokens_[at_ + 1].text) != 0;
    if (is_cast) {
      at_ = close + 1;
      return unary();
    }
    auto inner = Reader(values_, {at_ + 1, close - 1}, near_, depth_ + 1).whole();
    at_ = close + 1;
    return inner;
  }

  std::optional<HostValue> number() {
    std::string text;
    for (const char c : tokens_[at_].text)
      if (c != '\'') text += c;
    ++at_;
    const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
    const bool is_real = !is_hex && text.find_first_of(".eE") != std::string::npos;
    while (!text.empty() && std::string_view("uUlLfFzZ").find(text.back()) != std::string::npos &&
           !(is_hex && (text.back() == 'f' || text.back() == 'F')))
      text.pop_back();
    if (text.empty()) return std::nullopt;
    const double value = std::strtod(text.c_str(), nullptr);
    if (is_real) return HostValue{fmt::format("{}", value), value};
    return HostValue{fmt::format("{}", static_cast<std::int64_t>(value)), value};
  }

  std::optional<HostValue> named() {
    std::string name(word());
    ++at_;
    while (word() == "::" && at_ + 1 < end_) {
      name = tokens_[at_ + 1].text;
      at_ += 2;
    }
    if (word() == "." || word() == "->" || word() == "[") return std::nullopt;
    if (word() == "<") {  // static_cast<int>(x), std::min<int>(a, b)
      while (at_ < end_ && word() != ">") ++at_;
      ++at_;
      if (word() != "(") return std::nullopt;
    }
    if (word() != "(") return values_.name(name, near_, depth_ + 1);
    const std::size_t close = partner();
    if (close >= end_) return std::nullopt;
    const TokenRange inside{at_ + 1, close - 1};
    const bool is_empty = close == at_ + 1;
    at_ = close + 1;
    if (is_empty) return std::nullopt;
    return call(name, inside);
  }

  std::optional<HostValue> call(const std::string& name, TokenRange inside) {
    if (name == "sizeof") return size_of(inside);
    std::vector<HostValue> given;
    for (const TokenRange& part : parts_of(tokens_, inside)) {
      const auto one = Reader(values_, part, near_, depth_ + 1).whole();
      if (!one) return std::nullopt;
      given.push_back(*one);
    }
    if (given.size() == 1 && (kTypeNames.count(name) != 0 || has(name, "cast"))) return given[0];
    if (given.size() == 2 && rounds_up(name) && given[1].number > 0)
      return HostValue{fmt::format("cdiv({}, {})", given[0].text, given[1].text),
                       std::ceil(given[0].number / given[1].number)};
    // ceil(n / 256.0): what is divided is whole here, so that it is one more.
    if (given.size() == 1 && (name == "ceil" || name == "ceilf"))
      return HostValue{fmt::format("{} + 1", given[0].text), given[0].number + 1};
    if (given.size() == 2 && (name == "min" || name == "max" || name == "MIN" || name == "MAX")) {
      const bool is_least = lower_case(name) == "min";
      return HostValue{
          fmt::format("{}({}, {})", is_least ? "min" : "max", given[0].text, given[1].text),
          is_least ? std::min(given[0].number, given[1].number)
                   : std::max(given[0].number, given[1].number)};
    }
    return std::nullopt;
  }

  std::optional<HostValue> size_of(TokenRange inside) const {
    if (values_.counts_elements_) return HostValue{"1", 1};
    std::string type;
    for (std::size_t i = inside.begin; i <= inside.end; ++i)
      type += (type.empty() ? "" : " ") + std::string(tokens_[i].text);
    const ValueType known = value_type(type);
    const int bytes = known.pointers > 0 ? 8
                      : known.element    ? config::byte_width(*known.element) * known.elements
                                         : 4;
    return HostValue{fmt::format("{}", bytes), static_cast<double>(bytes)};
  }

  HostValues& values_;
  const std::vector<Token>& tokens_;
  std::size_t at_;
  std::size_t end_;
  std::size_t near_;
  int depth_;
};

/// The nearest definition in front of `near`, or any: `int n = ...;`, `dim3 grid(...)`, `#define`.
std::optional<TokenRange> HostValues::definition(std::string_view name, std::size_t near,
                                                 bool& is_constant) {
  const auto& tokens = file_.tokens();
  std::optional<TokenRange> found;
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (tokens[i].text != name || !is_name(tokens[i - 1])) continue;
    const std::string_view next = tokens[i + 1].text;
    if (tokens[i - 1].text == "return" || (next != "=" && next != "(" && next != "{")) continue;
    std::size_t end = i + 1;
    int depth = 0;
    while (end + 1 < tokens.size() && end < i + kLongestDefinition) {
      if (opens(tokens[end].text)) ++depth;
      if (closes(tokens[end].text)) --depth;
      const std::string_view behind = tokens[end + 1].text;
      if (depth <= 0 && (behind == ";" || behind == ",")) break;
      ++end;
    }
    if (found && i > near) break;
    const std::size_t begin = next == "=" ? i + 2 : i + 1;
    if (begin > end) continue;
    found = TokenRange{begin, end};
    is_constant = false;
    for (std::size_t k = i; k-- > 0 && i - k < 6 && is_name(tokens[k]);)
      is_constant = is_constant || tokens[k].text == "const" || tokens[k].text == "constexpr";
  }
  return found;
}

HostValue HostValues::size(const std::string& host_name, std::int64_t guess) {
  const std::string lowered = lower_case(host_name);
  if (has(lowered, "warp_threads") || has(lowered, "warp_size") || has(lowered, "warpsize"))
    guess = file_.is_cuda() ? 32 : 64;
  const std::string name = is_one_of(host_name, taken_) ? "host_" + host_name : host_name;
  const auto known = std::find_if(sizes_.begin(), sizes_.end(),
                                  [&](const auto& one) { return one.first == name; });
  if (known != sizes_.end()) return {name, static_cast<double>(known->second)};
  sizes_.emplace_back(name, guess);
  return {name, static_cast<double>(guess)};
}

std::optional<HostValue> HostValues::name(std::string_view text, std::size_t near, int depth) {
  if (depth > kDeepestValue || ++steps_ > kMostSteps) return std::nullopt;
  const std::string name(text);
  if (const auto known = aliases_.find(name); known != aliases_.end()) return known->second;
  for (const Token& token : file_.tokens()) {
    if (token.kind != TokenKind::directive || directive_name(token) != "define") continue;
    const std::string_view rest = directive_rest(token);
    if (!rest.starts_with(name) || rest.size() <= name.size() ||
        (rest[name.size()] != ' ' && rest[name.size()] != '\t'))
      continue;
    std::string_view body = trim(rest.substr(name.size()));
    body = trim(body.substr(0, body.find("//")));
    while (body.size() > 2 && body.front() == '(' && body.back() == ')')
      body = trim(body.substr(1, body.size() - 2));
    if (const auto number = parse_integer(body))
      return HostValue{std::string(body), static_cast<double>(*number)};
    const CxxSource inner("macro", std::string(body) + ";");
    if (inner.tokens().size() < 2 || inner.tokens().size() > 40) return std::nullopt;
    HostValues nested(inner, {});
    nested.outer_ = this;
    const auto value = nested.value({0, inner.tokens().size() - 2}, 0);
    if (value && nested.sizes_.empty()) return value;
    return size(name, guessed_size(name));
  }
  if (!config::is_plain_name(name)) return std::nullopt;
  bool is_constant = false;
  if (const auto range = definition(text, near, is_constant)) {
    const std::size_t known = sizes_.size();
    const auto value = Reader(*this, *range, range->begin, depth + 1).whole();
    // A constant, or a formula of other names; numbers of the host are sizes that may be smaller.
    const bool is_formula =
        value && (sizes_.size() > known || is_constant ||
                  value->text.find_first_of("abcdefghijklmnopqrstuvwxyz"
                                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != std::string::npos);
    if (is_formula && value->number <= static_cast<double>(kMostSize) * kMostSize) return value;
    if (value && value->number >= 1)
      return size(name, std::min<std::int64_t>(
                            kMostSize, static_cast<std::int64_t>(std::min(value->number, 1e9))));
  }
  if (outer_ != nullptr) return outer_->name(text, outer_->file_.tokens().size(), depth + 1);
  return size(name, guessed_size(name));
}

/// What a function of the file without parameters returns: `g.grid()` of `dim3 grid() { return ...; }`.
std::optional<TokenRange> HostValues::returned(TokenRange call) const {
  const auto& tokens = file_.tokens();
  const bool is_call = call.end >= call.begin + 2 && tokens[call.end].text == ")" &&
                       tokens[call.end - 1].text == "(" && is_name(tokens[call.end - 2]);
  if (!is_call) return std::nullopt;
  for (std::size_t i = 0; i + 6 < tokens.size(); ++i) {
    if (tokens[i].text != tokens[call.end - 2].text || tokens[i + 1].text != "(" ||
        tokens[i + 2].text != ")")
      continue;
    const std::size_t open = tokens[i + 3].text == "const" ? i + 4 : i + 3;
    if (tokens[open].text != "{" || tokens[open + 1].text != "return") continue;
    std::size_t end = open + 2;
    while (end + 1 < tokens.size() && tokens[end + 1].text != ";") ++end;
    return TokenRange{open + 2, end};
  }
  return std::nullopt;
}

std::optional<HostValue> HostValues::value(TokenRange range, std::size_t near) {
  if (const auto body = returned(range); body && returns_ < kMostReturns) {
    ++returns_;
    return value(*body, body->begin);
  }
  return Reader(*this, range, near, 0).whole();
}

std::vector<HostValue> HostValues::extents(TokenRange range, std::size_t near) {
  return extents(range, near, 0);
}

std::vector<HostValue> HostValues::extents(TokenRange range, std::size_t near, int depth) {
  const auto& tokens = file_.tokens();
  if (depth > 4 || range.end >= tokens.size() || range.begin > range.end) return {};
  if (range.begin == range.end && is_name(tokens[range.begin])) {
    bool is_constant = false;
    const auto found = definition(tokens[range.begin].text, near, is_constant);
    if (found && found->end > found->begin) {
      const std::string_view first = tokens[found->begin].text;
      if (first == "(" || first == "{" || first == "dim3")
        return extents(*found, found->begin, depth + 1);
    }
  }
  if (const auto body = returned(range)) return extents(*body, body->begin, depth + 1);
  if (tokens[range.begin].text == "dim3" && range.end > range.begin + 1)
    return extents({range.begin + 1, range.end}, near, depth + 1);
  const bool is_bracketed = (tokens[range.begin].text == "(" && tokens[range.end].text == ")") ||
                            (tokens[range.begin].text == "{" && tokens[range.end].text == "}");
  std::vector<HostValue> all;
  if (is_bracketed && range.end > range.begin + 1) {
    for (const TokenRange& part : parts_of(tokens, {range.begin + 1, range.end - 1})) {
      const auto one = value(part, near);
      if (!one) break;
      all.push_back(*one);
    }
    const auto parts = parts_of(tokens, {range.begin + 1, range.end - 1});
    if (all.size() == parts.size() && all.size() <= 3) return all;
    all.clear();
  }
  if (const auto one = value(range, near)) all.push_back(*one);
  return all;
}

}  // namespace heddle::kernel::cxx
