// Any bytes as what a model's server sends: a stream in pieces, a whole body, a transcript.
#include <cstdint>
#include <string>

#include "chat/events.h"
#include "chat/interface.h"
#include "chat/transcript.h"
#include "support/error.h"

using namespace heddle;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const auto interface : {chat::Interface::openai, chat::Interface::anthropic}) {
    // The same events, however they are cut.
    chat::Reply whole, pieces;
    chat::EventReader at_once, by_byte;
    const auto into = [&](chat::Reply& reply) {
      return [&](const std::string& event) { chat::take_event(interface, event, reply); };
    };
    at_once.add(text, into(whole));
    at_once.end(into(whole));
    for (const char c : text) by_byte.add({&c, 1}, into(pieces));
    by_byte.end(into(pieces));
    if (whole.text != pieces.text || whole.is_whole != pieces.is_whole) __builtin_trap();
    chat::Reply body;
    chat::take_body(interface, text, body);
  }
  chat::error_in(text);
  try {
    chat::read_transcript(text);
  } catch (const Error&) {
  }
  try {
    chat::read_endpoint(text, "");
  } catch (const Error&) {
  }
  return 0;
}
