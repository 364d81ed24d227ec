#include "optimize_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "duration.h"
#include "optlog/blocks.h"
#include "order/family.h"
#include "report/clean_text.h"
#include "report/model_prompt.h"
#include "report/prompt_files.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle::tool {
namespace {

constexpr int kUsualRounds = 10;
constexpr int kMostRepeatedRounds = 2;
constexpr std::size_t kMostOrders = 8;     ///< of an answer
constexpr std::size_t kKeptExchanges = 2;  ///< that are sent again
constexpr std::size_t kMostResent = 8192;  ///< bytes of an earlier answer
constexpr std::size_t kMostSaid = 2000;
constexpr std::size_t kLongestEnd = 500;
constexpr std::size_t kLargestPrompt = std::size_t{1} << 20;
constexpr std::size_t kLargestTranscript = std::size_t{64} << 20;
constexpr std::size_t kLargestKernelFile = std::size_t{16} << 20;

/// A file of --prompts where it has one, else heddle's own.
std::string prompt_named(const std::string& name, const std::string& folder) {
  const std::string path = (std::filesystem::path(folder) / name).string();
  std::error_code error;
  if (!folder.empty() && std::filesystem::exists(path, error))
    return read_text(path, kLargestPrompt);
  for (const report::PromptFile& file : report::prompt_files())
    if (file.name == name) return std::string(file.text);
  throw Error(fmt::format("the prompt '{}' is missing", name),
              "name a folder with it in --prompts");
}

/// "xcd(dies): chunks of ...; group(height): ...".
std::string families_text() {
  std::vector<std::string> texts;
  for (const order::Family& family : order::families())
    texts.push_back(family.parameters.empty()
                        ? fmt::format("`{}`: {}", family.name, family.summary)
                        : fmt::format("`{}({})`: {}", family.name,
                                      fmt::join(family.parameters, ", "), family.summary));
  return fmt::format("Families: {}.", fmt::join(texts, "; "));
}

bool says_stop(const std::string& prose) {
  for (const std::string_view line : split_lines(prose)) {
    std::string word(trim(line));
    std::erase_if(word, [](char c) { return c == '*' || c == '.' || c == '`'; });
    if (word == "STOP") return true;
  }
  return false;
}

}  // namespace

void ModelArguments::add(Verb verb) {
  verb.add_option("--model", model,
                  "also ask this language model, by its name at the endpoint (docs/models.md)")
      .type_name("NAME");
  verb.add_option("--endpoint", endpoint,
                  "address of the model: http://localhost:8080, https://api.openai.com, "
                  "https://api.anthropic.com")
      .type_name("URL");
  verb.add_option("--api", interface, "openai or anthropic; detected from the address by default")
      .one_of({"openai", "anthropic"});
  verb.add_option("--key-file", key_file,
                  "a file that contains the key; by default $HEDDLE_API_KEY")
      .type_name("FILE");
  verb.add_option("--prompts", prompts,
                  "a folder with your own prompts: system.md, first.md, next.md")
      .type_name("DIR");
  verb.add_option("--max-tokens", most_tokens, "limit on the tokens of all prompts and answers")
      .range(std::int64_t{1}, std::int64_t{1'000'000'000})
      .capture_default_str();
  verb.add_option("--answer-tokens", answer_tokens, "limit on the tokens of one answer")
      .range(1, 1'000'000)
      .capture_default_str();
  verb.add_option("--max-cost", most_cost, "limit on the total cost, by the prices of --prices")
      .number_range(0, 1e9)
      .type_name("NUMBER");
  verb.add_option("--prices", prices, "prices of a million tokens").type_name("FILE");
  verb.add_option("--retry-wait", retry_wait,
                  "wait before the first retry; it doubles with each retry")
      .type_name("TIME")
      .capture_default_str();
  verb.add_option("--replay", replay,
                  "take the answers from a transcript or an optimiser's log; no network")
      .type_name("FILE");
}

bool ModelArguments::is_wanted() const {
  const bool has_flags = !endpoint.empty() || !interface.empty() || !key_file.empty() ||
                         !prompts.empty() || !prices.empty() || most_cost.has_value();
  if (model.empty() && replay.empty() && has_flags)
    throw Error("--endpoint, --api, --key-file, --prompts, --prices and --max-cost need a model",
                "add --model NAME, or --replay FILE");
  if (!model.empty() && replay.empty() && endpoint.empty())
    throw Error("--model needs an address", "add --endpoint URL, such as http://localhost:8080");
  if (most_cost && prices.empty())
    throw Error("--max-cost needs prices", "add --prices FILE (docs/models.md)");
  return !model.empty() || !replay.empty();
}

ModelProposer::ModelProposer(const ModelArguments& arguments, std::chrono::milliseconds time,
                             int rounds)
    : rounds_(rounds),
      budget_{arguments.most_tokens, arguments.most_cost},
      answer_tokens_(arguments.answer_tokens) {
  use_.name = arguments.model.empty() ? "replayed" : arguments.model;
  if (!arguments.prices.empty()) budget_.price = chat::read_price(arguments.prices, use_.name);
  if (budget_.price) use_.cost = 0;
  transcript_.model = use_.name;
  transcript_.system =
      report::fill(prompt_named("system.md", arguments.prompts), {{"families", families_text()}});
  first_ = prompt_named("first.md", arguments.prompts);
  next_ = prompt_named("next.md", arguments.prompts);
  report::check_prompt(first_);  // now, not after a search
  report::check_prompt(next_);
  if (!arguments.replay.empty()) {
    try {
      recorded_ = chat::read_transcript(read_text(arguments.replay, kLargestTranscript));
    } catch (const Error& error) {
      throw error.source().empty() ? error.in(display_name(arguments.replay)) : error;
    }
    if (rounds_ <= 0) rounds_ = static_cast<int>(recorded_.size());
    return;
  }
  if (rounds_ <= 0) rounds_ = kUsualRounds;
  const chat::Endpoint endpoint = chat::read_endpoint(arguments.endpoint, arguments.interface);
  transcript_.interface = endpoint.interface;
  chat::ClientLimits limits;
  limits.time = time;
  limits.first_wait = duration(arguments.retry_wait, "--retry-wait");
  client_ = std::make_unique<chat::Client>(endpoint, chat::find_key(endpoint, arguments.key_file),
                                           limits);
}

std::optional<search::GivenText> ModelProposer::end(const std::string& why) {
  use_.end = report::one_line(why, kLongestEnd);
  return std::nullopt;
}

/// Why no more may be spent.
std::optional<std::string> ModelProposer::spent() const {
  if (use_.rounds >= rounds_)
    return client_ ? fmt::format("it was asked {} times", use_.rounds)
                   : std::string("the transcript ends there");
  if (!client_) return std::nullopt;
  if (use_.input_tokens + use_.output_tokens >= budget_.tokens)
    return fmt::format("{} tokens are spent", with_separators(budget_.tokens));
  if (budget_.money && use_.cost.value_or(0) >= *budget_.money)
    return fmt::format("{:.4g} of money are spent", *budget_.money);
  return std::nullopt;
}

std::string ModelProposer::question(const OptimizationReport& so_far) {
  if (source_.empty()) {
    try {
      source_ = read_text(so_far.kernel_path, kLargestKernelFile);
    } catch (const Error&) {
      source_ = "(it cannot be read)";
    }
  }
  report::PromptFacts facts = report::prompt_facts(so_far, source_, seen_);
  facts["families"] = families_text();
  const int left = rounds_ - use_.rounds;
  facts["rounds"] = fmt::format("This is round {}; {} after it.", use_.rounds + 1,
                                left <= 1 ? "there is none" : count_of(left - 1, "more round"));
  if (!complaint_.empty()) facts["outcome"] = complaint_;
  return report::fill(messages_.empty() ? first_ : next_, facts);
}

chat::Exchange ModelProposer::exchange(const std::string& text, std::chrono::milliseconds most,
                                       const std::function<bool()>& stop) {
  if (!client_) {
    const auto place = static_cast<std::size_t>(use_.rounds) - 1;
    return place < recorded_.size() ? recorded_[place] : chat::Exchange{};
  }
  chat::Question question;
  question.model = use_.name;
  question.system = transcript_.system;
  // The first question, the last exchanges, and this one.
  const std::size_t kept = std::min(messages_.size(), 2 * kKeptExchanges);
  if (messages_.size() > kept) question.messages.push_back(messages_.front());
  const auto from = messages_.end() - static_cast<std::ptrdiff_t>(kept);
  if (messages_.size() > kept && kept > 0 && !from->is_answer)
    question.messages.push_back({true, "..."});
  question.messages.insert(question.messages.end(), from, messages_.end());
  question.messages.push_back({false, text});
  question.most_tokens = answer_tokens_;
  return client_->ask(question, budget_.after(use_.input_tokens, use_.output_tokens), most, stop);
}

/// The blocks of an answer that were not said before; nothing where there are none.
std::optional<search::GivenText> ModelProposer::orders_of(const chat::Exchange& exchange) {
  std::string text;
  std::size_t count = 0;
  bool has_blocks = false;
  for (const optlog::CodeBlock& block : optlog::code_blocks(exchange.answer)) {
    if (!block.closed || !optlog::may_be_formula(block) || trim(block.text).empty()) continue;
    has_blocks = true;
    if (count >= kMostOrders || !said_.insert(std::string(trim(block.text))).second) continue;
    text += "```\n" + block.text + "```\n";
    ++count;
  }
  if (text.empty()) {
    repeated_ += has_blocks;
    complaint_ = has_blocks
                     ? "You have proposed that order before: its result stands above, or in an "
                       "earlier message.\n"
                     : "No order was found in your answer. It goes in a fenced code block.\n";
    return std::nullopt;
  }
  repeated_ = 0;
  complaint_.clear();
  search::GivenText given{kModelProposer, std::move(text)};
  given.title = fmt::format("model round {}", use_.rounds);
  given.said = report::one_line(optlog::prose_of(exchange.answer), kMostSaid);
  return given;
}

std::optional<search::GivenText> ModelProposer::ask(const OptimizationReport& so_far,
                                                    std::chrono::milliseconds most,
                                                    const std::function<bool()>& stop) {
  constexpr std::chrono::milliseconds kDay = std::chrono::hours(24);  // `most` may be no limit
  const auto deadline = std::chrono::steady_clock::now() + std::min(most, kDay);
  while (true) {
    if (const auto why = spent()) return end(*why);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    const std::string text = question(so_far);
    ++use_.rounds;
    const chat::Exchange answer = exchange(text, left, stop);
    if (client_ && answer.tries == 0) {  // it was not asked
      --use_.rounds;
      return end(answer.problem);
    }
    transcript_.rounds.push_back({use_.rounds, text, answer});
    use_.input_tokens += answer.input_tokens;
    use_.output_tokens += answer.output_tokens;
    if (budget_.price) use_.cost = budget_.price->of(use_.input_tokens, use_.output_tokens);
    if (answer.stopped) return end("it was interrupted");
    if (!answer.problem.empty())
      return end(fmt::format("{} in round {}", answer.problem, use_.rounds));
    messages_.push_back({false, text});
    messages_.push_back({true, answer.answer.substr(0, kMostResent)});
    seen_ = static_cast<int>(so_far.attempts.size());
    if (auto given = orders_of(answer)) return given;
    if (says_stop(optlog::prose_of(answer.answer))) return end("it has no more to say");
    if (repeated_ >= kMostRepeatedRounds) return end("it repeats itself");
    if (stop && stop()) return end("it was interrupted");
  }
}

std::string ModelProposer::note() const {
  std::string text =
      fmt::format("{}: {}, {} read and {} written", report::one_line(use_.name, 80),
                  count_of(use_.rounds, "round"), count_of(use_.input_tokens, "token"),
                  with_separators(use_.output_tokens));
  if (use_.cost) text += fmt::format(", which cost {:.4g}", *use_.cost);
  if (!use_.end.empty()) text += "; not asked again: " + use_.end;
  return text;
}

}  // namespace heddle::tool
