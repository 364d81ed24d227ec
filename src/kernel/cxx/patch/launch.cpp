#include "kernel/cxx/patch/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>

#include "kernel/cxx/patch/host_numbers.h"
#include "kernel/cxx/patch/macros.h"
#include "kernel/cxx/patch/pieces.h"
#include "kernel/cxx/token.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

constexpr std::size_t kFarthest = 500;  ///< tokens of template arguments, or of a launch's own

bool is_open(const Token& token) {
  return token.text == "(" || token.text == "[" || token.text == "{";
}
bool is_close(const Token& token) {
  return token.text == ")" || token.text == "]" || token.text == "}";
}

class Search {
 public:
  Search(const CxxSource& source, const CxxFunction& function)
      : source_(source), text_(source.text()), tokens_(source.tokens()), function_(function) {}

  std::vector<CxxLaunch> run() {
    for (std::size_t i = 1; i < tokens_.size(); ++i) {
      if (tokens_[i].text == "<<<" && names_kernel(i)) add(i + 1, ">>>", 0);
      const bool is_call =
          tokens_[i].text == "(" &&
          (tokens_[i - 1].text == "hipLaunchKernelGGL" ||
           tokens_[i - 1].text == "hipLaunchKernel" || tokens_[i - 1].text == "cudaLaunchKernel" ||
           tokens_[i - 1].text == "cudaLaunchCooperativeKernel");
      if (is_call && is_of_kernel(i + 1)) add(i + 1, ")", 1);
    }
    return std::move(launches_);
  }

 private:
  /// The name in front of <<<, past its template arguments.
  bool names_kernel(std::size_t i) const {
    std::size_t at = i - 1;
    const std::string_view last = tokens_[at].text;
    if (last == ">" || last == ">>") {
      int depth = 0;
      for (std::size_t steps = 0; at > 0 && steps < kFarthest; --at, ++steps) {
        const std::string_view text = tokens_[at].text;
        if (text == ">" || text == ">>") depth += static_cast<int>(text.size());
        if (text == "<" && --depth <= 0) break;
      }
      if (at > 0) --at;
    }
    return tokens_[at].text == plain_name();
  }

  std::string plain_name() const { return function_.name.substr(0, function_.name.find('<')); }

  /// The first argument of a launching function names the kernel.
  bool is_of_kernel(std::size_t i) const {
    int depth = 0;
    for (std::size_t end = std::min(tokens_.size(), i + kFarthest); i < end; ++i) {
      if (tokens_[i].text == plain_name()) return true;
      if (is_open(tokens_[i])) ++depth;
      if (is_close(tokens_[i]) && --depth < 0) return false;
      if (tokens_[i].text == "," && depth == 0) return false;
    }
    return false;
  }

  /// Ranges between commas, up to `close`; `i` is where that stands then.
  std::vector<TokenRange> arguments_of(std::size_t& i, std::string_view close) const {
    const std::size_t begin = i;
    std::vector<TokenRange> arguments;
    std::size_t from = begin;
    int depth = 0;
    for (; i < tokens_.size() && i < begin + kFarthest; ++i) {
      if (depth == 0 && tokens_[i].text == close) break;
      if (is_open(tokens_[i])) ++depth;
      if (is_close(tokens_[i])) --depth;
      if (depth != 0 || tokens_[i].text != ",") continue;
      if (i > from) arguments.push_back({from, i - 1});
      from = i + 1;
    }
    if (i > from) arguments.push_back({from, i - 1});
    return arguments;
  }

  /// Arguments up to `close`; the one with index `first` is the grid.
  void add(std::size_t begin, std::string_view close, std::size_t first) {
    std::size_t i = begin;
    const std::vector<TokenRange> arguments = arguments_of(i, close);
    if (arguments.size() <= first) return;
    CxxLaunch launch;
    launch.at = begin;
    launch.line = tokens_[begin].position.line;
    const TokenRange grid = definition(arguments[first]);
    launch.grid = tokens_text(tokens_, grid.begin, grid.end);
    const std::size_t from_text = tokens_[grid.begin].offset;
    const std::size_t to_text = tokens_[grid.end].offset + tokens_[grid.end].text.size();
    launch.quoted = text_.substr(from_text, to_text - from_text);
    if (launch.quoted.find('\n') != std::string::npos) launch.quoted = launch.grid;
    launch.ranges = extents(grid);
    for (const TokenRange& one : launch.ranges)
      launch.extents.push_back(tokens_text(tokens_, one.begin, one.end));
    for (std::size_t k = grid.begin; k <= grid.end; ++k) launch.grid_tokens.insert(k);
    add_names(grid, launch);
    if (close == ")") {
      if (arguments.size() > first + 4)
        launch.handed.assign(arguments.begin() + static_cast<std::ptrdiff_t>(first) + 4,
                             arguments.end());
    } else if (i + 1 < tokens_.size() && tokens_[i + 1].text == "(") {
      std::size_t at = i + 2;
      launch.handed = arguments_of(at, ")");
      launch.kernel = kernel_text(begin - 1);
    }
    for (std::size_t k = first + 1; k < arguments.size() && k < first + 4; ++k)
      launch.others.push_back(tokens_text(tokens_, arguments[k].begin, arguments[k].end));
    launches_.push_back(std::move(launch));
  }

  /// The kernel's name and its template arguments, in front of <<<.
  std::string kernel_text(std::size_t i) const {
    std::size_t first = i;
    while (first > 0 && tokens_[first].text != plain_name()) --first;
    return tokens_text(tokens_, first, i - 1);
  }

  /// Numbers that a grid names, and what stands in front of `grid` in `const dim3 grid(...)`.
  void add_names(TokenRange grid, CxxLaunch& launch) const {
    for (const HostNumber& one : host_numbers(source_, {grid}, launch.at)) {
      launch.numbers += tokens_text(tokens_, one.statement.begin, one.statement.end) + " ";
      launch.values.push_back(one.value);
      for (std::size_t k = one.statement.begin; k <= one.statement.end; ++k)
        launch.number_tokens.insert(k);
    }
    if (!launch.numbers.empty()) launch.grid += " with " + launch.numbers;
    if (grid.begin < 2 || !is_name(tokens_[grid.begin - 1])) return;
    for (std::size_t k = grid.begin - 2; k > 0; --k) {
      const std::string_view word = tokens_[k].text;
      if (word != "const" && word != "constexpr" && word != "dim3") break;
      launch.number_tokens.insert(k);
    }
  }

  /// `dim3(a, b)`, `= dim3(a, b)`, `(a, b)` or `{a, b}`: a and b. Else the whole is one number.
  std::vector<TokenRange> extents(TokenRange grid) const {
    while (grid.begin < grid.end &&
           (tokens_[grid.begin].text == "=" || tokens_[grid.begin].text == "dim3"))
      ++grid.begin;
    std::vector<TokenRange> result;
    std::size_t from = grid.begin;
    int depth = 0;
    bool is_list = is_open(tokens_[grid.begin]);
    for (std::size_t i = grid.begin; i < grid.end && is_list; ++i) {
      if (is_open(tokens_[i]) && ++depth == 1) from = i + 1;
      if (is_close(tokens_[i])) --depth;
      if (depth == 0) is_list = false;  // (a) * (b)
      if (depth != 1 || tokens_[i].text != ",") continue;
      if (i == from) return {};
      result.push_back({from, i - 1});
      from = i + 1;
    }
    if (!is_list) return {grid};
    if (from < grid.end) result.push_back({from, grid.end - 1});
    return result;
  }

  /// `grid` -> what stands in `dim3 grid(...)`, if there is one such definition.
  TokenRange definition(TokenRange grid) const {
    if (grid.begin != grid.end || tokens_[grid.begin].kind != TokenKind::name) return grid;
    const std::string_view name = tokens_[grid.begin].text;
    std::vector<TokenRange> found;
    for (std::size_t i = 1; i + 1 < tokens_.size(); ++i) {
      if (i == function_.body_begin) i = function_.body_end;  // another name, if it is one
      if (i + 1 >= tokens_.size()) break;
      const bool is_defined = tokens_[i].text == name && tokens_[i - 1].kind == TokenKind::name &&
                              tokens_[i - 1].text != "return" &&
                              (tokens_[i + 1].text == "=" || is_open(tokens_[i + 1]));
      if (!is_defined) continue;
      std::size_t end = i + 1;
      while (end + 1 < tokens_.size() && tokens_[end + 1].text != ";") ++end;
      found.push_back({i + 1, end});
    }
    return found.size() == 1 ? found.front() : grid;
  }

  const CxxSource& source_;
  const std::string& text_;
  const std::vector<Token>& tokens_;
  const CxxFunction& function_;
  std::vector<CxxLaunch> launches_;
};

/// What in the grid of a launch is more than arithmetic on numbers; nothing: it is that. Calls that
/// `known` has, with their arguments, are as they were.
std::string grid_problem(const std::vector<Token>& tokens, const std::set<std::size_t>& grid,
                         const std::string& known) {
  static const std::set<std::string_view> kSymbols = {"+", "-", "*", "/", "%", "(",
                                                      ")", ",", "{", "}", "::"};
  static const std::set<std::string_view> kConversions = {"dim3", "int", "unsigned", "size_t",
                                                          "uint32_t"};
  for (const std::size_t i : grid) {
    const std::string text(tokens[i].text);
    const int line = tokens[i].position.line;
    const bool is_first = i == *grid.begin();
    if (tokens[i].kind == TokenKind::symbol && kSymbols.count(text) == 0 &&
        !(is_first && text == "="))
      return fmt::format("the grid of the launch has '{}' (line {})", text, line);
    if (tokens[i].kind == TokenKind::text || tokens[i].kind == TokenKind::directive)
      return fmt::format("the grid of the launch has {} (line {})", text, line);
    const bool is_call = tokens[i].kind == TokenKind::name && kConversions.count(text) == 0 &&
                         grid.count(i + 1) != 0 && is_open(tokens[i + 1]);
    if (!is_call) continue;
    std::size_t end = i + 1;
    for (int depth = 0; grid.count(end) != 0; ++end) {
      if (is_open(tokens[end])) ++depth;
      if (is_close(tokens[end]) && --depth == 0) break;
    }
    if (known.find(tokens_text(tokens, i, end)) == std::string::npos &&
        !is_arithmetic_macro(tokens, text))
      return fmt::format("the grid of the launch calls {} (line {})", text, line);
  }
  return {};
}

/// A name, a number or a call: what needs no brackets as a factor.
bool is_one_word(const std::string& extent) {
  int depth = 0;
  for (const std::string_view word : split(extent, ' ')) {
    if (word == "(") ++depth;
    if (word == ")") --depth;
    const char first = word.empty() ? ' ' : word.front();
    const bool is_word = std::isalnum(static_cast<unsigned char>(first)) != 0 || first == '_' ||
                         word == "::" || word == ")";
    if (depth == 0 && !is_word) return false;
  }
  return true;
}

/// The value of an extent of the new grid: one of the original's, or a product of them.
std::optional<std::int64_t> value_of(const std::string& extent, const CxxLaunch& before,
                                     const Grid& grid) {
  constexpr std::int64_t kMostBlocks = INT32_MAX;
  if (extent == "1") return 1;
  const auto product = [&](const std::vector<std::size_t>& factors) {
    std::string text;
    for (const std::size_t i : factors)
      text +=
          (text.empty() ? "" : " * ") +
          (is_one_word(before.extents[i]) ? before.extents[i] : "( " + before.extents[i] + " )");
    return text;
  };
  const auto squeezed = [](std::string text) {
    std::erase(text, ' ');
    return text;
  };
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < before.extents.size(); ++i) {
    if (squeezed(extent) == squeezed(before.extents[i]) ||
        squeezed(extent) == squeezed("(" + before.extents[i] + ")"))
      return grid.extent(static_cast<int>(i));
    order.push_back(i);
  }
  do {
    for (std::size_t count = 2; count <= order.size(); ++count) {
      const std::vector<std::size_t> factors(order.begin(),
                                             order.begin() + static_cast<std::ptrdiff_t>(count));
      if (squeezed(extent) != squeezed(product(factors))) continue;
      std::int64_t value = 1;
      for (const std::size_t i : factors) value *= grid.extent(static_cast<int>(i));
      return value <= kMostBlocks ? std::optional(value) : std::nullopt;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return std::nullopt;
}

/// The extents of a launch, computed from what it hands to the kernel.
std::optional<Grid> computed_grid(const CxxCodeSide& code, const CxxLaunch& launch,
                                  const config::Launch& job) {
  if (launch.ranges.empty() || launch.ranges.size() > 3) return std::nullopt;
  const HostArithmetic arithmetic(*code.source, *code.function, job, launch.handed, launch.at);
  std::vector<std::int64_t> extents;
  for (const TokenRange& one : launch.ranges) {
    const auto value = arithmetic.value(one);
    if (!value || *value < 1) return std::nullopt;
    extents.push_back(*value);
  }
  return Grid(extents);
}

bool is_same(const Grid& a, const Grid& b) {
  return a.extent(0) == b.extent(0) && a.extent(1) == b.extent(1) && a.extent(2) == b.extent(2);
}

/// The new grid, where its extents have the values of the original's.
std::optional<Grid> grid_of(const CxxLaunch& after, const CxxLaunch& before, const Grid& grid) {
  if (after.extents.empty() || after.extents.size() > 3 || before.extents.size() > 3 ||
      static_cast<int>(before.extents.size()) < grid.axes())
    return std::nullopt;
  std::vector<std::int64_t> extents;
  for (const std::string& one : after.extents) {
    const auto value = value_of(one, before, grid);
    if (!value) return std::nullopt;
    extents.push_back(*value);
  }
  return Grid(extents);
}

std::vector<HostPlace> places(const std::vector<CxxLaunch>& launches) {
  std::vector<HostPlace> result;
  for (const CxxLaunch& one : launches) result.push_back({one.line, one.quoted});
  return result;
}

void finish(LaunchComparison& result, Verdict verdict, std::string finding) {
  result.check.verdict = verdict;
  result.check.finding = std::move(finding);
}

/// A launch of the new file beside the original's; null: there is none. False: nothing more needs to
/// be looked at.
bool compare(const CxxLaunch* before, const CxxLaunch& after,
             const std::function<std::optional<Grid>()>& computed, const Grid& grid,
             LaunchComparison& result) {
  if (before == nullptr) {
    finish(result, Verdict::unknown,
           fmt::format("the new file launches the kernel, the original does not (line {}: {})",
                       after.line, after.quoted));
    return false;
  }
  if (before->others != after.others) {
    finish(result, Verdict::unknown,
           fmt::format("threads, shared memory or stream of the launch are others (line {})",
                       after.line));
    return false;
  }
  if (before->grid != after.grid) {
    // The same name may stand for another number.
    auto now = before->numbers == after.numbers ? grid_of(after, *before, grid) : std::nullopt;
    if (!now) now = computed();
    if (now && is_same(*now, grid)) {
      finish(result, Verdict::proved,
             fmt::format("{} blocks as before (line {}: {})", with_separators(grid.count()),
                         after.line, after.quoted));
      return true;
    }
    if (now) {
      const std::string place = fmt::format("line {}: {}", after.line, after.quoted);
      set_other_grid(result, grid, *now, place);
      return false;
    }
    result.is_grid_known = false;
    finish(result, Verdict::unknown,
           fmt::format("the launch expression is another (line {}: {})", after.line, after.quoted));
    result.check.evidence.push_back(
        fmt::format("line {} of the original: {}", before->line, before->quoted));
    result.check.notes.emplace_back("--after-grid GRID says what it gives");
    return false;
  }
  finish(result, Verdict::proved, fmt::format("the same launch expression: {}", after.quoted));
  return true;
}

}  // namespace

std::vector<CxxLaunch> find_cxx_launches(const CxxSource& source, const CxxFunction& function) {
  return Search(source, function).run();
}

CxxCodeSide code_side(const CxxSource& source, const CxxFunction& function) {
  CxxCodeSide side;
  side.source = &source;
  side.function = &function;
  for (const CxxLaunch& one : find_cxx_launches(source, function)) {
    side.ignored.insert(one.grid_tokens.begin(), one.grid_tokens.end());
    side.ignored.insert(one.number_tokens.begin(), one.number_tokens.end());
  }
  return side;
}

/// Every use of the kernel's name is a launch with these template arguments.
bool is_only_instance(const CxxSource& source, const CxxFunction& function,
                      const std::string& launched) {
  const auto squeezed = [](std::string text) {
    std::erase(text, ' ');
    return text;
  };
  const std::string wanted = squeezed(launched);
  const std::string plain = function.name.substr(0, function.name.find('<'));
  const auto launches = find_cxx_launches(source, function);
  if (launches.empty() || wanted.find('<') == std::string::npos) return false;
  const auto is_wanted = [&](const CxxLaunch& one) {
    return !one.kernel.empty() && squeezed(one.kernel) == wanted;
  };
  if (!std::ranges::all_of(launches, is_wanted)) return false;
  std::size_t uses = 0;
  for (std::size_t i = 0; i < source.tokens().size(); ++i) {
    const Token& token = source.tokens()[i];
    if (token.kind == TokenKind::directive && token.text.find(plain) != std::string_view::npos)
      return false;
    const bool is_own = i >= function.begin && i <= function.body_end;
    if (token.text == plain && !is_own) ++uses;
  }
  return uses == launches.size();
}

/// The tokens of grids are left out of the comparison of files: they may do nothing but count.
void doubt_grids(const CxxCodeSide& before, CxxCodeSide& after) {
  const auto olds = find_cxx_launches(*before.source, *before.function);
  const auto news = find_cxx_launches(*after.source, *after.function);
  std::string known;
  std::string wanted;
  for (const CxxLaunch& one : olds) known += one.grid + "\n";
  for (const CxxLaunch& one : news) wanted += one.grid + "\n";
  if (known == wanted) return;
  const auto look = [&](const CxxCodeSide& side, const std::vector<CxxLaunch>& launches,
                        const std::string& other) {
    for (const CxxLaunch& one : launches) {
      std::vector<std::set<std::size_t>> all = {one.grid_tokens};
      for (const TokenRange& value : one.values) {
        all.emplace_back();
        for (std::size_t i = value.begin; i <= value.end; ++i) all.back().insert(i);
      }
      for (const auto& tokens : all)
        if (after.grid_doubt.empty())
          after.grid_doubt = grid_problem(side.source->tokens(), tokens, other);
    }
  };
  look(before, olds, wanted);
  look(after, news, known);
}

LaunchComparison judge_launch(const CxxCodeSide& before, const CxxCodeSide& after,
                              const PatchSide& old_side, const PatchSide& new_side,
                              const std::optional<Grid>& given) {
  const auto olds = find_cxx_launches(*before.source, *before.function);
  const auto news = find_cxx_launches(*after.source, *after.function);
  return compare_launches(old_side, new_side, given, places(olds), places(news),
                          [&](std::size_t i, LaunchComparison& result) {
                            const Grid& grid = old_side.launch.grid;
                            // Where the original's comes to the job's, the new one is known, too.
                            const auto computed = [&]() -> std::optional<Grid> {
                              const auto then = computed_grid(before, olds[i], old_side.launch);
                              if (!then || !is_same(*then, grid)) return std::nullopt;
                              return computed_grid(after, news[i], new_side.launch);
                            };
                            return compare(olds.empty() ? nullptr : &olds[i], news[i], computed,
                                           grid, result);
                          });
}

}  // namespace heddle::kernel::cxx
