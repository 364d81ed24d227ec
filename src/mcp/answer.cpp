#include "mcp/answer.h"

#include <fmt/format.h>

#include "support/error.h"
#include "support/text.h"

namespace heddle::mcp {
namespace {

using nlohmann::json;

constexpr std::size_t kMostMessages = 40;
constexpr std::size_t kLongestMessage = 500;

std::string meaning_of(int code) {
  switch (static_cast<ExitCode>(code)) {
    case ExitCode::good:
      return "good";
    case ExitCode::refuted:
      return "refuted";
    case ExitCode::usage:
      return "the arguments or a file could not be understood";
    case ExitCode::inconclusive:
      return "inconclusive";
    case ExitCode::missing:
      return "something needed is missing";
    case ExitCode::target_failed:
      return "the kernel failed";
    case ExitCode::interrupted:
      return "interrupted";
  }
  return "heddle failed";
}

std::size_t length_of(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace).size();
}

/// Rule 2.
json shortened(json result, std::vector<std::string>& left_out) {
  std::size_t length = length_of(result);
  while (length > kLongestResult && result.is_object() && !result.empty()) {
    std::string longest;
    std::size_t most = 0;
    for (const auto& [name, value] : result.items()) {
      const std::size_t size = length_of(value);
      if (size > most) {
        most = size;
        longest = name;
      }
    }
    result.erase(longest);
    left_out.push_back(longest);
    length = length_of(result);
  }
  return result;
}

json messages_of(const std::string& errors) {
  json messages = json::array();
  for (const std::string_view line : split_lines(errors))
    if (!trim(line).empty() && messages.size() < kMostMessages)
      messages.push_back(std::string(line.substr(0, kLongestMessage)));
  return messages;
}

json structure(int code, std::string meaning, json messages) {
  return {{"exit_code", code},
          {"meaning", std::move(meaning)},
          {"result", nullptr},
          {"left_out", json::array()},
          {"report", nullptr},
          {"patch", nullptr},
          {"messages", std::move(messages)}};
}

}  // namespace

Answer answer_of(const ChildResult& child, const ChildLimits& limits,
                 const std::optional<std::string>& patch) {
  Answer answer;
  std::string meaning = meaning_of(child.exit_code);
  answer.is_error = child.exit_code != static_cast<int>(ExitCode::good) &&
                    child.exit_code != static_cast<int>(ExitCode::refuted) &&
                    child.exit_code != static_cast<int>(ExitCode::inconclusive);
  if (child.timed_out)
    meaning = fmt::format("took more than {} s and was ended", limits.time.count() / 1000);
  if (child.too_much_output)
    meaning = fmt::format("printed more than {} MiB and was ended", limits.output_bytes >> 20);
  answer.is_error |= child.timed_out || child.too_much_output;
  answer.structured = structure(child.exit_code, meaning, messages_of(child.errors));
  const json result = json::parse(child.output, nullptr, false);
  if (result.is_object() && !result.contains("error")) {  // an error is in the messages
    std::vector<std::string> left_out;
    answer.structured["result"] = shortened(result, left_out);
    answer.structured["left_out"] = left_out;
    if (!left_out.empty()) answer.whole = child.output;
  } else if (!answer.is_error) {
    answer.is_error = true;
    answer.structured["meaning"] = "heddle printed no JSON";
  }
  if (patch) answer.structured["patch"] = *patch;
  return answer;
}

Answer refused(const std::string& message, const std::string& hint) {
  json messages = json::array({message});
  if (!hint.empty()) messages.push_back("try: " + hint);
  return {structure(static_cast<int>(ExitCode::usage), meaning_of(2), std::move(messages)), true,
          ""};
}

json call_result(Answer answer, const std::string& report) {
  json content = json::array();
  if (!report.empty()) answer.structured["report"] = report;
  content.push_back(
      {{"type", "text"},
       {"text", answer.structured.dump(1, ' ', false, json::error_handler_t::replace)}});
  if (!report.empty())
    content.push_back({{"type", "resource_link"},
                       {"uri", report},
                       {"name", report},
                       {"description", "the whole result"},
                       {"mimeType", "application/json"}});
  return {
      {"content", content}, {"structuredContent", answer.structured}, {"isError", answer.is_error}};
}

}  // namespace heddle::mcp
