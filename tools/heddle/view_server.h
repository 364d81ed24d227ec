// The server of heddle view: an output folder on this machine's own address, for its own user.
//
//   http://127.0.0.1:41327/5f0c.../                 the list of runs
//   http://127.0.0.1:41327/5f0c.../files/PATH       a file of the folder
//   http://127.0.0.1:41327/5f0c.../compare?a=R&b=S  two runs
//
// Rules
//   1. It listens on 127.0.0.1 alone.
//   2. A request needs the token, 128 random bits, at the start of its path; else 404, whatever it asks.
//   3. Its Host is 127.0.0.1 or localhost with the port, once: else 403. Another name that leads here
//      (DNS rebinding) is refused.
//   4. GET and HEAD only. Nothing is ever written.
//   5. Files are those of ViewFolder. Pages among them run in a sandbox without an origin: a hostile
//      one can read neither its neighbours nor the token.
#pragma once

#include <memory>
#include <string>

#include "view_folder.h"

namespace heddle::tool {

class ViewServer {
 public:
  /// `port` 0: any that is free. Throws Error if it cannot listen, or has no library to do it with.
  ViewServer(const ViewFolder& folder, std::string name, int port);
  ~ViewServer();
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;

  /// With the token.
  std::string address() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heddle::tool
