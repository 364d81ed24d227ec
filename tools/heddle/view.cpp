// heddle view: an output folder in a browser.
#include <fmt/format.h>
#include <poll.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "interrupt.h"
#include "notes.h"
#include "output.h"
#include "verbs.h"
#include "view_server.h"

namespace heddle::tool {
namespace {

constexpr const char* kViewExamples = R"text(
Examples:
  heddle optimize examples/stencil_2d.toml --gpu mi300x -o runs/stencil
  heddle view runs
view prints an address with a random token. Only this machine can open it. view writes nothing; Ctrl-C
ends it.)text";

constexpr int kLookEveryMs = 100;

struct ViewArguments {
  std::string folder;
  int port = 0;
  bool json = false;
};

ExitCode run_view(const ViewArguments& arguments) {
  const InterruptWatch watch;
  const ViewFolder folder(arguments.folder);
  const ViewServer server(folder, arguments.folder, arguments.port);
  if (arguments.json)
    OutputArguments().print(nlohmann::json{
        {"version", 1}, {"address", server.address()}, {"folder", arguments.folder}});
  else
    fmt::print("{}\n", server.address());
  std::fflush(stdout);
  note("showing {}; Ctrl-C ends it", arguments.folder);
  while (!watch.asked()) poll(nullptr, 0, kLookEveryMs);
  return ExitCode::good;
}

}  // namespace

void add_view(Program& program, Outcome& outcome) {
  Verb verb = program.add_verb(
      "view", "show an output folder in a browser: runs, pages, a comparison of two");
  const auto arguments = std::make_shared<ViewArguments>();
  verb.add_option("FOLDER", arguments->folder,
                  "a folder that heddle wrote, or a folder of such folders")
      .required();
  verb.add_option("--port", arguments->port, "port on 127.0.0.1; by default any free port")
      .range(1, 65535);
  verb.add_flag("--json", arguments->json, "print the address as JSON");
  verb.footer(kViewExamples);
  verb.callback([arguments, &outcome] { outcome.code = run_view(*arguments); });
}

}  // namespace heddle::tool
