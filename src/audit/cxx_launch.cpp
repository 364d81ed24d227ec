#include "audit/cxx_launch.h"

#include <fmt/format.h>

#include <algorithm>

#include "audit/cxx_pieces.h"
#include "support/text.h"

namespace heddle::audit {
namespace {

using kernel::cxx::CxxFunction;
using kernel::cxx::CxxSource;
using kernel::cxx::Token;
using kernel::cxx::TokenKind;
using kernel::cxx::TokenRange;

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
      : text_(source.text()), tokens_(source.tokens()), function_(function) {}

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

  /// Arguments up to `close`; the one with index `first` is the grid.
  void add(std::size_t begin, std::string_view close, std::size_t first) {
    std::vector<TokenRange> arguments;
    std::size_t from = begin;
    int depth = 0;
    std::size_t i = begin;
    for (; i < tokens_.size() && i < begin + kFarthest; ++i) {
      if (depth == 0 && tokens_[i].text == close) break;
      if (is_open(tokens_[i])) ++depth;
      if (is_close(tokens_[i])) --depth;
      if (depth != 0 || tokens_[i].text != ",") continue;
      if (i > from) arguments.push_back({from, i - 1});
      from = i + 1;
    }
    if (i > from) arguments.push_back({from, i - 1});
    if (arguments.size() <= first) return;
    CxxLaunch launch;
    launch.line = tokens_[begin].position.line;
    const TokenRange grid = definition(arguments[first]);
    launch.grid = tokens_text(tokens_, grid.begin, grid.end);
    const std::size_t from_text = tokens_[grid.begin].offset;
    const std::size_t to_text = tokens_[grid.end].offset + tokens_[grid.end].text.size();
    launch.quoted = text_.substr(from_text, to_text - from_text);
    if (launch.quoted.find('\n') != std::string::npos) launch.quoted = launch.grid;
    for (std::size_t k = grid.begin; k <= grid.end; ++k) launch.grid_tokens.insert(k);
    for (std::size_t k = first + 1; k < arguments.size() && k < first + 4; ++k)
      launch.others.push_back(tokens_text(tokens_, arguments[k].begin, arguments[k].end));
    launches_.push_back(std::move(launch));
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

  const std::string& text_;
  const std::vector<Token>& tokens_;
  const CxxFunction& function_;
  std::vector<CxxLaunch> launches_;
};

bool is_same_grid(const Grid& a, const Grid& b) {
  return a.extent(0) == b.extent(0) && a.extent(1) == b.extent(1) && a.extent(2) == b.extent(2);
}

void finish(LaunchJudgement& judgement, Verdict verdict, std::string finding) {
  judgement.check.verdict = verdict;
  judgement.check.finding = std::move(finding);
}

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
    if (known.find(tokens_text(tokens, i, end)) == std::string::npos)
      return fmt::format("the grid of the launch calls {} (line {})", text, line);
  }
  return {};
}

/// The tokens of grids are left out of the comparison of files: they may do nothing but count.
void doubt_grids(const CxxCodeSide& before, const std::vector<CxxLaunch>& olds, CxxCodeSide& after,
                 const std::vector<CxxLaunch>& news) {
  std::string known;
  std::string wanted;
  for (const CxxLaunch& one : olds) known += one.grid + "\n";
  for (const CxxLaunch& one : news) wanted += one.grid + "\n";
  if (known == wanted) return;
  for (const CxxLaunch& one : olds)
    if (after.grid_doubt.empty())
      after.grid_doubt = grid_problem(before.source->tokens(), one.grid_tokens, wanted);
  for (const CxxLaunch& one : news)
    if (after.grid_doubt.empty())
      after.grid_doubt = grid_problem(after.source->tokens(), one.grid_tokens, known);
}

/// Launches of the original beside those of the new file.
void compare_files(const std::vector<CxxLaunch>& before, const std::vector<CxxLaunch>& after,
                   LaunchJudgement& result) {
  if (after.empty())
    return finish(result, Verdict::unknown,
                  fmt::format("line {} of the original launches the kernel, the new file does not",
                              before.front().line));
  if (before.size() != after.size())
    return finish(result, Verdict::unknown,
                  fmt::format("the original launches the kernel {} times, the new file {} times",
                              before.size(), after.size()));
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (before[i].grid != after[i].grid) {
      finish(result, Verdict::unknown,
             fmt::format("the launch expression is another (line {}: {})", after[i].line,
                         after[i].quoted));
      result.check.evidence.push_back(
          fmt::format("line {} of the original: {}", before[i].line, before[i].quoted));
      result.check.notes.emplace_back("--after-grid GRID says what it gives");
      return;
    }
    if (before[i].others != after[i].others)
      return finish(result, Verdict::unknown,
                    fmt::format("threads, shared memory or stream of the launch are others (line "
                                "{})",
                                after[i].line));
  }
  finish(result, Verdict::proved,
         fmt::format("the same launch expression: {}", after.front().quoted));
}

}  // namespace

std::vector<CxxLaunch> find_cxx_launches(const CxxSource& source, const CxxFunction& function) {
  return Search(source, function).run();
}

void judge_other_grid(LaunchJudgement& judgement, const Grid& before, const Grid& after,
                      const std::string& source) {
  judgement.after_grid = after;
  judgement.is_by_bytes = true;
  const std::int64_t more = after.count() - before.count();
  const std::string how = more == 0  ? "as many blocks in another shape"
                          : more > 0 ? fmt::format("{} more", with_separators(more))
                                     : fmt::format("{} fewer", with_separators(-more));
  finish(judgement, Verdict::unknown,
         fmt::format("the new kernel is launched on {} instead of {}, {} ({})", after.text(),
                     before.text(), how, source));
}

LaunchJudgement judge_cxx_launch(CxxCodeSide& before, CxxCodeSide& after,
                                 const LaunchGiven& given) {
  const auto olds = find_cxx_launches(*before.source, *before.function);
  const auto news = find_cxx_launches(*after.source, *after.function);
  for (const CxxLaunch& one : olds)
    before.ignored.insert(one.grid_tokens.begin(), one.grid_tokens.end());
  for (const CxxLaunch& one : news)
    after.ignored.insert(one.grid_tokens.begin(), one.grid_tokens.end());
  doubt_grids(before, olds, after, news);
  LaunchJudgement result;
  result.after_grid = given.after_grid.value_or(given.new_grid);
  if (given.after_grid && is_same_grid(*given.after_grid, given.grid))
    finish(result, Verdict::proved,
           fmt::format("both are launched on {}, as you say", given.grid.text()));
  else if (given.after_grid)
    judge_other_grid(result, given.grid, *given.after_grid, "as you say");
  else if (olds.empty() && news.empty() && !is_same_grid(given.grid, given.new_grid))
    judge_other_grid(result, given.grid, given.new_grid, "the job's expression for the new kernel");
  else if (olds.empty() && news.empty())
    finish(result, Verdict::proved,
           fmt::format("neither file launches the kernel; the job's grid {} is that of both",
                       given.grid.text()));
  else if (olds.empty())
    finish(result, Verdict::unknown,
           fmt::format("the new file launches the kernel, the original does not (line {}: {})",
                       news.front().line, news.front().quoted));
  else
    compare_files(olds, news, result);
  return result;
}

}  // namespace heddle::audit
