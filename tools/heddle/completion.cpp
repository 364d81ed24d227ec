#include "completion.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::tool {
namespace {

/// Inside single quotes of a shell; fish and the POSIX ones agree on this form.
std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'')
      result += "'\\''";
    else
      result += c;
  }
  return result + "'";
}

bool has_name(const FlagText& flag, std::string_view name) {
  return std::ranges::find(flag.names, name) != flag.names.end();
}

void know_gpus(std::vector<FlagText>& flags, const std::vector<std::string>& gpus) {
  for (FlagText& flag : flags)
    if (has_name(flag, "--gpu") && flag.choices.empty()) flag.choices = gpus;
}

std::string all_names(const std::vector<FlagText>& flags) {
  std::vector<std::string> names;
  for (const FlagText& flag : flags)
    names.insert(names.end(), flag.names.begin(), flag.names.end());
  return fmt::format("{}", fmt::join(names, " "));
}

std::vector<std::string> verb_names(const ProgramText& program) {
  std::vector<std::string> names;
  for (const VerbText& verb : program.verbs) names.push_back(verb.name);
  return names;
}

std::string bash_values(const VerbText& verb) {
  std::string rows;
  for (const FlagText& flag : verb.flags) {
    if (flag.names.empty() || flag.value.empty()) continue;
    const std::string words =
        flag.choices.empty()
            ? "return"
            : fmt::format("words={}", in_quotes(fmt::format("{}", fmt::join(flag.choices, " "))));
    rows += fmt::format("        {}) {} ;;\n", fmt::join(flag.names, "|"), words);
  }
  if (rows.empty()) return "";
  return "      case $before in\n" + rows + "      esac\n";
}

/// A value is completed by its flag, a word that begins with '-' by the flags of the verb, and
/// anything else as a file, by `-o default`.
std::string bash_script(const ProgramText& program) {
  const std::string verbs = fmt::format("{}", fmt::join(verb_names(program), " "));
  std::string cases;
  for (const VerbText& verb : program.verbs) {
    cases += fmt::format("    {})\n      flags={}\n{}", verb.name, in_quotes(all_names(verb.flags)),
                         bash_values(verb));
    if (verb.name == "help") cases += "      words=$verbs\n";
    if (verb.name == "completion") cases += "      words='bash zsh fish'\n";
    cases += "      ;;\n";
  }
  return fmt::format(R"sh(# bash completion for heddle, written by `heddle completion bash`
_heddle() {{
  local now=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} flags= words=
  local verbs={}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words=$verbs flags={}
  else
    case ${{COMP_WORDS[1]}} in
{}    esac
  fi
  case $now in
    -*) words=$flags ;;
  esac
  [ -z "$words" ] || COMPREPLY=($(compgen -W "$words" -- "$now"))
}}
complete -o default -o bashdefault -F _heddle heddle
)sh",
                     in_quotes(verbs), in_quotes(all_names(program.flags)), cases);
}

/// Brackets and colons end a description in _arguments.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_value(const FlagText& flag) {
  if (flag.value.empty()) return "";
  const std::string action =
      flag.choices.empty() ? "_files" : fmt::format("({})", fmt::join(flag.choices, " "));
  return fmt::format(":{}:{}", zsh_text(flag.value), action);
}

std::string zsh_arguments(const VerbText& verb, const std::string& verbs) {
  std::string result = "_arguments -s";
  for (const FlagText& flag : verb.flags)
    for (const std::string& name : flag.names)
      result += " \\\n        " +
                in_quotes("*" + name + "[" + zsh_text(flag.text) + "]" + zsh_value(flag));
  const std::string words = verb.name == "help"         ? "(" + verbs + ")"
                            : verb.name == "completion" ? "(bash zsh fish)"
                                                        : "_files";
  return result + " \\\n        " + in_quotes("*::word:" + words);
}

std::string zsh_script(const ProgramText& program) {
  std::string described;
  std::string cases;
  const std::string verbs = fmt::format("{}", fmt::join(verb_names(program), " "));
  for (const VerbText& verb : program.verbs) {
    described += fmt::format("    {}\n", in_quotes(verb.name + ":" + zsh_text(verb.text)));
    cases += fmt::format("    {})\n      {}\n      ;;\n", verb.name, zsh_arguments(verb, verbs));
  }
  return fmt::format(R"sh(#compdef heddle
# zsh completion for heddle, written by `heddle completion zsh`
_heddle() {{
  local -a verbs
  verbs=(
{}  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    return
  fi
  case $words[2] in
{}  esac
}}
if [ "$funcstack[1]" = _heddle ]; then
  _heddle "$@"
else
  compdef _heddle heddle
fi
)sh",
                     described, cases);
}

std::string fish_flag(const std::string& condition, const FlagText& flag) {
  std::string line = "complete -c heddle" + condition;
  for (const std::string& name : flag.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!flag.choices.empty())
    line += " -x -a " + in_quotes(fmt::format("{}", fmt::join(flag.choices, " ")));
  else if (!flag.value.empty())
    line += " -r -F";
  return line + " -d " + in_quotes(flag.text) + "\n";
}

std::string fish_script(const ProgramText& program) {
  std::string script = "# fish completion for heddle, written by `heddle completion fish`\n";
  const std::string none = " -n __fish_use_subcommand";
  for (const FlagText& flag : program.flags) script += fish_flag(none, flag);
  for (const VerbText& verb : program.verbs)
    script +=
        fmt::format("complete -c heddle{} -f -a {} -d {}\n", none, verb.name, in_quotes(verb.text));
  for (const VerbText& verb : program.verbs) {
    const std::string chosen = fmt::format(" -n '__fish_seen_subcommand_from {}'", verb.name);
    for (const FlagText& flag : verb.flags)
      if (!flag.names.empty()) script += fish_flag(chosen, flag);
    if (verb.name == "help")
      script += fmt::format("complete -c heddle{} -f -a {}\n", chosen,
                            in_quotes(fmt::format("{}", fmt::join(verb_names(program), " "))));
    if (verb.name == "completion")
      script += fmt::format("complete -c heddle{} -f -a 'bash zsh fish'\n", chosen);
  }
  return script;
}

}  // namespace

std::string completion_script(std::string_view shell, ProgramText program,
                              const std::vector<std::string>& gpus) {
  for (VerbText& verb : program.verbs) know_gpus(verb.flags, gpus);
  if (shell == "bash") return bash_script(program);
  return shell == "zsh" ? zsh_script(program) : fish_script(program);
}

}  // namespace heddle::tool
