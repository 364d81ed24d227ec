#include "config/toml_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/file.h"

namespace {

/// What toml++ takes for granted did not hold.
struct TomlAssertion {};
[[noreturn]] void fail_assertion() {
  throw TomlAssertion();
}

}  // namespace

// toml++ takes for granted what an input can break ("[%" does), and ends the program then, or lets
// the compiler rely on it. An exception instead makes it an Error in every build.
#undef NDEBUG
#define TOML_ASSERT(condition) ((condition) ? static_cast<void>(0) : fail_assertion())
// toml++ calls itself for brackets within brackets. Jobs have three.
#define TOML_MAX_NESTED_VALUES 16
#include <toml++/toml.h>

namespace heddle::config {
namespace {

constexpr std::size_t kFileLimitBytes = 1 << 20;
constexpr int kDotLimit = 64;

/// Refuses what toml++ 3.3 cannot take, before it sees it:
///   1. A key "a.a.a.a..." makes a table within a table for each dot, and they are freed by a
///   function
///      that calls itself. So a line may have only so many dots outside texts and comments.
///   2. Its test for white space runs past its end on some characters beyond ASCII. It is made
///   where
///      none can stand, and after a backslash that joins lines of a long text.
class InputCheck {
 public:
  explicit InputCheck(std::string_view text) : text_(text) {}

  void run() {
    int dots = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_text(c);
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      if (c == '\n') {
        ++line_;
        dots = 0;
      }
      if (c == '.' && ++dots > kDotLimit) {
        fail(fmt::format("more than {} dots in a line", kDotLimit),
             "write tables as [tensors.a_ptr]");
      }
      if (is_beyond_ascii(c)) {
        fail("a character beyond ASCII stands outside quotes", "put quotes around the text");
      }
      ++at_;
    }
  }

 private:
  [[noreturn]] void fail(std::string what, std::string hint) const {
    throw Error(std::move(what), std::move(hint)).at({}, {line_, 1});
  }

  static bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) > 0x7f; }
  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  bool sees(std::string_view wanted) const { return text_.substr(at_, wanted.size()) == wanted; }

  void skip_text(char quote) {
    const std::string three(3, quote);
    const bool is_long = sees(three);
    bool joins_lines = false;
    for (at_ += is_long ? 3 : 1; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        if (!is_long) return;  // an error, which toml++ reports
        ++line_;
      }
      if (c == '\\' && quote == '"') {
        const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
        joins_lines |= is_space(next);
        if (next != '\n') ++at_;
      } else if (is_long && sees(three)) {
        at_ += three.size();
        // Up to two quotes may stand before the closing three.
        for (int extra = 0; extra < 2 && sees({&quote, 1}); ++extra) ++at_;
        return;
      } else if (!is_long && c == quote) {
        ++at_;
        return;
      }
      if (joins_lines && is_beyond_ascii(text_[std::min(at_, text_.size() - 1)])) {
        fail("a character beyond ASCII in a text with a line that ends in a backslash",
             "write the text in one line");
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

Position position_of(const toml::source_region& region) {
  return {static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

TomlNode convert(const toml::node& node);

void convert_table(const toml::table& table, TomlNode& result) {
  result.kind = TomlNode::Kind::table;
  for (const auto& [key, value] : table) {
    TomlNode item = convert(value);
    item.key = key.str();
    item.key_position = position_of(key.source());
    result.items.push_back(std::move(item));
  }
  // toml++ sorts by key.
  std::ranges::stable_sort(result.items, [](const TomlNode& left, const TomlNode& right) {
    const Position a = left.key_position;
    const Position b = right.key_position;
    return a.line != b.line ? a.line < b.line : a.column < b.column;
  });
}

TomlNode convert(const toml::node& node) {
  TomlNode result;
  result.position = position_of(node.source());
  result.key_position = result.position;
  if (const toml::table* table = node.as_table()) {
    convert_table(*table, result);
  } else if (const toml::array* array = node.as_array()) {
    result.kind = TomlNode::Kind::array;
    for (const toml::node& item : *array) result.items.push_back(convert(item));
  } else if (const auto* text = node.as_string()) {
    result.kind = TomlNode::Kind::text;
    result.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    result.kind = TomlNode::Kind::integer;
    result.integer = integer->get();
  } else if (const auto* real = node.as_floating_point()) {
    result.kind = TomlNode::Kind::real;
    result.real = real->get();
  } else if (const auto* boolean = node.as_boolean()) {
    result.kind = TomlNode::Kind::boolean;
    result.boolean = boolean->get();
  } else {
    throw Error("dates and times mean nothing here", "write a number, or a text in quotes")
        .at({}, result.position);
  }
  return result;
}

}  // namespace

const TomlNode* TomlNode::find(std::string_view wanted) const {
  for (const TomlNode& item : items) {
    if (item.key == wanted) return &item;
  }
  return nullptr;
}

std::string_view TomlNode::kind_text() const {
  switch (kind) {
    case Kind::table:
      return "a table";
    case Kind::array:
      return "an array";
    case Kind::text:
      return "a text";
    case Kind::integer:
      return "an integer";
    case Kind::real:
      return "a float";
    case Kind::boolean:
      return "a boolean";
  }
  return "a value";
}

TomlNode read_toml(const std::string& path, std::string_view document) {
  return parse_toml(read_text(path, kFileLimitBytes), display_name(path), document);
}

TomlNode parse_toml(std::string_view text, const std::string& shown, std::string_view document) {
  try {
    InputCheck(text).run();
    return convert(toml::parse(text));
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("not TOML: {}", error.description()),
                fmt::format("texts need quotes; {} has an example", document))
        .at(shown, position_of(error.source()));
  } catch (const TomlAssertion&) {
    throw Error("not TOML", "look for a [table] or a key that begins with an odd character")
        .in(shown);
  } catch (const Error& error) {
    throw error.in(shown);
  }
}

}  // namespace heddle::config
