// heddle help: what --help says of a verb, as text, man page or JSON. heddle completion: a script.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "completion.h"
#include "config/gpu.h"
#include "manual.h"
#include "output.h"
#include "support/version.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr int kHelpVersion = 1;

constexpr const char* kHelpExamples = R"text(
Examples:
  heddle help check
  heddle help --man check | man -l -
  heddle help --json)text";

constexpr const char* kCompletionExamples = R"text(
Examples:
  heddle completion bash > ~/.local/share/bash-completion/completions/heddle
  heddle completion zsh > ~/.zfunc/_heddle
  heddle completion fish > ~/.config/fish/completions/heddle.fish
Packages and `make install` install these scripts.)text";

struct HelpArguments {
  std::string verb;
  bool man = false;
  OutputArguments output;
};

nlohmann::json flags_json(const std::vector<FlagText>& flags) {
  nlohmann::json result = nlohmann::json::array();
  for (const FlagText& flag : flags) {
    nlohmann::json one = {{"names", flag.names},           {"value", flag.value},
                          {"choices", flag.choices},       {"text", flag.text},
                          {"default", flag.default_value}, {"environment", flag.environment},
                          {"required", flag.is_required},  {"many", flag.takes_many}};
    if (!flag.word.empty()) one["word"] = flag.word;
    result.push_back(std::move(one));
  }
  return result;
}

nlohmann::json program_json(const ProgramText& program, const std::string& only) {
  nlohmann::json verbs = nlohmann::json::array();
  for (const VerbText& verb : program.verbs) {
    if (!only.empty() && verb.name != only) continue;
    verbs.push_back({{"name", verb.name}, {"text", verb.text}, {"flags", flags_json(verb.flags)}});
  }
  return {{"version", kHelpVersion},
          {"heddle", version()},
          {"commit", commit()},
          {"flags", flags_json(program.flags)},
          {"verbs", verbs}};
}

std::string man_page(const ProgramText& program, const std::string& name) {
  const auto verb = std::ranges::find(program.verbs, name, &VerbText::name);
  return verb == program.verbs.end() ? program_page(program) : verb_page(program, *verb);
}

ExitCode run_help(const Program& program, const HelpArguments& arguments) {
  std::string text = program.help_text(arguments.verb);
  if (arguments.output.wants_json())
    text = json_text(program_json(program.describe(), arguments.verb));
  else if (arguments.man)
    text = man_page(program.describe(), arguments.verb);
  arguments.output.print(text);
  return ExitCode::good;
}

}  // namespace

void add_help(Program& program, Outcome& outcome) {
  Verb verb = program.add_verb("help", "show the flags of a verb");
  const auto arguments = std::make_shared<HelpArguments>();
  verb.add_option("VERB", arguments->verb, "a verb; the program itself otherwise");
  verb.add_flag("--man", arguments->man, "print a man page");
  arguments->output.add(verb);
  verb.footer(kHelpExamples);
  verb.callback([arguments, &program, &outcome] { outcome.code = run_help(program, *arguments); });
}

void add_completion(Program& program, Outcome& outcome) {
  Verb verb =
      program.add_verb("completion", "print a script that completes verbs and flags in a shell");
  const auto shell = std::make_shared<std::string>();
  verb.add_option("SHELL", *shell, "bash, zsh or fish").required().one_of({"bash", "zsh", "fish"});
  verb.footer(kCompletionExamples);
  verb.callback([shell, &program, &outcome] {
    OutputArguments().print(completion_script(*shell, program.describe(), config::known_gpus()));
    outcome.code = ExitCode::good;
  });
}

}  // namespace heddle::tool
