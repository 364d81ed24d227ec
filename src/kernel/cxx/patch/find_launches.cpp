#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <unordered_set>

#include "kernel/cxx/patch/host_numbers.h"
#include "kernel/cxx/patch/launch.h"
#include "kernel/cxx/patch/pieces.h"
#include "kernel/cxx/token.h"

namespace heddle::kernel::cxx {
namespace {

constexpr std::size_t kMostWrites = 20'000;  ///< characters of what is done to a name
constexpr std::size_t kFarthest = 500;       ///< tokens of template arguments, or of a launch's own

class Search {
 public:
  Search(const CxxSource& source, const CxxFunction& function)
      : source_(source), text_(source.text()), tokens_(source.tokens()), function_(function) {}

  std::vector<CxxLaunch> run() {
    for (std::size_t i = 1; i < tokens_.size(); ++i) {
      if (tokens_[i].text == "<<<" && names_kernel(i)) find(i + 1, ">>>", 0);
      const bool is_call =
          tokens_[i].text == "(" &&
          (tokens_[i - 1].text == "hipLaunchKernelGGL" ||
           tokens_[i - 1].text == "hipLaunchKernel" || tokens_[i - 1].text == "cudaLaunchKernel" ||
           tokens_[i - 1].text == "cudaLaunchCooperativeKernel");
      if (is_call && is_of_kernel(i + 1)) find(i + 1, ")", 1);
    }
    for (const Call& call : calls_)
      if (const TokenRange& grid = call.arguments[call.grid]; grid.begin == grid.end)
        arguments_.insert(grid.begin);
    for (const Call& call : calls_) add(call);
    return std::move(launches_);
  }

 private:
  /// What stands between the brackets of a launch.
  struct Call {
    std::size_t begin = 0;
    std::size_t end = 0;  ///< the bracket that closes
    std::vector<TokenRange> arguments;
    std::size_t grid = 0;  ///< which of them
  };

  /// What a grid is in the end.
  struct GridText {
    TokenRange written;                    ///< from the first token to the last
    std::vector<TokenRange> extents;       ///< empty if it is not a list
    std::vector<TokenRange> statements{};  ///< that define its name, with the ;
  };

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
      if (opens_bracket(tokens_[i])) ++depth;
      if (closes_bracket(tokens_[i]) && --depth < 0) return false;
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
      if (opens_bracket(tokens_[i])) ++depth;
      if (closes_bracket(tokens_[i])) --depth;
      if (depth != 0 || tokens_[i].text != ",") continue;
      if (i > from) arguments.push_back({from, i - 1});
      from = i + 1;
    }
    if (i > from) arguments.push_back({from, i - 1});
    return arguments;
  }

  /// Arguments up to `close`; the one with index `first` is the grid.
  void find(std::size_t begin, std::string_view close, std::size_t first) {
    Call call;
    call.begin = call.end = begin;
    call.arguments = arguments_of(call.end, close);
    call.grid = first;
    if (call.arguments.size() > first) calls_.push_back(std::move(call));
  }

  void add(const Call& call) {
    CxxLaunch launch;
    launch.at = call.begin;
    launch.line = tokens_[call.begin].position.line;
    const TokenRange argument = call.arguments[call.grid];
    const GridText grid = definition(argument);
    set_grid(grid, argument, launch);
    if (call.grid > 0) {
      if (call.arguments.size() > call.grid + 4)
        launch.handed.assign(call.arguments.begin() + static_cast<std::ptrdiff_t>(call.grid) + 4,
                             call.arguments.end());
    } else if (call.end + 1 < tokens_.size() && tokens_[call.end + 1].text == "(") {
      std::size_t at = call.end + 2;
      launch.handed = arguments_of(at, ")");
      launch.kernel = kernel_text(call.begin - 1);
    }
    for (std::size_t k = call.grid + 1; k < call.arguments.size() && k < call.grid + 4; ++k)
      launch.others.push_back(tokens_text(tokens_, call.arguments[k].begin, call.arguments[k].end));
    launches_.push_back(std::move(launch));
  }

  void set_grid(const GridText& grid, TokenRange argument, CxxLaunch& launch) {
    const bool has_members = grid.statements.size() > 1;
    launch.ranges = grid.extents;
    for (const TokenRange& one : launch.ranges)
      launch.extents.push_back(tokens_text(tokens_, one.begin, one.end));
    launch.grid = has_members ? fmt::format("( {} )", fmt::join(launch.extents, " , "))
                              : tokens_text(tokens_, grid.written.begin, grid.written.end);
    const std::size_t from_text = tokens_[grid.written.begin].offset;
    const Token& last = tokens_[grid.written.end];
    launch.quoted = text_.substr(from_text, last.offset + last.text.size() - from_text);
    if (has_members || launch.quoted.find('\n') != std::string::npos) launch.quoted = launch.grid;
    const auto insert = [](const TokenRange& range, std::set<std::size_t>& tokens) {
      for (std::size_t k = range.begin; k <= range.end; ++k) tokens.insert(k);
    };
    if (has_members)
      for (const TokenRange& one : launch.ranges) insert(one, launch.grid_tokens);
    else
      insert(grid.written, launch.grid_tokens);
    for (const HostNumber& one : host_numbers(
             source_, has_members ? launch.ranges : std::vector{grid.written}, launch.at)) {
      launch.numbers += tokens_text(tokens_, one.statement.begin, one.statement.end) + " ";
      launch.values.push_back(one.value);
      insert(one.statement, launch.number_tokens);
    }
    if (!launch.numbers.empty()) launch.grid += " with " + launch.numbers;
    for (const TokenRange& one : grid.statements) insert(one, launch.number_tokens);
    if (!grid.statements.empty()) insert(argument, launch.number_tokens);
    if (grid.statements.empty()) launch.grid += writes_of(argument);
  }

  /// What the file does to a name that is not followed: where that differs, the grid does.
  const std::string& writes_of(TokenRange argument) {
    static const std::string kNone;
    if (argument.begin != argument.end || !is_name(tokens_[argument.begin])) return kNone;
    const std::string_view name = tokens_[argument.begin].text;
    const auto [known, is_new] = writes_.try_emplace(name);
    if (!is_new) return known->second;
    std::string& text = known->second;
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (tokens_[i].text != name || is_argument(i)) continue;
      std::size_t end = i;
      while (end + 1 < tokens_.size() && tokens_[end].text != ";" && end < i + kFarthest) ++end;
      text += " where " + tokens_text(tokens_, i, end);
      if (text.size() < kMostWrites && tokens_[end].text == ";") continue;
      // Too much to compare: two files that differ at all are taken to differ here.
      text = fmt::format(" in {}", std::hash<std::string>()(text_));
      break;
    }
    return text;
  }

  /// The token is all of the grid of a launch.
  bool is_argument(std::size_t token) const { return arguments_.contains(token); }

  /// The kernel's name and its template arguments, in front of <<<.
  std::string kernel_text(std::size_t i) const {
    std::size_t first = i;
    while (first > 0 && tokens_[first].text != plain_name()) --first;
    return tokens_text(tokens_, first, i - 1);
  }

  /// `dim3(a, b)`, `= dim3(a, b)`, `(a, b)` or `{a, b}`: a and b. Else the whole is one number.
  std::vector<TokenRange> extents(TokenRange grid) const {
    while (grid.begin < grid.end &&
           (tokens_[grid.begin].text == "=" || tokens_[grid.begin].text == "dim3"))
      ++grid.begin;
    std::vector<TokenRange> result;
    std::size_t from = grid.begin;
    int depth = 0;
    bool is_list = opens_bracket(tokens_[grid.begin]);
    for (std::size_t i = grid.begin; i < grid.end && is_list; ++i) {
      if (opens_bracket(tokens_[i]) && ++depth == 1) from = i + 1;
      if (closes_bracket(tokens_[i])) --depth;
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

  /// `grid` -> what stands in `dim3 grid(...)`, if that is its one definition and nothing but
  /// launches uses it; or in `dim3 grid; grid.x = ...;`.
  GridText definition(TokenRange argument) const {
    const GridText own{argument, extents(argument)};
    if (argument.begin != argument.end || !is_name(tokens_[argument.begin])) return own;
    const std::string_view name = tokens_[argument.begin].text;
    const TokenRange around = function_around(tokens_, argument.begin);
    if (around.begin == 0) return own;
    std::vector<TokenRange> statements;
    for (std::size_t i = around.begin + 1; i < around.end; ++i) {
      if (tokens_[i].text != name || is_argument(i)) continue;
      const TokenRange statement = statement_of(i);
      if (statement.end == 0) return own;
      statements.push_back(statement);
    }
    if (statements.empty() || !reaches(statements.front(), argument.begin)) return own;
    const TokenRange first = statements.front();
    const std::size_t behind = name_in(first, name) + 1;
    if (statements.size() == 1 && behind < first.end) {
      const TokenRange value{behind, first.end - 1};
      return {value, extents(value), statements};
    }
    std::vector<TokenRange> members = members_of(statements, name);
    if (members.empty()) return own;
    const TokenRange all{members.front().begin, members.back().end};
    return {all, std::move(members), std::move(statements)};
  }

  /// Whether a declaration stands before the launch and in a block around it, so that its name is in scope.
  bool reaches(TokenRange statement, std::size_t launch) const {
    int depth = 0;
    for (std::size_t i = statement.end; i < launch; ++i) {
      if (tokens_[i].text == "{") ++depth;
      if (tokens_[i].text == "}" && --depth < 0) return false;
    }
    return statement.end < launch;
  }

  std::size_t name_in(TokenRange statement, std::string_view name) const {
    std::size_t i = statement.begin;
    while (i < statement.end && tokens_[i].text != name) ++i;
    return i;
  }

  /// The declaration or assignment that begins with the name, up to its ;. End 0: it is none, or
  /// does not stand by itself between two others.
  TokenRange statement_of(std::size_t i) const {
    std::size_t begin = i;
    while (begin > 1 &&
           (tokens_[begin - 1].text == "dim3" || is_integer_word(tokens_[begin - 1].text)))
      --begin;
    const std::string_view before = tokens_[begin - 1].text;
    const bool is_first = before == ";" || before == "{" || before == "}";
    const std::string_view next = tokens_[i + 1].text;
    const bool is_declared =
        begin < i && (next == "=" || next == ";" || opens_bracket(tokens_[i + 1]));
    if (!is_first || !(is_declared || (begin == i && next == "."))) return {};
    std::size_t end = i + 1;
    for (int depth = 0; end < tokens_.size(); ++end) {
      if (opens_bracket(tokens_[end])) ++depth;
      if (closes_bracket(tokens_[end]) && --depth < 0) return {};
      if (depth == 0 && tokens_[end].text == ",") return {};
      if (depth == 0 && tokens_[end].text == ";") break;
    }
    return end < tokens_.size() ? TokenRange{begin, end} : TokenRange{};
  }

  /// `dim3 grid;`, then `grid.x = ...;` and the others in their order, with no braces between: the
  /// values. Else none.
  std::vector<TokenRange> members_of(const std::vector<TokenRange>& statements,
                                     std::string_view name) const {
    constexpr std::array<std::string_view, 3> kMembers = {"x", "y", "z"};
    const TokenRange first = statements.front();
    std::vector<TokenRange> values;
    if (statements.size() > kMembers.size() + 1 || tokens_[first.begin].text != "dim3" ||
        name_in(first, name) + 1 != first.end)
      return {};
    for (std::size_t k = 1; k < statements.size(); ++k) {
      const TokenRange one = statements[k];
      const bool is_next = one.end >= one.begin + 4 && tokens_[one.begin].text == name &&
                           tokens_[one.begin + 2].text == kMembers[k - 1] &&
                           tokens_[one.begin + 3].text == "=" && one.end > one.begin + 4;
      for (std::size_t i = statements[k - 1].end; i < one.begin; ++i)
        if (tokens_[i].text == "{" || tokens_[i].text == "}") return {};
      if (!is_next) return {};
      values.push_back({one.begin + 4, one.end - 1});
    }
    return values;
  }

  const CxxSource& source_;
  const std::string& text_;
  const std::vector<Token>& tokens_;
  const CxxFunction& function_;
  std::vector<Call> calls_;
  std::unordered_set<std::size_t> arguments_;  ///< tokens that are all of a grid
  std::map<std::string_view, std::string> writes_;
  std::vector<CxxLaunch> launches_;
};

}  // namespace

std::vector<CxxLaunch> find_cxx_launches(const CxxSource& source, const CxxFunction& function) {
  return Search(source, function).run();
}

}  // namespace heddle::kernel::cxx
