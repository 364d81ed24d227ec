// The flags of the program and its verbs, as far as heddle needs them.
//
//   Program program("heddle does ...", "heddle 0.1.0", "Examples: ...");
//   Verb verb = program.add_verb("check", "is this order a permutation?");
//   verb.add_option("--dies", dies, "dies of the GPU").range(1, 4096).capture_default_str();
//   verb.callback([&] { ... });
//   if (const auto code = program.parse(argc, argv)) return *code;
//
// Rules
//   1. CLI11 does the work, and only flags.cpp includes it: compiled into each verb it would take
//      most of the tool's build. A name that CLI11 has too means the same here.
//   2. Every verb has --quiet and --verbose (notes.h).
//   3. A verb or flag that there is none of is an Error that names the nearest one.
//   4. A Verb and a Flag are handles, to be copied; they live as long as the Program. So must the
//      variables that flags are read into.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command_text.h"
#include "support/error.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace heddle::tool {

/// One option, or one flag without a value.
class Flag {
 public:
  explicit Flag(CLI::Option* option) : option_(option) {}

  Flag type_name(std::string_view name);
  Flag capture_default_str();  ///< the help shows the value that the variable has now
  Flag required();
  Flag expected(int values);
  Flag expected(int least, int most);
  Flag allow_extra_args(bool allow);  ///< false: "--set A=1 B": B is not a second value
  Flag excludes(Flag other);
  Flag envname(std::string_view name);

  /// Both ends are good values. The types of the bounds are shown in the help.
  Flag range(int least, int most);
  Flag range(std::int64_t least, std::int64_t most);
  Flag range(std::uint64_t least, std::uint64_t most);
  /// Refuses "nan", which the ranges of CLI11 let through. The help does not show the bounds.
  Flag number_range(double least, double most);
  Flag one_of(std::initializer_list<int> values);
  Flag one_of(std::initializer_list<const char*> values);
  Flag one_of_in_any_case(std::initializer_list<const char*> values);

  /// After parsing.
  bool is_given() const;

 private:
  CLI::Option* option_;
};

class Verb {
 public:
  explicit Verb(CLI::App* app) : app_(app) {}

  /// `names` is "-o,--output", or "JOB" for a word without a flag. The one for std::uint64_t is
  /// also that for std::size_t. A list of lists gets a list for each use of the flag.
  Flag add_option(std::string_view names, std::string& value, std::string_view text);
  Flag add_option(std::string_view names, int& value, std::string_view text);
  Flag add_option(std::string_view names, std::int64_t& value, std::string_view text);
  Flag add_option(std::string_view names, std::uint64_t& value, std::string_view text);
  Flag add_option(std::string_view names, std::optional<double>& value, std::string_view text);
  Flag add_option(std::string_view names, std::optional<std::uint64_t>& value,
                  std::string_view text);
  Flag add_option(std::string_view names, std::vector<std::string>& values, std::string_view text);
  Flag add_option(std::string_view names, std::vector<std::int64_t>& values, std::string_view text);
  Flag add_option(std::string_view names, std::vector<std::vector<std::string>>& lists,
                  std::string_view text);
  Flag add_flag(std::string_view names, bool& value, std::string_view text);
  void remove_option(std::string_view name);

  void footer(std::string_view text);
  /// Runs when the verb was chosen and all its flags are read.
  void callback(std::function<void()> run);
  /// Unknown words are not an error; `remaining` has them after parsing.
  void allow_extras();
  std::vector<std::string> remaining() const;

 private:
  CLI::App* app_;
};

/// An error in the flags of a verb.
class FlagError : public Error {
 public:
  FlagError(const Error& error, std::string verb) : Error(error), verb_(std::move(verb)) {}
  const std::string& verb() const { return verb_; }

 private:
  std::string verb_;
};

class Program {
 public:
  Program(std::string_view text, std::string_view version, std::string_view footer);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Verb add_verb(std::string_view name, std::string_view text);

  /// Runs the verb that is asked for; what it throws passes through, as does an Error about the
  /// flags. False if there is nothing more to do: help or the version was printed.
  bool parse(int argc, char** argv);

  /// After all verbs were added.
  ProgramText describe() const;
  /// What --help prints. Throws Error if there is no such verb; "" is the program.
  std::string help_text(const std::string& verb) const;

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace heddle::tool
