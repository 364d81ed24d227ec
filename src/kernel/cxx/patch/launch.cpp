#include "kernel/cxx/patch/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>

#include "kernel/cxx/patch/host_numbers.h"
#include "kernel/cxx/patch/macros.h"
#include "kernel/cxx/patch/pieces.h"
#include "kernel/cxx/template_arguments.h"
#include "kernel/cxx/token.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

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
                         grid.count(i + 1) != 0 && opens_bracket(tokens[i + 1]);
    if (!is_call) continue;
    std::size_t end = i + 1;
    for (int depth = 0; grid.count(end) != 0; ++end) {
      if (opens_bracket(tokens[end])) ++depth;
      if (closes_bracket(tokens[end]) && --depth == 0) break;
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

/// Its template arguments come to these: "<16,16>".
bool has_arguments(const CxxSource& source, const CxxFunction& function, const config::Launch& job,
                   const CxxLaunch& launch, const std::string& wanted) {
  const auto& tokens = source.tokens();
  const std::string plain = function.name.substr(0, function.name.find('<'));
  std::size_t open = launch.at;
  while (open > 0 && tokens[open - 1].text != plain) --open;
  if (open == 0 || tokens[open].text != "<") return false;
  const std::size_t behind = past_angles(tokens, open);
  const HostArithmetic arithmetic(source, function, job, launch.handed, launch.at);
  std::string found = "<";
  std::size_t from = open + 1;
  for (std::size_t i = from; i < behind; ++i) {
    const bool is_end = i + 1 == behind;
    if (!is_end && tokens[i].text != ",") continue;
    const auto value = i > from ? arithmetic.value({from, i - 1}) : std::nullopt;
    if (!value) return false;
    found += fmt::format("{}{}", *value, is_end ? ">" : ",");
    from = i + 1;
  }
  return found == wanted.substr(wanted.find('<'));
}

}  // namespace

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
                      const config::Launch& job) {
  const auto squeezed = [](std::string text) {
    std::erase(text, ' ');
    return text;
  };
  const std::string wanted = squeezed(job.function);
  const std::string plain = function.name.substr(0, function.name.find('<'));
  const auto launches = find_cxx_launches(source, function);
  if (launches.empty() || wanted.find('<') == std::string::npos) return false;
  const auto is_wanted = [&](const CxxLaunch& one) {
    return !one.kernel.empty() &&
           (squeezed(one.kernel) == wanted || has_arguments(source, function, job, one, wanted));
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
