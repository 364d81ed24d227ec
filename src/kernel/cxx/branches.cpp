#include "kernel/cxx/branches.h"

#include <algorithm>

#include "kernel/cxx/token.h"

namespace heddle::kernel::cxx {
namespace {

/// How brackets stand within a piece of text.
struct Balance {
  int depth = 0;
  int lowest = 0;
  bool ends_whole = true;  ///< empty, or with ; or }

  void token(std::string_view text) {
    if (text == "{" || text == "(" || text == "[") ++depth;
    if (text == "}" || text == ")" || text == "]") lowest = std::min(lowest, --depth);
    ends_whole = text == ";" || text == "}";
  }
  void piece(const Balance& other) {
    lowest = std::min(lowest, depth + other.lowest);
    depth += other.depth;
    ends_whole = other.ends_whole;
  }
  bool is_complete() const { return depth == 0 && lowest == 0 && ends_whole; }
};

struct Branch {
  std::size_t begin = 0;
  std::size_t end = 0;
  Balance balance;
};

struct Conditional {
  std::vector<Branch> branches;
  bool first_is_never = false;
};

class Chooser {
 public:
  explicit Chooser(const std::vector<Token>& tokens) : tokens_(tokens), read_(tokens.size()) {}

  std::vector<bool> run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      read_[i] = tokens_[i].kind != TokenKind::directive;
      if (read_[i]) {
        if (tokens_[i].kind == TokenKind::symbol) {
          balance().token(tokens_[i].text);
        } else {
          balance().ends_whole = false;
        }
        continue;
      }
      directive(i);
    }
    while (!open_.empty()) close(tokens_.size());
    return std::move(read_);
  }

 private:
  Balance& balance() { return open_.empty() ? whole_ : open_.back().branches.back().balance; }

  void directive(std::size_t i) {
    const std::string_view name = directive_name(tokens_[i]);
    if (name == "if" || name == "ifdef" || name == "ifndef") {
      open_.push_back({{{i + 1, i + 1, {}}}, is_never(tokens_[i])});
    } else if (!open_.empty() && name.substr(0, 2) == "el") {
      open_.back().branches.back().end = i;
      open_.back().branches.push_back({i + 1, i + 1, {}});
    } else if (!open_.empty() && name == "endif") {
      close(i);
    }
  }

  void close(std::size_t at) {
    Conditional done = std::move(open_.back());
    open_.pop_back();
    done.branches.back().end = at;
    const bool all = std::all_of(done.branches.begin(), done.branches.end(),
                                 [](const Branch& branch) { return branch.balance.is_complete(); });
    const std::size_t chosen = done.first_is_never && done.branches.size() > 1 ? 1 : 0;
    if (!all)
      for (std::size_t b = 0; b < done.branches.size(); ++b)
        if (b != chosen)
          std::fill(read_.begin() + static_cast<std::ptrdiff_t>(done.branches[b].begin),
                    read_.begin() + static_cast<std::ptrdiff_t>(done.branches[b].end), false);
    const bool before = balance().ends_whole;
    balance().piece(done.branches[chosen].balance);
    if (done.branches[chosen].begin == done.branches[chosen].end) balance().ends_whole = before;
  }

  const std::vector<Token>& tokens_;
  std::vector<bool> read_;
  std::vector<Conditional> open_;
  Balance whole_;
};

}  // namespace

std::vector<bool> tokens_read(const std::vector<Token>& tokens) {
  return Chooser(tokens).run();
}

}  // namespace heddle::kernel::cxx
