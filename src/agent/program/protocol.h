// One line of a worker, read as untrusted input (docs/agent.md, Workers).
//
//   parse_line("sample 3 1 0b cold 1 512.25", bundle, candidates)
//
// Rules
//   1. A line that begins with no word of the protocol is noise: a library's chatter. It is no sign
//   of life.
//   2. A line that begins with one and is not what it should be is broken: the worker cannot be
//   relied on.
//   3. Candidates are those the worker was asked for, or 0; launches and seeds are the bundle's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bundle.h"

namespace heddle::agent {

enum class Word {
  noise,
  broken,
  fact,
  compiling,
  begin,
  equal,
  close,
  rejected,
  checked,
  compiled,
  warmed,
  sample,
  bundle,
  finished,
  busy,
  missing,
  done,
};

/// What the compiler made of a candidate; nothing where it does not say.
struct CompiledSizes {
  std::optional<std::uint64_t> registers;     ///< of a thread
  std::optional<std::uint64_t> shared_bytes;  ///< of a block, static and dynamic
  std::optional<std::uint64_t> spills;        ///< of a thread, in words of 4 bytes
};

struct WorkerLine {
  Word word = Word::noise;
  std::string key;  ///< of a fact; kind of a rejection; `cold` or `warm`; `stable` or `unstable`
  std::string candidate;
  std::string launch;
  std::string seed;
  std::string text;
  std::uint64_t round = 0;  ///< of `bundle` its number in the plan
  std::uint64_t position = 0;
  std::uint64_t launches = 0;
  double time_us = 0;
  CompiledSizes sizes;
};

WorkerLine parse_line(std::string_view line, const Bundle& bundle,
                      const std::vector<std::string>& candidates);

}  // namespace heddle::agent
