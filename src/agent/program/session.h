// One worker from start to end, and who is to blame for how it ended.
//
//   WorkerOutcome outcome = workers.run({"check"}, {"0", "1", "2"}, listener, tick);
//   outcome.kind == OutcomeKind::rejected, outcome.candidate == "2", outcome.reason == "hang"
//
// Rules
//   1. Who was named last (`compiling`, `begin`) is blamed for silence, a crash, too much output,
//   or a
//      broken line. If nobody was named, it is the original, number 0, and `named` is false.
//   2. A worker that said `done` is done, however its process ends.
//   3. The listener gets facts, equal, close, checked, warmed and sample lines; it returns what is
//   wrong
//      with one, or nothing.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "process.h"
#include "protocol.h"
#include "results.h"

namespace heddle::agent {

enum class OutcomeKind { done, rejected, missing };

struct WorkerOutcome {
  OutcomeKind kind = OutcomeKind::done;
  std::string candidate = "0";
  std::string launch = "-";
  std::string seed = "-";
  std::string reason;  ///< kind of the rejection
  std::string detail;
  bool named = true;
};

/// The command line of a Triton worker, without its task: the script lies in the bundle, or beside
/// it where many bundles share one. Throws Failure(kMissing).
std::vector<std::string> triton_program(const std::string& folder, const std::string& python);

using LineListener = std::function<std::string(const WorkerLine&)>;

class Workers {
 public:
  /// `python`: for Triton kernels.
  Workers(std::string folder, const Bundle& bundle, const std::string& python,
          const Results& results);

  /// The command line of a worker; throws Failure(kMissing) where there is none.
  std::vector<std::string> command(const std::vector<std::string>& task,
                                   const std::vector<std::string>& candidates) const;

  WorkerOutcome run(const std::vector<std::string>& task,
                    const std::vector<std::string>& candidates, const LineListener& listener,
                    const std::function<void()>& tick) const;

 private:
  std::string folder_;
  const Bundle& bundle_;
  const Results& results_;
  std::vector<std::string> program_;
};

}  // namespace heddle::agent
