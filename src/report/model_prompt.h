// What a language model is told, made from what a search knows.
//
//   fill("On {{gpu}}.", {{"gpu", "an MI300X"}})   ->   "On an MI300X."
//
// Rules
//   1. The words are files (prompts/*.md), which a user can replace; the figures come from the
//      report. A name in double braces that is not known is an Error that lists those that are.
//   2. What others wrote, the kernel and formulas, stands in fences that it cannot end, and is cut.
//   3. The same report gives the same text.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "results/optimization.h"

namespace heddle::report {

using PromptFacts = std::map<std::string, std::string>;

/// The names in double braces replaced. Throws Error.
std::string fill(std::string_view words, const PromptFacts& facts);
/// Throws Error where a question names something that is not known.
void check_prompt(std::string_view words);

/// Everything that a prompt may name, but for `families` and `rounds`. `source`: the kernel's file.
/// `seen`: attempts that the model knows of; `outcome` is about the model's own after
/// them, and empty where there are none.
PromptFacts prompt_facts(const OptimizationReport& so_far, const std::string& source, int seen);

}  // namespace heddle::report
