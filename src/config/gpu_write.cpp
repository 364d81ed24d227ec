#include "config/gpu_write.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/gpu_files.h"
#include "config/gpu_value.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::config {
namespace {

using NodeKind = TomlNode::Kind;

constexpr std::size_t kColumns = 100;
constexpr const char* kGpuDocument = "docs/add-a-gpu.md";

// ---- values -------------------------------------------------------------------------------------

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    if (is_control)
      result += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      result += c;
  }
  return result;
}

std::string quoted_text(std::string_view text) {
  return fmt::format("\"{}\"", escaped(text));
}

/// A bare key where it may be one.
std::string key_text(std::string_view key) {
  const bool is_bare = !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_';
  });
  return is_bare ? std::string(key) : quoted_text(key);
}

/// Every run of white space becomes one blank, as the reader of GPU files has it.
std::string one_note_line(std::string_view text) {
  std::string result;
  for (const char c : trim(text)) {
    const bool is_space = c == ' ' || (c >= '\t' && c <= '\r');
    if (!is_space || result.back() != ' ') result += is_space ? ' ' : c;
  }
  return result;
}

/// A text of several lines, broken at blanks.
std::string long_text(std::string_view text) {
  std::string result = "\"\"\"\n";
  std::size_t column = 0;
  const std::string line = one_note_line(text);
  for (const std::string_view word : split(line, ' ')) {
    const std::string part = escaped(word);
    if (column > 0 && column + 1 + part.size() > kColumns - 3) {
      result += '\n';
      column = 0;
    }
    if (column > 0) {
      result += ' ';
      ++column;
    }
    result += part;
    column += part.size();
  }
  return result + "\"\"\"";
}

/// A real number that is read back as itself.
std::string real_text(double number) {
  std::string text = fmt::format("{}", number);
  const bool is_whole = text.find_first_not_of("-0123456789") == std::string::npos;
  return is_whole ? text + ".0" : text;
}

std::string value_text(const TomlNode& node) {
  std::vector<std::string> parts;
  switch (node.kind) {
    case NodeKind::text:
      return quoted_text(node.text);
    case NodeKind::integer:
      return fmt::format("{}", node.integer);
    case NodeKind::real:
      return real_text(node.real);
    case NodeKind::boolean:
      return node.boolean ? "true" : "false";
    case NodeKind::array:
      for (const TomlNode& item : node.items) parts.push_back(value_text(item));
      return fmt::format("[{}]", fmt::join(parts, ", "));
    case NodeKind::table:
      for (const TomlNode& item : node.items)
        parts.push_back(fmt::format("{} = {}", key_text(item.key), value_text(item)));
      return fmt::format("{{ {} }}", fmt::join(parts, ", "));
  }
  return {};
}

// ---- lines --------------------------------------------------------------------------------------

/// name = value; what is too long for a line is written key by key, long texts over several lines.
std::string entry_text(const std::string& name, const TomlNode& node) {
  const std::string line = fmt::format("{} = {}", name, value_text(node));
  const bool has_lines = node.kind == NodeKind::text && node.text.find('\n') != std::string::npos;
  if (line.size() <= kColumns && !has_lines) return line + "\n";
  if (node.kind == NodeKind::text) return fmt::format("{} = {}\n", name, long_text(node.text));
  if (node.kind != NodeKind::table) return line + "\n";
  std::string text;
  for (const TomlNode& item : node.items) text += entry_text(name + "." + key_text(item.key), item);
  return text;
}

bool is_number(const TomlNode& node) {
  return node.kind == NodeKind::table && node.find("is") != nullptr;
}

/// The entries of a section, or of a mode whose sections are dotted names.
std::string entries_text(const TomlNode& table, const std::string& prefix) {
  std::string text;
  for (const TomlNode& item : table.items) {
    const std::string name = prefix + key_text(item.key);
    if (item.kind == NodeKind::table && !is_number(item))
      text += entries_text(item, name + ".");
    else
      text += entry_text(name, item);
  }
  return text;
}

TomlNode text_node(std::string key, std::string text) {
  TomlNode node;
  node.kind = NodeKind::text;
  node.key = std::move(key);
  node.text = std::move(text);
  return node;
}

TomlNode* find_node(TomlNode& table, std::string_view key) {
  for (TomlNode& item : table.items) {
    if (item.key == key) return &item;
  }
  return nullptr;
}

TomlNode& made_node(TomlNode& table, std::string_view key) {
  if (TomlNode* found = find_node(table, key)) return *found;
  TomlNode& node = table.items.emplace_back();
  node.key = key;
  return node;
}

TomlNode parsed_value(const std::string& value) {
  TomlNode root = parse_toml("value = " + value, "value", kGpuDocument);
  return std::move(root.items.front());
}

}  // namespace

const GpuKey* find_gpu_key(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return nullptr;
  return find_gpu_key(text.substr(0, dot), text.substr(dot + 1));
}

std::string gpu_value_text(const Gpu& gpu, const GpuKey& key) {
  Gpu copy = gpu;  // fields are asked for by reference
  return std::visit(
      [&](auto field) -> std::string {
        const auto& value = field(copy);
        using Field = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<Field, bool>) {
          return value ? "true" : "false";
        } else if constexpr (std::is_same_v<Field, IndexBits>) {
          std::vector<std::string> groups;
          for (const std::vector<int>& bits : value)
            groups.push_back(fmt::format("[{}]", fmt::join(bits, ", ")));
          return fmt::format("[{}]", fmt::join(groups, ", "));
        } else if constexpr (std::is_enum_v<Field>) {
          return quoted_text(words_of(key)[static_cast<std::size_t>(value)]);
        } else {
          return fmt::format("{}", value);
        }
      },
      key.field);
}

void set_gpu_value_text(Gpu& gpu, const GpuKey& key, const std::string& value) {
  set_gpu_value(gpu, key, parsed_value(value));
}

TomlNode gpu_document(const std::string& name_or_path) {
  const Gpu gpu = read_gpu(name_or_path);
  for (const GpuFile& file : gpu_files()) {
    if (!is_gpu_path(name_or_path) && file.name == gpu.name)
      return parse_toml(file.text, gpu.path, kGpuDocument);
  }
  return read_toml(gpu.path, kGpuDocument);
}

void change_gpu(TomlNode& root, const std::string& mode, const GpuChange& change) {
  const GpuKey* key = find_gpu_key(change.key);
  if (key == nullptr) throw Error(fmt::format("no key of a GPU is called '{}'", change.key));
  TomlNode* number = nullptr;
  TomlNode* modes = find_node(root, "modes");
  TomlNode* own = modes != nullptr ? find_node(*modes, mode) : nullptr;
  TomlNode* own_section = own != nullptr ? find_node(*own, key->section) : nullptr;
  if (own_section != nullptr) number = find_node(*own_section, key->name);
  if (number == nullptr) {
    TomlNode* section = find_node(root, key->section);
    if (section == nullptr) section = own_section;
    if (section == nullptr)
      throw Error(fmt::format("the GPU's file has no [{}]", key->section),
                  fmt::format("leave {} out", change.key));
    number = &made_node(*section, key->name);
  }
  TomlNode value = parsed_value(change.value);
  value.key = "is";
  number->kind = NodeKind::table;
  number->items = {std::move(value), text_node("from", change.from)};
  if (!change.why.empty()) number->items.push_back(text_node("why", change.why));
}

void set_gpu_source(TomlNode& root, const std::string& name, const std::string& citation) {
  made_node(made_node(root, "sources"), name) = text_node(name, citation);
}

void set_gpu_calibrated(TomlNode& root, bool calibrated) {
  TomlNode& node = made_node(root, "calibrated");
  node.kind = NodeKind::boolean;
  node.boolean = calibrated;
}

std::string gpu_text(const TomlNode& root, const std::string& remark) {
  std::string text = remark.empty() ? "" : "# " + one_note_line(remark) + "\n";
  text += "# docs/add-a-gpu.md explains the keys. `from` names a line of [sources] at the end.\n\n";
  for (const TomlNode& item : root.items) {
    if (item.kind != NodeKind::table) text += entry_text(key_text(item.key), item);
  }
  for (const TomlNode& item : root.items) {
    if (item.kind != NodeKind::table || item.key == "modes" || item.key == "sources") continue;
    text += fmt::format("\n[{}]\n{}", key_text(item.key), entries_text(item, ""));
  }
  if (const TomlNode* modes = root.find("modes")) {
    for (const TomlNode& mode : modes->items)
      text += fmt::format("\n[modes.{}]\n{}", key_text(mode.key), entries_text(mode, ""));
  }
  if (const TomlNode* sources = root.find("sources"))
    text += "\n[sources]\n" + entries_text(*sources, "");
  return text;
}

}  // namespace heddle::config
