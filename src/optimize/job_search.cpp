#include "optimize/job_search.h"

#include <fmt/format.h>

#include "config/fingerprint.h"
#include "emit/diff.h"
#include "emit/patched_kernel.h"
#include "search/report.h"
#include "support/lists.h"

namespace heddle::optimize {
namespace {

history::Book open_book(const OptimizeRequest& request, const search::Subject& subject) {
  if (request.history.empty()) return {};
  const kernel::LoadedKernel& kernel = subject.kernel();
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
                  const search::Chosen& chosen, OrderBundles& bundles) {
  if (chosen.answer != Answer::improved) return {};
  const std::string& setting = chosen.searched.attempts.at(chosen.best).setting;
  if (!setting.empty())
    return {"", "", "",
            fmt::format("no patch is needed: the kernel has this order with {}", setting)};
  session.pace.show(search::progress_of(chosen.searched, chosen.best, "writing the kernel"));
  const kernel::LoadedKernel& kernel = prepared.subject.kernel();
  const proof::ProvenOrder& best = chosen.searched.attempts.proven(chosen.best).order;
  try {
    emit::PatchedKernel patched = bundles.patched(best);
    std::string patch = emit::unified_diff(patched.before, patched.after,
                                           emit::name_in_diff(kernel.launch.kernel_path));
    return {std::move(patched.after), std::move(patch), std::move(patched.agreement), ""};
  } catch (const Error& error) {
    return {"", "", "", fmt::format("the kernel was not rewritten: {}", error.full_text())};
  }
}

}  // namespace

JobSearch::JobSearch(const OptimizeRequest& request, const search::Subject& subject)
    : request_(request),
      book_(open_book(request, subject)),
      session_{request,
               {request, subject.since},
               [this](const std::vector<OrderAttempt>& attempts) { book_.record(attempts); }},
      prepared_(search::prepare(subject, request, session_.pace)),
      bundles_(request, prepared_) {}

void JobSearch::search() {
  search::Searched searched = search::search(prepared_, session_, book_.known());
  measured_ = {search::choose(prepared_, session_, std::move(searched)), {}, {}};
}

void JobSearch::measure() {
  measured_ = measure_orders(request_, prepared_, session_, std::move(chosen()), bundles_);
}

OptimizationReport JobSearch::report() {
  Emitted emitted = emit_best(prepared_, session_, chosen(), bundles_);
  OptimizationReport report = search::report_of(prepared_, *measured_);
  report.patched = std::move(emitted.patched);
  report.patch = std::move(emitted.patch);
  report.agreement = std::move(emitted.agreement);
  book_.end(report);
  std::vector<std::string> notes = book_.notes();
  append(notes, report.notes);
  append(notes, bundles_.notes());
  if (!emitted.note.empty()) notes.push_back(std::move(emitted.note));
  report.notes = std::move(notes);
  return report;
}

}  // namespace heddle::optimize
