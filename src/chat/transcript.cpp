#include "chat/transcript.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "optlog/blocks.h"
#include "optlog/read.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::chat {
namespace {

using nlohmann::json;

constexpr const char* kMark = "heddle_transcript";
constexpr int kTranscriptVersion = 1;
constexpr std::int64_t kMostCounted = 1'000'000'000;

std::string line_text(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

json line_value(std::string_view line) {
  // Moved, not copied: a copy goes as deep as the value nests, and a file may nest without end.
  json value = json::parse(line, nullptr, false);
  if (!value.is_object()) value = json::object();
  return value;
}

std::string text_at(const json& value, const char* name) {
  const auto place = value.find(name);
  return place != value.end() && place->is_string() ? place->get<std::string>() : "";
}

std::int64_t count_at(const json& value, const char* name) {
  const auto place = value.find(name);
  if (place == value.end() || !place->is_number_integer()) return 0;
  return std::clamp<std::int64_t>(place->get<std::int64_t>(), 0, kMostCounted);
}

std::vector<Exchange> exchanges_of_log(std::string_view text) {
  std::vector<Exchange> exchanges;
  for (const Attempt& attempt : optlog::read_log(text)) {
    if (attempt.formula.empty() || exchanges.size() >= kMostRounds) continue;
    std::string formula;
    for (const optlog::CodeBlock& block : optlog::code_blocks(attempt.formula))
      if (formula.empty()) formula = block.text;
    Exchange exchange;
    exchange.answer = optlog::fenced(formula.empty() ? attempt.formula : formula);
    exchanges.push_back(std::move(exchange));
  }
  return exchanges;
}

}  // namespace

std::string transcript_text(const Transcript& transcript) {
  std::string text =
      line_text({{kMark, kTranscriptVersion},
                 {"model", transcript.model},
                 {"interface", transcript.interface == Interface::openai ? "openai" : "anthropic"},
                 {"system", transcript.system}});
  for (const Round& round : transcript.rounds) {
    const Exchange& exchange = round.exchange;
    text += line_text({{"round", round.number},
                       {"question", round.question},
                       {"answer", exchange.answer},
                       {"cut", exchange.cut},
                       {"problem", exchange.problem},
                       {"input_tokens", exchange.input_tokens},
                       {"output_tokens", exchange.output_tokens}});
  }
  return text;
}

std::vector<Exchange> read_transcript(std::string_view text) {
  const auto lines = split_lines(text);
  if (lines.empty() || !line_value(lines[0]).contains(kMark)) {
    try {
      return exchanges_of_log(text);
    } catch (const Error&) {
      throw Error("this is neither a transcript nor an optimiser's log",
                  "give transcript.jsonl of an earlier run");
    }
  }
  std::vector<Exchange> exchanges;
  for (std::size_t i = 1; i < lines.size() && exchanges.size() < kMostRounds; ++i) {
    const json value = line_value(lines[i]);
    if (!value.contains("answer")) continue;
    Exchange exchange;
    exchange.answer = text_at(value, "answer").substr(0, kLongestAnswer);
    exchange.cut = value.contains("cut") && value.at("cut") == true;
    exchange.problem = text_at(value, "problem");
    exchange.input_tokens = count_at(value, "input_tokens");
    exchange.output_tokens = count_at(value, "output_tokens");
    exchanges.push_back(std::move(exchange));
  }
  return exchanges;
}

}  // namespace heddle::chat
