#include "manual.h"

#include <fmt/format.h>

#include <cctype>

#include "support/text.h"
#include "support/version.h"

namespace heddle::tool {
namespace {

struct Variable {
  const char* name;
  const char* text;
};

constexpr Variable kVariables[] = {
    {"HEDDLE_GPU", "the GPU of verbs that take --gpu"},
    {"HEDDLE_HISTORY", "the history file (optimize, history)"},
    {"HEDDLE_GPUS", "a folder of GPU files: NAME.toml is what --gpu NAME reads"},
    {"HEDDLE_CACHE", "'off': compiled C++ kernels are not kept"},
    {"HEDDLE_CLANG", "the Clang that compiles C++ kernels; otherwise clang-19"},
    {"HEDDLE_API_KEY", "the key of a language model (optimize --model)"},
    {"NO_COLOR", "no colour, unless --color says otherwise"},
    {"CLICOLOR_FORCE", "colour, even where output goes to a file"},
};

/// Words of ours, safe in roff: a backslash, a leading dot and hyphens mean something there.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n'))
      result += std::string("\\&") + c;
    else
      result += c;
  }
  return result;
}

std::string bold(std::string_view text) {
  return "\\fB" + roff(text) + "\\fR";
}

std::string italic(std::string_view text) {
  return "\\fI" + roff(text) + "\\fR";
}

std::string title(std::string_view page) {
  return fmt::format(".TH {} 1 \"\" \"heddle {}\" \"heddle\"\n.nh\n.ad l\n", page, version());
}

std::string in_capitals(std::string_view text) {
  std::string result = roff(text);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

std::string section(std::string_view name) {
  return fmt::format(".SH {}\n", name);
}

std::string flag_item(const FlagText& flag) {
  std::string heading;
  for (const std::string& name : flag.names) {
    if (!heading.empty()) heading += ", ";
    heading += bold(name);
  }
  if (flag.names.empty()) heading = italic(flag.word);
  if (!flag.names.empty() && !flag.value.empty()) heading += " " + italic(flag.value);
  std::string text = roff(flag.text);
  if (!flag.choices.empty() && flag.text.find(flag.choices.front()) == std::string::npos)
    text += roff(fmt::format(": {}", fmt::join(flag.choices, ", ")));
  if (!flag.default_value.empty()) text += roff(fmt::format(" (default: {})", flag.default_value));
  if (!flag.environment.empty()) text += roff(fmt::format(" (otherwise ${})", flag.environment));
  if (flag.is_required) text += " (required)";
  return fmt::format(".TP\n{}\n{}\n", heading, text);
}

std::string flag_items(const std::vector<FlagText>& flags) {
  std::string result;
  for (const FlagText& flag : flags)
    if (flag.names.empty()) result += flag_item(flag);
  for (const FlagText& flag : flags)
    if (!flag.names.empty()) result += flag_item(flag);
  return result;
}

/// The footer of the help as it stands there.
std::string examples(std::string_view footer) {
  std::string_view text = trim(footer);
  constexpr std::string_view kHeading = "Examples:";
  if (text.starts_with(kHeading)) text = text.substr(kHeading.size());
  while (text.starts_with("\n")) text.remove_prefix(1);
  if (text.empty()) return "";
  return section("EXAMPLES") + ".nf\n" + roff(text) + "\n.fi\n";
}

std::string environment() {
  std::string result = section("ENVIRONMENT");
  for (const Variable& variable : kVariables)
    result += fmt::format(".TP\n{}\n{}\n", bold(variable.name), roff(variable.text));
  return result;
}

std::string see_also(const ProgramText& program, std::string_view but) {
  std::string result = section("SEE ALSO");
  std::string names = but.empty() ? "" : bold("heddle") + "(1)";
  for (const VerbText& verb : program.verbs) {
    if (verb.name == but) continue;
    if (!names.empty()) names += ",\n";
    names += bold("heddle-" + verb.name) + "(1)";
  }
  return result + names + "\n";
}

std::string synopsis(const VerbText& verb) {
  std::string line = bold("heddle " + verb.name) + " [" + italic("OPTIONS") + "]";
  for (const FlagText& flag : verb.flags) {
    if (flag.word.empty()) continue;
    const std::string word = italic(flag.word) + (flag.takes_many ? "..." : "");
    line += flag.is_required ? " " + word : " [" + word + "]";
  }
  return section("SYNOPSIS") + line + "\n";
}

}  // namespace

std::string program_page(const ProgramText& program) {
  std::string page = title("HEDDLE");
  page += section("NAME") + "heddle \\- the order in which a GPU runs a kernel's blocks\n";
  page += section("SYNOPSIS") + bold("heddle") + " " + italic("VERB") + " [" + italic("OPTIONS") +
          "]\n.br\n" + bold("heddle help") + " " + italic("VERB") + "\n";
  page += section("DESCRIPTION") + roff(program.text) + "\n";
  page += section("VERBS");
  for (const VerbText& verb : program.verbs)
    page += fmt::format(".TP\n{}\n{}\n", bold(verb.name), roff(verb.text));
  page += section("OPTIONS") + flag_items(program.flags);
  return page + examples(program.footer) + environment() + see_also(program, "");
}

std::string verb_page(const ProgramText& program, const VerbText& verb) {
  std::string page = title("HEDDLE\\-" + in_capitals(verb.name));
  page += section("NAME") + roff("heddle-" + verb.name) + " \\- " + roff(verb.text) + "\n";
  page += synopsis(verb) + section("OPTIONS") + flag_items(verb.flags);
  return page + examples(verb.footer) + see_also(program, verb.name);
}

}  // namespace heddle::tool
