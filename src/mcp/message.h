// JSON-RPC 2.0 messages, one a line, as the Model Context Protocol uses them.
//
//   {"jsonrpc": "2.0", "id": 7, "method": "tools/list"}   ->  a request
//   {"jsonrpc": "2.0", "method": "notifications/..."}     ->  a notification, never answered
//   {"jsonrpc": "2.0", "id": "roots-1", "result": {...}}  ->  the answer to a request of ours
//
// Rules
//   1. Any bytes are accepted. What is not a message is `invalid`, with the code and the text of the
//      error to answer with, and with the id where it could be read.
//   2. An id is a string or an integer. Values nest at most kMostNesting deep.
//   3. `params` is an object, empty where there are none.
//   4. Batches are not read: the protocol has none since 2025-06-18.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace heddle::mcp {

inline constexpr std::size_t kLongestLine = std::size_t{8} << 20;  ///< bytes
inline constexpr int kMostNesting = 64;

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kUnknownMethod = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kNoSuchResource = -32002;  ///< until 2025-11-25; then kInvalidParams
inline constexpr int kUnsupportedVersion = -32022;

struct Message {
  enum class Kind { request, notification, response, invalid };
  Kind kind = Kind::invalid;
  nlohmann::json id;  ///< null where there is none
  std::string method;
  nlohmann::json params = nlohmann::json::object();
  nlohmann::json result;  ///< of a response; null where it has an error
  int code = 0;           ///< of an invalid one
  std::string problem;
};

Message read_message(std::string_view line);

nlohmann::json response(const nlohmann::json& id, const nlohmann::json& result);
nlohmann::json failure(const nlohmann::json& id, int code, const std::string& message,
                       const nlohmann::json& data = nullptr);
nlohmann::json notification(const std::string& method, const nlohmann::json& params);

/// One line, without its end; bytes that are not UTF-8 are replaced.
std::string line_of(const nlohmann::json& message);

/// "7" and "\"7\"" are two ids.
std::string id_text(const nlohmann::json& id);

}  // namespace heddle::mcp
