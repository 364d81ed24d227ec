#include "search/report.h"

#include "emit/emit.h"

namespace heddle::search {

BestOrder best_order(const Prepared& prepared, const Attempts& attempts, int number) {
  const OrderAttempt& attempt = attempts.at(number);
  const bool is_launch = number == kLaunchOrder;
  BestOrder best;
  best.iteration = number;
  best.title = attempt.title;
  best.formula = attempt.formula;
  best.idea = attempt.idea;
  best.setting = attempt.setting;
  best.verdict = attempt.verdict;
  best.sizes = attempt.sizes.value_or(ProvedSizes::all);
  best.predicted = is_launch ? prepared.baseline : *attempt.predicted;
  best.speedup = is_launch ? 1 : attempt.speedup.value_or(1);
  if (!attempts.has_proof(number)) return best;  // an order that the kernel has, and no family
  const Proven& proven = attempts.proven(number);
  best.scope = proven.order.scope();
  best.argument = proven.argument;
  best.triton = emit::emit_order(proven.order, {emit::Dialect::triton, {}});
  best.hip = emit::emit_order(proven.order, {emit::Dialect::hip, {}});
  best.cuda = emit::emit_order(proven.order, {emit::Dialect::cuda, {}});
  best.opencl = emit::emit_order(proven.order, {emit::Dialect::opencl, {}});
  return best;
}

void set_baseline(const Prepared& prepared, OrderAttempt& launch) {
  launch.predicted = prepared.baseline;
  launch.fidelity = prepared.scorer.fidelity(Purpose::answer).text();
  launch.speedup = 1;
  launch.from_history = false;
}

OptimizationReport report_of(const Prepared& prepared, const Searched& searched, int best) {
  const Subject& subject = prepared.subject;
  OptimizationReport report;
  report.job = subject.job_path;
  report.kernel_path = subject.kernel().launch.kernel_path;
  report.kernel = subject.kernel().program.function;
  report.grid = subject.kernel().launch.grid.extents();
  report.gpu = subject.gpu_facts;
  report.memory = prepared.memory;
  report.independence = prepared.independence;
  report.baseline = prepared.baseline;
  report.lifted = subject.launch.is_lifted;
  report.best = best_order(prepared, searched.attempts, best);
  report.attempts = searched.attempts.all();
  report.search = searched.summary;
  report.notes = searched.notes;
  return report;
}

OptimizationReport report_of(const Prepared& prepared, const Chosen& chosen) {
  OptimizationReport report = report_of(prepared, chosen.searched, chosen.best);
  report.answer = chosen.answer;
  report.reason = chosen.reason;
  report.to_measure = chosen.to_measure;
  report.most_gain = chosen.most_gain;
  return report;
}

OptimizationReport report_of(const Prepared& prepared, const Measured& measured) {
  OptimizationReport report = report_of(prepared, measured.chosen);
  report.measurements = measured.rounds;
  report.best.measured = measured.times;
  return report;
}

}  // namespace heddle::search
