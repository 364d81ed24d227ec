#include "kernel/cxx/compile_commands.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "kernel/cxx/token.h"
#include "support/lists.h"

namespace heddle::kernel::cxx {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostArguments = 20'000;
constexpr std::size_t kLongestDefine = 4096;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::string name_of(std::string_view define) {
  return std::string(define.substr(0, define.find_first_of("=(")));
}

std::vector<std::string> shell_words(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  bool is_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < command.size() && words.size() < kMostArguments; ++i) {
    const char c = command[i];
    const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (quote == 0 && is_space) {
      if (is_word) words.push_back(std::move(word));
      word.clear();
      is_word = false;
      continue;
    }
    is_word = true;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
      word += command[++i];
    } else {
      word += c;
    }
  }
  if (is_word) words.push_back(std::move(word));
  return words;
}

/// Reads the flags of one command.
class Flags {
 public:
  Flags(const std::vector<std::string>& arguments, fs::path folder)
      : arguments_(arguments), folder_(std::move(folder)) {}

  CompileCommand run() {
    for (at_ = 0; at_ < arguments_.size(); ++at_) flag(arguments_[at_]);
    result_.is_found = true;
    result_.folders = std::move(quoted_);
    append(result_.folders, plain_);
    append(result_.folders, system_);
    return std::move(result_);
  }

 private:
  void flag(const std::string& argument) {
    if (argument.starts_with("-X")) {  // for another program, the next argument as well
      if (argument.find('=') == std::string::npos) ++at_;
    } else if (argument.starts_with("-isystem")) {
      system_.push_back(path(value(argument, 8)));
    } else if (argument.starts_with("-iquote")) {
      quoted_.push_back(path(value(argument, 7)));
    } else if (argument == "-include" || argument == "--include" || argument == "-imacros") {
      result_.included.push_back(value(argument, argument.size()));
    } else if (argument.starts_with("-I")) {
      plain_.push_back(path(value(argument, 2)));
    } else if (argument.starts_with("-D")) {
      const std::string define = value(argument, 2);
      forget(name_of(define));
      if (is_define(define)) result_.defines.push_back(define);
    } else if (argument.starts_with("-U")) {
      forget(value(argument, 2));
    }
  }

  std::string value(const std::string& argument, std::size_t flag_size) {
    if (argument.size() > flag_size) return argument.substr(flag_size);
    return ++at_ < arguments_.size() ? arguments_[at_] : "";
  }
  /// nvcc's flags may have a = in front of the folder.
  std::string path(const std::string& folder) const {
    return (folder_ / folder.substr(folder.starts_with('=') ? 1 : 0)).lexically_normal().string();
  }
  void forget(const std::string& name) {
    std::erase_if(result_.defines, [&](const std::string& one) { return name_of(one) == name; });
  }

  const std::vector<std::string>& arguments_;
  fs::path folder_;
  std::size_t at_ = 0;
  std::vector<std::string> quoted_;
  std::vector<std::string> plain_;
  std::vector<std::string> system_;
  CompileCommand result_;
};

std::string text_at(const nlohmann::json& entry, const char* key) {
  return entry.contains(key) && entry[key].is_string() ? entry[key].get<std::string>() : "";
}

CompileCommand command_of(const nlohmann::json& entry, const fs::path& from) {
  std::vector<std::string> arguments;
  if (entry.contains("arguments") && entry["arguments"].is_array()) {
    for (const nlohmann::json& one : entry["arguments"])
      if (one.is_string() && arguments.size() < kMostArguments)
        arguments.push_back(one.get<std::string>());
  } else {
    arguments = shell_words(text_at(entry, "command"));
  }
  return Flags(arguments, from).run();
}

}  // namespace

bool is_define(std::string_view text) {
  const bool is_plain = std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 32 || c == 127;
  });
  if (text.empty() || text.size() > kLongestDefine || !is_plain || !is_letter(text.front()))
    return false;
  const auto end =
      std::find_if(text.begin(), text.end(), [](char c) { return !is_letter(c) && !is_digit(c); });
  const std::string_view name = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  if (name.starts_with("HEDDLE") || name.starts_with("heddle")) return false;
  if (end != text.end() && *end == '(') return text.find(")=") != std::string_view::npos;
  return end == text.end() || *end == '=';
}

CompileCommand command_for(const std::string& json, const std::string& file) {
  CompileCommand found;
  const nlohmann::json all = nlohmann::json::parse(json, nullptr, false);
  if (!all.is_array()) return found;
  for (const nlohmann::json& entry : all) {
    if (!entry.is_object()) continue;
    const fs::path from = text_at(entry, "directory");
    if ((from / text_at(entry, "file")).lexically_normal() != fs::path(file)) continue;
    CompileCommand one = command_of(entry, from);
    if (!found.is_found) {
      found = std::move(one);
    } else if (!(found == one)) {
      found.is_ambiguous = true;
      break;
    }
  }
  return found;
}

}  // namespace heddle::kernel::cxx
