#include "mcp/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "support/error.h"
#include "support/spelling.h"

namespace heddle::mcp {
namespace {

using nlohmann::json;

constexpr std::size_t kMostEntries = 256;
constexpr std::size_t kLongestText = 4096;                   ///< bytes of a value
constexpr std::size_t kLongestInput = std::size_t{4} << 20;  ///< bytes for standard input
constexpr std::size_t kLongestWord = 64;

json type_of(const Argument& argument) {
  switch (argument.kind) {
    case Argument::Kind::number:
      return {{"type", "integer"}, {"minimum", argument.least}, {"maximum", argument.most}};
    case Argument::Kind::flag:
      return {{"type", "boolean"}};
    case Argument::Kind::choice:
      return {{"type", "string"}, {"enum", argument.choices}};
    case Argument::Kind::texts:
    case Argument::Kind::paths:
      return {{"type", "array"}, {"items", {{"type", "string"}}}, {"maxItems", kMostEntries}};
    default:
      return {{"type", "string"}};
  }
}

Error wrong(const Argument& argument, const std::string& what) {
  return Error(fmt::format("'{}' {}", argument.name, what), argument.description);
}

const std::string& text_of(const Argument& argument, const json& value, std::size_t most) {
  if (!value.is_string()) throw wrong(argument, "is not a string");
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() > most) throw wrong(argument, fmt::format("has more than {} bytes", most));
  if (text.find('\0') != std::string::npos) throw wrong(argument, "has a null byte in it");
  return text;
}

class Words {
 public:
  Words(const Argument& argument, const Roots& roots, Command& command)
      : argument_(argument), roots_(roots), command_(command) {}

  void add(const json& value) {
    switch (argument_.kind) {
      case Argument::Kind::number:
        return add_number(value);
      case Argument::Kind::flag:
        if (!value.is_boolean()) throw wrong(argument_, "is not true or false");
        if (value.get<bool>()) command_.words.push_back(argument_.flag);
        return;
      case Argument::Kind::choice:
        return add_choice(text_of(argument_, value, kLongestText));
      case Argument::Kind::texts:
      case Argument::Kind::paths:
        if (!value.is_array()) throw wrong(argument_, "is not a list of strings");
        if (value.size() > kMostEntries)
          throw wrong(argument_, fmt::format("has more than {} entries", kMostEntries));
        for (const json& entry : value) add_one(text_of(argument_, entry, kLongestText));
        return;
      case Argument::Kind::input:
        command_.input = text_of(argument_, value, kLongestInput);
        return put("-");
      default:
        return add_one(text_of(argument_, value, kLongestText));
    }
  }

 private:
  void put(const std::string& value) {
    command_.words.push_back(argument_.flag.empty() ? value : argument_.flag + "=" + value);
  }

  void add_number(const json& value) {
    if (!value.is_number_integer()) throw wrong(argument_, "is not an integer");
    const bool is_large = value.is_number_unsigned() &&
                          value.get<std::uint64_t>() > static_cast<std::uint64_t>(argument_.most);
    if (is_large || value.get<std::int64_t>() < argument_.least ||
        value.get<std::int64_t>() > argument_.most)
      throw wrong(argument_, fmt::format("is not in {} to {}", argument_.least, argument_.most));
    put(std::to_string(value.get<std::int64_t>()));
  }

  void add_choice(const std::string& text) {
    if (std::find(argument_.choices.begin(), argument_.choices.end(), text) ==
        argument_.choices.end())
      throw wrong(argument_, fmt::format("is not one of: {}", fmt::join(argument_.choices, " ")));
    put(text);
  }

  void add_one(const std::string& text) {
    switch (argument_.kind) {
      case Argument::Kind::path:
      case Argument::Kind::paths:
        command_.reads_files = true;
        return put(roots_.existing(text));
      case Argument::Kind::folder:
        command_.folder = roots_.writable(text);
        return put(command_.folder);
      case Argument::Kind::gpu:
        return add_gpu(text);
      case Argument::Kind::literal:
        if (text.empty() || text.size() > kLongestWord || text[0] == '-' ||
            !std::all_of(text.begin(), text.end(), [](unsigned char c) {
              return std::isalnum(c) != 0 || c == '-' || c == '_';
            }))
          throw wrong(argument_, "is not a word of letters, digits and '-'");
        return put(text);
      default:
        return put(text);
    }
  }

  /// "mi300x", "mi300x:cpx", or a file with a mode of its own.
  void add_gpu(const std::string& text) {
    const std::size_t end = text.find(".toml");
    if (end == std::string::npos && text.find('/') == std::string::npos) return put(text);
    const std::size_t mode = end == std::string::npos ? end : text.find(':', end);
    command_.reads_files = true;
    put(roots_.existing(text.substr(0, mode)) +
        (mode == std::string::npos ? "" : text.substr(mode)));
  }

  const Argument& argument_;
  const Roots& roots_;
  Command& command_;
};

}  // namespace

json schema_of(const std::vector<Argument>& arguments) {
  json properties = json::object();
  json required = json::array();
  for (const Argument& argument : arguments) {
    properties[argument.name] = type_of(argument);
    properties[argument.name]["description"] = argument.description;
    if (argument.required) required.push_back(argument.name);
  }
  json schema = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

void add_words(const std::vector<Argument>& arguments, const json& given, const Roots& roots,
               Command& command) {
  std::vector<std::string> names;
  for (const Argument& argument : arguments) names.push_back(argument.name);
  for (const auto& [name, value] : given.items()) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw Error(fmt::format("unknown argument '{}'", name.substr(0, kLongestWord)),
                fmt::format("{}use one of: {}", did_you_mean(name, names), word_list(names)));
  }
  for (const Argument& argument : arguments) {
    const auto value = given.find(argument.name);
    if (value != given.end() && !value->is_null())
      Words(argument, roots, command).add(*value);
    else if (argument.required)
      throw wrong(argument, "is missing");
  }
}

}  // namespace heddle::mcp
