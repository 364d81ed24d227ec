// Repairs of a drafted job, by what a trial of it found.
//
// Rules
//   1. One finding changes one thing, and the change is a line in JobDraft::repairs.
//   2. The same change is never made twice: every repair makes the draft another one, and their
//      number is bounded.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/draft.h"
#include "config/launch.h"
#include "support/error.h"
#include "trace/tracer.h"

namespace heddle::infer {

/// The tensor that a fault is about; empty: not known.
std::string tensor_name(const trace::Fault& fault, const config::Launch& launch);

/// Another value that a guess may have.
struct DraftOption {
  std::string name;
  std::string text;
};
std::vector<DraftOption> options_of(const config::JobDraft& draft);
/// `finding` is why, for the note.
void set_option(config::JobDraft& draft, const DraftOption& option, const std::string& finding);

class Repair {
 public:
  explicit Repair(config::JobDraft& draft) : draft_(draft) {}

  /// False: nothing can be done about it. `launch` is what the job gave, if it got that far.
  bool mend(const Error& error, const config::Launch* launch);
  bool mend(const std::vector<trace::Fault>& faults, const config::Launch& launch);
  /// Fewer blocks, if a launch has so many that no tiles are looked for; false: nothing changed.
  bool lower_grid(const config::Launch& launch);

 private:
  bool add_contents(const std::string& name, const config::Launch* launch);
  bool make_integer(const std::string& name);
  bool make_tensors(const Error& error);
  void flip(const std::string& name);
  bool shrink(const std::string& why, const std::function<bool(const std::string&)>& takes);
  bool grow(const std::string& name, std::int64_t end_byte, const config::Launch& launch);
  bool is_open(const config::DraftTensor& tensor);
  bool narrow_contents();
  bool is_length(const std::string& name);
  void shorten(std::int64_t step);
  bool leave_zero();
  void note(std::string line) { draft_.repairs.push_back(std::move(line)); }

  config::JobDraft& draft_;
  std::map<std::string, int> grown_;
  std::map<std::string, std::int64_t> bounds_;  ///< of contents that were guessed
  std::map<std::string, std::int64_t> spans_;   ///< from the first of guessed offsets to the last
  std::set<std::string> placed_;  ///< tensors whose values are places that are written once
  /// A draft before a parameter became a tensor, and what was found with it.
  struct BeforeFlip {
    config::JobDraft draft;
    std::string finding;
  };
  std::optional<BeforeFlip> before_flip_;
  std::set<std::string> flipped_;
  int shrunk_ = 0;
};

}  // namespace heddle::infer
