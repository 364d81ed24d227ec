#include "flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <utility>

#include "notes.h"
#include "output.h"
#include "support/error.h"
#include "support/spelling.h"
#include "support/text.h"

namespace heddle::tool {
namespace {

/// CLI11 takes strings.
std::string owned(std::string_view text) {
  return std::string(text);
}

template <class Value>
Flag add(CLI::App& app, std::string_view names, Value& value, std::string_view text) {
  return Flag(app.add_option(owned(names), value, owned(text)));
}

/// "TEXT:{always,never}" is a value TEXT that is one of two words.
void read_type(const std::string& type, FlagText& flag) {
  const std::size_t colon = type.find(':');
  flag.value = type.substr(0, colon);
  const std::size_t begin = type.find('{');
  const std::size_t end = type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos) return;
  for (const std::string_view word :
       split(std::string_view(type).substr(begin + 1, end - begin - 1), ','))
    flag.choices.emplace_back(word);
}

FlagText flag_text(const CLI::Option& option) {
  FlagText flag;
  for (const std::string& name : option.get_snames()) flag.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flag.names.push_back("--" + name);
  if (option.get_positional()) flag.word = option.get_name(true);
  if (option.get_items_expected_max() > 0) read_type(option.get_type_name(), flag);
  flag.text = option.get_description();
  flag.default_value = option.get_default_str();
  flag.environment = option.get_envname();
  flag.is_required = option.get_required();
  flag.takes_many = option.get_items_expected_max() > 1;
  return flag;
}

std::vector<FlagText> flags_of(const CLI::App& app) {
  std::vector<FlagText> flags;
  for (const CLI::Option* option : app.get_options()) flags.push_back(flag_text(*option));
  return flags;
}

Error no_verb(const CLI::App& program, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  return Error(fmt::format("there is no verb '{}'", word),
               fmt::format("{}heddle --help lists them", did_you_mean(word, names)));
}

/// What CLI11 says of unknown words is a list in reverse. The first of them is what a reader can mend.
Error wrong_words(const CLI::App& app, const std::string& what) {
  const bool is_program = app.get_parent() == nullptr;
  const std::string help =
      is_program ? "heddle --help" : fmt::format("heddle {} --help", app.get_name());
  const std::vector<std::string> extra = app.remaining();
  if (extra.empty()) return Error(what, help);
  const auto flag =
      std::ranges::find_if(extra, [](const auto& word) { return word.starts_with("-"); });
  if (is_program && !extra.front().starts_with("-")) return no_verb(app, extra.front());
  if (flag == extra.end()) return Error(fmt::format("'{}' was not expected", extra.front()), help);
  const std::string name = flag->substr(0, flag->find('='));
  std::vector<std::string> names;
  for (const FlagText& known : flags_of(app))
    names.insert(names.end(), known.names.begin(), known.names.end());
  return Error(fmt::format("there is no flag '{}'", name),
               fmt::format("{}{} lists all", did_you_mean(name, names), help));
}

}  // namespace

// ---- Flag -----------------------------------------------------------------------------------

Flag Flag::type_name(std::string_view name) {
  return Flag(option_->type_name(owned(name)));
}

Flag Flag::capture_default_str() {
  return Flag(option_->capture_default_str());
}

Flag Flag::required() {
  return Flag(option_->required());
}

Flag Flag::expected(int least, int most) {
  return Flag(option_->expected(least, most));
}

Flag Flag::expected(int values) {
  return Flag(option_->expected(values));
}

Flag Flag::allow_extra_args(bool allow) {
  return Flag(option_->allow_extra_args(allow));
}

Flag Flag::excludes(Flag other) {
  return Flag(option_->excludes(other.option_));
}

Flag Flag::envname(std::string_view name) {
  return Flag(option_->envname(owned(name)));
}

Flag Flag::range(int least, int most) {
  return Flag(option_->check(CLI::Range(least, most)));
}

Flag Flag::range(std::int64_t least, std::int64_t most) {
  return Flag(option_->check(CLI::Range(least, most)));
}

Flag Flag::range(std::uint64_t least, std::uint64_t most) {
  return Flag(option_->check(CLI::Range(least, most)));
}

Flag Flag::number_range(double least, double most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    double number = 0;
    const bool is_good =
        CLI::detail::lexical_cast(text, number) && number >= least && number <= most;
    return is_good ? ""
                   : fmt::format("{} is not a number from {:.0f} to {:.0f}", text, least, most);
  };
  return Flag(option_->check(check));
}

Flag Flag::one_of(std::initializer_list<int> values) {
  return Flag(option_->check(CLI::IsMember(std::vector(values))));
}

Flag Flag::one_of(std::initializer_list<const char*> values) {
  return Flag(option_->check(CLI::IsMember(std::vector(values))));
}

Flag Flag::one_of_in_any_case(std::initializer_list<const char*> values) {
  return Flag(option_->check(CLI::IsMember(std::vector(values), CLI::ignore_case)));
}

bool Flag::is_given() const {
  return option_->count() > 0;
}

// ---- Verb -----------------------------------------------------------------------------------

Flag Verb::add_option(std::string_view names, std::string& value, std::string_view text) {
  return add(*app_, names, value, text);
}

Flag Verb::add_option(std::string_view names, int& value, std::string_view text) {
  return add(*app_, names, value, text);
}

Flag Verb::add_option(std::string_view names, std::int64_t& value, std::string_view text) {
  return add(*app_, names, value, text);
}

Flag Verb::add_option(std::string_view names, std::uint64_t& value, std::string_view text) {
  return add(*app_, names, value, text);
}

Flag Verb::add_option(std::string_view names, std::optional<double>& value, std::string_view text) {
  return add(*app_, names, value, text);
}

Flag Verb::add_option(std::string_view names, std::optional<std::uint64_t>& value,
                      std::string_view text) {
  return add(*app_, names, value, text);
}

Flag Verb::add_option(std::string_view names, std::vector<std::string>& values,
                      std::string_view text) {
  return add(*app_, names, values, text);
}

Flag Verb::add_option(std::string_view names, std::vector<std::int64_t>& values,
                      std::string_view text) {
  return add(*app_, names, values, text);
}

Flag Verb::add_option(std::string_view names, std::vector<std::vector<std::string>>& lists,
                      std::string_view text) {
  return add(*app_, names, lists, text);
}

Flag Verb::add_flag(std::string_view names, bool& value, std::string_view text) {
  return Flag(app_->add_flag(owned(names), value, owned(text)));
}

void Verb::remove_option(std::string_view name) {
  app_->remove_option(app_->get_option(owned(name)));
}

void Verb::footer(std::string_view text) {
  app_->footer(owned(text));
}

void Verb::callback(std::function<void()> run) {
  app_->callback(std::move(run));
}

void Verb::allow_extras() {
  app_->allow_extras();
}

std::vector<std::string> Verb::remaining() const {
  return app_->remaining();
}

// ---- Program --------------------------------------------------------------------------------

Program::Program(std::string_view text, std::string_view version, std::string_view footer)
    : app_(std::make_unique<CLI::App>(owned(text))) {
  app_->name("heddle");
  app_->set_version_flag("--version", owned(version));
  app_->footer(owned(footer));
  app_->require_subcommand(0, 1);
}

Program::~Program() = default;

Verb Program::add_verb(std::string_view name, std::string_view text) {
  CLI::App* const app = app_->add_subcommand(owned(name), owned(text));
  app->add_flag_callback(
      "-q,--quiet", [] { set_loudness(Loudness::quiet); }, "print no notes and no progress");
  app->add_flag_callback(
      "-v,--verbose", [] { set_loudness(Loudness::verbose); },
      "report each step and the time it took");
  return Verb(app);
}

bool Program::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    if (app_->get_subcommands().empty()) OutputArguments().print(app_->help());
    return true;
  } catch (const CLI::Success& success) {
    std::ostringstream text;
    app_->exit(success, text, text);
    OutputArguments().print(text.str());
    return false;
  } catch (const CLI::ParseError& error) {
    const auto chosen = app_->get_subcommands();
    if (chosen.empty()) throw wrong_words(*app_, error.what());
    throw FlagError(wrong_words(*chosen.front(), error.what()), chosen.front()->get_name());
  }
}

ProgramText Program::describe() const {
  ProgramText result;
  result.text = app_->get_description();
  result.footer = app_->get_footer();
  result.flags = flags_of(*app_);
  for (const CLI::App* verb : app_->get_subcommands([](const CLI::App*) { return true; }))
    result.verbs.push_back(
        {verb->get_name(), verb->get_description(), flags_of(*verb), verb->get_footer()});
  return result;
}

std::string Program::help_text(const std::string& verb) const {
  if (verb.empty()) return app_->help();
  for (const CLI::App* one : app_->get_subcommands([](const CLI::App*) { return true; }))
    if (one->get_name() == verb) return one->help("heddle");
  throw no_verb(*app_, verb);
}

}  // namespace heddle::tool
