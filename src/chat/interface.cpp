#include "chat/interface.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "support/error.h"
#include "support/text.h"

namespace heddle::chat {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestUrl = 2048;
constexpr std::size_t kMostError = 300;
constexpr int kDeepest = 64;
constexpr std::int64_t kMostTokens = 1'000'000'000;

/// Nothing where the text is not JSON, or nests without end.
json parsed(const std::string& text) {
  const auto at_most = [](int depth, json::parse_event_t, json&) { return depth <= kDeepest; };
  json value = json::parse(text, at_most, false);
  return value.is_discarded() ? json() : value;
}

/// A member of an object, or null.
const json& in(const json& value, const char* name) {
  static const json kNull;
  if (!value.is_object()) return kNull;
  const auto place = value.find(name);
  return place == value.end() ? kNull : *place;
}

const json& first_of(const json& value) {
  static const json kNull;
  return value.is_array() && !value.empty() ? value[0] : kNull;
}

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : "";
}

std::optional<std::int64_t> count_in(const json& value, const char* name) {
  const json& count = in(value, name);
  if (!count.is_number_unsigned() || count.get<std::uint64_t>() > kMostTokens) return std::nullopt;
  return count.get<std::int64_t>();
}

void take_usage(const json& usage, const char* input, const char* output, Reply& reply) {
  if (const auto count = count_in(usage, input)) reply.input_tokens = count;
  if (const auto count = count_in(usage, output)) reply.output_tokens = count;
}

std::string error_text(const json& error) {
  const std::string message = text_of(in(error, "message"));
  return message.empty() ? text_of(error) : message;
}

void take_openai(const json& value, const char* part, Reply& reply) {
  const json& choice = first_of(in(value, "choices"));
  reply.text += text_of(in(in(choice, part), "content"));
  if (in(choice, "finish_reason").is_string()) reply.is_whole = true;
  take_usage(in(value, "usage"), "prompt_tokens", "completion_tokens", reply);
}

void take_anthropic_event(const json& value, Reply& reply) {
  const std::string type = text_of(in(value, "type"));
  if (type == "content_block_delta") reply.text += text_of(in(in(value, "delta"), "text"));
  if (type == "message_start")
    take_usage(in(in(value, "message"), "usage"), "input_tokens", "output_tokens", reply);
  if (type == "message_delta")
    take_usage(in(value, "usage"), "input_tokens", "output_tokens", reply);
  if (type == "message_stop") reply.is_whole = true;
}

struct Parts {
  std::string scheme, host, port, path;
};

/// "https://host:8080/v1/messages" by its parts. Throws Error.
Parts parts_of(const std::string& url) {
  const Error wrong("--endpoint is not an address", "write it as https://api.example.com/v1");
  Parts parts;
  const std::size_t scheme = url.find("://");
  if (scheme == std::string::npos || url.size() > kLongestUrl) throw wrong;
  for (const char c : url)
    if (static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7f) throw wrong;
  parts.scheme = lower_case(url.substr(0, scheme));
  if (parts.scheme != "http" && parts.scheme != "https") throw wrong;
  if (url.find_first_of("?#") != std::string::npos)
    throw Error("--endpoint has a query in it", "leave out what follows '?' or '#'");
  const std::size_t path = std::min(url.find('/', scheme + 3), url.size());
  std::string place = url.substr(scheme + 3, path - scheme - 3);
  parts.path = url.substr(path);
  if (place.find('@') != std::string::npos)
    throw Error("--endpoint has a user in it", "give the key with --key-file or HEDDLE_API_KEY");
  const std::size_t bracket = place.rfind(']');
  const std::size_t colon = place.rfind(':');
  if (colon != std::string::npos && (bracket == std::string::npos || colon > bracket)) {
    parts.port = place.substr(colon);
    place.resize(colon);
  }
  parts.host = lower_case(place);
  if (parts.host.empty()) throw wrong;
  return parts;
}

}  // namespace

Endpoint read_endpoint(const std::string& url, const std::string& interface) {
  const Parts parts = parts_of(url);
  std::string path = parts.path;
  while (path.ends_with("/")) path.pop_back();
  Endpoint endpoint;
  const bool is_anthropic = path.ends_with("/messages") || parts.host == "anthropic.com" ||
                            parts.host.ends_with(".anthropic.com");
  endpoint.interface = interface == "anthropic" || (interface.empty() && is_anthropic)
                           ? Interface::anthropic
                           : Interface::openai;
  if (!path.ends_with("/messages") && !path.ends_with("/chat/completions")) {
    if (path.empty()) path = "/v1";
    path += endpoint.interface == Interface::anthropic ? "/messages" : "/chat/completions";
  }
  endpoint.host = parts.host;
  endpoint.secure = parts.scheme == "https";
  endpoint.local = parts.host == "localhost" || parts.host == "[::1]" || parts.host == "127.0.0.1";
  endpoint.url = parts.scheme + "://" + parts.host + parts.port + path;
  return endpoint;
}

std::string body_of(const Endpoint& endpoint, const Question& question) {
  json messages = json::array();
  const bool is_openai = endpoint.interface == Interface::openai;
  if (is_openai) messages.push_back({{"role", "system"}, {"content", question.system}});
  for (const ChatMessage& message : question.messages)
    messages.push_back(
        {{"role", message.is_answer ? "assistant" : "user"}, {"content", message.text}});
  json body = {{"model", question.model}, {"messages", messages}, {"stream", true}};
  // OpenAI's own server has another name for it, which local ones do not know.
  const bool is_new = endpoint.host == "api.openai.com";
  body[is_new ? "max_completion_tokens" : "max_tokens"] = question.most_tokens;
  if (is_openai)
    body["stream_options"] = {{"include_usage", true}};
  else
    body["system"] = question.system;
  return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<std::string> headers_of(const Endpoint& endpoint, const std::string& key) {
  std::vector<std::string> headers = {"Content-Type: application/json",
                                      "Accept: text/event-stream, application/json", "Expect:"};
  const bool is_anthropic = endpoint.interface == Interface::anthropic;
  if (is_anthropic) headers.emplace_back("anthropic-version: 2023-06-01");
  if (!key.empty())
    headers.push_back(is_anthropic ? "x-api-key: " + key : "Authorization: Bearer " + key);
  return headers;
}

void take_event(Interface interface, const std::string& data, Reply& reply) {
  if (trim(data) == "[DONE]") {
    reply.is_whole = true;
    return;
  }
  const json value = parsed(data);
  if (!in(value, "error").is_null()) reply.error = error_text(in(value, "error"));
  if (interface == Interface::openai)
    take_openai(value, "delta", reply);
  else
    take_anthropic_event(value, reply);
}

bool take_body(Interface interface, const std::string& body, Reply& reply) {
  const json value = parsed(body);
  if (!value.is_object()) return false;
  if (!in(value, "error").is_null()) {
    reply.error = error_text(in(value, "error"));
    return true;
  }
  if (interface == Interface::openai) {
    take_openai(value, "message", reply);
  } else {
    const json& content = in(value, "content");
    if (content.is_array())
      for (const json& part : content)
        if (text_of(in(part, "type")) == "text") reply.text += text_of(in(part, "text"));
    take_usage(in(value, "usage"), "input_tokens", "output_tokens", reply);
  }
  reply.is_whole = !reply.text.empty();
  return reply.is_whole;
}

std::string error_in(const std::string& body) {
  const json value = parsed(body);
  std::string text = error_text(in(value, "error"));
  if (text.empty()) text = text_of(in(value, "message"));
  if (text.empty() && value.is_null())
    for (const std::string_view line : split_lines(body))
      if (text.empty()) text = trim(line);
  std::string plain;
  for (const char c : text.substr(0, kMostError))
    plain += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return plain;
}

}  // namespace heddle::chat
