// CxxSource::device_text: the file without what is for the host.
#include <algorithm>
#include <optional>
#include <vector>

#include "kernel/cxx/outline.h"
#include "kernel/cxx/source.h"
#include "kernel/cxx/token.h"

namespace heddle::kernel::cxx {
namespace {

// Macros of the device headers (heddle/attributes.h).
constexpr std::string_view kExternShared = " __extern_shared__";
constexpr std::string_view kSharedName = " HEDDLE_DYNAMIC_NAME";

class Blanker {
 public:
  Blanker(const std::string& text, const std::vector<Token>& tokens)
      : text_(text), tokens_(tokens) {}

  /// Blanks tokens and what stands between them, up to the end of the last.
  void blank(TokenRange range) {
    std::size_t at = tokens_[range.begin].offset;
    for (std::size_t i = range.begin; i <= range.end; ++i) {
      if (tokens_[i].kind != TokenKind::directive || !stays(tokens_[i])) continue;
      fill(at, tokens_[i].offset);
      at = end_of(i);
    }
    fill(at, end_of(range.end));
  }

  /// Puts a ; where the first of the tokens stands, and blanks the others.
  void blank_body(TokenRange range) {
    blank(range);
    text_[tokens_[range.begin].offset] = ';';
  }

  bool is_blank(std::size_t token) const { return text_[tokens_[token].offset] == ' '; }

  void insert_behind(std::size_t token, std::string_view text) {
    insertions_.push_back({end_of(token), text});
  }

  /// Puts another directive where one stands.
  void replace(std::size_t directive, std::string_view text) {
    fill(tokens_[directive].offset, end_of(directive));
    insert_behind(directive, text);
  }

  std::string finish() {
    std::stable_sort(insertions_.begin(), insertions_.end(),
                     [](const auto& a, const auto& b) { return a.offset < b.offset; });
    std::string result;
    std::size_t at = 0;
    for (const auto& [offset, text] : insertions_) {
      result.append(text_, at, offset - at);
      result += text;
      at = offset;
    }
    return result.append(text_, at);
  }

 private:
  /// Conditions and macros around host code may matter to what follows it.
  static bool stays(const Token& directive) {
    const std::string_view name = directive_name(directive);
    return name != "include" && name != "pragma" && name != "error" && name != "warning";
  }
  std::size_t end_of(std::size_t token) const {
    return tokens_[token].offset + tokens_[token].text.size();
  }
  void fill(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const char c = text_[i];
      if (c != '\n' && c != '\r' && c != '\t') text_[i] = ' ';
    }
  }

  struct Insertion {
    std::size_t offset = 0;
    std::string_view text;
  };
  std::string text_;
  const std::vector<Token>& tokens_;
  std::vector<Insertion> insertions_;
};

/// What of an item is for the host alone: nothing, all of it, or the body of a member.
void blank_host(const OutlineItem& item, Blanker& blanker) {
  if (item.is_function && item.is_device) return;
  if (item.is_member) {
    if (item.is_function && item.body) {
      blanker.blank_body({item.head_end, item.body->end});
    } else if (item.holds_launch) {
      blanker.blank(item.all);
    }
    return;
  }
  const bool is_kept = !item.is_function && (item.is_device || item.is_const);
  if (!is_kept || item.holds_launch) blanker.blank(item.all);
}

/// The last ] of `name[2][3]`, between two tokens; none where there is no array.
std::optional<std::size_t> array_end(const std::vector<Token>& tokens, std::size_t begin,
                                     std::size_t end) {
  for (std::size_t i = begin + 1; i < end; ++i) {
    if (!is_symbol(tokens[i], "[") || tokens[i - 1].kind != TokenKind::name) continue;
    int depth = 0;
    for (std::size_t k = i; k < end; ++k) {
      if (is_symbol(tokens[k], "[")) ++depth;
      if (is_symbol(tokens[k], "]")) --depth;
      if (depth == 0 && !(k + 1 < end && is_symbol(tokens[k + 1], "["))) return k;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

/// `extern __shared__` becomes what the device headers have for it, `static __shared__` loses
/// `static`.
void change_shared(const std::vector<Token>& tokens, Blanker& blanker) {
  std::size_t begin = 0;  // of the statement
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const bool ends = is_symbol(token, ";") || is_symbol(token, "{") || is_symbol(token, "}") ||
                      token.kind == TokenKind::directive;
    if (ends) begin = i + 1;
    if (token.text != "__shared__" || blanker.is_blank(i)) continue;
    std::size_t end = i;
    while (end < tokens.size() && !is_symbol(tokens[end], ";")) ++end;
    bool is_extern = false;
    for (std::size_t k = begin; k < std::min(end, i + 2); ++k) {
      const bool says_extern = tokens[k].text == "extern" && end < tokens.size();
      if (tokens[k].text == "static" || says_extern) blanker.blank({k, k});
      is_extern = is_extern || says_extern;
    }
    if (is_extern) {
      blanker.blank({i, i});
      blanker.insert_behind(i, kExternShared);
      blanker.insert_behind(array_end(tokens, i, end).value_or(end - 1), kSharedName);
    }
    i = end;
    begin = end + 1;
  }
}

/// A bare __noinline__ goes: as a macro it would break the host's own headers, which write it
/// inside __attribute__, and where a function's code stands does not matter here.
void drop_noinline(const std::vector<Token>& tokens, Blanker& blanker) {
  for (std::size_t i = 1; i < tokens.size(); ++i)
    if (tokens[i].text == "__noinline__" && !is_symbol(tokens[i - 1], "(") && !blanker.is_blank(i))
      blanker.blank({i, i});
}

}  // namespace

std::string CxxSource::device_text(const TextCuts& cuts, const std::vector<Token>& defines) const {
  Blanker blanker(text_, tokens_);
  const Outline outline = outline_of(tokens_, path_, defines);
  for (const OutlineItem& item : outline.items) blank_host(item, blanker);
  for (const TokenRange& range : cuts.bodies)
    if (!blanker.is_blank(range.begin)) blanker.blank_body(range);
  for (const TokenRange& range : cuts.all) blanker.blank(range);
  for (const auto& [directive, text] : cuts.directives)
    if (!blanker.is_blank(directive)) blanker.replace(directive, text);  // else in what went
  for (const auto& [token, text] : cuts.inserted) blanker.insert_behind(token, text);
  change_shared(tokens_, blanker);
  drop_noinline(tokens_, blanker);
  return blanker.finish();
}

}  // namespace heddle::kernel::cxx
