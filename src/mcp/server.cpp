#include "mcp/server.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/error.h"
#include "support/text.h"

namespace heddle::mcp {
namespace {

using nlohmann::json;

constexpr const char* kModern = "2026-07-28";
const std::vector<std::string> kSessions = {"2025-11-25", "2025-06-18", "2024-11-05"};
constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* kServerKey = "io.modelcontextprotocol/serverInfo";
constexpr const char* kRootsInput = "roots";
constexpr const char* kReports = "heddle://reports/";
constexpr std::size_t kMostReports = 16;
constexpr std::size_t kMostRoots = 64;
constexpr std::size_t kShown = 100;
constexpr int kFresh_ms = 300'000;
constexpr std::chrono::seconds kRootsPatience{5};
constexpr const char* kInstructions =
    "heddle works on the order in which a GPU runs a kernel's blocks (swizzles, remaps). check "
    "proves "
    "or refutes an order, simulate and optimize predict times on a simulated GPU, audit_patch "
    "judges "
    "a changed kernel. Figures are predicted, not measured. REFUTED comes with a counterexample; "
    "UNKNOWN is not a yes.";

std::vector<std::string> all_versions() {
  std::vector<std::string> versions = {kModern};
  versions.insert(versions.end(), kSessions.begin(), kSessions.end());
  return versions;
}

/// A member that is an object; else an empty one.
json object_in(const json& value, const char* name) {
  const auto place = value.find(name);
  return place != value.end() && place->is_object() ? *place : json::object();
}

std::string text_in(const json& value, const char* name) {
  const auto place = value.find(name);
  return place != value.end() && place->is_string() ? place->get<std::string>() : "";
}

/// {"roots": [{"uri": "file:///home/me"}]}
Roots roots_in(const json& result) {
  Roots roots;
  if (!result.is_object() || !result.contains("roots") || !result.at("roots").is_array())
    return roots;
  std::size_t seen = 0;
  for (const json& root : result.at("roots"))
    if (seen++ < kMostRoots && root.is_object()) roots.add_uri(text_in(root, "uri"));
  return roots;
}

std::string shortened_text(const std::string& text) {
  return text.size() > kShown ? text.substr(0, kShown) + "..." : text;
}

}  // namespace

Server::Server(ServerOptions options) : options_(std::move(options)), calls_(options_.at_once) {}

void Server::receive(std::string_view line) {
  if (trim(line).empty()) return;
  const Message message = read_message(line);
  switch (message.kind) {
    case Message::Kind::invalid:
      return send(failure(message.id, message.code, message.problem));
    case Message::Kind::request:
      return answer_request(message);
    case Message::Kind::notification:
      return take_notification(message);
    case Message::Kind::response:
      return take_response(message);
  }
}

void Server::close(std::chrono::milliseconds patience) {
  calls_.finish(patience);
}

// ---- versions -----------------------------------------------------------------------------------

void Server::initialize(const Message& message) {
  Context context;
  context.id = message.id;
  if (!session_.empty()) return fail(context, kInvalidRequest, "initialize was sent before");
  const std::string asked = text_in(message.params, "protocolVersion");
  if (asked.empty()) return fail(context, kInvalidParams, "'protocolVersion' is missing");
  const bool is_known = std::find(kSessions.begin(), kSessions.end(), asked) != kSessions.end();
  session_ = is_known ? asked : kSessions[0];
  {
    const std::lock_guard lock(mutex_);
    const json capabilities = object_in(message.params, "capabilities");
    client_has_roots_ = capabilities.contains("roots") && capabilities.at("roots").is_object();
  }
  complete(context, {{"protocolVersion", session_},
                     {"capabilities", capabilities()},
                     {"serverInfo", server_info()},
                     {"instructions", kInstructions}});
}

/// Nothing where the request was answered with an error.
std::optional<Server::Context> Server::context_of(const Message& message) {
  Context context;
  context.id = message.id;
  context.has_links = session_ != kSessions.back();
  const json meta = object_in(message.params, "_meta");
  if (meta.contains("progressToken") &&
      (meta.at("progressToken").is_string() || meta.at("progressToken").is_number_integer()))
    context.progress_token = meta.at("progressToken");
  if (!meta.contains(kVersionKey)) {
    if (message.method == "server/discover") {
      fail(context, kInvalidParams, fmt::format("'_meta' has no '{}'", kVersionKey));
      return std::nullopt;
    }
    if (session_.empty() && message.method != "ping") {
      fail(context, kInvalidRequest,
           fmt::format("no session: send initialize, or '{}' in '_meta'", kVersionKey));
      return std::nullopt;
    }
    return context;
  }
  context.modern = true;
  const std::string asked = text_in(meta, kVersionKey);
  if (asked != kModern) {
    send(failure(message.id, kUnsupportedVersion, "unsupported protocol version",
                 {{"supported", all_versions()}, {"requested", shortened_text(asked)}}));
    return std::nullopt;
  }
  if (!meta.contains(kCapabilitiesKey) || !meta.at(kCapabilitiesKey).is_object()) {
    fail(context, kInvalidParams, fmt::format("'_meta' has no '{}'", kCapabilitiesKey));
    return std::nullopt;
  }
  context.asks_roots = meta.at(kCapabilitiesKey).contains("roots");
  const json inputs = object_in(message.params, "inputResponses");
  if (inputs.contains(kRootsInput)) context.given_roots = roots_in(inputs.at(kRootsInput));
  return context;
}

void Server::answer_request(const Message& message) {
  if (calls_.has(id_text(message.id)))
    return send(failure(message.id, kInvalidRequest, "this id is that of a request in flight"));
  const bool is_modern = object_in(message.params, "_meta").contains(kVersionKey);
  if (message.method == "initialize" && !is_modern) return initialize(message);
  if (const auto context = context_of(message)) answer_known(message, *context);
}

void Server::answer_known(const Message& message, const Context& context) {
  const std::string& method = message.method;
  if (method == "ping" && !context.modern) return complete(context, json::object());
  if (method == "server/discover" && context.modern) return discover(context);
  if (method == "tools/list") return list_tools(context);
  if (method == "tools/call") return call_tool(message, context);
  if (method == "resources/list") return list_resources(context);
  if (method == "resources/templates/list") return list_templates(context);
  if (method == "resources/read") return read_resource(message, context);
  fail(context, kUnknownMethod, fmt::format("unknown method '{}'", shortened_text(method)));
}

void Server::discover(const Context& context) {
  complete(context,
           {{"supportedVersions", all_versions()},
            {"capabilities", capabilities()},
            {"instructions", kInstructions}},
           true);
}

json Server::server_info() const {
  return {{"name", "heddle"}, {"title", "heddle"}, {"version", options_.version}};
}

json Server::capabilities() const {
  return {{"tools", json::object()}, {"resources", json::object()}};
}

// ---- what a client says without a question ------------------------------------------------------

void Server::take_notification(const Message& message) {
  if (message.method == "notifications/cancelled") {
    if (message.params.contains("requestId"))
      calls_.cancel(id_text(message.params.at("requestId")));
  } else if (message.method == "notifications/initialized" ||
             message.method == "notifications/roots/list_changed") {
    ask_roots();
  }
}

void Server::ask_roots() {
  json request;
  {
    const std::lock_guard lock(mutex_);
    if (session_.empty() || !client_has_roots_) return;
    request = {{"jsonrpc", "2.0"},
               {"id", fmt::format("roots-{}", ++roots_asked_)},
               {"method", "roots/list"}};
  }
  send(request);
}

void Server::take_response(const Message& message) {
  const std::lock_guard lock(mutex_);
  // An answer to an earlier question is out of date.
  if (message.id != fmt::format("roots-{}", roots_asked_)) return;
  client_roots_ = roots_in(message.result);
  changed_.notify_all();
}

/// The roots of this request; waits for a client that was asked.
Roots Server::roots_for(const Context& context, const std::atomic<bool>& stop) {
  Roots roots = options_.roots;
  if (context.modern) {
    if (context.given_roots) roots.add(*context.given_roots);
    if (roots.empty() && !context.asks_roots) roots.add(options_.fallback);
    return roots;
  }
  std::unique_lock lock(mutex_);
  if (client_has_roots_) {
    const auto end = std::chrono::steady_clock::now() + kRootsPatience;
    while (!client_roots_ && !stop && std::chrono::steady_clock::now() < end)
      changed_.wait_for(lock, std::chrono::milliseconds(50));
    if (client_roots_) roots.add(*client_roots_);
  } else if (roots.empty()) {
    roots.add(options_.fallback);
  }
  return roots;
}

// ---- tools --------------------------------------------------------------------------------------

void Server::list_tools(const Context& context) {
  json list = json::array();
  for (const Tool& tool : tools()) list.push_back(tool_json(tool));
  complete(context, {{"tools", list}}, true);
}

void Server::call_tool(const Message& message, const Context& context) {
  const std::string name = text_in(message.params, "name");
  const Tool* const tool = find_tool(name);
  if (tool == nullptr)
    return fail(context, kInvalidParams, fmt::format("unknown tool '{}'", shortened_text(name)));
  json given = json::object();
  if (message.params.contains("arguments")) given = message.params.at("arguments");
  if (!given.is_object()) return fail(context, kInvalidParams, "'arguments' is not an object");
  const auto started = calls_.start(id_text(message.id),
                                    [this, tool, given, context](const std::atomic<bool>& stop) {
                                      run_tool(*tool, given, context, stop);
                                    });
  if (started == Calls::Start::too_many)
    fail(context, kInternalError, fmt::format("{} calls are in flight already", kMostCalls));
}

void Server::run_tool(const Tool& tool, const json& given, const Context& context,
                      const std::atomic<bool>& stop) {
  Answer answer;
  try {
    const Roots roots = roots_for(context, stop);
    const Command command = command_of(tool, given, roots);
    answer = options_.run(command, roots, watch_of(context, stop));
  } catch (const OutsideRoots& error) {
    if (context.asks_roots && !context.given_roots && !stop)
      return send(
          response(context.id, {{"resultType", "input_required"},
                                {"inputRequests", {{kRootsInput, {{"method", "roots/list"}}}}},
                                {"_meta", {{kServerKey, server_info()}}}}));
    answer = refused(error.message(), error.hint());
  } catch (const Error& error) {
    answer = refused(error.message(), error.hint());
  } catch (const std::exception&) {
    answer = refused("the call could not be made", "is there memory left?");
  }
  if (stop) return;  // a cancelled call is not answered
  std::string report;
  if (!answer.whole.empty()) report = keep_report(std::move(answer.whole));
  complete(context, call_result(std::move(answer), report));
}

Watch Server::watch_of(const Context& context, const std::atomic<bool>& stop) {
  if (context.progress_token.is_null()) return {[&stop] { return stop.load(); }, {}};
  struct State {
    std::int64_t progress = 0;
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point last = begin;
  };
  const auto state = std::make_shared<State>();
  const auto tell = [this, token = context.progress_token, state, &stop](const std::string& text) {
    if (stop) return;
    state->last = std::chrono::steady_clock::now();
    send(notification(
        "notifications/progress",
        {{"progressToken", token}, {"progress", ++state->progress}, {"message", text}}));
  };
  Watch watch;
  watch.said = [tell](std::string_view line) { tell(std::string(line)); };
  watch.stop = [this, tell, state, &stop] {
    const auto now = std::chrono::steady_clock::now();
    if (now - state->last >= options_.heartbeat)
      tell(fmt::format(
          "running for {} s",
          std::chrono::duration_cast<std::chrono::seconds>(now - state->begin).count()));
    return stop.load();
  };
  return watch;
}

// ---- resources ----------------------------------------------------------------------------------

std::string Server::keep_report(std::string text) {
  const std::lock_guard lock(mutex_);
  reports_.push_back({++reports_made_, std::move(text)});
  if (reports_.size() > kMostReports) reports_.pop_front();
  return fmt::format("{}{}", kReports, reports_made_);
}

void Server::list_resources(const Context& context) {
  json list = json::array();
  for (const Resource& resource : options_.resources)
    list.push_back({{"uri", resource.uri},
                    {"name", resource.name},
                    {"title", resource.title},
                    {"description", resource.description},
                    {"mimeType", "application/json"}});
  // A list must not depend on earlier requests where there is no session.
  const std::lock_guard lock(mutex_);
  for (const Report& report : reports_)
    if (!context.modern)
      list.push_back({{"uri", fmt::format("{}{}", kReports, report.number)},
                      {"name", fmt::format("report {}", report.number)},
                      {"title", fmt::format("Report {}", report.number)},
                      {"description", "the whole result of an earlier call"},
                      {"mimeType", "application/json"}});
  complete(context, {{"resources", list}}, true);
}

void Server::list_templates(const Context& context) {
  json list = json::array();
  list.push_back({{"uriTemplate", "heddle://gpus/{name}"},
                  {"name", "gpu"},
                  {"title", "A GPU"},
                  {"description", "one GPU: dies, caches, memory, and where the numbers come from"},
                  {"mimeType", "application/json"}});
  list.push_back({{"uriTemplate", std::string(kReports) + "{number}"},
                  {"name", "report"},
                  {"title", "A report"},
                  {"description", "the whole result of an earlier call"},
                  {"mimeType", "application/json"}});
  complete(context, {{"resourceTemplates", list}}, true);
}

void Server::read_resource(const Message& message, const Context& context) {
  const std::string uri = text_in(message.params, "uri");
  std::optional<std::string> text;
  for (const Resource& resource : options_.resources)
    if (resource.uri == uri) text = resource.text();
  {
    const std::lock_guard lock(mutex_);
    for (const Report& report : reports_)
      if (uri == fmt::format("{}{}", kReports, report.number)) text = report.text;
  }
  if (!text)
    return fail(context, context.modern ? kInvalidParams : kNoSuchResource,
                fmt::format("unknown resource '{}'", shortened_text(uri)));
  complete(context,
           {{"contents", {{{"uri", uri}, {"mimeType", "application/json"}, {"text", *text}}}}},
           true);
}

// ---- answers ------------------------------------------------------------------------------------

void Server::send(const json& message) {
  const std::string line = line_of(message);
  const std::lock_guard lock(sending_);
  options_.send(line);
}

void Server::complete(const Context& context, json result, bool is_cacheable) {
  if (context.modern) {
    result["resultType"] = "complete";
    result["_meta"] = {{kServerKey, server_info()}};
    if (is_cacheable) {
      result["ttlMs"] = kFresh_ms;
      result["cacheScope"] = "private";
    }
  } else if (!context.has_links && result.contains("content")) {
    std::erase_if(result["content"].get_ref<json::array_t&>(),
                  [](const json& part) { return part.at("type") == "resource_link"; });
  }
  send(response(context.id, result));
}

void Server::fail(const Context& context, int code, const std::string& message) {
  send(failure(context.id, code, message));
}

}  // namespace heddle::mcp
