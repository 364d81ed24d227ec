// What a model was asked and what it answered, as a file: a run can be repeated without the model.
//
//   {"heddle_transcript": 1, "model": "qwen3", "interface": "openai", "system": "..."}
//   {"round": 1, "question": "...", "answer": "...", "input_tokens": 900, "output_tokens": 40, ...}
//
// Rules
//   1. One JSON object a line. No key is in it.
//   2. An optimiser's log in the style of the SwizzlePerf logs is a transcript, too: the formula of
//      each iteration is an answer.
//   3. Answers are as untrusted as those of a model. At most kMostRounds are read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "chat/client.h"

namespace heddle::chat {

inline constexpr std::size_t kMostRounds = 10'000;

/// One round: what was asked, and what came of it.
struct Round {
  int number = 0;
  std::string question;
  Exchange exchange;
};

struct Transcript {
  std::string model;
  Interface interface = Interface::openai;
  std::string system;
  std::vector<Round> rounds;
};

std::string transcript_text(const Transcript& transcript);

/// The exchanges of a file, in their order. Throws Error where it is neither form.
std::vector<Exchange> read_transcript(std::string_view text);

}  // namespace heddle::chat
