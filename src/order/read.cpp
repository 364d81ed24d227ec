#include "order/read.h"

#include <fmt/format.h>

#include <filesystem>

#include "order/compact.h"
#include "order/parse_c_like.h"
#include "order/parse_triton.h"
#include "support/file.h"
#include "support/spelling.h"
#include "support/text.h"

namespace heddle::order {
namespace {

bool is_fence(std::string_view line) {
  return trim(line).substr(0, 3) == "```";
}

bool ends_with(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}

/// Keeps the lines that `keep` wants and empties the others, so that line numbers stay.
template <class Keep>
std::string filter_lines(std::string_view text, Keep keep) {
  std::string result;
  for (const std::string_view line : split_lines(text)) {
    if (keep(line)) result += line;
    result += '\n';
  }
  return result;
}

std::string drop_fence_lines(std::string_view text) {
  return filter_lines(text, [](std::string_view line) { return !is_fence(line); });
}

Module parse(std::string_view text, Language language) {
  return language == Language::triton ? parse_triton(text) : parse_c_like(text);
}

std::optional<Program> try_lower(std::string_view code, Language language,
                                 const LowerOptions& options) {
  try {
    return lower(parse(code, language), options);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

Language find_language(std::string_view text, std::string_view source) {
  for (const std::string_view ending : {".py", ".triton"}) {
    if (ends_with(source, ending)) return Language::triton;
  }
  for (const std::string_view ending :
       {".cu", ".hip", ".cl", ".c", ".cpp", ".cc", ".h", ".hpp", ".cuh"}) {
    if (ends_with(source, ending)) return Language::c_like;
  }
  bool looks_c = false;
  bool looks_python = false;
  for (const std::string_view line : split_lines(text)) {
    const std::string_view start = trim(line);
    for (const std::string_view sign :
         {"#define", "#include", "#pragma", "//", "/*", "int", "unsigned", "const", "auto", "long",
          "size_t", "uint", "int32_t", "uint32_t", "int64_t", "__device__"}) {
      const bool is_word = sign[0] != '/' && sign[0] != '#';
      looks_c = looks_c ||
                (is_word ? starts_with_word(start, sign) : start.substr(0, sign.size()) == sign);
    }
    const std::string_view code =
        start.substr(0, start.find('#'));  // what stands in comments decides nothing
    for (const std::string_view sign : {"tl.", "triton.", "def ", "elif ", "program_id("}) {
      looks_python = looks_python || code.find(sign) != std::string_view::npos;
    }
    for (const std::string_view sign :
         {"blockIdx.", "BlockIdx_", "gridDim.", "GridDim_", "get_group_id(", "get_num_groups(",
          "&&", "||", "{", "?", "/*"}) {
      looks_c = looks_c || code.find(sign) != std::string_view::npos;
    }
  }
  return looks_c && !looks_python ? Language::c_like : Language::triton;
}

std::string without_fences(std::string_view text) {
  int fences = 0;
  for (const std::string_view line : split_lines(text)) fences += is_fence(line) ? 1 : 0;
  if (fences < 2) return drop_fence_lines(text);
  bool inside = false;
  return filter_lines(text, [&](std::string_view line) {
    if (!is_fence(line)) return inside;
    inside = !inside;
    return false;
  });
}

Program lower_formula(std::string_view text, std::string_view source,
                      std::optional<Language> language, const LowerOptions& options) {
  if (text.size() > kSourceLimit) {
    throw Error(fmt::format("the order is larger than {} bytes", kSourceLimit),
                "give only the index arithmetic");
  }
  const std::string code = without_fences(text);
  const Language chosen = language ? *language : find_language(code, source);
  try {
    return lower(parse(code, chosen), options);
  } catch (const Error&) {
    // Perhaps the code stands outside the fences, or the language was guessed wrong. If no other
    // reading works either, the first one is what was meant, and its error the one to show.
    const Language other = chosen == Language::triton ? Language::c_like : Language::triton;
    const std::string everything = drop_fence_lines(text);
    if (everything != code) {
      if (auto program = try_lower(everything, chosen, options)) return *std::move(program);
    }
    if (!language) {
      if (auto program = try_lower(code, other, options)) return *std::move(program);
    }
    throw;
  }
}

Order read_order(const std::string& argument, const ReadOptions& options) {
  std::error_code status;
  const bool is_file = argument == "-" || std::filesystem::exists(argument, status);
  if (!is_file) {
    if (looks_compact(argument)) return read_compact(argument);
    for (const std::string_view sign :
         {"p0", "p1", "p2", "program_id", "blockIdx", "BlockIdx", "get_group_id"}) {
      if (argument.find(sign) != std::string::npos)
        return Order::from_formula(argument, kInline, options);
    }
    const std::vector<std::string> names = family_names();
    const std::string name = argument.substr(0, argument.find_first_of("( |"));
    throw Error(fmt::format("'{}' is neither a file nor an order", argument),
                fmt::format("{}give a file, '-', a formula over p0 and g0, or a family: {}",
                            did_you_mean(name, names), fmt::join(names, " ")));
  }
  std::string text = read_text(argument, kSourceLimit);
  if (looks_compact(text)) return read_compact(trim(text));
  return Order::from_formula(std::move(text), display_name(argument), options);
}

}  // namespace heddle::order
