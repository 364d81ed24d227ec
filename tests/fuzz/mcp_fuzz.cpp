// Any bytes as lines of a client of heddle mcp; no call is made.
#include <cstdint>
#include <string_view>

#include "mcp/server.h"
#include "support/text.h"

using namespace heddle;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mcp::ServerOptions options;
  options.version = "0";
  options.send = [](const std::string& line) {
    if (!nlohmann::json::accept(line)) __builtin_trap();
  };
  options.run = [](const mcp::Command&, const mcp::Roots&, const mcp::Watch&) {
    return mcp::refused("not here", "");
  };
  mcp::Server server(std::move(options));
  for (const std::string_view line : split_lines({reinterpret_cast<const char*>(data), size}))
    server.receive(line);
  server.close(std::chrono::seconds(1));
  return 0;
}
