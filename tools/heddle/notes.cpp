#include "notes.h"

#include <cstdio>
#include <mutex>

#include "report/clean_text.h"

namespace heddle::tool {
namespace {

Loudness g_loudness = Loudness::normal;
std::string* g_results = nullptr;
std::string* g_messages = nullptr;
std::mutex g_mutex;  ///< of the texts: progress comes from other threads

}  // namespace

void set_loudness(Loudness loudness) {
  g_loudness = loudness;
}

Loudness loudness() {
  return g_loudness;
}

void print_note(const std::string& text) {
  if (g_loudness != Loudness::quiet) print_message(text);
}

void print_message(const std::string& message) {
  // Paths, formulas and what others print stand in messages: no terminal obeys them.
  const std::string text = report::printable(message);
  const std::lock_guard lock(g_mutex);
  if (g_messages != nullptr)
    *g_messages += text;
  else
    fmt::print(stderr, "{}", text);
}

Capture::Capture(std::string& results, std::string& messages) {
  g_results = &results;
  g_messages = &messages;
}

Capture::~Capture() {
  g_results = nullptr;
  g_messages = nullptr;
}

std::string* Capture::results() {
  return g_results;
}

}  // namespace heddle::tool
