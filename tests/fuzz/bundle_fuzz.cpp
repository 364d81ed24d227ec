// Any bytes as a bundle.txt or as a worker's line: a Failure or an answer, never a crash.
#include <cstdint>
#include <string>

#include "agent/program/bundle.h"
#include "agent/program/failure.h"
#include "agent/program/protocol.h"

using namespace heddle::agent;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    parse_bundle(text);
  } catch (const Failure&) {
  }
  try {
    parse_bundle("heddle-bundle 1\nlaunch main\ntensor a fp32 64 read random\n" + text);
  } catch (const Failure&) {
  }
  Bundle bundle;
  bundle.seeds = {1};
  bundle.rounds = 9;
  bundle.launches.emplace_back();
  bundle.launches[0].name = "main";
  parse_line(text, bundle, {"1", "0b"});
  return 0;
}
