// Asks a language model, with limits on time, size, tokens and money.
//
//   Client client(endpoint, key, limits);
//   Exchange exchange = client.ask(question, stop);
//     -> {answer "```\nxcd(8)\n```", input_tokens 900, output_tokens 40, problem ""}
//
// Rules
//   1. 429 and 5xx, and a connection that fails, are tried again, kMostTries times in all, after a
//      wait that doubles, or what Retry-After says. Other codes are not.
//   2. An answer has at most kLongestAnswer bytes; what is beyond is cut off, and `cut` says so.
//   3. Tokens are what the server counts; where it counts none, a quarter of the bytes.
//   4. The key goes to the server and nowhere else: where an answer or an error repeats it, it is
//      replaced by "[key]".
//   5. Nothing that a server sends throws.
//   6. A question that the budget may not cover is not sent, a second try neither: an answer may have
//      the tokens that are left after the question, as it is estimated. What a server writes beyond
//      the answer that it was allowed is cut off.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "chat/http.h"
#include "chat/interface.h"
#include "chat/prices.h"

namespace heddle::chat {

inline constexpr std::size_t kLongestAnswer = std::size_t{256} << 10;  ///< bytes
inline constexpr int kMostTries = 4;

struct ClientLimits {
  std::chrono::milliseconds time{120'000};      ///< of one answer
  std::chrono::milliseconds first_wait{1'000};  ///< before the second try
  std::chrono::milliseconds longest_wait{60'000};
};

struct Exchange {
  std::string answer;
  std::int64_t input_tokens = 0;  ///< of all tries
  std::int64_t output_tokens = 0;
  bool cut = false;      ///< the answer was too long, or its stream broke off
  bool stopped = false;  ///< because `stop` said so
  std::string problem;   ///< why no answer came; empty: one came
  int tries = 0;         ///< 0: the budget has no room for the question
};

class Client {
 public:
  Client(Endpoint endpoint, std::string key, ClientLimits limits)
      : endpoint_(std::move(endpoint)), key_(std::move(key)), limits_(limits) {}

  /// For at most `most`, waits included, and what is left of `budget`. Throws Error where libcurl is
  /// missing.
  Exchange ask(const Question& question, const Budget& budget, std::chrono::milliseconds most,
               const std::function<bool()>& stop);

 private:
  struct Try;
  Try try_once(const std::string& body, std::size_t longest, std::chrono::milliseconds most,
               const std::function<bool()>& stop) const;
  void count_tokens(const Try& attempt, std::size_t sent, Exchange& exchange);
  std::int64_t question_tokens(std::size_t bytes) const;
  std::string without_key(std::string text) const;

  Endpoint endpoint_;
  std::string key_;
  ClientLimits limits_;
  double tokens_of_byte_ =
      1.0 / 3;  ///< of questions: code has more than prose; as the server counts
};

/// About how many tokens a text has.
std::int64_t tokens_in(std::size_t bytes);

/// The key of a file, or of the environment: HEDDLE_API_KEY, and for api.openai.com and
/// api.anthropic.com their own variables. It is taken out of the environment, so that no child
/// inherits it. Empty where there is none. Throws Error for what cannot be a key, and where it would
/// leave this machine in clear text.
std::string find_key(const Endpoint& endpoint, const std::string& file);

}  // namespace heddle::chat
