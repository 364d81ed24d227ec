// One function per verb: adds its flags to the program, and runs when the verb is chosen.
#pragma once

#include <string>
#include <vector>

#include "flags.h"
#include "support/error.h"

namespace heddle::tool {

/// What main needs to know after parsing: the exit code of the verb that ran.
struct Outcome {
  ExitCode code = ExitCode::good;
  std::vector<std::string> target;  ///< what stands after "--"
};

void add_check(Program& program, Outcome& outcome);
void add_emit(Program& program, Outcome& outcome);
void add_audit(Program& program, Outcome& outcome);
void add_capture(Program& program, Outcome& outcome);
void add_new_job(Program& program, Outcome& outcome);
void add_simulate(Program& program, Outcome& outcome);
void add_trace(Program& program, Outcome& outcome);
void add_validate(Program& program, Outcome& outcome);
void add_calibrate(Program& program, Outcome& outcome);
void add_optimize(Program& program, Outcome& outcome);
void add_bundle(Program& program, Outcome& outcome);
void add_merge(Program& program, Outcome& outcome);
void add_history(Program& program, Outcome& outcome);
void add_analyze(Program& program, Outcome& outcome);
void add_profile(Program& program, Outcome& outcome);
void add_explain(Program& program, Outcome& outcome);
void add_roofline(Program& program, Outcome& outcome);
void add_sweep(Program& program, Outcome& outcome);
void add_gate(Program& program, Outcome& outcome);
void add_mcp(Program& program, Outcome& outcome);
void add_gpus(Program& program, Outcome& outcome);
void add_doctor(Program& program, Outcome& outcome);
void add_help(Program& program, Outcome& outcome);
void add_completion(Program& program, Outcome& outcome);
void add_view(Program& program, Outcome& outcome);

}  // namespace heddle::tool
