// The command line as plain values, made from the declarations that parse it: what help, man pages,
// completions and tests say about flags cannot differ from what the program takes.
#pragma once

#include <string>
#include <vector>

namespace heddle::tool {

struct FlagText {
  std::vector<std::string> names;    ///< "-o", "--output"; none for a word such as JOB
  std::string word;                  ///< "JOB"; empty for flags
  std::string value;                 ///< "FILE"; empty for a flag without a value
  std::vector<std::string> choices;  ///< always, never, auto
  std::string text;
  std::string default_value;
  std::string environment;  ///< a variable that is read where the flag is not given
  bool is_required = false;
  bool takes_many = false;
};

struct VerbText {
  std::string name;
  std::string text;
  std::vector<FlagText> flags;
  std::string footer;  ///< examples
};

struct ProgramText {
  std::string text;
  std::vector<FlagText> flags;
  std::vector<VerbText> verbs;
  std::string footer;
};

}  // namespace heddle::tool
