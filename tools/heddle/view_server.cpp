#include "view_server.h"

#include <fmt/format.h>

#include "support/error.h"

#ifdef HEDDLE_HAS_MICROHTTPD

#include <arpa/inet.h>
#include <dlfcn.h>
#include <microhttpd.h>
#include <strings.h>
#include <sys/random.h>

#include <array>
#include <atomic>
#include <exception>
#include <string_view>

#include "view_pages.h"

namespace heddle::tool {

/// The functions of the library, loaded when the verb runs.
struct MicroHttpd {
  decltype(&MHD_start_daemon) start = nullptr;
  decltype(&MHD_stop_daemon) stop = nullptr;
  decltype(&MHD_get_daemon_info) daemon_info = nullptr;
  decltype(&MHD_create_response_from_buffer) make_response = nullptr;
  decltype(&MHD_add_response_header) add_header = nullptr;
  decltype(&MHD_queue_response) queue = nullptr;
  decltype(&MHD_destroy_response) destroy = nullptr;
  decltype(&MHD_lookup_connection_value) lookup = nullptr;
  decltype(&MHD_get_connection_values) values = nullptr;
};

namespace {

constexpr unsigned kMostConnections = 64;
constexpr unsigned kIdleSeconds = 15;
constexpr std::size_t kRequestBytes = 32 * 1024;

template <class Function>
bool load_function(void* file, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(file, name));
  return function != nullptr;
}

MicroHttpd load_library() {
  void* file = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
  MicroHttpd library;
  if (file == nullptr || !load_function(file, "MHD_start_daemon", library.start) ||
      !load_function(file, "MHD_stop_daemon", library.stop) ||
      !load_function(file, "MHD_get_daemon_info", library.daemon_info) ||
      !load_function(file, "MHD_create_response_from_buffer", library.make_response) ||
      !load_function(file, "MHD_add_response_header", library.add_header) ||
      !load_function(file, "MHD_queue_response", library.queue) ||
      !load_function(file, "MHD_destroy_response", library.destroy) ||
      !load_function(file, "MHD_lookup_connection_value", library.lookup) ||
      !load_function(file, "MHD_get_connection_values", library.values))
    throw Error("libmicrohttpd.so.12 cannot be loaded", "apt-get install libmicrohttpd12",
                ExitCode::missing);
  return library;
}

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error("the system gives no random bytes", "", ExitCode::missing);
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

/// Takes as long whatever the texts hold.
bool same_secret(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  unsigned differ = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    differ |= static_cast<unsigned>(one[i]) ^ static_cast<unsigned>(other[i]);
  return differ == 0;
}

struct Reply {
  unsigned status = MHD_HTTP_OK;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  bool is_file = false;
};

Reply refusal(unsigned status, std::string why) {
  return {status, "text/plain; charset=utf-8", std::move(why) + "\n"};
}

std::string type_of(std::string_view path) {
  if (path.ends_with(".html")) return "text/html; charset=utf-8";
  if (path.ends_with(".png")) return "image/png";
  if (path.ends_with(".db") || path.ends_with(".npy")) return "application/octet-stream";
  return "text/plain; charset=utf-8";
}

}  // namespace

struct ViewServer::State {
  const ViewFolder& folder;
  std::string name;
  std::string token = random_token();
  MicroHttpd library = load_library();
  MHD_Daemon* daemon = nullptr;
  std::atomic<int> port = 0;

  Reply page(const std::string& path, const char* before, const char* after) const {
    if (path.empty()) return {MHD_HTTP_OK, "text/html; charset=utf-8", view_index(folder, name)};
    if (path == "compare" && before != nullptr) {
      const auto compared = view_comparison(
          folder, before, after == nullptr ? std::nullopt : std::optional<std::string>(after));
      if (compared) return {MHD_HTTP_OK, "text/html; charset=utf-8", *compared};
    }
    constexpr std::string_view kFiles = "files/";
    if (path.starts_with(kFiles)) {
      const std::string file = path.substr(kFiles.size());
      if (auto text = folder.read(file))
        return {MHD_HTTP_OK, type_of(file), std::move(*text), true};
    }
    return refusal(MHD_HTTP_NOT_FOUND, "there is no such page");
  }

  bool is_own_host(MHD_Connection* connection) const {
    struct Hosts {
      int count = 0;
      std::string last;
    } hosts;
    const auto count = [](void* into, MHD_ValueKind, const char* key, const char* value) {
      auto& found = *static_cast<Hosts*>(into);
      if (std::string_view(key).size() == 4 && strncasecmp(key, "Host", 4) == 0) {
        ++found.count;
        found.last = value == nullptr ? "" : value;
      }
      return MHD_YES;
    };
    library.values(connection, MHD_HEADER_KIND, count, &hosts);
    return hosts.count == 1 && (hosts.last == fmt::format("127.0.0.1:{}", port.load()) ||
                                hosts.last == fmt::format("localhost:{}", port.load()));
  }

  Reply answer(MHD_Connection* connection, std::string_view url, std::string_view method) const {
    if (!is_own_host(connection))
      return refusal(MHD_HTTP_FORBIDDEN, "this server answers to 127.0.0.1 and localhost alone");
    const bool has_token = url.size() > token.size() + 1 && url.front() == '/' &&
                           url[token.size() + 1] == '/' &&
                           same_secret(url.substr(1, token.size()), token);
    if (!has_token) return refusal(MHD_HTTP_NOT_FOUND, "the address has no token, or another one");
    if (method != "GET" && method != "HEAD")
      return refusal(MHD_HTTP_METHOD_NOT_ALLOWED, "this server only shows");
    return page(std::string(url.substr(token.size() + 2)),
                library.lookup(connection, MHD_GET_ARGUMENT_KIND, "a"),
                library.lookup(connection, MHD_GET_ARGUMENT_KIND, "b"));
  }

  MHD_Result send(MHD_Connection* connection, const Reply& reply) const {
    std::string body = reply.body;
    MHD_Response* response = library.make_response(body.size(), body.data(), MHD_RESPMEM_MUST_COPY);
    if (response == nullptr) return MHD_NO;
    const auto add = [&](const char* key, const char* value) {
      library.add_header(response, key, value);
    };
    add("Content-Type", reply.type.c_str());
    add("X-Content-Type-Options", "nosniff");
    add("X-Frame-Options", "DENY");
    add("Referrer-Policy", "no-referrer");
    add("Cache-Control", "no-store");
    add("Cross-Origin-Resource-Policy", "same-origin");
    if (reply.is_file)
      add("Content-Security-Policy",
          "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; "
          "script-src 'unsafe-inline'; img-src data:");
    if (reply.status == MHD_HTTP_METHOD_NOT_ALLOWED) add("Allow", "GET, HEAD");
    const MHD_Result result = library.queue(connection, reply.status, response);
    library.destroy(response);
    return result;
  }

  static MHD_Result on_request(void* self, MHD_Connection* connection, const char* url,
                               const char* method, const char*, const char*, std::size_t*, void**) {
    const State& state = *static_cast<const State*>(self);
    try {
      return state.send(connection, state.answer(connection, url, method));
    } catch (const std::exception&) {
      return MHD_NO;  // the connection is closed
    }
  }
};

ViewServer::ViewServer(const ViewFolder& folder, std::string name, int port)
    : state_(new State{folder, std::move(name)}) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(static_cast<std::uint16_t>(port));
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  state_->daemon = state_->library.start(
      MHD_USE_INTERNAL_POLLING_THREAD, 0, nullptr, nullptr, &State::on_request, state_.get(),
      MHD_OPTION_SOCK_ADDR, &place, MHD_OPTION_CONNECTION_LIMIT, kMostConnections,
      MHD_OPTION_CONNECTION_TIMEOUT, kIdleSeconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      kRequestBytes, MHD_OPTION_END);
  if (state_->daemon == nullptr)
    throw Error(fmt::format("port {} of 127.0.0.1 cannot be used", port),
                "leave --port out: any free one is taken", ExitCode::missing);
  state_->port = state_->library.daemon_info(state_->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}

ViewServer::~ViewServer() {
  if (state_->daemon != nullptr) state_->library.stop(state_->daemon);
}

std::string ViewServer::address() const {
  return fmt::format("http://127.0.0.1:{}/{}/", state_->port.load(), state_->token);
}

}  // namespace heddle::tool

#else

namespace heddle::tool {

struct ViewServer::State {};

ViewServer::ViewServer(const ViewFolder&, std::string, int) {
  throw Error("this heddle was built without libmicrohttpd",
              "apt-get install libmicrohttpd-dev, then build again", ExitCode::missing);
}
ViewServer::~ViewServer() = default;

std::string ViewServer::address() const {
  return {};
}

}  // namespace heddle::tool

#endif
