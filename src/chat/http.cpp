#include "chat/http.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "chat/curl_library.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::chat {
namespace curl {
namespace {

constexpr std::array kNames = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl-nss.so.4",
                               "libcurl.so"};

template <class Function>
bool look_up(void* file, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(file, name));
  return function != nullptr;
}

Library load() {
  void* file = nullptr;
  for (const char* const name : kNames)
    if (file == nullptr) file = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  Library found;
  if (file == nullptr || !look_up(file, "curl_global_init", found.global_init) ||
      !look_up(file, "curl_easy_init", found.easy_init) ||
      !look_up(file, "curl_easy_setopt", found.easy_setopt) ||
      !look_up(file, "curl_easy_perform", found.easy_perform) ||
      !look_up(file, "curl_easy_getinfo", found.easy_getinfo) ||
      !look_up(file, "curl_easy_cleanup", found.easy_cleanup) ||
      !look_up(file, "curl_easy_strerror", found.easy_strerror) ||
      !look_up(file, "curl_slist_append", found.slist_append) ||
      !look_up(file, "curl_slist_free_all", found.slist_free_all) ||
      found.global_init(kGlobalAll) != kGood)
    throw Error("libcurl, which asks the model, cannot be loaded", "apt-get install libcurl4",
                ExitCode::missing);
  return found;
}

}  // namespace

const Library& library() {
  static const Library kLibrary = load();
  return kLibrary;
}

}  // namespace curl

namespace {

constexpr std::chrono::milliseconds kConnect{20'000};
constexpr std::size_t kMostHeader = 4096;
constexpr std::int64_t kLongestWait_s = 3600;

using Clock = std::chrono::steady_clock;

/// What the functions that libcurl calls work on.
struct Transfer {
  const Post& request;
  Posted& posted;
  Clock::time_point last_byte = Clock::now();
  bool is_idle = false;
  bool is_enough = false;  ///< `take` has ended it
};

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  transfer.last_byte = Clock::now();
  if (transfer.request.take({data, size * count})) return size * count;
  transfer.is_enough = true;
  return 0;
}

std::size_t on_header(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  transfer.last_byte = Clock::now();
  const std::string_view line = trim(std::string_view(data, size * count).substr(0, kMostHeader));
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return size * count;
  const std::string name = lower_case(line.substr(0, colon));
  const std::string_view value = trim(line.substr(colon + 1));
  if (name == "location") transfer.posted.location = value;
  if (name == "retry-after")
    if (const auto seconds = parse_integer(value); seconds && *seconds >= 0)
      transfer.posted.wait = std::chrono::seconds(std::min(*seconds, kLongestWait_s));
  return size * count;
}

int watch(void* user, std::int64_t, std::int64_t, std::int64_t, std::int64_t) {
  auto& transfer = *static_cast<Transfer*>(user);
  transfer.posted.stopped = transfer.request.stop && transfer.request.stop();
  transfer.is_idle = Clock::now() - transfer.last_byte > transfer.request.idle;
  return transfer.posted.stopped || transfer.is_idle ? 1 : 0;
}

std::string problem_of(int code, const Transfer& transfer, const char* said) {
  if (code == curl::kGood || transfer.is_enough || transfer.posted.stopped) return {};
  if (transfer.is_idle)
    return fmt::format("the server was silent for {:.3g} s",
                       static_cast<double>(transfer.request.idle.count()) / 1000);
  if (code == curl::kTimedOut)
    return fmt::format("the answer took more than {:.3g} s",
                       static_cast<double>(transfer.request.time.count()) / 1000);
  return said[0] != '\0' ? said : curl::library().easy_strerror(code);
}

}  // namespace

bool can_post() {
  try {
    curl::library();
    return true;
  } catch (const Error&) {
    return false;
  }
}

Posted post(const Post& request) {
  const curl::Library& library = curl::library();
  const std::unique_ptr<curl::Handle, void (*)(curl::Handle*)> handle(library.easy_init(),
                                                                      library.easy_cleanup);
  if (!handle) throw Error("libcurl cannot begin", "is there memory left?", ExitCode::missing);
  curl::List* headers = nullptr;
  for (const std::string& header : request.headers)
    headers = library.slist_append(headers, header.c_str());
  const std::unique_ptr<curl::List, void (*)(curl::List*)> owner(headers, library.slist_free_all);
  Posted posted;
  Transfer transfer{request, posted};
  std::array<char, curl::kErrorBytes> said{};
  const auto set = [&](curl::Option option, auto value) {
    library.easy_setopt(handle.get(), option, value);
  };
  set(curl::kUrl, request.url.c_str());
  set(curl::kPost, 1L);
  set(curl::kPostFields, request.body.c_str());
  set(curl::kPostFieldSize, static_cast<long>(request.body.size()));
  set(curl::kHttpHeader, headers);
  set(curl::kProtocols, curl::kHttpAndHttps);
  set(curl::kFollowLocation, 0L);
  if (request.direct) set(curl::kNoProxy, "*");
  set(curl::kVerifyPeer, 1L);
  set(curl::kVerifyHost, 2L);
  if (const char* const authorities = std::getenv("SSL_CERT_FILE"); authorities != nullptr)
    set(curl::kCaInfo, authorities);
  set(curl::kNoSignal, 1L);
  set(curl::kConnectTimeoutMs, static_cast<long>(std::min(kConnect, request.time).count()));
  set(curl::kTimeoutMs, static_cast<long>(request.time.count()));
  set(curl::kErrorBuffer, said.data());
  set(curl::kWriteFunction, &on_body);
  set(curl::kWriteData, static_cast<void*>(&transfer));
  set(curl::kHeaderFunction, &on_header);
  set(curl::kHeaderData, static_cast<void*>(&transfer));
  set(curl::kNoProgress, 0L);
  set(curl::kProgressFunction, &watch);
  set(curl::kProgressData, static_cast<void*>(&transfer));
  const int code = library.easy_perform(handle.get());
  library.easy_getinfo(handle.get(), curl::kResponseCode, &posted.status);
  const char* type = nullptr;
  library.easy_getinfo(handle.get(), curl::kContentType, &type);
  if (type != nullptr) posted.type = type;
  posted.problem = problem_of(code, transfer, said.data());
  posted.is_refused = code == curl::kTimedOut || transfer.is_idle || code == curl::kPeerFailed ||
                      code == curl::kBadCaFile || code == curl::kBadUrl ||
                      code == curl::kBadProtocol;
  return posted;
}

}  // namespace heddle::chat
