// A language model that proposes orders: asked once per round, over the network or from a
// transcript.
//
// Rules
//   1. What it answers is untrusted: the fenced blocks are orders to be proved like all others, the
//      rest is kept as what it says of them. Nothing of it is run.
//   2. It is not asked again when it has no more to say, repeats itself, or cannot be reached, and
//      when rounds, tokens or money are spent. `use().end` says which; the search goes on without.
//   3. Everything it was asked and answered is in the transcript; the key is nowhere.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "chat/client.h"
#include "chat/prices.h"
#include "chat/transcript.h"
#include "flags.h"
#include "search/options.h"

namespace heddle::tool {

struct ModelArguments {
  std::string model;
  std::string endpoint;
  std::string interface;
  std::string key_file;
  std::string prompts;
  std::string prices;
  std::string replay;
  std::string retry_wait = "1s";
  std::int64_t most_tokens = 200'000;
  int answer_tokens = 4096;
  std::optional<double> most_cost;

  void add(Verb verb);
  /// Throws Error where flags do not go together.
  bool is_wanted() const;
};

class ModelProposer {
 public:
  /// Reads prompts, key and transcript. `time`: of one answer; `rounds`: 0 for the usual number.
  ModelProposer(const ModelArguments& arguments, std::chrono::milliseconds time, int rounds);

  /// Nothing: it is not to be asked again.
  std::optional<search::GivenText> ask(const OptimizationReport& so_far,
                                       std::chrono::milliseconds most,
                                       const std::function<bool()>& stop);
  const ModelUse& use() const { return use_; }
  std::string transcript() const { return chat::transcript_text(transcript_); }
  std::string note() const;

 private:
  std::optional<search::GivenText> end(const std::string& why);
  std::optional<std::string> spent() const;
  std::string question(const OptimizationReport& so_far);
  chat::Exchange exchange(const std::string& text, std::chrono::milliseconds most,
                          const std::function<bool()>& stop);
  std::optional<search::GivenText> orders_of(const chat::Exchange& exchange);

  ModelUse use_;
  int rounds_;
  chat::Budget budget_;
  int answer_tokens_;
  std::string first_, next_;              ///< prompts
  std::string source_;                    ///< of the kernel
  std::unique_ptr<chat::Client> client_;  ///< null: the transcript answers
  std::vector<chat::Exchange> recorded_;
  std::vector<chat::ChatMessage> messages_;
  chat::Transcript transcript_;
  std::set<std::string> said_;  ///< formulas
  int repeated_ = 0;            ///< rounds in a row
  int seen_ = 0;                ///< attempts that it was told of
  std::string complaint_;       ///< what was wrong with its last answer; may be empty
};

}  // namespace heddle::tool
