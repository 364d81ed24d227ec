#include "mcp/message.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::mcp {
namespace {

using nlohmann::json;

/// How deep brackets nest outside strings; counted before anything is built.
int nesting_of(std::string_view text) {
  int depth = 0;
  int most = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      most = std::max(most, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return most;
}

Message invalid(int code, std::string problem, json id = nullptr) {
  Message message;
  message.id = std::move(id);
  message.code = code;
  message.problem = std::move(problem);
  return message;
}

bool is_id(const json& value) {
  return value.is_string() || value.is_number_integer();
}

Message read_request(const json& value, json id, bool has_id) {
  const json& method = value.at("method");
  if (!method.is_string()) return invalid(kInvalidRequest, "'method' is not a string", id);
  Message message;
  message.kind = has_id ? Message::Kind::request : Message::Kind::notification;
  message.id = std::move(id);
  message.method = method.get<std::string>();
  if (!value.contains("params")) return message;
  if (!value.at("params").is_object()) {
    if (has_id) return invalid(kInvalidParams, "'params' is not an object", message.id);
    return message;
  }
  message.params = value.at("params");
  return message;
}

}  // namespace

Message read_message(std::string_view line) {
  if (line.size() > kLongestLine)
    return invalid(kParseError, fmt::format("a line has more than {} bytes", kLongestLine));
  if (nesting_of(line) > kMostNesting)
    return invalid(kParseError, fmt::format("values nest more than {} deep", kMostNesting));
  const json value = json::parse(line, nullptr, false);
  if (value.is_discarded()) return invalid(kParseError, "the line is not JSON in UTF-8");
  if (value.is_array())
    return invalid(kInvalidRequest, "batches are not supported: send one message a line");
  if (!value.is_object()) return invalid(kInvalidRequest, "a message is an object");
  const bool has_id = value.contains("id");
  json id = has_id && is_id(value.at("id")) ? value.at("id") : json(nullptr);
  if (has_id && id.is_null()) return invalid(kInvalidRequest, "'id' is not a string or integer");
  if (!value.contains("jsonrpc") || value.at("jsonrpc") != "2.0")
    return invalid(kInvalidRequest, "'jsonrpc' is not \"2.0\"", id);
  if (value.contains("method")) return read_request(value, std::move(id), has_id);
  if (!has_id || !(value.contains("result") || value.contains("error")))
    return invalid(kInvalidRequest, "a message has a 'method', or an 'id' and a 'result'", id);
  Message message;
  message.kind = Message::Kind::response;
  message.id = std::move(id);
  if (value.contains("result")) message.result = value.at("result");
  return message;
}

json response(const json& id, const json& result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", result}};
}

json failure(const json& id, int code, const std::string& message, const json& data) {
  json error = {{"code", code}, {"message", message}};
  if (!data.is_null()) error["data"] = data;
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", error}};
}

json notification(const std::string& method, const json& params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", params}};
}

std::string line_of(const json& message) {
  return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string id_text(const json& id) {
  return line_of(id);
}

}  // namespace heddle::mcp
