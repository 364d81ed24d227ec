#include "kernel/cxx/patch/headers.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <set>

#include "kernel/cxx/token.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostHeaderFiles = 1000;
constexpr std::size_t kLargestHeader = std::size_t{16} << 20;

class HeaderSearch {
 public:
  explicit HeaderSearch(const CxxSource& source)
      : source_(source), folder_(fs::path(source.path()).parent_path()) {}

  CxxHeaders run(const std::vector<std::string>& read) {
    for (const std::string& path : read) add(path);
    scan(source_.tokens(), folder_, "line");
    return std::move(found_);
  }

 private:
  void add(const fs::path& path) {
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(path, error);
    if (error || !fs::is_regular_file(whole, error)) return;
    const std::string name = header_name(source_, whole.string());
    if (found_.files.count(name) != 0) return;
    if (found_.files.size() >= kMostHeaderFiles) throw Error("there are too many headers", "");
    const std::string& text =
        found_.files.emplace(name, read_text(whole.string(), kLargestHeader)).first->second;
    try {
      scan(tokenize(text, name), whole.parent_path(), name + ", line");
    } catch (const Error& error_of_file) {
      if (error_of_file.source().empty()) throw;  // not a C++ file: its bytes are compared
    }
  }

  void scan(const std::vector<Token>& tokens, const fs::path& folder, const std::string& where) {
    for (const Token& token : tokens) {
      if (token.kind != TokenKind::directive) continue;
      const std::string_view name = directive_name(token);
      std::string_view rest = directive_rest(token);
      if (name == "line")
        found_.doubts.push_back(
            fmt::format("{} {} is a #line directive", where, token.position.line));
      const bool includes =
          name == "include" || name == "include_next" || name == "import" || name == "embed";
      const std::size_t asks = token.text.find("__has_");
      if (!includes && asks == std::string_view::npos) continue;
      if (!includes) rest = token.text.substr(asks);
      const std::size_t open = rest.find_first_of("\"<");
      if (open == std::string_view::npos || (includes && open != 0)) {
        if (includes)
          found_.doubts.push_back(fmt::format("a macro names the file of an #include ({} {})",
                                              where, token.position.line));
        continue;
      }
      const std::size_t close = rest.find(rest[open] == '<' ? '>' : '"', open + 1);
      if (close == std::string_view::npos) continue;
      const std::string file(rest.substr(open + 1, close - open - 1));
      add(folder / file);
      if (folder != folder_) add(folder_ / file);
    }
  }

  const CxxSource& source_;
  fs::path folder_;
  CxxHeaders found_;
};

bool are_same(const std::string& before, const std::string& after) {
  if (before == after) return true;
  if (before.find("\\\n") != std::string::npos || after.find("\\\n") != std::string::npos)
    return false;  // splices: bytes alone show that they are the same
  try {
    const auto olds = tokenize(before, "");
    const auto news = tokenize(after, "");
    return olds.size() == news.size() &&
           std::equal(olds.begin(), olds.end(), news.begin(),
                      [](const Token& a, const Token& b) { return a.text == b.text; });
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::string header_name(const CxxSource& source, const std::string& path) {
  std::error_code error;
  const fs::path folder = fs::path(source.path()).parent_path();
  const fs::path base = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder, error);
  return fs::weakly_canonical(path, error).lexically_proximate(base).generic_string();
}

std::string included_name(const Token& directive) {
  if (directive.kind != TokenKind::directive || directive_name(directive) != "include") return {};
  const std::string_view rest = trim(directive_rest(directive));
  if (rest.size() < 3 || (rest.front() != '"' && rest.front() != '<')) return {};
  const std::size_t close = rest.find(rest.front() == '<' ? '>' : '"', 1);
  return close == rest.size() - 1 ? std::string(rest.substr(1, close - 1)) : std::string();
}

namespace {

/// Macros of <stdint.h>, <stddef.h> and <limits.h>, their guards, and what these headers are told by.
bool is_name_of_types(std::string_view name) {
  for (const std::string_view own :
       {"__CUDA", "__HIP", "__NV", "__AMDGCN", "__cplusplus", "__gfx", "__global__", "__device__",
        "__host__", "__shared__", "__restrict", "__launch_bounds__", "__forceinline__",
        "__syncthreads", "__constant__", "__clang"})
    if (name.starts_with(own)) return false;
  if (name.starts_with("__") || (name.size() > 1 && name[0] == '_' && std::isupper(name[1]) != 0))
    return true;
  if (name == "NULL" || name == "offsetof" || name == "CHAR_BIT") return true;
  for (const std::string_view end : {"_MAX", "_MIN", "_C", "_WIDTH"})
    if (name.ends_with(end)) return true;
  return false;
}

bool has_name_of_types(const std::vector<Token>& tokens, const std::set<std::string_view>& plain) {
  for (const Token& token : tokens) {
    if (token.kind == TokenKind::name && is_name_of_types(token.text) &&
        plain.count(token.text) == 0)
      return true;
    if (token.kind != TokenKind::directive || !included_name(token).empty()) continue;
    if (has_name_of_types(tokenize(std::string(directive_rest(token)), ""), {})) return true;
  }
  return false;
}

}  // namespace

bool is_header_of_types(const std::string& name, const CxxSource& source, const CxxHeaders& headers,
                        const std::set<std::string_view>& plain) {
  static const std::set<std::string_view> kHeaders = {"cstdint",  "stdint.h", "cstddef",
                                                      "stddef.h", "climits",  "limits.h"};
  if (kHeaders.count(name) == 0) return false;
  try {
    if (has_name_of_types(source.tokens(), plain)) return false;
    for (const auto& [file, text] : headers.files)
      if (has_name_of_types(tokenize(text, file), plain)) return false;
  } catch (const Error&) {
    return false;
  }
  return true;
}

CxxHeaders headers_of(const CxxSource& source, const std::vector<std::string>& read) {
  return HeaderSearch(source).run(read);
}

std::vector<std::string> different_headers(const CxxHeaders& before, const CxxHeaders& after) {
  std::vector<std::string> names;
  for (const auto& [name, text] : before.files) {
    const auto found = after.files.find(name);
    if (found == after.files.end() || !are_same(text, found->second)) names.push_back(name);
  }
  for (const auto& [name, text] : after.files)
    if (before.files.count(name) == 0) names.push_back(name);
  return names;
}

}  // namespace heddle::kernel::cxx
