#include "pipeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "audit/audit_cxx.h"
#include "audit/audit_patch.h"
#include "config/fingerprint.h"
#include "config/gpu.h"
#include "config/job.h"
#include "emit/diff.h"
#include "emit/patched_kernel.h"
#include "history/book.h"
#include "kernel/cxx/compile.h"
#include "kernel/cxx/language.h"
#include "kernel/triton/compile.h"
#include "kernel/triton/language.h"
#include "measure/order_bundle.h"
#include "order/evaluate.h"
#include "order/tile_map.h"
#include "other_sizes.h"
#include "patch_pair.h"
#include "proof/check.h"
#include "search/report.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle {
namespace {

constexpr std::chrono::hours kNoTimeLimit{24};

/// What is wrong with an order that was not proved, and how many blocks do nothing for it.
std::string permutation_note(const GridReport& check, const order::Map& map) {
  std::string note = check.counterexample ? check.counterexample->message : check.reason;
  if (check.counted) {
    note += fmt::format("; {} of {} are computed", with_separators(check.distinct_tiles),
                        count_of(check.tiles, "tile"));
  }
  const std::string idle = order::idle_note(map);
  if (!idle.empty()) note += "; " + idle;
  return note;
}

/// The new file's kernel: by name, or the only one where that name is gone.
const kernel::cxx::CxxFunction& new_kernel(const kernel::cxx::CxxSource& source,
                                           const std::string& asked, const std::string& original) {
  if (!asked.empty()) return source.kernel(asked);
  const auto& kernels = source.kernels();
  const bool is_there = std::any_of(kernels.begin(), kernels.end(), [&](const auto& one) {
    return one.scope + one.name == original;
  });
  try {
    return source.kernel(is_there ? original : "");
  } catch (const Error& error) {
    throw Error(fmt::format("there is no kernel '{}', and not one that could be meant: {}",
                            original, error.message()),
                "name the new kernel with --after-function NAME")
        .in(source.path());
  }
}

/// "blas::scale" of the original's "blas::scale<float>" with its arguments for the new kernel.
std::string with_arguments(const kernel::cxx::CxxFunction& function, const std::string& asked) {
  const std::string name = function.scope + function.name;
  const std::size_t arguments = asked.find('<');
  const bool takes = !function.template_parameters.empty() && arguments != std::string::npos;
  return takes ? name + asked.substr(arguments) : name;
}

PatchAudit audit_cxx_patch(const PatchRequest& request, const kernel::cxx::CxxSource& source_before,
                           const kernel::cxx::CxxSource& source_after) {
  namespace cxx = kernel::cxx;
  config::Job job = config::read_job(request.job_path, request.overrides);
  job.kernel_path = request.before;
  if (!request.function.empty()) job.function = request.function;
  const cxx::CxxFunction& function = source_before.kernel(job.function);
  job.function = with_arguments(function, job.function);
  audit::CxxPatchSide before{request.before, {&source_before, &function, {}}, {}, {}, {}};
  before.launch = cxx::launch_of(source_before, job).launch;
  before.program = cxx::compile(source_before, before.launch);

  const std::string original = function.scope + function.name;
  const cxx::CxxFunction& changed = new_kernel(source_after, request.after_function, original);
  audit::CxxPatchSide after{request.after, {&source_after, &changed, {}}, before.launch, {}, {}};
  audit::LaunchGiven given;
  given.grid = given.new_grid = before.launch.grid;
  given.after_grid = request.after_grid;
  try {
    config::Job new_job = request.after_job_path.empty()
                              ? job
                              : config::read_job(request.after_job_path, request.overrides);
    new_job.kernel_path = request.after;
    new_job.function = with_arguments(
        changed, request.after_function.empty() ? job.function : request.after_function);
    after.launch = cxx::launch_of(source_after, new_job).launch;
    given.new_grid = after.launch.grid;
    if (!request.after_job_path.empty() && !given.after_grid) given.after_grid = after.launch.grid;
  } catch (const Error& error) {
    after.reason = error.message();
  }
  for (const config::Argument& argument : before.launch.arguments)
    if (argument.is_constexpr) before.code.numbers.insert(argument.name);
  for (const config::Argument& argument : after.launch.arguments)
    if (argument.is_constexpr) after.code.numbers.insert(argument.name);
  const audit::LaunchJudgement launch = audit::judge_cxx_launch(before.code, after.code, given);
  after.launch.grid = launch.after_grid;
  if (after.reason.empty()) {
    try {
      after.program = cxx::compile(source_after, after.launch);
    } catch (const Error& error) {
      after.reason = error.position().line > 0
                         ? fmt::format("line {}: {}", error.position().line, error.message())
                         : error.message();
    }
  }
  return audit::audit_cxx(before, after, launch);
}

/// The new file's kernel: by name, or the only one where that name is gone.
const kernel::triton::Node& new_kernel(const kernel::triton::TritonSource& source,
                                       const std::string& asked, const std::string& original) {
  if (!asked.empty()) return source.kernel(asked);
  const kernel::triton::Module& module = source.main();
  if (module.functions.count(original) > 0) return source.kernel(original);
  try {
    return source.kernel("");
  } catch (const Error& error) {
    throw Error(fmt::format("there is no kernel '{}', and not one that could be meant: {}",
                            original, error.message()),
                "name the new kernel with --after-function NAME")
        .in(module.path);
  }
}

}  // namespace

kernel::KernelProgram compile_kernel(const std::string& path, const std::string& text,
                                     const config::Launch& launch) {
  return kernel::Source::open(path, text)->compile(launch);
}

/// The two files, read once: reading a Triton kernel takes longer than tracing a small launch.
struct PatchSources {
  struct Cxx {
    explicit Cxx(const PatchRequest& request) : before(request.before), after(request.after) {}
    kernel::cxx::CxxSource before;
    kernel::cxx::CxxSource after;
  };
  struct Triton {
    explicit Triton(const PatchRequest& request) : before(request.before), after(request.after) {}
    kernel::triton::TritonSource before;
    kernel::triton::TritonSource after;
  };
  std::optional<Cxx> cxx;
  std::optional<Triton> triton;
};

std::shared_ptr<PatchSources> read_sources(const PatchRequest& request) {
  const bool is_cxx = kernel::cxx::is_cxx_path(request.before);
  if (is_cxx != kernel::cxx::is_cxx_path(request.after))
    throw Error("the two kernels are of different languages",
                "give two Triton kernels, or two C++ kernels");
  auto sources = std::make_shared<PatchSources>();
  if (is_cxx)
    sources->cxx.emplace(request);
  else
    sources->triton.emplace(request);
  return sources;
}

Grid original_grid(const PatchRequest& request, PatchSources& sources) {
  config::Job job = config::read_job(request.job_path, request.overrides);
  job.kernel_path = request.before;
  if (!request.function.empty()) job.function = request.function;
  return sources.cxx ? kernel::cxx::launch_of(sources.cxx->before, job).launch.grid
                     : kernel::triton::launch_of(sources.triton->before, job).launch.grid;
}

PatchAudit audit_launch(const PatchRequest& request) {
  return audit_launch(request, *read_sources(request));
}

PatchAudit audit_launch(const PatchRequest& request, PatchSources& sources) {
  const std::optional<PatchPair> pair = patch_pair(request, sources);
  if (!pair) return audit_cxx_patch(request, sources.cxx->before, sources.cxx->after);
  return audit::audit_patch(pair->before, pair->after, pair->launch);
}

std::optional<PatchPair> patch_pair(const PatchRequest& request, PatchSources& sources) {
  if (sources.cxx) return std::nullopt;
  namespace triton = kernel::triton;
  config::Job job = config::read_job(request.job_path, request.overrides);
  triton::TritonSource& source_before = sources.triton->before;
  triton::TritonSource& source_after = sources.triton->after;
  job.kernel_path = request.before;
  if (!request.function.empty()) job.function = request.function;
  const triton::Node& function = source_before.kernel(job.function);
  job.function = function.text;
  kernel::NamedLaunch known = triton::launch_of(source_before, job);
  audit::PatchSide before{request.before, &source_before, &function, known.launch, {}, {}};
  before.program = triton::compile(source_before, before.launch);

  const triton::Node& changed = new_kernel(source_after, request.after_function, function.text);
  audit::PatchSide after{request.after, &source_after, &changed, known.launch, {}, {}};
  audit::LaunchGiven given{before.launch.grid, before.launch.grid,    known.names,
                           known.names,        before.launch.tensors, request.after_grid};
  try {
    config::Job new_job = request.after_job_path.empty()
                              ? job
                              : config::read_job(request.after_job_path, request.overrides);
    new_job.kernel_path = request.after;
    new_job.function = changed.text;
    kernel::NamedLaunch launched = triton::launch_of(source_after, new_job);
    after.launch = std::move(launched.launch);
    given.new_names = std::move(launched.names);
    given.new_grid = after.launch.grid;
    if (!request.after_job_path.empty() && !given.after_grid) given.after_grid = after.launch.grid;
  } catch (const Error& error) {
    after.reason = error.message();
  }
  const audit::LaunchJudgement launch =
      audit::judge_launch({&source_before, &function}, {&source_after, &changed}, given);
  after.launch.kernel_path = request.after;
  after.launch.function = changed.text;
  after.launch.grid = launch.after_grid;
  if (after.reason.empty()) {
    try {
      after.program = triton::compile(source_after, after.launch);
    } catch (const Error& error) {
      after.reason = error.position().line > 0
                         ? fmt::format("line {}: {}", error.position().line, error.message())
                         : error.message();
    }
  }
  return PatchPair{std::move(before), std::move(after), launch};
}

SimResult simulate_job(const SimulationRequest& request) {
  const config::Gpu gpu = config::read_gpu(request.gpu);
  const LoadedKernel loaded = load_kernel(request.job_path, request.overrides);
  const order::Space space =
      order::tile_space(loaded.launch.grid, request.tiles, request.bindings, "--tiles");
  const GridReport check =
      proof::check_grid(request.order, space, request.bindings, {gpu.compute.dies, kNoTimeLimit});
  const order::Map map = order::tile_map(request.order, space, request.bindings);
  SimResult result = sim::simulate(loaded.program, loaded.launch, gpu, map, request.options);
  result.order = request.order.title();
  result.kernel = loaded.program.function;
  result.grid = loaded.launch.grid.extents();
  result.permutation = check.verdict == Verdict::proved;
  if (!result.permutation) result.notes.insert(result.notes.begin(), permutation_note(check, map));
  return result;
}

ValidationReport validate_tables(const calibrate::ValidationRequest& request) {
  return calibrate::validate_tables(request, load_kernel);
}

CalibrationReport calibrate_tables(const calibrate::CalibrationRequest& request) {
  return calibrate::calibrate_tables(request, load_kernel);
}

namespace {

constexpr std::size_t kLargestSource = std::size_t{64} << 20;

/// The job with odd numbers of tiles, the last ones not full; or why there is no such launch.
struct RaggedLaunch {
  std::unique_ptr<const LoadedKernel> kernel;
  std::string reason;
};

RaggedLaunch find_ragged(const OptimizeRequest& request, const LoadedKernel& loaded) {
  try {
    const std::unique_ptr<kernel::Source> source =
        kernel::Source::open(loaded.launch.kernel_path);
    const auto grid_with = [&](const std::vector<std::string>& more) -> std::optional<Grid> {
      try {
        const auto overrides = with_overrides(request.overrides, more);
        return source->launch(config::read_job(request.job_path, overrides)).launch.grid;
      } catch (const Error&) {
        return std::nullopt;  // the job does not work with these sizes
      }
    };
    const auto varying = find_varying(request.job_path, request.overrides, grid_with);
    if (varying.empty()) return {nullptr, "the grid depends on no number of the job"};
    auto ragged = std::make_unique<const LoadedKernel>(
        load_kernel(request.job_path, with_overrides(request.overrides, ragged_sizes(varying))));
    // Macros hold for a whole bundle.
    if (ragged->program.defines != loaded.program.defines)
      return {nullptr, "other sizes are other macros"};
    return {std::move(ragged), ""};
  } catch (const Error& error) {
    return {nullptr, error.message()};
  }
}

/// Orders of a search as bundles. Every bundle has the job's launch and, where all of its orders
/// hold for all sizes, a ragged one.
class OrderBundles {
 public:
  /// All must outlive this, and this the bundles.
  OrderBundles(const OptimizeRequest& request, const search::Prepared& prepared)
      : request_(request), prepared_(prepared), loaded_(prepared.subject.kernel) {}

  struct OrderBundle {
    measure::Bundle bundle;
    std::vector<int> orders;  ///< numbers of the attempts that are candidates 1, 2, ...
  };
  /// Nothing where there is nothing to measure beside the original.
  std::optional<OrderBundle> make(const search::Attempts& attempts, const std::vector<int>& orders,
                                  const std::vector<search::GivenText>& files) {
    OrderBundle made{empty_bundle(), {}};
    std::vector<measure::BundleCandidate>& candidates = made.bundle.candidates;
    candidates.push_back(measure::original_candidate(
        attempts.launch(), read_text(loaded_.launch.kernel_path, kLargestSource)));
    bool all_sizes = true;
    for (const int number : orders) {
      const OrderAttempt& attempt = attempts.at(number);
      const proof::ProvenOrder& proven = attempts.proven(number).order;
      auto text = rewritten(proven, attempt.title);
      if (!text) continue;
      all_sizes &= attempt.sizes == ProvedSizes::all;
      candidates.push_back(measure::order_candidate(attempt, proven.scope(), std::move(*text)));
      made.orders.push_back(number);
    }
    for (const search::GivenText& file : files)
      candidates.push_back(measure::file_candidate(file.name, file.text));
    if (candidates.size() < 2) return std::nullopt;
    add_launches(all_sizes, made.bundle);
    return made;
  }

  const std::vector<std::string>& notes() const { return notes_; }

 private:
  measure::Bundle empty_bundle() const {
    measure::Bundle bundle;
    bundle.job = request_.job_path;
    bundle.overrides = request_.overrides;
    bundle.gpu = request_.gpu;
    bundle.is_amd = prepared_.subject.gpu.vendor == config::Vendor::amd;
    bundle.kernel_path = loaded_.launch.kernel_path;
    bundle.seeds = request_.measuring.seeds;
    bundle.limit_s = request_.measuring.limit_s;
    bundle.rounds = request_.measuring.rounds;
    bundle.budget_s = request_.measuring.budget_s;
    return bundle;
  }

  std::optional<std::string> rewritten(const proof::ProvenOrder& proven, const std::string& title) {
    try {
      return emit::patch_kernel(loaded_, proven, *prepared_.independent, compile_kernel).after;
    } catch (const Error& error) {
      notes_.push_back(fmt::format("{} was not measured, since the kernel cannot be rewritten: {}",
                                   title, error.full_text()));
      return std::nullopt;
    }
  }

  void add_launches(bool all_sizes, measure::Bundle& bundle) {
    bundle.launches.push_back({"main", loaded_.launch, &loaded_.program, &prepared_.memory});
    if (!all_sizes) return;
    const RaggedLaunch& ragged = ragged_launch();
    if (ragged.kernel)
      bundle.launches.push_back(
          {"ragged", ragged.kernel->launch, &ragged.kernel->program, &prepared_.memory});
  }

  /// Found once.
  const RaggedLaunch& ragged_launch() {
    if (!ragged_) {
      ragged_ = find_ragged(request_, loaded_);
      if (!ragged_->kernel)
        notes_.push_back("outputs are compared on the job's sizes alone: " + ragged_->reason);
    }
    return *ragged_;
  }

  const OptimizeRequest& request_;
  const search::Prepared& prepared_;
  const LoadedKernel& loaded_;
  std::optional<RaggedLaunch> ragged_;  ///< what ragged_launch found
  std::vector<std::string> notes_;
};

history::Book open_book(const OptimizeRequest& request, const search::Subject& subject) {
  if (request.history.empty()) return {};
  const LoadedKernel& kernel = subject.kernel;
  return {request.history,
          request.history_needed,
          {request.job_path, kernel.program.function, kernel.launch.grid.text(),
           config::fingerprint(kernel.launch), request.gpu, subject.gpu_facts.file_hash,
           request.model}};
}

search::Measured measure_orders(const OptimizeRequest& request, const search::Prepared& prepared,
                                const search::Session& session, search::Chosen chosen,
                                OrderBundles& bundles) {
  if (!request.measure) return {std::move(chosen), {}, {}};
  const auto measure_round =
      [&](const search::Attempts& attempts,
          const std::vector<int>& orders) -> std::optional<search::MeasuredRound> {
    const auto made = bundles.make(attempts, orders, {});
    if (!made) return std::nullopt;
    auto report = request.measure(made->bundle);
    if (!report) return std::nullopt;
    return search::MeasuredRound{made->orders, std::move(*report)};
  };
  return search::measure(prepared, session, std::move(chosen), request.measuring.limits,
                         measure_round);
}

/// The kernel with the best order in it; nothing unless there is one.
struct Emitted {
  std::string patched, patch, agreement;
  std::string note;  ///< why there is none
};

Emitted emit_best(const search::Prepared& prepared, const search::Session& session,
                  const search::Chosen& chosen) {
  if (chosen.answer != Answer::improved) return {};
  session.pace.show(search::progress_of(chosen.searched, chosen.best, "writing the kernel"));
  const LoadedKernel& kernel = prepared.subject.kernel;
  const proof::ProvenOrder& best = chosen.searched.attempts.proven(chosen.best).order;
  try {
    emit::PatchedKernel patched =
        emit::patch_kernel(kernel, best, *prepared.independent, compile_kernel);
    std::string patch = emit::unified_diff(patched.before, patched.after,
                                           emit::name_in_diff(kernel.launch.kernel_path));
    return {std::move(patched.after), std::move(patch), std::move(patched.agreement), ""};
  } catch (const Error& error) {
    return {"", "", "", fmt::format("the kernel was not rewritten: {}", error.full_text())};
  }
}

void append(std::vector<std::string>& notes, const std::vector<std::string>& more) {
  notes.insert(notes.end(), more.begin(), more.end());
}

}  // namespace

search::Subject read_subject(const OptimizeRequest& request) {
  const search::Clock::time_point since = search::Clock::now();
  search::Pace(request, since).show("reading the kernel");
  config::Gpu gpu = config::read_gpu(request.gpu);
  LoadedKernel kernel = load_kernel(request.job_path, request.overrides);
  return search::subject_of(request.job_path, std::move(kernel), std::move(gpu), request.gpu,
                            since);
}

OptimizationReport optimize_job(const OptimizeRequest& request) {
  return optimize_job(request, read_subject(request));
}

OptimizationReport optimize_job(const OptimizeRequest& request, const search::Subject& subject) {
  history::Book book = open_book(request, subject);
  const search::Session session{
      request, {request, subject.since}, [&](const std::vector<OrderAttempt>& attempts) {
        book.record(attempts);
      }};
  const search::Prepared prepared = search::prepare(subject, request, session.pace);
  search::Searched searched = search::search(prepared, session, book.known());
  search::Chosen chosen = search::choose(prepared, session, std::move(searched));
  OrderBundles bundles(request, prepared);
  const search::Measured measured =
      measure_orders(request, prepared, session, std::move(chosen), bundles);
  Emitted emitted = emit_best(prepared, session, measured.chosen);
  OptimizationReport report = search::report_of(prepared, measured);
  report.patched = std::move(emitted.patched);
  report.patch = std::move(emitted.patch);
  report.agreement = std::move(emitted.agreement);
  book.end(report);
  std::vector<std::string> notes = book.notes();
  append(notes, report.notes);
  append(notes, bundles.notes());
  if (!emitted.note.empty()) notes.push_back(std::move(emitted.note));
  report.notes = std::move(notes);
  return report;
}

BundleReport bundle_job(const OptimizeRequest& request, const search::Subject& subject,
                        const std::vector<search::GivenText>& files, const std::string& folder) {
  const search::Session session{request, {request, subject.since}, [](const auto&) {}};
  const search::Prepared prepared = search::prepare(subject, request, session.pace);
  search::Searched searched = search::search(prepared, session, {});
  const search::Chosen chosen = search::choose(prepared, session, std::move(searched));
  BundleReport result{search::report_of(prepared, chosen), std::nullopt};
  if (!prepared.independent || session.pace.interrupted()) return result;
  OrderBundles bundles(request, prepared);
  const auto orders = search::first_to_measure(prepared, request, chosen, request.measuring.limits);
  const auto made = bundles.make(chosen.searched.attempts, orders, files);
  append(result.search.notes, bundles.notes());
  if (!made) return result;
  measure::write_bundle(made->bundle, folder);
  result.written = WrittenBundle{subject.kernel.program.function, made->bundle.candidates, {}};
  for (const measure::BundleLaunch& launch : made->bundle.launches)
    result.written->launches.emplace_back(launch.name, launch.launch.grid);
  return result;
}

}  // namespace heddle
