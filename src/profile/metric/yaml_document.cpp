#include "profile/metric/yaml_document.h"

#include <fmt/format.h>

#include <charconv>

#include "support/error.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

constexpr std::size_t kMostYaml = std::size_t{1} << 20;
constexpr int kMostLevels = 32;

struct YamlLine {
  std::size_t indent = 0;
  std::string_view text;  ///< without indentation; empty for an empty line
  int number = 0;
};

class YamlParser {
 public:
  YamlParser(std::string_view text, std::string shown) : shown_(std::move(shown)) {
    if (text.size() > kMostYaml)
      throw Error(fmt::format("'{}' is larger than the 1 MiB that are read", shown_),
                  "name another folder with --config-dir");
    int number = 0;
    for (std::string_view line : split_lines(text)) {
      ++number;
      const std::size_t indent = line.find_first_not_of(' ');
      const bool blank = trim(line).empty();
      if (!blank && line[indent] == '\t') fail(number, "a tab indents the line");
      lines_.push_back({blank ? 0 : indent, blank ? std::string_view() : trim(line), number});
    }
  }

  YamlNode whole() {
    skip();
    if (at_ < lines_.size() && lines_[at_].text == "---") ++at_;
    YamlNode root;
    skip();
    if (at_ < lines_.size()) root = block(lines_[at_].indent, 0);
    skip();
    if (at_ < lines_.size())
      fail(lines_[at_].number, "the line is not indented like its neighbours");
    return root;
  }

 private:
  [[noreturn]] void fail(int line, const std::string& what) const {
    throw Error(what, "see docs/metrics.md").at(shown_, Position{line, 1});
  }

  /// To the next line that says something.
  void skip() {
    while (at_ < lines_.size() && (lines_[at_].text.empty() || lines_[at_].text.starts_with('#')))
      ++at_;
  }

  static bool is_item(std::string_view text) { return text == "-" || text.starts_with("- "); }

  YamlNode block(std::size_t indent, int level) {
    if (level > kMostLevels) fail(lines_[at_].number, "the file is nested too deep");
    return is_item(lines_[at_].text) ? list(indent, level) : map(indent, level);
  }

  YamlNode list(std::size_t indent, int level) {
    YamlNode node;
    node.kind = YamlNode::Kind::list;
    node.line = lines_[at_].number;
    for (skip(); at_ < lines_.size() && lines_[at_].indent == indent && is_item(lines_[at_].text);
         skip()) {
      YamlLine& line = lines_[at_];
      const std::string_view rest = trim(line.text.substr(1));
      if (rest.empty()) {
        ++at_;
        node.items.push_back(below(indent, level));
      } else if (key_end(rest) != std::string_view::npos) {
        // The item is a map whose first key stands beside the dash.
        line.indent = indent + (line.text.size() - rest.size());
        line.text = rest;
        node.items.push_back(map(line.indent, level + 1));
      } else {
        const int number = line.number;
        ++at_;
        node.items.push_back(scalar(rest, indent, number));
      }
    }
    return node;
  }

  YamlNode map(std::size_t indent, int level) {
    YamlNode node;
    node.kind = YamlNode::Kind::map;
    node.line = lines_[at_].number;
    for (skip(); at_ < lines_.size() && lines_[at_].indent == indent && !is_item(lines_[at_].text);
         skip()) {
      const YamlLine line = lines_[at_];
      const std::size_t end = key_end(line.text);
      if (end == std::string_view::npos) fail(line.number, "'KEY: VALUE' is missing here");
      ++at_;
      const std::string_view rest = trim(line.text.substr(end + 1));
      YamlNode value = rest.empty() || rest.starts_with('#') ? below(indent, level)
                                                             : scalar(rest, indent, line.number);
      value.key = plain_key(line.text.substr(0, end));
      value.line = line.number;
      node.items.push_back(std::move(value));
    }
    return node;
  }

  /// What is indented below a key or a dash; a list may stand in the key's own column.
  YamlNode below(std::size_t indent, int level) {
    skip();
    if (at_ >= lines_.size()) return {};
    const YamlLine& next = lines_[at_];
    if (next.indent > indent || (next.indent == indent && is_item(next.text)))
      return block(next.indent, level + 1);
    return {};
  }

  /// Where the colon after the key stands.
  static std::size_t key_end(std::string_view text) {
    std::size_t from = 0;
    if (text.starts_with('\'') || text.starts_with('"')) {
      from = text.find(text[0], 1);
      if (from == std::string_view::npos) return from;
    }
    const std::size_t inner = text.find(": ", from);
    if (inner != std::string_view::npos) return inner;
    return text.ends_with(':') ? text.size() - 1 : std::string_view::npos;
  }

  static std::string plain_key(std::string_view key) {
    key = trim(key);
    if (key.size() > 1 && (key[0] == '\'' || key[0] == '"')) key = key.substr(1, key.size() - 2);
    return std::string(key);
  }

  YamlNode scalar(std::string_view rest, std::size_t indent, int line) {
    YamlNode node;
    node.line = line;
    if (rest == "{}" || rest == "[]") {
      node.kind = rest == "{}" ? YamlNode::Kind::map : YamlNode::Kind::list;
    } else if (rest[0] == '>' || rest[0] == '|') {
      node.text = lines_below(indent, rest[0] == '|' ? "\n" : " ");
    } else if (rest[0] == '\'' || rest[0] == '"') {
      node.text = quoted_text(rest, indent, line);
    } else if (std::string_view("&*!{[%@`").find(rest[0]) != std::string_view::npos) {
      fail(line, fmt::format("'{}' begins something of YAML that is not read", rest[0]));
    } else {
      node.text = without_comment(rest);
      const std::string more = lines_below(indent, " ");
      if (!more.empty()) node.text += " " + more;
      if (node.text == "null" || node.text == "~") node.text.clear();
    }
    return node;
  }

  static std::string without_comment(std::string_view text) {
    return std::string(trim(text.substr(0, text.find(" #"))));
  }

  std::string lines_below(std::size_t indent, std::string_view between) {
    std::string text;
    while (at_ < lines_.size() && (lines_[at_].indent > indent || lines_[at_].text.empty())) {
      const std::string_view line = lines_[at_++].text;
      if (line.empty()) continue;
      text += (text.empty() ? "" : std::string(between)) + std::string(line);
    }
    return text;
  }

  /// "2122" -> "™", as UTF-8.
  std::string code_point(std::string_view digits, int line) const {
    unsigned value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 4 || error != std::errc() || end != digits.data() + digits.size() ||
        (value >= 0xd800 && value < 0xe000))
      fail(line, "\\u needs the four digits of a character");
    if (value < 0x80) return {static_cast<char>(value)};
    if (value < 0x800)
      return {static_cast<char>(0xc0 | (value >> 6U)), static_cast<char>(0x80 | (value & 0x3fU))};
    return {static_cast<char>(0xe0 | (value >> 12U)),
            static_cast<char>(0x80 | ((value >> 6U) & 0x3fU)),
            static_cast<char>(0x80 | (value & 0x3fU))};
  }

  std::string quoted_text(std::string_view rest, std::size_t indent, int line) {
    const char quote = rest[0];
    std::string text;
    std::string_view piece = rest.substr(1);
    while (true) {
      for (std::size_t i = 0; i < piece.size(); ++i) {
        const bool doubled = quote == '\'' && piece.substr(i, 2) == "''";
        if (quote == '"' && piece.substr(i, 2) == "\\u") {
          text += code_point(piece.substr(i + 2, 4), line);
          i += 5;
        } else if (doubled || (quote == '"' && piece[i] == '\\' && i + 1 < piece.size())) {
          text += piece[++i];
        } else if (piece[i] == quote) {
          return text;
        } else {
          text += piece[i];
        }
      }
      if (at_ >= lines_.size() || (lines_[at_].indent <= indent && !lines_[at_].text.empty()))
        fail(line, "a quote does not close");
      piece = lines_[at_++].text;
      text += ' ';
    }
  }

  std::string shown_;
  std::vector<YamlLine> lines_;
  std::size_t at_ = 0;
};

}  // namespace

const YamlNode* YamlNode::find(std::string_view wanted) const {
  for (const YamlNode& item : items) {
    if (kind == Kind::map && item.key == wanted) return &item;
  }
  return nullptr;
}

std::string YamlNode::text_of(std::string_view wanted) const {
  const YamlNode* found = find(wanted);
  return found == nullptr ? std::string() : found->text;
}

YamlNode parse_yaml(std::string_view text, const std::string& shown) {
  return YamlParser(text, shown).whole();
}

}  // namespace heddle::profile
