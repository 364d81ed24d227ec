#include "search_arguments.h"

#include "duration.h"
#include "tables.h"

namespace heddle::tool {

void SearchArguments::add_job(Verb verb, const std::string& gpu_help, bool job_needed) {
  Flag job = verb.add_option("JOB", request.job_path,
                             "the job file (docs/jobs.md), or a Triton kernel's file");
  kernel.add(verb);
  if (job_needed) job.required();
  verb.add_option("--gpu", request.gpu, gpu_help)
      .envname("HEDDLE_GPU")
      .type_name("NAME")
      .required();
}

void SearchArguments::add_limits(Verb verb, const std::string& budget_help) {
  verb.add_option("--set", request.overrides, "override a size, scalar or constexpr of the job")
      .type_name("NAME=VALUE")
      .allow_extra_args(false);
  verb.add_flag("--allow-faults", request.allow_faults,
                "continue if the kernel reads out of bounds or divides by zero with this job");
  verb.add_option("--effort", effort, "how many orders to look at: low, normal or high")
      .one_of({"low", "normal", "high"})
      .capture_default_str();
  verb.add_option("--budget", budget, budget_help).type_name("TIME").capture_default_str();
}

void SearchArguments::add_risk(Verb verb) {
  verb.add_option("--risk", risk,
                  "when to call an order faster; low: only if it also moves fewer bytes; high: if "
                  "it is predicted 2 % faster")
      .one_of({"low", "normal", "high"})
      .capture_default_str();
}

void SearchArguments::add_fixed_grid(Verb verb) {
  verb.add_flag("--fixed-grid", request.fixed_grid,
                "accept orders that hold only on the job's grid");
}

void SearchArguments::add_launches(Verb verb) {
  verb.add_option("--tune", request.tune,
                  "also try other values of a constexpr or launch number; configs: every config "
                  "of @triton.autotune")
      .type_name("NAME=A,B")
      .allow_extra_args(false);
  verb.add_option("--shapes", request.shapes, "find one order for all combinations of these sizes")
      .type_name("\"M=A,B;N=C\"")
      .allow_extra_args(false);
}

void SearchArguments::add_threads(Verb verb) {
  verb.add_option("--threads", request.threads, "threads to use; 0: one per core")
      .range(0, kMostThreads)
      .capture_default_str();
}

void SearchArguments::fill_request() {
  if (budget != kNoBudget) request.budget = duration(budget, "--budget");
  request.effort = effort == "low"    ? search::Effort::low
                   : effort == "high" ? search::Effort::high
                                      : search::Effort::normal;
  request.risk = risk == "low" ? Risk::low : risk == "high" ? Risk::high : Risk::normal;
  request.measuring = measuring.options();
}

}  // namespace heddle::tool
