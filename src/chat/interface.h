// The two common interfaces of language models: what is sent, and what comes back.
//
//   openai      POST /v1/chat/completions   OpenAI, and llama.cpp, vLLM, Ollama, ...
//   anthropic   POST /v1/messages
//
// Rules
//   1. Both are asked for a stream. A server that answers with one JSON object is understood, too.
//   2. Answers are untrusted: any JSON is accepted, and members of other types are passed over.
//   3. An address has no user and no password in it. A key goes over https, or to this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::chat {

enum class Interface { openai, anthropic };

struct Endpoint {
  Interface interface = Interface::openai;
  std::string url;   ///< whole: "https://api.openai.com/v1/chat/completions"
  std::string host;  ///< "api.openai.com", in small letters
  bool secure = false;
  bool local = false;  ///< this machine
};

/// `interface`: "openai", "anthropic", or empty: found from the address. Throws Error.
Endpoint read_endpoint(const std::string& url, const std::string& interface);

struct ChatMessage {
  bool is_answer = false;  ///< of the model; else of heddle
  std::string text;
};

struct Question {
  std::string model;
  std::string system;
  std::vector<ChatMessage> messages;
  std::int64_t most_tokens = 0;  ///< of the answer
};

/// The body of the request, JSON.
std::string body_of(const Endpoint& endpoint, const Question& question);

/// "Name: value", one each; the key is in one of them where it is not empty.
std::vector<std::string> headers_of(const Endpoint& endpoint, const std::string& key);

/// What has come of an answer so far.
struct Reply {
  std::string text;
  std::optional<std::int64_t> input_tokens;
  std::optional<std::int64_t> output_tokens;
  bool is_whole = false;  ///< the server has said that it is the end
  std::string error;      ///< of the server, in the stream
};

/// One event of a stream.
void take_event(Interface interface, const std::string& data, Reply& reply);
/// A whole body; false where it is not an answer.
bool take_body(Interface interface, const std::string& body, Reply& reply);
/// What an error page says: {"error": {"message": "..."}}, or its first line.
std::string error_in(const std::string& body);

}  // namespace heddle::chat
