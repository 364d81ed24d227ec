// One POST over libcurl, which is looked up at run time.
//
// Rules
//   1. libcurl is needed only where a model is asked; where it is missing, the Error names it.
//   2. Certificates and host names are checked. SSL_CERT_FILE names other authorities.
//   3. No redirect is followed: it would carry the key to another place.
//   4. `take` gets the body piece by piece and may end the transfer; so may `stop`, asked several
//      times a second. A transfer without a byte for `idle` ends, too.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::chat {

struct Post {
  std::string url;
  std::vector<std::string> headers;  ///< "Name: value"
  std::string body;
  std::chrono::milliseconds time{300'000};  ///< in all
  std::chrono::milliseconds idle{60'000};
  std::function<bool(std::string_view)> take;
  std::function<bool()> stop;
  bool direct = false;  ///< past the proxy that the environment names: it stays on this machine
};

struct Posted {
  long status = 0;                           ///< of HTTP; 0: there was no answer
  std::string type;                          ///< "text/event-stream; charset=utf-8"
  std::string location;                      ///< of a redirect
  std::optional<std::chrono::seconds> wait;  ///< Retry-After, in seconds
  std::string problem;                       ///< why the transfer did not end well; may be empty
  bool stopped = false;                      ///< because `stop` said so
  bool is_refused = false;  ///< no use in trying again: the time, a certificate, the address
};

/// Whether libcurl is installed.
bool can_post();

/// Throws Error with ExitCode::missing where libcurl is not installed.
Posted post(const Post& request);

}  // namespace heddle::chat
