#include "config/job_override.h"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "support/text.h"

namespace heddle::config {
namespace {

std::vector<std::string_view> split_overrides(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  int depth = 0;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == '\\') ++i;
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']') {
      --depth;
    } else if (c == ',' && depth <= 0) {
      parts.push_back(trim(text.substr(start, i - start)));
      start = i + 1;
    }
  }
  parts.push_back(trim(text.substr(start)));
  return parts;
}

NamedExpression read_override(std::string_view part) {
  const std::size_t equals = part.find('=');
  const std::string name(trim(part.substr(0, equals)));
  if (equals == std::string_view::npos || !is_parameter_name(name)) {
    throw Error(fmt::format("--set cannot read '{}'", part), "write --set M=4096");
  }
  NamedExpression result;
  result.name = name;
  result.written.source = fmt::format("--set {}", name);
  result.written.text = trim(part.substr(equals + 1));
  try {
    result.written.expression = parse_expression(result.written.text);
  } catch (const Error& error) {
    throw placed(error, result.written);
  }
  return result;
}

/// False if the job has no such name.
bool replace(Job& job, const NamedExpression& change) {
  for (std::vector<NamedExpression>* list : {&job.sizes, &job.scalars, &job.constexprs}) {
    for (NamedExpression& entry : *list) {
      if (entry.name != change.name) continue;
      entry.written = change.written;
      return true;
    }
  }
  if (change.name == "config") {
    const auto number = parse_integer(trim(change.written.text));
    if (!number || *number < 0)
      throw placed(Error("'config' is the number of a triton.Config, from 0", "write config=3"),
                   change.written);
    job.config = *number;
    return true;
  }
  // Triton's names work, too.
  const std::string name = change.name == "num_warps"    ? "warps"
                           : change.name == "num_stages" ? "stages"
                                                         : change.name;
  for (const std::string_view key : kLaunchKeys) {
    if (name != key) continue;
    job.launch.insert_or_assign(name, change.written);
    return true;
  }
  return false;
}

}  // namespace

void apply_overrides(Job& job, const std::vector<std::string>& overrides) {
  std::set<std::string> seen;
  for (const std::string& text : overrides) {
    for (const std::string_view part : split_overrides(text)) {
      const NamedExpression change = read_override(part);
      if (!seen.insert(change.name).second) {
        throw Error(fmt::format("--set sets '{}' twice", change.name), "keep one of them");
      }
      for (const JobTensor& tensor : job.tensors) {
        if (tensor.name != change.name) continue;
        throw Error(fmt::format("--set cannot replace the tensor '{}'", change.name),
                    "set the sizes that its shape is made of");
      }
      if (!replace(job, change)) job.unplaced.push_back(change);
    }
  }
}

}  // namespace heddle::config
