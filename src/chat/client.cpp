#include "chat/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <utility>

#include "chat/events.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle::chat {
namespace {

constexpr std::size_t kLongestKey = 4096;
constexpr std::size_t kShortestSecret = 8;
constexpr std::size_t kLongestPage = std::size_t{64} << 10;  ///< of a body that is not a stream
constexpr std::chrono::milliseconds kShortWait{50};
constexpr std::chrono::hours kLongestAsk{24};  ///< with all tries; `most` may be no limit at all
constexpr long kTooMany = 429;
constexpr std::int64_t kFewestTokens = 16;  ///< of an answer: an order has about as many
constexpr std::size_t kLongestToken = 16;   ///< bytes, on average over an answer

bool is_redirect(long status) {
  return status >= 300 && status < 400;
}

/// A stream begins with a field or a comment, JSON and pages do not. Nothing: too few bytes to tell.
std::optional<bool> begins_stream(std::string_view text) {
  std::size_t begin = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin);
  if (text.front() == ':') return true;
  for (const std::string_view field : {"data", "event", "id", "retry"}) {
    if (text.starts_with(field)) return true;
    if (field.starts_with(text)) return std::nullopt;
  }
  return false;
}

/// False where `stop` said so.
bool wait_for(std::chrono::milliseconds time, const std::function<bool()>& stop) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    if (stop && stop()) return false;
    std::this_thread::sleep_for(std::min(kShortWait, time));
  }
  return true;
}

}  // namespace

/// What one request came to.
struct Client::Try {
  Posted posted;
  Reply reply;
  bool cut = false;
  std::string problem;
  bool again = false;  ///< it may go better another time
};

std::string Client::without_key(std::string text) const {
  constexpr std::string_view kInstead = "[key]";
  // A word that stands for "no key" at a local server is in every other answer.
  if (key_.size() < kShortestSecret) return text;
  for (std::size_t at = text.find(key_); at != std::string::npos;
       at = text.find(key_, at + kInstead.size()))
    text.replace(at, key_.size(), kInstead);
  return text;
}

Client::Try Client::try_once(const std::string& body, std::size_t longest,
                             std::chrono::milliseconds most,
                             const std::function<bool()>& stop) const {
  Try attempt;
  EventReader events;
  std::string page;  // of a body that is not a stream, or not known to be one yet
  bool is_stream = false;
  bool is_known = false;
  const auto take_one = [&](const std::string& data) {
    take_event(endpoint_.interface, data, attempt.reply);
  };
  Post request;
  request.url = endpoint_.url;
  request.headers = headers_of(endpoint_, key_);
  request.body = body;
  request.time = std::min(limits_.time, most);
  request.idle = request.time;
  request.stop = stop;
  request.direct = endpoint_.local;
  request.take = [&](std::string_view piece) {
    std::string held;
    if (!is_known) {
      held = std::exchange(page, {}) + std::string(piece);
      piece = held;
      const auto known = begins_stream(piece);
      is_known = known.has_value();
      is_stream = known.value_or(false);
    }
    if (!is_stream) {
      page += piece.substr(0, kLongestPage + kLongestAnswer - page.size());
      attempt.cut = page.size() >= kLongestPage + kLongestAnswer;
      return !attempt.cut;
    }
    const bool is_good = events.add(piece, take_one);
    attempt.cut = !is_good || attempt.reply.text.size() > longest;
    return !attempt.cut && attempt.reply.error.empty();
  };
  attempt.posted = post(request);
  const Posted& posted = attempt.posted;
  if (posted.status != 200) {
    const std::string said = error_in(page);
    attempt.problem = posted.status == 0 ? posted.problem
                      : is_redirect(posted.status)
                          ? fmt::format("the server sends it elsewhere, to '{}', which is refused",
                                        posted.location.substr(0, 200))
                          : fmt::format("the server answered with code {}{}", posted.status,
                                        said.empty() ? "" : ": " + said);
    attempt.again = (posted.status == 0 && !posted.is_refused) || posted.status == kTooMany ||
                    posted.status >= 500;
    return attempt;
  }
  if (is_stream) events.end(take_one);
  if (!is_stream && !take_body(endpoint_.interface, page, attempt.reply))
    attempt.problem =
        fmt::format("the answer is neither a stream nor JSON of this interface{}",
                    posted.type.empty() ? "" : " (" + posted.type.substr(0, 80) + ")");
  if (!attempt.reply.error.empty()) {
    attempt.problem = "the server said: " + error_in(attempt.reply.error);
    attempt.again = true;
  } else if (!posted.problem.empty() && attempt.reply.text.empty()) {
    attempt.problem = posted.problem;
    attempt.again = true;
  } else if (attempt.problem.empty() && attempt.reply.text.empty()) {
    attempt.problem = "the answer is empty";
  }
  attempt.cut |= !attempt.reply.is_whole;
  return attempt;
}

/// Of every try that was answered: what is broken off, empty or wrong is paid for, too.
void Client::count_tokens(const Try& attempt, std::size_t sent, Exchange& exchange) {
  const Reply& reply = attempt.reply;
  if (reply.input_tokens)
    tokens_of_byte_ = std::max(
        tokens_of_byte_, static_cast<double>(*reply.input_tokens) / static_cast<double>(sent));
  const bool is_answered = reply.input_tokens || reply.output_tokens || !reply.text.empty();
  if (!is_answered) return;
  exchange.input_tokens += reply.input_tokens.value_or(tokens_in(sent));
  exchange.output_tokens += reply.output_tokens.value_or(tokens_in(reply.text.size()));
}

std::int64_t Client::question_tokens(std::size_t bytes) const {
  return static_cast<std::int64_t>(tokens_of_byte_ * static_cast<double>(bytes)) + 1;
}

Exchange Client::ask(const Question& question, const Budget& budget, std::chrono::milliseconds most,
                     const std::function<bool()>& stop) {
  const auto end =
      std::chrono::steady_clock::now() + std::min<std::chrono::milliseconds>(most, kLongestAsk);
  Question limited = question;
  Exchange exchange;
  std::chrono::milliseconds wait = limits_.first_wait;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      if (exchange.problem.empty()) exchange.problem = "there was no time left";
      return exchange;
    }
    const std::int64_t needed = question_tokens(body_of(endpoint_, question).size());
    limited.most_tokens = std::min(
        question.most_tokens, budget.room(exchange.input_tokens + needed, exchange.output_tokens));
    if (limited.most_tokens < kFewestTokens) {
      exchange.problem +=
          fmt::format("{}what is left of the budget does not cover a question of about {} tokens",
                      exchange.problem.empty() ? "" : "; ", with_separators(needed));
      return exchange;
    }
    const std::string body = body_of(endpoint_, limited);
    const auto longest = static_cast<std::size_t>(limited.most_tokens) * kLongestToken;
    ++exchange.tries;
    Try attempt = try_once(body, std::min(longest, kLongestAnswer), left, stop);
    exchange.stopped = attempt.posted.stopped;
    exchange.problem = without_key(attempt.problem);
    count_tokens(attempt, body.size(), exchange);
    if (exchange.stopped) return exchange;
    if (exchange.problem.empty()) {
      exchange.cut = attempt.cut;
      exchange.answer = without_key(std::move(attempt.reply.text)).substr(0, kLongestAnswer);
      return exchange;
    }
    if (!attempt.again || exchange.tries >= kMostTries) return exchange;
    const std::chrono::milliseconds asked = attempt.posted.wait.value_or(std::chrono::seconds(0));
    if (asked > limits_.longest_wait) {
      exchange.problem += fmt::format("; it asks to wait for {} s", asked.count() / 1000);
      return exchange;
    }
    exchange.stopped = !wait_for(std::max(wait, asked), stop);
    if (exchange.stopped) return exchange;
    wait = std::min(2 * wait, limits_.longest_wait);
  }
}

std::int64_t tokens_in(std::size_t bytes) {
  constexpr std::size_t kBytesOfToken = 4;
  return static_cast<std::int64_t>(bytes / kBytesOfToken) + 1;
}

std::string find_key(const Endpoint& endpoint, const std::string& file) {
  std::string key;
  const auto take = [&](const char* name) {
    if (const char* const value = std::getenv(name); value != nullptr && key.empty()) key = value;
    unsetenv(name);
  };
  if (!file.empty()) key = read_text(file, kLongestKey);
  const bool is_known = endpoint.secure;
  take("HEDDLE_API_KEY");
  if (is_known && endpoint.host == "api.openai.com") take("OPENAI_API_KEY");
  if (is_known && endpoint.host == "api.anthropic.com") take("ANTHROPIC_API_KEY");
  key = std::string(trim(key));
  if (key.empty() && !file.empty())
    throw Error("the file of --key-file holds no key", "write the key into it, and nothing else");
  if (key.size() > kLongestKey ||
      !std::all_of(key.begin(), key.end(), [](unsigned char c) { return c > 0x20 && c < 0x7f; }))
    throw Error("the key has blanks or control characters in it",
                "is it one line, the key and nothing else?");
  if (!key.empty() && !endpoint.secure && !endpoint.local)
    throw Error("a key is not sent over http to another machine", "use https, or give no key");
  return key;
}

}  // namespace heddle::chat
