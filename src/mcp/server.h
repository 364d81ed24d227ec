// A server of the Model Context Protocol: lines in, lines out.
//
//   Server server(options);
//   server.receive(line);         // answers by options.send, at once or later from another thread
//   server.close(2s);             // no more lines come; calls in flight have two seconds
//
// Rules
//   1. Both eras: requests that carry their version in `_meta` (2026-07-28) are served by
//      themselves; `initialize` begins a session of 2025-11-25, 2025-06-18 or 2024-11-05.
//   2. Nothing that a client sends ends the server, or makes it answer anything but JSON.
//   3. The roots are those of the options and those that the client names: by roots/list in a
//      session, by an input request otherwise. Where neither does, `fallback` is the root.
//   4. A tool call is a run of heddle in a process of its own, made by options.run. A cancelled one
//      is ended and not answered.
//   5. A request with a progress token is told what heddle says while it runs, and that it runs.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/answer.h"
#include "mcp/calls.h"
#include "mcp/message.h"
#include "mcp/roots.h"
#include "mcp/tools.h"

namespace heddle::mcp {

/// Text that a client can read.
struct Resource {
  std::string uri;
  std::string name;
  std::string title;
  std::string description;
  std::function<std::string()> text;  ///< JSON
};

/// What watches a run.
struct Watch {
  std::function<bool()> stop;
  std::function<void(std::string_view)> said;  ///< a line on standard error
};

struct ServerOptions {
  std::string version;  ///< of heddle
  Roots roots;
  Roots fallback;
  std::vector<Resource> resources;
  std::size_t at_once = 2;                    ///< runs
  std::chrono::milliseconds heartbeat{5000};  ///< between two notes that a call still runs
  std::function<void(const std::string& line)> send;
  std::function<Answer(const Command& command, const Roots& roots, const Watch& watch)> run;
};

class Server {
 public:
  explicit Server(ServerOptions options);
  void receive(std::string_view line);
  void close(std::chrono::milliseconds patience);

 private:
  /// How a request is to be answered.
  struct Context {
    nlohmann::json id;
    bool modern = false;
    bool has_links = true;             ///< the version knows content of type resource_link
    bool asks_roots = false;           ///< the client has roots, by an input request
    std::optional<Roots> given_roots;  ///< that came with this request
    nlohmann::json progress_token;     ///< null: there is none
  };

  void answer_request(const Message& message);
  void answer_known(const Message& message, const Context& context);
  void initialize(const Message& message);
  std::optional<Context> context_of(const Message& message);
  void take_notification(const Message& message);
  void take_response(const Message& message);
  void ask_roots();

  void discover(const Context& context);
  void list_tools(const Context& context);
  void call_tool(const Message& message, const Context& context);
  void run_tool(const Tool& tool, const nlohmann::json& given, const Context& context,
                const std::atomic<bool>& stop);
  void list_resources(const Context& context);
  void list_templates(const Context& context);
  void read_resource(const Message& message, const Context& context);

  Roots roots_for(const Context& context, const std::atomic<bool>& stop);
  Watch watch_of(const Context& context, const std::atomic<bool>& stop);
  std::string keep_report(std::string text);
  nlohmann::json server_info() const;
  nlohmann::json capabilities() const;

  void send(const nlohmann::json& message);
  void complete(const Context& context, nlohmann::json result, bool is_cacheable = false);
  void fail(const Context& context, int code, const std::string& message);

  ServerOptions options_;
  std::string session_;  ///< its version; empty: there is none
  std::mutex mutex_;     ///< of what follows
  std::condition_variable changed_;
  bool client_has_roots_ = false;
  std::optional<Roots> client_roots_;  ///< nothing until the client has answered
  std::int64_t roots_asked_ = 0;
  struct Report {
    std::int64_t number;
    std::string text;
  };
  std::deque<Report> reports_;
  std::int64_t reports_made_ = 0;
  std::mutex sending_;
  Calls calls_;  ///< last: its threads use the rest
};

}  // namespace heddle::mcp
