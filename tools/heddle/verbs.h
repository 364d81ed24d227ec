// One function per verb: adds its flags to the program, and runs when the verb is chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "support/error.h"

namespace heddle::tool {

/// What main needs to know after parsing: the exit code of the verb that ran.
struct Outcome {
  ExitCode code = ExitCode::good;
  std::vector<std::string> target;  ///< what stands after "--"
};

void add_check(CLI::App& app, Outcome& outcome);
void add_emit(CLI::App& app, Outcome& outcome);
void add_audit(CLI::App& app, Outcome& outcome);
void add_new_job(CLI::App& app, Outcome& outcome);
void add_simulate(CLI::App& app, Outcome& outcome);
void add_trace(CLI::App& app, Outcome& outcome);
void add_validate(CLI::App& app, Outcome& outcome);
void add_calibrate(CLI::App& app, Outcome& outcome);
void add_optimize(CLI::App& app, Outcome& outcome);
void add_history(CLI::App& app, Outcome& outcome);
void add_analyze(CLI::App& app, Outcome& outcome);
void add_profile(CLI::App& app, Outcome& outcome);
void add_explain(CLI::App& app, Outcome& outcome);
void add_roofline(CLI::App& app, Outcome& outcome);
void add_gpus(CLI::App& app, Outcome& outcome);

}  // namespace heddle::tool
