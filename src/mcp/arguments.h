// The arguments of a tool: what a client sends becomes words of a command line, or an error.
//
//   {"order": "xcd(8)", "grid": "64x64", "all_sizes": true}
//     -> words {"check", "--json", "-", "--grid=64x64", "--all-sizes"}, input "xcd(8)"
//
// Rules
//   1. An argument that the tool does not have, one of another type and one that is missing are
//      errors that name it, with the nearest name for a misspelling.
//   2. A value never becomes a flag of its own: it stands behind "--flag=", or is a whole path.
//   3. Paths are those of Roots. Text goes to standard input, so that it is never taken for a path.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mcp/roots.h"

namespace heddle::mcp {

struct Argument {
  enum class Kind {
    text,     ///< a string
    number,   ///< an integer between `least` and `most`
    flag,     ///< a boolean
    choice,   ///< one of `choices`
    texts,    ///< a list of strings
    path,     ///< a file or folder in the roots
    paths,    ///< a list of those
    folder,   ///< in the roots, and written into
    gpu,      ///< a name, or a file in the roots that ends with .toml
    input,    ///< a text for standard input; the word is "-"
    literal,  ///< a short word of letters, digits and '-': an id
  };
  std::string name;
  Kind kind = Kind::text;
  std::string flag;  ///< "--grid"; empty: a word of its own
  std::string description;
  bool required = false;
  std::vector<std::string> choices = {};
  std::int64_t least = 0;
  std::int64_t most = 0;
};

/// A command line of heddle.
struct Command {
  std::vector<std::string> words;
  std::string input;
  std::string folder;   ///< that it writes into; may be empty
  bool writes = false;  ///< files, to `folder`; where that is empty, to one that is thrown away
  bool reads_files = false;
};

/// The JSON schema (2020-12) of an object with these.
nlohmann::json schema_of(const std::vector<Argument>& arguments);

/// Adds the words of what is given to a command. Throws Error; OutsideRoots for a path.
void add_words(const std::vector<Argument>& arguments, const nlohmann::json& given,
               const Roots& roots, Command& command);

}  // namespace heddle::mcp
