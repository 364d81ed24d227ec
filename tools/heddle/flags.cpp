#include "flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "support/error.h"

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
  return Verb(app_->add_subcommand(owned(name), owned(text)));
}

std::optional<int> Program::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    if (app_->get_subcommands().empty()) fmt::print("{}", app_->help());
    return std::nullopt;
  } catch (const CLI::Success& success) {
    return app_->exit(success);
  } catch (const CLI::ParseError& error) {
    const auto chosen = app_->get_subcommands();
    const std::string verb = chosen.empty() ? "" : " " + chosen.front()->get_name();
    fmt::print(stderr, "heddle{}: {}\n  try: heddle{} --help\n", verb, error.what(), verb);
    return static_cast<int>(ExitCode::usage);
  }
}

}  // namespace heddle::tool
